"""ATen ops that only look at a tensor differently: reshape, permute, expand, slice and what is made of them."""

from __future__ import annotations

from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.dim import Dim, DimLike


@converter("view.default", "reshape.default", "_unsafe_view.default", "flatten.using_ints", "unflatten.int", "squeeze.default",
           "squeeze.dim", "squeeze.dims", "unsqueeze.default", "view_copy.default", "squeeze_copy.dim", "squeeze_copy.dims",
           "unsqueeze_copy.default", "view_as.default", "reshape_as.default", "_reshape_copy.default", "ravel.default",
           "atleast_1d.default", "atleast_2d.default", "_reshape_alias.default")  # fmt: skip
def reshape(ctx: Context, x: str, *_: Any, **__: Any) -> str:
    return ctx.reshape(x, ctx.shape)


@converter("permute.default", "permute_copy.default")
def permute(ctx: Context, x: str, dims: tuple[int, ...]) -> str:
    rank = ctx.rank(x)
    return ctx.permute(x, [ctx.axis(d, rank) for d in dims])


@converter("transpose.int", "swapaxes.default", "swapdims.default", "transpose_copy.int")
def transpose(ctx: Context, x: str, dim0: int, dim1: int) -> str:
    rank = ctx.rank(x)
    order = list(range(rank))
    if rank:
        a, b = ctx.axis(dim0, rank), ctx.axis(dim1, rank)
        order[a], order[b] = order[b], order[a]
    return ctx.permute(x, order)


@converter("t.default", "t_copy.default", "numpy_T.default")
def reverse_dims(ctx: Context, x: str) -> str:
    return ctx.permute(x, range(ctx.rank(x))[::-1])


@converter("mT.default", "adjoint.default", "matrix_H.default")
def matrix_transpose(ctx: Context, x: str) -> str:
    return transpose(ctx, x, -2, -1)


@converter("movedim.int", "moveaxis.int", "movedim.intlist", "moveaxis.intlist")
def movedim(ctx: Context, x: str, source: Any, destination: Any) -> str:
    rank = ctx.rank(x)
    pairs = [(source, destination)] if isinstance(source, int) else zip(source, destination)
    order: list[int | None] = [None] * rank
    for a, b in pairs:
        order[ctx.axis(b, rank)] = ctx.axis(a, rank)
    rest = iter(d for d in range(rank) if d not in order)
    return ctx.permute(x, [next(rest) if d is None else d for d in order])


@converter("expand.default", "expand_as.default", "expand_copy.default", "broadcast_to.default")
def expand(ctx: Context, x: str, *_: Any, **__: Any) -> str:
    return ctx.expand(x, ctx.shape)


@converter("slice.Tensor", "slice_copy.Tensor")
def slice_(ctx: Context, x: str, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> str:
    axis = ctx.axis(dim, ctx.rank(x))
    return span(ctx, x, axis, start, ctx.shape[axis], step)


@converter("narrow.default", "narrow_copy.default")
def narrow(ctx: Context, x: str, dim: int, start: Any, length: Any) -> str:
    axis = ctx.axis(dim, ctx.rank(x))
    return span(ctx, x, axis, start, length, 1)


def span(ctx: Context, x: str, axis: int, start: Any, length: DimLike, step: int) -> str:
    """``length`` elements from ``start`` (torch's rules for negative and out-of-range starts) in steps of ``step``."""
    size = ctx.size(x)[axis]
    first = clip(size, 0 if start is None else start)
    if isinstance(length, int) and length == 0:
        return ctx.add("slice", x, dim=axis, start=0, stop=0, step=1)
    return ctx.slice(x, axis, first, first + (length - 1) * step + 1, step)


def clip(size: DimLike, start: DimLike) -> DimLike:
    """A start index made non-negative and at most ``size``."""
    if isinstance(start, str):
        raise Fallback("a slice bound depends on the data")
    if isinstance(start, int) and start < 0:
        if isinstance(size, int):
            return max(size + start, 0)
        return size + start if size + start >= 0 else 0
    if isinstance(start, int) and isinstance(size, int):
        return min(start, size)
    return start


@converter("select.int", "select_copy.int")
def select(ctx: Context, x: str, dim: int, index: Any) -> str:
    axis = ctx.axis(dim, ctx.rank(x))
    size = ctx.size(x)[axis]
    if isinstance(index, int) and index < 0:
        index = size + index
    return ctx.reshape(ctx.slice(x, axis, index, index + 1), ctx.shape)


@converter("split.Tensor", "split.sizes", "split_with_sizes.default", "chunk.default", "tensor_split.sections", "tensor_split.indices",
           "split_copy.Tensor", "split_with_sizes_copy.default", "unsafe_split.Tensor", "unsafe_chunk.default",
           "unsafe_split_with_sizes.default")  # fmt: skip
def split(ctx: Context, x: str, _sizes: Any, dim: int = 0) -> tuple[str, ...]:
    axis = ctx.axis(dim, ctx.rank(x))
    parts: list[str] = []
    start: DimLike = 0
    for i in range(ctx.result_count()):
        length = ctx.result(i).shape[axis]
        parts.append(ctx.slice(x, axis, start, start + length))
        start = start + length
    return tuple(parts)


@converter("unbind.int", "unbind_copy.int")
def unbind(ctx: Context, x: str, dim: int = 0) -> tuple[str, ...]:
    axis = ctx.axis(dim, ctx.rank(x))
    return tuple(ctx.reshape(ctx.slice(x, axis, i, i + 1), ctx.result(i).shape) for i in range(ctx.result_count()))


@converter("diagonal.default", "diagonal_copy.default")
def diagonal(ctx: Context, x: str, offset: int = 0, dim1: int = 0, dim2: int = 1) -> str:
    """Elements ``(i, i + offset)``: the two dimensions flattened and sliced with step ``columns + 1``."""
    rank = ctx.rank(x)
    a, b = ctx.axis(dim1, rank), ctx.axis(dim2, rank)
    order = [d for d in range(rank) if d not in (a, b)] + [a, b]
    x = ctx.permute(x, order)
    *rest, rows, columns = ctx.size(x)
    rows, columns = ctx.fixed((rows, columns), "diagonal")
    length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    first = offset if offset >= 0 else -offset * columns
    flat = ctx.reshape(x, (*rest, rows * columns))
    return span(ctx, flat, len(rest), first, length, columns + 1)


@converter("unfold.default")
def unfold(ctx: Context, x: str, dim: int, size: int, step: int) -> str:
    """Windows along one dimension, as slices stacked in a new last dimension."""
    if not ctx.rank(x):
        x = ctx.reshape(x, (1,))
        return ctx.slice(x, 0, 0, size)  # of a number: one window of one element, or of none
    axis = ctx.axis(dim, ctx.rank(x))
    count = ctx.shape[axis]
    if isinstance(count, Dim) or size > 64:
        raise Fallback("unfold over a long or symbolic dimension")
    parts = [span(ctx, x, axis, i, count, step) for i in range(size)]
    return ctx.concat([ctx.reshape(p, (*ctx.size(p), 1)) for p in parts], ctx.rank(x))
