"""Matrix products."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.dim import dim_text
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import broadcast, need, need_float, need_int, need_operands, need_shape, same_dtype
from sol.ir.types import TensorType


def _infer_linear(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2, 3)
    x, w = operands[:2]
    same_dtype(operands)
    need(x.rank >= 1 and w.rank == 2, f"takes x[..., in] and w[out, in], got {x} and {w}")
    need(x.shape[-1] == w.shape[1], f"x has {dim_text(x.shape[-1])} features, the weight takes {dim_text(w.shape[1])}")
    if len(operands) == 3:
        need_shape(operands[2], (w.shape[0],), "the bias")
    return TensorType(x.dtype, (*x.shape[:-1], w.shape[0]))


def _infer_matmul(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    a, b = operands
    need(a.rank >= 2 and b.rank >= 2, f"takes two matrices, got {a} and {b}")
    need(a.shape[-1] == b.shape[-2], f"{a} has {dim_text(a.shape[-1])} columns, {b} has {dim_text(b.shape[-2])} rows")
    batch = broadcast([a.shape[:-2], b.shape[:-2]])
    return TensorType(same_dtype(operands), (*batch, a.shape[-2], b.shape[-1]))


@op("linear", "dnn", _infer_linear)
def linear(attrs: Attrs, x: np.ndarray, w: np.ndarray, *bias: np.ndarray) -> np.ndarray:
    """``x[..., in] @ w[out, in]^T + bias[out]``."""
    rows = x.reshape(-1, x.shape[-1]) if x.shape[-1] else np.zeros((int(np.prod(x.shape[:-1])), 0), x.dtype)
    y = np.matmul(rows, w.T).reshape(*x.shape[:-1], w.shape[0])
    return y + bias[0] if bias else y


@op("matmul", "dnn", _infer_matmul)
def matmul(attrs: Attrs, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a[..., M, K] @ b[..., K, N]`` with broadcast batch dimensions."""
    return np.matmul(a, b)


def _infer_grouped(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 3)
    x, w, ends = operands
    same_dtype((x, w))
    need_float(x)
    need(x.rank == 2 and w.rank == 3, f"takes x[rows, in] and w[groups, in, out], got {x} and {w}")
    need_int(ends)
    need_shape(ends, (w.shape[0],), "the ends of groups")
    depth, columns = w.shape[:0:-1] if attrs["transposed"] else w.shape[1:]
    need(x.shape[1] == depth, f"x has {dim_text(x.shape[1])} features, the weights take {dim_text(depth)}")
    return TensorType(x.dtype, (x.shape[0], columns))


@op("grouped_matmul", "dnn", _infer_grouped, transposed=False)
def grouped_matmul(attrs: Attrs, x: np.ndarray, w: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """``x[rows, in]`` in groups of rows, each times its own matrix of ``w[groups, in, out]`` (transposed: ``w[groups, out, in]``).

    Rows of group e are those from ``ends[e - 1]`` (0 for the first) up to ``ends[e]``; rows beyond the last group give zeros.
    """
    matrices = w.swapaxes(1, 2) if attrs["transposed"] else w
    y = np.zeros((x.shape[0], matrices.shape[2]), x.dtype)
    start = 0
    for matrix, end in zip(matrices, ends):
        y[start:end] = x[start:end] @ matrix
        start = max(start, int(end))
    return y


def _infer_grouped_grad(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 3)
    x, grad, ends = operands
    same_dtype((x, grad))
    need_float(x)
    need(x.rank == 2 and grad.rank == 2 and x.shape[0] == grad.shape[0], f"takes x[rows, in] and grad[rows, out], got {x} and {grad}")
    need_int(ends)
    need(ends.rank == 1, f"the ends of groups have one dimension, got {ends}")
    return TensorType(x.dtype, (ends.shape[0], x.shape[1], grad.shape[1]))


@op("grouped_matmul_grad", "dnn", _infer_grouped_grad)
def grouped_matmul_grad(attrs: Attrs, x: np.ndarray, grad: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The gradient of `grouped_matmul` for its matrices: ``x[rows of group e, in]^T @ grad[rows of group e, out]`` for each group e."""
    y = np.zeros((len(ends), x.shape[1], grad.shape[1]), x.dtype)
    start = 0
    for matrix, end in zip(y, ends):
        matrix[:] = x[start:end].T @ grad[start:end]
        start = max(start, int(end))
    return y


def _infer_det(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    a = operands[0]
    need_float(a)
    need(a.rank >= 2 and a.shape[-1] == a.shape[-2], f"takes square matrices, got {a}")
    return TensorType(a.dtype, a.shape[:-2])


@op("det", "dnn", _infer_det)
def det(attrs: Attrs, a: np.ndarray) -> np.ndarray:
    """Determinants of a[..., N, N]."""
    return np.linalg.det(a)


def _infer_solve_triangular(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    a, b = operands
    need_float(a, b)
    dtype = same_dtype(operands)
    need(min(a.rank, b.rank) >= 2 and a.shape[-1] == a.shape[-2], f"takes square matrices and right sides, got {a} and {b}")
    need(a.shape[:-1] == b.shape[:-1], f"takes right sides of as many rows for each matrix, got {a} and {b}")
    return TensorType(dtype, b.shape)


@op("solve_triangular", "dnn", _infer_solve_triangular, upper=REQUIRED, unit=False)
def solve_triangular(attrs: Attrs, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x[..., N, M] with ``a x = b``, of a[..., N, N] that is taken as triangular: what lies on the other side is not read.

    upper: whether a[i, j] counts where j >= i, not where j <= i. unit: whether ones are on the diagonal, which is not read then.
    """
    count = a.shape[-1]
    x = np.array(b, copy=True)
    with np.errstate(all="ignore"):
        for i in range(count - 1, -1, -1) if attrs["upper"] else range(count):
            known = slice(i + 1, count) if attrs["upper"] else slice(0, i)
            row = b[..., i, :] - (a[..., i, known, None] * x[..., known, :]).sum(-2)
            x[..., i, :] = row if attrs["unit"] else row / a[..., i, i, None]
    return x
