"""ONNX matrix products: MatMul and Gemm, those of integers, determinants, and Einsum in `einsum.py`."""

from __future__ import annotations

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.conv import shifted
from sol.frontend.onnx.einsum import contract
from sol.frontend.onnx.quantize import requantized
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.windows import computed, exact_float
from sol.ir.types import DType


def product_dtype(dtype: DType) -> DType:
    """The type in which a matrix product is computed: wide integers as they are, narrow ones as 32 bits, floats at least float32."""
    if not dtype.is_int:
        return computed(dtype)
    return DType.I64 if dtype.itemsize == 8 else DType.I32


def multiply(ctx: Context, a: str, b: str) -> str:
    """``a @ b`` by numpy's rules: vectors become one-row or one-column matrices."""
    ra, rb = ctx.rank(a), ctx.rank(b)
    if ra == 1:
        a = ctx.reshape(a, (1, *ctx.size(a)))
    if rb == 1:
        b = ctx.reshape(b, (*ctx.size(b), 1))
    y = ctx.add("matmul", a, b)
    shape = ctx.size(y)
    if ra == 1:
        shape = (*shape[:-2], *shape[-1:])
    return ctx.reshape(y, shape[:-1] if rb == 1 else shape)


@converter("MatMul")
def matmul(ctx: Context, node: OnnxNode) -> str:
    a, b = node.inputs
    result = ctx.type(a).dtype
    dtype = product_dtype(result)
    return ctx.cast(multiply(ctx, ctx.cast(a, dtype), ctx.cast(b, dtype)), result)


@converter("Gemm")
def gemm(ctx: Context, node: OnnxNode) -> str:
    """``alpha * A' B' + beta * C``; a linear layer where C is a vector per column."""
    a, b, c = node.inputs[0], node.inputs[1], node.input(2)
    result = ctx.type(a).dtype
    dtype = product_dtype(result)
    alpha, beta = float(node.attr("alpha", 1.0)), float(node.attr("beta", 1.0))
    a, b = ctx.cast(a, dtype), ctx.cast(b, dtype)
    c = None if c is None or beta == 0 else ctx.cast(c, dtype)
    if node.attr("transA", 0):
        a = ctx.permute(a, (1, 0))
    columns = ctx.size(b)[0 if node.attr("transB", 0) else 1]
    w = b if node.attr("transB", 0) else ctx.permute(b, (1, 0))
    if c is not None and alpha == beta == 1.0 and ctx.size(c) in ((columns,), (1, columns)):
        return ctx.cast(ctx.add("linear", a, w, ctx.reshape(c, (columns,))), result)
    y = _scaled(ctx, ctx.add("linear", a, w), alpha)
    return ctx.cast(y if c is None else ctx.add("add", y, _scaled(ctx, c, beta)), result)


def _scaled(ctx: Context, value: str, factor: float) -> str:
    return value if factor == 1 else ctx.add("mul", value, ctx.constant(factor, ctx.type(value).dtype))


@converter("Einsum")
def einsum(ctx: Context, node: OnnxNode) -> str:
    """Computed in 32 bits at least where something is summed; a mere permutation keeps its type."""
    operands = list(node.inputs)
    result = ctx.type(operands[0]).dtype
    return ctx.cast(contract(ctx, node.attr("equation"), operands, lambda x: ctx.cast(x, product_dtype(result))), result)


def integer_product(ctx: Context, a: str, b: str, a_zero: str | None, b_zero: str | None) -> str:
    """The exact product of shifted integers: in float32 where that holds the sums, else in 32-bit integers.

    A vector of zero points counts per row of a, and per column of b.
    """
    if a_zero is not None and ctx.rank(a_zero) == 1 and ctx.rank(a) > 1:
        a_zero = ctx.reshape(a_zero, (*ctx.size(a_zero), 1))
    dtype = exact_float(ctx.size(a)[-1], 255 * 255)
    dtype = dtype if dtype is DType.F32 else DType.I32
    return multiply(ctx, shifted(ctx, a, a_zero, dtype), shifted(ctx, b, b_zero, dtype))


@converter("MatMulInteger")
def matmul_integer(ctx: Context, node: OnnxNode) -> str:
    return ctx.cast(integer_product(ctx, node.inputs[0], node.inputs[1], node.input(2), node.input(3)), DType.I32)


@converter("QLinearMatMul")
def qlinear_matmul(ctx: Context, node: OnnxNode) -> str:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = node.inputs
    if ctx.rank(a_scale) == 1 and ctx.rank(a) > 1:
        a_scale = ctx.reshape(a_scale, (*ctx.size(a_scale), 1))
    return requantized(ctx, integer_product(ctx, a, b, a_zero, b_zero), (a_scale, b_scale), y_scale, y_zero)


@converter("Det")
def det(ctx: Context, node: OnnxNode) -> str:
    x = node.inputs[0]
    return ctx.cast(ctx.add("det", ctx.cast(x, computed(ctx.type(x).dtype))), ctx.type(x).dtype)
