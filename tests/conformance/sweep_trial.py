"""One model of the sweep: eager torch, float64, sol; what differs and how much of the model was compiled."""

from __future__ import annotations

import copy
import dataclasses
import logging
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

import sol
from sol.frontend.torch.capture import LEFT_OUT

Row = dict[str, Any]
Inputs = tuple[Any, ...] | dict[str, Any]
Make = Callable[[], tuple[torch.nn.Module, Inputs]]

ALLOWED = 5.0
"""Errors of sol against float64 may be so many times torch's own."""
FLOOR = {torch.float32: 1e-5, torch.float64: 1e-9, torch.float16: 4e-3, torch.bfloat16: 3e-2, torch.complex64: 1e-5, torch.complex128: 1e-9}
"""Errors in units of the largest element that are allowed in any case."""
DOUBLE_UNTIL = 400_000_000
"""Parameters beyond which the model is not run in float64: it would take too much memory."""
SECONDS = 0.5
"""How long each side is timed."""


def trial(make: Make, report: Callable[[Row], None]) -> Row:
    """Outcome of one model. make: builds it, in eval mode, with its inputs; seeded before. report: takes the row so far, before each stage.

    outcome: "ok"; "wrong", whose text says what differs; "exception", of sol where eager torch has none; "eager fails". how: "whole" (all
    operations in one compiled graph; Python may keep a memo beside it), "pieces" (some operations in torch, or Python in between) or
    "eager" (nothing compiled).
    """
    with torch.no_grad():
        return staged(lambda: Reference(make), _compiled, report)


def staged(refer: Callable[[], Any], compiled: Callable[[Any], Row], report: Callable[[Row], None]) -> Row:
    """Outcome of one model, see ``trial``. refer: what eager torch computes, with the model's ``parameters``; compiled: that → what sol
    makes of it.
    """
    row: Row = {"stage": "eager"}
    report(row)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reference = refer()
    except Exception as error:  # a model that torch itself does not run says nothing about sol
        return {"outcome": "eager fails", "text": text_of(error)}
    row |= {"stage": "sol", "parameters": reference.parameters}
    report(row)
    heard = _Heard()
    logging.getLogger("sol").addHandler(heard)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            row |= compiled(reference)
    except Exception as error:
        row |= {"outcome": "exception", "text": text_of(error)}
    finally:
        logging.getLogger("sol").removeHandler(heard)
    row.pop("stage")
    return row | ({"said": heard.lines[:3]} if heard.lines else {})


def text_of(error: BaseException) -> str:
    """Kind and first line of an exception."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    line = next((line for line in lines if "error:" in line), lines[0])
    return f"{type(error).__name__}: {line}"[:300]


class _Heard(logging.Handler):
    """What sol warns of."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage().splitlines()[0][:200])


def call(model: Callable[..., Any], inputs: Inputs) -> Any:
    """The result for a copy of the inputs, random numbers drawn from the same seed each time."""
    inputs = copy.deepcopy(inputs)
    torch.manual_seed(1)
    with torch.no_grad():
        return model(**inputs) if isinstance(inputs, dict) else model(*inputs)


class Reference:
    """What eager torch computes. exact: the same in float64; None where torch cannot."""

    def __init__(self, make: Make) -> None:
        self.make = make
        model, self.inputs = self.build()
        self.parameters = sum(p.numel() for p in model.parameters())
        self.result = leaves(call(model, self.inputs))
        self.exact: list[Leaf] | None = None
        if self.parameters <= DOUBLE_UNTIL:
            try:
                self.exact = leaves(call(self.build()[0].double(), doubled(self.inputs)))
            except Exception:  # models that write float32 into their text
                self.exact = None

    def build(self) -> tuple[torch.nn.Module, Inputs]:
        """The model with its inputs, the same each time."""
        torch.manual_seed(0)
        model, inputs = self.make()
        return model.eval(), inputs

    def disturbed(self) -> list[Leaf]:
        """The result with every parameter and input off by one or two units in the last place: how far rounding alone may carry."""
        model, _ = self.build()
        with torch.no_grad():
            for p in model.parameters():
                if p.is_floating_point():
                    p.mul_(1 + torch.finfo(p.dtype).eps * (torch.rand_like(p) - 0.5).sign())
        return leaves(call(model, disturbed(self.inputs)))


