"""Gradients of attention as an operation of our own, which computes the weights again: neither they nor the row sums are kept."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from sol.frontend.torch.aten import CONVERTERS, Context, Fallback
from sol.frontend.torch.aten.attention import repeat_heads, shares_heads
from sol.ir.types import DType

aten = torch.ops.aten


@torch.library.custom_op("sol::attention_grad", mutates_args=())
def attention_grad(
    grad: Tensor, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of q[..., L, E], k[..., S, E] and v[..., S, V] of scaled dot-product attention; grad[..., L, V]: that of its result."""
    out, sums = aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, causal, attn_mask=mask, scale=scale)
    operation = aten._scaled_dot_product_flash_attention_for_cpu_backward
    found = operation(grad, q, k, v, out, sums, 0.0, causal, attn_mask=mask, scale=scale)
    return tuple(x.contiguous() for x in found)  # type: ignore[return-value]


@attention_grad.register_fake
def _shapes(grad: Tensor, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float) -> tuple[Tensor, ...]:
    return tuple(x.new_empty(x.shape) for x in (q, k, v))


def _flash(
    grad: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, sums: Tensor, dropout_p: float, is_causal: bool,
    attn_mask: Tensor | None = None, scale: float | None = None,
) -> Any:  # fmt: skip
    if dropout_p:
        return NotImplemented
    return attention_grad(grad, q, k, v, attn_mask, is_causal, 1.0 / math.sqrt(q.shape[-1]) if scale is None else scale)


DECOMPOSITIONS: dict[Any, Any] = {aten._scaled_dot_product_flash_attention_for_cpu_backward.default: _flash}
"""Operation of AOTAutograd's graphs → what computes it with these."""


def _convert(ctx: Context, grad: str, q: str, k: str, v: str, mask: str | None, causal: bool, scale: float) -> tuple[str, ...]:
    kinds = {ctx.type(x).dtype for x in (grad, q, k, v)}
    if kinds not in ({DType.F32}, {DType.BF16}):
        raise Fallback("gradients of attention that is neither in float32 nor in bfloat16")
    shared = shares_heads(ctx, q, k)
    keys, values = (repeat_heads(ctx, x, q) if shared else x for x in (k, v))
    if len({ctx.size(x)[:-2] for x in (q, keys, values)}) > 1:
        raise Fallback("gradients of attention between batches of different sizes")
    given = [] if mask is None else [mask]
    of_queries, *others = ctx.add("sdpa_grad", grad, q, keys, values, *given, causal=causal, scale=float(scale))
    return of_queries, *(_added(ctx, x, like) if shared else x for x, like in zip(others, (k, v)))


def _added(ctx: Context, grad: str, like: str) -> str:
    """The sum over the queries that share a head of keys."""
    *batch, heads, length, width = ctx.size(like)
    by_head = ctx.reshape(grad, (*batch, heads, ctx.size(grad)[-3] // heads, length, width))
    return ctx.add("sum", by_head, dims=(len(batch) + 1,), keepdims=False)


CONVERTERS["sol.attention_grad.default"] = _convert
