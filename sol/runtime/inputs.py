"""Example inputs in the forms users give them → positional and keyword arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from sol.errors import InputError


def as_call(inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """One tensor, a list or tuple of positional arguments, or a dict of keyword arguments, as ``(args, kwargs)``."""
    if isinstance(inputs, torch.Tensor):
        return (inputs,), {}
    if isinstance(inputs, Mapping):
        return (), dict(inputs)
    if isinstance(inputs, (list, tuple)):
        return tuple(inputs), {}
    raise InputError(
        f"example inputs are a {type(inputs).__name__}",
        remedy="give one tensor, a list or tuple of positional arguments, or a dict of keyword arguments",
    )
