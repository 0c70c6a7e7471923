"""Exact products and convolutions of bytes: unsigned ones with signed ones, summed in 32 bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.conv import check_conv, conv_sizes, convolved
from sol.ir.ops.infer import blocked_layout, broadcast, need, need_operands
from sol.ir.types import DType, TensorType


def _need_bytes(a: TensorType, b: TensorType) -> None:
    need(a.dtype is DType.U8 and b.dtype is DType.I8, f"takes u8 and i8, got {a} and {b}")


def _infer_int_matmul(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    a, b = operands
    _need_bytes(a, b)
    need(a.rank >= 2 and b.rank >= 2, f"takes two matrices, got {a} and {b}")
    need(a.shape[-1] == b.shape[-2], f"{a} has columns, {b} has rows of another number")
    return TensorType(DType.I32, (*broadcast([a.shape[:-2], b.shape[:-2]]), a.shape[-2], b.shape[-1]))


def _infer_int_linear(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    x, w = operands
    _need_bytes(x, w)
    need(x.rank >= 1 and w.rank == 2 and x.shape[-1] == w.shape[1], f"takes x[..., in] and w[out, in], got {x} and {w}")
    return TensorType(DType.I32, (*x.shape[:-1], w.shape[0]))


def _infer_int_conv(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 3)
    x, w, fill = operands
    _need_bytes(x, w)
    need(fill.dtype is DType.U8 and fill.rank == 0, f"the padding must be one u8, got {fill}")
    check_conv(operands[:2], attrs)
    return TensorType(DType.I32, (x.shape[0], w.shape[0], *conv_sizes(x, w, attrs)), blocked_layout(operands))


@op("int_matmul", "dnn", _infer_int_matmul)
def int_matmul(attrs: Attrs, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a[..., M, K] @ b[..., K, N]`` with broadcast batch dimensions."""
    return _product(a, b)


@op("int_linear", "dnn", _infer_int_linear)
def int_linear(attrs: Attrs, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """``x[..., in] @ w[out, in]^T``."""
    return _product(x, w.T)


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """In float64, which is exact up to 2^37 terms and much faster than numpy's integers; sums wrap around in 32 bits."""
    return _wrapped(np.matmul(a.astype(np.float64), b.astype(np.float64)))


def _wrapped(total: np.ndarray) -> np.ndarray:
    return total.astype(np.int64).astype(np.int32)


@op("int_conv", "dnn", _infer_int_conv, stride=REQUIRED, padding=REQUIRED, dilation=REQUIRED, groups=1)
def int_conv(attrs: Attrs, x: np.ndarray, w: np.ndarray, fill: np.ndarray) -> np.ndarray:
    """Cross-correlation of x[N,C,*spatial], padded with ``fill``, with w[K,C/groups,*kernel]."""
    lows = [(max(lo, 0), max(hi, 0)) for lo, hi in attrs["padding"]]
    kept = [slice(max(-lo, 0), n - max(-hi, 0)) for n, (lo, hi) in zip(x.shape[2:], attrs["padding"])]
    padded = np.pad(x[tuple([slice(None), slice(None), *kept])], ((0, 0), (0, 0), *lows), constant_values=fill.astype(x.dtype)[()])
    plain = attrs.having(padding=((0, 0),) * len(lows))
    return _wrapped(convolved(plain, padded.astype(np.float64), w.astype(np.float64)))
