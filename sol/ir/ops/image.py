"""Sampling of images at computed places: grids, regions of interest, and the displaced taps of a deformable convolution."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import blocked_layout, need, need_float, need_int, need_operands, need_shape, same_dtype
from sol.ir.types import TensorType

CUBIC = -0.75  # Keys' parameter, as in torch and ONNX
FARTHEST = 1e9  # sampling places are clamped to this many pixels, so that their integer part exists


def _infer_grid_sample(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    x, grid = operands
    need_float(x, grid)
    same_dtype(operands)
    spatial = x.rank - 2
    need(1 <= spatial <= 3, f"{x} needs one to three spatial dimensions after batch and channels")
    need(grid.rank == x.rank and grid.shape[-1] == spatial, f"grid {grid} must be [N, *sizes, {spatial}]")
    need(grid.shape[0] == x.shape[0], f"{x} and grid {grid} must have the same batch")
    need(attrs["mode"] in ("nearest", "linear", "cubic"), f"mode {attrs['mode']} is unknown")
    need(attrs["padding"] in ("zeros", "border", "reflection"), f"padding {attrs['padding']} is unknown")
    return TensorType(x.dtype, (*x.shape[:2], *grid.shape[1:-1]))


def _infer_roi_align(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 3)
    x, rois, batch = operands
    need_float(x, rois)
    same_dtype(operands[:2])
    need_int(batch)
    need(x.rank == 4, f"{x} must be an image [N, C, H, W]")
    need(rois.rank == 2 and rois.shape[1] == 4, f"{rois} must hold x1, y1, x2, y2 per region")
    need_shape(batch, (rois.shape[0],), "the batch index")
    need(attrs["mode"] in ("avg", "max"), f"mode {attrs['mode']} is unknown")
    return TensorType(x.dtype, (rois.shape[0], x.shape[1], *attrs["output_size"]))


def _infer_deform_columns(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2, 3)
    need_float(*operands)
    same_dtype(operands)
    x, offset = operands[:2]
    need(x.rank == offset.rank == 4, f"{x} and {offset} must be images")
    taps, groups = math.prod(attrs["kernel"]), attrs["offset_groups"]
    for name in ("kernel", "stride", "padding", "dilation"):
        need(len(attrs[name]) == 2, f"{name} {attrs[name]} must have 2 entries")
    need(isinstance(x.shape[1], int) and x.shape[1] % groups == 0, f"{x} does not divide into {groups} offset groups")
    need_shape(offset, (x.shape[0], 2 * groups * taps, *offset.shape[2:]), "the offset")
    if len(operands) == 3:
        need_shape(operands[2], (x.shape[0], groups * taps, *offset.shape[2:]), "the mask")
    return TensorType(x.dtype, (x.shape[0], x.shape[1], taps, *offset.shape[2:]))


def _reflected(place: np.ndarray, low: float, high: float) -> np.ndarray:
    """Mirrored at both ends until it lies in between."""
    span = high - low
    if span <= 0:
        return np.zeros_like(place)
    away = np.where(place < low, low - place, np.where(place > high, place - high, 0))
    turns = np.floor(away / span)
    rest = away - turns * span
    from_low = (place < low) == (turns % 2 == 0)
    return np.where(away == 0, place, np.where(from_low, low + rest, high - rest))


def _weights(mode: str, t: np.ndarray) -> list[np.ndarray]:
    """What each tap counts at the fraction t."""
    if mode == "nearest":
        return [np.ones_like(t)]
    if mode == "linear":
        return [1 - t, t]

    def outer(u: np.ndarray) -> np.ndarray:
        return ((CUBIC * u - 5 * CUBIC) * u + 8 * CUBIC) * u - 4 * CUBIC

    def inner(u: np.ndarray) -> np.ndarray:
        return ((CUBIC + 2) * u - (CUBIC + 3)) * u * u + 1

    return [outer(t + 1), inner(t), inner(1 - t), outer(2 - t)]


def _axis_taps(attrs: Attrs, grid: np.ndarray, size: int, from_end: bool) -> list[tuple[np.ndarray, ...]]:
    """(index, weight, whether it reads anything) of every tap along one axis for normalised places.

    from_end: NaN counts as a place beyond the last pixel, otherwise before the first one; where edges reflect, NaN and infinities are
    these pixels themselves.
    """
    mode, padding = attrs["mode"], attrs["padding"]
    aligned = attrs["align_corners"]
    place = (grid + 1) / 2 * (size - 1) if aligned else ((grid + 1) * size - 1) / 2
    if padding == "reflection":
        place = np.where(np.isfinite(place), place, size - 1 if from_end else 0)
    else:
        place = np.where(np.isnan(place), FARTHEST if from_end else -FARTHEST, place)
    place = np.clip(place, -FARTHEST, FARTHEST)
    low, high = (0.0, size - 1.0) if aligned else (-0.5, size - 0.5)
    if mode == "nearest":
        place = np.rint(place)
    if padding == "reflection":
        place = _reflected(place, low, high)
    first = np.floor(place)
    found: list[tuple[np.ndarray, ...]] = []
    for k, weight in enumerate(_weights(mode, place - first), -1 if mode == "cubic" else 0):
        index = first + k
        if padding == "reflection":
            index = _reflected(index, low, high)
        inside = (index >= 0) & (index < size) if padding == "zeros" else np.ones(index.shape, np.bool_)
        found.append((np.clip(index, 0, size - 1).astype(np.int64), weight, inside))
    return found


def counts_from_end(spatial: int) -> bool:
    """Whether a place that is NaN lies behind the last pixel: torch's kernel for volumes clamps it there, that for images to the first."""
    return spatial == 3


