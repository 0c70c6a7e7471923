"""ATen ops that resample images: grids of places and sampling there (`resample.py` has nearest neighbours and linear interpolation)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.types import DType

MODES = ("linear", "nearest", "cubic")
PADDINGS = ("zeros", "border", "reflection")
"""torch's numbers for them, as the names of the op ``grid_sample``."""


@converter("grid_sampler.default", "grid_sampler_2d.default", "grid_sampler_3d.default")
def grid_sampler(ctx: Context, x: str, grid: str, mode: int, padding: int, align_corners: bool) -> str:
    if ctx.dtype not in (DType.F32, DType.F64):
        raise Fallback(f"sampling of {ctx.dtype} images")
    return ctx.add("grid_sample", x, grid, mode=MODES[mode], padding=PADDINGS[padding], align_corners=align_corners)


@converter("affine_grid_generator.default")
def affine_grid(ctx: Context, theta: str, size: Sequence[int], align_corners: bool) -> str:
    """Places ``theta[n] @ (x, y, (z,) 1)`` of the pixels of an image, whose corners are at -1 and 1; coordinates last."""
    batch, coordinates, columns = ctx.size(theta)
    sizes = ctx.fixed(ctx.shape[1:-1], "the size of an affine grid")
    total = ""
    for axis, line in enumerate(_lines(sizes, align_corners)):
        spread = ctx.constant(line, ctx.dtype)
        factor = ctx.slice(theta, 2, axis, axis + 1)
        term = ctx.add("mul", ctx.reshape(factor, (batch, coordinates, *(1,) * len(sizes))), spread)
        total = term if not total else ctx.add("add", total, term)
    shift = ctx.reshape(ctx.slice(theta, 2, columns - 1, columns), (batch, coordinates, *(1,) * len(sizes)))
    rank = len(sizes) + 2
    return ctx.permute(ctx.add("add", total, shift), (0, *range(2, rank), 1))


def _lines(sizes: tuple[int, ...], align_corners: bool) -> list[np.ndarray]:
    """Coordinates of pixels along each dimension, the last dimension first, ready to be broadcast over the image."""
    lines = []
    for axis in reversed(range(len(sizes))):
        n = sizes[axis]
        line = torch.linspace(-1, 1, n) if n > 1 else torch.zeros(n)
        line = line if align_corners or n <= 1 else line * (n - 1) / n
        lines.append(line.numpy().reshape([n if d == axis else 1 for d in range(len(sizes))]))
    return lines
