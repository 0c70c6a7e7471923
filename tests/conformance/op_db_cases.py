"""What is tried of torch's own operator database: its samples as functions of tensors, and how a result is judged.

A case is one sample in one form: as it is ("plain"), with operands that are not contiguous ("strided"), through the in-place variant
("inplace"), under another name of the operation ("alias"), or forward and backward ("gradient").
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch.utils import _pytree as pytree

FORMS = ("plain", "strided", "inplace", "alias", "gradient")
UNINITIALISED = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize_", "resize_as_")
"""Operations whose result holds whatever was in memory: only its type is compared."""
ULPS = 8 * 2.0**-23
SMALLEST = 1e-12
SEED = 42
"""What torch's own wrappers of random operations set before each call; inside a compiled module they set nothing."""
MOST_ERROR = 1e-3
"""Torch's own error against float64 beyond which it is no measure: there float64 goes another way (a step, a comparison, a sign)."""


@cache
def entries() -> list[Any]:
    """Torch's entries that have float32 samples on the CPU."""
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

    return [op for op in op_db if op.supports_dtype(torch.float32, "cpu")]


def name_of(number: int) -> str:
    """The full name of an entry."""
    op = entries()[number]
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else str(op.name)


@dataclass(frozen=True)
class Case:
    """One sample in one form: ``function(*tensors)``; note: its operands in words; differentiated: which operands need a gradient."""

    number: int
    function: Callable[..., Any]
    tensors: tuple[torch.Tensor, ...]
    note: str
    differentiated: tuple[bool, ...] = ()

    def copies(self, dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
        """The operands in memory of their own with their strides, float32 ones as ``dtype``."""
        found = [_copy(t, dtype) for t in self.tensors]
        for tensor, needs in zip(found, self.differentiated):
            tensor.requires_grad_(needs)
        return found


def _copy(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    kind = dtype if tensor.dtype is torch.float32 else tensor.dtype
    if tensor.layout is not torch.strided:
        return tensor.clone()
    extent = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride())) if tensor.numel() else 0
    flat = torch.zeros(extent, dtype=kind)
    return flat.as_strided(tensor.shape, tensor.stride()).copy_(tensor)


def cases(number: int, form: str, most: int | None = None) -> list[Case]:
    """The cases of an entry; of up to ``most`` samples, spread over the list, where that is given."""
    op = entries()[number]
    found: list[Case] = []
    if form == "gradient" and not op.supports_autograd:
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        samples = list(enumerate(op.sample_inputs("cpu", torch.float32, requires_grad=form == "gradient")))
        for index, sample in spread(samples, most):
            if form == "strided":
                try:
                    sample = sample.noncontiguous()
                except RuntimeError:  # torch has no strides for it: sparse operands
                    continue
            for function in _functions(op, form):
                found.append(_case(index, function, sample))
    return found if form != "gradient" else [c for c in found if any(c.differentiated)]


