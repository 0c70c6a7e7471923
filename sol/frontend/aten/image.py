"""ATen ops that resample images: sampling at the places of a grid (`resample.py` has nearest neighbours and linear interpolation)."""

from __future__ import annotations

from sol.frontend.aten import Context, Fallback, converter
from sol.ir.types import DType

MODES = ("linear", "nearest", "cubic")
PADDINGS = ("zeros", "border", "reflection")
"""torch's numbers for them, as the names of the op ``grid_sample``."""


@converter("grid_sampler.default", "grid_sampler_2d.default", "grid_sampler_3d.default")
def grid_sampler(ctx: Context, x: str, grid: str, mode: int, padding: int, align_corners: bool) -> str:
    if ctx.dtype not in (DType.F32, DType.F64):
        raise Fallback(f"sampling of {ctx.dtype} images")
    return ctx.add("grid_sample", x, grid, mode=MODES[mode], padding=PADDINGS[padding], align_corners=align_corners)
