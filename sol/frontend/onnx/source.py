"""ONNX operators that make a tensor from nothing, or from the shape of another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sol.errors import ModelError
from sol.frontend.onnx.checks import LARGEST_TENSOR
from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.types import array_dtype, dtype_of
from sol.ir.dim import Dim, product
from sol.ir.types import DType


@converter("Constant")
def constant(ctx: Context, node: OnnxNode) -> Any:
    """The one attribute that is stated: a tensor, a sparse tensor, numbers, or text."""
    for name in ("value", "sparse_value"):
        if name in node.attrs:
            return ctx.importer.tensor(ctx, node.attrs[name], node.name)
    for name, dtype in {"value_float": DType.F32, "value_floats": DType.F32, "value_int": DType.I64, "value_ints": DType.I64}.items():
        if name in node.attrs:
            return ctx.literal(np.asarray(node.attrs[name], dtype.numpy), dtype)
    for name in ("value_string", "value_strings"):
        if name in node.attrs:
            return np.array(node.attrs[name], object)
    raise ModelError("a Constant has no value", origin=node.name, remedy="export the model again")


@converter("ConstantOfShape")
def constant_of_shape(ctx: Context, node: OnnxNode) -> Any:
    shape = ctx.dims(node.inputs[0], "the shape of ConstantOfShape")
    value = node.attr("value")
    if value is None:
        value = np.zeros(1, np.float32)
    if value.dtype.kind == "O":
        return np.full(ctx.fixed(shape, "the shape of a tensor of strings"), value.reshape(-1)[0], object)
    check_size(ctx, shape)
    return ctx.expand(ctx.literal(value.reshape(()), array_dtype(value)), shape)


def check_size(ctx: Context, shape: tuple[Any, ...]) -> None:
    """A shape that comes from numbers in the model has a size that a machine can hold."""
    if any(isinstance(d, int) and d < 0 for d in shape):
        raise ModelError(f"{ctx.describe()} makes a tensor of the negative size {list(shape)}", origin=ctx.node.name,
                         remedy="check the shape")  # fmt: skip
    size = product(shape)
    if not isinstance(size, Dim) and size > LARGEST_TENSOR:
        raise ModelError(f"{ctx.describe()} makes a tensor of {list(shape)} elements", origin=ctx.node.name,
                         remedy="no machine holds it: check the shape")  # fmt: skip


@converter("Shape")
def shape(ctx: Context, node: OnnxNode) -> str:
    """The sizes ``start:end``; a literal where they are fixed."""
    sizes = _shape_of(ctx, node.inputs[0])
    return ctx.vector(sizes[slice(node.attr("start", 0), node.attr("end"))])


def _shape_of(ctx: Context, value: Any) -> tuple[Any, ...]:
    return value.shape if isinstance(value, np.ndarray) else ctx.size(value)


@converter("Size")
def size(ctx: Context, node: OnnxNode) -> str:
    return ctx.operand(product(_shape_of(ctx, node.inputs[0])), DType.I64)


@converter("Range")
def range_(ctx: Context, node: OnnxNode) -> str:
    """``start, start + delta, …`` below ``limit``."""
    start, limit, delta = node.inputs
    dtype = ctx.type(start).dtype
    sizes = [ctx.sizes(v) for v in node.inputs]
    if dtype.is_int and all(s is not None and s.size == 1 for s in sizes):
        first, last, step = (s.reshape(-1)[0] for s in sizes)  # type: ignore[union-attr]
        if not isinstance(step, Dim) and step:
            count = -((first - last) // step) if step > 0 else -((last - first) // -step)
            if not isinstance(count, Dim):
                count = max(int(count), 0)
            check_size(ctx, (count,))
            return ctx.cast(ctx.add("iota", size=count, start=first, step=int(step), dtype=DType.I64), dtype)
    first, last, step = (ctx.number(v, "the bounds of Range") for v in (start, limit, delta))
    if step == 0:
        raise ModelError("a Range has the step 0", origin=node.name)
    count = max(math.ceil((last - first) / step), 0)
    check_size(ctx, (count,))
    steps = ctx.cast(ctx.add("iota", size=count, start=0, step=1, dtype=DType.I64), dtype)
    return ctx.add("add", ctx.add("mul", steps, _scalar(ctx, delta)), _scalar(ctx, start))


def _scalar(ctx: Context, value: str) -> str:
    """A scalar, also where the model has a vector of one element."""
    return ctx.reshape(value, ())


@converter("EyeLike")
def eye_like(ctx: Context, node: OnnxNode) -> str:
    (x,), k = node.inputs, node.attr("k", 0)
    rows, columns = ctx.size(x)
    dtype = dtype_of(node.attrs["dtype"]) if "dtype" in node.attrs else ctx.type(x).dtype
    i = ctx.reshape(ctx.add("iota", size=rows, start=k, step=1, dtype=DType.I64), (rows, 1))
    j = ctx.reshape(ctx.add("iota", size=columns, start=0, step=1, dtype=DType.I64), (1, columns))
    return ctx.cast(ctx.add("eq", i, j), dtype)
