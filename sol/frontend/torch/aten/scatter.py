"""ATen ops that write to computed places: index_put and its kin, scatter with every reduction, masks whose elements come from a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.move import flat_places
from sol.frontend.torch.aten.reduce import length
from sol.ir.dim import product
from sol.ir.types import DType

REDUCTIONS = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "amax": "max", "amin": "min", "mean": "add"}
"""torch's names → those of the op ``scatter``; a mean is a sum that is divided afterwards."""


def _line(ctx: Context, x: str) -> str:
    """A 0-d operand as a vector of one element."""
    return x if ctx.rank(x) else ctx.reshape(x, (1,))


def _write(ctx: Context, x: str, dim: int, index: str, source: str, reduction: str = "none", signed: bool = False) -> str:
    """x with the elements of ``source`` (broadcast to the index) written along one dimension; index of x's rank, a vector, or empty.

    signed: a negative index counts from the end, else it is out of range.
    """
    if ctx.type(index).size == 0:
        return x
    shape = ctx.shape
    line, axis = _line(ctx, x), ctx.axis(dim, ctx.rank(x))
    dtype = ctx.type(line).dtype
    if dtype is DType.BOOL and reduction != "none":
        raise Fallback("a reduction of bools")
    index, source = _line(ctx, index), _line(ctx, ctx.cast(source, dtype))
    for i, (have, wanted) in enumerate(zip(ctx.size(source), ctx.size(index))):
        source = source if have == 1 else ctx.slice(source, i, 0, wanted)
    source = ctx.expand(source, ctx.size(index))
    return ctx.reshape(ctx.add("scatter", line, index, source, dim=axis, reduction=reduction, checked=ctx.operation, signed=signed), shape)


def _slices(ctx: Context, x: str, dim: int, index: str) -> str:
    """A vector of places along a dimension as the index of whole slices."""
    sizes = list(ctx.size(_line(ctx, x)))
    axis = ctx.axis(dim, ctx.rank(x))
    index = _line(ctx, index)
    sizes[axis] = ctx.size(index)[0]
    column = ctx.reshape(index, [n if i == axis else 1 for i, n in enumerate(sizes)])
    return ctx.expand(column, sizes)


@converter("scatter.src", "scatter.value")
def scatter(ctx: Context, x: str, dim: int, index: str, source: Any) -> str:
    return _write(ctx, x, dim, index, ctx.operand(source, ctx.type(x).dtype))


@converter("one_hot.default")
def one_hot(ctx: Context, index: str, num_classes: int = -1) -> str:
    """A row of zeros with a one for each class; a class that is out of range is an error of the call."""
    if isinstance(num_classes, int) and num_classes < 0:
        raise Fallback("the number of classes depends on the data")
    zeros = ctx.filled(0, (*ctx.size(index), num_classes), DType.I64)
    column = ctx.reshape(index, (*ctx.size(index), 1))
    return _write(ctx, zeros, -1, column, ctx.constant(1, DType.I64))


@converter("scatter.reduce", "scatter.value_reduce")
def scatter_reduced(ctx: Context, x: str, dim: int, index: str, source: Any, *, reduce: str) -> str:
    return _write(ctx, x, dim, index, ctx.operand(source, ctx.type(x).dtype), REDUCTIONS[reduce])


@converter("scatter_add.default")
def scatter_add(ctx: Context, x: str, dim: int, index: str, source: str) -> str:
    return _write(ctx, x, dim, index, source, "add")


@converter("scatter_reduce.two")
def scatter_reduce(ctx: Context, x: str, dim: int, index: str, source: str, reduce: str, include_self: bool = True) -> str:
    return _reduced(ctx, x, dim, index, source, reduce, include_self)


@converter("index_reduce.default")
def index_reduce(ctx: Context, x: str, dim: int, index: str, source: str, reduce: str, include_self: bool = True) -> str:
    return _reduced(ctx, x, dim, _slices(ctx, x, dim, index), source, reduce, include_self)


def _reduced(ctx: Context, x: str, dim: int, index: str, source: str, reduce: str, include_self: bool) -> str:
    """A scatter by any reduction; without x's own elements, those that are met begin with the neutral one."""
    dtype, op = ctx.type(x).dtype, REDUCTIONS[reduce]
    start = x if include_self else _write(ctx, x, dim, index, ctx.constant(_neutral(dtype, op), dtype))
    y = _write(ctx, start, dim, index, source, op)
    if reduce != "mean":
        return y
    one, none = ctx.constant(1, dtype), ctx.filled(0, ctx.size(x), dtype)
    count = _write(ctx, none, dim, index, one, "add")
    if include_self:
        count = ctx.add("add", count, one)
    count = ctx.add("maximum", count, one)
    return ctx.add("div" if dtype.is_float else "floor_divide", y, count)


