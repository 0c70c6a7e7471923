"""ONNX operators that only look at a tensor differently: reshape, transpose, expand, slice, split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sol.errors import ModelError
from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.dim import Dim, DimLike, UndecidedError, ceil_div, dim_min, product, symbols


@converter("Identity")
def identity(ctx: Context, node: OnnxNode) -> Any:
    (x,) = node.inputs
    return (x,)


@converter("Reshape")
def reshape(ctx: Context, node: OnnxNode) -> Any:
    """A size of 0 is that of the operand (unless ``allowzero``), one of -1 what is left."""
    x, shape = node.inputs
    wanted = ctx.dims(shape, "the shape of Reshape")
    if isinstance(x, np.ndarray):
        return x.reshape(ctx.fixed(wanted, "the shape of a tensor of strings"))
    sizes = ctx.size(x)
    if not node.attr("allowzero", 0):
        wanted = tuple(sizes[i] if isinstance(d, int) and d == 0 else d for i, d in enumerate(wanted))
    return ctx.reshape(x, completed(ctx, sizes, wanted))


def completed(ctx: Context, sizes: Sequence[DimLike], wanted: Sequence[DimLike]) -> tuple[DimLike, ...]:
    """A shape whose -1 is computed from the number of elements."""
    free = [i for i, d in enumerate(wanted) if isinstance(d, int) and d == -1]
    if not free:
        return tuple(wanted)
    if len(free) > 1:
        raise ModelError(f"{ctx.describe()}: the shape {list(wanted)} has more than one -1", origin=ctx.node.name)
    rest = product(d for i, d in enumerate(wanted) if i != free[0])
    total = product(sizes)
    if isinstance(rest, int) and rest == 0:
        size: DimLike = 0
    else:
        size = total // rest
    return tuple(size if i == free[0] else d for i, d in enumerate(wanted))


@converter("Flatten")
def flatten(ctx: Context, node: OnnxNode) -> str:
    (x,) = node.inputs
    sizes = ctx.size(x)
    axis = node.attr("axis", 1)
    axis = axis + len(sizes) if axis < 0 else axis
    return ctx.reshape(x, (product(sizes[:axis]), product(sizes[axis:])))


def _axes(ctx: Context, node: OnnxNode, rank: int) -> tuple[int, ...] | None:
    """``axes`` as an attribute (before opset 13) or an operand, non-negative and sorted; None if absent."""
    axes = node.attr("axes")
    if node.input(1) is not None:
        axes = tuple(int(a) for a in ctx.need(node.input(1), "the axes").ravel())
    if axes is None:
        return None
    found = sorted(a + rank if a < 0 else a for a in axes)
    if len(set(found)) < len(found) or any(not 0 <= a < rank for a in found):
        raise ModelError(f"{ctx.describe()}: axes {list(axes)} do not fit {rank} dimensions", origin=node.name)
    return tuple(found)


@converter("Squeeze")
def squeeze(ctx: Context, node: OnnxNode) -> str:
    x = node.inputs[0]
    sizes = ctx.size(x)
    axes = _axes(ctx, node, len(sizes))
    if axes is None:
        axes = tuple(i for i, d in enumerate(sizes) if isinstance(d, int) and d == 1)
    if any(not isinstance(sizes[a], int) or sizes[a] != 1 for a in axes):
        ctx.fixed([sizes[a] for a in axes], "a squeezed size")
        raise ModelError(f"{ctx.describe()}: {list(sizes)} has no size 1 at {list(axes)}", origin=node.name)
    return ctx.reshape(x, tuple(d for i, d in enumerate(sizes) if i not in axes))


@converter("Unsqueeze")
def unsqueeze(ctx: Context, node: OnnxNode) -> str:
    x = node.inputs[0]
    axes = node.attr("axes")
    if node.input(1) is not None:
        axes = tuple(int(a) for a in ctx.need(node.inputs[1], "the axes of Unsqueeze").ravel())
    rank = ctx.rank(x) + len(axes)
    places = {a + rank if a < 0 else a for a in axes}
    if len(places) < len(axes) or any(not 0 <= a < rank for a in places):
        raise ModelError(f"{ctx.describe()}: axes {list(axes)} do not fit {rank} dimensions", origin=node.name)
    rest = iter(ctx.size(x))
    return ctx.reshape(x, tuple(1 if i in places else next(rest) for i in range(rank)))


@converter("Transpose")
def transpose(ctx: Context, node: OnnxNode) -> str:
    (x,) = node.inputs
    return ctx.permute(x, node.attr("perm") or range(ctx.rank(x))[::-1])


@converter("Expand")
def expand(ctx: Context, node: OnnxNode) -> str:
    x, shape = node.inputs
    return broadcast_to(ctx, x, ctx.dims(shape, "the shape of Expand"))


def broadcast_to(ctx: Context, x: str, wanted: Sequence[DimLike]) -> str:
    """numpy's broadcasting between a value and a shape, in both directions."""
    sizes = ctx.size(x)
    rank = max(len(sizes), len(wanted))
    padded = (1,) * (rank - len(sizes)) + tuple(sizes)
    target = (1,) * (rank - len(wanted)) + tuple(wanted)
    both = tuple(a if isinstance(b, int) and b == 1 else b for a, b in zip(padded, target))
    return ctx.expand(x, both)


