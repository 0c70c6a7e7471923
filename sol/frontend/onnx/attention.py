"""ONNX Attention: one `sdpa` where nothing of its inside is asked for, else the products and the softmax it is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.types import dtype_of
from sol.frontend.onnx.windows import computed
from sol.ir.dim import DimLike
from sol.ir.types import DType

INFINITY = float("inf")
RAW, CAPPED, BIASED, PROBABILITIES = range(4)  # what the fourth output shows


@dataclass(frozen=True)
class Heads:
    """Operands with a dimension for the query heads of each key and value head: q[B, H, G, L, E], k[B, H, 1, S, E], v[B, H, 1, S, Ev]."""

    q: str
    k: str
    v: str


@converter("Attention", since=23)
def attention(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    q, k, v, mask, past_key, past_value, valid = (node.input(i) for i in range(7))
    result, packed = ctx.type(q).dtype, ctx.rank(q) == 3
    q_heads, kv_heads = (node.attr(name, 0) for name in ("q_num_heads", "kv_num_heads"))
    if packed:
        q, k, v = (unpacked(ctx, x, n) for x, n in ((q, q_heads), (k, kv_heads), (v, kv_heads)))
    past: DimLike = 0
    if past_key is not None and past_value is not None:
        past = ctx.size(past_key)[2]
        k, v = ctx.concat([past_key, k], 2), ctx.concat([past_value, v], 2)
    heads = grouped_heads(ctx, *(ctx.cast(x, computed(result)) for x in (q, k, v)))
    bias = _mask(ctx, node, heads, mask, valid, past)
    (width,) = ctx.fixed(ctx.size(q)[-1:], "the number of features of attention")
    scale = float(node.attr("scale", 0.0)) or 1.0 / math.sqrt(width)
    if node.attr("softcap", 0.0) or node.wants(3):
        precision = dtype_of(node.attr("softmax_precision")) if node.attr("softmax_precision", 0) else None
        y, stages = spelled_out(ctx, heads, bias, scale, cap=float(node.attr("softcap", 0.0)), precision=precision)
        stage = stages[node.attr("qk_matmul_output_mode", 0)]
        shown = ctx.cast(merged(ctx, stage), result) if node.wants(3) else None
    else:
        y, shown = ctx.add("sdpa", heads.q, heads.k, heads.v, *([] if bias is None else [bias]), causal=False, scale=scale), None
    y = ctx.cast(merged(ctx, y), result)
    if packed:
        batch, count, length, features = ctx.size(y)
        y = ctx.reshape(ctx.permute(y, (0, 2, 1, 3)), (batch, length, count * features))
    return y, k, v, shown


def unpacked(ctx: Context, x: str, heads: int) -> str:
    """[B, L, heads * E] as [B, heads, L, E]."""
    if not heads:
        ctx.fail("operands with three dimensions without q_num_heads and kv_num_heads")
    batch, length, width = ctx.size(x)
    return ctx.permute(ctx.reshape(x, (batch, length, heads, width // heads)), (0, 2, 1, 3))


def grouped_heads(ctx: Context, q: str, k: str, v: str) -> Heads:
    """Each key and value head with the query heads that read it; nothing is repeated in memory."""
    count, shared = ctx.fixed((ctx.size(q)[1], ctx.size(k)[1]), "the number of heads")
    if count % shared:
        ctx.fail(f"{count} query heads do not divide into {shared} key heads")
    split = tuple(_split_heads(ctx, x, n, shared) for x, n in ((q, count // shared), (k, 1), (v, 1)))
    return Heads(*split)


def _split_heads(ctx: Context, x: str, group: int, shared: int) -> str:
    batch, _, length, width = ctx.size(x)
    return ctx.reshape(x, (batch, shared, group, length, width))


def merged(ctx: Context, x: str) -> str:
    """[B, H, G, ...] as [B, H * G, ...]."""
    batch, heads, group, *rest = ctx.size(x)
    return ctx.reshape(x, (batch, heads * group, *rest))


def _mask(ctx: Context, node: OnnxNode, heads: Heads, mask: str | None, valid: str | None, past: DimLike) -> str | None:
    """What may be attended to: a bool mask, or numbers to add, that broadcast to [B, H, G, L, S]; None for everything."""
    queries, keys = ctx.size(heads.q)[3], ctx.size(heads.k)[3]
    group, shared = ctx.size(heads.q)[2], ctx.size(heads.q)[1]
    dtype = ctx.type(heads.q).dtype
    allowed = _allowed(ctx, node, queries, keys, valid, past)
    if mask is None:
        return allowed
    mask = mask if ctx.type(mask).dtype is DType.BOOL else ctx.cast(mask, dtype)
    is_bool = ctx.type(mask).dtype is DType.BOOL
    rank, width = ctx.rank(mask), ctx.size(mask)[-1]
    if width != keys and width != 1:
        value = False if is_bool else -INFINITY
        mask = ctx.add("pad", mask, pads=((0, 0),) * (rank - 1) + ((0, keys - width),), value=value)
    if rank >= 3:
        size = ctx.size(mask)
        spread = (1, 1) if size[-3] == 1 else (shared, group)
        mask = ctx.reshape(mask, (*size[:-3], *spread, *size[-2:]))
    if allowed is None:
        return mask
    if is_bool:
        return ctx.add("logical_and", mask, allowed)
    return ctx.add("where", allowed, mask, ctx.constant(-INFINITY, dtype))


def _allowed(ctx: Context, node: OnnxNode, queries: DimLike, keys: DimLike, valid: str | None, past: DimLike) -> str | None:
    """Causality, sliding windows and the number of valid keys as a bool mask."""
    causal = bool(node.attr("is_causal", 0))
    left, right = node.attr("left_window_size", -1), node.attr("right_window_size", -1)
    key = ctx.add("iota", size=keys, start=0, step=1, dtype=DType.I64)
    tests: list[str] = []
    if causal or left >= 0 or right >= 0:
        start = past if valid is None else 0
        query = ctx.reshape(ctx.add("iota", size=queries, start=start, step=1, dtype=DType.I64), (queries, 1))
        if valid is not None:
            offset = ctx.add("sub", ctx.cast(valid, DType.I64), ctx.operand(queries, DType.I64))
            query = ctx.add("add", query, ctx.reshape(offset, (*ctx.size(valid), 1, 1, 1, 1)))
        if causal:
            tests.append(ctx.add("le", key, query))
        if left >= 0:
            tests.append(ctx.add("le", ctx.add("sub", query, ctx.constant(left, DType.I64)), key))
        if right >= 0:
            tests.append(ctx.add("le", key, ctx.add("add", query, ctx.constant(right, DType.I64))))
    if valid is not None:
        tests.append(ctx.add("lt", key, ctx.reshape(ctx.cast(valid, DType.I64), (*ctx.size(valid), 1, 1, 1, 1))))
    found: str | None = None
    for test in tests:
        found = test if found is None else ctx.add("logical_and", found, test)
    return found


def spelled_out(
    ctx: Context, heads: Heads, bias: str | None, scale: float, *, cap: float = 0.0, sink: str | None = None, precision: DType | None = None
) -> tuple[str, list[str]]:
    """The result, and the scores as they are at each of the four stages.

    sink: a score per head that takes part in the softmax and has no value, broadcasts to [B, H, G, 1, 1].
    """
    dtype = ctx.type(heads.q).dtype
    scores = ctx.add("matmul", heads.q, ctx.permute(heads.k, (0, 1, 2, 4, 3)))
    scores = ctx.add("mul", scores, ctx.constant(scale, dtype))
    stages = [scores]
    if cap:
        limit = ctx.constant(cap, dtype)
        scores = ctx.add("mul", ctx.add("tanh", ctx.add("div", scores, limit)), limit)
    stages.append(scores)
    empty: str | None = None
    if bias is not None:
        lowest = ctx.constant(-INFINITY, dtype)
        if ctx.type(bias).dtype is DType.BOOL:
            bias = ctx.add("where", bias, ctx.constant(0.0, dtype), lowest)
        scores = ctx.add("add", scores, bias)
        best = ctx.add("max", bias, dims=(ctx.rank(bias) - 1,), keepdims=True)
        empty = None if sink is not None else ctx.add("eq", best, lowest)
    stages.append(scores)
    weights = _weights(ctx, scores, sink, precision)
    if empty is not None:
        weights = ctx.add("where", empty, ctx.constant(0.0, dtype), weights)
    stages.append(weights)
    return ctx.add("matmul", weights, heads.v), stages


def _weights(ctx: Context, scores: str, sink: str | None, precision: DType | None) -> str:
    """The softmax along the keys, computed in float64 where ``precision`` asks for it."""
    dtype, last = ctx.type(scores).dtype, ctx.rank(scores) - 1
    keys = ctx.size(scores)[last]
    if sink is not None:
        scores = ctx.concat([scores, ctx.expand(sink, (*ctx.size(scores)[:last], 1))], last)
    wide = ctx.cast(scores, DType.F64) if precision is DType.F64 else scores
    weights = ctx.cast(ctx.add("softmax", wide, dim=last), dtype)
    return weights if sink is None else ctx.slice(weights, last, 0, keys)
