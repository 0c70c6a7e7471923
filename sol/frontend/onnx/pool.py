"""ONNX pooling: maxima with their places, means and norms over windows and whole maps, and the inverse of max pooling."""

from __future__ import annotations

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.windows import Windows, computed, pairs, windows_of
from sol.ir.dim import DimLike, product
from sol.ir.ops.pool import pool_size
from sol.ir.types import DType

POOLED = (DType.F64, DType.F32, DType.F16, DType.I64, DType.I32, DType.I16, DType.I8, DType.U8)
"""Dtypes that pooling kernels read."""


def _poolable(ctx: Context, x: str) -> str:
    return x if ctx.type(x).dtype in POOLED else ctx.cast(x, DType.F32)


@converter("MaxPool")
def max_pool(ctx: Context, node: OnnxNode) -> tuple[str, str | None]:
    x = node.inputs[0]
    wide = _poolable(ctx, x)
    windows = windows_of(ctx, node, ctx.size(x)[2:])
    options = {
        "kernel": windows.kernel, "stride": windows.stride, "padding": windows.padding, "dilation": windows.dilation,
        "ceil_mode": bool(node.attr("ceil_mode", 0)),
    }  # fmt: skip
    y = ctx.cast(ctx.add("max_pool", wide, **options), ctx.type(x).dtype)
    if not node.wants(1):
        return y, None
    place = ctx.add("argmax_pool", wide, column_major=bool(node.attr("storage_order", 0)), **options)
    batch, channels, *sizes = ctx.size(x)
    maps = ctx.add("iota", size=batch * channels, start=0, step=product(sizes), dtype=DType.I64)
    return y, ctx.add("add", place, ctx.reshape(maps, (batch, channels, *(1,) * len(sizes))))


@converter("AveragePool")
def average_pool(ctx: Context, node: OnnxNode) -> str:
    x = node.inputs[0]
    windows = windows_of(ctx, node, ctx.size(x)[2:])
    padded, ceil = bool(node.attr("count_include_pad", 0)), bool(node.attr("ceil_mode", 0))
    wide = _poolable(ctx, x)
    if all(d == 1 for d in windows.dilation):
        y = ctx.add(
            "avg_pool", wide, kernel=windows.kernel, stride=windows.stride, padding=windows.padding, ceil_mode=ceil,
            count_include_pad=padded, divisor=None,
        )  # fmt: skip
    else:
        wide = ctx.cast(wide, computed(ctx.type(x).dtype))
        y = ctx.add("div", _window_sums(ctx, wide, windows, ceil), _counts(ctx, wide, windows, ceil, padded))
    return ctx.cast(y, ctx.type(x).dtype)


def _window_sums(ctx: Context, x: str, windows: Windows, ceil: bool) -> str:
    """Sums over windows of a float32 or float64 image: a convolution with ones, every map by itself."""
    batch, channels, *sizes = ctx.size(x)
    dtype = ctx.type(x).dtype
    outs = [pool_size(*o, ceil) for o in zip(sizes, windows.kernel, windows.stride, windows.padding, windows.dilation)]
    padding = windows.padding
    if ceil:
        grown = [
            (o - 1) * s + d * (k - 1) + 1 - n - lo
            for o, n, k, s, d, (lo, _) in zip(outs, sizes, windows.kernel, windows.stride, windows.dilation, padding)
        ]
        ends = ctx.fixed(grown, "the last window of a pooling with ceil_mode")
        padding = tuple((lo, max(hi, end)) for (lo, hi), end in zip(padding, ends))
    ones = ctx.constant(np.ones((1, 1, *windows.kernel)), dtype)
    y = ctx.add(
        "conv", ctx.reshape(x, (batch * channels, 1, *sizes)), ones, stride=windows.stride, padding=padding, dilation=windows.dilation,
        groups=1,
    )  # fmt: skip
    for i, out in enumerate(outs, 2):
        y = ctx.slice(y, i, 0, out)
    return ctx.reshape(y, (batch, channels, *outs))


