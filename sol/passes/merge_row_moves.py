"""Merges picks with the reshapes and permutations around them: whole rows are moved once, by a table of where each comes from.

A shifted window of an image, say, is a roll along both dimensions and a partition into tiles: two passes over memory, or one by a table.
"""

from __future__ import annotations

import numpy as np

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.strides import contiguous_strides, view_strides
from sol.passes.merge_takes import MOST_PLACES

MOVES = ("reshape", "permute", "pick")
SHORTEST_ROW = 64  # bytes: a line of the cache, of which a move then wastes none
MOST_ELEMENTS = 1 << 24  # of an operand: places are worked out one by one


@rule("reshape", "permute", "pick")
def moves_to_row_pick(g: Editor, node: Node) -> str | None:
    """reshape, permute and pick, one on another, that pass over memory twice -> reshape(pick(reshape(x)))"""
    if any(u.op in MOVES and g.sole_user(node.name) is u for u in g.users(node.name)):
        return None  # the last of them is looked at
    chain = [node]
    while (before := g.producer(chain[-1].inputs[0])) is not None and before.op in MOVES and g.sole_user(before.name) is chain[-1]:
        chain.append(before)
    chain.reverse()
    x = chain[0].inputs[0]
    type_ = g.type_of(x)
    if g.producer(x, op="parameter") or g.producer(x, op="constant"):
        return None
    size = type_.size
    static = type_.is_static and all(n.type.is_static for n in chain) and node.type.size
    if not static or not isinstance(size, int) or not 0 < size <= MOST_ELEMENTS or _copies(type_.shape, chain) < 2:
        return None
    found = _row_table(_places(type_.shape, chain), size, max(1, SHORTEST_ROW // type_.dtype.itemsize))
    if found is None:
        return None
    batch, rows, length = found
    flat = g.add("reshape", [x], shape=(batch, size // (batch * length), length), origin=node.origin)
    picked = g.add("pick", [flat], dims=(1,), index=(tuple(rows.tolist()),), origin=node.origin)
    return g.add("reshape", [picked], shape=node.type.shape, origin=node.origin)


def _copies(shape: tuple, chain: list[Node]) -> int:
    """How often the moves pass over memory, each alone."""
    strides, copies = contiguous_strides(shape), 0
    for node in chain:
        after = None if node.op == "pick" else view_strides(node.op, node.attrs, shape, strides, 0)
        copies += after is None
        shape = node.type.shape
        strides = after[0] if after else contiguous_strides(shape)
    return copies


def _places(shape: tuple, chain: list[Node]) -> np.ndarray:
    """Where each element of the result comes from, counted in the operand."""
    place = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    for node in chain:
        if node.op == "pick":
            for dim, index in zip(node.attrs["dims"], node.attrs["index"]):
                place = np.take(place, index, dim)
        else:
            place = place.transpose(node.attrs["order"]) if node.op == "permute" else place.reshape(node.type.shape)
    return place.reshape(-1)


def _row_table(place: np.ndarray, size: int, shortest: int) -> tuple[int, np.ndarray, int] | None:
    """Equal parts that are moved alike; where the rows of one come from, counted in rows; elements of a row. None where rows are short."""
    ends = np.flatnonzero(np.diff(place) != 1) + 1
    length = int(np.gcd.reduce([place.size, size, *ends.tolist(), *place[[0, *ends]].tolist()]))
    rows = place[::length] // length
    if length < shortest:
        return None
    for batch in range(np.gcd(rows.size, size // length), 0, -1):
        count, step = rows.size // batch, size // (length * batch)
        if rows.size % batch or size // length % batch or rows[:count].max() >= step:
            continue
        if (rows.reshape(batch, count) == rows[:count] + step * np.arange(batch)[:, None]).all():
            return (batch, rows[:count], length) if count <= MOST_PLACES else None
    return None


def merge_row_moves(graph: Graph) -> Graph:
    """Apply the rule above until it matches nowhere."""
    return apply_rules(graph, (moves_to_row_pick,))
