"""ATen scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.matmul import linear
from sol.frontend.torch.aten.norm import layer_norm
from sol.frontend.torch.aten.pointwise import gelu
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
        k, v = (repeat_heads(ctx, x, q) for x in (k, v))
    mask = () if attn_mask is None else (_mask(ctx, attn_mask, q),)
    return ctx.add("sdpa", q, k, v, *mask, causal=bool(is_causal), scale=float(scale))


def shares_heads(ctx: Context, q: str, k: str) -> bool:
    """Are there more heads of queries than of keys?"""
    return ctx.rank(q) >= 3 and ctx.rank(k) >= 3 and ctx.size(q)[-3] != ctx.size(k)[-3]


def repeat_heads(ctx: Context, x: str, q: str) -> str:
    """Key and value heads repeated to the number of query heads (grouped-query attention)."""
    ours, theirs = ctx.fixed((ctx.size(x)[-3], ctx.size(q)[-3]), "the number of heads")
    return repeat_each(ctx, x, ctx.rank(x) - 3, theirs // ours)


def _mask(ctx: Context, mask: str, q: str) -> str:
    return mask if ctx.type(mask).dtype is DType.BOOL else ctx.cast(mask, ctx.type(q).dtype)


@converter("_scaled_dot_product_flash_attention_for_cpu.default")
def flash_for_cpu(ctx: Context, q: str, k: str, v: str, dropout_p: float = 0.0, is_causal: bool = False, attn_mask: str | None = None,
                  scale: float | None = None) -> tuple[str, None]:  # fmt: skip
    return sdpa(ctx, q, k, v, attn_mask, dropout_p, is_causal, scale, shares_heads(ctx, q, k)), None


@converter("_scaled_dot_product_attention_math.default", "_scaled_dot_product_attention_math_for_mps.default")
def attention_math(ctx: Context, q: str, k: str, v: str, attn_mask: str | None = None, dropout_p: float = 0.0, is_causal: bool = False,
                   dropout_mask: Any = None, scale: float | None = None, enable_gqa: bool = False) -> tuple[str, None]:  # fmt: skip
    return sdpa(ctx, q, k, v, attn_mask, dropout_p, is_causal, scale, enable_gqa), None


@converter("_transformer_encoder_layer_fwd.default")
def encoder_layer(ctx: Context, x: str, embed_dim: int, num_heads: int, qkv_weight: str, qkv_bias: str, proj_weight: str, proj_bias: str,
                  use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: str, norm_bias_1: str, norm_weight_2: str, norm_bias_2: str,
                  ffn_weight_1: str, ffn_bias_1: str, ffn_weight_2: str, ffn_bias_2: str, mask: str | None = None,
                  mask_type: int | None = None) -> str:  # fmt: skip
    """A layer of nn.TransformerEncoder, ``[B, L, embed_dim]``: Dynamo captures it as one operation where no gradient is needed."""

    def norm(x: str, weight: str, bias: str) -> str:
        return layer_norm(ctx, x, (embed_dim,), weight, bias, eps)

    def attention(x: str) -> str:
        qkv = linear(ctx, x, qkv_weight, qkv_bias)
        q, k, v = (_heads(ctx, ctx.slice(qkv, 2, i * embed_dim, (i + 1) * embed_dim), num_heads) for i in range(3))
        y = ctx.permute(_masked_attention(ctx, q, k, v, mask, mask_type), (0, 2, 1, 3))
        return linear(ctx, ctx.reshape(y, ctx.size(x)), proj_weight, proj_bias)

    def feed_forward(x: str) -> str:
        hidden = linear(ctx, x, ffn_weight_1, ffn_bias_1)
        return linear(ctx, gelu(ctx, hidden) if use_gelu else ctx.add("relu", hidden), ffn_weight_2, ffn_bias_2)

    if norm_first:
        x = ctx.add("add", attention(norm(x, norm_weight_1, norm_bias_1)), x)
        return ctx.add("add", feed_forward(norm(x, norm_weight_2, norm_bias_2)), x)
    x = norm(ctx.add("add", attention(x), x), norm_weight_1, norm_bias_1)
    return norm(ctx.add("add", feed_forward(x), x), norm_weight_2, norm_bias_2)


def _heads(ctx: Context, x: str, count: int) -> str:
    """``[B, L, E]`` as ``[B, count, L, E / count]``."""
    batch, length, width = ctx.size(x)
    return ctx.permute(ctx.reshape(x, (batch, length, count, width // count)), (0, 2, 1, 3))


def _masked_attention(ctx: Context, q: str, k: str, v: str, mask: str | None, kind: int | None) -> str:
    """Attention but to keys whose mask is not zero; a query without any is NaN. kind: 0 ``[L, L]``, 1 ``[B, L]``, 2 all scores."""
    if mask is None:
        return sdpa(ctx, q, k, v)
    barred = ctx.cast(mask, DType.BOOL)
    if kind == 1:
        batch, length = ctx.size(mask)
        barred = ctx.reshape(barred, (batch, 1, 1, length))
    y = sdpa(ctx, q, k, v, ctx.add("logical_not", barred))
    nothing = ctx.add("all", barred, dims=(ctx.rank(barred) - 1,), keepdims=True)
    return ctx.add("where", nothing, ctx.operand(math.nan, ctx.type(y).dtype), y)
