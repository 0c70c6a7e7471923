"""ONNX convolutions: plain, transposed, of integers and deformable, and Col2Im, which is a transposed convolution."""

from __future__ import annotations

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.windows import Windows, computed, exact_float, pairs, split, windows_of
from sol.ir.dim import DimLike, product
from sol.ir.types import DType


@converter("Conv")
def conv(ctx: Context, node: OnnxNode) -> str:
    x, w, bias = node.inputs[0], node.inputs[1], node.input(2)
    result = ctx.type(x).dtype
    dtype = computed(result)
    operands = [ctx.cast(v, dtype) for v in (x, w, bias) if v is not None]
    windows = windows_of(ctx, node, ctx.size(x)[2:], ctx.size(w)[2:])
    return ctx.cast(convolve(ctx, operands, windows, node.attr("group", 1)), result)


def convolve(ctx: Context, operands: list[str], windows: Windows, groups: int) -> str:
    """``conv`` of x, w and perhaps a bias."""
    return ctx.add("conv", *operands, stride=windows.stride, padding=windows.padding, dilation=windows.dilation, groups=groups)


@converter("ConvTranspose")
def conv_transpose(ctx: Context, node: OnnxNode) -> str:
    x, w, bias = node.inputs[0], node.inputs[1], node.input(2)
    result = ctx.type(x).dtype
    dtype = computed(result)
    sizes, count = ctx.size(x)[2:], ctx.rank(x) - 2
    kernel = ctx.fixed(ctx.size(w)[2:], "the kernel size")
    stride = tuple(node.attr("strides") or (1,) * count)
    dilation = tuple(node.attr("dilations") or (1,) * count)
    extra = tuple(node.attr("output_padding") or (0,) * count)
    padding = pairs(ctx, node, count)
    mode, wanted = node.attr("auto_pad", "NOTSET"), node.attr("output_shape")
    if wanted or mode.startswith("SAME"):
        targets: tuple[DimLike, ...] = tuple(wanted)[-count:] if wanted else tuple(n * s for n, s in zip(sizes, stride))
        full = [(n - 1) * s + d * (k - 1) + 1 + e for n, s, d, k, e in zip(sizes, stride, dilation, kernel, extra)]
        totals = ctx.fixed([f - t for f, t in zip(full, targets)], "the padding of the output")
        extra = tuple(e + max(-t, 0) for e, t in zip(extra, totals))
        padding = tuple(split(max(t, 0), mode) for t in totals)
    elif mode == "VALID":
        padding = ((0, 0),) * count
    y = ctx.add(
        "conv_transpose", *(ctx.cast(v, dtype) for v in (x, w, bias) if v is not None), stride=stride, padding=padding,
        output_padding=extra, dilation=dilation, groups=node.attr("group", 1),
    )  # fmt: skip
    return ctx.cast(y, result)


def shifted(ctx: Context, value: str, zero_point: str | None, dtype: DType) -> str:
    """An integer tensor minus its zero point, as ``dtype``; the zero point is a scalar or has the value's rank."""
    value = ctx.cast(value, dtype)
    if zero_point is None:
        return value
    known = ctx.known(zero_point)
    if known is not None and not known.any():
        return value
    return ctx.add("sub", value, ctx.cast(zero_point, dtype))


def per_channel(ctx: Context, value: str | None, rank: int, axis: int) -> str | None:
    """A scalar or vector along ``axis`` so that it broadcasts over a tensor of this rank; one element becomes a scalar."""
    if value is None or ctx.rank(value) > 1:
        return value
    if ctx.rank(value) == 0 or ctx.size(value) == (1,):
        return ctx.reshape(value, ())
    return ctx.reshape(value, tuple(ctx.size(value)[0] if i == axis else 1 for i in range(rank)))


