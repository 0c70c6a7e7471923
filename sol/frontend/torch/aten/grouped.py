"""Products of groups of rows with a matrix each, as mixtures of experts call them: the operation of transformers. torch's own takes
bfloat16 alone while a model is captured, and runs in torch."""

from __future__ import annotations

from sol.frontend.torch.aten import CONVERTERS, Context, Fallback
from sol.ir.types import DType


def grouped_product(ctx: Context, x: str, weight: str, offs: str) -> str:
    """``x[rows, in]`` and ``weight[groups, in, out]``, which is read as it is stored if it is a transposed view."""
    if ctx.dtype is not DType.F32:
        raise Fallback(f"grouped products of {ctx.dtype}")
    stored, turned = _stored(ctx, weight)
    return ctx.add("grouped_matmul", x, stored, offs, transposed=turned)


def grouped_gradients(ctx: Context, x: str, weight: str, offs: str, grad: str) -> tuple[str, str]:
    """Gradients of that product for x and for the matrices, which lie as the matrices do."""
    if ctx.dtype is not DType.F32:
        raise Fallback(f"gradients of grouped products of {ctx.dtype}")
    stored, turned = _stored(ctx, weight)
    of_rows = ctx.add("grouped_matmul", grad, stored, offs, transposed=not turned)
    if not turned:
        return of_rows, ctx.add("grouped_matmul_grad", x, grad, offs)
    return of_rows, ctx.add("permute", ctx.add("grouped_matmul_grad", grad, x, offs), order=(0, 2, 1))


def _stored(ctx: Context, weight: str) -> tuple[str, bool]:
    """The matrices as they are stored, and whether the operand is a transposed view of them."""
    node = ctx.builder.node(weight)
    turned = node.op == "permute" and node.attrs["order"] == (0, 2, 1)
    return (node.inputs[0] if turned else weight), turned


CONVERTERS["transformers.grouped_mm_fallback.default"] = grouped_product
CONVERTERS["transformers.grouped_mm_fallback_backward.default"] = grouped_gradients
