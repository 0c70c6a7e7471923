"""Ops that place elements elsewhere: concatenation, padding, indexing, layout, and the scan and ramp behind indices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sol.errors import SolError
from sol.ir.dim import DimLike, ceil_div, dim_text
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import (
    common_layout,
    need,
    need_at_least,
    need_axes,
    need_axis,
    need_int,
    need_operands,
    need_some,
    same_dtype,
)
from sol.ir.types import HOST, PLAIN, DType, TensorType


def _need_alike(operands: Sequence[TensorType], dim: int) -> None:
    """All operands have one dtype and agree in every dimension but ``dim``."""
    first = operands[0]
    same_dtype(operands)
    need(first.rank > dim, f"{first} has no dimension {dim}")
    for t in operands[1:]:
        agree = t.rank == first.rank and all(i == dim or a == b for i, (a, b) in enumerate(zip(first.shape, t.shape)))
        need(agree, f"{first} and {t} must agree in all dimensions but {dim}")


def _infer_concat(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_some(operands)
    first, dim = operands[0], attrs["dim"]
    need_axis(first, dim)
    _need_alike(operands, dim)
    size: DimLike = 0
    for t in operands:
        size = size + t.shape[dim]
    return TensorType(first.dtype, (*first.shape[:dim], size, *first.shape[dim + 1 :]), common_layout(operands))


def _infer_pad(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    (x,), pads = operands, attrs["pads"]
    need(len(pads) == x.rank, f"pads has {len(pads)} pairs for {x}")
    shape = tuple(d + before + after for d, (before, after) in zip(x.shape, pads))
    for d in shape:
        need_at_least(d, 0, "a padded size")
    return TensorType(x.dtype, shape, x.layout)


def _infer_flip(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    need_axes(operands[0], attrs["dims"])
    return TensorType(operands[0].dtype, operands[0].shape)


def _infer_take(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    (x, index), dim = operands, attrs["dim"]
    need_axis(x, dim)
    need(x.rank > 0, "a scalar has nothing to take")
    need_int(index)
    return TensorType(x.dtype, (*x.shape[:dim], *index.shape, *x.shape[dim + 1 :]))


def _infer_gather(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    (x, index), dim = operands, attrs["dim"]
    need_axis(x, dim)
    need_int(index)
    need(index.rank == x.rank, f"index {index} must have the rank of {x}")
    for i, (have, want) in enumerate(zip(x.shape, index.shape)):
        try:
            fits = i == dim or want <= have
        except SolError:
            continue  # only run time can tell
        need(fits, f"index size {dim_text(want)} is beyond dimension {i} of {x}")
    return TensorType(x.dtype, index.shape)


def _infer_cumulative(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    need_axis(operands[0], attrs["dim"])
    need(operands[0].dtype is not DType.BOOL, f"takes numbers, got {operands[0]}")
    return TensorType(operands[0].dtype, operands[0].shape)


def _infer_cumulative_of_floats(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    result = _infer_cumulative(operands, attrs)
    need(result.dtype.is_float, f"takes floats, got {operands[0]}")
    return result


def _infer_iota(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 0)
    need_at_least(attrs["size"], 0, "the size")
    need(attrs["dtype"] is not DType.BOOL, "a ramp of bools is undefined")
    return TensorType(attrs["dtype"], (attrs["size"],))


def _infer_copy(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    return operands[0]


def _infer_reorder(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    x, layout = operands[0], attrs["layout"]
    need(not layout.block or x.rank >= 2, f"{x} has no channels to block")
    return x.with_layout(layout)


def _infer_space_to_depth(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    x, layout = operands[0], attrs["layout"]
    need(x.rank == 4 and not x.layout.block, f"takes row-major images, got {x}")
    n, c, h, w = x.shape
    return TensorType(x.dtype, (n, 4 * c, (h + 1) // 2, (w + 1) // 2), layout)


DEPTH_FIRST = (0, 2, 1, 3, 4)
"""Order of a volume's dimensions in which its slices are images."""
MOST_STACKED = 1 << 28
"""Elements that ``stack_slices`` may make for one convolution: beyond, copies for each tap would take too much memory."""