def _compiled(reference: Reference) -> Row:
    model, inputs = reference.build()
    model.requires_grad_(False)
    start = time.perf_counter()
    given = list(inputs) if isinstance(inputs, tuple) else inputs
    fast = sol.optimize(model, copy.deepcopy(given), fallback="eager")
    seconds = time.perf_counter() - start
    result = leaves(call(fast, inputs))
    row: Row = {"compile_s": round(seconds, 2)}
    text, error, torch_error = judge(result, reference.result, reference.exact)
    if text:
        text, error, torch_error = judge(result, reference.result, reference.exact, [reference.disturbed()])
    row |= {"outcome": "wrong" if text else "ok", "text": text, "error": error, "torch_error": torch_error}
    explanation = sol.explain(fast, copy.deepcopy(given))
    row |= how(explanation)
    again, _ = reference.build()
    row["ratio"] = round(fastest(lambda: call(again, inputs)) / fastest(lambda: call(fast, inputs)), 2)
    return row


def in_torch(explanation: Any) -> dict[str, str]:
    """What runs in torch: operation → reason."""
    return {row.operation: row.reason.splitlines()[0][:160] if row.reason else "" for row in explanation.torch}


def how(explanation: Any) -> Row:
    """How much was compiled, and what runs in torch."""
    left = in_torch(explanation)
    in_pieces = [note for note in explanation.notes if note.startswith("captured ")]
    is_one = not in_pieces or (in_pieces[0].startswith("captured as one piece") and LEFT_OUT in in_pieces[0])
    kind = "whole" if not left and is_one else "pieces" if explanation.regions else "eager"
    return {"how": kind, "torch": left, **({"pieces": in_pieces[0][:200]} if in_pieces else {})}


def fastest(function: Callable[[], Any]) -> float:
    """Seconds of the fastest of some calls."""
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    while len(times) < 2 or (time.perf_counter() < end and len(times) < 50):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


# -- results -----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Leaf:
    """What lies at a place of a result. kinds: the types of the containers around it."""

    path: str
    kinds: tuple[str, ...]
    value: Any


def leaves(result: Any) -> list[Leaf]:
    """What a result holds, in order: containers, data classes and other objects that hold tensors (caches) are taken apart."""
    return list(_leaves(result, "result", (), set()))


def _leaves(value: Any, path: str, kinds: tuple[str, ...], above: set[int]) -> Iterator[Leaf]:
    inside = {*above, id(value)}
    kinds = (*kinds, type(value).__name__)
    if isinstance(value, (torch.Tensor, str, bytes, int, float, complex, type(None), torch.dtype, torch.device)):
        yield Leaf(path, kinds[:-1], value)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(part, f"{path}[{key!r}]", kinds, inside)
    elif isinstance(value, (list, tuple)):
        for i, part in enumerate(value):
            yield from _leaves(part, f"{path}[{i}]", kinds, inside)
    elif isinstance(value, np.ndarray):
        yield Leaf(path, kinds[:-1], torch.from_numpy(value))
    elif hasattr(value, "__dict__") and not isinstance(value, (type, torch.nn.Module)) and not callable(value):
        for key, part in sorted(vars(value).items()):
            if id(part) not in inside:
                yield from _leaves(part, f"{path}.{key}", kinds, inside)


def judge(
    ours: list[Leaf], theirs: list[Leaf], exact: list[Leaf] | None, disturbed: Sequence[list[Leaf]] = (), *, least: float = 0.0,
    floor: float | None = None,
) -> tuple[str, float, float]:  # fmt: skip
    """(what is wrong or "", sol's error, torch's), each against float64 in units of the largest element, the largest of all outputs.

    disturbed: results of torch with parameters disturbed in several ways, from which errors of torch are taken as well. least: a unit that
    is used where all elements are smaller. floor: an error that is allowed in any case, default ``FLOOR``.
    """
    for our, their in zip(ours, theirs):
        if (our.path, our.kinds) != (their.path, their.kinds):
            return f"{our.path} in {our.kinds} instead of {their.path} in {their.kinds}", 0.0, 0.0
    if len(ours) != len(theirs):
        return f"{len(ours)} values instead of {len(theirs)}", 0.0, 0.0
    if not theirs:
        return "the result holds nothing that could be compared", 0.0, 0.0
    exact = exact if exact is not None and [leaf.path for leaf in exact] == [leaf.path for leaf in theirs] else None
    found, worst, own_worst = "", 0.0, 0.0
    for i, (our, their) in enumerate(zip(ours, theirs)):
        truth = exact[i].value if exact else None
        others = [way[i].value for way in disturbed if len(way) == len(theirs)]
        text, error, own = _compare(our.value, their.value, truth, others, least, floor)
        worst, own_worst = max(worst, error), max(own_worst, own)
        found = found or (f"{their.path}: {text}" if text else "")
    return found, worst, own_worst


