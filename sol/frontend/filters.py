"""Interpolation of images along one dimension, for every frontend: filters, and sums of a few neighbours that each count so much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sol.frontend.context import GraphContext
from sol.ir.dim import DimLike
from sol.ir.lanes import NARROW_FLOATS
from sol.ir.types import DType


def hat(x: np.ndarray) -> np.ndarray:
    """Weights of linear interpolation at these distances."""
    return np.maximum(1 - np.abs(x), 0)


def keys(x: np.ndarray, a: float) -> np.ndarray:
    """Those of cubic interpolation; a: the slope at distance 1.

    R. Keys, "Cubic convolution interpolation for digital image processing", IEEE Transactions on Acoustics, Speech and Signal Processing
    29, 1981.
    """
    x = np.abs(x)
    inner = ((a + 2) * x - (a + 3)) * x * x + 1
    outer = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, inner, np.where(x < 2, outer, 0.0))


@dataclass(frozen=True)
class Taps:
    """Elements along a dimension, of which each element of a result is made. places, weights: [size of the result, taps]; a place of -1,
    behind the others, is none."""

    places: np.ndarray
    weights: np.ndarray

    @staticmethod
    def all(size: int) -> Taps:
        """Every element as it is."""
        return Taps.copies(np.arange(size))

    @staticmethod
    def copies(places: np.ndarray) -> Taps:
        """One element for each of the result. places: [size of the result]."""
        return Taps(places[:, None], np.ones((len(places), 1)))

    @staticmethod
    def means(first: np.ndarray, last: np.ndarray, counts: np.ndarray) -> Taps:
        """Elements from ``first`` up to ``last``, added up and divided by ``counts``, all of them [size of the result]."""
        places = first[:, None] + np.arange(max(int((last - first).max(initial=1)), 1))
        there = places < last[:, None]
        return Taps(np.where(there, places, -1), there / counts[:, None])

    def is_all(self, size: DimLike) -> bool:
        """Whether they are ``all(size)``."""
        copied = self.places.shape == (size, 1) and bool((self.weights == 1).all())
        return copied and bool((self.places[:, 0] == np.arange(len(self.places))).all())

    def turned(self, size: int) -> Taps:
        """Those of the gradient for ``size`` elements: what each has been given to, and how much of it. Weights of 0 give nothing."""
        at, tap = np.nonzero((self.places >= 0) & (self.weights != 0))
        pairs, which = np.unique(self.places[at, tap] * len(self.places) + at, return_inverse=True)
        weights = np.bincount(which, self.weights[at, tap], len(pairs))
        elements, results = pairs // len(self.places), pairs % len(self.places)
        counts = np.bincount(elements, minlength=size)
        number = np.arange(len(pairs)) - (np.cumsum(counts) - counts)[elements]  # of a pair among those of its element
        shape = (size, max(int(counts.max(initial=0)), 1))
        turned = Taps(np.full(shape, -1), np.zeros(shape))
        turned.places[elements, number], turned.weights[elements, number] = results, weights
        return turned


def can_be_resampled(ctx: GraphContext, x: str, sizes: Sequence[DimLike]) -> bool:
    """Whether kernels make images, or lines or volumes, of these sizes: of floats, all sizes fixed."""
    type = ctx.type(x)
    fixed = 1 <= len(sizes) <= 3 and all(isinstance(s, int) and s > 0 for s in (*type.shape[2:], *sizes))
    return fixed and type.rank == len(sizes) + 2 and (type.dtype is DType.F32 or type.dtype in NARROW_FLOATS)


def resampled(ctx: GraphContext, x: str, taps: Sequence[Taps]) -> str:
    """Images whose rows, and then columns, are sums of those of ``x``; lines of one row, and volumes whose images come first, as well."""
    shape = ctx.size(x)
    if len(taps) == 1:
        lines = _resampled(ctx, ctx.reshape(x, (*shape[:2], 1, shape[2])), Taps.all(1), taps[0])
        return ctx.reshape(lines, (*shape[:2], len(taps[0].places)))
    if len(taps) == 2:
        return _resampled(ctx, x, *taps)
    images = _resampled(ctx, ctx.reshape(x, (shape[0], shape[1] * shape[2], *shape[3:])), *taps[1:])
    sizes = [len(t.places) for t in taps]
    lines = ctx.reshape(images, (*shape[:3], sizes[1] * sizes[2]))
    return ctx.reshape(_resampled(ctx, lines, taps[0], Taps.all(sizes[1] * sizes[2])), (*shape[:2], *sizes))


def _resampled(ctx: GraphContext, x: str, rows: Taps, columns: Taps) -> str:
    if all(taps.is_all(size) for taps, size in zip((rows, columns), ctx.size(x)[2:])):
        return x
    tables = []
    for taps in (rows, columns):
        places, weights = (np.ascontiguousarray(table.T) for table in (taps.places, taps.weights))
        tables += [ctx.constant(places, DType.I32), ctx.constant(weights, DType.F32)]
    return ctx.add("resample", x, *tables)


def weighted_sum(ctx: GraphContext, x: str, axis: int, places: np.ndarray, weights: np.ndarray) -> str:
    """``sum_k weights[:, k] * x`` at ``places[:, k]`` along an axis. places, weights: [size of the result, taps]; not all weights are 0."""
    dtype, shape = ctx.type(x).dtype, (len(places), *(1,) * (ctx.rank(x) - axis - 1))
    total = ""
    for place, weight in zip(places.T, weights.T):
        if not weight.any():
            continue
        part = ctx.add("take", x, ctx.constant(np.ascontiguousarray(place), DType.I64), dim=axis)
        if not (weight == 1).all():
            part = ctx.add("mul", part, ctx.constant(weight.reshape(shape), dtype))
        total = ctx.add("add", total, part) if total else part
    return total
