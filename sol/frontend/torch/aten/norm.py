"""ATen normalisations: batch, layer, group, instance and RMS norm, in inference."""

from __future__ import annotations

from typing import Any

import torch

from sol.frontend.torch.aten import TORCH_DTYPES, Context, Fallback, converter
from sol.ir.dim import Dim, DimLike, product
from sol.ir.types import DType, TensorType


@converter("batch_norm.default")
def batch_norm(ctx: Context, x: str, weight: str | None, bias: str | None, mean: str | None, var: str | None, training: bool,
               momentum: float, eps: float, *_: Any) -> str:  # fmt: skip
    if ctx.rank(x) < 2:
        raise Fallback("batch norm of a vector")
    if mean is None and var is None:
        return _standardised(ctx, x, weight, bias, eps)
    if training or mean is None or var is None:
        raise Fallback("batch norm with the statistics of the batch")
    dtype = ctx.type(x).dtype
    channels = (ctx.size(x)[1],)
    operands = [_affine(ctx, weight, 1.0, channels, x), _affine(ctx, bias, 0.0, channels, x), ctx.cast(mean, dtype), ctx.cast(var, dtype)]
    return ctx.add("batch_norm", x, *operands, eps=float(eps))


def _standardised(ctx: Context, x: str, weight: str | None, bias: str | None, eps: float) -> str:
    """Batch norm by the batch's own statistics, none kept: as standardised weights use it."""
    dtype, rank, dims = ctx.type(x).dtype, ctx.rank(x), _all_but_channels(ctx, x)
    channels = ctx.size(x)[1]
    variance = ctx.add("var", x, dims=dims, keepdims=True, correction=0)
    scale = ctx.add("rsqrt", ctx.add("add", variance, ctx.operand(float(eps), dtype)))
    y = ctx.add("mul", ctx.add("sub", x, ctx.add("mean", x, dims=dims, keepdims=True)), scale)
    for op, operand in (("mul", weight), ("add", bias)):
        if operand is not None:
            y = ctx.add(op, y, ctx.reshape(ctx.cast(operand, dtype), (channels, *(1,) * (rank - 2))))
    return y


@converter("_native_batch_norm_legit_no_training.default")
def native_batch_norm_no_training(ctx: Context, x: str, weight: Any, bias: Any, mean: Any, var: Any, momentum: float,
                                  eps: float) -> tuple[str | None, ...]:  # fmt: skip
    return native_batch_norm(ctx, x, weight, bias, mean, var, False, momentum, eps)


@converter("native_batch_norm.default", "_native_batch_norm_legit.default", "cudnn_batch_norm.default",
           "_batch_norm_with_update.default")  # fmt: skip
def native_batch_norm(ctx: Context, x: str, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float,
                      eps: float) -> tuple[str | None, ...]:  # fmt: skip
    """The result, and with the statistics of the batch also these; empty tensors otherwise."""
    y = batch_norm(ctx, x, weight, bias, mean, var, training, momentum, eps)
    if mean is None and var is None:
        return y, *_moments(ctx, x, _all_but_channels(ctx, x), eps)
    return y, *(ctx.filled(0, ctx.result(i).shape, ctx.result(i).dtype) for i in (1, 2))


@converter("_native_batch_norm_legit.no_stats")
def native_batch_norm_no_stats(ctx: Context, x: str, weight: Any, bias: Any, training: bool, momentum: float,
                               eps: float) -> tuple[str | None, ...]:  # fmt: skip
    return _standardised(ctx, x, weight, bias, eps), *_moments(ctx, x, _all_but_channels(ctx, x), eps)


def _all_but_channels(ctx: Context, x: str) -> tuple[int, ...]:
    return tuple(d for d in range(ctx.rank(x)) if d != 1)


def _moments(ctx: Context, x: str, dims: tuple[int, ...], eps: float) -> tuple[str | None, str | None]:
    """Mean and ``1 / sqrt(variance + eps)`` over dimensions as results 1 and 2 of the op, computed where they are used."""
    mean, deviation = ctx.result(1), ctx.result(2)
    x = ctx.cast(x, _wide(ctx.type(x).dtype))
    found: list[str | None] = [None, None]
    if ctx.is_used(1):
        found[0] = ctx.cast(ctx.reshape(ctx.add("mean", x, dims=dims, keepdims=False), mean.shape), mean.dtype)
    if ctx.is_used(2):
        found[1] = ctx.cast(_inverse_root(ctx, ctx.add("var", x, dims=dims, keepdims=False, correction=0), eps, deviation), deviation.dtype)
    return found[0], found[1]


