"""ONNX operators that resample images: Resize and Upsample in `resize.py`, grids and regions here."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.resize import resize, upsample
from sol.frontend.onnx.windows import computed

MODES = {"bilinear": "linear", "bicubic": "cubic"}

converter("Resize", since=10)(resize)
converter("Upsample", since=7)(upsample)


@converter("GridSample", since=16)
def grid_sample(ctx: Context, node: OnnxNode) -> str:
    x, grid = node.inputs
    result = ctx.type(x).dtype
    dtype = computed(result)
    mode = node.attr("mode", "linear")
    y = ctx.add(
        "grid_sample", ctx.cast(x, dtype), ctx.cast(grid, dtype), mode=MODES.get(mode, mode),
        padding=node.attr("padding_mode", "zeros"), align_corners=bool(node.attr("align_corners", 0)),
    )  # fmt: skip
    return ctx.cast(y, result)


@converter("RoiAlign", since=10)
def roi_align(ctx: Context, node: OnnxNode) -> str:
    x, rois, batch = node.inputs
    result = ctx.type(x).dtype
    dtype = computed(result)
    half_pixel = node.opset >= 16 and node.attr("coordinate_transformation_mode", "half_pixel") == "half_pixel"
    y = ctx.add(
        "roi_align", ctx.cast(x, dtype), ctx.cast(rois, dtype), batch,
        output_size=(node.attr("output_height", 1), node.attr("output_width", 1)), scale=float(node.attr("spatial_scale", 1.0)),
        sampling_ratio=node.attr("sampling_ratio", 0), half_pixel=half_pixel, mode=node.attr("mode", "avg"),
    )  # fmt: skip
    return ctx.cast(y, result)


@converter("AffineGrid", since=20)
def affine_grid(ctx: Context, node: OnnxNode) -> str:
    """Homogeneous coordinates of all places, a constant, times each matrix of theta[N, d, d + 1]."""
    theta, dtype = node.inputs[0], ctx.type(node.inputs[0]).dtype
    sizes = [int(n) for n in ctx.need(node.inputs[1], "the size of the grid")[2:]]
    axes = [_places(n, bool(node.attr("align_corners", 0))) for n in sizes]
    grid = np.meshgrid(*axes, indexing="ij")
    points = np.stack([*reversed(grid), np.ones(sizes)], axis=-1).reshape(-1, len(sizes) + 1)
    wide = computed(dtype)
    y = ctx.add("matmul", ctx.constant(points[None], wide), ctx.permute(ctx.cast(theta, wide), (0, 2, 1)))
    return ctx.cast(ctx.reshape(y, (ctx.size(theta)[0], *sizes, len(sizes))), dtype)


def _places(count: int, aligned: bool) -> np.ndarray:
    """Coordinates from -1 to 1: of the outermost pixels' centres, or of the image's edges."""
    if aligned:
        return np.linspace(-1.0, 1.0, count) if count > 1 else np.array([-1.0])
    return (np.arange(count) * 2 + 1) / count - 1


@converter("ImageDecoder", since=20)
def image_decoder(ctx: Context, node: OnnxNode) -> NoReturn:
    ctx.fail("image files are not decoded inside a network", "decode the image first, and pass its pixels")
