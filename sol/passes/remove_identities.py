"""Ops that change nothing, and pairs that undo each other."""

from __future__ import annotations

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule


@rule("reshape", "expand", "permute", "slice", "cast", "copy", "reorder", "pad")
def identity_to_operand(g: Editor, node: Node) -> str | None:
    """op(x) -> x when type and order of elements stay the same"""
    x = node.inputs[0]
    if g.type_of(x) != node.type:
        return None
    if node.op == "permute" and node.attrs["order"] != tuple(range(node.type.rank)):
        return None
    if node.op == "pad" and any(p != (0, 0) for p in node.attrs["pads"]):
        return None
    return x


@rule("concat")
def concat_of_one(g: Editor, node: Node) -> str | None:
    """concat(x) -> x"""
    return node.inputs[0] if len(node.inputs) == 1 else None


@rule("reshape")
def reshape_of_reshape(g: Editor, node: Node) -> str | None:
    """reshape(reshape(x, a), b) -> reshape(x, b)"""
    inner = g.producer(node.inputs[0], op="reshape")
    return g.add("reshape", inner.inputs, origin=node.origin, **node.attrs) if inner else None


@rule("permute")
def permute_of_permute(g: Editor, node: Node) -> str | None:
    """permute(permute(x, p), q) -> permute(x, p[q])"""
    inner = g.producer(node.inputs[0], op="permute")
    if inner is None:
        return None
    order = tuple(inner.attrs["order"][i] for i in node.attrs["order"])
    return g.add("permute", inner.inputs, origin=node.origin, order=order)


@rule("expand")
def expand_of_expand(g: Editor, node: Node) -> str | None:
    """expand(expand(x)) -> expand(x)"""
    inner = g.producer(node.inputs[0], op="expand")
    return g.add("expand", inner.inputs, origin=node.origin, **node.attrs) if inner else None


@rule("relu", "abs", "floor", "ceil", "round")
def idempotent(g: Editor, node: Node) -> str | None:
    """f(f(x)) -> f(x)"""
    inner = g.producer(node.inputs[0], op=node.op)
    return inner.name if inner else None


@rule("add", "sub", "mul", "div")
def neutral_operand(g: Editor, node: Node) -> str | None:
    """x * 1, x / 1, x + 0 (integers), x - 0 -> x"""
    x, y = node.inputs
    for value, other in ((x, y), (y, x)):
        constant = g.producer(other, op="constant")
        if constant is None or constant.attrs["value"].value.size != 1 or g.type_of(value) != node.type:
            continue
        number = constant.attrs["value"].value.item()
        if node.op == "mul" and number == 1 or other == y and node.op == "div" and number == 1:
            return value
        exact = not node.type.dtype.is_float
        if number == 0 and (other == y and node.op == "sub" or node.op == "add" and exact):
            return value
    return None


RULES = (
    identity_to_operand,
    concat_of_one,
    reshape_of_reshape,
    permute_of_permute,
    expand_of_expand,
    idempotent,
    neutral_operand,
)


def remove_identities(graph: Graph) -> Graph:
    """Drop no-ops and cancel reshape/permute/expand chains."""
    return apply_rules(graph, RULES)