def _neutral(dtype: DType, op: str) -> float | int:
    """What a reduction begins with."""
    if op in ("add", "mul"):
        return 0 if op == "add" else 1
    if dtype.is_float:
        return float("-inf") if op == "max" else float("inf")
    limits = np.iinfo(dtype.numpy)
    return int(limits.min if op == "max" else limits.max)


@converter("index_add.default")
def index_add(ctx: Context, x: str, dim: int, index: str, source: str, *, alpha: Any = 1) -> str:
    if ctx.rank(x) != ctx.rank(source):
        raise Fallback("torch refuses a source of another rank")
    if alpha != 1:
        source = ctx.add("mul", source, ctx.operand(alpha, ctx.type(source).dtype))
    return _write(ctx, x, dim, _slices(ctx, x, dim, index), source, "add")


@converter("index_copy.default")
def index_copy(ctx: Context, x: str, dim: int, index: str, source: str) -> str:
    return _write(ctx, x, dim, _slices(ctx, x, dim, index), source)


@converter("index_fill.int_Scalar", "index_fill.int_Tensor")
def index_fill(ctx: Context, x: str, dim: int, index: str, value: Any) -> str:
    return _write(ctx, x, dim, _slices(ctx, x, dim, index), ctx.operand(value, ctx.type(x).dtype), signed=True)


@converter("put.default")
def put(ctx: Context, x: str, index: str, source: str, accumulate: bool = False) -> str:
    """Places in the flattened operand."""
    shape, count = ctx.size(x), ctx.type(index).size
    flat, places = ctx.reshape(x, (ctx.type(x).size,)), ctx.reshape(index, (count,))
    if accumulate and ctx.dtype is DType.BOOL:
        raise Fallback("a reduction of bools")
    reduction = "add" if accumulate else "none"
    y = ctx.add("scatter", flat, places, ctx.reshape(source, (count,)), dim=0, reduction=reduction, checked="put")
    return ctx.reshape(y, shape)


@converter("index_put.default", "_unsafe_index_put.default", "_index_put_impl.default")
def index_put(ctx: Context, x: str, indices: Sequence[str | None], values: str, accumulate: bool = False, unsafe: bool = False) -> str:
    """``x[indices] = values`` (or ``+=``): the indexed dimensions flattened into one, along which slices are written."""
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    dtype = ctx.dtype
    values = ctx.cast(values, dtype)
    if any(ctx.type(i).dtype in (DType.BOOL, DType.U8) for _, i in given):
        return _masked_put(ctx, x, given, values, accumulate)
    if accumulate and dtype is DType.BOOL:
        raise Fallback("a reduction of bools")
    if not given:
        y = ctx.expand(values, ctx.size(x))
        return ctx.add("add", x, y) if accumulate else y
    order, first, place, sizes = flat_places(ctx, x, given)
    turned = ctx.permute(x, order)
    size, chosen = ctx.size(turned), ctx.size(place)
    before, after = size[:first], size[first + len(sizes) :]
    values = ctx.expand(values, (*before, *chosen, *after))
    count = ctx.type(place).size
    lines = ctx.reshape(turned, (*before, product(sizes), *after))
    column = ctx.reshape(place, (*(1,) * len(before), count, *(1,) * len(after)))
    updates = ctx.reshape(values, (*before, count, *after))
    index, reduction = ctx.expand(column, ctx.size(updates)), "add" if accumulate else "none"
    y = ctx.add("scatter", lines, index, updates, dim=first, reduction=reduction, checked="index_put")
    return ctx.permute(ctx.reshape(y, size), [order.index(d) for d in range(len(order))])


def _masked_put(ctx: Context, x: str, given: Sequence[tuple[int, str]], values: str, accumulate: bool) -> str:
    """One value (or one for all of the slices behind a mask) where a mask says so."""
    (dim, mask), *others = given
    if others:
        raise Fallback("writing by a mask beside other indices")
    rank, depth = ctx.rank(x), ctx.rank(mask)
    after = rank - dim - depth
    size = (1,) * (after + 1 - ctx.rank(values)) + ctx.size(values)
    if len(size) > after + 1 or size[0] != 1:
        raise Fallback("writing by a mask: the number of values depends on the data")
    where = ctx.reshape(ctx.cast(mask, DType.BOOL), (*ctx.size(mask), *(1,) * after))
    values = ctx.reshape(values, size[1:])
    return ctx.add("where", where, ctx.add("add", x, values) if accumulate else values, x)


