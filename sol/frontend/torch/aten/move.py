"""ATen ops that move data: concatenation, padding, indexing, repetition, shuffles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.resample import repeat_each
from sol.frontend.torch.aten.view import clip
from sol.ir.dim import DimLike, floor_div, product
from sol.ir.types import DType


@converter("cat.default", "concat.default", "concatenate.default")
def cat(ctx: Context, tensors: Sequence[str], dim: int = 0) -> str:
    """Concatenation in the result's dtype; torch skips operands of shape (0,)."""
    rank = len(ctx.shape)
    kept = [t for t in tensors if rank == 1 or ctx.size(t) != (0,)]
    return ctx.concat([ctx.cast(t, ctx.dtype) for t in kept], ctx.axis(dim, rank))


@converter("stack.default")
def stack(ctx: Context, tensors: Sequence[str], dim: int = 0) -> str:
    axis = ctx.axis(dim, len(ctx.shape))
    parts = []
    for t in tensors:
        size = ctx.size(t)
        parts.append(ctx.reshape(ctx.cast(t, ctx.dtype), (*size[:axis], 1, *size[axis:])))
    return ctx.concat(parts, axis)


@converter("hstack.default")
def hstack(ctx: Context, tensors: Sequence[str]) -> str:
    return cat(ctx, [t if ctx.rank(t) else ctx.reshape(t, (1,)) for t in tensors], 0 if len(ctx.shape) == 1 else 1)


@converter("vstack.default")
def vstack(ctx: Context, tensors: Sequence[str]) -> str:
    return cat(ctx, [ctx.reshape(t, (1,) * (2 - ctx.rank(t)) + ctx.size(t)) for t in tensors], 0)


