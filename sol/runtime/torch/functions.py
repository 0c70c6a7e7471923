"""Plain functions as modules: what they reach of modules and parameters is registered, so that a change of it is seen."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch


class FunctionModule(torch.nn.Module):
    """A callable as a module in eval mode. Modules that it reaches (as owner of a method, bound argument, variable of an enclosing
    function or global) are submodules, parameters and other tensors that it reaches are buffers or parameters."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.__dict__["plain_function"] = function
        self.__name__ = name_of(function)
        modules: list[torch.nn.Module] = []
        for name, value in _reached(function, set()):
            if isinstance(value, torch.nn.Module) and value not in modules:
                modules.append(value)
                self.add_module(_free(self, name), value)
        self.__dict__["training"] = any(m.training for m in modules)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.__dict__["plain_function"](*args, **kwargs)


def as_module(function: Callable[..., Any]) -> torch.nn.Module:
    """The module that runs a callable; the module itself where it is the ``forward`` of one."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.nn.Module) and getattr(function, "__name__", "") in ("forward", "__call__"):
        return owner
    return FunctionModule(function)


def name_of(function: Any) -> str:
    """What a callable is called in messages."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__name__", type(function).__name__)


def _reached(value: Any, seen: set[int], name: str = "part") -> Iterator[tuple[str, Any]]:
    """Modules that a callable reaches, with the names under which it does."""
    if id(value) in seen or len(seen) > 10_000:
        return
    seen.add(id(value))
    if isinstance(value, torch.nn.Module):
        yield name, value
    elif isinstance(value, functools.partial):
        parts = {"function": value.func, **{f"argument{i}": a for i, a in enumerate(value.args)}, **value.keywords}
        for key, part in parts.items():
            yield from _reached(part, seen, key)
    elif isinstance(value, types.MethodType):
        yield from _reached(value.__func__, seen, name)
        yield from _reached(value.__self__, seen, "owner")
    elif isinstance(value, types.FunctionType):
        yield from _reached_by_function(value, seen)
    elif isinstance(value, (list, tuple)):
        for i, part in enumerate(value):
            yield from _reached(part, seen, f"{name}{i}")
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _reached(part, seen, str(key))
    elif callable(value) and hasattr(value, "__dict__") and not isinstance(value, type):
        for key, part in vars(value).items():
            yield from _reached(part, seen, key)
        yield from _reached(type(value).__dict__.get("__call__"), seen, name)


def _reached_by_function(function: types.FunctionType, seen: set[int]) -> Iterator[tuple[str, Any]]:
    module = function.__module__ or ""
    if module == "torch" or module.startswith("torch."):
        return
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            yield from _reached(cell.cell_contents, seen, name)
        except ValueError:  # not bound yet
            continue
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, (torch.nn.Module, types.FunctionType, functools.partial)):
            yield from _reached(value, seen, name)


def _free(owner: torch.nn.Module, name: str) -> str:
    """A name that torch allows for a submodule and that is not taken."""
    base = "".join(c if c.isalnum() else "_" for c in name) or "part"
    while hasattr(owner, base):
        base += "_"
    return base
