"""Attention that drops weights, in training: operations of our own with a mask that is drawn ahead, where torch would take it apart and
keep the weights.

``with_masks`` puts them into a captured graph in place of scaled_dot_product_attention.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, fx
from torch.nn import functional as F

from sol.frontend.torch.aten import CONVERTERS, Context, Fallback
from sol.frontend.torch.draws import dropout_mask
from sol.ir.types import DType

_ATTENTION = (torch._C._nn.scaled_dot_product_attention, F.scaled_dot_product_attention)


@torch.library.custom_op("sol::attention_dropped", mutates_args=())
def attention_dropped(
    q: Tensor, k: Tensor, v: Tensor, kept: Tensor, mask: Tensor | None, causal: bool, scale: float, share: float
) -> Tensor:
    """``sol.ir.ops.attention.sdpa_dropped``, by torch's operations."""
    attend = torch.ops.aten._scaled_dot_product_attention_math  # which adds a mask, as bool too
    added = mask if mask is None or mask.is_floating_point() else torch.where(mask, 0.0, -torch.inf)
    return attend(q, k, v, added, share, causal, kept, scale=scale)[0].contiguous()


@torch.library.custom_op("sol::attention_dropped_grad", mutates_args=())
def attention_dropped_grad(
    grad: Tensor, q: Tensor, k: Tensor, v: Tensor, kept: Tensor, mask: Tensor | None, causal: bool, scale: float, share: float
) -> tuple[Tensor, Tensor, Tensor]:
    """``sol.ir.ops.attention.sdpa_dropped_grad``, by torch's operations."""
    identity = torch.eye(k.shape[-2], dtype=q.dtype).expand(*k.shape[:-1], k.shape[-2])
    weights = F.scaled_dot_product_attention(q, k, identity, mask, 0.0, causal, scale=scale)
    factors = kept.to(q.dtype) / (1 - share)
    given = (grad @ v.transpose(-1, -2)) * factors
    scores = weights * (given - (weights * given).sum(-1, keepdim=True)) * scale
    return scores @ k, scores.transpose(-1, -2) @ q, (weights * factors).transpose(-1, -2) @ grad


@attention_dropped.register_fake
def _result(q: Tensor, k: Tensor, v: Tensor, *_: Any) -> Tensor:
    return q.new_empty((*q.shape[:-1], v.shape[-1]))


@attention_dropped_grad.register_fake
def _gradients(grad: Tensor, q: Tensor, k: Tensor, v: Tensor, *_: Any) -> tuple[Tensor, ...]:
    return tuple(x.new_empty(x.shape) for x in (q, k, v))


def _keep(ctx: Any, inputs: Sequence[Any], output: Tensor) -> None:
    q, k, v, kept, mask, *ctx.numbers = inputs
    ctx.save_for_backward(q, k, v, kept, mask)


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    return (*attention_dropped_grad(grad, *ctx.saved_tensors, *ctx.numbers), None, None, None, None, None)


attention_dropped.register_autograd(_backward, setup_context=_keep)


def _attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """What torch calls with the signature of scaled_dot_product_attention."""
    operands = (query, key, value) if attn_mask is None else (query, key, value, attn_mask)
    if not _is_ours(operands, dropout_p) or (is_causal and attn_mask is not None) or torch.is_autocast_enabled("cpu"):
        return F.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
    kept = dropout_mask()(1 - dropout_p, (*query.shape[:-1], key.shape[-2]))
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    return attention_dropped(query, key, value, kept, attn_mask, is_causal, scale, dropout_p)


def _is_ours(operands: Sequence[Tensor], dropout_p: float) -> bool:
    """Whether some of the weights are dropped, in float32 on the CPU, with a head of keys and values for each of queries, and without a
    gradient for the mask."""
    first = operands[0]
    return (
        0 < dropout_p < 1
        and all(x.dtype is torch.float32 and x.shape[:-2] == first.shape[:-2] and x.device.type == "cpu" for x in operands[:3])
        and all(x.dtype in (torch.bool, torch.float32) and not x.requires_grad for x in operands[3:])
        and first.dim() > 2
    )


def with_masks(module: fx.GraphModule) -> fx.GraphModule:
    """The module with such attention in place of torch's, where weights may be dropped."""
    if not any(map(_may_drop, module.graph.nodes)):
        return module
    graph = fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    for node in graph.nodes:
        if _may_drop(node):
            node.target = _attention
    return fx.GraphModule(module, graph)


def _may_drop(node: fx.Node) -> bool:
    share = node.args[4] if len(node.args) > 4 else node.kwargs.get("dropout_p")
    return node.op == "call_function" and node.target in _ATTENTION and bool(share)


def _convert(ctx: Context, q: str, k: str, v: str, kept: str, mask: str | None, causal: bool, scale: float, share: float) -> str:
    return ctx.add("sdpa_dropped", q, k, v, kept, *([] if mask is None else [mask]), causal=causal, scale=float(scale), share=float(share))


def _convert_grad(ctx: Context, grad: str, *operands: Any) -> tuple[str, ...]:
    q, k, v, kept, mask, causal, scale, share = operands
    if ctx.type(grad).dtype not in (DType.F32, DType.BF16):
        raise Fallback("gradients of attention that is neither in float32 nor in bfloat16")
    masks = [] if mask is None else [mask]
    return tuple(ctx.add("sdpa_dropped_grad", grad, q, k, v, kept, *masks, causal=causal, scale=float(scale), share=float(share)))


CONVERTERS["sol.attention_dropped.default"] = _convert
CONVERTERS["sol.attention_dropped_grad.default"] = _convert_grad
