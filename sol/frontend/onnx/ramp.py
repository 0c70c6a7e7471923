"""ONNX operators whose result is made of indices: triangles and one-hot vectors."""

from __future__ import annotations

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.scatter import wrapped
from sol.frontend.onnx.source import check_size
from sol.ir.dim import DimLike
from sol.ir.types import DType


def ramp(ctx: Context, size: DimLike, rank: int, axis: int) -> str:
    """0, 1, … along one of ``rank`` dimensions, the others of size 1; i64."""
    values = ctx.add("iota", size=size, start=0, step=1, dtype=DType.I64)
    return ctx.reshape(values, [size if i == axis else 1 for i in range(rank)])


@converter("Trilu")
def trilu(ctx: Context, node: OnnxNode) -> str:
    """The upper or lower triangle, counted from diagonal k, which may be known only at run time."""
    x, rank = node.inputs[0], ctx.rank(node.inputs[0])
    rows, columns = ctx.size(x)[-2:]
    row = ramp(ctx, rows, 2, 0)
    if node.input(1) is not None:
        row = ctx.add("add", row, ctx.reshape(ctx.cast(node.inputs[1], DType.I64), ()))
    inside = ctx.add("ge" if node.attr("upper", 1) else "le", ramp(ctx, columns, 2, 1), row)
    return ctx.add("where", ctx.reshape(inside, (*(1,) * (rank - 2), rows, columns)), x, ctx.operand(0, ctx.type(x).dtype))


@converter("OneHot")
def one_hot(ctx: Context, node: OnnxNode) -> str:
    """``values[1]`` where the new axis has the index, else ``values[0]``; an index outside of ``-depth..depth - 1`` is nowhere."""
    index, depth, values = node.inputs
    rank = ctx.rank(index) + 1
    axis = ctx.axis(node.attr("axis", -1), rank)
    (size,) = ctx.dims(ctx.cast(depth, DType.I64), "the depth of OneHot")
    shape = (*ctx.size(index)[:axis], 1, *ctx.size(index)[axis:])
    check_size(ctx, (size, *ctx.size(index)))
    place = ctx.reshape(wrapped(ctx, ctx.cast(index, DType.I64), size), shape)
    hot = ctx.add("eq", place, ramp(ctx, size, rank, axis))
    off, on = (ctx.reshape(ctx.slice(values, 0, i, i + 1), ()) for i in range(2))
    return ctx.add("where", hot, on, off)
