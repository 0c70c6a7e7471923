"""ONNX random numbers, and Dropout. A node with a seed draws the same at every call, one without others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.source import check_size
from sol.frontend.onnx.types import dtype_of
from sol.ir.dim import DimLike, product
from sol.ir.types import DType


def uniform(ctx: Context, node: OnnxNode, shape: Sequence[DimLike]) -> str:
    """Numbers in ``[0, 1)`` of float64."""
    check_size(ctx, tuple(shape))
    seed = node.attr("seed")
    known = seed is not None and not math.isnan(seed)
    ctx.importer.streams += 1
    values = ctx.add("random", size=product(shape), seed=int(seed) % 2**32 if known else None, stream=0 if known else ctx.importer.streams)
    return ctx.reshape(values, shape)


def _scaled(ctx: Context, x: str, factor: float, shift: float) -> str:
    return ctx.add("add", ctx.add("mul", x, ctx.operand(factor, DType.F64)), ctx.operand(shift, DType.F64))


def _like(ctx: Context, node: OnnxNode) -> tuple[Sequence[DimLike], DType]:
    """Shape and type of the result: stated, or those of the operand."""
    if node.op in ("RandomUniform", "RandomNormal"):
        return node.attrs["shape"], dtype_of(node.attr("dtype", 1))
    x = node.inputs[0]
    return ctx.size(x), dtype_of(node.attrs["dtype"]) if "dtype" in node.attrs else ctx.type(x).dtype


@converter("RandomUniform", "RandomUniformLike")
def random_uniform(ctx: Context, node: OnnxNode) -> str:
    shape, dtype = _like(ctx, node)
    low, high = float(node.attr("low", 0.0)), float(node.attr("high", 1.0))
    return ctx.cast(_scaled(ctx, uniform(ctx, node, shape), high - low, low), dtype)


@converter("RandomNormal", "RandomNormalLike")
def random_normal(ctx: Context, node: OnnxNode) -> str:
    """Box & Muller 1958: ``sqrt(-2 log(1 - u)) cos(2 pi v)``."""
    shape, dtype = _like(ctx, node)
    both = uniform(ctx, node, (2, *shape))
    u, v = (ctx.reshape(ctx.slice(both, 0, i, i + 1), shape) for i in range(2))
    radius = ctx.add("sqrt", ctx.add("mul", ctx.add("log", _scaled(ctx, u, -1.0, 1.0)), ctx.operand(-2.0, DType.F64)))
    angle = ctx.add("cos", ctx.add("mul", v, ctx.operand(2 * math.pi, DType.F64)))
    return ctx.cast(_scaled(ctx, ctx.add("mul", radius, angle), float(node.attr("scale", 1.0)), float(node.attr("mean", 0.0))), dtype)


@converter("Bernoulli")
def bernoulli(ctx: Context, node: OnnxNode) -> str:
    shape, dtype = _like(ctx, node)
    return ctx.cast(ctx.add("lt", uniform(ctx, node, shape), ctx.cast(node.inputs[0], DType.F64)), dtype)


@converter("Multinomial")
def multinomial(ctx: Context, node: OnnxNode) -> str:
    """Classes drawn with probabilities whose logarithms are given: the number of running sums that a uniform number exceeds."""
    x, count = node.inputs[0], int(node.attr("sample_size", 1))
    batch, classes = ctx.size(x)
    sums = ctx.add("cumsum", ctx.add("softmax", ctx.cast(x, DType.F64), dim=1), dim=1)
    bounds = ctx.reshape(ctx.slice(sums, 1, 0, classes - 1), (batch, 1, classes - 1))  # beyond the last is the last class
    drawn = ctx.reshape(uniform(ctx, node, (batch, count)), (batch, count, 1))
    index = ctx.add("sum", ctx.cast(ctx.add("ge", drawn, bounds), DType.I64), dims=(2,), keepdims=False)
    return ctx.cast(index, dtype_of(node.attr("dtype", 6)))


@converter("Dropout")
def dropout(ctx: Context, node: OnnxNode) -> tuple[str, str]:
    """The operand itself in inference. The mask says what is kept (before opset 10 in the operand's type)."""
    x = node.inputs[0]
    dtype = ctx.type(x).dtype
    ratio = float(node.attr("ratio", 0.5))
    if node.input(1) is not None:
        ratio = float(ctx.number(node.inputs[1], "the ratio of Dropout"))
    training = node.input(2) is not None and bool(ctx.number(node.inputs[2], "the mode of Dropout"))
    if not training or ratio == 0:
        return x, ctx.filled(True, ctx.size(x), DType.BOOL if node.opset >= 10 else dtype)
    if ratio >= 1:
        ctx.fail(f"a ratio of {ratio}", "use one below 1")
    mask = ctx.add("ge", uniform(ctx, node, ctx.size(x)), ctx.operand(ratio, DType.F64))
    kept = ctx.add("mul", x, ctx.operand(1.0 / (1.0 - ratio), dtype))
    return ctx.add("where", mask, kept, ctx.operand(0.0, dtype)), mask