@converter("constant_pad_nd.default")
def constant_pad_nd(ctx: Context, x: str, pad: Sequence[Any], value: Any = 0) -> str:
    pairs = [(0, 0)] * ctx.rank(x)
    for i in range(len(pad) // 2):
        pairs[-1 - i] = (pad[2 * i], pad[2 * i + 1])
    if not any(lo or hi for lo, hi in pairs):
        return x
    return ctx.add("pad", x, pads=tuple(pairs), value=value)


@converter("pad.default")
def pad(ctx: Context, x: str, pad: Sequence[Any], mode: str = "constant", value: Any = None) -> str:
    if mode == "constant":
        return constant_pad_nd(ctx, x, pad, 0.0 if value is None and ctx.dtype.is_float else value or 0)
    return _pad_by_index(ctx, x, pad, mode)


@converter("reflection_pad1d.default", "reflection_pad2d.default", "reflection_pad3d.default")
def reflection_pad(ctx: Context, x: str, padding: Sequence[Any]) -> str:
    return _pad_by_index(ctx, x, padding, "reflect")


@converter("replication_pad1d.default", "replication_pad2d.default", "replication_pad3d.default")
def replication_pad(ctx: Context, x: str, padding: Sequence[Any]) -> str:
    return _pad_by_index(ctx, x, padding, "replicate")


def _pad_by_index(ctx: Context, x: str, pad: Sequence[Any], mode: str) -> str:
    """Padding that repeats elements: one take per padded dimension."""
    rank = ctx.rank(x)
    for i in range(len(pad) // 2):
        axis, (lo, hi) = rank - 1 - i, (pad[2 * i], pad[2 * i + 1])
        if not lo and not hi:
            continue
        (size, lo, hi) = ctx.fixed((ctx.size(x)[axis], lo, hi), f"{mode} padding")
        place = np.arange(-lo, max(size + hi, -lo))
        if mode == "reflect":
            place = np.abs(place)
            place = np.where(place >= size, 2 * (size - 1) - place, place)
        elif mode == "replicate":
            place = np.clip(place, 0, size - 1)
        elif mode == "circular":  # around what a negative count leaves
            first = max(-lo, 0)
            place = first + (place - first) % (size - first - max(-hi, 0))
        else:
            raise Fallback(f"padding mode {mode}")
        x = ctx.add("take", x, ctx.constant(place.astype(np.int64), DType.I64), dim=axis)
    return x


@converter("embedding.default")
def embedding(ctx: Context, weight: str, index: str, *_: Any) -> str:
    return ctx.add("take", weight, index, dim=0, checked="embedding", signed=False)


@converter("index_select.default")
def index_select(ctx: Context, x: str, dim: int, index: str) -> str:
    if not ctx.rank(x):
        return x
    index = ctx.reshape(index, (ctx.type(index).size,))
    return ctx.add("take", x, index, dim=ctx.axis(dim, ctx.rank(x)), checked="index_select", signed=False)


@converter("take.default")
def take(ctx: Context, x: str, index: str) -> str:
    return ctx.add("take", ctx.reshape(x, (ctx.type(x).size,)), index, dim=0, checked="take")


@converter("gather.default")
def gather(ctx: Context, x: str, dim: int, index: str, sparse_grad: bool = False) -> str:
    """Elements along one dimension; torch takes a number for a vector of one, and an index of nothing of any rank."""
    if ctx.type(index).size == 0:
        return ctx.filled(0, ctx.shape, ctx.dtype)
    if not ctx.rank(x) or not ctx.rank(index):
        x, index = ctx.reshape(x, (ctx.type(x).size,)), ctx.reshape(index, (ctx.type(index).size,))
        return ctx.reshape(ctx.add("gather", x, index, dim=0, checked="gather", signed=False), ctx.shape)
    return ctx.add("gather", x, index, dim=ctx.axis(dim, ctx.rank(x)), checked="gather", signed=False)


@converter("take_along_dim.default")
def take_along_dim(ctx: Context, x: str, index: str, dim: int | None = None) -> str:
    """An index beyond the end begins anew, as torch has it."""
    if dim is None:
        x, index, dim = ctx.reshape(x, (ctx.type(x).size,)), ctx.reshape(index, (ctx.type(index).size,)), 0
    axis = ctx.axis(dim, ctx.rank(x))
    index = ctx.add("remainder", ctx.cast(index, DType.I64), ctx.operand(ctx.size(x)[axis], DType.I64))
    if ctx.rank(x) == 1:
        return ctx.reshape(ctx.add("gather", x, index, dim=0), ctx.shape)
    sizes, wanted = list(ctx.shape), list(ctx.shape)
    wanted[axis] = ctx.size(x)[axis]
    return ctx.add("gather", ctx.expand(x, wanted), ctx.expand(index, sizes), dim=axis)


@converter("index.Tensor", "_unsafe_index.Tensor")
def index(ctx: Context, x: str, indices: Sequence[str | None]) -> str:
    """Indexing by integer tensors: the indexed dimensions are flattened into one, from which elements are taken."""
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    if any(ctx.type(i).dtype in (DType.BOOL, DType.U8) for _, i in given):
        raise Fallback("indexing by a mask: the size of the result depends on the data")
    if len(given) == 1:
        return ctx.add("take", x, given[0][1], dim=given[0][0], checked="index")
    order, first, place, sizes = flat_places(ctx, x, given)
    x = ctx.permute(x, order)
    size = ctx.size(x)
    flat = ctx.reshape(x, (*size[:first], product(sizes), *size[first + len(sizes) :]))
    return ctx.add("take", flat, place, dim=first, checked="index")


def flat_places(ctx: Context, x: str, given: Sequence[tuple[int, str]]) -> tuple[list[int], int, str, tuple[DimLike, ...]]:
    """Integer indices of some dimensions as one index of these flattened.

    (order of dimensions that brings them together, where they then begin, places in the flattened ones, their sizes). Where one index is
    out of range, so is the place.
    """
    dims = [d for d, _ in given]
    first = dims[0] if dims == list(range(dims[0], dims[0] + len(dims))) else 0
    rest = [d for d in range(ctx.rank(x)) if d not in dims]
    sizes = tuple(ctx.size(x)[d] for d in dims)
    indices = [ctx.cast(i, DType.I64) for _, i in given]
    place = ctx.flat_places(indices, sizes) if len(given) > 1 else indices[0]
    return [*rest[:first], *dims, *rest[first:]], first, place, sizes


@converter("repeat.default", "tile.default")
def repeat(ctx: Context, x: str, repeats: Sequence[Any]) -> str:
    size = ctx.size(x)
    repeats = (1,) * (len(size) - len(repeats)) + tuple(repeats)
    size = (1,) * (len(repeats) - len(size)) + size
    x = ctx.reshape(x, size)
    if all(n == 1 or r == 1 for n, r in zip(size, repeats)):
        return ctx.expand(x, ctx.shape)
    split = [d for n in size for d in (1, n)]
    wide = [d for r, n in zip(repeats, size) for d in (r, n)]
    return ctx.reshape(ctx.expand(ctx.reshape(x, split), wide), ctx.shape)


@converter("repeat_interleave.self_int")
def repeat_interleave(ctx: Context, x: str, repeats: Any, dim: int | None = None, output_size: Any = None) -> str:
    if not isinstance(repeats, int):
        raise Fallback("a repeat count that depends on the input size")
    if dim is None:
        return repeat_each(ctx, ctx.reshape(x, (ctx.type(x).size,)), 0, repeats)
    return repeat_each(ctx, x, ctx.axis(dim, ctx.rank(x)), repeats)


@converter("roll.default")
def roll(ctx: Context, x: str, shifts: Any, dims: Any = ()) -> str:
    if not dims:
        shape = ctx.size(x)
        return ctx.reshape(_roll(ctx, ctx.reshape(x, (product(shape),)), _one(shifts), 0), shape)
    shifts, dims = ((v,) if isinstance(v, int) else tuple(v) for v in (shifts, dims))
    for shift, dim in zip(shifts, dims):
        x = _roll(ctx, x, shift, ctx.axis(dim, ctx.rank(x)))
    return x


def _one(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) else value


def _roll(ctx: Context, x: str, shift: int, axis: int) -> str:
    size = ctx.size(x)[axis]
    if isinstance(size, int) and size == 0:
        return x
    first = abs(shift) - floor_div(abs(shift), size) * size  # what comes first afterwards, of a shift to the left
    if first == 0:
        return x
    first = first if shift < 0 else size - first
    if isinstance(size, int) and isinstance(first, int) and axis < ctx.rank(x) - 1:  # whole rows: several rolls become one move
        return ctx.add("take", x, ctx.constant(np.roll(np.arange(size, dtype=np.int64), -first), DType.I64), dim=axis)
    return ctx.concat([ctx.slice(x, axis, first, size), ctx.slice(x, axis, 0, first)], axis)


@converter("flip.default")
def flip(ctx: Context, x: str, dims: Sequence[int]) -> str:
    return ctx.add("flip", x, dims=ctx.axes(tuple(dims), ctx.rank(x))) if dims else x


@converter("pixel_shuffle.default")
def pixel_shuffle(ctx: Context, x: str, factor: int) -> str:
    *batch, c, h, w = ctx.size(x)
    n = len(batch)
    y = ctx.reshape(x, (*batch, c // factor**2, factor, factor, h, w))
    y = ctx.permute(y, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return ctx.reshape(y, ctx.shape)


@converter("pixel_unshuffle.default")
def pixel_unshuffle(ctx: Context, x: str, factor: int) -> str:
    *batch, c, h, w = ctx.size(x)
    n = len(batch)
    y = ctx.reshape(x, (*batch, c, h // factor, factor, w // factor, factor))
    y = ctx.permute(y, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return ctx.reshape(y, ctx.shape)


@converter("channel_shuffle.default", "native_channel_shuffle.default")
def channel_shuffle(ctx: Context, x: str, groups: int) -> str:
    n, c, *rest = ctx.size(x)
    y = ctx.reshape(x, (n, groups, c // groups, *rest))
    return ctx.reshape(ctx.permute(y, (0, 2, 1, *range(3, 3 + len(rest)))), (n, c, *rest))


@converter("select_scatter.default")
def select_scatter(ctx: Context, x: str, source: str, dim: int, index: int, dtype: DType | None = None) -> str:
    axis = ctx.axis(dim, ctx.rank(x))
    size = ctx.size(x)
    place = size[axis] + index if isinstance(index, int) and index < 0 else index
    source = ctx.reshape(ctx.cast(source, dtype or ctx.dtype), (*size[:axis], 1, *size[axis + 1 :]))
    return _replaced(ctx, x, source, axis, place, place + 1)


@converter("slice_scatter.default")
def slice_scatter(ctx: Context, x: str, source: str, dim: int = 0, start: Any = None, end: Any = None, step: int = 1,
                  dtype: DType | None = None) -> str:  # fmt: skip
    axis = ctx.axis(dim, ctx.rank(x))
    if step != 1:
        return _interleaved(ctx, x, ctx.cast(source, dtype or ctx.dtype), axis, start or 0, step)
    first = clip(ctx.size(x)[axis], 0 if start is None else start)
    return _replaced(ctx, x, ctx.cast(source, dtype or ctx.dtype), axis, first, first + ctx.size(source)[axis])


def _interleaved(ctx: Context, x: str, source: str, axis: int, start: Any, step: int) -> str:
    """x with every ``step``-th element along one dimension replaced: both concatenated, then taken in the right order."""
    size, count = ctx.fixed((ctx.size(x)[axis], ctx.size(source)[axis]), "writing to every n-th element")
    place = np.arange(size)
    first = clip(size, start)
    place[first : first + count * step : step] = size + np.arange(count)
    return ctx.add("take", ctx.concat([x, source], axis), ctx.constant(place.astype(np.int64), DType.I64), dim=axis)


def replaced_part(ctx: Context, view: str, x: str, part: str, args: Sequence[Any]) -> str:
    """x after a write through ``slice(x, *args)``, ``narrow(x, *args)`` or ``select(x, *args)``."""
    if view == "select":
        return select_scatter(ctx, x, part, *args, dtype=ctx.type(x).dtype)
    dim, start = (args[0] if args else 0), (args[1] if len(args) > 1 else None)
    return slice_scatter(ctx, x, part, dim, start, dtype=ctx.type(x).dtype)


def _replaced(ctx: Context, x: str, middle: str, axis: int, start: Any, stop: Any) -> str:
    """x with ``start:stop`` along one dimension replaced."""
    size = ctx.size(x)[axis]
    parts = [ctx.slice(x, axis, 0, start)] if start != 0 else []
    parts.append(middle)
    if stop != size:
        parts.append(ctx.slice(x, axis, stop, size))
    return ctx.concat(parts, axis)
