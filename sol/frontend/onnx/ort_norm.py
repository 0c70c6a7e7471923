"""Operators of the domain com.microsoft that normalise: sums with a residual before them, tables of embeddings, groups of channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.norm import grouped, rms_with_inverse
from sol.frontend.onnx.ort_fused import DOMAIN, channels_first, channels_last
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.dim import DimLike
from sol.ir.types import DType


def _sum(ctx: Context, values: Sequence[str | None]) -> str:
    """The sum of those that are given."""
    total, *rest = (v for v in values if v is not None)
    for value in rest:
        total = ctx.add("add", total, value)
    return total


@converter("LayerNormalization", domain=DOMAIN)
def layer_normalization(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """As specified since opset 17; older files of onnxruntime have it as an operator of their own."""
    return _layer_norm(ctx, node.inputs, node.wants(1) or node.wants(2), node.attrs)


@converter("SimplifiedLayerNormalization", domain=DOMAIN)
def simplified_layer_normalization(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """Divided by the root of the mean square; also the inverse of that where it is wanted."""
    x, scale = node.inputs
    return rms_with_inverse(ctx, x, scale, node.attr("axis", -1), float(node.attr("epsilon", 1e-5)), inverse=node.wants(1))


@converter("SkipLayerNormalization", domain=DOMAIN)
def skip_layer_normalization(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """The layer norm of ``input + skip + bias``, and that sum as the fourth output."""
    x, skip, gamma, beta, bias = (node.input(i) for i in range(5))
    total = _sum(ctx, (x, skip, bias))
    y, mean, inverse = _layer_norm(ctx, (total, gamma, beta), node.wants(1) or node.wants(2), _epsilon(node))
    return y, mean, inverse, total


@converter("SkipSimplifiedLayerNormalization", domain=DOMAIN)
def skip_simplified_layer_normalization(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    x, skip, gamma, bias = (node.input(i) for i in range(4))
    total = _sum(ctx, (x, skip, bias))
    y, inverse = rms_with_inverse(ctx, total, gamma, -1, _epsilon(node)["epsilon"], inverse=node.wants(2))
    return y, None, inverse, total


def _layer_norm(ctx: Context, operands: Sequence[Any], statistics: bool, attrs: Mapping[str, Any]) -> tuple[str, str | None, str | None]:
    """The result, and the mean and the inverse deviation where they are asked for."""
    if statistics:
        y, mean, inverse = ctx.convert("LayerNormalization", *operands, outputs=3, **attrs)
        return y, mean, inverse
    return ctx.convert("LayerNormalization", *operands, **attrs), None, None


def _epsilon(node: OnnxNode) -> dict[str, Any]:
    """The attribute, whose default is not that of the specification's operators."""
    return {"epsilon": float(node.attr("epsilon", 1e-12))}


@converter("EmbedLayerNormalization", domain=DOMAIN)
def embed_layer_normalization(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """The layer norm of the sum of word, position and segment embeddings; the number of words per row; the sum."""
    ids, segments, words, places, kinds, gamma, beta, mask, positions = (node.input(i) for i in range(9))
    return embedded(ctx, node, (ids, words), (positions, places), (segments, kinds), (gamma, beta), mask)


def embedded(
    ctx: Context, node: OnnxNode, words: tuple[str, str], places: tuple[str | None, str], kinds: tuple[str | None, str | None],
    affine: tuple[str, str], mask: str | None,
) -> tuple[str | None, ...]:  # fmt: skip
    """The three outputs, from pairs of indices and tables. Without indices positions count up; segments may be missing."""
    batch, length = ctx.size(words[0])
    index = places[0]
    if index is None:
        index = ctx.reshape(ctx.add("iota", size=length, start=0, step=1, dtype=DType.I64), (1, length))
    pairs = [words, (index, places[1])]
    if kinds[0] is not None and kinds[1] is not None:
        pairs.append((kinds[0], kinds[1]))
    total = _sum(ctx, [ctx.add("take", table, at, dim=0, checked=node.op, signed=False) for at, table in pairs])
    y = ctx.convert("LayerNormalization", total, *affine, **_epsilon(node))
    return y, _words(ctx, mask, batch) if node.wants(1) else None, total


def _words(ctx: Context, mask: str | None, batch: DimLike) -> str:
    """How many entries of each row of the mask are 1; zeros without a mask."""
    if mask is None:
        return ctx.filled(0, (batch,), DType.I32)
    ones = ctx.add("eq", mask, ctx.constant(1, ctx.type(mask).dtype))
    return ctx.add("sum", ctx.cast(ones, DType.I32), dims=(1,), keepdims=False)


@converter("GroupNorm", domain=DOMAIN)
def group_norm(ctx: Context, node: OnnxNode) -> str:
    x, gamma, beta = node.inputs
    return _activated_groups(ctx, node, x, gamma, beta)


@converter("SkipGroupNorm", domain=DOMAIN)
def skip_group_norm(ctx: Context, node: OnnxNode) -> tuple[str, str]:
    """The group norm of ``X + skip + bias``, and that sum."""
    x, gamma, beta, skip, bias = (node.input(i) for i in range(5))
    if ctx.rank(skip) == 2:
        batch, channels = ctx.size(skip)
        last = node.attr("channels_last", 1)
        skip = ctx.reshape(skip, (batch, 1, 1, channels) if last else (batch, channels, 1, 1))
    if bias is not None and not node.attr("channels_last", 1):
        bias = ctx.reshape(bias, (*ctx.size(bias), 1, 1))
    total = _sum(ctx, (x, skip, bias))
    return _activated_groups(ctx, node, total, gamma, beta), total


def _activated_groups(ctx: Context, node: OnnxNode, x: str, gamma: str, beta: str) -> str:
    """A group norm, of channels last by default, and SiLU if ``activation`` is 1."""
    last = bool(node.attr("channels_last", 1))
    y = channels_first(ctx, x) if last else x
    y = grouped(ctx, y, gamma, beta, int(node.attrs["groups"]), float(node.attr("epsilon", 1e-5)))
    y = channels_last(ctx, y) if last else y
    return ctx.convert("Swish", y) if node.attr("activation", 0) else y
