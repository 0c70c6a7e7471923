"""Ops that order the elements of a line: sorting, what stands at a place of the order, the most frequent element, places in a sorted line.

NaN is the largest of all; both zeros are equal; of equal elements the first one comes first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.errors import SolError
from sol.ir.dim import dim_text
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_axis, need_operands, reduced_shape, same_dtype
from sol.ir.types import DType, TensorType

RANKS = ("kth", "median", "nanmedian")


def _infer_sort(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need_operands(operands, 1)
    (x,) = operands
    need_axis(x, attrs["dim"])
    need(x.rank > 0, "a scalar is no line")
    return TensorType(x.dtype, x.shape), TensorType(DType.I64, x.shape)


def _infer_topk(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need_operands(operands, 1)
    (x,), dim, k = operands, attrs["dim"], attrs["k"]
    need_axis(x, dim)
    need(x.rank > 0, "a scalar has nothing to sort")
    try:
        fits = 0 <= k <= x.shape[dim]
    except SolError:
        fits = True  # only run time can tell
    need(fits, f"k is {dim_text(k)}, but dimension {dim} of {x} is shorter")
    shape = (*x.shape[:dim], k, *x.shape[dim + 1 :])
    return TensorType(x.dtype, shape), TensorType(DType.I64, shape)


def _infer_chosen(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    _infer_sort(operands, attrs)
    shape = reduced_shape(operands[0].shape, (attrs["dim"],), False)
    need(operands[0].shape[attrs["dim"]] != 0, "there is nothing to choose from in a dimension of size 0")
    return TensorType(operands[0].dtype, shape), TensorType(DType.I64, shape)


def _infer_order_statistic(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    result = _infer_chosen(operands, attrs)
    size, k = operands[0].shape[attrs["dim"]], attrs["k"]
    need(attrs["rank"] in RANKS, f"rank {attrs['rank']!r} is none of {', '.join(RANKS)}")
    need(attrs["rank"] != "kth" or not isinstance(size, int) or 1 <= k <= size, f"k is {k}, but there are {size} elements")
    return result


def _infer_searchsorted(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    line, values = operands
    same_dtype(operands)
    need(line.rank > 0, "a scalar is no sorted line")
    need(line.rank == 1 or line.shape[:-1] == values.shape[:-1], f"{line} must be one line, or have one for every line of {values}")
    return TensorType(DType.I64, values.shape)


def _order(x: np.ndarray, dim: int, descending: bool) -> np.ndarray:
    """Places of a stable sort."""
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    return x.shape[dim] - 1 - np.flip(np.argsort(np.flip(x, dim), axis=dim, kind="stable"), dim)


@op("sort", "move", _infer_sort, dim=REQUIRED, descending=False)
def sort(attrs: Attrs, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(values, indices) of every line along ``dim`` in order; stable."""
    order = _order(x, attrs["dim"], attrs["descending"]).astype(np.int64)
    return np.take_along_axis(x, order, axis=attrs["dim"]), order


@op("topk", "move", _infer_topk, dim=REQUIRED, k=REQUIRED, largest=True, ties="first", ordered=True)
def topk(attrs: Attrs, x: np.ndarray) -> tuple[np.ndarray, ...]:
    """The k largest (smallest) elements along ``dim`` in order, and their indices. NaN is the largest of all.

    ties: of equal elements the "first" ones are taken, and come in that order; "open": any, in any order, where kernels choose as torch
    does. ordered: False leaves the order of all open.
    """
    dim = attrs["dim"]
    order = _order(x, dim, attrs["largest"])
    index = np.take(order, np.arange(attrs["k"]), axis=dim).astype(np.int64)
    return np.take_along_axis(x, index, axis=dim), index


@op("order_statistic", "move", _infer_order_statistic, dim=REQUIRED, rank=REQUIRED, k=1)
def order_statistic(attrs: Attrs, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(value, index) of what stands at one place of every line in order.

    rank: "kth": place ``k``, counted from 1; "median": the lower middle, or the first NaN if there is one; "nanmedian": the lower middle
    of what is not NaN.
    """
    dim, n = attrs["dim"], x.shape[attrs["dim"]]
    order = _order(x, dim, False)
    missing = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.shape, np.bool_)
    place = np.full(missing.any(dim, keepdims=True).shape, attrs["k"] - 1, np.int64)
    if attrs["rank"] == "median":
        place[:] = (n - 1) // 2
    elif attrs["rank"] == "nanmedian":
        place = np.maximum(n - missing.sum(dim, keepdims=True) - 1, 0) // 2
    index = np.take_along_axis(order, place, axis=dim)
    if attrs["rank"] == "median":
        index = np.where(missing.any(dim, keepdims=True), np.argmax(missing, axis=dim, keepdims=True), index)
    index = index.astype(np.int64)
    return np.take_along_axis(x, index, axis=dim).squeeze(dim), index.squeeze(dim)


@op("mode", "move", _infer_chosen, dim=REQUIRED)
def mode(attrs: Attrs, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(value, index) of the most frequent element of every line, the smallest of several; its last index. NaN equals nothing."""
    lines = np.moveaxis(x, attrs["dim"], -1)
    index = np.zeros(lines.shape[:-1], np.int64)
    for at in np.ndindex(index.shape):
        order = _order(lines[at], 0, False)
        line = lines[at][order]
        starts = np.flatnonzero(np.concatenate([[True], line[1:] != line[:-1]]))
        lengths = np.diff(np.append(starts, len(line)))
        best = int(np.argmax(lengths))
        index[at] = order[starts[best] + lengths[best] - 1]
    return np.take_along_axis(lines, index[..., None], axis=-1)[..., 0], index


@op("running_extremum", "move", _infer_sort, dim=REQUIRED, largest=True)
def running_extremum(attrs: Attrs, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(values, indices) of the largest (smallest) element of every line up to each place; of equal ones, and of NaNs, the last."""
    lines = np.moveaxis(x, attrs["dim"], -1)
    index = np.zeros(lines.shape, np.int64)
    best = np.zeros(lines.shape[:-1], np.int64)
    for i in range(lines.shape[-1]):
        new, old = lines[..., i], np.take_along_axis(lines, best[..., None], axis=-1)[..., 0]
        beats = (new != new) | ((new >= old) if attrs["largest"] else (new <= old))
        index[..., i] = best = np.where(beats, i, best)
    return np.moveaxis(np.take_along_axis(lines, index, axis=-1), -1, attrs["dim"]), np.moveaxis(index, -1, attrs["dim"])


@op("searchsorted", "move", _infer_searchsorted, right=False)
def searchsorted(attrs: Attrs, line: np.ndarray, values: np.ndarray) -> np.ndarray:
    """How many elements of the sorted line are less than each value (right: less or equal); all of them for NaN."""
    if line.ndim == 1:
        return _searched(line, values, attrs["right"])
    out = np.zeros(values.shape, np.int64)
    for at in np.ndindex(line.shape[:-1]):
        out[at] = _searched(line[at], values[at], attrs["right"])
    return out


def _searched(line: np.ndarray, values: np.ndarray, right: bool) -> np.ndarray:
    found = np.searchsorted(line, values, side="right" if right else "left").astype(np.int64)
    return np.where(values != values, len(line), found)
