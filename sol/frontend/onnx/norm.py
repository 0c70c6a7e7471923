"""ONNX normalisations. Half precisions are computed in float32, as ``stash_type`` asks by default."""

from __future__ import annotations

from collections.abc import Sequence

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.move import padded
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.types import dtype_of
from sol.ir.dim import DimLike
from sol.ir.types import DType

HALVES = (DType.F16, DType.BF16)
MOST_TERMS = 24
"""Channels of a local response norm that are added one by one; more are differences of running sums."""


def _wide(ctx: Context, *values: str) -> DType:
    """The dtype to compute in: the widest of the operands, float32 at least."""
    dtypes = [ctx.type(v).dtype for v in values]
    return DType.F64 if DType.F64 in dtypes else DType.F32


def _shaped(ctx: Context, value: str, rank: int) -> str:
    """A vector of channels as an operand of ``[N, C, …]``; without a second dimension there is one channel."""
    return ctx.reshape(value, (ctx.type(value).size, *(1,) * (rank - 2)))


def _scaled(ctx: Context, y: str, scale: str, shift: str | None = None) -> str:
    y = ctx.add("mul", y, scale)
    return y if shift is None else ctx.add("add", y, shift)


def _number(ctx: Context, value: float, dtype: DType) -> str:
    return ctx.constant(float(value), dtype)


@converter("BatchNormalization")
def batch_normalization(ctx: Context, node: OnnxNode) -> str | tuple[str | None, ...]:
    """With the given statistics; in training mode with those of the batch, and the running ones updated."""
    x, *others = node.inputs[:5]
    dtype, eps = ctx.type(x).dtype, node.attr("epsilon", 1e-5)
    if node.attr("spatial", 1) != 1 or (node.opset < 14 and any(node.wants(i) for i in range(1, 5))):
        ctx.fail("training, or statistics per element", "export the model for inference, or with opset 14 or later")
    fixed = not any(ctx.content.dependencies(v)[0] for v in others)
    if fixed and all(ctx.type(v).dtype is dtype for v in others) and not node.attr("training_mode", 0) and ctx.rank(x) > 1:
        return ctx.add("batch_norm", x, *others, eps=float(eps))  # can be folded into a convolution
    wide = _wide(ctx, x, *others)
    y = ctx.cast(x, wide)
    scale, shift, mean, var = (ctx.cast(v, wide) for v in others)
    running: list[str | None] = [None, None]
    if node.attr("training_mode", 0):
        axes = tuple(i for i in range(ctx.rank(x)) if i != 1)
        old = (mean, var)
        mean, var = ctx.add("mean", y, dims=axes, keepdims=False), ctx.add("var", y, dims=axes, keepdims=False, correction=0)
        keep = float(node.attr("momentum", 0.9))
        for i, (before, batch) in enumerate(zip(old, (mean, var))):
            kept, new = (ctx.add("mul", v, _number(ctx, f, wide)) for v, f in ((before, keep), (batch, 1 - keep)))
            running[i] = ctx.cast(ctx.add("add", kept, new), ctx.type(others[2 + i]).dtype)
    slope = ctx.add("mul", scale, ctx.add("rsqrt", ctx.add("add", var, _number(ctx, eps, wide))))
    result = ctx.add("mul", ctx.add("sub", y, _shaped(ctx, mean, ctx.rank(x))), _shaped(ctx, slope, ctx.rank(x)))
    result = ctx.add("add", result, _shaped(ctx, shift, ctx.rank(x)))
    result = ctx.cast(result, dtype)
    return (result, *running) if node.attr("training_mode", 0) else result