def spread(things: Sequence[Any], most: int | None) -> list[Any]:
    """Up to ``most`` of them at equal distances, the first and the last included: samples of a kind stand side by side."""
    if most is None or len(things) <= most:
        return list(things)
    return [things[k * (len(things) - 1) // max(1, most - 1)] for k in range(most)]


def _functions(op: Any, form: str) -> Iterator[Callable[..., Any]]:
    if form == "alias":
        yield from (alias.op for alias in op.aliases)
    elif form == "inplace":
        variants = [op.get_inplace(), *(alias.inplace_variant for alias in op.aliases)]
        yield from [v for v in variants if v is not None][:1]
    else:
        yield op.get_op()


def _case(index: int, function: Callable[..., Any], sample: Any) -> Case:
    leaves, spec = pytree.tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def call(*tensors: torch.Tensor) -> Any:
        full = list(leaves)
        for place, tensor in zip(places, tensors):
            full[place] = tensor
        first, args, kwargs = pytree.tree_unflatten(full, spec)
        result = function(first, *args, **kwargs)
        return sample.output_process_fn_grad(result) if any(differentiated) else result

    differentiated = tuple(leaves[i].requires_grad for i in places)
    return Case(index, call, tuple(leaves[i].detach() for i in places), _note(sample), differentiated if any(differentiated) else ())


def with_gradients(result: Any, operands: Sequence[torch.Tensor]) -> tuple[Any, list[Any]]:
    """The result of differentiable operands, detached, and the gradient of each operand, None where it has none.

    What is differentiated is a sum of the result's elements, each times a number of its own.
    """
    leaves, spec = pytree.tree_flatten(result)
    terms = [_weighted(t) for t in leaves if isinstance(t, torch.Tensor) and t.requires_grad]
    needing = [t for t in operands if t.requires_grad]
    found = iter(torch.autograd.grad(sum(terms), needing, allow_unused=True) if terms else [None] * len(needing))
    gradients = [next(found) if t.requires_grad else None for t in operands]
    detached = [t.detach() if isinstance(t, torch.Tensor) else t for t in leaves]
    return pytree.tree_unflatten(detached, spec), gradients


def _weighted(tensor: torch.Tensor) -> torch.Tensor:
    """The real sum of the elements with numbers between 1 and 2 of both signs, in the order of the elements."""
    plain = tensor.to_dense() if tensor.layout is not torch.strided else tensor
    order = torch.arange(plain.numel(), dtype=torch.float64)
    weights = ((1 + (order * 0.618).frac()) * (1 - 2 * (order % 3 == 1).double())).view(plain.shape).to(plain.dtype)
    total = (plain * weights).sum()
    return total.real + total.imag if total.is_complex() else total


def _note(sample: Any) -> str:
    def shown(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            kind = str(value.dtype).removeprefix("torch.")
            if value.layout is not torch.strided:
                return f"{kind}{list(value.shape)} {value.layout}"
            return f"{kind}{list(value.shape)}" + ("" if value.is_contiguous() else f"strides{list(value.stride())}")
        if isinstance(value, (list, tuple)):
            return "(" + ", ".join(map(shown, value)) + ")"
        return repr(value)[:60]

    named = [f"{k}={shown(v)}" for k, v in sample.kwargs.items()]
    return ", ".join([shown(sample.input), *map(shown, sample.args), *named])[:300]


class Together(torch.nn.Module):
    """Several cases as one module of all their operands."""

    def __init__(self, parts: Sequence[Case]) -> None:
        super().__init__()
        self.parts = list(parts)

    def forward(self, *tensors: torch.Tensor) -> Any:
        results, at = [], 0
        for case in self.parts:
            results.append(case.function(*tensors[at : at + len(case.tensors)]))
            at += len(case.tensors)
        return results


@dataclass(frozen=True)
class Expected:
    """What torch makes of a case: result (with gradients) and operands afterwards, in float32 and (where it can) in float64; whether it
    draws numbers."""

    result: Any
    operands: list[torch.Tensor]
    exact: Any
    exact_operands: list[torch.Tensor] | None
    draws: bool


def expected(case: Case) -> Expected | None:
    """Torch's results; None where torch itself raises."""
    with torch.set_grad_enabled(bool(case.differentiated)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        operands = case.copies()
        try:
            result, draws = _seeded(case, operands)
        except Exception:
            return None
        doubles = case.copies(torch.float64)
        try:
            exact, _ = _seeded(case, doubles)
            return Expected(result, operands, exact, doubles, draws)
        except Exception:
            return Expected(result, operands, None, None, draws)


def _seeded(case: Case, operands: list[torch.Tensor]) -> tuple[Any, bool]:
    """Torch's result after seeding, and whether it drew numbers or seeded by itself."""
    seeds = []
    torch.manual_seed(SEED)
    before = torch.get_rng_state()
    seed = torch.manual_seed
    torch.manual_seed = lambda value: (seeds.append(value), seed(value))[1]
    try:
        result = case.function(*operands)
        if case.differentiated:
            result = with_gradients(result, operands)
    finally:
        torch.manual_seed = seed
    return result, bool(seeds) or not torch.equal(before, torch.get_rng_state())


def judge(name: str, case: Case, want: Expected, result: Any, operands: Sequence[torch.Tensor]) -> str:
    """What is wrong with sol's result and operands; empty if nothing is."""
    types_only = name.partition(".")[0] in UNINITIALISED
    size = max((_largest(t) for t in case.tensors), default=0.0)
    theirs, spec = pytree.tree_flatten((want.result, list(want.operands)))
    ours, our_spec = pytree.tree_flatten((result, list(operands)))
    if spec != our_spec:
        return f"structure {our_spec} instead of {spec}"
    exact: list[Any] = [None] * len(theirs)
    if want.exact_operands is not None:
        found, exact_spec = pytree.tree_flatten((want.exact, want.exact_operands))
        exact = found if exact_spec == spec else exact
    for our, their, double in zip(ours, theirs, exact):
        wrong = _differs(our, their, double, size, types_only)
        if wrong:
            return wrong
    return ""


def _largest(tensor: torch.Tensor) -> float:
    if not tensor.is_floating_point() or tensor.layout is not torch.strided or not tensor.numel():
        return 0.0
    return float(tensor.nan_to_num(0, 0, 0).abs().max())


def _differs(our: Any, their: Any, exact: Any, size: float, types_only: bool) -> str:
    if not isinstance(their, torch.Tensor):
        same = our == their or (our != our and their != their)
        close = isinstance(their, float) and isinstance(our, float) and abs(our - their) <= ULPS * max(abs(their), size)
        return "" if type(our) is type(their) and (same or close) else f"{our!r} instead of {their!r}"
    if not isinstance(our, torch.Tensor):
        return f"a {type(our).__name__} instead of a tensor"
    if our.dtype is not their.dtype or our.shape != their.shape:
        return f"{our.dtype}{list(our.shape)} instead of {their.dtype}{list(their.shape)}"
    if types_only or not their.numel():
        return ""
    if their.layout is not torch.strided:
        our, their, exact = our.to_dense(), their.to_dense(), None
    if their.is_complex():
        our, their, exact = torch.view_as_real(our.resolve_conj()), torch.view_as_real(their.resolve_conj()), None
    if not their.is_floating_point():
        count = int((our != their).sum())
        return f"{count} of {their.numel()} elements differ" if count else ""
    return _float_differs(our.double(), their.double(), exact, size)


def _float_differs(our: torch.Tensor, their: torch.Tensor, exact: Any, size: float) -> str:
    """Within 5 times torch's error against float64 and some units in the last place of the largest element or operand."""
    special = ~torch.isfinite(their)
    same = (our == their) | (our.isnan() & their.isnan())
    if not bool(same[special].all()) or bool((~torch.isfinite(our[~special])).any()):
        at = torch.nonzero((special & ~same) | (~special & ~torch.isfinite(our)))[0].tolist()
        return f"{our[tuple(at)].item()} instead of {their[tuple(at)].item()} at {at}"
    our, their = our[~special], their[~special]
    scale = max(float(their.abs().max()) if their.numel() else 0.0, size)
    bound = ULPS * scale + SMALLEST
    distance = (our - their).abs()
    if isinstance(exact, torch.Tensor) and exact.is_floating_point() and exact.shape == special.shape:
        truth = exact.double()[~special]
        own = (their - truth).abs()
        error = float(own.max()) if own.numel() else 0.0
        if error == error and error <= MOST_ERROR * scale:
            bound += 5 * error
            distance = torch.minimum(distance, (our - truth).abs())
    worst = float(distance.max()) if distance.numel() else 0.0
    return f"off by {worst:.3g}, allowed {bound:.3g}, largest element {scale:.3g}" if not worst <= bound else ""
