"""ATen scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.resample import repeat_each
from sol.ir.dim import Dim
from sol.ir.types import DType


@converter("scaled_dot_product_attention.default")
def sdpa(ctx: Context, q: str, k: str, v: str, attn_mask: str | None = None, dropout_p: float = 0.0, is_causal: bool = False,
         scale: float | None = None, enable_gqa: bool = False) -> str:  # fmt: skip
    if dropout_p:
        raise Fallback("attention with dropout is random")
    if scale is None:
        width = ctx.size(q)[-1]
        if isinstance(width, Dim):
            raise Fallback("attention over a symbolic number of features")
        scale = 1.0 / math.sqrt(width) if width else 1.0
    if enable_gqa:
        k, v = (_repeat_heads(ctx, x, q) for x in (k, v))
    mask = () if attn_mask is None else (_mask(ctx, attn_mask, q),)
    return ctx.add("sdpa", q, k, v, *mask, causal=bool(is_causal), scale=float(scale))


def _repeat_heads(ctx: Context, x: str, q: str) -> str:
    """Key and value heads repeated to the number of query heads (grouped-query attention)."""
    ours, theirs = ctx.fixed((ctx.size(x)[-3], ctx.size(q)[-3]), "the number of heads")
    return repeat_each(ctx, x, ctx.rank(x) - 3, theirs // ours)


def _mask(ctx: Context, mask: str, q: str) -> str:
    return mask if ctx.type(mask).dtype is DType.BOOL else ctx.cast(mask, ctx.type(q).dtype)


@converter("_scaled_dot_product_flash_attention_for_cpu.default")
def flash_for_cpu(ctx: Context, q: str, k: str, v: str, dropout_p: float = 0.0, is_causal: bool = False, attn_mask: str | None = None,
                  scale: float | None = None) -> tuple[str, None]:  # fmt: skip
    return sdpa(ctx, q, k, v, attn_mask, dropout_p, is_causal, scale), None


@converter("_scaled_dot_product_attention_math.default", "_scaled_dot_product_attention_math_for_mps.default")
def attention_math(ctx: Context, q: str, k: str, v: str, attn_mask: str | None = None, dropout_p: float = 0.0, is_causal: bool = False,
                   dropout_mask: Any = None, scale: float | None = None, enable_gqa: bool = False) -> tuple[str, None]:  # fmt: skip
    return sdpa(ctx, q, k, v, attn_mask, dropout_p, is_causal, scale, enable_gqa), None
