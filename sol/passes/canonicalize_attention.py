"""Attention that exporters write out as two products and a softmax becomes one op, whose scores never leave the cache."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.factors import factors, number

_NEVER = -1e30
"""A score from which on softmax gives exactly 0 beside any that is not."""


@dataclass(frozen=True)
class _Scores:
    """``scale * queries @ keys^T``, masked; ``transposed``: keys[..., E, S] as they are multiplied."""

    queries: str
    transposed: str
    scale: float
    mask: str | None = None


@rule("matmul")
def softmax_to_sdpa(g: Editor, node: Node) -> str | None:
    """softmax(scale * q @ k^T + mask) @ v -> sdpa(q, k, v, mask)"""
    weights, values = node.inputs
    if node.type.dtype is not DType.F32 or node.type.rank < 3 or g.sole_user(weights) is not node:
        return None
    guarded = _guarded(g, weights)
    softmax = g.producer(guarded or weights, op="softmax")
    if softmax is None or softmax.attrs["dim"] != node.type.rank - 1 or (not guarded and g.sole_user(softmax.name) is not node):
        return None
    scores = _scores(g, softmax.inputs[0])
    if scores is None:
        return None
    causal = False
    inputs = [scores.queries, _swapped(g, scores.transposed, node), values]
    if scores.mask is not None:
        causal = _is_causal(g, scores.mask)
        if not causal:
            if not guarded and not _leaves_something(g, scores.mask):
                return None
            inputs.append(scores.mask)
    return g.add("sdpa", inputs, causal=causal, scale=scores.scale, origin=node.origin)


def _guarded(g: Editor, value: str) -> str | None:
    """s of ``where(isnan(s), 0, s)``: rows that attend to nothing give zeros."""
    where = g.producer(value, op="where")
    test = where and g.producer(where.inputs[0], op="isnan")
    if not where or not test or test.inputs[0] != where.inputs[2] or number(g, where.inputs[1]) != 0:
        return None
    return where.inputs[2]


def _scores(g: Editor, value: str) -> _Scores | None:
    plain = _product(g, value)
    if plain is not None:
        return plain
    node = g.producer(value)
    if g.sole_user(value) is None:
        return None
    if node.op == "add":
        for scores, mask in (node.inputs, node.inputs[::-1]):
            found = _product(g, scores)
            if found is not None and g.type_of(scores) == node.type:
                return replace(found, mask=mask)
    if node.op == "where" and g.type_of(node.inputs[1]) == node.type:
        low, found = number(g, node.inputs[2]), _product(g, node.inputs[1])
        if found is not None and low is not None and low <= _NEVER:
            return replace(found, mask=node.inputs[0])
    return None


def _product(g: Editor, value: str) -> _Scores | None:
    """Scores without a mask; scales of both operands and of the product are one."""
    scale, found = factors(g, value)
    product = g.producer(found[0], op="matmul") if len(found) == 1 else None
    if product is None or g.sole_user(product.name) is None:
        return None
    (a, queries), (b, keys) = (factors(g, v) for v in product.inputs)
    if len(queries) != 1 or len(keys) != 1:
        return None
    types = [g.type_of(v) for v in (queries[0], keys[0])]
    if any(t != g.type_of(v) for t, v in zip(types, product.inputs)) or not math.isfinite(scale * a * b):
        return None
    return _Scores(queries[0], keys[0], scale * a * b)


def _swapped(g: Editor, value: str, at: Node) -> str:
    """The last two dimensions exchanged; together with a permutation that may be none."""
    rank = g.type_of(value).rank
    order = (*range(rank - 2), rank - 1, rank - 2)
    producer = g.producer(value, op="permute")
    if producer is not None:
        value, order = producer.inputs[0], tuple(producer.attrs["order"][i] for i in order)
    return value if order == tuple(range(rank)) else g.add("permute", [value], order=order, origin=at.origin)


def _literal(g: Editor, value: str) -> np.ndarray | None:
    node = g.producer(value)
    while node.op in ("reshape", "expand") and g.type_of(node.inputs[0]).rank >= 2:
        shape = g.type_of(node.inputs[0]).shape
        if shape[-2:] != node.type.shape[-2:]:
            return None
        node = g.producer(node.inputs[0])
    return node.attrs["value"].value if node.op == "constant" else None


def _is_causal(g: Editor, mask: str) -> bool:
    """Whether a literal mask lets each query see the keys up to its own position, and changes nothing else."""
    array = _literal(g, mask)
    if array is None or array.ndim < 2 or array.shape[-1] != array.shape[-2] or math.prod(array.shape[:-2]) != 1:
        return False
    square = array.reshape(array.shape[-2:])
    seen = np.tri(len(square), dtype=bool)
    if square.dtype == np.bool_:
        return bool((square == seen).all())
    return bool((square[seen] == 0).all() and (square[~seen] <= _NEVER).all())


def _hides_nothing(g: Editor, mask: str) -> bool:
    """Whether a literal mask changes no score."""
    array = _literal(g, mask)
    return array is not None and bool(array.all() if array.dtype == np.bool_ else (array == 0).all())


@rule("sdpa")
def literal_masks(g: Editor, node: Node) -> str | None:
    """sdpa(q, k, v, mask) -> sdpa(q, k, v) for masks that hide nothing, or later keys from each query, as it is known beforehand"""
    if len(node.inputs) < 4 or node.attrs["causal"]:
        return None
    *operands, mask = node.inputs
    shape = g.type_of(mask).shape
    if len(shape) < 2 or len(shape) > node.type.rank or shape[-2:] != (node.type.shape[-2], g.type_of(node.inputs[1]).shape[-2]):
        return None
    if any(n not in (1, whole) for n, whole in zip(shape[-3::-1], node.type.shape[-3::-1])):
        return None
    causal = _is_causal(g, mask)
    if not causal and not _hides_nothing(g, mask):
        return None
    return g.add("sdpa", operands, causal=causal, scale=node.attrs["scale"], origin=node.origin)


def _leaves_something(g: Editor, mask: str) -> bool:
    """Whether no row of a mask forbids all: there softmax gives NaN, and sdpa zeros."""
    array = _literal(g, mask)
    if array is None or array.ndim < 1:
        return False
    allowed = array if array.dtype == np.bool_ else array > _NEVER
    return bool(allowed.any(axis=-1).all())


@rule("sdpa")
def repeated_heads_to_groups(g: Editor, node: Node) -> str | None:
    """sdpa(q, repeat(k), repeat(v)) -> sdpa over groups of queries that share a head of k and v, which are not repeated in memory"""
    q, *rest = node.inputs
    keys, values = (_unrepeated(g, v) for v in rest[:2])
    if keys is None or values is None or g.type_of(q).rank < 3 or g.type_of(keys).rank != g.type_of(q).rank + 1:
        return None
    *batch, shared, one, _, _ = g.type_of(keys).shape
    *lead, heads, length, width = g.type_of(q).shape
    if g.type_of(values).shape[:-2] != (*batch, shared, one) or not isinstance(heads, int) or not isinstance(shared, int):
        return None
    groups = heads // shared
    masks = [_grouped_mask(g, m, shared, groups, node) for m in rest[2:]]
    grouped = g.add("reshape", [q], shape=(*lead, shared, groups, length, width), origin=node.origin)
    alike = all(g.type_of(m).shape[-3:-1] in ((), (1,), (1, 1)) for m in masks)
    if length == 1 and alike and not node.attrs["causal"]:  # the queries of a group are rows of one product
        grouped = g.add("reshape", [grouped], shape=(*lead, shared, 1, groups, width), origin=node.origin)
    result = g.add("sdpa", [grouped, keys, values, *masks], **node.attrs, origin=node.origin)
    return g.add("reshape", [result], shape=node.type.shape, origin=node.origin)


def _unrepeated(g: Editor, value: str) -> str | None:
    """x[…, H, 1, S, E] of a reshape of expand(x) to […, H G, S, E]: every head G times in a row."""
    reshape = g.producer(value, op="reshape")
    expand = reshape and g.producer(reshape.inputs[0], op="expand")
    if not reshape or not expand or expand.type.rank < 4:
        return None
    *lead, heads, groups, length, width = expand.type.shape
    if not isinstance(heads, int) or not isinstance(groups, int) or reshape.type.shape != (*lead, heads * groups, length, width):
        return None
    return expand.inputs[0] if g.type_of(expand.inputs[0]).shape == (*lead, heads, 1, length, width) else None


def _grouped_mask(g: Editor, mask: str, shared: int, groups: int, at: Node) -> str:
    """A mask[…, H, L, S] with its heads in groups."""
    shape = g.type_of(mask).shape
    if len(shape) < 3:
        return mask
    heads = (1, 1) if shape[-3] == 1 else (shared, groups)
    return g.add("reshape", [mask], shape=(*shape[:-3], *heads, *shape[-2:]), origin=at.origin)


RULES = (softmax_to_sdpa, literal_masks, repeated_heads_to_groups)


def canonicalize_attention(graph: Graph) -> Graph:
    """Apply the rules above wherever they match."""
    return apply_rules(graph, RULES)