@converter("masked_scatter.default")
def masked_scatter(ctx: Context, x: str, mask: str, source: str) -> str:
    """Where the mask is true the next element of ``source``: its place is the number of trues before."""
    shape, count = ctx.shape, ctx.type(source).size
    if count == 0:
        raise Fallback("a list of no elements")
    mask = ctx.expand(mask, shape)
    flat = ctx.cast(ctx.reshape(mask, (ctx.type(mask).size,)), DType.I64)
    place = ctx.add("sub", ctx.add("cumsum", flat, dim=0), ctx.operand(1, DType.I64))
    place = ctx.add("maximum", place, ctx.operand(0, DType.I64))
    taken = ctx.add("take", ctx.reshape(source, (count,)), place, dim=0)
    return ctx.add("where", mask, ctx.reshape(taken, shape), ctx.expand(x, shape))


@converter("diagonal_scatter.default")
def diagonal_scatter(ctx: Context, x: str, source: str, offset: int = 0, dim1: int = 0, dim2: int = 1) -> str:
    """The two dimensions flattened, along which every ``columns + 1``-th element is written."""
    rank = ctx.rank(x)
    a, b = ctx.axis(dim1, rank), ctx.axis(dim2, rank)
    order = [d for d in range(rank) if d not in (a, b)] + [a, b]
    turned = ctx.permute(x, order)
    *rest, rows, columns = ctx.size(turned)
    rows, columns = ctx.fixed((rows, columns), "diagonal_scatter")
    length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    places = (offset if offset >= 0 else -offset * columns) + (columns + 1) * np.arange(length)
    index = ctx.expand(ctx.constant(places.astype(np.int64), DType.I64), (*rest, length))
    y = ctx.add("scatter", ctx.reshape(turned, (*rest, rows * columns)), index, source, dim=len(rest))
    return ctx.permute(ctx.reshape(y, (*rest, rows, columns)), [order.index(d) for d in range(rank)])


def _unpool(spatial: int) -> None:
    @converter(f"max_unpool{spatial}d.default")
    def convert(ctx: Context, x: str, places: str, *_: object) -> str:
        """Elements back at the places in their maps where pooling found them, zeros elsewhere."""
        lead, sizes = ctx.shape[:-spatial], ctx.shape[-spatial:]
        count = product(ctx.size(x)[-spatial:])
        if count == 0:
            return ctx.filled(0.0, ctx.shape, ctx.dtype)
        flat, index = ctx.reshape(x, (*lead, count)), ctx.reshape(places, (*lead, count))
        empty = ctx.filled(0.0, (*lead, product(sizes)), ctx.dtype)
        y = ctx.add("scatter", empty, index, flat, dim=len(lead), checked="max_unpool", signed=False)
        return ctx.reshape(y, ctx.shape)


_unpool(2)
_unpool(3)


@converter("embedding_renorm.default")
def embedding_renorm(ctx: Context, weight: str, index: str, max_norm: float, norm_type: float) -> str:
    """The table [count, E], in which rows that ``index`` names and whose norm is above ``max_norm`` are shortened to it."""
    places, dtype = ctx.reshape(index, (ctx.type(index).size,)), ctx.type(weight).dtype
    rows = ctx.add("take", weight, places, dim=0, checked="embedding_renorm")
    wide = DType.F64 if dtype is DType.F64 else DType.F32  # in which torch divides and multiplies; norms are rounded to the table's type
    norm = ctx.cast(ctx.cast(length(ctx, ctx.cast(rows, wide), norm_type, (1,), True), dtype), wide)
    factor = ctx.add("div", ctx.operand(max_norm, wide), ctx.add("add", norm, ctx.operand(1e-7, wide)))  # as torch has it
    shorter = ctx.cast(ctx.add("mul", ctx.cast(rows, wide), factor), dtype)
    chosen = ctx.add("where", ctx.add("gt", norm, ctx.operand(max_norm, wide)), shorter, rows)
    return _write(ctx, weight, 0, _slices(ctx, weight, 0, places), chosen)


@converter("embedding_dense_backward.default")
def embedding_grad(ctx: Context, grad: str, index: str, count: int, padding_idx: int, scale_grad_by_freq: bool) -> str:
    """The gradient of a table [count, E]: rows of ``grad`` [..., E] added up where ``index`` says, but for the row of padding."""
    if scale_grad_by_freq:
        raise Fallback("gradients divided by how often a row is read")
    width, dtype = ctx.size(grad)[-1], ctx.type(grad).dtype
    rows = product(ctx.size(index))
    index = ctx.cast(ctx.reshape(index, (rows, 1)), DType.I64)
    if padding_idx >= 0:  # a place out of range, which changes nothing
        is_padding = ctx.add("eq", index, ctx.operand(padding_idx, DType.I64))
        index = ctx.add("where", is_padding, ctx.operand(count, DType.I64), index)
    updates, places = ctx.reshape(grad, (rows, width)), ctx.expand(index, (rows, width))
    return ctx.add("scatter", ctx.filled(0.0, (count, width), dtype), places, updates, dim=0, reduction="add", signed=False)
