"""Products of groups of rows with a matrix each, as mixtures of experts call them: the operation of transformers. torch's own takes
bfloat16 alone while a model is captured, and runs in torch."""

from __future__ import annotations

from sol.frontend.torch.aten import CONVERTERS, Context, Fallback
from sol.ir.types import DType


def grouped_product(ctx: Context, x: str, weight: str, offs: str) -> str:
    """``x[rows, in]`` and ``weight[groups, in, out]``, which is read as it is stored if it is a transposed view."""
    if ctx.dtype is not DType.F32:
        raise Fallback(f"grouped products of {ctx.dtype}")
    node = ctx.builder.node(weight)
    if node.op == "permute" and node.attrs["order"] == (0, 2, 1):
        return ctx.add("grouped_matmul", x, node.inputs[0], offs, transposed=True)
    return ctx.add("grouped_matmul", x, weight, offs)


CONVERTERS["transformers.grouped_mm_fallback.default"] = grouped_product