def integer_convolution(ctx: Context, node: OnnxNode, x: str, w: str, x_zero: str | None, w_zero: str | None) -> str:
    """The exact convolution of shifted integers, in a float type that holds its sums; zeros pad the shifted input."""
    rank = ctx.rank(x)
    dtype = exact_float(product(ctx.size(w)[1:]), 255 * 255)
    operands = [
        shifted(ctx, x, per_channel(ctx, x_zero, rank, 0), dtype),
        shifted(ctx, w, per_channel(ctx, w_zero, rank, 0), dtype),
    ]
    return convolve(ctx, operands, windows_of(ctx, node, ctx.size(x)[2:], ctx.size(w)[2:]), node.attr("group", 1))


@converter("ConvInteger")
def conv_integer(ctx: Context, node: OnnxNode) -> str:
    return ctx.cast(integer_convolution(ctx, node, node.inputs[0], node.inputs[1], node.input(2), node.input(3)), DType.I32)


@converter("DeformConv")
def deform_conv(ctx: Context, node: OnnxNode) -> str:
    """The displaced columns of the image, and one matrix product per group."""
    x, w, offset, bias, mask = (node.input(i) for i in range(5))
    if ctx.rank(x) != 4:
        ctx.fail(f"a deformable convolution of {ctx.type(x)}", "only two spatial dimensions are built")
    result = ctx.type(x).dtype
    dtype = computed(result)
    x, w, offset = (ctx.cast(v, dtype) for v in (x, w, offset))
    windows, groups = windows_of(ctx, node, ctx.size(x)[2:], ctx.size(w)[2:]), node.attr("group", 1)
    columns = ctx.add(
        "deform_columns", x, offset, *([] if mask is None else [ctx.cast(mask, dtype)]), kernel=windows.kernel, stride=windows.stride,
        padding=tuple(lo for lo, _ in windows.padding), dilation=windows.dilation, offset_groups=node.attr("offset_group", 1),
    )  # fmt: skip
    batch, channels, taps, height, width = ctx.size(columns)
    kernels = ctx.size(w)[0]
    columns = ctx.reshape(columns, (batch, groups, channels * taps // groups, height * width))
    y = ctx.add("matmul", ctx.reshape(w, (1, groups, kernels // groups, channels * taps // groups)), columns)
    y = ctx.reshape(y, (batch, kernels, height, width))
    if bias is not None:
        y = ctx.add("add", y, ctx.reshape(ctx.cast(bias, dtype), (kernels, 1, 1)))
    return ctx.cast(y, result)


@converter("Col2Im")
def col2im(ctx: Context, node: OnnxNode) -> str:
    """Every column adds its block into the image: a transposed convolution with one-hot weights, a group per channel."""
    x = node.inputs[0]
    image = tuple(int(v) for v in ctx.need(node.inputs[1], "the image's shape"))
    block = tuple(int(v) for v in ctx.need(node.inputs[2], "the block's shape"))
    count, taps = len(image), int(np.prod(block))
    stride, dilation = (tuple(node.attr(k) or (1,) * count) for k in ("strides", "dilations"))
    padding = pairs(ctx, node, count)
    spans = [n + lo + hi - d * (k - 1) - 1 for n, (lo, hi), d, k in zip(image, padding, dilation, block)]
    places = tuple(span // s + 1 for span, s in zip(spans, stride))
    (columns,) = ctx.fixed(ctx.size(x)[1:2], "the number of channels")
    channels, result = columns // taps, ctx.type(x).dtype
    dtype = computed(result)
    kernel = np.tile(np.eye(taps).reshape(taps, 1, *block), (channels, *(1,) * (count + 1)))
    y = ctx.add(
        "conv_transpose", ctx.cast(ctx.reshape(x, (ctx.size(x)[0], columns, *places)), dtype), ctx.constant(kernel, dtype), stride=stride,
        padding=padding, output_padding=tuple(span % s for span, s in zip(spans, stride)), dilation=dilation, groups=channels,
    )  # fmt: skip
    return ctx.cast(y, result)
