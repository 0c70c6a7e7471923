"""One training step of a model of the sweep: forward pass, a loss of all results, backward pass, beside eager torch and float64."""

from __future__ import annotations

import copy
import math
import re
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree as pytree

import sol
from sol.config import config
from tests.conformance import sweep_trial as outcomes
from tests.conformance.sweep_trial import Inputs, Leaf, Make, Row, judge, leaves

FLOOR = 1e-4
"""Errors of gradients in units of a parameter's largest one that are allowed in any case."""
LEAST = 1e-3
"""A parameter whose gradients are all smaller than this share of the model's largest is measured by that share: those of parameters that
change nothing, such as a bias before a normalisation, are zero but for rounding."""
WAYS = 3
"""In which rounding is disturbed."""
DRAWS, NOISE = 2, 1e-3
"""So many other draws of a model that is wrong, and how much parameters differ in them: where two pixels of a window are equal but for
rounding, the gradient goes to one or the other; a defect is there in all of them. What is not finite is no such chance."""
DROPS = re.compile("Drop|StochasticDepth")
"""Modules that leave values out at random."""
State = tuple[list[Leaf], list[Leaf]]


def step_trial(make: Make, report: Callable[[Row], None]) -> Row:
    """Outcome of a training step; rows as of ``sweep_trial.trial``. What is compared: results of the forward pass, gradients of all
    parameters, buffers. Wrong are also a gradient that is missing and one that torch does not have.
    """
    return outcomes.staged(lambda: StepReference(make), _compiled, report)


def step(model: torch.nn.Module, call: Callable[..., Any], inputs: Inputs) -> tuple[Any, list[torch.Tensor]]:
    """(results of the forward pass, inputs that have gradients), after which parameters have their gradients."""
    model.zero_grad(set_to_none=True)
    inputs, trained = trainable(model, inputs)
    torch.manual_seed(1)
    result = call(**inputs) if isinstance(inputs, dict) else call(*inputs)
    loss = loss_of(result)
    if not loss.requires_grad:
        raise ValueError("no result has a gradient")
    loss.backward()
    return result, trained


def loss_of(result: Any) -> torch.Tensor:
    """All elements of the results that have gradients, weighed at random: that of their squares has no slope behind a normalisation."""
    weights, loss = torch.Generator().manual_seed(2), torch.zeros((), dtype=torch.float64)
    for leaf in leaves(result):
        if isinstance(leaf.value, torch.Tensor) and leaf.value.requires_grad:
            weight = torch.randn(leaf.value.shape, generator=weights, dtype=torch.float64).to(leaf.value.dtype)
            loss = loss + (leaf.value * weight).mean()
    return loss


def trainable(model: torch.nn.Module, inputs: Inputs | list[Any]) -> tuple[Any, list[torch.Tensor]]:
    """A copy of the inputs, and those of it that shall have gradients: all of floating numbers if the model has no parameters."""
    copied, found = copy.deepcopy(inputs), list[torch.Tensor]()
    if not any(p.requires_grad for p in model.parameters()):
        values = copied.values() if isinstance(copied, dict) else copied
        found = [t.requires_grad_() for t in pytree.tree_leaves(list(values)) if isinstance(t, torch.Tensor) and t.is_floating_point()]
    return copied, found


def _state(model: torch.nn.Module, call: Callable[..., Any], inputs: Inputs) -> State:
    """(results and buffers, gradients) after a step."""
    result, trained = step(model, call, inputs)
    results = [leaf.value.detach() if isinstance(leaf.value, torch.Tensor) else leaf.value for leaf in leaves(result)]
    gradients = {name: p.grad for name, p in model.named_parameters()} | {f"input {i}": t.grad for i, t in enumerate(trained)}
    buffers = {name: b.clone() for name, b in model.named_buffers()}  # steps to come change them
    return leaves({"result": results, "buffers": buffers}), leaves(gradients)


class StepReference:
    """What eager torch computes in a step. exact: the same in float64; None where torch cannot.

    images: in a batch; by default 2, for a normalisation over one image of one pixel has no variance, and 1 where that does not run.
    draw: other parameters, which differ a little.
    """

    def __init__(self, make: Make, images: int = 0, draw: int = 0) -> None:
        self.make, self.images, self.draw = make, images or 2, draw
        try:
            model, self.inputs = self.build()
            self.found = _state(model, model, self.inputs)
        except Exception:
            self.images = 1
            model, self.inputs = self.build()
            self.found = _state(model, model, self.inputs)
        if not draw:
            step(model, model, self.inputs)  # a model that cannot take a second step says nothing about sol
        self.parameters = sum(p.numel() for p in model.parameters())
        self.exact: tuple[list[Leaf] | None, list[Leaf] | None] = (None, None)
        if self.parameters <= outcomes.DOUBLE_UNTIL:
            try:
                wide = self.build()[0].double()
                self.exact = _state(wide, wide, outcomes.doubled(self.inputs))
            except Exception:  # models that write float32 into their text
                self.exact = (None, None)

    def build(self) -> tuple[torch.nn.Module, Inputs]:
        """The model in training mode without dropout, whose random numbers are others in float64, and its inputs."""
        torch.manual_seed(0)
        model, inputs = self.make()
        for module in model.modules():
            for name, value in list(vars(module).items()):
                if isinstance(value, float) and ("drop" in name or name == "p" and DROPS.search(type(module).__name__)):
                    setattr(module, name, 0.0)
        if self.draw:
            _disturb(model, self.draw, NOISE)
        return model.train(), outcomes.mapped(inputs, lambda t: _with_another(t) if self.images > 1 and t.dim() and t.shape[0] == 1 else t)

    def disturbed(self) -> list[State]:
        """The same with every parameter and input off by one or two units in the last place, in some ways: how far rounding may carry.

        It decides which numbers near zero a ReLU passes, each of which changes gradients that few pixels add up to.
        """
        found = []
        for seed in range(WAYS):
            model, _ = self.build()
            _disturb(model, seed, torch.finfo(torch.float32).eps)
            found.append(_state(model, model, outcomes.disturbed(self.inputs)))
        return found


