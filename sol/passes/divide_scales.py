"""A division before quantising goes into the constants that its operand was multiplied with anyway.

Where that is not possible but the operand was computed from bytes, it becomes a product with the reciprocal: what that changes in the last
bit is lost in rounding but where two steps are equally near. What users give, what floats were computed to, and what is rounded without
becoming bytes is divided.
"""

from __future__ import annotations

import numpy as np

from sol.ir.graph import Graph, Node
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.canonicalize_ops import is_constant
from sol.passes.quantized_values import number, quantized

DEEPEST = 16
"""Ops through which a division is followed."""


@rule("round")
def division_into_scales(g: Editor, node: Node) -> str | None:
    """quantise(x / s) -> quantise(x') where x is made of products with constants, into which 1 / s goes; so for quantise(x * (1 / s))"""
    division = g.producer(node.inputs[0])
    if division.op not in ("div", "mul") or g.sole_user(division.name) is not node or not _quantizes(g, node):
        return None
    scale = division.inputs[1]
    known = number(g, scale)
    if known is None or not known > 0 or g.type_of(division.inputs[0]).shape != division.type.shape:
        return None
    if is_constant(g, division.inputs[0]) or not _absorbs(g, division.inputs[0], DEEPEST):
        return None  # what is made of constants alone is computed once, when they are known
    scale = g.add("reshape", [scale], shape=()) if g.type_of(scale).rank else scale
    return g.add("round", [_divided(g, division.inputs[0], division.op, scale)], origin=node.origin)


def _quantizes(g: Editor, rounding: Node) -> bool:
    """Whether a float32 is rounded to become bytes, and nothing else: any byte, where it was divided and not multiplied."""
    user = g.sole_user(rounding.name)
    while user is not None and user.op in ("add", "clamp"):
        user = g.sole_user(user.name)
    found = None if user is None else quantized(g, user)
    if found is None or found.x != rounding.inputs[0]:
        return False
    return found.full or found.quotient is not None and found.quotient.factor is not None


def _factor(g: Editor, node: Node) -> tuple[str, str] | None:
    """(x, c) of a product with a constant."""
    x, c = node.inputs if is_constant(g, node.inputs[1]) else node.inputs[::-1]
    return (x, c) if is_constant(g, c) else None


def _absorbs(g: Editor, value: str, steps: int) -> bool:
    """Whether a division by a positive number vanishes in the constants that a value is made of."""
    if is_constant(g, value):
        return True
    node = g.producer(value)
    if not steps or g.sole_user(value) is None:
        return False
    if node.op == "mul":
        return _factor(g, node) is not None
    if node.op == "relu":
        return _absorbs(g, node.inputs[0], steps - 1)
    return node.op in ("add", "sub") and all(_absorbs(g, i, steps - 1) for i in node.inputs)


def _divided(g: Editor, value: str, by: str, scale: str) -> str:
    """What ``_absorbs`` said of, divided or multiplied (by: "div" or "mul")."""
    at = g.producer(value).origin
    if is_constant(g, value):
        return g.add(by, [value, scale], origin=at)
    node = g.producer(value)
    if node.op == "mul":
        found = _factor(g, node)
        assert found is not None  # _absorbs saw it
        return g.add("mul", [found[0], g.add(by, [found[1], scale], origin=at)], origin=at)
    return g.add(node.op, [_divided(g, i, by, scale) for i in node.inputs], origin=at, **node.attrs)


@rule("round")
def division_of_bytes(g: Editor, node: Node) -> str | None:
    """quantise(x / s) -> quantise(x * (1 / s)) for x computed element by element from bytes"""
    division = g.producer(node.inputs[0], op="div")
    if division is None or not _quantizes(g, node):
        return None
    known = number(g, division.inputs[1])
    if known is None or not known > 0 or not _from_bytes(g, division.inputs[0], DEEPEST):
        return None
    factor = g.constant(np.float32(1.0) / np.float32(known), DType.F32)
    return g.add("round", [g.add("mul", [division.inputs[0], factor], origin=division.origin)], origin=node.origin)


def _from_bytes(g: Editor, value: str, steps: int) -> bool:
    """Whether pointwise ops lead from bytes to a value."""
    node = g.producer(value)
    if node.op == "cast" and g.type_of(node.inputs[0]).dtype.bits <= 8:
        return True
    return node.op in POINTWISE and steps > 0 and any(_from_bytes(g, i, steps - 1) for i in node.inputs)


def divide_scales(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, (division_into_scales, division_of_bytes))
