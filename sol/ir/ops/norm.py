"""Normalisations: subtract a mean, divide by a deviation, scale and shift."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, Infer, op
from sol.ir.ops.infer import blocked_layout, need, need_float, need_operands, need_shape, same_dtype
from sol.ir.types import TensorType


def _result(operands: Sequence[TensorType]) -> TensorType:
    same_dtype(operands)
    need_float(*operands)
    return TensorType(operands[0].dtype, operands[0].shape, blocked_layout(operands))


def _infer_batch_norm(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 5)
    x = operands[0]
    need(x.rank >= 2, f"{x} has no channels")
    for t, what in zip(operands[1:], ("weight", "bias", "mean", "variance")):
        need_shape(t, (x.shape[1],), f"the {what}")
    return _result(operands)


def _infer_trailing(most: int) -> Infer:
    """Normalisation over the last ``dims`` dimensions with up to ``most`` operands."""

    def infer(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
        need_operands(operands, 1, most)
        x, dims = operands[0], attrs["dims"]
        need(isinstance(dims, int) and 0 < dims <= x.rank, f"{x} does not have {dims} trailing dimensions")
        for t in operands[1:]:
            need_shape(t, x.shape[x.rank - dims :], "weight and bias")
        return _result(operands)

    return infer


def _infer_group_norm(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1, 3)
    x, groups = operands[0], attrs["groups"]
    need(x.rank >= 2, f"{x} has no channels")
    need(
        isinstance(x.shape[1], int) and x.shape[1] % groups == 0,
        f"the channels of {x} do not divide into {groups} groups",
    )
    for t in operands[1:]:
        need_shape(t, (x.shape[1],), "weight and bias")
    return _result(operands)


def _per_channel(v: np.ndarray, x: np.ndarray) -> np.ndarray:
    return v.reshape((1, -1) + (1,) * (x.ndim - 2))


def _standardise(x: np.ndarray, axes: tuple[int, ...], eps: float) -> np.ndarray:
    """``(x - mean) / sqrt(biased variance + eps)``."""
    with np.errstate(all="ignore"):
        centred = x - np.mean(x, axis=axes, keepdims=True)
        return centred / np.sqrt(np.mean(np.square(centred), axis=axes, keepdims=True) + eps)


@op("batch_norm", "reduce", _infer_batch_norm, eps=REQUIRED)
def batch_norm(
    attrs: Attrs, x: np.ndarray, weight: np.ndarray, bias: np.ndarray, mean: np.ndarray, var: np.ndarray
) -> np.ndarray:
    """``(x - mean) / sqrt(var + eps) * weight + bias`` per channel with given statistics (inference)."""
    with np.errstate(all="ignore"):
        scale = weight / np.sqrt(var + attrs["eps"])
        return (x - _per_channel(mean, x)) * _per_channel(scale, x) + _per_channel(bias, x)


@op("layer_norm", "reduce", _infer_trailing(3), dims=1, eps=REQUIRED)
def layer_norm(attrs: Attrs, x: np.ndarray, *affine: np.ndarray) -> np.ndarray:
    """Standardised over the last ``dims`` dimensions, then ``* weight + bias`` where given (Ba et al. 2016)."""
    y = _standardise(x, tuple(range(x.ndim - attrs["dims"], x.ndim)), attrs["eps"])
    if affine:
        y = y * affine[0]
    return y + affine[1] if len(affine) > 1 else y


@op("rms_norm", "reduce", _infer_trailing(2), dims=1, eps=REQUIRED)
def rms_norm(attrs: Attrs, x: np.ndarray, *weight: np.ndarray) -> np.ndarray:
    """``x / sqrt(mean(x^2) + eps)`` over the last ``dims`` dimensions, then ``* weight`` (Zhang & Sennrich 2019)."""
    axes = tuple(range(x.ndim - attrs["dims"], x.ndim))
    with np.errstate(all="ignore"):
        y = x / np.sqrt(np.mean(np.square(x), axis=axes, keepdims=True) + attrs["eps"])
    return y * weight[0] if weight else y


@op("group_norm", "reduce", _infer_group_norm, groups=REQUIRED, eps=REQUIRED)
def group_norm(attrs: Attrs, x: np.ndarray, *affine: np.ndarray) -> np.ndarray:
    """Standardised over the channels of a group and all positions, then scaled per channel (Wu & He 2018)."""
    grouped = x.reshape(x.shape[0], attrs["groups"], -1)
    y = _standardise(grouped, (2,), attrs["eps"]).reshape(x.shape)
    if affine:
        y = y * _per_channel(affine[0], x)
    return y + _per_channel(affine[1], x) if len(affine) > 1 else y