def _disturb(model: torch.nn.Module, seed: int, size: float) -> None:
    """Multiply every parameter by 1 more or less so much."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for p in model.parameters():
            if p.is_floating_point():
                p.mul_(1 + size * (torch.rand_like(p) - 0.5).sign())


def _with_another(t: torch.Tensor) -> torch.Tensor:
    """A batch of one with another one behind it."""
    return torch.cat([t, t.flip(-1) if t.is_floating_point() else t])


def _compiled(reference: StepReference) -> Row:
    model, inputs = reference.build()
    start = time.perf_counter()
    with config.override(training="compiled"):
        given = list(inputs) if isinstance(inputs, tuple) else inputs
        fast = sol.optimize(model, copy.deepcopy(given), fallback="eager")
        fast.train()
        ours = _state(fast, fast, inputs)
        row: Row = {"compile_s": round(time.perf_counter() - start, 2)}
        verdict = _verdict(reference, ours, [])
        if verdict[0]:
            verdict = _verdict(reference, ours, reference.disturbed())
        row |= {"outcome": "wrong" if verdict[0] else "ok", "text": verdict[0], "error": verdict[1], "torch_error": verdict[2]}
        may_be_chance = verdict[0] and math.isfinite(verdict[1])
        if may_be_chance and any(not _of_draw(reference, draw, fast)[0] for draw in range(1, DRAWS + 1)):
            row |= {"outcome": "ok", "text": ""}
        row |= _how(sol.explain(fast, trainable(fast, given)[0], loss=loss_of))
        again, _ = reference.build()
        row["ratio"] = round(outcomes.fastest(lambda: step(again, again, inputs)) / outcomes.fastest(lambda: step(fast, fast, inputs)), 2)
    return row


def _verdict(reference: StepReference, ours: State, others: list[State]) -> tuple[str, float, float]:
    (held, gradients), (exact, exact_gradients) = reference.found, reference.exact
    text, error, own = judge(ours[0], held, exact, [other[0] for other in others])
    sizes = [float(leaf.value.abs().max()) for leaf in gradients if isinstance(leaf.value, torch.Tensor) and leaf.value.numel()]
    ways = [other[1] for other in others]
    why, worst, own_worst = judge(ours[1], gradients, exact_gradients, ways, least=LEAST * max(sizes, default=0.0), floor=FLOOR)
    if why and others and exact_gradients is not None:
        found, *allowed = (apart(one, exact_gradients) for one in (ours[1], gradients, *ways))
        why = "" if found <= outcomes.ALLOWED * max(allowed) else why
    return text or (f"gradient of {why}" if why else ""), max(error, worst), max(own, own_worst)


def apart(ours: list[Leaf], exact: list[Leaf]) -> float:
    """How far all gradients together are from the exact ones, in units of their size; infinite where one is missing.

    In deep networks with few images rounding changes each gradient by much, so that among hundreds of parameters some always differ by more
    than torch's.
    """
    off = size = 0.0
    for a, b in zip(ours, exact):
        if isinstance(b.value, torch.Tensor):
            if not isinstance(a.value, torch.Tensor) or a.value.shape != b.value.shape:
                return math.inf
            off += float((a.value.double() - b.value).pow(2).sum())
            size += float(b.value.double().pow(2).sum())
    return math.sqrt(off / max(size, 1e-300))


def _of_draw(reference: StepReference, draw: int, fast: torch.nn.Module) -> tuple[str, float, float]:
    """The verdict on the compiled model with other parameters."""
    other = StepReference(reference.make, reference.images, draw)
    fast.load_state_dict(other.build()[0].state_dict())
    return _verdict(other, _state(fast, fast, other.inputs), other.disturbed())


def _how(explanation: Any) -> Row:
    """How much of both passes was compiled."""
    passes = [p for p in (getattr(explanation, "forward", None), getattr(explanation, "backward", None)) if p is not None]
    left = {name: reason for p in passes for name, reason in outcomes.in_torch(p).items()}
    notes = [str(note).splitlines()[0][:200] for note in explanation.notes]
    regions = any(p.regions for p in passes)
    kind = "whole" if regions and not left and not notes else "pieces" if regions else "eager"
    return {"how": kind, "torch": left, **({"pieces": notes[0]} if notes else {})}
