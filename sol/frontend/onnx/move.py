"""ONNX operators that move data: concatenation, padding, repetition, and reorderings of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.source import check_size
from sol.frontend.onnx.types import dtype_of
from sol.ir.dim import DimLike
from sol.ir.types import DType


@converter("Concat")
def concat(ctx: Context, node: OnnxNode) -> str:
    axis = ctx.axis(node.attr("axis", 1), ctx.rank(node.inputs[0]))
    return joined(ctx, node.inputs, axis)


def joined(ctx: Context, values: Sequence[str], axis: int) -> str:
    """Concatenation without the operands that are empty."""
    kept = [v for v in values if ctx.size(v)[axis] != 0] or list(values[:1])
    return ctx.concat(kept, axis)


def parts(ctx: Context, x: str, axis: int, sizes: Sequence[DimLike]) -> list[str]:
    """Consecutive slices of the given sizes."""
    found: list[str] = []
    start: DimLike = 0
    for length in sizes:
        found.append(ctx.slice(x, axis, start, start + length))
        start = start + length
    if isinstance(start, int) and isinstance(ctx.size(x)[axis], int) and start != ctx.size(x)[axis]:
        ctx.fail(f"the parts have {start} elements, dimension {axis} has {ctx.size(x)[axis]}")
    return found


# padding


@converter("Pad", since=2)
def pad_by_attributes(ctx: Context, node: OnnxNode) -> str:
    pads = node.attrs["pads"]
    rank = len(pads) // 2
    return padded(ctx, node.inputs[0], list(zip(pads[:rank], pads[rank:])), node.attr("mode", "constant"), node.attr("value", 0.0))


@converter("Pad", since=11)
def pad(ctx: Context, node: OnnxNode) -> str:
    x, rank = node.inputs[0], ctx.rank(node.inputs[0])
    given = ctx.dims(node.inputs[1], "the pads of Pad")
    axes: Any = range(rank) if node.input(3) is None else ctx.need(node.inputs[3], "the axes of Pad").ravel()
    count = len(given) // 2
    pads: list[tuple[DimLike, DimLike]] = [(0, 0)] * rank
    for i, axis in enumerate(axes):
        pads[ctx.axis(int(axis), rank)] = (given[i], given[i + count])
    value: Any = 0
    if node.input(2) is not None:
        known = ctx.known(node.inputs[2])
        value = node.inputs[2] if known is None else known.reshape(-1)[0].item() if known.size else 0
    return padded(ctx, x, pads, node.attr("mode", "constant"), value)


def padded(ctx: Context, x: str, pads: Sequence[tuple[DimLike, DimLike]], mode: str, value: Any) -> str:
    """``(before, after)`` elements around each dimension; negative counts crop. value: a number, or a value of one element."""
    if not any(a != 0 or b != 0 for a, b in pads):
        return x
    check_size(ctx, tuple(n + a + b for n, (a, b) in zip(ctx.size(x), pads)))
    if mode != "constant":
        for axis, (low, high) in enumerate(pads):
            x = _extended(ctx, x, axis, low, high, mode)
        return x
    dtype = ctx.type(x).dtype
    if not isinstance(value, str):
        return ctx.add("pad", x, pads=tuple(pads), value=value if dtype.is_float else int(value))
    inside = ctx.add("pad", ctx.filled(True, ctx.size(x), DType.BOOL), pads=tuple(pads), value=0)
    return ctx.add("where", inside, ctx.add("pad", x, pads=tuple(pads), value=0), ctx.reshape(ctx.cast(value, dtype), ()))


NUMPY_MODES = {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}


def _extended(ctx: Context, x: str, axis: int, low: DimLike, high: DimLike, mode: str) -> str:
    """Padding of one dimension that repeats elements: a take."""
    if low == 0 and high == 0:
        return x
    if mode not in NUMPY_MODES:
        ctx.fail(f"padding mode {mode}", "use constant, reflect, edge or wrap")
    size, low, high = ctx.fixed((ctx.size(x)[axis], low, high), f"{mode} padding")
    place = np.arange(max(-low, 0), size - max(-high, 0))
    place = np.pad(place, (max(low, 0), max(high, 0)), mode=NUMPY_MODES[mode])  # type: ignore[call-overload]
    return ctx.add("take", x, ctx.constant(place, DType.I64), dim=axis)


@converter("CenterCropPad")
def center_crop_pad(ctx: Context, node: OnnxNode) -> str:
    """Crops what is too long and pads what is too short, the same on both sides."""
    x = node.inputs[0]
    wanted = ctx.dims(node.inputs[1], "the shape of CenterCropPad")
    axes = [ctx.axis(a, ctx.rank(x)) for a in node.attr("axes", range(ctx.rank(x)))]
    pads: list[tuple[DimLike, DimLike]] = [(0, 0)] * ctx.rank(x)
    for axis, want in zip(axes, wanted):
        size, target = ctx.fixed((ctx.size(x)[axis], want), "CenterCropPad")
        if target < size:
            first = (size - target) // 2
            x = ctx.slice(x, axis, first, first + target)
        else:
            low = (target - size) // 2
            pads[axis] = (low, target - size - low)
    return padded(ctx, x, pads, "constant", 0)


# repetition


@converter("Tile", since=6)
def tile(ctx: Context, node: OnnxNode) -> str:
    x = node.inputs[0]
    return tiled(ctx, x, ctx.dims(node.inputs[1], "the repeats of Tile"))


def tiled(ctx: Context, x: str, repeats: Sequence[DimLike]) -> str:
    """The tensor repeated along each dimension."""
    size = ctx.size(x)
    check_size(ctx, tuple(n * r for n, r in zip(size, repeats)))
    if all(n == 1 or r == 1 for n, r in zip(size, repeats)):
        return ctx.expand(x, [n * r for n, r in zip(size, repeats)])
    split_ = [d for n in size for d in (1, n)]
    wide = [d for r, n in zip(repeats, size) for d in (r, n)]
    return ctx.reshape(ctx.expand(ctx.reshape(x, split_), wide), [n * r for n, r in zip(size, repeats)])


# reorderings


@converter("DepthToSpace")
def depth_to_space(ctx: Context, node: OnnxNode) -> str:
    x, b = node.inputs[0], node.attrs["blocksize"]
    n, c, h, w = ctx.size(x)
    rest = c // (b * b)
    if node.attr("mode", "DCR") == "DCR":
        y = ctx.permute(ctx.reshape(x, (n, b, b, rest, h, w)), (0, 3, 4, 1, 5, 2))
    else:
        y = ctx.permute(ctx.reshape(x, (n, rest, b, b, h, w)), (0, 1, 4, 2, 5, 3))
    return ctx.reshape(y, (n, rest, h * b, w * b))


@converter("SpaceToDepth")
def space_to_depth(ctx: Context, node: OnnxNode) -> str:
    x, b = node.inputs[0], node.attrs["blocksize"]
    n, c, h, w = ctx.size(x)
    y = ctx.reshape(x, (n, c, h // b, b, w // b, b))
    order = (0, 3, 5, 1, 2, 4) if node.attr("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4)
    return ctx.reshape(ctx.permute(y, order), (n, c * b * b, h // b, w // b))


@converter("ReverseSequence")
def reverse_sequence(ctx: Context, node: OnnxNode) -> str:
    """The first ``lengths[b]`` elements of every sequence in reverse order: a gather along the time axis."""
    x, lengths = node.inputs
    time, batch = node.attr("time_axis", 0), node.attr("batch_axis", 1)
    steps, rank = ctx.size(x)[time], ctx.rank(x)
    along = [steps if i == time else 1 for i in range(rank)]
    step = ctx.reshape(ctx.add("iota", size=steps, start=0, step=1, dtype=DType.I64), along)
    length = ctx.reshape(ctx.cast(lengths, DType.I64), [ctx.size(x)[batch] if i == batch else 1 for i in range(rank)])
    mirrored = ctx.add("sub", ctx.add("sub", length, step), ctx.operand(1, DType.I64))
    index = ctx.add("where", ctx.add("lt", step, length), mirrored, step)
    return ctx.add("gather", x, ctx.expand(index, ctx.size(x)), dim=time)


@converter("BitCast")
def bit_cast(ctx: Context, node: OnnxNode) -> str:
    """The bits of every element read as another type of the same size."""
    x, dtype = node.inputs[0], dtype_of(node.attrs["to"])
    source = ctx.type(x).dtype
    if source is dtype:
        return x
    if source.bits != dtype.bits:
        ctx.fail(f"from {source} to {dtype}, which differ in size", "cast to a type of the same size")
    return ctx.add("bitcast", x, source=source, dtype=dtype)
