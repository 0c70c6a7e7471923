"""Packers: numpy functions that lay out a constant for a kernel. Kernel families register theirs beside their templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from sol.codegen.plan import Pack
from sol.errors import SolError
from sol.ir.graph import Attrs

Packer = Callable[..., np.ndarray]
Shape = Callable[..., tuple[int, ...]]
PACKERS: dict[str, Packer] = {}
SHAPES: dict[str, Shape] = {}
LINE = 64
STAGE = 512  # elements of a row that are transposed at once


def packer(kind: str, shape: Shape | None = None) -> Callable[[Packer], Packer]:
    """Decorator: ``function(array, **attrs)`` returns the packed array, whose bytes the kernel reads in C order.

    shape: ``shape(array.shape, **attrs)`` is that of the packed array, which has the dtype of the given one. The function then also takes
    ``out``, a zeroed array of that shape to write to, and needs little other memory.
    """

    def add(function: Packer) -> Packer:
        if kind in PACKERS:
            raise SolError(f"packer {kind} is registered twice")
        PACKERS[kind] = function
        if shape is not None:
            SHAPES[kind] = shape
        return function

    return add


HOMES = {
    "blocked": "dfp_space", "strassen_panels": "conv_strassen", "conv_selected": "conv_direct", "conv_stem": "conv_stem",
    "recurrent_panels": "recurrent", "recurrent_bias": "recurrent", "conv_panels": "conv_direct", "gemm_panels": "matmul",
    "gemm_rows": "matmul", "winograd_panels": "conv_winograd", "conv_depthwise": "conv_small", "conv_grouped": "conv_small",
    "winograd_pairs": "conv_winograd", "paired_panels": "conv_paired", "paired_groups": "conv_paired_grouped",
    "conv_plain": "conv_plain", "paired_selected": "conv_paired", "input_scales": "conv_strassen", "result_scales": "conv_strassen",
    "pair_scales": "pairs", "int_taps": "conv_int", "int_panels": "matmul_int",
}  # fmt: skip
"""Packer → the module of sol.codegen.kernels that registers it, for plans that were made by another process."""


def _find(kind: str) -> Packer:
    if kind not in PACKERS and kind in HOMES:
        import_module(f"sol.codegen.kernels.{HOMES[kind]}")
    return PACKERS[kind]


def make_pack(kind: str, **attrs: Any) -> Pack:
    """A Pack with its packer's existence checked."""
    if kind not in PACKERS:
        raise SolError(f"unknown packer {kind}")
    return Pack(kind, Attrs(attrs))


def apply_pack(pack: Pack, array: np.ndarray) -> np.ndarray:
    """The packed bytes of a constant."""
    return np.ascontiguousarray(_find(pack.kind)(array, **pack.attrs))


def packed_shape(pack: Pack, array: np.ndarray) -> tuple[int, ...] | None:
    """The shape of the packed array, or None if only packing tells."""
    _find(pack.kind)
    shape = SHAPES.get(pack.kind)
    return shape(array.shape, **pack.attrs) if shape else None


def pack_into(pack: Pack, array: np.ndarray, out: np.ndarray) -> None:
    """Pack a constant into zeroed memory of ``packed_shape``."""
    packed = _find(pack.kind)(array, out=out, **pack.attrs)
    if packed is not out:
        out[...] = packed


def staged(rows: np.ndarray, step: int, dtype: Any = None) -> Iterator[tuple[int, np.ndarray]]:
    """A matrix in pieces of at most ``step`` columns, with the first column of each, about to be transposed: they lie in one small buffer
    whose rows start in different cache sets, as rows of a power of two apart do not.
    """
    dtype = np.dtype(dtype or rows.dtype)
    pitch = (-(-step * dtype.itemsize // LINE) | 1) * LINE // dtype.itemsize
    buffer = np.empty((len(rows), pitch), dtype)
    for first in range(0, rows.shape[1], step):
        piece = rows[:, first : first + step]
        held = buffer[:, : piece.shape[1]]
        held[...] = piece
        yield first, held


def _same_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape


@packer("plain", shape=_same_shape)
def pack_plain(array: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Row-major, as it is."""
    if out is None:
        return array
    out[...] = array
    return out


@packer("channels")
def pack_channels(array: np.ndarray, *, block: int, fill: float = 0.0) -> np.ndarray:
    """A per-channel vector of any broadcast shape, padded with ``fill`` to a multiple of ``block``."""
    flat = array.reshape(-1)
    out = np.full(-(-flat.size // block) * block, fill, flat.dtype)
    out[: flat.size] = flat
    return out
