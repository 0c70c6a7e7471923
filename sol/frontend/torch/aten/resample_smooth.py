"""ATen resampling of images by cubic interpolation, and by filters that widen where an image shrinks (antialiasing): weighted sums of
taps, one dimension after the other, for sizes that are known while importing.

Places and weights are torch's (aten/src/ATen/native/cpu/UpSampleKernel.cpp).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sol.frontend.filters import Taps, can_be_resampled, hat, keys, resampled, weighted_sum
from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.resample import factors_of
from sol.ir.types import DType

Maker = Callable[[int, int, float, bool], Taps]
"""Size, size of the result, elements for each of the result, whether corners are aligned → the taps of a dimension."""

MOST_TAPS = 8
"""More elements than that per element of the result take longer than in torch."""


def _scale(size: int, out: int, factor: float | None, align_corners: bool) -> float:
    """Elements per element of the result."""
    if align_corners:
        return (size - 1) / (out - 1) if out > 1 else 0.0
    return 1.0 / factor if factor else size / out


def _cubic(size: int, out: int, scale: float, align_corners: bool) -> Taps:
    i = np.arange(out)
    place = np.asarray(i * scale if align_corners else (i + 0.5) * scale - 0.5)
    low = np.minimum(np.floor(place).astype(np.int64), size - 1)
    near = np.arange(-1, 3)
    weights = keys(np.clip(place - low, 0, 1)[:, None] - near, -0.75)
    return Taps(np.clip(low[:, None] + near, 0, size - 1), weights)


def _widened(reach: int, kernel: Callable[[np.ndarray], np.ndarray]) -> Maker:
    """A filter that covers at least as many elements as one of the result does."""

    def taps(size: int, out: int, scale: float, align_corners: bool) -> Taps:
        wide = max(scale, 1.0)
        centre = (np.arange(out) + 0.5) * scale
        first = np.maximum((centre - reach * wide + 0.5).astype(np.int64), 0)
        last = np.minimum((centre + reach * wide + 0.5).astype(np.int64), size)
        places = first[:, None] + np.arange(max(int((last - first).max()), 1))
        weights = np.where(places < last[:, None], kernel((places - centre[:, None] + 0.5) / wide), 0.0)
        return Taps(np.clip(places, 0, size - 1), weights / weights.sum(1, keepdims=True))

    return taps


def smooth_taps(
    make: Maker, sizes: Sequence[int], target: Sequence[int], align_corners: bool, factors: Sequence[float | None]
) -> list[Taps]:  # fmt: skip
    """The taps of rows and of columns; Fallback where there are more than MOST_TAPS."""
    found = []
    for size, out, factor in zip(sizes, target, factors):
        scale = _scale(size, out, factor, align_corners)
        taps = Taps.all(size) if size == out and scale == 1 else make(size, out, scale, align_corners)
        if taps.places.shape[1] > MOST_TAPS:
            raise Fallback(f"a filter of {taps.places.shape[1]} taps, which torch computes faster")
        found.append(taps)
    return found


def _filter(op: str, make: Maker) -> None:
    @converter(f"{op}.vec", f"{op}.default")
    def convert(ctx: Context, x: str, output_size: Any, align_corners: bool, *scales: Any) -> str:
        """In float32 for halves."""
        dtype, sizes, target = ctx.dtype, ctx.size(x)[2:], ctx.shape[2:]
        if not dtype.is_float:
            raise Fallback("torch interpolates integers in fixed point")
        if not all(isinstance(d, int) and d > 0 for d in (*sizes, *target)):
            raise Fallback("sizes that only a call knows")
        x = ctx.cast(x, dtype if dtype is DType.F64 else DType.F32)
        taps = smooth_taps(make, sizes, target, align_corners, factors_of(scales, 2))  # type: ignore[arg-type]
        if can_be_resampled(ctx, x, target):
            return ctx.cast(resampled(ctx, x, taps), dtype)
        for i in (0, 1) if target[0] < sizes[0] else (1, 0):  # type: ignore[operator]  # few rows, along which elements are gathered
            x = weighted_sum(ctx, x, 2 + i, taps[i].places, taps[i].weights)
        return ctx.cast(x, dtype)


FILTERS: dict[str, Maker] = {
    "upsample_bicubic2d": _cubic, "_upsample_bilinear2d_aa": _widened(1, hat),
    "_upsample_bicubic2d_aa": _widened(2, functools.partial(keys, a=-0.5)),
}  # fmt: skip
"""Operation → its filter."""
for _op, _make in FILTERS.items():
    _filter(_op, _make)
