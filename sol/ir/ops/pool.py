"""Pooling over the trailing spatial dimensions of [*leading, *spatial]."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sol.ir.dim import DimLike, ceil_div, dim_min, evaluate
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import blocked_layout, need, need_at_least, need_float, need_operands
from sol.ir.types import DType, TensorType


def pool_size(
    size: DimLike, kernel: int, stride: int, padding: tuple[int, int], dilation: int, ceil_mode: bool
) -> DimLike:
    """Output size along one dimension. With ceil_mode every window still starts inside the input or left padding."""
    span = size + padding[0] + padding[1] - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return span // stride + 1
    windows, starts = ceil_div(span, stride) + 1, ceil_div(size + padding[0], stride)
    return dim_min(windows, starts)


def _infer_windows(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    x, kernel = operands[0], attrs["kernel"]
    spatial = len(kernel)
    need(x.rank > spatial > 0, f"{x} has no {spatial} spatial dimensions behind the channels")
    dilations = attrs.get("dilation", (1,) * spatial)
    for name, given in (("stride", attrs["stride"]), ("padding", attrs["padding"]), ("dilation", dilations)):
        need(len(given) == spatial, f"{name} {given} must have {spatial} entries")
    options = zip(x.shape[x.rank - spatial :], kernel, attrs["stride"], attrs["padding"], dilations)
    sizes = tuple(pool_size(*o, attrs["ceil_mode"]) for o in options)
    for s in sizes:
        need_at_least(s, 0, "an output size")
    return TensorType(x.dtype, (*x.shape[: x.rank - spatial], *sizes), blocked_layout(operands))


def _infer_average(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    result = _infer_windows(operands, attrs)
    need(result.dtype is not DType.BOOL, f"takes numbers, got {operands[0]}")
    return result


def _infer_adaptive(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    x, sizes = operands[0], tuple(attrs["output_size"])
    need(x.rank > len(sizes) > 0, f"{x} has no {len(sizes)} spatial dimensions behind the channels")
    return TensorType(x.dtype, (*x.shape[: x.rank - len(sizes)], *sizes), blocked_layout(operands))


def _infer_adaptive_average(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    result = _infer_adaptive(operands, attrs)
    need_float(result)
    return result


def _taps(x: np.ndarray, attrs: Attrs, fill: float) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """Output sizes and, for each position in the kernel, the input element that every window sees there."""
    kernel, stride = attrs["kernel"], attrs["stride"]
    spatial = len(kernel)
    dilation, lead = attrs.get("dilation", (1,) * spatial), x.ndim - spatial
    options = list(zip(x.shape[lead:], kernel, stride, attrs["padding"], dilation))
    sizes = tuple(evaluate(pool_size(*o, attrs["ceil_mode"]), {}) for o in options)
    pads = [(lo, max(hi, (o - 1) * s + d * (k - 1) + 1 - n - lo)) for o, (n, k, s, (lo, hi), d) in zip(sizes, options)]
    padded = np.pad(x, [(0, 0)] * lead + pads, constant_values=fill)
    views = []
    for tap in itertools.product(*(range(k) for k in kernel)):
        steps = (slice(t * d, t * d + (o - 1) * s + 1, s) for t, d, o, s in zip(tap, dilation, sizes, stride))
        place: tuple[Any, ...] = (..., *steps)
        views.append(padded[place])
    return sizes, views


def _window_counts(
    size: int, out: int, kernel: int, stride: int, padding: tuple[int, int], include: bool
) -> np.ndarray:
    """Elements each window counts along one dimension: with its padding, or only those of the input."""
    start = np.arange(out) * stride - padding[0]
    end = np.minimum(start + kernel, size + padding[1])
    return end - start if include else np.minimum(end, size) - np.maximum(start, 0)


@op("max_pool", "reduce", _infer_windows, kernel=REQUIRED, stride=REQUIRED, padding=REQUIRED, dilation=REQUIRED,
    ceil_mode=False)  # fmt: skip
def max_pool(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Largest element of each window; padding never wins; NaN if the window has one."""
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    _, views = _taps(x, attrs, lowest)
    out = views[0].copy()
    for view in views[1:]:
        np.maximum(out, view, out=out)
    return out


