"""Compiles functions of tensors, many at a time, and judges what they give by eager torch and by torch in float64."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from unittest.mock import patch

import torch
from torch.utils import _pytree as pytree

import sol
from sol.frontend.torch.policy import Policy

TOLERANCE = 5.0  # times torch's own error
FLOOR = 2.0  # units in the last place of the largest element that are allowed where torch happens to be exact


class Table(torch.nn.Module):
    """A tuple of what several functions (or modules) give for the same inputs."""

    def __init__(self, functions: Sequence[Callable[..., Any]]) -> None:
        super().__init__()
        self.functions = list(functions)
        self.modules_among = torch.nn.ModuleList(f for f in functions if isinstance(f, torch.nn.Module))

    def forward(self, *args: Any) -> tuple[Any, ...]:
        return tuple(f(*args) for f in self.functions)


def check_all(
    cases: Mapping[str, Callable[..., Any]],
    *inputs: Any,
    isa: str = "native",
    threads: Sequence[int] = (1, 2),
    in_torch: int = 0,
    rounded_to: torch.dtype | None = None,
) -> Any:
    """Every case, compiled together with the others, gives what torch gives; returns the compiled module.

    in_torch: operations that sol does not compile. Those that torch is only faster at are compiled here.
    rounded_to: the type that cases round their values to before they give them back in a wider one. Its units count then, also in
    float64: where exact values lie between two of its numbers, either one is right.
    """
    torch.manual_seed(0)
    functions = [f.eval() if isinstance(f, torch.nn.Module) else f for f in cases.values()]
    with torch.no_grad():
        with patch.object(Policy, "reason", lambda *_: ""):
            fast = sol.optimize(Table(functions).eval(), list(inputs), isa=isa, fallback="error")
        left = [n.attrs["reason"] for p in fast._programs for n in p.runner.torch_nodes]
        assert len(left) == in_torch and fast._programs, left
        expected = [f(*copy.deepcopy(inputs)) for f in functions]
        exact = [_in_double(f, inputs) for f in functions]
        found = []
        for team in threads:
            with team_of(team):
                got = fast(*copy.deepcopy(inputs))
            found += [
                f"{name}, {team} threads: {difference}"
                for name, ours, theirs, precise in zip(cases, got, expected, exact)
                if (difference := differs(ours, theirs, precise, rounded_to))
            ]
    assert not found, "\n".join(found)
    return fast


class team_of:
    """Inside, torch and compiled code use so many threads."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def __enter__(self) -> None:
        self.before = torch.get_num_threads()
        torch.set_num_threads(self.threads)

    def __exit__(self, *_: Any) -> None:
        torch.set_num_threads(self.before)


def _in_double(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """The function in float64; None where it takes no doubles."""
    try:
        if isinstance(function, torch.nn.Module):
            function = copy.deepcopy(function).double()
        return function(*pytree.tree_map(_double, copy.deepcopy(tuple(inputs))))
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def _double(leaf: Any) -> Any:
    return leaf.double() if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() else leaf


def differs(ours: Any, theirs: Any, exact: Any = None, rounded_to: torch.dtype | None = None) -> str:
    """How a result differs from torch's by more than it may; "" if it does not."""
    mine, spec = pytree.tree_flatten(ours)
    want, wanted = pytree.tree_flatten(theirs)
    if spec != wanted:
        return f"structure {spec}, torch {wanted}"
    precise = pytree.tree_leaves(exact)
    if len(precise) != len(want):
        precise = want
    found = [_leaf_differs(*leaves, rounded_to) for leaves in zip(mine, want, precise)]
    return "; ".join(f"result {i}: {text}" for i, text in enumerate(found) if text)


def _leaf_differs(mine: Any, want: Any, exact: Any, rounded_to: torch.dtype | None) -> str:
    if not isinstance(want, torch.Tensor):
        return "" if type(mine) is type(want) and (mine == want or mine != mine and want != want) else f"{mine!r}, torch {want!r}"
    if not isinstance(mine, torch.Tensor) or mine.shape != want.shape or mine.dtype != want.dtype:
        return f"{getattr(mine, 'dtype', type(mine))}{list(getattr(mine, 'shape', ()))}, torch {want.dtype}{list(want.shape)}"
    if not want.is_floating_point():
        wrong = mine != want
        some = f"{mine[wrong][:3].tolist()}, torch {want[wrong][:3].tolist()}"
        return f"{int(wrong.sum())} of {want.numel()} differ: {some}" if wrong.any() else ""
    if not isinstance(exact, torch.Tensor) or exact.shape != want.shape or not exact.is_floating_point():
        exact = want
    ours, theirs = error(mine, exact), error(want, exact)
    unit = max(torch.finfo(t).eps for t in (want.dtype, rounded_to or want.dtype))
    if ours <= TOLERANCE * theirs + FLOOR * unit:
        return ""
    return f"error {ours:.1e}, torch {theirs:.1e}"


def error(got: torch.Tensor, exact: torch.Tensor) -> float:
    """Largest difference relative to the largest finite element; infinite where one is not finite and the other differs from it."""
    if not got.numel():
        return 0.0
    a, b = got.double(), exact.double().to(got.dtype).double() if got.dtype != torch.float64 and _overflows(got, exact) else exact.double()
    same = (a == b) | (a.isnan() & b.isnan())
    difference = torch.where(same, 0.0, (a - b).abs())
    difference = torch.where(difference.isnan(), torch.inf, difference)
    finite = b[b.isfinite()]
    scale = float(finite.abs().max()) if finite.numel() else 1.0
    return float(difference.max()) / (scale or 1.0)


def _overflows(got: torch.Tensor, exact: torch.Tensor) -> bool:
    """Whether the exact values are beyond what the result's type holds."""
    return bool((exact.double().abs() > torch.finfo(got.dtype).max).any())
