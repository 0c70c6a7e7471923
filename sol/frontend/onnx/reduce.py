"""ONNX reductions, running sums and products, and softmax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.ramp import ramp
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.dim import DimLike, product
from sol.ir.types import DType

Axes = tuple[int, ...]


def reduced_axes(ctx: Context, node: OnnxNode) -> Axes | None:
    """The axes that a Reduce operator names (attribute, or from opset 13 and 18 on an operand); None if nothing is to be reduced."""
    rank = ctx.rank(node.inputs[0])
    given: Sequence[int] | None = node.attr("axes")
    if given is None and node.input(1) is not None:
        given = [int(a) for a in ctx.need(node.inputs[1], f"the axes of {node.op}").ravel()]
    if not given:
        return None if node.attr("noop_with_empty_axes", 0) else tuple(range(rank))
    return ctx.axes(tuple(given), rank)


def _neutral(op: str, dtype: DType) -> Any:
    """What a reduction of nothing gives."""
    if op in ("sum", "any"):
        return 0
    if op in ("prod", "all"):
        return 1
    if op == "mean":
        return float("nan")
    if dtype.is_float:
        return float("-inf") if op == "max" else float("inf")
    limits = np.iinfo(dtype.numpy)
    return int(limits.min if op == "max" else limits.max)


def reduced(ctx: Context, op: str, x: str, axes: Axes, keepdims: bool) -> str:
    """A reduction, also of nothing and over no axes."""
    dtype, size = ctx.type(x).dtype, ctx.size(x)
    if dtype is DType.BOOL:
        op = {"max": "any", "min": "all"}.get(op, op)
    if not axes:
        return x
    if any(size[a] == 0 for a in axes):
        shape = [1 if i in axes else s for i, s in enumerate(size) if keepdims or i not in axes]
        return ctx.filled(ctx.constant(_neutral(op, dtype), dtype), shape, dtype)
    return ctx.add(op, x, dims=axes, keepdims=keepdims)


def _register(name: str, combine: Callable[[Context, str, Axes, bool], str], in_float: bool = False) -> None:
    @converter(name)
    def convert(ctx: Context, node: OnnxNode) -> str:
        x, axes = node.inputs[0], reduced_axes(ctx, node)
        dtype = ctx.type(x).dtype
        if in_float and not dtype.is_float:
            x = ctx.cast(x, DType.F64)
        return ctx.cast(combine(ctx, x, axes or (), bool(node.attr("keepdims", 1))), dtype)


def _plainly(op: str, before: str = "", after: str = "") -> Callable[[Context, str, Axes, bool], str]:
    """A reduction with a pointwise op before and after it."""

    def combine(ctx: Context, x: str, axes: Axes, keepdims: bool) -> str:
        y = reduced(ctx, op, ctx.add(before, x) if before else x, axes, keepdims)
        return ctx.add(after, y) if after else y

    return combine


def _log_sum_exp(ctx: Context, x: str, axes: Axes, keepdims: bool) -> str:
    """``log(sum(exp(x - m))) + m`` with the maximum ``m`` (0 where infinite)."""
    dtype = ctx.type(x).dtype
    top = reduced(ctx, "max", x, axes, True)
    top = ctx.add("where", ctx.add("isinf", top), ctx.operand(0.0, dtype), top)
    total = reduced(ctx, "sum", ctx.add("exp", ctx.add("sub", x, top)), axes, True)
    y = ctx.add("add", ctx.add("log", total), top)
    return y if keepdims else ctx.reshape(y, [s for i, s in enumerate(ctx.size(y)) if i not in axes])


_register("ReduceSum", _plainly("sum"))
_register("ReduceMean", _plainly("mean"), in_float=True)
_register("ReduceMax", _plainly("max"))
_register("ReduceMin", _plainly("min"))
_register("ReduceProd", _plainly("prod"))
_register("ReduceL1", _plainly("sum", before="abs"))
_register("ReduceL2", _plainly("sum", before="square", after="sqrt"), in_float=True)
_register("ReduceSumSquare", _plainly("sum", before="square"))
_register("ReduceLogSum", _plainly("sum", after="log"), in_float=True)
_register("ReduceLogSumExp", _log_sum_exp, in_float=True)


@converter("ArgMax", "ArgMin")
def arg(ctx: Context, node: OnnxNode) -> str:
    """Index of the first extremum, or of the last: that is the first of the reversed elements."""
    x = node.inputs[0]
    axis, keepdims = ctx.axis(node.attr("axis", 0), ctx.rank(x)), bool(node.attr("keepdims", 1))
    last = bool(node.attr("select_last_index", 0))
    index = ctx.add(node.op.lower(), ctx.add("flip", x, dims=(axis,)) if last else x, dim=axis, keepdims=keepdims)
    return ctx.add("sub", ctx.operand(ctx.size(x)[axis] - 1, DType.I64), index) if last else index


@converter("CumSum", "CumProd")
def cumulative(ctx: Context, node: OnnxNode) -> str:
    """Running sums (products); "exclusive" leaves out the element itself, "reverse" runs from the end."""
    x, op = node.inputs[0], node.op.lower()
    axis = ctx.axis(int(ctx.number(node.inputs[1], f"the axis of {node.op}")), ctx.rank(x))
    if node.attr("reverse", 0):
        x = ctx.add("flip", x, dims=(axis,))
    y = ctx.add(op, x, dim=axis)
    if node.attr("exclusive", 0):
        pads = [(1, -1) if i == axis else (0, 0) for i in range(ctx.rank(x))]
        y = ctx.add("pad", y, pads=tuple(pads), value=0 if op == "cumsum" else 1)
    return ctx.add("flip", y, dims=(axis,)) if node.attr("reverse", 0) else y


# softmax


def _flattened(ctx: Context, node: OnnxNode, function: Callable[[str, int], str]) -> str:
    """Before opset 13: over all dimensions from ``axis`` on, as one."""
    x = node.inputs[0]
    if node.opset >= 13:
        return function(x, ctx.axis(node.attr("axis", -1), ctx.rank(x)))
    shape: tuple[DimLike, ...] = ctx.size(x)
    axis = ctx.axis(node.attr("axis", 1), len(shape))
    return ctx.reshape(function(ctx.reshape(x, (product(shape[:axis]), product(shape[axis:]))), 1), shape)


@converter("Softmax", "LogSoftmax")
def softmax(ctx: Context, node: OnnxNode) -> str:
    op = "softmax" if node.op == "Softmax" else "log_softmax"
    return _flattened(ctx, node, lambda x, axis: ctx.add(op, x, dim=axis))


@converter("Hardmax")
def hardmax(ctx: Context, node: OnnxNode) -> str:
    """1 at the first largest element, else 0."""

    def function(x: str, axis: int) -> str:
        if ctx.size(x)[axis] == 0:
            return x
        best = ctx.add("argmax", x, dim=axis, keepdims=True)
        return ctx.cast(ctx.add("eq", ramp(ctx, ctx.size(x)[axis], ctx.rank(x), axis), best), ctx.type(x).dtype)

    return _flattened(ctx, node, function)
