"""Inputs as users give them: their forms, what is wrong with them, and how they are named in messages."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from sol.errors import InputError, SolError

_TENSORS = (torch.Tensor, torch.nn.Parameter)
_SIMPLE = (int, float, bool, str, type(None), np.ndarray)


def as_call(inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """One tensor or array, a list or tuple of positional arguments, or a dict of keyword arguments, as ``(args, kwargs)``."""
    if isinstance(inputs, (torch.Tensor, np.ndarray)):
        return (inputs,), {}
    if isinstance(inputs, Mapping):
        return (), dict(inputs)
    if isinstance(inputs, (list, tuple)):
        return tuple(inputs), {}
    raise InputError(
        f"example inputs are a {type(inputs).__name__}",
        remedy="give one tensor, a list or tuple of positional arguments, or a dict of keyword arguments",
    )


def check_inputs(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Errors that name the culprit for inputs no program could ever take."""
    for path, leaf in pytree.tree_flatten_with_path((args, dict(kwargs)))[0]:
        if not isinstance(leaf, torch.Tensor):
            continue
        name = pytree.keystr(path[1:])
        if leaf.device.type != "cpu":
            raise InputError(
                f"input {name} is on the {leaf.device} device; compiled code runs on the CPU",
                remedy="move it with .cpu(); a meta tensor holds no data and cannot be computed with",
            )
        if leaf.layout is not torch.strided:
            raise InputError(f"input {name} has layout {leaf.layout}; compiled code takes dense tensors", remedy="use .to_dense()")


def check_model(model: torch.nn.Module) -> None:
    """InputError that names the first parameter or buffer that is not on the CPU."""
    for name, tensor in (*model.named_parameters(), *model.named_buffers()):
        if tensor.device.type != "cpu":
            raise InputError(
                f"{name} of the model is on the {tensor.device} device; compiled code runs on the CPU",
                remedy="move the model with .cpu(); from the meta device with .to_empty(device='cpu') and load its weights",
            )


def describe(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Shapes and dtypes of all tensors, other values as they are: ``float32[2, 3], k=4``."""
    named = [("", a) for a in args] + [(f"{k}=", v) for k, v in kwargs.items()]
    return ", ".join(name + str(pytree.tree_map(_described, value)) for name, value in named) or "()"


class _Text(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _described(leaf: Any) -> Any:
    return _Text(f"{str(leaf.dtype).removeprefix('torch.')}{list(leaf.shape)}") if isinstance(leaf, torch.Tensor) else leaf


def is_plain(tensor: torch.Tensor) -> bool:
    """Whether compiled code could take a tensor: dense, on the CPU, and of no subclass, whose meaning only torch knows."""
    return type(tensor) in _TENSORS and tensor.is_cpu and tensor.layout is torch.strided


def only_plain_tensors(args: tuple[Any, ...], kwargs: Mapping[str, Any], everywhere: bool = False) -> bool:
    """Whether all tensors among arguments are such. everywhere: also those of another device or layout."""
    for value in (*args, *kwargs.values()):
        if type(value) in _SIMPLE or (type(value) in _TENSORS and is_plain(value)):
            continue
        for leaf in pytree.tree_leaves(value):
            if isinstance(leaf, torch.Tensor) and not is_plain(leaf) and not (everywhere and type(leaf) in _TENSORS):
                return False
    return True


def told(error: BaseException | None) -> str:
    """An error in one line for a log: what was wrong, without the remedy."""
    message = error.message if isinstance(error, SolError) else f"{type(error).__name__}: {error}"
    return " ".join(message.split())[:400]


def overlapping(tensors: Sequence[torch.Tensor]) -> bool:
    """Whether two tensors may share memory."""
    storages = [t.untyped_storage().data_ptr() for t in tensors if t.numel()]
    return len(set(storages)) < len(storages)


def like_torchs(error: Exception, title: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> InputError:
    """An InputError that is also of the type that torch raised."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    kind: Any = type(error)
    return _kind_of(kind)(
        f"{title} does not take inputs {describe(args, kwargs)}: {lines[0]}",
        remedy="give inputs of the shapes and dtypes that the model runs on in torch",
    )


@functools.cache
def _kind_of(kind: Any) -> type[InputError]:
    if issubclass(InputError, kind):
        return InputError
    try:
        return type("InputError", (InputError, kind), {"__module__": InputError.__module__, "__doc__": InputError.__doc__})
    except TypeError:  # classes that lie differently in memory
        return InputError