def is_strict(attrs: Attrs, spatial: int) -> bool:
    """Whether a place that is infinite or no number gives none: as torch has it, where weights count outside of an image."""
    return spatial == 2 and (attrs["mode"] == "cubic" or (attrs["mode"] == "linear" and attrs["padding"] == "zeros"))


@op("grid_sample", "dnn", _infer_grid_sample, mode="linear", padding="zeros", align_corners=False)
def grid_sample(attrs: Attrs, x: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """x[N, C, *in] read at grid[N, *out, d], whose entries (innermost axis first) run from -1 to 1 over the image."""
    spatial = x.ndim - 2
    axes = [_axis_taps(attrs, grid[..., spatial - 1 - i], x.shape[2 + i], counts_from_end(spatial)) for i in range(spatial)]
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
    for n in range(x.shape[0]):
        for taps in itertools.product(*axes):
            weight = math.prod((w[n] for _, w, _ in taps), start=np.asarray(1, x.dtype))
            inside = np.logical_and.reduce([i[n] for _, _, i in taps])
            places: tuple[Any, ...] = (slice(None), *(index[n] for index, _, _ in taps))
            picked = x[n][places]
            out[n] += np.where(inside, weight * picked, 0)
    return np.where(np.isfinite(grid).all(-1)[:, None], out, np.nan).astype(x.dtype) if is_strict(attrs, spatial) else out


def _bilinear(image: np.ndarray, y: float, x: float) -> list[np.ndarray]:
    """The four weighted corners of image[C, H, W] at a place, which counts as inside up to one pixel beyond the edge."""
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return [np.zeros(len(image), image.dtype)] * 4
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    v, u = y - top, x - left
    corners = ((top, left, (1 - v) * (1 - u)), (top, right, (1 - v) * u), (bottom, left, v * (1 - u)), (bottom, right, v * u))
    return [image[:, i, j] * w for i, j, w in corners]


def _infer_resample(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 5)
    x, rows, row_weights, columns, column_weights = operands
    need_float(x, row_weights, column_weights)
    need_int(rows, columns)
    need(x.rank == 4, f"{x} must be an image [N, C, H, W]")
    for places, weights in ((rows, row_weights), (columns, column_weights)):
        need(places.rank == 2 and places.is_static and 0 not in places.shape, f"{places} must be places [taps, size]")
        need_shape(weights, places.shape, "their weights")
    return TensorType(x.dtype, (*x.shape[:2], rows.shape[1], columns.shape[1]), blocked_layout(operands[:1]))


@op("resample", "dnn", _infer_resample)
def resample(
    attrs: Attrs, x: np.ndarray, rows: np.ndarray, row_weights: np.ndarray, columns: np.ndarray, column_weights: np.ndarray
) -> np.ndarray:
    """Weighted sums of rows, then of columns of what these give.

    rows, columns: places [taps, size of the result], a tap of -1 (behind the others) being none. row_weights, column_weights: [taps, size].
    """
    return _weighted_sum(_weighted_sum(x, -2, rows, row_weights), -1, columns, column_weights)


def _weighted_sum(x: np.ndarray, axis: int, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    shape = (-1, *(1,) * (-1 - axis))
    total = np.zeros((*x.shape[:axis], places.shape[1], *x.shape[x.ndim + axis + 1 :]), x.dtype)
    for place, weight in zip(places, weights):
        there = place >= 0
        term = np.take(x, np.maximum(place, 0), axis=axis) * weight.astype(x.dtype).reshape(shape)
        total += np.where(there.reshape(shape), term, 0)
    return total


@op("roi_align", "dnn", _infer_roi_align, output_size=REQUIRED, scale=1.0, sampling_ratio=0, half_pixel=True, mode="avg")
def roi_align(attrs: Attrs, x: np.ndarray, rois: np.ndarray, batch: np.ndarray) -> np.ndarray:
    """Regions of x[N, C, H, W] at a fixed size (He et al. 2017): mean (or largest corner) over sampling places per bin.

    rois[R, 4] hold x1, y1, x2, y2 before ``scale``. half_pixel: centres lie at halves, and regions may be smaller than 1.
    """
    rows, columns = attrs["output_size"]
    out = np.zeros((len(rois), x.shape[1], rows, columns), x.dtype)
    for r, (x1, y1, x2, y2) in enumerate(rois * attrs["scale"] - (0.5 if attrs["half_pixel"] else 0.0)):
        width, height = x2 - x1, y2 - y1
        if not attrs["half_pixel"]:
            width, height = max(width, 1.0), max(height, 1.0)
        bin_y, bin_x = height / rows, width / columns
        ny = attrs["sampling_ratio"] or math.ceil(bin_y)
        nx = attrs["sampling_ratio"] or math.ceil(bin_x)
        for i, j in itertools.product(range(rows), range(columns)):
            places = itertools.product(range(ny), range(nx))
            found = [_bilinear(x[batch[r]], y1 + (i + (a + 0.5) / ny) * bin_y, x1 + (j + (b + 0.5) / nx) * bin_x) for a, b in places]
            if found and attrs["mode"] == "avg":
                out[r, :, i, j] = np.sum(found, axis=(0, 1)) / max(ny * nx, 1)
            elif found:
                out[r, :, i, j] = np.max(found, axis=(0, 1))
    return out


@op("deform_columns", "dnn", _infer_deform_columns, kernel=REQUIRED, stride=REQUIRED, padding=REQUIRED, dilation=REQUIRED, offset_groups=1)
def deform_columns(attrs: Attrs, x: np.ndarray, offset: np.ndarray, *mask: np.ndarray) -> np.ndarray:
    """Columns [N, C, taps, OH, OW] of a deformable convolution (Dai et al. 2017; with mask Zhu et al. 2019).

    Tap (r, s) of output (i, j) reads x bilinearly, zero outside, at ``stride * (i, j) - padding + dilation * (r, s) + offset``.
    padding: one number per dimension, before the image.
    """
    groups, taps = attrs["offset_groups"], math.prod(attrs["kernel"])
    n, channels, height, width = x.shape
    oh, ow = offset.shape[2:]
    moved = offset.reshape(n, groups, *attrs["kernel"], 2, oh, ow)
    start = [np.arange(size) * s - p for size, s, p in zip((oh, ow), attrs["stride"], attrs["padding"])]
    steps = [np.arange(k) * d for k, d in zip(attrs["kernel"], attrs["dilation"])]
    y = np.clip(moved[..., 0, :, :] + steps[0][:, None, None, None] + start[0][:, None], -FARTHEST, FARTHEST)
    z = np.clip(moved[..., 1, :, :] + steps[1][:, None, None] + start[1], -FARTHEST, FARTHEST)
    top, left = np.floor(y), np.floor(z)
    out = np.zeros((n, channels, taps, oh, ow), x.dtype)
    image = x.reshape(n, groups, channels // groups, height, width)
    for i, j in itertools.product((0, 1), (0, 1)):
        a, b = (top + i).astype(np.int64), (left + j).astype(np.int64)
        weight = (y - top if i else top + 1 - y) * (z - left if j else left + 1 - z)
        inside = (a >= 0) & (a < height) & (b >= 0) & (b < width)
        for batch, group in itertools.product(range(n), range(groups)):
            at = (slice(None), np.clip(a[batch, group], 0, height - 1), np.clip(b[batch, group], 0, width - 1))
            part = np.where(inside[batch, group], image[batch, group][at] * weight[batch, group], 0)
            block = slice(group * (channels // groups), (group + 1) * (channels // groups))
            out[batch, block] += part.reshape(-1, taps, oh, ow)
    for m in mask:
        out *= np.repeat(m.reshape(n, groups, taps, oh, ow), channels // groups, axis=1)
    return out
