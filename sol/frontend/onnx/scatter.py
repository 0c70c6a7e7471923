"""ONNX operators that read from and write to computed places: the Gather and Scatter families."""

from __future__ import annotations

from collections.abc import Sequence

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.dim import DimLike, product
from sol.ir.types import DType


@converter("Gather")
def gather(ctx: Context, node: OnnxNode) -> str:
    """``x[:, index]`` along an axis; a known single index is a slice."""
    x, index = node.inputs
    axis = ctx.axis(node.attr("axis", 0), ctx.rank(x))
    size, shape = ctx.size(x)[axis], ctx.size(index)
    known = ctx.known(index) if ctx.type(index).size == 1 else None
    if known is None:
        return ctx.add("take", x, index, dim=axis, checked=node.op)
    at: DimLike = int(known.reshape(-1)[0])
    if at < 0:
        at = size + at
    if isinstance(size, int) and not (isinstance(at, int) and 0 <= at < size):
        ctx.fail(f"index {known.reshape(-1)[0]} is outside of dimension {axis}, which has {size} elements")
    return ctx.reshape(ctx.slice(x, axis, at, at + 1), (*ctx.size(x)[:axis], *shape, *ctx.size(x)[axis + 1 :]))


@converter("GatherElements")
def gather_elements(ctx: Context, node: OnnxNode) -> str:
    x, index = node.inputs
    return ctx.add("gather", x, index, dim=ctx.axis(node.attr("axis", 0), ctx.rank(x)), checked=node.op)


@converter("GatherND")
def gather_nd(ctx: Context, node: OnnxNode) -> str:
    """Elements (or slices) at index tuples: a take from the flattened leading dimensions."""
    x, index = node.inputs
    batch = node.attr("batch_dims", 0)
    shape, places = ctx.size(x), ctx.size(index)
    (depth,) = ctx.fixed(places[-1:], "the length of the index tuples of GatherND")
    at = flat_index(ctx, index, shape[batch : batch + depth])
    if batch:
        ramp = ctx.reshape(_ramp(ctx, product(shape[:batch])), (*places[:batch], *(1,) * (len(places) - 1 - batch)))
        at = ctx.flat_places([ramp, at], (product(shape[:batch]), product(shape[batch : batch + depth])))
    rest = shape[batch + depth :]
    flat = ctx.reshape(x, (product(shape[: batch + depth]), *rest))
    return ctx.reshape(ctx.add("take", flat, ctx.reshape(at, (product(places[:-1]),)), dim=0, checked=node.op), (*places[:-1], *rest))


def _ramp(ctx: Context, size: DimLike) -> str:
    return ctx.add("iota", size=size, start=0, step=1, dtype=DType.I64)


def wrapped(ctx: Context, index: str, size: DimLike) -> str:
    """Negative indices counted from the end."""
    negative = ctx.add("lt", index, ctx.operand(0, DType.I64))
    return ctx.add("where", negative, ctx.add("add", index, ctx.operand(size, DType.I64)), index)


def flat_index(ctx: Context, index: str, sizes: Sequence[DimLike]) -> str:
    """Index tuples in the last dimension as places in the flattened dimensions ``sizes``."""
    index = ctx.cast(index, DType.I64)
    last = ctx.rank(index) - 1
    if ctx.size(index)[last] != len(sizes):
        ctx.fail(f"index tuples of {ctx.size(index)[last]} numbers for {len(sizes)} dimensions")
    parts = [ctx.reshape(ctx.slice(index, last, i, i + 1), ctx.size(index)[:-1]) for i in range(len(sizes))]
    return ctx.flat_places(parts, sizes) if parts else ctx.filled(0, ctx.size(index)[:-1], DType.I64)


@converter("Scatter", "ScatterElements")
def scatter_elements(ctx: Context, node: OnnxNode) -> str:
    x, index, updates = node.inputs
    return _scatter(ctx, node, x, index, updates, ctx.axis(node.attr("axis", 0), ctx.rank(x)))


def _scatter(ctx: Context, node: OnnxNode, x: str, index: str, updates: str, axis: int) -> str:
    """Booleans are reduced as bytes: their sum is whether any holds, their product whether all do."""
    reduction = node.attr("reduction", "none")
    if ctx.type(x).dtype is not DType.BOOL or reduction == "none":
        return ctx.add("scatter", x, index, updates, dim=axis, reduction=reduction, checked=node.op)
    reduction = {"add": "max", "mul": "min"}.get(reduction, reduction)
    x, updates = ctx.cast(x, DType.U8), ctx.cast(updates, DType.U8)
    return ctx.cast(ctx.add("scatter", x, index, updates, dim=axis, reduction=reduction, checked=node.op), DType.BOOL)


@converter("ScatterND")
def scatter_nd(ctx: Context, node: OnnxNode) -> str:
    """Elements (or slices) at index tuples are written over: a scatter of rows into the flattened leading dimensions."""
    x, index, updates = node.inputs
    shape, places = ctx.size(x), ctx.size(index)
    (depth,) = ctx.fixed(places[-1:], "the length of the index tuples of ScatterND")
    count, row = product(places[:-1]), product(shape[depth:])
    at = ctx.expand(ctx.reshape(flat_index(ctx, index, shape[:depth]), (count, 1)), (count, row))
    flat = ctx.reshape(x, (product(shape[:depth]), row))
    return ctx.reshape(_scatter(ctx, node, flat, at, ctx.reshape(updates, (count, row)), 0), shape)


@converter("TensorScatter")
def tensor_scatter(ctx: Context, node: OnnxNode) -> str:
    """``update`` written into a cache, in every batch row from ``write_indices`` on; "circular" wraps around the end."""
    cache, update = node.inputs[:2]
    axis = ctx.axis(node.attr("axis", -2), ctx.rank(cache))
    shape, rank = ctx.size(update), ctx.rank(update)
    at = ctx.reshape(_ramp(ctx, shape[axis]), [shape[axis] if i == axis else 1 for i in range(rank)])
    if node.input(2) is not None:
        first = ctx.reshape(ctx.cast(node.inputs[2], DType.I64), (shape[0], *(1,) * (rank - 1)))
        at = ctx.add("add", first, at)
    if node.attr("mode", "linear") == "circular":
        at = ctx.add("remainder", at, ctx.operand(ctx.size(cache)[axis], DType.I64))
    return ctx.add("scatter", cache, ctx.expand(at, shape), update, dim=axis, checked=node.op, signed=False)