_TO_THE_END = (2**31 - 1, 2**63 - 1)


@converter("Slice", since=1)
def slice_attributes(ctx: Context, node: OnnxNode) -> str:
    starts, ends = node.attrs["starts"], node.attrs["ends"]
    return _sliced(ctx, node.inputs[0], starts, ends, node.attr("axes"), None)


@converter("Slice", since=10)
def slice_(ctx: Context, node: OnnxNode) -> str:
    x, starts, ends = node.inputs[:3]
    steps = None if node.input(4) is None else tuple(int(s) for s in ctx.need(node.input(4), "the steps of Slice").ravel())
    axes = None if node.input(3) is None else tuple(int(a) for a in ctx.need(node.input(3), "the axes of Slice").ravel())
    return _sliced(ctx, x, ctx.dims(starts, "the starts of Slice"), ctx.dims(ends, "the ends of Slice"), axes, steps)


def _sliced(ctx: Context, x: str, starts: Sequence[DimLike], ends: Sequence[DimLike], axes: Sequence[int] | None,
            steps: Sequence[int] | None) -> str:  # fmt: skip
    rank = ctx.rank(x)
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise ModelError(f"{ctx.describe()}: starts, ends, axes and steps do not belong together", origin=ctx.node.name)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        axis = axis + rank if axis < 0 else axis
        x = cut(ctx, x, axis, start, end, int(step))
    return x


def cut(ctx: Context, x: str, axis: int, start: DimLike, end: DimLike, step: int) -> str:
    """``x[start:end:step]`` along one dimension; a negative step runs backwards.

    It is as in Python, but backwards a start before the first element is that element, and the largest integers end behind the last
    element in the direction of the step, as onnxruntime has it.
    """
    try:
        return _cut(ctx, x, axis, start, end, step)
    except UndecidedError as error:
        if any(s.name in ctx.builder.data_sizes for s in symbols(error.difference)):
            ctx.fixed([start, end, ctx.size(x)[axis]], "whether a slice is empty")
        raise


def _cut(ctx: Context, x: str, axis: int, start: DimLike, end: DimLike, step: int) -> str:
    size = ctx.size(x)[axis]
    if step > 0:
        first, last = _inside(ctx, start, size, 0, size), _inside(ctx, end, size, 0, size)
        last = last if last >= first else first
        return ctx.slice(x, axis, first, last, step)
    first = _inside(ctx, start, size, 0, size - 1)
    last = -1 if end in _TO_THE_END else _inside(ctx, end, size, -1, size - 1)
    flipped = ctx.add("flip", x, dims=(axis,))
    a, b = size - 1 - first, size - 1 - last
    return ctx.slice(flipped, axis, a, b if b >= a else a, -step)


def _inside(ctx: Context, position: DimLike, size: DimLike, low: DimLike, high: DimLike) -> DimLike:
    """A bound of a slice, counted from the end if negative, limited to ``low..high``; ``high`` where that is less than ``low``."""
    if isinstance(position, int):
        if position < 0:
            if position <= -(2**31) + 1:
                return low
            position = size + position
        elif position >= 2**31 - 1:
            return high
    if position == high:
        return high
    if not isinstance(position, Dim) and not isinstance(low, Dim) and not isinstance(high, Dim):
        return min(max(position, low), high)
    position = position if position >= low else low
    try:
        return position if position <= high else high
    except UndecidedError as error:
        found = symbols(error.difference)
        if len(found) == 1 and found[0].name not in ctx.builder.data_sizes:
            raise  # the model is imported for a range of that size
        return dim_min(position, high)


@converter("Split")
def split(ctx: Context, node: OnnxNode) -> tuple[str, ...]:
    x = node.inputs[0]
    axis = ctx.axis(node.attr("axis", 0), ctx.rank(x))
    size = ctx.size(x)[axis]
    lengths = node.attr("split")
    if node.input(1) is not None:
        lengths = ctx.dims(node.inputs[1], "the lengths of Split")
    if lengths is None:
        count = node.attr("num_outputs", len(node.outputs))
        each = ceil_div(size, count)
        last = size - each * (count - 1)
        lengths = (*[each] * (count - 1), last)
        if isinstance(size, int) or (count > 2 and last < 0):  # the last ones may be empty
            (size,) = ctx.fixed([size], "whether parts of Split are empty")
            lengths = tuple(min(each, max(size - each * i, 0)) for i in range(count))
    total: DimLike = sum(lengths, 0)
    if total != size:
        ctx.fixed([total, size], "whether the lengths of Split fit")
    if len(lengths) < len(node.outputs) or total != size:
        raise ModelError(f"{ctx.describe()}: lengths {list(lengths)} do not fit {len(node.outputs)} outputs of size {size}",
                         origin=node.name)  # fmt: skip
    parts = []
    start: DimLike = 0
    for length in lengths[: len(node.outputs)]:
        parts.append(ctx.slice(x, axis, start, start + length))
        start = start + length
    return tuple(parts)