def _inverse_root(ctx: Context, x: str, eps: float, result: TensorType) -> str:
    return ctx.reshape(ctx.add("rsqrt", ctx.add("add", x, ctx.operand(float(eps), ctx.type(x).dtype))), result.shape)


def _wide(dtype: DType) -> DType:
    """The type in which statistics are computed."""
    return dtype if dtype is DType.F64 else DType.F32


def _affine(ctx: Context, value: str | None, number: float, shape: tuple[DimLike, ...], x: str) -> str:
    """A weight or bias in x's dtype; the neutral one where there is none."""
    dtype = ctx.type(x).dtype
    return ctx.filled(number, shape, dtype) if value is None else ctx.cast(value, dtype)


def _pair(ctx: Context, x: str, weight: str | None, bias: str | None, shape: tuple[DimLike, ...]) -> list[str]:
    """The optional trailing operands ``[w[, b]]``."""
    if bias is not None:
        return [_affine(ctx, weight, 1.0, shape, x), _affine(ctx, bias, 0.0, shape, x)]
    return [] if weight is None else [_affine(ctx, weight, 1.0, shape, x)]


@converter("layer_norm.default")
def layer_norm(ctx: Context, x: str, shape: tuple[DimLike, ...], weight: str | None = None, bias: str | None = None, eps: float = 1e-5,
               *_: Any) -> str:  # fmt: skip
    return ctx.add("layer_norm", x, *_pair(ctx, x, weight, bias, tuple(shape)), dims=len(shape), eps=float(eps))


@converter("native_layer_norm.default")
def native_layer_norm(ctx: Context, x: str, shape: Any, weight: Any, bias: Any, eps: float) -> tuple[str | None, ...]:
    return layer_norm(ctx, x, shape, weight, bias, eps), *_moments(ctx, x, tuple(range(ctx.rank(x) - len(shape), ctx.rank(x))), eps)


@converter("rms_norm.default")
def rms_norm(ctx: Context, x: str, shape: tuple[DimLike, ...], weight: str | None = None, eps: float | None = None) -> str:
    if eps is None:
        eps = torch.finfo(TORCH_DTYPES[ctx.type(x).dtype]).eps
    return ctx.add("rms_norm", x, *_pair(ctx, x, weight, None, tuple(shape)), dims=len(shape), eps=float(eps))


@converter("_fused_rms_norm.default")
def fused_rms_norm(ctx: Context, x: str, shape: Any, weight: Any, eps: Any) -> tuple[str | None, ...]:
    y = rms_norm(ctx, x, shape, weight, eps)
    if not ctx.is_used(1):
        return y, None
    result, dims = ctx.result(1), tuple(range(ctx.rank(x) - len(shape), ctx.rank(x)))
    wide = ctx.cast(x, _wide(ctx.type(x).dtype))
    mean_square = ctx.add("mean", ctx.add("square", wide), dims=dims, keepdims=False)
    return y, ctx.cast(_inverse_root(ctx, mean_square, ctx.builder.node(y).attrs["eps"], result), result.dtype)


@converter("group_norm.default")
def group_norm(ctx: Context, x: str, groups: int, weight: str | None = None, bias: str | None = None, eps: float = 1e-5, *_: Any) -> str:
    channels = ctx.size(x)[1]
    return ctx.add("group_norm", x, *_pair(ctx, x, weight, bias, (channels,)), groups=groups, eps=float(eps))


@converter("native_group_norm.default")
def native_group_norm(ctx: Context, x: str, weight: Any, bias: Any, n: Any, c: Any, hw: Any, group: int,
                      eps: float) -> tuple[str | None, ...]:  # fmt: skip
    size = ctx.size(x)
    rows = ctx.reshape(x, (size[0], group, product(size[1:]) // group))
    return group_norm(ctx, x, group, weight, bias, eps), *_moments(ctx, rows, (2,), eps)


@converter("instance_norm.default")
def instance_norm(ctx: Context, x: str, weight: str | None, bias: str | None, mean: str | None, var: str | None, use_input_stats: bool,
                  momentum: float, eps: float, *_: Any) -> str:  # fmt: skip
    """Instance norm is group norm with one channel per group, or batch norm once its statistics are fixed."""
    if not use_input_stats:
        return batch_norm(ctx, x, weight, bias, mean, var, False, momentum, eps)
    if mean is not None or var is not None:
        raise Fallback("instance norm that updates running statistics")
    channels = ctx.size(x)[1]
    if isinstance(channels, Dim):
        raise Fallback("instance norm over a symbolic number of channels")
    return group_norm(ctx, x, channels, weight, bias, eps)
