"""Interpolation of images along one dimension, for every frontend: filters, and sums of a few neighbours that each count so much."""

from __future__ import annotations

import numpy as np

from sol.frontend.context import GraphContext
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
