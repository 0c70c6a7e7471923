"""ONNX sequences and optionals: structures of the import, of which nothing is left in the graph."""

from __future__ import annotations

from typing import Any

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.move import joined, parts
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.dim import Dim, DimLike
from sol.ir.types import DType


def _place(ctx: Context, node: OnnxNode, operand: int, count: int, default: int) -> int:
    """A position in a sequence of ``count`` elements, counted from the start."""
    value = node.input(operand)
    at = default if value is None else int(ctx.number(value, f"the position of {node.op}"))
    if not -count <= at < max(count, 1):
        ctx.fail(f"position {at} is outside of a sequence of {count}")
    return at + count if at < 0 else at


@converter("SequenceConstruct")
def sequence_construct(ctx: Context, node: OnnxNode) -> tuple[tuple[Any, ...]]:
    return (tuple(node.inputs),)


@converter("SequenceEmpty")
def sequence_empty(ctx: Context, node: OnnxNode) -> tuple[tuple[Any, ...]]:
    return ((),)


@converter("SequenceAt")
def sequence_at(ctx: Context, node: OnnxNode) -> Any:
    elements = node.inputs[0]
    return elements[_place(ctx, node, 1, len(elements), 0)]


@converter("SequenceInsert")
def sequence_insert(ctx: Context, node: OnnxNode) -> tuple[tuple[Any, ...]]:
    """Position -1 is before the last element; at the back if none is given."""
    elements, new = node.inputs[0], node.inputs[1]
    at = len(elements) if node.input(2) is None else int(ctx.number(node.inputs[2], "the position of SequenceInsert"))
    if not -len(elements) <= at <= len(elements):
        ctx.fail(f"position {at} is outside of a sequence of {len(elements)}")
    at = at + len(elements) if at < 0 else at
    return ((*elements[:at], new, *elements[at:]),)


@converter("SequenceErase")
def sequence_erase(ctx: Context, node: OnnxNode) -> tuple[tuple[Any, ...]]:
    elements = node.inputs[0]
    at = _place(ctx, node, 1, len(elements), -1)
    return ((*elements[:at], *elements[at + 1 :]),)


@converter("SequenceLength")
def sequence_length(ctx: Context, node: OnnxNode) -> str:
    return ctx.constant(len(node.inputs[0]), DType.I64)


@converter("ConcatFromSequence")
def concat_from_sequence(ctx: Context, node: OnnxNode) -> str:
    elements = node.inputs[0]
    if not elements:
        ctx.fail("an empty sequence has nothing to concatenate")
    new = node.attr("new_axis", 0)
    axis = ctx.axis(node.attrs["axis"], ctx.rank(elements[0]) + new)
    if new:
        elements = [ctx.reshape(e, (*ctx.size(e)[:axis], 1, *ctx.size(e)[axis:])) for e in elements]
    return joined(ctx, elements, axis)


@converter("SplitToSequence")
def split_to_sequence(ctx: Context, node: OnnxNode) -> tuple[tuple[str, ...]]:
    """Parts of given sizes, of one size (the last may be smaller), or single elements without the axis unless ``keepdims``."""
    x = node.inputs[0]
    axis = ctx.axis(node.attr("axis", 0), ctx.rank(x))
    size: DimLike = ctx.size(x)[axis]
    if node.input(1) is not None and ctx.rank(node.inputs[1]):
        return (tuple(parts(ctx, x, axis, ctx.dims(node.inputs[1], "the sizes of SplitToSequence"))),)
    (length,) = ctx.fixed((size,), "the number of parts of SplitToSequence") if isinstance(size, Dim) else (int(size),)
    each = 1 if node.input(1) is None else int(ctx.number(node.inputs[1], "the size of SplitToSequence"))
    found = parts(ctx, x, axis, [min(each, length - i) for i in range(0, length, each)])
    if node.input(1) is None and not node.attr("keepdims", 1):
        found = [ctx.reshape(p, (*ctx.size(p)[:axis], *ctx.size(p)[axis + 1 :])) for p in found]
    return (tuple(found),)


@converter("SequenceMap")
def sequence_map(ctx: Context, node: OnnxNode) -> tuple[Any, ...]:
    """The body once per element; further operands are sequences walked along, or tensors given to every call."""
    first, others, body = node.inputs[0], node.inputs[1:], node.attrs["body"]
    rows = []
    for i, element in enumerate(first):
        operands = [o[i] if isinstance(o, tuple) else o for o in others]
        rows.append(ctx.graph(body, [element, *operands]))
    return tuple(tuple(row[k] for row in rows) for k in range(len(node.outputs)))


@converter("Optional")
def optional(ctx: Context, node: OnnxNode) -> tuple[Any]:
    return (node.input(0),)


@converter("OptionalHasElement")
def optional_has_element(ctx: Context, node: OnnxNode) -> str:
    return ctx.constant(node.input(0) is not None, DType.BOOL)


@converter("OptionalGetElement")
def optional_get_element(ctx: Context, node: OnnxNode) -> tuple[Any]:
    if node.input(0) is None:
        ctx.fail("the optional is empty", "ask OptionalHasElement first")
    return (node.inputs[0],)
