"""ATen resampling of images by nearest neighbour or linear interpolation, one dimension after the other, at torch's very places.

Places are computed while importing where sizes are fixed, else by the compiled code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from sol.frontend.filters import Taps, can_be_resampled, resampled
from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.dim import Dim, DimLike
from sol.ir.types import DType

SMALL = 128  # height plus width up to which torch takes images for small


def factors_of(given: tuple[Any, ...], spatial: int) -> tuple[float | None, ...]:
    """The factor of every dimension, None where only the size is given."""
    scales = given[0] if len(given) == 1 and isinstance(given[0], tuple) else given
    return (*scales, *(None,) * (spatial - len(scales)))


def _define_nearest(spatial: int) -> None:
    @converter(f"upsample_nearest{spatial}d.vec", f"upsample_nearest{spatial}d.default")
    def convert(ctx: Context, x: str, output_size: Any, *scales: Any) -> str:
        """A whole factor repeats every element; any other takes ``floor(i * scale)``."""
        target, size = ctx.shape, ctx.size(x)
        exact = _keeps_whole_factors(ctx, spatial)
        factors = factors_of(scales, spatial)
        if can_be_resampled(ctx, x, target[2:]):
            options = zip(size[2:], target[2:], factors)
            return resampled(ctx, x, [nearest_taps(*each, exact=exact) for each in options])  # type: ignore[arg-type]
        for i, factor in enumerate(factors):
            x = _resample(ctx, x, 2 + i, target[2 + i], factor, exact)
        return x


for _n in (1, 2, 3):
    _define_nearest(_n)


def _keeps_whole_factors(ctx: Context, spatial: int) -> bool:
    """Whether torch takes ``i`` and ``i >> 1`` where an axis keeps or doubles its size, whatever factor was asked for.

    Its kernel for channels last and for small images does (aten/src/ATen/native/cpu/UpSampleKernel.cpp, _use_vectorized_kernel_cond).
    """
    x = ctx.node.args[0].meta["val"]  # type: ignore[union-attr]
    if spatial == 1:
        return False
    layout = torch.channels_last if spatial == 2 else torch.channels_last_3d
    if x.shape[1] > 3 and x.is_contiguous(memory_format=layout):
        return True
    sizes = ctx.shape[2:]
    return spatial == 2 and (any(isinstance(s, Dim) for s in sizes) or sum(sizes) <= SMALL)


def _resample(ctx: Context, x: str, axis: int, out: DimLike, factor: float | None, exact: bool) -> str:
    size = ctx.size(x)[axis]
    whole = _whole_factor(size, out, factor, exact)
    if whole is not None:
        return repeat_each(ctx, x, axis, whole)
    if isinstance(size, Dim) or isinstance(out, Dim):
        return ctx.add("take", x, _nearest_places(ctx, size, out, factor, exact), dim=axis)
    wide = np.float64 if ctx.type(x).dtype is DType.F64 and not exact else np.float32
    return ctx.add("take", x, ctx.constant(_nearest(size, out, factor, wide), DType.I64), dim=axis)


def _nearest(size: int, out: int, factor: float | None, wide: type[np.floating[Any]]) -> np.ndarray:
    """The source of every element, computed in a type."""
    scale = wide(1.0 / factor) if factor else wide(size) / wide(out)
    places = np.floor((np.arange(out).astype(wide) * scale).astype(np.float32)).astype(np.int64)
    return np.minimum(places, size - 1)


def nearest_taps(size: int, out: int, factor: float | None, exact: bool = True) -> Taps:
    """The source of every element, of float32. exact: as ``_keeps_whole_factors`` says, which torch's gradients always do."""
    whole = _whole_factor(size, out, factor, exact)
    return Taps.copies(np.arange(out) // whole if whole else _nearest(size, out, factor, np.float32))


def _nearest_places(ctx: Context, size: DimLike, out: DimLike, factor: float | None, exact: bool) -> str:
    """The source of every element where only a call knows how many there are."""
    count = ctx.add("iota", size=out, start=0, step=1, dtype=DType.I64)
    places = ctx.add("floor", ctx.add("mul", ctx.cast(count, DType.F32), _scale(ctx, size, out, factor)))
    taken = ctx.add("minimum", ctx.cast(places, DType.I64), ctx.operand(size - 1, DType.I64))
    if not exact:
        return taken
    sizes = [ctx.operand(d, DType.I64) for d in (size, size * 2, out)]
    halves = ctx.add("floor_divide", count, ctx.operand(2, DType.I64))
    taken = ctx.add("where", ctx.add("eq", sizes[1], sizes[2]), halves, taken)
    return ctx.add("where", ctx.add("eq", sizes[0], sizes[2]), count, taken)


def _scale(ctx: Context, size: DimLike, out: DimLike, factor: float | None) -> str:
    """Source pixels per pixel of the result, as a float32."""
    if factor:
        return ctx.operand(1.0 / factor, DType.F32)
    return ctx.add("div", ctx.operand(size, DType.F32), ctx.operand(out, DType.F32))


def _whole_factor(size: DimLike, out: DimLike, factor: float | None, exact: bool) -> int | None:
    """k if the output is the input with every element k times."""
    if isinstance(size, int) and isinstance(out, int):
        k = out // size if size and out % size == 0 else 0
        return k if k and (factor in (None, k) or (exact and k <= 2)) else None
    k = int(factor or 0)
    return k if k and k == factor and out == size * k else None


def repeat_each(ctx: Context, x: str, axis: int, count: int) -> str:
    """Every element ``count`` times in a row along ``axis``."""
    shape = list(ctx.size(x))
    if count == 1:
        return x
    y = ctx.reshape(x, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
    y = ctx.expand(y, (*shape[: axis + 1], count, *shape[axis + 1 :]))
    return ctx.reshape(y, (*shape[:axis], shape[axis] * count, *shape[axis + 1 :]))


def _nearest_exact(spatial: int) -> None:
    @converter(f"_upsample_nearest_exact{spatial}d.vec", f"_upsample_nearest_exact{spatial}d.default")
    def convert(ctx: Context, x: str, output_size: Any, *scales: Any) -> str:
        """The pixel whose middle is nearest: ``floor((i + 0.5) * scale)``, rounded as torch's kernel for these images does."""
        target, size = ctx.shape, ctx.size(x)
        rounds_products = _keeps_whole_factors(ctx, spatial)
        factors = factors_of(scales, spatial)
        if can_be_resampled(ctx, x, target[2:]):
            options = zip(size[2:], target[2:], factors)
            return resampled(ctx, x, [nearest_middle_taps(*each, rounds_products) for each in options])  # type: ignore[arg-type]
        for i, factor in enumerate(factors):
            x = _take_nearest_middle(ctx, x, 2 + i, target[2 + i], factor, rounds_products)
        return x


for _n in (1, 2, 3):
    _nearest_exact(_n)


def _take_nearest_middle(ctx: Context, x: str, axis: int, out: DimLike, factor: float | None, rounds_products: bool) -> str:
    """rounds_products: ``(i + 0.5) * scale`` is rounded to float32 and cut off; else ``(i + 0.5) * scale - 0.5`` is, half a pixel later."""
    size = ctx.size(x)[axis]
    whole = _whole_factor(size, out, factor, False)
    if whole is not None:
        return repeat_each(ctx, x, axis, whole)
    precise = ctx.type(x).dtype is DType.F64 and not rounds_products
    middles = ctx.add("add", ctx.cast(ctx.add("iota", size=out, start=0, step=1, dtype=DType.I64), DType.F64), ctx.operand(0.5, DType.F64))
    place = ctx.add("mul", middles, _wide_scale(ctx, size, out, factor, precise))
    if not rounds_products:
        place = ctx.add("sub", place, ctx.operand(0.5, DType.F64))
        place = ctx.add("maximum", place if precise else _rounded(ctx, place), ctx.operand(0.0, DType.F64))
        place = ctx.add("add", place, ctx.operand(0.5, DType.F64))
    places = ctx.cast(ctx.add("floor", ctx.cast(place, DType.F32)), DType.I64)
    return ctx.add("take", x, ctx.add("minimum", places, ctx.operand(size - 1, DType.I64)), dim=axis)


def nearest_middle_taps(size: int, out: int, factor: float | None, rounds_products: bool = False) -> Taps:
    """The same of float32 and fixed sizes."""
    whole = _whole_factor(size, out, factor, False)
    if whole is not None:
        return Taps.copies(np.arange(out) // whole)
    scale = np.float32(1.0 / factor) if factor else np.float32(size) / np.float32(out)
    place = (np.arange(out) + 0.5) * np.float64(scale)
    if not rounds_products:
        place = np.maximum((place - 0.5).astype(np.float32).astype(np.float64), 0.0) + 0.5
    return Taps.copies(np.minimum(np.floor(place.astype(np.float32)).astype(np.int64), size - 1))


def _wide_scale(ctx: Context, size: DimLike, out: DimLike, factor: float | None, precise: bool) -> str:
    """Source pixels per pixel of the result, as a float64 that has a float32's digits unless it is to be precise."""
    if not precise:
        return ctx.cast(_scale(ctx, size, out, factor), DType.F64)
    if factor:
        return ctx.operand(1.0 / factor, DType.F64)
    return ctx.add("div", ctx.operand(size, DType.F64), ctx.operand(out, DType.F64))


def _rounded(ctx: Context, x: str) -> str:
    return ctx.cast(ctx.cast(x, DType.F32), DType.F64)


def _linear(name: str, spatial: int) -> None:
    @converter(f"upsample_{name}{spatial}d.vec", f"upsample_{name}{spatial}d.default")
    def convert(ctx: Context, x: str, output_size: Any, align_corners: bool, *scales: Any) -> str:
        """Linear interpolation, in float32 for halves."""
        dtype, target = ctx.dtype, ctx.shape
        if not dtype.is_float:
            raise Fallback("torch interpolates integers in fixed point")
        x, size, factors = ctx.cast(x, dtype if dtype is DType.F64 else DType.F32), ctx.size(x), factors_of(scales, spatial)
        if can_be_resampled(ctx, x, target[2:]):
            options = zip(size[2:], target[2:], factors)
            return ctx.cast(resampled(ctx, x, [linear_taps(*each, align_corners) for each in options]), dtype)  # type: ignore[arg-type]
        for i, factor in enumerate(factors):
            x = _interpolate(ctx, x, 2 + i, target[2 + i], factor, align_corners)
        return ctx.cast(x, dtype)


_linear("linear", 1)
_linear("bilinear", 2)
_linear("trilinear", 3)


def _interpolate(ctx: Context, x: str, axis: int, out: DimLike, factor: float | None, align_corners: bool) -> str:
    """``(1 - t) * x[low] + t * x[high]`` at torch's source positions."""
    size = ctx.size(x)[axis]
    if size == out:
        return x
    fixed = isinstance(size, int) and isinstance(out, int)
    dtype = ctx.type(x).dtype
    ends, weights = (_places if fixed else _computed_places)(ctx, size, out, factor, align_corners, dtype)  # type: ignore[operator, arg-type]
    shape = (out, *(1,) * (ctx.rank(x) - axis - 1))
    parts = [ctx.add("mul", ctx.add("take", x, end, dim=axis), ctx.reshape(w, shape)) for end, w in zip(ends, weights)]
    return ctx.add("add", *parts)


def linear_taps(size: int, out: int, factor: float | None, align_corners: bool, wide: type[np.floating[Any]] = np.float32) -> Taps:
    """The two neighbours of every element, and their weights, computed in a type."""
    if size == out:
        return Taps.all(size)
    i = np.arange(out).astype(wide)
    if align_corners:
        place = i * (wide(size - 1) / wide(out - 1) if out > 1 else wide(0))
    else:
        scale = wide(1.0 / factor) if factor else wide(size) / wide(out)
        place = np.maximum((i + wide(0.5)) * scale - wide(0.5), wide(0))
    low = np.minimum(np.floor(place.astype(np.float32)).astype(np.int64), size - 1)
    t = np.clip(place - low, 0, 1)
    return Taps(np.stack([low, np.minimum(low + 1, size - 1)], 1), np.stack([1 - t, t], 1))


def _places(ctx: Context, size: int, out: int, factor: float | None, align_corners: bool, dtype: DType) -> tuple[list[str], list[str]]:
    """The same as values."""
    taps = linear_taps(size, out, factor, align_corners, np.float64 if dtype is DType.F64 else np.float32)
    return [ctx.constant(p, DType.I64) for p in taps.places.T], [ctx.constant(w, dtype) for w in taps.weights.T]


def _computed_places(
    ctx: Context, size: DimLike, out: DimLike, factor: float | None, align_corners: bool, dtype: DType
) -> tuple[list[str], list[str]]:
    """The same where only a call knows the sizes."""

    def number(value: float) -> str:
        return ctx.operand(value, dtype)

    count = ctx.add("iota", size=out, start=0, step=1, dtype=DType.I64)
    i, last = ctx.cast(count, dtype), ctx.operand(size - 1, DType.I64)
    if align_corners:
        steps = ctx.add("maximum", ctx.operand(out - 1, dtype), number(1))  # with one element it is the first
        place = ctx.add("mul", i, ctx.add("div", ctx.operand(size - 1, dtype), steps))
    else:
        scale = ctx.cast(number(1.0 / factor), dtype) if factor else ctx.add("div", ctx.operand(size, dtype), ctx.operand(out, dtype))
        centre = ctx.add("sub", ctx.add("mul", ctx.add("add", i, number(0.5)), scale), number(0.5))
        place = ctx.add("maximum", centre, number(0))
        place = ctx.add("where", ctx.add("eq", ctx.operand(size, DType.I64), ctx.operand(out, DType.I64)), i, place)
    low = ctx.add("minimum", ctx.cast(ctx.add("floor", place), DType.I64), last)
    high = ctx.add("minimum", ctx.add("add", low, ctx.operand(1, DType.I64)), last)
    t = ctx.add("clamp", ctx.add("sub", place, ctx.cast(low, dtype)), low=0.0, high=1.0)
    return [low, high], [ctx.add("sub", number(1), t), t]