def _infer_argmax(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    return TensorType(DType.I64, _infer_windows(operands, attrs).shape)


@op("argmax_pool", "dnn", _infer_argmax, kernel=REQUIRED, stride=REQUIRED, padding=REQUIRED, dilation=REQUIRED, ceil_mode=False,
    column_major=False)  # fmt: skip
def argmax_pool(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Where in its map the largest element of each window lies, the first of equal ones, or the last NaN.

    Counted in row-major order of the map, or with the first spatial dimension running fastest (column_major).
    """
    sizes = x.shape[x.ndim - len(attrs["kernel"]) :]
    place = np.arange(np.prod(sizes)).reshape(sizes, order="F" if attrs["column_major"] else "C")
    windows = {k: attrs[k] for k in ("kernel", "stride", "padding", "dilation", "ceil_mode")}
    _, values = _taps(x, Attrs(windows), -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min)
    _, places = _taps(np.broadcast_to(place, x.shape), Attrs(windows), -1)
    best, where = values[0], places[0]
    for value, at in zip(values[1:], places[1:]):
        with np.errstate(all="ignore"):
            better = (at >= 0) & ((where < 0) | (value > best) | (value != value))
        best, where = np.where(better, value, best), np.where(better, at, where)
    return where


@op("avg_pool", "reduce", _infer_average, kernel=REQUIRED, stride=REQUIRED, padding=REQUIRED, ceil_mode=False,
    count_include_pad=True, divisor=None)  # fmt: skip
def avg_pool(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Sum of each window over ``divisor``, or over its number of elements (padding included or not); of integers towards zero."""
    sizes, views = _taps(x, attrs, 0)
    total = views[0].copy()
    for view in views[1:]:
        total += view
    if attrs["divisor"] is not None:
        return _divided(total, attrs["divisor"])
    counts = np.ones((1,) * len(sizes), np.int64)
    options = zip(x.shape[x.ndim - len(sizes) :], sizes, attrs["kernel"], attrs["stride"], attrs["padding"])
    for axis, option in enumerate(options):
        line = _window_counts(*option, attrs["count_include_pad"])
        counts = counts * line.reshape([-1 if i == axis else 1 for i in range(len(sizes))])
    return _divided(total, counts)


def _divided(total: np.ndarray, counts: np.ndarray | int) -> np.ndarray:
    with np.errstate(all="ignore"):
        if total.dtype.kind == "f":
            return (total / counts).astype(total.dtype)
        return (np.sign(total) * (np.abs(total) // counts)).astype(total.dtype)


def _adaptive(x: np.ndarray, output_size: tuple[int, ...], reduce: Callable[..., np.ndarray]) -> np.ndarray:
    """Windows ``floor(i n / m) .. ceil((i+1) n / m)``; mean and maximum are separable, so one dimension at a time."""
    for axis, out in enumerate(output_size, x.ndim - len(output_size)):
        size = x.shape[axis]
        edges = [(i * size // out, -((-(i + 1) * size) // out)) for i in range(out)]
        if not edges:
            x = x[(slice(None),) * axis + (slice(0),)]
            continue
        parts = [reduce(x[(slice(None),) * axis + (slice(lo, hi),)], axis=axis, keepdims=True) for lo, hi in edges]
        x = np.concatenate(parts, axis=axis)
    return x


@op("adaptive_avg_pool", "reduce", _infer_adaptive_average, output_size=REQUIRED)
def adaptive_avg_pool(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Mean over windows that split the input into ``output_size`` parts."""
    return _adaptive(x, attrs["output_size"], _mean)


def _mean(x: np.ndarray, axis: int, keepdims: bool) -> np.ndarray:
    """NaN over nothing, of which numpy would warn."""
    some = x if x.shape[axis] else np.full([1 if i == axis else n for i, n in enumerate(x.shape)], np.nan, x.dtype)
    return np.mean(some, axis=axis, keepdims=keepdims)


@op("adaptive_max_pool", "reduce", _infer_adaptive, output_size=REQUIRED)
def adaptive_max_pool(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Maximum over windows that split the input into ``output_size`` parts."""
    return _adaptive(x, attrs["output_size"], np.max)
