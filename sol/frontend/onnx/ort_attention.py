"""Attention as onnxruntime's optimizers write it (domain com.microsoft): with projections, masks in several forms, caches and rotations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sol.frontend.onnx.attention import INFINITY, Heads, grouped_heads, merged, spelled_out, unpacked
from sol.frontend.onnx.context import Context
from sol.frontend.onnx.ort_fused import DOMAIN
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.windows import computed
from sol.ir.dim import DimLike
from sol.ir.types import DType

MASKED = -10000.0
"""What a masked score gets added unless the node says otherwise."""


@dataclass
class _Scores:
    """What decides about the scores [B, N, S, T]: numbers to add, a scale, a cap, a term of the softmax's denominator per head."""

    scale: float
    biases: list[str]
    cap: float = 0.0
    sink: str | None = None


def _attend(ctx: Context, q: str, k: str, v: str, scores: _Scores) -> str:
    """[B, S, N * E] from q[B, N, S, E], k[B, H, T, E] and v[B, H, T, Ev]; N is a multiple of H."""
    result = ctx.type(q).dtype
    dtype = computed(result)
    heads = grouped_heads(ctx, *(ctx.cast(x, dtype) for x in (q, k, v)))
    bias: str | None = None
    for more in scores.biases:
        more = _by_group(ctx, heads, ctx.cast(more, dtype))
        bias = more if bias is None else ctx.add("add", bias, more)
    if scores.cap or scores.sink is not None:
        sink = None if scores.sink is None else _by_group(ctx, heads, ctx.reshape(ctx.cast(scores.sink, dtype), (ctx.size(q)[1], 1, 1)))
        y, _ = spelled_out(ctx, heads, bias, scores.scale, cap=scores.cap, sink=sink)
    else:
        y = ctx.add("sdpa", heads.q, heads.k, heads.v, *([] if bias is None else [bias]), causal=False, scale=scores.scale)
    y = ctx.cast(merged(ctx, y), result)
    batch, count, length, width = ctx.size(y)
    return ctx.reshape(ctx.permute(y, (0, 2, 1, 3)), (batch, length, count * width))


def _by_group(ctx: Context, heads: Heads, x: str) -> str:
    """Numbers that broadcast to [B, N, S, T] so that they broadcast to [B, H, N / H, S, T]."""
    shared, group = ctx.size(heads.q)[1:3]
    *lead, count, rows, columns = ctx.size(x)
    return ctx.reshape(x, (*lead, *((1, 1) if count == 1 else (shared, group)), rows, columns))


def _scale(ctx: Context, node: OnnxNode, q: str) -> float:
    (width,) = ctx.fixed(ctx.size(q)[-1:], "the number of features of attention")
    return float(node.attr("scale", 0.0)) or 1.0 / math.sqrt(width)


# Masks


def _blocked(ctx: Context, allowed: str, value: float) -> str:
    """0 where a bool is true, ``value`` elsewhere."""
    return ctx.add("where", allowed, ctx.constant(0.0, DType.F32), ctx.constant(value, DType.F32))


def _causal(ctx: Context, queries: DimLike, keys: DimLike, past: DimLike) -> str:
    """[S, T]: a query sees no key behind its own place."""
    query = ctx.reshape(ctx.add("iota", size=queries, start=past, step=1, dtype=DType.I64), (queries, 1))
    return ctx.add("le", ctx.add("iota", size=keys, start=0, step=1, dtype=DType.I64), query)