def _counts(ctx: Context, x: str, windows: Windows, ceil: bool, padded: bool) -> str:
    """How many elements each window of a dilated mean counts, as a tensor that broadcasts over the result."""
    sizes = ctx.fixed(ctx.size(x)[2:], "a mean over dilated windows")
    counts = np.ones((1,) * len(sizes))
    for axis, (n, k, s, (lo, hi), d) in enumerate(zip(sizes, windows.kernel, windows.stride, windows.padding, windows.dilation)):
        outs = int(pool_size(n, k, s, (lo, hi), d, ceil))  # type: ignore[arg-type]
        taps = (np.arange(outs) * s - lo)[:, None] + np.arange(k) * d
        counted = taps < n + hi if padded else (taps >= 0) & (taps < n)
        counts = counts * counted.sum(1).reshape([-1 if i == axis else 1 for i in range(len(sizes))])
    return ctx.constant(counts, ctx.type(x).dtype)


@converter("LpPool", since=2)
def lp_pool(ctx: Context, node: OnnxNode) -> str:
    x = node.inputs[0]
    wide = ctx.cast(x, computed(ctx.type(x).dtype))
    p = float(node.attr("p", 2))
    windows = windows_of(ctx, node, ctx.size(x)[2:])
    sums = _window_sums(ctx, _power(ctx, wide, p), windows, bool(node.attr("ceil_mode", 0)))
    return ctx.cast(_root(ctx, sums, p), ctx.type(x).dtype)


def _power(ctx: Context, x: str, p: float) -> str:
    """``|x|^p``."""
    if p == 2:
        return ctx.add("square", x)
    x = ctx.add("abs", x)
    return x if p == 1 else ctx.add("pow", x, ctx.constant(p, ctx.type(x).dtype))


def _root(ctx: Context, x: str, p: float) -> str:
    if p == 2:
        return ctx.add("sqrt", x)
    return x if p == 1 else ctx.add("pow", x, ctx.constant(1.0 / p, ctx.type(x).dtype))


@converter("GlobalAveragePool")
def global_average_pool(ctx: Context, node: OnnxNode) -> str:
    return _global(ctx, node.inputs[0], "adaptive_avg_pool", "mean")


@converter("GlobalMaxPool")
def global_max_pool(ctx: Context, node: OnnxNode) -> str:
    return _global(ctx, node.inputs[0], "adaptive_max_pool", "max")


def _global(ctx: Context, x: str, pool: str, reduction: str) -> str:
    """Pooling kernels take up to three spatial dimensions; a reduction serves more."""
    spatial = ctx.rank(x) - 2
    wide = _poolable(ctx, x)
    if 1 <= spatial <= 3:
        y = ctx.add(pool, wide, output_size=(1,) * spatial)
    else:
        y = ctx.add(reduction, wide, dims=tuple(range(2, spatial + 2)), keepdims=True)
    return ctx.cast(y, ctx.type(x).dtype)


@converter("GlobalLpPool", since=2)
def global_lp_pool(ctx: Context, node: OnnxNode) -> str:
    x = node.inputs[0]
    wide, p = ctx.cast(x, computed(ctx.type(x).dtype)), float(node.attr("p", 2))
    sums = ctx.add("sum", _power(ctx, wide, p), dims=tuple(range(2, ctx.rank(x))), keepdims=True)
    return ctx.cast(_root(ctx, sums, p), ctx.type(x).dtype)


@converter("MaxUnpool")
def max_unpool(ctx: Context, node: OnnxNode) -> str:
    """Zeros with the elements of x written to their places in the tensor that max pooling read."""
    x, index, stated = node.inputs[0], node.inputs[1], node.input(2)
    kernel = tuple(node.attr("kernel_shape"))
    stride = tuple(node.attr("strides") or (1,) * len(kernel))
    padding = pairs(ctx, node, len(kernel))
    lead, sizes = ctx.size(x)[:2], ctx.size(x)[2:]
    natural: list[DimLike] = [(n - 1) * s - lo - hi + k for n, s, (lo, hi), k in zip(sizes, stride, padding, kernel)]
    total = product((*lead, *natural))
    zeros = ctx.filled(0, (total,), ctx.type(x).dtype)
    count = product(ctx.size(x))
    places, values = ctx.reshape(index, (count,)), ctx.reshape(x, (count,))
    y = ctx.add("scatter", zeros, places, values, dim=0, reduction="none", checked=node.op, signed=False)
    y = ctx.reshape(y, (*lead, *natural))
    if stated is None:
        return y
    wanted = ctx.dims(stated, "the output shape")
    pads = tuple((0, w - n) for w, n in zip(wanted, (*lead, *natural)))
    return y if all(p == (0, 0) for p in pads) else ctx.add("pad", y, pads=pads, value=0)
