"""TfIdfVectorizer of integers: how often each n-gram of a pool occurs, counted by comparing all places with all n-grams."""

from __future__ import annotations

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode
from sol.ir.types import DType


def tfidf_vectorizer(ctx: Context, node: OnnxNode) -> str:
    """x[C] or x[N, C] → float32 [outputs] or [N, outputs]."""
    x = node.inputs[0]
    if node.attr("pool_strings") or not isinstance(x, str):
        ctx.fail("n-grams of strings", "turn words into numbers before the network")
    pool = np.array(node.attr("pool_int64s", ()), np.int64)
    columns = np.array(node.attr("ngram_indexes"), np.int64)
    grams = _by_length(pool, node.attr("ngram_counts"))
    vector = ctx.rank(x) == 1
    x = ctx.cast(ctx.reshape(x, (1, *ctx.size(x))) if vector else x, DType.I64)
    wanted = range(node.attr("min_gram_length"), node.attr("max_gram_length") + 1)
    counts = [
        _counts(ctx, x, table, node.attr("max_skip_count") if length > 1 else 0)
        if length in wanted else ctx.filled(0.0, (ctx.size(x)[0], len(table)), DType.F32)
        for length, table in grams
    ]  # fmt: skip
    total = ctx.concat(counts, 1)
    mode = node.attr("mode")
    if mode == "IDF":
        total = ctx.add("minimum", total, ctx.constant(1.0, DType.F32))
    weights = np.array(node.attr("weights") or np.ones(len(columns)), np.float64)
    matrix = np.zeros((int(columns.max(initial=-1)) + 1, len(columns)))
    np.add.at(matrix, (columns, np.arange(len(columns))), 1.0 if mode == "TF" else weights)
    y = ctx.add("linear", total, ctx.constant(matrix, DType.F32))
    return ctx.reshape(y, ctx.size(y)[1:]) if vector else y


def _by_length(pool: np.ndarray, starts: tuple[int, ...]) -> list[tuple[int, np.ndarray]]:
    """The pool's n-grams per length: (n, [count, n]); ``starts[n - 1]`` is where those of length n begin."""
    ends = (*starts[1:], len(pool))
    parts = ((n, pool[a:b].reshape(-1, n)) for n, (a, b) in enumerate(zip(starts, ends), 1))
    return [(n, table) for n, table in parts if len(table)]


def _counts(ctx: Context, x: str, table: np.ndarray, skips: int) -> str:
    """Occurrences [N, count] of n-grams in x[N, C] whose elements lie 1 to ``skips + 1`` places apart."""
    count, n = table.shape
    batch, width = ctx.size(x)
    (width,) = ctx.fixed((width,), "the number of words")
    total = ctx.filled(0.0, (batch, count), DType.F32)
    for distance in range(1, skips + 2):
        places = width - distance * (n - 1)
        if places <= 0:
            break
        same: str | None = None
        for j in range(n):
            here = ctx.reshape(ctx.slice(x, 1, j * distance, j * distance + places), (batch, places, 1))
            equal = ctx.add("eq", here, ctx.constant(table[:, j], DType.I64))
            same = equal if same is None else ctx.add("logical_and", same, equal)
        total = ctx.add("add", total, ctx.add("sum", ctx.cast(same, DType.F32), dims=(1,), keepdims=False))  # type: ignore[arg-type]
    return total