def _padding_mask(ctx: Context, mask: str, batch: DimLike, queries: DimLike, keys: DimLike, past: DimLike) -> str:
    """A mask in any of its forms as a bool that broadcasts to [B, N, S, T].

    [B]: how many keys count. [2 B]: where keys end, then where they begin. [B, T], [B, S, T], [B, 1, M, M]: not 0 where they count.
    """
    rank, sizes = ctx.rank(mask), ctx.size(mask)
    if rank == 1:
        key = ctx.add("iota", size=keys, start=0, step=1, dtype=ctx.type(mask).dtype)
        if sizes[0] == batch:
            return ctx.add("lt", key, ctx.reshape(mask, (batch, 1, 1, 1)))
        if sizes[0] != batch * 2:
            ctx.fail(f"a mask {ctx.type(mask)} for a batch of {batch}", "give it the shape [batch] or [batch, keys]")
        ends, starts = (ctx.reshape(ctx.slice(mask, 0, batch * i, batch * (i + 1)), (batch, 1, 1, 1)) for i in (0, 1))
        return ctx.add("logical_and", ctx.add("lt", key, ends), ctx.add("ge", key, starts))
    seen = ctx.add("gt", mask, ctx.constant(0, ctx.type(mask).dtype))
    if rank == 4:
        return ctx.slice(ctx.slice(seen, 2, past, past + queries), 3, 0, keys)
    if rank == 3:
        return ctx.reshape(seen, (sizes[0], 1, *sizes[1:]))
    return ctx.reshape(seen, (sizes[0], 1, 1, sizes[1]))


def _biases(ctx: Context, node: OnnxNode, q: str, keys: DimLike, past: DimLike, mask: str | None, bias: str | None) -> list[str]:
    """Numbers to add to the scores, from a mask, causality and a bias."""
    batch, _, queries, _ = ctx.size(q)
    found = []
    if mask is not None:
        allowed = _padding_mask(ctx, mask, batch, queries, keys, past)
        found.append(_blocked(ctx, allowed, float(node.attr("mask_filter_value", MASKED))))
    if node.attr("unidirectional", 0):
        found.append(ctx.reshape(_blocked(ctx, _causal(ctx, queries, keys, past), -INFINITY), (1, 1, queries, keys)))
    return found if bias is None else [*found, bias]


# Attention with projections


