"""Whether a model's code asks if gradients are computed, which a trace answers once and for all."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

import torch

QUESTION = "is_grad_enabled"
LIBRARIES = ("torch", "transformers")
"""Packages that ask to choose how they compute or what they keep for a backward pass: results are the same but for what
`transformer_layers` knows."""
_CACHED = type(functools.cache(print))
FARTHEST = 4
"""So many calls of functions by their names are followed from a module's own."""


def asks_gradient_mode(model: torch.nn.Module) -> bool:
    """Whether functions of the model's classes ask, or functions that they call by names of their Python module; not those of LIBRARIES."""
    seen: set[int] = set()
    return any(_asks(f, seen, FARTHEST) for module in model.modules() for f in _functions_of(module))


def _functions_of(module: torch.nn.Module) -> Iterator[Any]:
    yield from (v for v in vars(module).values() if isinstance(v, FunctionType | MethodType))
    for base in type(module).__mro__:
        for member in vars(base).values() if not _is_librarys(base.__module__) else ():
            yield member.fget if isinstance(member, property) else getattr(member, "__func__", member)


def _asks(function: Any, seen: set[int], left: int) -> bool:
    if isinstance(function, MethodType):
        function = function.__func__
    if isinstance(function, _CACHED):
        function = function.__wrapped__
    if not isinstance(function, FunctionType) or id(function) in seen:
        return False
    seen.add(id(function))
    if _asks(vars(function).get("__wrapped__"), seen, left):
        return True
    code, known = function.__code__, function.__globals__
    if _is_librarys(known.get("__name__", "")):
        return False
    names = set(_names_in(code))
    if QUESTION in names:
        return True
    called = [known[n] for n in names if n in known]
    called += [c.cell_contents for c in function.__closure__ or () if _is_full(c)]
    return any(c is torch.is_grad_enabled for c in called) or left > 0 and any(_asks(c, seen, left - 1) for c in called)


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _is_librarys(name: str) -> bool:
    return name.partition(".")[0] in LIBRARIES
