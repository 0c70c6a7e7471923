"""Scaled dot-product attention (Vaswani et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.dim import dim_text
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import broadcast, need, need_float, need_operands, same_dtype, shape_text
from sol.ir.types import DType, TensorType


def _infer_sdpa(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 3, 4)
    q, k, v = operands[:3]
    need_float(q, k, v)
    dtype = same_dtype(operands[:3])
    need(min(q.rank, k.rank, v.rank) >= 2, f"takes q[..., L, E], k[..., S, E], v[..., S, Ev], got {q}, {k}, {v}")
    need(q.shape[-1] == k.shape[-1], f"q has {dim_text(q.shape[-1])} features, k has {dim_text(k.shape[-1])}")
    need(k.shape[-2] == v.shape[-2], f"k has {dim_text(k.shape[-2])} positions, v has {dim_text(v.shape[-2])}")
    batch = broadcast([q.shape[:-2], k.shape[:-2], v.shape[:-2]])
    if len(operands) == 4:
        mask, scores = operands[3], (*batch, q.shape[-2], k.shape[-2])
        kinds = (DType.BOOL, dtype, *((DType.F32,) if dtype.bits == 16 else ()))
        need(mask.dtype in kinds, f"the mask must be {' or '.join(map(str, kinds))}, got {mask}")
        fits = broadcast([mask.shape, scores]) == scores
        need(fits, f"mask {mask} does not broadcast to {shape_text(scores)}")
    return TensorType(dtype, (*batch, q.shape[-2], v.shape[-1]))


@op("sdpa", "dnn", _infer_sdpa, causal=False, scale=REQUIRED)
def sdpa(attrs: Attrs, q: np.ndarray, k: np.ndarray, v: np.ndarray, *mask: np.ndarray) -> np.ndarray:
    """``softmax(q k^T * scale + mask) v``.

    A False in a bool mask, and with ``causal`` every key position after the query's, is not attended.
    A row that attends to nothing gives zeros, as torch does.
    """
    return np.matmul(_weights(attrs, q, k, *mask), v)


def _weights(attrs: Attrs, q: np.ndarray, k: np.ndarray, *mask: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        scores = np.matmul(q, k.swapaxes(-1, -2)) * attrs["scale"]
        scores = scores.astype(q.dtype)
        if attrs["causal"]:
            scores = np.where(np.tri(*scores.shape[-2:], dtype=np.bool_), scores, -np.inf)
        for m in mask:
            scores = scores + (np.where(m, 0.0, -np.inf).astype(q.dtype) if m.dtype == np.bool_ else m)
        top = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
        e = np.exp(scores - np.where(np.isneginf(top), 0, top))
        total = np.sum(e, axis=-1, keepdims=True)
        weights = np.divide(e, total, out=np.zeros_like(e), where=total != 0)
    return weights.astype(q.dtype)


def _infer_sdpa_dropped(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 4, 5)
    q, k, v, kept, *mask = operands
    result = _infer_sdpa([q, k, v, *mask], attrs)
    scores = TensorType(DType.BOOL, (*result.shape[:-1], k.shape[-2]))
    need(kept == scores, f"what is kept must be {scores}, got {kept}")
    need(0 <= attrs["share"] < 1, f"the share that is dropped must be at least 0 and below 1, got {attrs['share']}")
    return result


@op("sdpa_dropped", "dnn", _infer_sdpa_dropped, causal=False, scale=REQUIRED, share=REQUIRED)
def sdpa_dropped(attrs: Attrs, q: np.ndarray, k: np.ndarray, v: np.ndarray, kept: np.ndarray, *mask: np.ndarray) -> np.ndarray:
    """``sdpa`` with dropout of a share of the weights: those that are kept (bool[..., L, S]) weigh ``1 / (1 - share)`` times as much."""
    return np.matmul(_dropped(attrs, _weights(attrs, q, k, *mask), kept), v)


def _dropped(attrs: Attrs, values: np.ndarray, kept: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return values * (kept / (1 - attrs["share"])).astype(values.dtype)


def _infer_sdpa_grad(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need_operands(operands, 4, 5)
    grad, q, k, v = operands[:4]
    dtype = same_dtype(operands[:4])
    result = _infer_sdpa(operands[1:], attrs)
    need(q.shape[:-2] == k.shape[:-2] == v.shape[:-2], f"takes as many heads of q, k and v, got {q}, {k}, {v}")
    need(grad.shape == result.shape, f"{grad} is no gradient of {result}")
    return TensorType(dtype, q.shape), TensorType(dtype, k.shape), TensorType(dtype, v.shape)


@op("sdpa_grad", "dnn", _infer_sdpa_grad, causal=False, scale=REQUIRED)
def sdpa_grad(attrs: Attrs, grad: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, *mask: np.ndarray) -> tuple[np.ndarray, ...]:
    """Gradients of q[..., L, E], k[..., S, E] and v[..., S, V] of ``sdpa``, whose weights are computed again.

    grad[..., L, V]: that of its result.
    """
    weights = _weights(attrs, q, k, *mask)
    return _gradients(attrs, grad, q, k, weights, weights, np.matmul(grad, v.swapaxes(-1, -2)))


def _infer_sdpa_dropped_grad(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need_operands(operands, 5, 6)
    grad, q, k, v, kept, *mask = operands
    _infer_sdpa_dropped([q, k, v, kept, *mask], attrs)
    return _infer_sdpa_grad([grad, q, k, v, *mask], attrs)


@op("sdpa_dropped_grad", "dnn", _infer_sdpa_dropped_grad, causal=False, scale=REQUIRED, share=REQUIRED)
def sdpa_dropped_grad(
    attrs: Attrs, grad: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray, kept: np.ndarray, *mask: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Those of ``sdpa_grad`` for ``sdpa_dropped``."""
    weights = _weights(attrs, q, k, *mask)
    given = _dropped(attrs, np.matmul(grad, v.swapaxes(-1, -2)), kept)
    return _gradients(attrs, grad, q, k, weights, _dropped(attrs, weights, kept), given)


def _gradients(
    attrs: Attrs, grad: np.ndarray, q: np.ndarray, k: np.ndarray, weights: np.ndarray, used: np.ndarray, given: np.ndarray
) -> tuple[np.ndarray, ...]:
    """used: weights that the values were multiplied by. given: gradients of the weights."""
    with np.errstate(all="ignore"):
        scores = weights * (given - np.sum(weights * given, axis=-1, keepdims=True)) * attrs["scale"]
    turned = scores.swapaxes(-1, -2)
    return np.matmul(scores, k).astype(q.dtype), np.matmul(turned, q).astype(q.dtype), np.matmul(used.swapaxes(-1, -2), grad)
