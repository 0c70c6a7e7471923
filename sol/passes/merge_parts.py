"""Sums of tensors that are zero but for one part each become concatenations, and what is found of a concatenation is found of its parts.

Such sums are gradients: of each of several parts of one tensor, such as the queries, keys and values of attention that one product made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.strides import contiguous_strides, view_strides


@dataclass(frozen=True)
class _Part:
    """A tensor that is zero outside of ``start <= i < stop`` along a dimension; value: what it is inside."""

    dim: int
    start: int
    stop: int
    value: str


@rule("add")
def sum_of_parts_to_concat(g: Editor, node: Node) -> str | None:
    """a sum of tensors that are zero but for one part each, which together fill a dimension -> concat(parts)"""
    parts: list[_Part] = []
    pending = list(node.inputs)
    while pending:
        value = pending.pop()
        producer = g.producer(value)
        if producer is None or producer.type != node.type:
            return None
        if producer.op == "add" and g.sole_user(value) is not None:
            pending += producer.inputs
            continue
        part = _part(g, producer)
        if part is None or parts and part.dim != parts[0].dim:
            return None
        parts.append(part)
    parts.sort(key=lambda part: part.start)
    if [part.start for part in parts] != [0, *(part.stop for part in parts[:-1])] or parts[-1].stop != node.type.shape[parts[0].dim]:
        return None
    return g.add("concat", [_whole(g, part, node) for part in parts], dim=parts[0].dim, origin=node.origin)


def _whole(g: Editor, part: _Part, node: Node) -> str:
    """A part's elements in the shape that a concatenation takes."""
    shape = tuple(part.stop - part.start if d == part.dim else n for d, n in enumerate(node.type.shape))
    value, along = part.value, g.type_of(part.value).shape[part.dim]
    if along != shape[part.dim] and along != 1:
        value = g.add("slice", [value], dim=part.dim, start=part.start, stop=part.stop, step=1, origin=node.origin)
    return value if g.type_of(value).shape == shape else g.add("expand", [value], shape=shape, origin=node.origin)


def _part(g: Editor, node: Node) -> _Part | None:
    if node.op == "where":
        return _selected(g, node)
    if node.op != "concat":
        return None
    filled = [i for i, value in enumerate(node.inputs) if not is_zeros(g, value)]
    ends = [0]
    for value in node.inputs:
        ends.append(ends[-1] + g.type_of(value).shape[node.attrs["dim"]])
    if len(filled) != 1 or not all(isinstance(end, int) for end in ends):
        return None
    at = filled[0]
    return _Part(node.attrs["dim"], ends[at], ends[at + 1], node.inputs[at])


def _selected(g: Editor, node: Node) -> _Part | None:
    """What ``where`` chooses by a literal that is true in one range along one dimension."""
    mask, value, other = node.inputs
    literal = g.producer(mask, op="constant")
    if literal is None or not is_zeros(g, other) or g.type_of(value).rank != node.type.rank or literal.type.rank != node.type.rank:
        return None
    long = [d for d, n in enumerate(literal.type.shape) if n != 1]
    true = np.flatnonzero(literal.attrs["value"].value.reshape(-1))
    if len(long) != 1 or literal.type.shape[long[0]] != node.type.shape[long[0]] or not true.size or true[-1] - true[0] != true.size - 1:
        return None
    return _Part(long[0], int(true[0]), int(true[-1]) + 1, value)


def is_zeros(g: Editor, value: str) -> bool:
    """Whether a value is an expansion of zero, or a part of one."""
    node = g.producer(value)
    while node is not None and node.op in ("expand", "slice", "reshape"):
        node = g.producer(node.inputs[0])
    return node is not None and node.op == "constant" and not node.attrs["value"].value.any()


@rule("reshape")
def permute_before_concat(g: Editor, node: Node) -> str | None:
    """reshape(permute(concat(parts))) that strides cannot express -> reshape(concat(permute(parts))): each part moves once"""
    permute = g.producer(node.inputs[0], op="permute")
    concat = g.producer(permute.inputs[0], op="concat") if permute is not None else None
    if permute is None or concat is None or g.sole_user(concat.name) is not permute or g.sole_user(permute.name) is not node:
        return None
    order, stored = permute.attrs["order"], contiguous_strides(concat.type.shape)
    if view_strides("reshape", node.attrs, permute.type.shape, tuple(stored[d] for d in order), 0):
        return None
    parts = [g.add("permute", [value], order=order, origin=permute.origin) for value in concat.inputs]
    joined = g.add("concat", parts, dim=order.index(concat.attrs["dim"]), origin=concat.origin)
    return g.add("reshape", [joined], shape=node.type.shape, origin=node.origin)


@rule("mean", "var")
def statistics_of_parts(g: Editor, node: Node) -> str | None:
    """mean, var over the batch and other dimensions of concat(results of convolutions, at most one other) -> concat(mean, var of each):
    kernels of convolutions find them on the way, and each part's serve all concatenations that it is in, as in a DenseNet"""
    concat = g.producer(node.inputs[0], op="concat")
    if concat is None or not node.attrs["keepdims"] or concat.attrs["dim"] in node.attrs["dims"] or 0 not in node.attrs["dims"]:
        return None
    if sum(g.producer(value, op="conv") is None for value in concat.inputs) > 1:
        return None
    parts = [g.add(node.op, [value], origin=node.origin, **node.attrs) for value in concat.inputs]
    return g.add("concat", parts, dim=concat.attrs["dim"], origin=node.origin)


def merge_parts(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, (sum_of_parts_to_concat, permute_before_concat, statistics_of_parts))
