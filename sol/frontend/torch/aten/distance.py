"""ATen's distances between all rows of two sets, and the products of three operands beside them (bilinear)."""

from __future__ import annotations

import math
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.dim import Dim
from sol.ir.types import DType

FEW = 25
"""Rows up to which torch takes Euclidean distances from differences; of more it expands the square into a matrix product."""


@converter("cdist.default", "_cdist_forward.default")
def cdist(ctx: Context, a: str, b: str, p: float = 2.0, compute_mode: int | None = None) -> str:
    """``out[..., i, j]``: the p-norm of ``a[..., i, :] - b[..., j, :]``."""
    rows = ctx.size(a)[-2], ctx.size(b)[-2]
    if p == 2 and _by_products(rows, compute_mode):
        return _euclidean(ctx, a, b)
    (*lead_a, n, width), (*lead_b, m, _) = ctx.size(a), ctx.size(b)
    difference = ctx.add("sub", ctx.reshape(a, (*lead_a, n, 1, width)), ctx.reshape(b, (*lead_b, 1, m, width)))
    return _norm(ctx, difference, float(p))


def _by_products(rows: tuple[Any, Any], mode: int | None) -> bool:
    """Whether torch computes with a matrix product: mode 1 says always, 2 never, else the number of rows decides."""
    if mode in (1, 2):
        return mode == 1
    if any(isinstance(r, Dim) for r in rows):
        raise Fallback("torch computes distances in different ways, depending on an open size")
    return max(rows) > FEW


def _euclidean(ctx: Context, a: str, b: str) -> str:
    """``sqrt(a^2 - 2 a b + b^2)``, not below 0."""
    width = ctx.rank(a) - 1, ctx.rank(b) - 1
    own = [ctx.add("sum", ctx.add("square", x), dims=(w,), keepdims=True) for x, w in zip((a, b), width)]
    turned = [ctx.permute(x, (*range(w - 1), w, w - 1)) for x, w in zip((b, own[1]), (width[1], width[1]))]
    twice = ctx.add("matmul", ctx.add("mul", a, ctx.operand(-2.0, ctx.dtype)), turned[0])
    square = ctx.add("add", ctx.add("add", twice, own[0]), turned[1])
    return ctx.add("sqrt", ctx.add("maximum", square, ctx.operand(0.0, ctx.dtype)))


def _norm(ctx: Context, x: str, p: float) -> str:
    """The p-norm along the last dimension; of no elements 0."""
    last, zero = (ctx.rank(x) - 1,), ctx.operand(0.0, ctx.dtype)
    if ctx.size(x)[-1] == 0:
        return ctx.filled(0.0, ctx.shape, ctx.dtype)
    if p == 2:
        return ctx.add("sqrt", ctx.add("sum", ctx.add("square", x), dims=last, keepdims=False))
    size = ctx.add("abs", x)
    if p == 0:
        return ctx.add("sum", ctx.add("minimum", ctx.add("ceil", size), ctx.operand(1.0, ctx.dtype)), dims=last, keepdims=False)
    if math.isinf(p):  # of which torch leaves out NaN
        return ctx.add("max", ctx.add("where", ctx.add("isnan", size), zero, size), dims=last, keepdims=False)
    if p != 1:
        size = ctx.add("pow", size, ctx.operand(p, ctx.dtype))
    total = ctx.add("sum", size, dims=last, keepdims=False)
    return total if p == 1 else ctx.add("pow", total, ctx.operand(1.0 / p, ctx.dtype))


@converter("bilinear.default")
def bilinear(ctx: Context, x: str, y: str, weight: str, bias: str | None = None) -> str:
    """``out[..., o] = sum_ij x[..., i] weight[o, i, j] y[..., j] + bias[o]``: a linear layer of x, then a sum over j."""
    outputs, left, right = ctx.size(weight)
    if ctx.dtype is not DType.F32:
        raise Fallback(f"bilinear products of {ctx.dtype}")
    lead = ctx.size(x)[:-1]
    rows = ctx.reshape(ctx.permute(weight, (0, 2, 1)), (outputs * right, left))
    flat = x if lead else ctx.reshape(x, (1, left))
    half = ctx.reshape(ctx.add("linear", flat, rows), (*lead, outputs, right))
    product = ctx.add("mul", half, ctx.reshape(y, (*lead, 1, right)))
    total = ctx.add("sum", product, dims=(len(lead) + 1,), keepdims=False)
    return total if bias is None else ctx.add("add", total, bias)
