"""Gradients of two-dimensional pooling: each window hands its gradient back to the elements that made its result."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from sol.ir.dim import evaluate
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import common_layout, need, need_float, need_operands, same_dtype
from sol.ir.ops.pool import pool_size
from sol.ir.types import DType, TensorType

MOST_TAPS = 256
"""Elements of a window whose numbers a byte holds."""


def _need_windows(x: TensorType, grad: TensorType, attrs: Attrs) -> None:
    """The gradient has an element for each window of the input."""
    need(x.rank == grad.rank > 2 and x.shape[:-2] == grad.shape[:-2], f"{grad} is no gradient of windows over {x}")
    dilation = attrs.get("dilation", (1, 1))
    options = zip(x.shape[-2:], attrs["kernel"], attrs["stride"], attrs["padding"], dilation)
    sizes = tuple(pool_size(*o, attrs["ceil_mode"]) for o in options)
    need(grad.shape[-2:] == sizes, f"{grad} is no gradient of windows over {x}")


def _infer_max(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    same_dtype(operands)
    need_float(operands[0])
    _need_windows(operands[0], operands[1], attrs)
    return TensorType(operands[0].dtype, operands[0].shape, common_layout(operands))


def _infer_taps(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    x, sides = operands[0], len(attrs["kernel"])
    need_float(x)
    need(sides == 2 and x.rank > 2, f"{x} has no windows over two dimensions")
    taps = attrs["kernel"][0] * attrs["kernel"][1]
    need(taps <= MOST_TAPS, f"windows of {taps} taps: a byte counts {MOST_TAPS}")
    options = zip(x.shape[-2:], attrs["kernel"], attrs["stride"], attrs["padding"], attrs["dilation"])
    sizes = tuple(pool_size(*o, attrs["ceil_mode"]) for o in options)
    return TensorType(DType.U8, (*x.shape[:-2], *sizes), x.layout)


def _infer_of_taps(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    taps, grad = operands
    need_float(grad)
    need(taps.dtype is DType.U8 and taps.shape == grad.shape, f"{taps} are no taps of {grad}")
    result = TensorType(grad.dtype, (*grad.shape[:-2], *attrs["size"]), common_layout(operands))
    _need_windows(result, grad, attrs)
    return result


def _infer_average(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    result = _infer_adaptive(operands, attrs)
    _need_windows(result, operands[0], attrs)
    return result


def _infer_adaptive(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    grad, size = operands[0], tuple(attrs["size"])
    need_float(grad)
    need(grad.rank > 2 and len(size) == 2, f"{grad} is no gradient of a pooling over two dimensions")
    return TensorType(grad.dtype, (*grad.shape[:-2], *size), grad.layout)


_SIDES = ("stride", "padding", "dilation")


def _windows(size: Sequence[int], out: Sequence[int], attrs: Attrs) -> Iterator[tuple[tuple[int, int], tuple[range, range], int]]:
    """For each window its number along both dimensions, the rows and columns that it sees, and what its mean divides by."""
    dilation = attrs.get("dilation", (1, 1))
    for place in itertools.product(*map(range, out)):
        seen, count = [], 1
        for i, n, k, s, (lo, hi), d in zip(place, size, attrs["kernel"], attrs["stride"], attrs["padding"], dilation):
            start = i * s - lo
            seen.append([p for p in range(start, start + k * d, d) if 0 <= p < n])
            count *= min(start + k, n + hi) - start if attrs.get("count_include_pad") else len(seen[-1])
        yield place, tuple(seen), attrs.get("divisor") or count  # type: ignore[misc]


@op("max_pool_taps", "dnn", _infer_taps, kernel=REQUIRED, stride=REQUIRED, padding=REQUIRED, dilation=REQUIRED, ceil_mode=False)
def max_pool_taps(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Which element of each window is the largest, counted row by row over the kernel: the first of equal ones, or the last NaN.

    A gradient needs no more of a pooling's input than this byte.
    """
    options = zip(x.shape[-2:], attrs["kernel"], attrs["stride"], attrs["padding"], attrs["dilation"])
    out = tuple(evaluate(pool_size(*o, attrs["ceil_mode"]), {}) for o in options)
    result = np.zeros((*x.shape[:-2], *out), np.uint8)
    for (i, j), (rows, columns), _ in _windows(x.shape[-2:], out, attrs):
        taps = x[..., rows, :][..., columns].reshape(*x.shape[:-2], -1)
        missing = np.isnan(taps)
        last = taps.shape[-1] - 1 - np.argmax(missing[..., ::-1], axis=-1)
        at = np.where(missing.any(axis=-1), last, np.argmax(np.where(missing, -np.inf, taps), axis=-1))
        r, s = (
            (np.array(seen) - place * stride + low) // dilation
            for seen, place, stride, (low, _), dilation in zip((rows, columns), (i, j), *(attrs[k] for k in _SIDES))
        )
        result[..., i, j] = r[at // len(columns)] * attrs["kernel"][1] + s[at % len(columns)]
    return result


@op("max_pool_taps_grad", "dnn", _infer_of_taps, size=REQUIRED, kernel=REQUIRED, stride=REQUIRED, padding=REQUIRED, dilation=REQUIRED,
    ceil_mode=False)  # fmt: skip
def max_pool_taps_grad(attrs: Attrs, taps: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """Gradients of windows over a map of ``size``, added up where the taps (``max_pool_taps``) say that the largest elements lie."""
    return _added(attrs, taps, grad)


def _added(attrs: Attrs, taps: np.ndarray, grad: np.ndarray) -> np.ndarray:
    result = np.zeros((*grad.shape[:-2], *attrs["size"]), grad.dtype)
    flat, lead = result.reshape(-1, *attrs["size"]), np.arange(int(np.prod(grad.shape[:-2])))
    for i, j in itertools.product(*map(range, grad.shape[-2:])):
        at = taps[..., i, j].reshape(-1).astype(np.int64)
        y, x = (
            place * stride - low + tap * dilation
            for place, tap, stride, (low, _), dilation in zip((i, j), divmod(at, attrs["kernel"][1]), *(attrs[k] for k in _SIDES))
        )
        flat[lead, y, x] += grad[..., i, j].reshape(-1)
    return result


@op("max_pool_grad", "dnn", _infer_max, kernel=REQUIRED, stride=REQUIRED, padding=REQUIRED, dilation=REQUIRED, ceil_mode=False)
def max_pool_grad(attrs: Attrs, x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """Gradients of windows, added up where the largest element of each lies: the first of equal ones, or the last NaN."""
    return _added(attrs.having(size=x.shape[-2:]), np.asarray(max_pool_taps(attrs, x)), grad)


def _spread(grad: np.ndarray, size: Sequence[int], windows: Iterator[tuple[tuple[int, int], tuple[range, range], int]]) -> np.ndarray:
    result = np.zeros((*grad.shape[:-2], *size), grad.dtype)
    for (i, j), (rows, columns), count in windows:
        for y, x in itertools.product(rows, columns):
            result[..., y, x] += grad[..., i, j] / count
    return result


@op("avg_pool_grad", "dnn", _infer_average, size=REQUIRED, kernel=REQUIRED, stride=REQUIRED, padding=REQUIRED, ceil_mode=False,
    count_include_pad=True, divisor=None)  # fmt: skip
def avg_pool_grad(attrs: Attrs, grad: np.ndarray) -> np.ndarray:
    """Gradients of windows, each spread evenly over the elements of its window in a map of ``size``."""
    return _spread(grad, attrs["size"], _windows(attrs["size"], grad.shape[-2:], attrs))


@op("adaptive_avg_pool_grad", "dnn", _infer_adaptive, size=REQUIRED)
def adaptive_avg_pool_grad(attrs: Attrs, grad: np.ndarray) -> np.ndarray:
    """Gradients of windows that split a map of ``size``, each spread evenly over its window."""
    size, out = attrs["size"], grad.shape[-2:]

    def windows() -> Iterator[tuple[tuple[int, int], tuple[range, range], int]]:
        for place in itertools.product(*map(range, out)):
            rows, columns = (range(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(place, size, out))
            yield (place[0], place[1]), (rows, columns), len(rows) * len(columns)

    return _spread(grad, size, windows())
