"""Quantised operators of the domain com.microsoft: what onnxruntime's quantizer and optimizers write beside the specification's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.conv import per_channel
from sol.frontend.onnx.matmul import integer_product
from sol.frontend.onnx.ort_attention import projected_attention
from sol.frontend.onnx.ort_fused import DOMAIN, channels_first, channels_last
from sol.frontend.onnx.ort_norm import embedded
from sol.frontend.onnx.quantize import dequantized, dynamically_quantized, qlinear_conv, quantized, requantized
from sol.frontend.onnx.recurrent import recurrent_layer
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.types import DType

# Element by element: dequantised, computed in float32, quantised again


def _in_float(ctx: Context, operands: Sequence[str | None]) -> str:
    """A value from its quantised form: itself, scale, zero point."""
    x, scale, zero = operands
    return dequantized(ctx, x, scale, zero)  # type: ignore[arg-type]


def _again(ctx: Context, y: str, node: OnnxNode, at: int) -> str:
    """A float result in the type of the first operand, by the scale and zero point that stand at ``at``."""
    return quantized(ctx, y, node.inputs[at], node.input(at + 1), ctx.type(node.inputs[0]).dtype)


@converter("QLinearAdd", "QLinearMul", domain=DOMAIN)
def qlinear_binary(ctx: Context, node: OnnxNode) -> str:
    a, b = (_in_float(ctx, [node.input(i + k) for k in range(3)]) for i in (0, 3))
    return _again(ctx, ctx.add("add" if node.op == "QLinearAdd" else "mul", a, b), node, 6)


@converter("QLinearLeakyRelu", domain=DOMAIN)
def qlinear_leaky_relu(ctx: Context, node: OnnxNode) -> str:
    x = _in_float(ctx, [node.input(k) for k in range(3)])
    return _again(ctx, ctx.add("leaky_relu", x, slope=float(node.attr("alpha", 0.01))), node, 3)


@converter("QLinearSigmoid", domain=DOMAIN)
def qlinear_sigmoid(ctx: Context, node: OnnxNode) -> str:
    return _again(ctx, ctx.add("sigmoid", _in_float(ctx, [node.input(k) for k in range(3)])), node, 3)


@converter("QLinearSoftmax", domain=DOMAIN)
def qlinear_softmax(ctx: Context, node: OnnxNode) -> str:
    """Along one axis; before opset 13 (attribute ``opset``) over all dimensions from the axis on."""
    x = _in_float(ctx, [node.input(k) for k in range(3)])
    sizes, opset = ctx.size(x), int(node.attr("opset", 13))
    axis = ctx.axis(node.attr("axis", 1 if opset < 13 else -1), len(sizes))
    rows = ctx.convert("Flatten", x, axis=axis) if opset < 13 else x
    y = ctx.add("softmax", rows, dim=1 if opset < 13 else axis)
    return _again(ctx, ctx.reshape(y, sizes), node, 3)


@converter("QLinearConcat", domain=DOMAIN)
def qlinear_concat(ctx: Context, node: OnnxNode) -> str:
    """Operands (value, scale, zero point) in the scale of the result. One that has it already stays as it is."""
    scale, zero, *rest = node.inputs
    axis = ctx.axis(node.attr("axis", 1), ctx.rank(rest[0]))
    parts = []
    for x, x_scale, x_zero in zip(rest[::3], rest[1::3], rest[2::3]):
        same = _same(ctx, x_scale, scale) and _same(ctx, x_zero, zero)
        parts.append(x if same else quantized(ctx, dequantized(ctx, x, x_scale, x_zero), scale, zero, ctx.type(zero).dtype))
    return ctx.concat(parts, axis)


def _same(ctx: Context, a: str, b: str) -> bool:
    known = [ctx.known(v) for v in (a, b)]
    return a == b or (known[0] is not None and known[1] is not None and bool(np.array_equal(known[0].ravel(), known[1].ravel())))


@converter("QLinearWhere", domain=DOMAIN)
def qlinear_where(ctx: Context, node: OnnxNode) -> str:
    x, y = (_in_float(ctx, [node.input(i + k) for k in range(3)]) for i in (1, 4))
    chosen = ctx.add("where", node.inputs[0], x, y)
    return quantized(ctx, chosen, node.inputs[7], node.input(8), ctx.type(node.inputs[1]).dtype)


# Pooling


@converter("QLinearAveragePool", domain=DOMAIN)
def qlinear_average_pool(ctx: Context, node: OnnxNode) -> str:
    return _pooled(ctx, node, "AveragePool", {k: v for k, v in node.attrs.items() if k != "channels_last"})


@converter("QLinearGlobalAveragePool", domain=DOMAIN)
def qlinear_global_average_pool(ctx: Context, node: OnnxNode) -> str:
    return _pooled(ctx, node, "GlobalAveragePool", {})


def _pooled(ctx: Context, node: OnnxNode, op: str, attrs: dict) -> str:
    last = bool(node.attr("channels_last", 0))
    x = channels_first(ctx, node.inputs[0]) if last else node.inputs[0]
    y = ctx.convert(op, dequantized(ctx, x, node.inputs[1], node.input(2)), **attrs)
    return _again(ctx, channels_last(ctx, y) if last else y, node, 3)


# Products and convolutions


@converter("QLinearConv", domain=DOMAIN)
def qlinear_conv_of_any_layout(ctx: Context, node: OnnxNode) -> str:
    """As specified; with ``channels_last`` images are [N, ..., C]."""
    if not node.attr("channels_last", 0):
        return qlinear_conv(ctx, node)
    x, *rest = node.inputs
    inner = OnnxNode(node.op, node.name, "", node.opset, (channels_first(ctx, x), *rest), node.outputs, node.attrs)
    return channels_last(ctx, qlinear_conv(ctx, inner))


@converter("MatMulInteger16", domain=DOMAIN)
def matmul_integer16(ctx: Context, node: OnnxNode) -> str:
    a, b = (ctx.cast(v, DType.I32) for v in node.inputs)
    return ctx.cast(ctx.convert("MatMul", a, b), DType.I32)


@converter("MatMulIntegerToFloat", domain=DOMAIN)
def matmul_integer_to_float(ctx: Context, node: OnnxNode) -> str:
    a, b, a_scale, b_scale, a_zero, b_zero, bias = (node.input(i) for i in range(7))
    return scaled_product(ctx, (a, a_scale, a_zero), (b, b_scale, b_zero), bias)


@converter("DynamicQuantizeMatMul", domain=DOMAIN)
def dynamic_quantize_matmul(ctx: Context, node: OnnxNode) -> str:
    a, b, b_scale, b_zero, bias = (node.input(i) for i in range(5))
    return scaled_product(ctx, dynamically_quantized(ctx, a), (b, b_scale, b_zero), bias)


def scaled_product(ctx: Context, a: tuple[str, str, str | None], b: tuple[str, str, str | None], bias: str | None) -> str:
    """The product of (value, scale, zero point) pairs in float32, plus a bias. Scales and zero points of b are per column or one."""
    total = ctx.cast(integer_product(ctx, a[0], b[0], a[2], b[2]), DType.F32)
    a_scale = a[1]
    if ctx.rank(a_scale) == 1 and ctx.size(a_scale) != (1,):
        a_scale = ctx.reshape(a_scale, (*ctx.size(a_scale), 1))
    y = ctx.add("mul", total, ctx.add("mul", a_scale if ctx.rank(a_scale) > 1 else ctx.reshape(a_scale, ()), b[1]))
    return y if bias is None else ctx.add("add", y, bias)


@converter("QGemm", domain=DOMAIN)
def qgemm(ctx: Context, node: OnnxNode) -> str:
    """``alpha * A' B' + C`` of quantised operands; C is in the scale of the product, the result in that of y, or in float32 without one."""
    a, a_scale, a_zero, b, b_scale, b_zero, c, y_scale, y_zero = (node.input(i) for i in range(9))
    a = ctx.permute(a, (1, 0)) if node.attr("transA", 0) else a
    b = ctx.permute(b, (1, 0)) if node.attr("transB", 0) else b
    total = ctx.cast(integer_product(ctx, a, b, a_zero, b_zero), DType.I32)
    if c is not None:
        total = ctx.add("add", total, c)
    scales = [ctx.reshape(a_scale, ()), per_channel(ctx, b_scale, 1, 0) or b_scale]
    alpha = float(node.attr("alpha", 1.0))
    if alpha != 1:
        scales.append(ctx.constant(alpha, DType.F32))
    if y_scale is not None:
        return requantized(ctx, total, scales, y_scale, y_zero)
    factor = scales[0]
    for scale in scales[1:]:
        factor = ctx.add("mul", factor, scale)
    return ctx.add("mul", ctx.cast(total, DType.F32), factor)


# Attention, embeddings, recurrent layers


@converter("QAttention", domain=DOMAIN)
def qattention(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """Only the projection is of integers; the attention itself is computed in float32."""
    x, w, bias, x_scale, w_scale, mask, x_zero, w_zero, past = (node.input(i) for i in range(9))
    return projected_attention(ctx, node, scaled_product(ctx, (x, x_scale, x_zero), (w, w_scale, w_zero), bias), mask, past, None)


@converter("QEmbedLayerNormalization", domain=DOMAIN)
def qembed_layer_normalization(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """Tables and the affine part of the norm are quantised."""
    ids, segments = node.input(0), node.input(1)
    words, places, kinds, gamma, beta = (
        None if node.input(i) is None else dequantized(ctx, node.inputs[i], node.inputs[i + 6], node.input(i + 11)) for i in range(2, 7)
    )
    return embedded(ctx, node, (ids, words), (None, places), (segments, kinds), (gamma, beta), node.input(7))  # type: ignore[arg-type]


@converter("DynamicQuantizeLSTM", domain=DOMAIN)
def dynamic_quantize_lstm(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """An LSTM whose weights [D, I, 4 H] are quantised; its inputs are quantised by their own range for each product."""
    weights = []
    for value, scale, zero in ((node.inputs[1], 8, 9), (node.inputs[2], 10, 11)):
        parameters = [_per_direction(ctx, node.inputs[i]) for i in (scale, zero)]
        weights.append(ctx.permute(dequantized(ctx, value, *parameters), (0, 2, 1)))
    inputs = (node.inputs[0], *weights, *(node.input(i) for i in range(3, 8)))
    return recurrent_layer(ctx, OnnxNode("LSTM", node.name, "", node.opset, inputs, node.outputs, node.attrs))


def _per_direction(ctx: Context, value: str) -> str:
    """[D] or [D, 4 H] so that it broadcasts over [D, I, 4 H]."""
    sizes = ctx.size(value)
    return ctx.reshape(value, (sizes[0], 1, sizes[1] if len(sizes) > 1 else 1))
