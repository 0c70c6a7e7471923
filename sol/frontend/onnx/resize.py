"""Resize and Upsample: one axis after the other, each as whole repetitions, one gather, a few weighted gathers, or a matrix product."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sol.frontend.filters import Taps, can_be_resampled, hat, keys, resampled, weighted_sum
from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode
from sol.frontend.onnx.windows import computed
from sol.ir.dim import DimLike
from sol.ir.types import DType

MOST_TAPS = 4  # up to which weighted gathers are cheaper than a product with a matrix that is mostly zero


ROUNDINGS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "round_prefer_floor": lambda p: np.ceil(p - 0.5),
    "round_prefer_ceil": lambda p: np.floor(p + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


@dataclass(frozen=True)
class _Axis:
    """How one axis is resized. roi: start and end, from 0 to 1."""

    axis: int
    size: int
    out: int
    scale: float
    roi: tuple[float, float]


def upsample(ctx: Context, node: OnnxNode) -> str:
    """Resize by scales, with asymmetric coordinates and, for "nearest", the element below."""
    scales = node.attr("scales") if node.opset < 9 else ctx.need(node.inputs[1], "the scales")
    return _resized(ctx, node, node.inputs[0], _Request(ctx, node, [float(s) for s in scales], None), "asymmetric", "floor")


def resize(ctx: Context, node: OnnxNode) -> str:
    if node.opset < 11:
        stated = [float(s) for s in ctx.need(node.inputs[1], "the scales")]
        return _resized(ctx, node, node.inputs[0], _Request(ctx, node, stated, None), "asymmetric", "floor")
    scales_value, sizes_value = node.input(2), node.input(3)
    scales = None
    if scales_value is not None and (sizes_value is None or ctx.size(scales_value) != (0,)):
        scales = [float(s) for s in ctx.need(scales_value, "the scales")]
    sizes = None
    if not scales:
        if sizes_value is None:
            ctx.fail("neither scales nor sizes are given")
        sizes = list(ctx.dims(sizes_value, "the sizes"))
    coordinates = node.attr("coordinate_transformation_mode", "half_pixel")
    return _resized(ctx, node, node.inputs[0], _Request(ctx, node, scales or None, sizes), coordinates,
                    node.attr("nearest_mode", "round_prefer_floor"))  # fmt: skip


class _Request:
    """Scales or sizes per resized axis."""

    def __init__(self, ctx: Context, node: OnnxNode, scales: list[float] | None, sizes: list[DimLike] | None) -> None:
        rank = ctx.rank(node.inputs[0])
        self.axes = [ctx.axis(a, rank) for a in node.attr("axes") or range(rank)]
        self.scales, self.sizes = scales, sizes
        given = scales if scales is not None else sizes
        if given is None or len(given) != len(self.axes):
            ctx.fail(f"{len(given or ())} scales or sizes for {len(self.axes)} axes")


def _resized(ctx: Context, node: OnnxNode, x: str, request: _Request, coordinates: str, rounding: str) -> str:
    mode, result = node.attr("mode", "nearest"), ctx.type(x).dtype
    below = (coordinates, rounding) == ("asymmetric", "floor") or (coordinates == "half_pixel" and rounding.startswith("round"))
    if mode == "nearest" and below:
        y = _repeated(ctx, x, request)
        if y is not None:
            return y
    roi = _roi(ctx, node, coordinates, len(request.axes))
    axes = _axes_of(ctx, node, x, request, roi)
    taps = {} if roi else _taps_of_images(ctx, node, x, axes, coordinates, rounding)
    if taps:
        return resampled(ctx, x, [taps[2], taps[3]])
    y = x if mode == "nearest" and coordinates != "tf_crop_and_resize" else ctx.cast(x, computed(result))
    for axis in axes:
        if axis.scale == 1 and axis.out == axis.size and axis.roi == (0.0, 1.0):
            continue
        places, outside = _places(ctx, axis, coordinates)
        index, weight = _taps(node, mode, places, axis, rounding)
        y = _gathered(ctx, y, axis.axis, index) if mode == "nearest" else _interpolated(ctx, y, axis, index, weight)
        if outside is not None and outside.any():
            shape = (axis.out, *(1,) * (ctx.rank(y) - axis.axis - 1))
            value = ctx.constant(float(node.attr("extrapolation_value", 0.0)), ctx.type(y).dtype)
            y = ctx.add("where", ctx.constant(outside.reshape(shape), DType.BOOL), value, y)
    if result.is_int and mode != "nearest":
        y = _in_range(ctx, y, result)
    return ctx.cast(y, result)


def _taps_of_images(ctx: Context, node: OnnxNode, x: str, axes: Sequence[_Axis], coordinates: str, rounding: str) -> dict[int, Taps]:
    """Rows and columns that make resized images, if nothing else is resized and one kernel makes them; else none."""
    sizes = dict(enumerate(ctx.size(x))) | {a.axis: a.out for a in axes}
    if not {a.axis for a in axes} <= {2, 3} or len(sizes) != 4 or not can_be_resampled(ctx, x, (sizes[2], sizes[3])):
        return {}
    found = {axis: Taps.all(int(sizes[axis])) for axis in (2, 3)}  # type: ignore[arg-type]  # can_be_resampled asks for fixed sizes
    for axis in axes:
        if axis.scale != 1 or axis.out != axis.size:
            places, _ = _places(ctx, axis, coordinates)
            found[axis.axis] = Taps(*_taps(node, node.attr("mode", "nearest"), places, axis, rounding))
    return found


def _in_range(ctx: Context, y: str, dtype: DType) -> str:
    """Interpolated integers are cut off at the ends of their range."""
    if dtype.bits > 32:
        return y
    low, high = (0, (1 << dtype.bits) - 1) if dtype.is_unsigned else (-(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1)
    return ctx.add("clamp", y, low=float(low), high=float(high))


def _repeated(ctx: Context, x: str, request: _Request) -> str | None:
    """Nearest neighbours by whole factors: every element several times in a row, also for symbolic sizes."""
    sizes = ctx.size(x)
    factors = []
    for i, axis in enumerate(request.axes):
        if request.scales is not None:
            factor = request.scales[i]
        else:
            factor = _quotient(request.sizes[i], sizes[axis])  # type: ignore[index]
        if factor < 1 or factor != int(factor):
            return None
        factors.append(int(factor))
    images = {2: 1, 3: 1} | dict(zip(request.axes, factors))
    if all(axis in (2, 3) or factor == 1 for axis, factor in images.items()) and can_be_resampled(ctx, x, sizes[2:]):
        return resampled(ctx, x, [Taps.copies(np.arange(sizes[axis] * images[axis]) // images[axis]) for axis in (2, 3)])  # type: ignore[arg-type]
    for axis, factor in zip(request.axes, factors):
        if factor > 1:
            shape = ctx.size(x)
            x = ctx.reshape(x, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
            x = ctx.expand(x, (*shape[: axis + 1], factor, *shape[axis + 1 :]))
            x = ctx.reshape(x, (*shape[:axis], shape[axis] * factor, *shape[axis + 1 :]))
    return x


def _quotient(out: DimLike, size: DimLike) -> float:
    """The whole factor between two sizes, 0 if there is none that is certain."""
    if isinstance(out, int) and isinstance(size, int):
        return out // size if size and out % size == 0 else 0
    return next((k for k in range(1, 65) if out == size * k), 0)


def _axes_of(ctx: Context, node: OnnxNode, x: str, request: _Request, roi: Sequence[float]) -> list[_Axis]:
    """The resized axes with their targets and scales."""
    shape = ctx.size(x)
    changed = [i for i, a in enumerate(request.axes)
               if (request.scales[i] != 1 if request.scales is not None else request.sizes[i] != shape[a]) or roi]  # type: ignore[index]  # fmt: skip
    sizes = [shape[a] for a in request.axes]
    fixed = dict(zip(changed, ctx.fixed([sizes[i] for i in changed], "a resized axis")))
    count = len(request.axes)
    if request.scales is not None:
        scales = dict(enumerate(request.scales))
        outs = {i: int(np.floor(np.float32(scales[i]) * np.float32(fixed[i]))) for i in changed}
    else:
        targets = dict(zip(changed, ctx.fixed([request.sizes[i] for i in changed], "a target size")))  # type: ignore[index]
        policy = node.attr("keep_aspect_ratio_policy", "stretch")
        scales = {i: targets[i] / fixed[i] if fixed[i] else 1.0 for i in changed}
        outs = targets
        if policy != "stretch":
            everything = [scales.get(i, 1.0) for i in range(count)]
            common = min(everything) if policy == "not_larger" else max(everything)
            fixed = dict(enumerate(ctx.fixed(sizes, "a resized axis")))
            scales = dict.fromkeys(range(count), common)
            outs = {i: int(common * fixed[i] + 0.5) for i in range(count)}
    return [
        _Axis(request.axes[i], fixed[i], outs[i], scales[i], (float(roi[i]), float(roi[count + i])) if roi else (0.0, 1.0)) for i in outs
    ]


def _roi(ctx: Context, node: OnnxNode, coordinates: str, count: int) -> list[float]:
    if coordinates != "tf_crop_and_resize":
        return []
    given = ctx.need(node.inputs[1], "the region of interest") if node.input(1) is not None else ()
    if len(given) != 2 * count:
        ctx.fail(f"a region of interest with {len(given)} numbers for {count} axes")
    return [float(v) for v in given]


def _places(ctx: Context, axis: _Axis, mode: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Where in the input each output element lies, and for cropping which of them lie outside."""
    i = np.arange(axis.out, dtype=np.float64)
    size, scale = axis.size, axis.scale
    length = scale * size
    if mode == "align_corners":
        return (i * (size - 1) / (length - 1) if length != 1 else np.zeros(axis.out)), None
    if mode == "asymmetric":
        return i / scale, None
    if mode == "half_pixel" or (mode == "pytorch_half_pixel" and length != 1):
        return (i + 0.5) / scale - 0.5, None
    if mode == "pytorch_half_pixel":
        return np.full(axis.out, -0.5), None
    if mode == "half_pixel_symmetric":
        centre = size / 2 * (1 - axis.out / length)
        return centre + (i + 0.5) / scale - 0.5, None
    if mode == "tf_half_pixel_for_nn":
        return (i + 0.5) / scale, None
    if mode == "tf_crop_and_resize":
        start, end = axis.roi
        steps = i * (end - start) * (size - 1) / (length - 1) if length != 1 else np.full(axis.out, (end - start) * (size - 1) / 2)
        places = steps + start * (size - 1)
        return places, (places < 0) | (places > size - 1)
    ctx.fail(f"coordinate_transformation_mode {mode!r} is unknown")


