"""Products with weights become linear layers, whose kernels pack the weight and add the bias."""

from __future__ import annotations

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.passes.canonicalize_ops import is_constant


@rule("matmul")
def constant_operand_to_linear(g: Editor, node: Node) -> str | None:
    """matmul(x, w) -> linear(x, transpose(w)) for a matrix w that is known when weights are packed"""
    x, w = node.inputs
    if g.type_of(w).rank != 2 or not node.type.dtype.is_float or not is_constant(g, w) or is_constant(g, x):
        return None
    return g.add("linear", [x, g.add("permute", [w], order=(1, 0), origin=node.origin)], origin=node.origin)


@rule("add")
def sum_to_bias(g: Editor, node: Node) -> str | None:
    """linear(x, w) + b -> linear(x, w, b) for a vector b that is known when weights are packed"""
    for product, bias in (node.inputs, node.inputs[::-1]):
        linear = g.producer(product, op="linear")
        if linear is None or len(linear.inputs) > 2 or g.sole_user(product) is not node or not is_constant(g, bias):
            continue
        type_, features = g.type_of(bias), linear.type.shape[-1]
        if g.type_of(product) != node.type or not type_.rank or type_.shape[-1] != features or type_.size != features:
            continue
        if type_.rank > 1:
            bias = g.add("reshape", [bias], shape=(features,), origin=node.origin)
        return g.add("linear", [*linear.inputs, bias], origin=linear.origin)
    return None


RULES = (constant_operand_to_linear, sum_to_bias)


def canonicalize_products(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, RULES)
