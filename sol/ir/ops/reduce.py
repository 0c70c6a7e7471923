"""Reductions over dimensions, and softmax, which reduces and then divides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, Infer, op
from sol.ir.ops.infer import need, need_axes, need_axis, need_float, need_operands, reduced_shape
from sol.ir.types import PLAIN, DType, TensorType


def _infer_reduction(result: DType | None = None, operands_are: str = "any") -> Infer:
    def infer(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
        need_operands(operands, 1)
        (x,), dims = operands, tuple(attrs["dims"])
        if x.rank or dims:
            need_axes(x, dims)
        if operands_are == "float":
            need_float(x)
        elif operands_are == "number":
            need(x.dtype is not DType.BOOL, f"takes numbers, got {x}")
        layout = x.layout if attrs["keepdims"] and 1 not in dims else PLAIN  # blocked channels stay blocked
        return TensorType(result or x.dtype, reduced_shape(x.shape, dims, attrs["keepdims"]), layout)

    return infer


def _infer_arg(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    need_axis(operands[0], attrs["dim"])
    result = TensorType(DType.I64, reduced_shape(operands[0].shape, (attrs["dim"],), attrs["keepdims"]))
    some = not operands[0].rank or operands[0].shape[attrs["dim"]] != 0 or 0 in result.shape
    need(some, f"dimension {attrs['dim']} has no elements to choose from")
    return result


def _infer_softmax(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    need_float(operands[0])
    need_axis(operands[0], attrs["dim"])
    return TensorType(operands[0].dtype, operands[0].shape)


def _axes(attrs: Attrs, x: np.ndarray) -> tuple[int, ...]:
    return tuple(attrs["dims"]) if x.ndim else ()


@op("sum", "reduce", _infer_reduction(operands_are="number"), dims=REQUIRED, keepdims=False)
def sum_(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Sum, in x's dtype."""
    return np.sum(x, axis=_axes(attrs, x), keepdims=attrs["keepdims"], dtype=x.dtype)


@op("mean", "reduce", _infer_reduction(operands_are="float"), dims=REQUIRED, keepdims=False)
def mean(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Arithmetic mean; NaN over nothing."""
    axes = _axes(attrs, x)
    count = np.asarray(np.prod([x.shape[i] for i in axes], dtype=np.int64)).astype(x.dtype)
    with np.errstate(all="ignore"):
        return np.asarray(np.sum(x, axis=axes, keepdims=attrs["keepdims"]) / count).astype(x.dtype)


@op("max", "reduce", _infer_reduction(), dims=REQUIRED, keepdims=False)
def max_(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Largest element; NaN if there is one."""
    return np.max(x, axis=_axes(attrs, x), keepdims=attrs["keepdims"])


@op("min", "reduce", _infer_reduction(), dims=REQUIRED, keepdims=False)
def min_(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Smallest element; NaN if there is one."""
    return np.min(x, axis=_axes(attrs, x), keepdims=attrs["keepdims"])


@op("prod", "reduce", _infer_reduction(operands_are="number"), dims=REQUIRED, keepdims=False)
def prod(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Product, in x's dtype."""
    return np.prod(x, axis=_axes(attrs, x), keepdims=attrs["keepdims"], dtype=x.dtype)


@op("any", "reduce", _infer_reduction(DType.BOOL), dims=REQUIRED, keepdims=False)
def any_(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """True if some element is not zero."""
    return np.any(x, axis=_axes(attrs, x), keepdims=attrs["keepdims"])


@op("all", "reduce", _infer_reduction(DType.BOOL), dims=REQUIRED, keepdims=False)
def all_(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """True if no element is zero."""
    return np.all(x, axis=_axes(attrs, x), keepdims=attrs["keepdims"])


def _arg(find: Callable[..., np.ndarray], attrs: Attrs, x: np.ndarray) -> np.ndarray:
    if x.ndim == 0:
        return np.zeros((), np.int64)
    if x.size == 0:
        return np.asarray(np.sum(x, axis=attrs["dim"], keepdims=attrs["keepdims"]), np.int64)
    return np.asarray(find(x, axis=attrs["dim"], keepdims=attrs["keepdims"]), np.int64)


@op("argmax", "reduce", _infer_arg, dim=REQUIRED, keepdims=False)
def argmax(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Index of the first largest element along ``dim``; of the first NaN if there is one."""
    return _arg(np.argmax, attrs, x)


@op("argmin", "reduce", _infer_arg, dim=REQUIRED, keepdims=False)
def argmin(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Index of the first smallest element along ``dim``; of the first NaN if there is one."""
    return _arg(np.argmin, attrs, x)


@op("var", "reduce", _infer_reduction(operands_are="float"), dims=REQUIRED, keepdims=False, correction=1)
def var(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Sum of squared distances from the mean over ``max(0, count - correction)``."""
    axes = _axes(attrs, x)
    count = float(np.prod([x.shape[i] for i in axes], dtype=np.int64))
    with np.errstate(all="ignore"):
        mean_ = np.asarray(np.sum(x, axis=axes, keepdims=True) / count).astype(x.dtype)
        squares = np.sum(np.square(x - mean_), axis=axes, keepdims=attrs["keepdims"])
        return np.asarray(np.divide(squares, max(0.0, count - attrs["correction"]))).astype(x.dtype)


@op("softmax", "reduce", _infer_softmax, dim=REQUIRED)
def softmax(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """``exp(x - max) / sum(exp(x - max))`` along ``dim``; NaN where all of x is -inf."""
    axis = attrs["dim"] if x.ndim else None
    with np.errstate(all="ignore"):
        e = np.exp(x - np.max(x, axis=axis, keepdims=True, initial=-np.inf))
        return e / np.sum(e, axis=axis, keepdims=True)


@op("log_softmax", "reduce", _infer_softmax, dim=REQUIRED)
def log_softmax(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """``x - max - log(sum(exp(x - max)))`` along ``dim``."""
    axis = attrs["dim"] if x.ndim else None
    with np.errstate(all="ignore"):
        shifted = x - np.max(x, axis=axis, keepdims=True, initial=-np.inf)
        return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
