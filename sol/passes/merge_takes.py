"""Takes whose places the graph states, and repetitions, become picks; picks along several dimensions one: a single pass over memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule

MOST_PLACES = 1 << 16  # a longer table costs more to hold than a second pass over memory


@rule("take")
def literal_take_to_pick(g: Editor, node: Node) -> str | None:
    """take(x, places) -> pick(x) for places that are written in the graph and lie inside"""
    x, index = node.inputs
    literal, dim = g.producer(index, op="constant"), node.attrs["dim"]
    size = g.type_of(x).shape[dim]
    if literal is None or literal.type.rank != 1 or not isinstance(size, int) or g.producer(x).op in ("parameter", "constant"):
        return None
    places = [p + size * (p < 0) for p in literal.attrs["value"].value.tolist()]
    if len(places) > MOST_PLACES or any(not 0 <= p < size for p in places):
        return None
    return g.add("pick", [x], dims=(dim,), index=(tuple(places),), origin=node.origin)


@rule("pick")
def pick_of_pick(g: Editor, node: Node) -> str | None:
    """pick(pick(x)) -> pick(x)"""
    inner = g.producer(node.inputs[0], op="pick")
    if inner is None or g.sole_user(inner.name) is not node:
        return None
    found = dict(zip(inner.attrs["dims"], inner.attrs["index"]))
    for dim, places in zip(node.attrs["dims"], node.attrs["index"]):
        found[dim] = tuple(found[dim][p] for p in places) if dim in found else places
    dims = tuple(sorted(found))
    return g.add("pick", [inner.inputs[0]], dims=dims, index=tuple(found[d] for d in dims), origin=node.origin)


@rule("pick")
def even_pick_to_slice(g: Editor, node: Node) -> str | None:
    """pick(x) of places at even distances along a dimension -> slice(x)"""
    for at, (dim, places) in enumerate(zip(node.attrs["dims"], node.attrs["index"])):
        step = places[1] - places[0] if len(places) > 1 else 1
        if not places or step < 1 or any(b - a != step for a, b in zip(places, places[1:])):
            continue
        part = g.add("slice", [node.inputs[0]], dim=dim, start=places[0], stop=places[-1] + 1, step=step, origin=node.origin)
        rest = [i for i in range(len(node.attrs["dims"])) if i != at]
        if not rest:
            return part
        dims, index = (tuple(node.attrs[k][i] for i in rest) for k in ("dims", "index"))
        return g.add("pick", [part], dims=dims, index=index, origin=node.origin)
    return None


@rule("reshape")
def repetition_to_pick(g: Editor, node: Node) -> str | None:
    """reshape(expand(y)) that merges repeated dimensions with others -> pick(y)"""
    expand = g.producer(node.inputs[0], op="expand")
    if expand is None or not node.type.is_static or not g.type_of(expand.inputs[0]).is_static:
        return None
    wide: tuple[Any, ...] = expand.type.shape
    y: tuple[Any, ...] = g.type_of(expand.inputs[0]).shape
    y = (1,) * (len(wide) - len(y)) + y
    groups = _merged(wide, node.type.shape)
    if groups is None or node.type.size == 0:
        return None
    sizes = [math.prod(y[a:b]) for a, b in groups]
    dims, index = [], []
    for dim, ((a, b), size) in enumerate(zip(groups, sizes)):
        if y[a:b] == wide[a:b]:
            continue
        places = np.broadcast_to(np.arange(size).reshape(y[a:b]), wide[a:b]).reshape(-1)
        dims.append(dim)
        index.append(tuple(places.tolist()))
    if all(size == 1 for size in (sizes[d] for d in dims)) or sum(map(len, index)) > MOST_PLACES:
        return None  # strides of zero express it, or nothing is repeated
    flat = g.add("reshape", [expand.inputs[0]], shape=tuple(sizes), origin=node.origin)
    return g.add("pick", [flat], dims=tuple(dims), index=tuple(index), origin=node.origin)


@rule("reshape")
def reshaped_pick(g: Editor, node: Node) -> str | None:
    """reshape(pick(x)) that adds or drops dimensions of one element -> pick(reshape(x))"""
    pick = g.producer(node.inputs[0], op="pick")
    if pick is None or g.sole_user(pick.name) is not node:
        return None
    before, after = ([i for i, n in enumerate(t.shape) if n != 1] for t in (pick.type, node.type))
    if [pick.type.shape[i] for i in before] != [node.type.shape[i] for i in after] or not set(pick.attrs["dims"]) <= set(before):
        return None
    dims = tuple(after[before.index(d)] for d in pick.attrs["dims"])
    shape = list(node.type.shape)
    for dim, old in zip(dims, pick.attrs["dims"]):
        shape[dim] = g.type_of(pick.inputs[0]).shape[old]
    x = g.add("reshape", [pick.inputs[0]], shape=tuple(shape), origin=node.origin)
    return g.add("pick", [x], dims=dims, index=pick.attrs["index"], origin=node.origin)


def _merged(fine: Sequence[Any], coarse: Sequence[Any]) -> list[tuple[int, int]] | None:
    """For every dimension of ``coarse`` the run of dimensions of ``fine`` whose product it is; None if it is no such merging."""
    groups, at = [], 0
    for size in coarse:
        end, have = at, 1
        while end < len(fine) and (have < size or end == at):
            have *= fine[end]
            end += 1
        if have != size:
            return None
        groups.append((at, end))
        at = end
    return groups if math.prod(fine[at:]) == 1 else None


def merge_takes(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, (literal_take_to_pick, repetition_to_pick, reshaped_pick, pick_of_pick, even_pick_to_slice))