@converter("Attention", domain=DOMAIN)
def attention(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    x, weights, bias, mask, past, more, _ = (node.input(i) for i in range(7))
    if node.attr("past_present_share_buffer", 0):
        ctx.fail("a cache that is shared between calls (past_present_share_buffer)", "export the model with caches that grow")
    projected = ctx.convert("MatMul", x, weights)
    return projected_attention(ctx, node, projected if bias is None else ctx.add("add", projected, bias), mask, past, more)


def projected_attention(
    ctx: Context, node: OnnxNode, projected: str, mask: str | None, past: str | None, bias: str | None
) -> tuple[str | None, ...]:
    """The result and the caches [2, B, N, T, E], from [B, S, q + k + v features]."""
    if node.attr("do_rotary", 0):
        ctx.fail("a rotation without tables (do_rotary)", "use RotaryEmbedding before the attention")
    heads, axis = int(node.attrs["num_heads"]), 2
    (total,) = ctx.fixed(ctx.size(projected)[-1:], "the projected features of Attention")
    widths = tuple(node.attr("qkv_hidden_sizes") or (total // 3,) * 3)
    bounds = (0, widths[0], widths[0] + widths[1], sum(widths))
    q, k, v = (unpacked(ctx, ctx.slice(projected, axis, a, b), heads) for a, b in zip(bounds, bounds[1:]))
    before: DimLike = 0
    if past is not None:
        before = ctx.size(past)[3]
        kept = [ctx.reshape(ctx.slice(past, 0, i, i + 1), ctx.size(past)[1:]) for i in (0, 1)]
        k, v = (ctx.concat([old, new], 2) for old, new in zip(kept, (k, v)))
    present = None
    if node.wants(1):
        present = ctx.concat([ctx.reshape(part, (1, *ctx.size(part))) for part in (k, v)], 0)
    biases = _biases(ctx, node, q, ctx.size(k)[2], before, mask, bias)
    return _attend(ctx, q, k, v, _Scores(_scale(ctx, node, q), biases)), present


@converter("MultiHeadAttention", domain=DOMAIN)
def multi_head_attention(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """Attention of projected operands, which may be packed, or keys and values that are split into heads already."""
    query, key, value, bias, mask, more, past_key, past_value, share, indirect = (node.input(i) for i in range(10))
    if share is not None or indirect is not None or node.wants(3):
        ctx.fail("a cache shared between calls or beams, or the scores as an output", "export the model with caches that grow")
    heads = int(node.attrs["num_heads"])
    q, k, v = _projected_heads(ctx, query, key, value, bias, heads)
    past: DimLike = 0
    if past_key is not None and past_value is not None:
        past = ctx.size(past_key)[2]
        k, v = ctx.concat([past_key, k], 2), ctx.concat([past_value, v], 2)
    biases = _biases(ctx, node, q, ctx.size(k)[2], past, mask, more)
    return _attend(ctx, q, k, v, _Scores(_scale(ctx, node, q), biases)), k, v


def _projected_heads(ctx: Context, query: str, key: str | None, value: str | None, bias: str | None, heads: int) -> tuple[str, str, str]:
    """[B, N, length, E] of q, k and v, with their part of the bias."""
    if ctx.rank(query) == 5:
        parts = _unstacked(ctx, query, 3)
    elif key is not None and ctx.rank(key) == 5:
        parts = [query, *_unstacked(ctx, key, 2)]
    elif key is None or value is None:
        ctx.fail("keys or values are missing")
    else:
        parts = [query, key, value]
    if bias is not None:
        start = 0
        for i, part in enumerate(parts):
            if ctx.rank(part) == 4:
                ctx.fail("a bias for keys and values that are split into heads", "add it where they are projected")
            (width,) = ctx.fixed(ctx.size(part)[-1:], "the features of attention")
            parts[i] = ctx.add("add", part, ctx.slice(bias, 0, start, start + width))
            start += width
    q, k, v = (part if ctx.rank(part) == 4 else unpacked(ctx, part, heads) for part in parts)
    return q, k, v


def _unstacked(ctx: Context, x: str, count: int) -> list[str]:
    """[B, L, N, count, E] as ``count`` values [B, L, N * E]."""
    batch, length, heads, _, width = ctx.size(x)
    return [ctx.reshape(ctx.slice(x, 3, i, i + 1), (batch, length, heads * width)) for i in range(count)]


# Rotary embeddings


@converter("RotaryEmbedding", domain=DOMAIN)
def rotary_embedding(ctx: Context, node: OnnxNode) -> str:
    x, positions, cos, sin = node.inputs
    if node.attr("is_packed_batching", 0):
        ctx.fail("a batch of sequences one behind the other (is_packed_batching)", "give each sequence a row")
    heads = x
    if ctx.rank(x) == 3:
        width, pairs = ctx.fixed((ctx.size(x)[-1], ctx.size(cos)[1]), "the features of a rotation")
        count = int(node.attr("num_heads", 0)) or width // (2 * pairs)
        heads = unpacked(ctx, x, count)
    length = ctx.size(heads)[2]
    if ctx.rank(positions) == 1:
        steps = ctx.add("iota", size=length, start=0, step=1, dtype=ctx.type(positions).dtype)
        positions = ctx.reshape(ctx.add("add", steps, positions), (1, length))
    y = rotated(ctx, heads, positions, cos, sin, interleaved=bool(node.attr("interleaved", 0)))
    scale = float(node.attr("scale", 1.0))
    y = y if scale == 1 else ctx.add("mul", y, ctx.constant(scale, ctx.type(y).dtype))
    return y if ctx.rank(x) == 4 else ctx.reshape(ctx.permute(y, (0, 2, 1, 3)), ctx.size(x))


def rotated(ctx: Context, x: str, positions: str, cos: str, sin: str, *, interleaved: bool) -> str:
    """x[B, N, S, E] with pairs of its first features turned by the angles of ``positions[B or 1, S]``; the tables are [places, pairs]."""
    (pairs,) = ctx.fixed(ctx.size(cos)[1:], "the pairs of a rotation")
    (width,) = ctx.fixed(ctx.size(x)[-1:], "the features of a rotation")
    tables = [ctx.cast(t, ctx.type(x).dtype) for t in (cos, sin)]
    c, s = (ctx.add("take", t, positions, dim=0, checked="RotaryEmbedding", signed=False) for t in tables)
    c, s = (ctx.reshape(t, (ctx.size(t)[0], 1, *ctx.size(t)[1:])) for t in (c, s))
    turned = ctx.slice(x, 3, 0, 2 * pairs)
    step, second = (2, 1) if interleaved else (1, pairs)
    stop = 2 * pairs if interleaved else pairs
    real = ctx.slice(turned, 3, 0, stop, step)
    imaginary = ctx.slice(turned, 3, second, 2 * pairs, step)
    parts = [
        ctx.add("sub", ctx.add("mul", real, c), ctx.add("mul", imaginary, s)),
        ctx.add("add", ctx.add("mul", real, s), ctx.add("mul", imaginary, c)),
    ]
    if interleaved:
        parts = [ctx.reshape(p, (*ctx.size(p), 1)) for p in parts]
        y = ctx.reshape(ctx.concat(parts, 4), ctx.size(turned))
    else:
        y = ctx.concat(parts, 3)
    return y if width == 2 * pairs else ctx.concat([y, ctx.slice(x, 3, 2 * pairs, width)], 3)


# Grouped queries with a cache


UNBUILT: dict[str, Any] = {"sliding_window_cache": 0, "qk_output": 0, "k_quant_type": "NONE", "v_quant_type": "NONE"}
"""Options of GroupQueryAttention that are not built unless they have these values."""


@converter("GroupQueryAttention", domain=DOMAIN)
def group_query_attention(ctx: Context, node: OnnxNode) -> tuple[str | None, ...]:
    """Attention of few key heads, whose caches have new rows behind as many old ones as each sequence of the batch has."""
    for name, usual in UNBUILT.items():
        if node.attr(name, usual) != usual:
            ctx.fail(f"{name} is {node.attr(name)}", f"export the model with {name} = {usual}")
    q, k, v = _grouped_operands(ctx, node)
    past_key, past_value, lengths, total = (node.input(i) for i in (3, 4, 5, 6))
    queries = ctx.size(q)[2]
    ends = ctx.add("add", ctx.cast(lengths, DType.I64), ctx.constant(1, DType.I64))
    ends = ctx.reshape(ends, (ctx.type(ends).size, 1))
    first = past_key is None or ctx.size(past_key)[2] == 0
    starts = ctx.constant([[0]], DType.I64) if first else ctx.add("sub", ends, ctx.operand(queries, DType.I64))
    places = ctx.add("add", starts, ctx.add("iota", size=queries, start=0, step=1, dtype=DType.I64))
    if node.attr("do_rotary", 0):
        positions = node.input(9) or places
        tables, interleaved = (node.inputs[7], node.inputs[8]), bool(node.attr("rotary_interleaved", 0))
        q, k = (rotated(ctx, x, positions, *tables, interleaved=interleaved) for x in (q, k))
    if not first:
        room = _room(ctx, past_key, total, queries)
        k, v = (_appended(ctx, old, new, starts, room) for old, new in ((past_key, k), (past_value, v)))
    scores = _Scores(_scale(ctx, node, q), [_visible(ctx, node, k, places, ends)], float(node.attr("softcap", 0.0)), node.input(11))
    if node.input(10) is not None:
        scores.biases.append(node.inputs[10])
    if node.attr("smooth_softmax", 0) and scores.sink is None:
        scores.sink = ctx.filled(0.0, (int(node.attrs["num_heads"]),), DType.F32)
    return _attend(ctx, q, k, v, scores), k, v


def _grouped_operands(ctx: Context, node: OnnxNode) -> tuple[str, str, str]:
    """[B, heads, S, E] of q, k and v, from one packed operand or three; q and k with their norms."""
    query, key, value = (node.input(i) for i in range(3))
    heads, shared = int(node.attrs["num_heads"]), int(node.attrs["kv_num_heads"])
    if key is None:
        (total,) = ctx.fixed(ctx.size(query)[-1:], "the features of packed operands")
        width = total // (heads + 2 * shared)
        bounds = (0, heads * width, (heads + shared) * width, total)
        query, key, value = (ctx.slice(query, 2, a, b) for a, b in zip(bounds, bounds[1:]))
    q, k, v = (unpacked(ctx, x, n) for x, n in ((query, heads), (key, shared), (value, shared)))
    if node.input(14) is not None:
        eps = float(node.attr("qk_norm_epsilon", 1e-6))
        q, k = (ctx.convert("RMSNormalization", x, w, epsilon=eps) for x, w in ((q, node.inputs[14]), (k, node.inputs[15])))
    return q, k, v


def _room(ctx: Context, past: str, total: str, queries: DimLike) -> DimLike:
    """Rows of the caches after the call: those of a cache that has room left, else old and new ones."""
    before = ctx.size(past)[2]
    known = ctx.sizes(total)
    if known is None:
        return before + queries
    wanted = known.reshape(-1)[0]
    if isinstance(before, int) and isinstance(wanted, int):
        return max(before, wanted)
    return before + queries


def _appended(ctx: Context, old: str, new: str, starts: str, room: DimLike) -> str:
    """[B, H, room, E]: old rows up to ``start[B, 1]``, then the new ones, then zeros."""
    batch, heads, rows, width = ctx.size(new)
    before = ctx.size(old)[2]
    pads = ((0, 0), (0, 0), (0, room - before), (0, 0))
    old = old if room == before else ctx.add("pad", old, pads=pads, value=0)
    place = ctx.add("sub", ctx.add("iota", size=room, start=0, step=1, dtype=DType.I64), starts)
    zero, last = ctx.constant(0, DType.I64), ctx.operand(rows - 1, DType.I64)
    index = ctx.add("minimum", ctx.add("maximum", place, zero), last)
    count = ctx.size(index)[0]
    index = ctx.expand(ctx.reshape(index, (count, 1, room, 1)), (batch, heads, room, width))
    inside = ctx.add("logical_and", ctx.add("ge", place, zero), ctx.add("le", place, last))
    before_start = ctx.reshape(ctx.add("lt", place, zero), (count, 1, room, 1))
    kept = ctx.add("where", before_start, old, ctx.constant(0.0, ctx.type(old).dtype))
    return ctx.add("where", ctx.reshape(inside, (count, 1, room, 1)), ctx.add("gather", new, index, dim=2), kept)


def _visible(ctx: Context, node: OnnxNode, k: str, places: str, ends: str) -> str:
    """Numbers that hide from each query the keys behind it, behind the end of its sequence, and beyond the window."""
    keys = ctx.size(k)[2]
    key = ctx.add("iota", size=keys, start=0, step=1, dtype=DType.I64)
    at = ctx.reshape(places, (ctx.size(places)[0], 1, ctx.size(places)[1], 1))
    allowed = ctx.add("lt", key, ctx.reshape(ends, (ctx.size(ends)[0], 1, 1, 1)))
    if node.attr("causal", 1):
        allowed = ctx.add("logical_and", allowed, ctx.add("le", key, at))
        window = int(node.attr("local_window_size", -1))
        if window > 0:
            allowed = ctx.add("logical_and", allowed, ctx.add("gt", key, ctx.add("sub", at, ctx.constant(window, DType.I64))))
    return _blocked(ctx, allowed, -INFINITY)
