"""ONNX quantisation: scales and zero points per tensor, per axis and per block, and the convolution of quantised tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.conv import integer_convolution, per_channel
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.types import dtype_of
from sol.frontend.onnx.windows import computed
from sol.ir.types import DType


def _spread(ctx: Context, node: OnnxNode, parameter: str, x: str) -> str:
    """A scale or zero point so that it broadcasts over x: a scalar, a vector along ``axis``, or one entry per block."""
    rank = ctx.rank(x)
    axis = ctx.axis(node.attr("axis", 1), rank)
    block = node.attr("block_size", 0)
    if not block or ctx.rank(parameter) != rank:
        return per_channel(ctx, parameter, rank, axis) or parameter
    size, blocks = ctx.size(x)[axis], ctx.size(parameter)[axis]
    if blocks == 1 or size == blocks:
        return parameter
    (count,) = ctx.fixed((size,), "the axis of a blocked quantisation")
    return ctx.add("take", parameter, ctx.constant(np.arange(count) // block, DType.I64), dim=axis)


def saturated(ctx: Context, y: str, zero: str | None, dtype: DType) -> str:
    """A real value rounded to the nearest integer (halves to even), plus the zero point, as an integer of ``dtype`` within its range."""
    y = ctx.add("round", y)
    if zero is not None and not _is_zero(ctx, zero):
        y = ctx.add("add", y, ctx.cast(zero, ctx.type(y).dtype))
    low, high = (0, (1 << dtype.bits) - 1) if dtype.is_unsigned else (-(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1)
    return ctx.cast(ctx.add("clamp", y, low=float(low), high=float(high)), dtype)


def quantized(ctx: Context, y: str, scale: str, zero: str | None, dtype: DType) -> str:
    """``saturate(round(y / scale) + zero)`` for a scale and a zero point of one element, or that broadcast over y."""
    quotient = ctx.add("div", y, ctx.cast(_single(ctx, scale), ctx.type(y).dtype))
    return saturated(ctx, quotient, None if zero is None else _single(ctx, zero), dtype)


def _single(ctx: Context, value: str) -> str:
    """A vector of one element as a scalar."""
    return ctx.reshape(value, ()) if ctx.size(value) == (1,) else value


def dequantized(ctx: Context, x: str, scale: str, zero: str | None) -> str:
    """``(x - zero) * scale`` in float32 for a scale and a zero point of one element, or that broadcast over x.

    Differences of integers of up to 16 bits are exact in float32; wider ones are computed as int32.
    """
    dtype = ctx.type(x).dtype
    exact = DType.F32 if dtype.is_float or dtype.bits <= 16 else DType.I32
    y = ctx.cast(x, exact)
    if zero is not None and not dtype.is_float and not _is_zero(ctx, zero):
        y = ctx.add("sub", y, ctx.cast(_single(ctx, zero), exact))
    return ctx.add("mul", ctx.cast(y, DType.F32), ctx.cast(_single(ctx, scale), DType.F32))


@converter("QuantizeLinear")
@converter("QuantizeLinear", domain="com.microsoft")
def quantize_linear(ctx: Context, node: OnnxNode) -> str:
    """``saturate(round(x / scale) + zero_point)``; the quotient is rounded to the type that ``precision`` or the scale states."""
    x, scale, zero = node.inputs[0], node.inputs[1], node.input(2)
    stated = node.attr("output_dtype", 0)
    dtype = ctx.type(zero).dtype if zero is not None else dtype_of(stated) if stated else DType.U8
    precision = dtype_of(node.attr("precision")) if node.attr("precision", 0) else ctx.type(scale).dtype
    wide = computed(ctx.type(x).dtype)
    y = ctx.add("div", ctx.cast(x, wide), _spread(ctx, node, ctx.cast(scale, wide), x))
    if precision in (DType.F16, DType.BF16):
        y = ctx.cast(ctx.cast(y, precision), wide)
    zero = None if zero is None or _is_zero(ctx, zero) else _spread(ctx, node, ctx.cast(zero, wide), x)
    if dtype.is_float:
        y = y if zero is None else ctx.add("add", y, zero)
        return ctx.add("cast_saturated" if node.attr("saturate", 1) else "cast", y, dtype=dtype)
    return saturated(ctx, y, zero, dtype)


@converter("DequantizeLinear")
@converter("DequantizeLinear", domain="com.microsoft")
def dequantize_linear(ctx: Context, node: OnnxNode) -> str:
    """``(x - zero_point) * scale``, computed in float32."""
    x, scale, zero = node.inputs[0], node.inputs[1], node.input(2)
    result = dtype_of(node.attr("output_dtype")) if node.attr("output_dtype", 0) else ctx.type(scale).dtype
    zero = None if zero is None or _is_zero(ctx, zero) else _spread(ctx, node, zero, x)
    return ctx.cast(dequantized(ctx, x, _spread(ctx, node, scale, x), zero), result)


def _is_zero(ctx: Context, value: str) -> bool:
    known = ctx.known(value)
    return known is not None and not known.any()


def requantized(ctx: Context, total: str, scales: Sequence[str], y_scale: str, y_zero: str) -> str:
    """An integer result of scaled operands in the scale of y. Scales broadcast over it."""
    dtype = ctx.type(y_zero).dtype
    factor = ctx.cast(scales[0], DType.F32)
    for scale in scales[1:]:
        factor = ctx.add("mul", factor, ctx.cast(scale, DType.F32))
    factor = ctx.add("div", factor, ctx.cast(y_scale, DType.F32))
    y = ctx.add("mul", ctx.cast(total, DType.F32), factor)
    if dtype.is_float:
        return ctx.add("cast_saturated", y, dtype=dtype)
    return saturated(ctx, y, y_zero, dtype)


@converter("QLinearConv")
def qlinear_conv(ctx: Context, node: OnnxNode) -> str:
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = node.inputs[:8]
    bias, rank = node.input(8), ctx.rank(x)
    total = integer_convolution(ctx, node, x, w, x_zero, w_zero)
    if bias is not None:
        total = ctx.cast(total, DType.I32)
        total = ctx.add("add", total, ctx.reshape(ctx.cast(bias, DType.I32), (*ctx.size(bias), *(1,) * (rank - 2))))
    scales = [per_channel(ctx, s, rank, 0) or s for s in (x_scale,)] + [per_channel(ctx, w_scale, rank, 1) or w_scale]
    y_scale, y_zero = (per_channel(ctx, v, rank, 1) or v for v in (y_scale, y_zero))
    return requantized(ctx, total, scales, y_scale, y_zero)


@converter("DynamicQuantizeLinear")
def dynamic_quantize_linear(ctx: Context, node: OnnxNode) -> tuple[str, str, str]:
    return dynamically_quantized(ctx, node.inputs[0])


def dynamically_quantized(ctx: Context, x: str) -> tuple[str, str, str]:
    """x in 8 bits, its scale and its zero point, from the range of x, which is made to hold 0."""
    dims = tuple(range(ctx.rank(x)))
    zero, one, levels = (ctx.constant(v, DType.F32) for v in (0.0, 1.0, 255.0))
    low = ctx.add("minimum", ctx.add("min", x, dims=dims, keepdims=False), zero)
    high = ctx.add("maximum", ctx.add("max", x, dims=dims, keepdims=False), zero)
    span = ctx.add("sub", high, low)
    span = ctx.add("where", ctx.add("eq", span, zero), one, span)
    scale = ctx.add("div", span, levels)
    place = ctx.add("clamp", ctx.add("div", ctx.add("neg", low), scale), low=0.0, high=255.0)
    point = ctx.cast(ctx.add("round", place), DType.U8)
    return saturated(ctx, ctx.add("div", x, scale), point, DType.U8), scale, point
