"""Packers: numpy functions that lay out a constant for a kernel. Kernel families register theirs beside their templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sol.codegen.plan import Pack
from sol.errors import SolError
from sol.ir.graph import Attrs

Packer = Callable[..., np.ndarray]
PACKERS: dict[str, Packer] = {}


def packer(kind: str) -> Callable[[Packer], Packer]:
    """Decorator: ``function(array, **attrs)`` returns the packed array, whose bytes the kernel reads in C order."""

    def add(function: Packer) -> Packer:
        if kind in PACKERS:
            raise SolError(f"packer {kind} is registered twice")
        PACKERS[kind] = function
        return function

    return add


def make_pack(kind: str, **attrs: Any) -> Pack:
    """A Pack with its packer's existence checked."""
    if kind not in PACKERS:
        raise SolError(f"unknown packer {kind}")
    return Pack(kind, Attrs(attrs))


def apply_pack(pack: Pack, array: np.ndarray) -> np.ndarray:
    """The packed bytes of a constant."""
    return np.ascontiguousarray(PACKERS[pack.kind](array, **pack.attrs))


@packer("plain")
def pack_plain(array: np.ndarray) -> np.ndarray:
    """Row-major, as it is."""
    return array


@packer("channels")
def pack_channels(array: np.ndarray, *, block: int, fill: float = 0.0) -> np.ndarray:
    """A per-channel vector of any broadcast shape, padded with ``fill`` to a multiple of ``block``."""
    flat = array.reshape(-1)
    out = np.full(-(-flat.size // block) * block, fill, flat.dtype)
    out[: flat.size] = flat
    return out
