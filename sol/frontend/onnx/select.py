"""ONNX operators that sort, and those whose results are as long as the data says."""

from __future__ import annotations

from typing import Any

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.dim import Dim, product
from sol.ir.types import DType


@converter("TopK")
def top_k(ctx: Context, node: OnnxNode) -> tuple[str, str]:
    x = node.inputs[0]
    axis = ctx.axis(node.attr("axis", -1), ctx.rank(x))
    (k,) = (node.attrs["k"],) if "k" in node.attrs else ctx.dims(node.inputs[1], "the number of elements of TopK")
    return ctx.add("topk", x, dim=axis, k=k, largest=bool(node.attr("largest", 1)))


@converter("NonZero")
def nonzero(ctx: Context, node: OnnxNode) -> str:
    """Indices of the elements that are not zero, one column each."""
    x = node.inputs[0]
    known = ctx.known(x)
    if known is not None:
        return ctx.constant(np.array(np.nonzero(np.atleast_1d(known)))[: known.ndim], DType.I64)
    if not ctx.rank(x):
        ctx.fail("a scalar operand", "reshape it to one dimension")
    found, _ = ctx.add("nonzero", x, symbol=ctx.builder.data_size(ctx.type(x).size))
    return ctx.permute(found, (1, 0))


@converter("Compress")
def compress(ctx: Context, node: OnnxNode) -> str:
    """Slices at which the condition is true; without an axis elements of the flattened operand."""
    x, condition = node.inputs
    if "axis" not in node.attrs:
        x = ctx.reshape(x, (ctx.type(x).size,))
    axis = ctx.axis(node.attr("axis", 0), ctx.rank(x))
    known = ctx.known(condition)
    if known is not None:
        return ctx.add("take", x, ctx.constant(np.flatnonzero(known), DType.I64), dim=axis)
    size = ctx.builder.data_size(ctx.type(condition).size)
    found, _ = ctx.add("nonzero", condition, symbol=size)
    return ctx.add("take", x, ctx.reshape(found, (size,)), dim=axis)


@converter("Unique")
def unique(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """Distinct elements, or slices along an axis; the indices of the first ones, the way back, and how often each occurs."""
    x = node.inputs[0]
    if "axis" in node.attrs:
        axis = ctx.axis(node.attrs["axis"], ctx.rank(x))
    else:
        x, axis = ctx.reshape(x, (ctx.type(x).size,)), 0
    shape = ctx.size(x)
    order = (axis, *(i for i in range(len(shape)) if i != axis))
    rows = ctx.reshape(ctx.permute(x, order), (shape[axis], product(s for i, s in enumerate(shape) if i != axis)))
    first, inverse, counts, _ = ctx.add("unique", rows, symbol=ctx.builder.data_size(shape[axis]), sorted=bool(node.attr("sorted", 1)))
    return ctx.add("take", x, first, dim=axis), first, inverse, counts


@converter("NonMaxSuppression")
def non_max_suppression(ctx: Context, node: OnnxNode) -> str:
    """Rows (image, class, box) of the boxes that are kept; none if the number per class is not given."""
    boxes, scores = node.inputs[:2]
    dtype = ctx.type(boxes).dtype
    images, classes, count = ctx.size(scores)
    most, limit = _limit(ctx, node.input(2), 0, DType.I64)
    iou, _ = _limit(ctx, node.input(3), 0.0, dtype)
    score, _ = _limit(ctx, node.input(4), float("-inf"), dtype)
    if limit is not None:
        limit = max(int(limit), 0) if isinstance(count, Dim) else min(max(int(limit), 0), count)
    size = ctx.builder.data_size(images * classes * (count if limit is None else limit))
    found, _ = ctx.add("nms", boxes, scores, most, iou, score, symbol=size, limit=limit, center=bool(node.attr("center_point_box", 0)))
    return found


def _limit(ctx: Context, value: str | None, default: float, dtype: DType) -> tuple[str, Any]:
    """A limit as a vector of one element, and its number if it is known."""
    if value is None:
        return ctx.constant([default], dtype), default
    known = ctx.known(value)
    return ctx.reshape(ctx.cast(value, dtype), (1,)), None if known is None else known.reshape(-1)[0].item()