def _taps(node: OnnxNode, mode: str, places: np.ndarray, axis: _Axis, rounding: str) -> tuple[np.ndarray, np.ndarray]:
    """Indices and weights [out, taps] of the elements that each output element is made of."""
    if mode == "nearest":
        nearest = ROUNDINGS[rounding](places)
        return np.clip(nearest, 0, axis.size - 1).astype(np.int64)[:, None], np.ones((axis.out, 1))
    stretch = min(axis.scale, 1.0) if node.attr("antialias", 0) else 1.0
    a = float(node.attr("cubic_coeff_a", -0.75 if node.opset >= 11 else -0.5))
    reach = 1 if mode == "linear" else 2
    kernel = hat if mode == "linear" else functools.partial(keys, a=a)
    first = np.floor(places).astype(np.int64) - int(np.ceil(reach / stretch)) + 1
    index = first[:, None] + np.arange(2 * int(np.ceil(reach / stretch)))
    weight = kernel((index - places[:, None]) * stretch)
    if stretch != 1 or node.attr("exclude_outside", 0):
        if node.attr("exclude_outside", 0):
            weight = np.where((index < 0) | (index >= axis.size), 0.0, weight)
        total = weight.sum(1, keepdims=True)
        weight = weight / np.where(total == 0, 1.0, total)
    return np.clip(index, 0, axis.size - 1), weight


def _gathered(ctx: Context, x: str, axis: int, index: np.ndarray) -> str:
    return ctx.add("take", x, ctx.constant(index[:, 0], DType.I64), dim=axis)


def _interpolated(ctx: Context, x: str, axis: _Axis, index: np.ndarray, weight: np.ndarray) -> str:
    used = np.count_nonzero(weight.any(0))
    if used > MOST_TAPS:
        return _multiplied(ctx, x, axis, index, weight)
    return weighted_sum(ctx, x, axis.axis, index, weight) if used else x


def _multiplied(ctx: Context, x: str, axis: _Axis, index: np.ndarray, weight: np.ndarray) -> str:
    """A product with the matrix of all weights."""
    matrix = np.zeros((axis.out, axis.size))
    np.add.at(matrix, (np.arange(axis.out)[:, None], index), weight)
    order = [*(i for i in range(ctx.rank(x)) if i != axis.axis), axis.axis]
    y = ctx.add("linear", ctx.permute(x, order), ctx.constant(matrix, ctx.type(x).dtype))
    return ctx.permute(y, [order.index(i) for i in range(len(order))])