def _compare(our: Any, their: Any, exact: Any, others: list[Any], least: float, floor: float | None) -> tuple[str, float, float]:
    if not isinstance(their, torch.Tensor):
        same = type(our) is type(their) and (our == their or (our != our and their != their))
        close = isinstance(their, float) and isinstance(our, float) and abs(our - their) <= 1e-5 * abs(their)
        return ("" if same or close else f"{our!r} instead of {their!r}"[:200]), 0.0, 0.0
    if not isinstance(our, torch.Tensor):
        return f"a {type(our).__name__} instead of a tensor", 0.0, 0.0
    if our.shape != their.shape or our.dtype != their.dtype:
        return f"{our.dtype}{list(our.shape)} instead of {their.dtype}{list(their.shape)}", 0.0, 0.0
    if their.layout is not torch.strided:
        our, their, exact, others = our.to_dense(), their.to_dense(), None, []
    exact, *others = [t if isinstance(t, torch.Tensor) and t.shape == their.shape else None for t in (exact, *others)]
    if not (their.is_floating_point() or their.is_complex()):
        return _compare_exactly(our, their, [exact, *others])
    return _compare_numbers(our, their, exact, others, least, FLOOR.get(their.dtype, 0.1) if floor is None else floor)


def _compare_exactly(our: torch.Tensor, their: torch.Tensor, others: list[torch.Tensor | None]) -> tuple[str, float, float]:
    """Integers and truth values: as many elements may differ as differ by rounding in torch itself, several times over."""
    count = int((our != their).sum())
    own = max((int((t.to(their.dtype) != their).sum()) for t in others if t is not None), default=0)
    share, own_share = count / max(their.numel(), 1), own / max(their.numel(), 1)
    return (f"{count} of {their.numel()} elements differ" if count > ALLOWED * own else ""), share if own else 0.0, own_share


def _compare_numbers(
    our: torch.Tensor, their: torch.Tensor, exact: Any, others: list[Any], least: float, floor: float
) -> tuple[str, float, float]:
    wide = torch.complex128 if their.is_complex() else torch.float64
    our, their = our.to(wide), their.to(wide)
    finite = torch.isfinite(their)
    same = (our == their) | (our.isnan() & their.isnan())
    unlike = int(((finite != torch.isfinite(our)) | (~finite & ~same)).sum())
    references = [t.to(wide) for t in (exact, *others) if t is not None]
    own_unlike = max((int((torch.isfinite(t) != finite).sum()) for t in references), default=0)
    if unlike > ALLOWED * own_unlike:
        return f"{unlike} of {our.numel()} elements are not finite where torch's are, or the other way round", float("inf"), 0.0
    finite &= torch.isfinite(our)
    known = exact is not None
    if references and not bool((finite & torch.isfinite(references[0])).any()):  # it would leave nothing to compare
        references, known = references[1:], False
    for t in references:
        finite &= torch.isfinite(t)
    if not bool(finite.any()):
        return "", 0.0, 0.0
    truth = references[0] if known else their
    scale = max(float(truth[finite].abs().max()), least, 1e-30)
    error = float((our - truth)[finite].abs().max()) / scale
    own = max([float((their - t)[finite].abs().max()) / scale for t in references], default=0.0)
    bound = max(ALLOWED * own, floor)
    return ("" if error <= bound else f"off by {error:.2g} of the largest element, torch by {own:.2g}, allowed {bound:.2g}"), error, own


# -- inputs ------------------------------------------------------------------------------------------------------------


def mapped(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Inputs with every tensor changed, all else copied."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return {k: mapped(v, change) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [mapped(v, change) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return copy.deepcopy(value)


def doubled(inputs: Any) -> Any:
    """Floating tensors in float64."""
    return mapped(inputs, lambda t: t.to(torch.complex128 if t.is_complex() else torch.float64) if _inexact(t) else t)


def disturbed(inputs: Any) -> Any:
    """Floating tensors off by one or two units in the last place."""
    return mapped(inputs, lambda t: t * (1 + torch.finfo(t.dtype).eps) if _inexact(t) else t)


def _inexact(t: torch.Tensor) -> bool:
    return (t.is_floating_point() or t.is_complex()) and t.layout is torch.strided
