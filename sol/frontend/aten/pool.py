"""ATen pooling, and resampling by nearest neighbour or linear interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np

from sol.frontend.aten import Context, Fallback, converter
from sol.frontend.aten.conv import spread
from sol.ir.dim import Dim, DimLike
from sol.ir.types import DType


def _window(op: str, spatial: int, *targets: str) -> None:
    """Max pooling: value only, or value and indices where nobody reads the indices."""

    @converter(*targets)
    def convert(ctx: Context, x: str, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Any:
        several = ctx.result_count() > 1
        if several and ctx.is_used(1):
            raise Fallback("the indices of max pooling are read")
        y = ctx.add(
            op, x, kernel=spread(kernel, spatial), stride=spread(stride or kernel, spatial), padding=_pairs(padding, spatial),
            dilation=spread(dilation, spatial), ceil_mode=ceil_mode,
        )  # fmt: skip
        return (y, None) if several else y


def _pairs(padding: Any, spatial: int) -> tuple[tuple[int, int], ...]:
    return tuple((p, p) for p in spread(padding, spatial))


for _n in (1, 2, 3):
    _window("max_pool", _n, f"max_pool{_n}d.default", f"max_pool{_n}d_with_indices.default")


def _average(spatial: int) -> None:
    @converter(f"avg_pool{spatial}d.default")
    def convert(ctx: Context, x: str, kernel: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
                count_include_pad: bool = True, divisor_override: int | None = None) -> str:  # fmt: skip
        return ctx.add(
            "avg_pool", x, kernel=spread(kernel, spatial), stride=spread(stride or kernel, spatial), padding=_pairs(padding, spatial),
            ceil_mode=ceil_mode, count_include_pad=count_include_pad, divisor=divisor_override,
        )  # fmt: skip

    @converter(f"adaptive_avg_pool{spatial}d.default", f"_adaptive_avg_pool{spatial}d.default")
    def convert_adaptive(ctx: Context, x: str, output_size: Any) -> str:
        return ctx.add("adaptive_avg_pool", x, output_size=ctx.shape[-spatial:])

    @converter(f"adaptive_max_pool{spatial}d.default")
    def convert_adaptive_max(ctx: Context, x: str, output_size: Any) -> tuple[str, None]:
        if ctx.is_used(1):
            raise Fallback("the indices of max pooling are read")
        return ctx.add("adaptive_max_pool", x, output_size=ctx.result(0).shape[-spatial:]), None


for _n in (1, 2, 3):
    _average(_n)


def _nearest(spatial: int) -> None:
    @converter(f"upsample_nearest{spatial}d.vec", f"upsample_nearest{spatial}d.default")
    def convert(ctx: Context, x: str, output_size: Any, *scales: Any) -> str:
        """A whole factor repeats every element; any other takes ``floor(i * scale)``."""
        given = scales[0] if len(scales) == 1 and isinstance(scales[0], tuple) else scales
        given = tuple(given) + (None,) * (spatial - len(given))
        y, target = x, ctx.shape
        for i in range(spatial):
            y = _resample(ctx, y, 2 + i, target[2 + i], given[i])
        return y


for _n in (1, 2, 3):
    _nearest(_n)


def _resample(ctx: Context, x: str, axis: int, out: DimLike, factor: float | None) -> str:
    size = ctx.size(x)[axis]
    whole = _whole_factor(size, out, factor)
    if whole is not None:
        return repeat_each(ctx, x, axis, whole)
    if isinstance(size, Dim) or isinstance(out, Dim):
        raise Fallback("nearest-neighbour resampling by a fraction of a symbolic size")
    scale = np.float32(1.0 / factor) if factor else np.float32(size) / np.float32(out)
    index = np.minimum(np.floor(np.arange(out, dtype=np.float32) * scale).astype(np.int64), size - 1)
    return ctx.add("take", x, ctx.constant(index, DType.I64), dim=axis)


def _whole_factor(size: DimLike, out: DimLike, factor: float | None) -> int | None:
    """k if the output is the input with every element k times."""
    if isinstance(size, int) and isinstance(out, int):
        k = out // size if size and out % size == 0 else 0
        return k if k and (factor is None or factor == k) else None
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


def _linear(name: str, spatial: int) -> None:
    @converter(f"upsample_{name}{spatial}d.vec", f"upsample_{name}{spatial}d.default")
    def convert(ctx: Context, x: str, output_size: Any, align_corners: bool, *scales: Any) -> str:
        """Linear interpolation, one dimension after the other."""
        given = scales[0] if len(scales) == 1 and isinstance(scales[0], tuple) else scales
        given = tuple(given) + (None,) * (spatial - len(given))
        y, target = x, ctx.shape
        for i in range(spatial):
            y = _interpolate(ctx, y, 2 + i, target[2 + i], given[i], align_corners)
        return y


_linear("linear", 1)
_linear("bilinear", 2)
_linear("trilinear", 3)


def _interpolate(ctx: Context, x: str, axis: int, out: DimLike, factor: float | None, align_corners: bool) -> str:
    """``(1 - t) * x[lo] + t * x[lo + 1]`` at torch's source positions."""
    size, count = ctx.fixed((ctx.size(x)[axis], out), "linear interpolation")
    if size == count:
        return x
    i = np.arange(count, dtype=np.float32)
    if align_corners:
        place = i * np.float32((size - 1) / (count - 1) if count > 1 else 0.0)
    else:
        scale = np.float32(1.0 / factor if factor else size / count)
        place = np.maximum((i + np.float32(0.5)) * scale - np.float32(0.5), np.float32(0))
    low = np.minimum(np.floor(place).astype(np.int64), size - 1)
    high = np.minimum(low + 1, size - 1)
    dtype = ctx.type(x).dtype
    shape = (count, *(1,) * (ctx.rank(x) - axis - 1))
    t = ctx.constant((place - low).reshape(shape), dtype)
    rest = ctx.constant((1 - (place - low)).reshape(shape), dtype)
    ends = [ctx.add("take", x, ctx.constant(p, DType.I64), dim=axis) for p in (low, high)]
    return ctx.add("add", ctx.add("mul", ends[0], rest), ctx.add("mul", ends[1], t))
