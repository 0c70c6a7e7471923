"""Gradients of two-dimensional pooling: each window hands its gradient back to the elements that made its result."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import common_layout, need, need_float, need_operands, same_dtype
from sol.ir.ops.pool import pool_size
from sol.ir.types import TensorType


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


@op("max_pool_grad", "dnn", _infer_max, kernel=REQUIRED, stride=REQUIRED, padding=REQUIRED, dilation=REQUIRED, ceil_mode=False)
def max_pool_grad(attrs: Attrs, x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """Gradients of windows, added up where the largest element of each lies: the first of equal ones, or the last NaN."""
    result = np.zeros(x.shape, grad.dtype)
    flat, lead = result.reshape(-1, *x.shape[-2:]), np.arange(int(np.prod(x.shape[:-2])))
    for (i, j), (rows, columns), _ in _windows(x.shape[-2:], grad.shape[-2:], attrs):
        taps = x[..., rows, :][..., columns].reshape(len(lead), -1)
        missing = np.isnan(taps)
        last = taps.shape[1] - 1 - np.argmax(missing[:, ::-1], axis=1)
        at = np.where(missing.any(axis=1), last, np.argmax(np.where(missing, -np.inf, taps), axis=1))
        flat[lead, np.array(rows)[at // len(columns)], np.array(columns)[at % len(columns)]] += grad[..., i, j].reshape(-1)
    return result


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