@converter("LayerNormalization")
def layer_normalization(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """Standardised over the dimensions from ``axis`` on; also the mean and the inverse deviation where they are wanted."""
    x, scale, bias = node.inputs[0], node.inputs[1], node.input(2)
    rank, dtype = ctx.rank(x), ctx.type(x).dtype
    axis, eps = ctx.axis(node.attr("axis", -1), rank), float(node.attr("epsilon", 1e-5))
    wide = _wide(ctx, x)
    y = ctx.cast(x, wide)
    affine = [ctx.cast(v, wide) for v in (scale, bias) if v is not None]
    fits = all(ctx.size(v) == ctx.size(x)[axis:] for v in affine)
    dims = tuple(range(axis, rank))
    if node.wants(1) or node.wants(2):
        mean = ctx.add("mean", y, dims=dims, keepdims=True)
        var = ctx.add("var", y, dims=dims, keepdims=True, correction=0)
        inverse = ctx.add("rsqrt", ctx.add("add", var, _number(ctx, eps, wide)))
        y = _scaled(ctx, ctx.add("mul", ctx.add("sub", y, mean), inverse), *affine)
        stash = dtype_of(node.attr("stash_type", 1))
        return ctx.cast(y, dtype), ctx.cast(mean, stash), ctx.cast(inverse, stash)
    y = ctx.add("layer_norm", y, *(affine if fits else ()), dims=rank - axis, eps=eps)
    return ctx.cast(y if fits else _scaled(ctx, y, *affine), dtype), None, None


@converter("RMSNormalization")
def rms_normalization(ctx: Context, node: OnnxNode) -> str:
    x, scale = node.inputs
    return rms_with_inverse(ctx, x, scale, node.attr("axis", -1), float(node.attr("epsilon", 1e-5)), inverse=False)[0]


def rms_with_inverse(ctx: Context, x: str, scale: str, axis: int, eps: float, *, inverse: bool) -> tuple[str, str | None]:
    """x over the root of its mean square over the dimensions from ``axis`` on, times the scale; the inverse of the root if wanted."""
    axis = ctx.axis(axis, ctx.rank(x))
    dtype, wide = ctx.type(x).dtype, _wide(ctx, x)
    y, weight = ctx.cast(x, wide), ctx.cast(scale, wide)
    if inverse:
        square = ctx.add("mean", ctx.add("square", y), dims=tuple(range(axis, ctx.rank(x))), keepdims=True)
        factor = ctx.add("rsqrt", ctx.add("add", square, _number(ctx, eps, wide)))
        return ctx.cast(ctx.add("mul", ctx.add("mul", y, factor), weight), dtype), factor
    fits = ctx.size(scale) == ctx.size(x)[axis:]
    y = ctx.add("rms_norm", y, *([weight] if fits else ()), dims=ctx.rank(x) - axis, eps=eps)
    return ctx.cast(y if fits else ctx.add("mul", y, weight), dtype), None


def grouped(ctx: Context, x: str, scale: str, bias: str, groups: int, eps: float) -> str:
    """``group_norm`` of [N, C, ...] in at least float32, with a scale and a bias per channel."""
    dtype, wide = ctx.type(x).dtype, _wide(ctx, x)
    y = ctx.add("group_norm", *(ctx.cast(v, wide) for v in (x, scale, bias)), groups=groups, eps=eps)
    return ctx.cast(y, dtype)


@converter("InstanceNormalization")
def instance_normalization(ctx: Context, node: OnnxNode) -> str:
    """A group norm with one channel per group; nothing where there are no channels."""
    x, scale, bias = node.inputs
    (channels,) = ctx.fixed((ctx.size(x)[1],), "the channels of InstanceNormalization")
    return x if not channels else grouped(ctx, x, scale, bias, channels, float(node.attr("epsilon", 1e-5)))


@converter("GroupNormalization", since=21)
def group_normalization(ctx: Context, node: OnnxNode) -> str:
    """Scale and bias per channel; the form before opset 21 is deprecated and does not pass onnx.checker."""
    x, scale, bias = node.inputs
    ctx.fixed((ctx.size(x)[1],), "the channels of GroupNormalization")
    return grouped(ctx, x, scale, bias, int(node.attrs["num_groups"]), float(node.attr("epsilon", 1e-5)))


@converter("LpNormalization")
def lp_normalization(ctx: Context, node: OnnxNode) -> str:
    """Divided by the length along an axis; 0 where that is 0."""
    x, p = node.inputs[0], node.attr("p", 2)
    axis, dtype = ctx.axis(node.attr("axis", -1), ctx.rank(x)), ctx.type(x).dtype
    if p not in (1, 2):
        ctx.fail(f"p is {p}", "use 1 or 2")
    y = ctx.cast(x, _wide(ctx, x))
    length = ctx.add("sum", ctx.add("abs" if p == 1 else "square", y), dims=(axis,), keepdims=True)
    length = length if p == 1 else ctx.add("sqrt", length)
    zero = _number(ctx, 0.0, ctx.type(y).dtype)
    return ctx.cast(ctx.add("where", ctx.add("eq", length, zero), zero, ctx.add("div", y, length)), dtype)


@converter("MeanVarianceNormalization")
def mean_variance_normalization(ctx: Context, node: OnnxNode) -> str:
    x = node.inputs[0]
    dtype, wide, axes = ctx.type(x).dtype, _wide(ctx, x), ctx.axes(tuple(node.attr("axes", (0, 2, 3))), ctx.rank(x))
    y = ctx.cast(x, wide)
    centred = ctx.add("sub", y, ctx.add("mean", y, dims=axes, keepdims=True))
    deviation = ctx.add("sqrt", ctx.add("var", y, dims=axes, keepdims=True, correction=0))
    return ctx.cast(ctx.add("div", centred, ctx.add("add", deviation, _number(ctx, 1e-9, wide))), dtype)


@converter("LRN")
def local_response_norm(ctx: Context, node: OnnxNode) -> str:
    """``x / (bias + alpha / size * sum of squares over size neighbouring channels)^beta`` (Krizhevsky et al. 2012)."""
    x, size = node.inputs[0], int(node.attrs["size"])
    alpha, beta, bias = (float(node.attr(n, d)) for n, d in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0)))
    dtype, wide = ctx.type(x).dtype, _wide(ctx, x)
    y = ctx.cast(x, wide)
    total = _window_sum(ctx, ctx.add("square", y), size, ctx.size(x))
    inside = ctx.add("add", ctx.add("mul", total, _number(ctx, alpha / size, wide)), _number(ctx, bias, wide))
    return ctx.cast(ctx.add("div", y, ctx.add("pow", inside, _number(ctx, beta, wide))), dtype)


def _window_sum(ctx: Context, y: str, size: int, shape: Sequence[DimLike]) -> str:
    """Sums over ``size`` channels around each one, missing ones being 0."""
    low = (size - 1) // 2
    pads = [(low, size - 1 - low) if i == 1 else (0, 0) for i in range(len(shape))]
    wide = padded(ctx, y, pads, "constant", 0)
    if size > MOST_TERMS:
        sums = padded(ctx, ctx.add("cumsum", wide, dim=1), [(1, 0) if i == 1 else (0, 0) for i in range(len(shape))], "constant", 0)
        return ctx.add("sub", ctx.slice(sums, 1, size, size + shape[1]), ctx.slice(sums, 1, 0, shape[1]))
    total = ctx.slice(wide, 1, 0, shape[1])
    for i in range(1, size):
        total = ctx.add("add", total, ctx.slice(wide, 1, i, i + shape[1]))
    return total