def _infer_stack_slices(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    x, depth, size, taps = operands[0], attrs["depth"], attrs["size"], attrs["taps"]
    need(x.rank == 4 and isinstance(x.shape[1], int), f"takes slices with a known number of channels, got {x}")
    n, c, h, w = x.shape
    need(isinstance(n, int) and n % depth == 0, f"{x} does not divide into volumes of {depth} slices")
    need(not x.layout.block or c % x.layout.block == 0, f"{x} has channels that do not fill its blocks")
    need_at_least(min(size, taps, attrs["stride"], attrs["dilation"]), 1, "a size")
    return TensorType(x.dtype, (n // depth * size, taps * c, h, w), x.layout)


def _infer_interleave(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_some(operands)
    steps, size = attrs["steps"], attrs["size"]
    same_dtype(operands)
    given = [t for t in operands if t.rank]
    need(bool(given), "an operand must say how many channels there are")
    first = given[0]
    need(first.rank == len(steps) + 2 == len(size) + 2, f"steps {steps} and size {size} must each have {first.rank - 2} entries")
    need(len(operands) == math.prod(steps), f"steps {steps} interleave {math.prod(steps)} maps, got {len(operands)}")
    for place, t in zip(itertools.product(*map(range, steps)), operands):
        wanted = tuple(ceil_div(n - at, step) for n, at, step in zip(size, place, steps))
        need(not t.rank or t.shape == (*first.shape[:2], *wanted), f"{t} must have maps of {wanted}")
    return TensorType(first.dtype, (*first.shape[:2], *size), common_layout(given))


def _infer_turned_filters(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    w, groups, taps = operands[0], attrs["groups"], attrs["taps"]
    need(w.rank == len(taps) + 2, f"taps {taps} must have an entry for each spatial dimension of {w}")
    need(isinstance(w.shape[0], int) and w.shape[0] % groups == 0, f"weight {w} does not divide into {groups} groups")
    for size, (first, step, count) in zip(w.shape[2:], taps):
        ends = (first, first + step * (count - 1))
        need(count > 0 and all(isinstance(size, int) and 0 <= tap < size for tap in ends), f"taps {taps} lie outside of {w}")
    return TensorType(w.dtype, (w.shape[1] * groups, w.shape[0] // groups, *(count for _, _, count in taps)))


def _infer_channel_select(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_some(operands)
    _need_alike(operands, 1)
    channels: DimLike = 0
    for t in operands:
        channels = channels + t.shape[1]
    need(isinstance(channels, int), f"the number of channels must be fixed, got {dim_text(channels)}")
    index = attrs["index"]
    need(all(0 <= i < channels for i in index), f"an index is outside of the {channels} channels")
    x = operands[0]
    return TensorType(x.dtype, (x.shape[0], len(index), *x.shape[2:]), common_layout(operands))


def need_places(attrs: Attrs, index: np.ndarray) -> None:
    """Raises IndexError for a negative index where none is allowed."""
    if not attrs["signed"] and index.size and index.min() < 0:
        raise IndexError(f"index {index.min()} of {attrs['checked'] or 'a take'} is negative")


@op("concat", "move", _infer_concat, dim=REQUIRED)
def concat(attrs: Attrs, *xs: np.ndarray) -> np.ndarray:
    """Operands one after another along ``dim``."""
    return np.concatenate(xs, axis=attrs["dim"])


@op("pad", "move", _infer_pad, pads=REQUIRED, value=0)
def pad(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """``(before, after)`` elements of ``value`` around each dimension; a negative count crops."""
    pads = attrs["pads"]
    x = x[tuple(slice(max(-lo, 0), size - max(-hi, 0)) for size, (lo, hi) in zip(x.shape, pads))]
    out = np.full(tuple(n + max(lo, 0) + max(hi, 0) for n, (lo, hi) in zip(x.shape, pads)), attrs["value"], x.dtype)
    out[tuple(slice(max(lo, 0), max(lo, 0) + n) for n, (lo, _) in zip(x.shape, pads))] = x
    return out


@op("flip", "move", _infer_flip, dims=REQUIRED)
def flip(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """The order of elements reversed along ``dims``."""
    return np.flip(x, attrs["dims"])


@op("take", "move", _infer_take, dim=REQUIRED, checked="", signed=True)
def take(attrs: Attrs, x: np.ndarray, index: np.ndarray) -> np.ndarray:
    """``x[:, ..., index, ...]`` along ``dim``; the result has ``x.shape[:dim] + index.shape + x.shape[dim+1:]``.

    checked: the user's operation, of which an index out of range is an error of the call; "" where it gives NaN or 0.
    signed: a negative index counts from the end, else it is out of range.
    """
    need_places(attrs, index)
    return np.take(x, index, axis=attrs["dim"])


@op("gather", "move", _infer_gather, dim=REQUIRED, checked="", signed=True)
def gather(attrs: Attrs, x: np.ndarray, index: np.ndarray) -> np.ndarray:
    """``out[i][j][k] = x[i][index[i][j][k]][k]`` for dim 1; the result has the index's shape. checked, signed: as for ``take``."""
    dim = attrs["dim"]
    need_places(attrs, index)
    if x.ndim == 0:
        return x[()] if index.ndim == 0 else x
    window = x[tuple(slice(None) if i == dim else slice(n) for i, n in enumerate(index.shape))]
    return np.take_along_axis(window, index.astype(np.int64), axis=dim)


@op("cumsum", "move", _infer_cumulative, dim=REQUIRED)
def cumsum(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Running sum along ``dim``."""
    return x if x.ndim == 0 else np.cumsum(x, axis=attrs["dim"], dtype=x.dtype)


@op("cumprod", "move", _infer_cumulative, dim=REQUIRED)
def cumprod(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Running product along ``dim``."""
    return x if x.ndim == 0 else np.cumprod(x, axis=attrs["dim"], dtype=x.dtype)


@op("logcumsumexp", "move", _infer_cumulative_of_floats, dim=REQUIRED)
def logcumsumexp(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """``log(e^x0 + … + e^xi)`` along ``dim``, without overflow."""
    return x if x.ndim == 0 else np.logaddexp.accumulate(x, axis=attrs["dim"], dtype=x.dtype)


@op("iota", "move", _infer_iota, size=REQUIRED, start=0, step=1, dtype=DType.I64)
def iota(attrs: Attrs) -> np.ndarray:
    """``start, start + step, ...``: a vector of ``size`` elements."""
    return (attrs["start"] + attrs["step"] * np.arange(attrs["size"])).astype(attrs["dtype"].numpy)


@op("copy", "move", _infer_copy)
def copy(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """The same value in memory of its own, contiguous."""
    return np.array(x, order="C")


@op("transfer", "move", _infer_copy, space=HOST)
def transfer(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """The same value in another memory space, contiguous."""
    return np.array(x, order="C")


@op("reorder", "move", _infer_reorder, layout=REQUIRED)
def reorder(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """The same logical value in another layout."""
    return x


@op("space_to_depth", "move", _infer_space_to_depth, layout=PLAIN)
def space_to_depth(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Pixels of each 2 x 2 square as channels, ordered (channel, row, column), in ``layout``; zeros beyond an odd size."""
    x = np.pad(x, ((0, 0), (0, 0), (0, x.shape[2] % 2), (0, x.shape[3] % 2)))
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 3, 5, 2, 4).reshape(n, 4 * c, h // 2, w // 2)


@op("stack_slices", "move", _infer_stack_slices, depth=REQUIRED, size=REQUIRED, taps=REQUIRED, stride=1, dilation=1, start=0, clamped=False)
def stack_slices(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Slices [N depth, C, H, W] of volumes as what a filter reads along their depth: [N size, taps C, H, W].

    Tap t of result z is slice ``z * stride + t * dilation + start`` of its volume; beyond its ends zeros, or its last slice (clamped).
    """
    depth, size, taps = attrs["depth"], attrs["size"], attrs["taps"]
    volumes = x.reshape(-1, depth, *x.shape[1:])
    at = np.arange(size)[:, None] * attrs["stride"] + np.arange(taps) * attrs["dilation"] + attrs["start"]
    out = volumes[:, np.clip(at, 0, depth - 1)]
    if not attrs["clamped"]:
        out[:, (at < 0) | (at >= depth)] = 0
    return out.reshape(-1, taps * x.shape[1], *x.shape[2:])


@op("interleave", "move", _infer_interleave, steps=REQUIRED, size=REQUIRED)
def interleave(attrs: Attrs, *xs: np.ndarray) -> np.ndarray:
    """One map of ``size`` whose pixels at the same place modulo ``steps`` are those of one operand; operands are row-major by place.

    An operand that is a scalar fills all pixels of its place.
    """
    steps, first = attrs["steps"], next(x for x in xs if x.ndim)
    out = np.empty((*first.shape[:2], *attrs["size"]), first.dtype)
    for place, x in zip(itertools.product(*map(range, steps)), xs):
        there: tuple[Any, ...] = (..., *(slice(at, None, step) for at, step in zip(place, steps)))
        out[there] = x
    return out


@op("turned_filters", "move", _infer_turned_filters, groups=1, taps=REQUIRED)
def turned_filters(attrs: Attrs, w: np.ndarray) -> np.ndarray:
    """w[C,K/groups,*kernel] of a transposed convolution as the filters [K,C/groups,*taps] of a convolution.

    taps: for every spatial dimension (first, step, count); tap t of the result is tap ``first + t * step``.
    """
    groups, stop = attrs["groups"], [first + step * count for first, step, count in attrs["taps"]]
    kept: tuple[Any, ...] = (..., *(slice(f, s if s >= 0 else None, step) for (f, step, _), s in zip(attrs["taps"], stop)))
    grouped = w.reshape(groups, -1, *w.shape[1:]).swapaxes(1, 2)[kept]
    return grouped.reshape(-1, *grouped.shape[2:])


@op("channel_select", "move", _infer_channel_select, index=REQUIRED)
def channel_select(attrs: Attrs, *xs: np.ndarray) -> np.ndarray:
    """Channels (dimension 1) of the concatenated operands, taken by ``index``."""
    return np.take(np.concatenate(xs, axis=1), np.asarray(attrs["index"], np.int64), axis=1)
