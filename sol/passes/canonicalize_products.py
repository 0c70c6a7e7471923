"""Products with weights become linear layers, whose kernels pack the weight and add the bias; single rows and columns get other forms."""

from __future__ import annotations

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.canonicalize_ops import is_constant


@rule("matmul")
def constant_operand_to_linear(g: Editor, node: Node) -> str | None:
    """matmul(x, w) -> linear(x, transpose(w)) for a matrix w that is known when weights are packed"""
    x, w = node.inputs
    if g.type_of(w).rank != 2 or not node.type.dtype.is_float or not is_constant(g, w) or is_constant(g, x):
        return None
    turned = g.producer(w, op="permute")
    weight = turned.inputs[0] if turned is not None else g.add("permute", [w], order=(1, 0), origin=node.origin)
    return g.add("linear", [x, weight], origin=node.origin)


@rule("matmul")
def outer_product_to_mul(g: Editor, node: Node) -> str | None:
    """matmul(a, b) -> mul(a, b) for one column and one row"""
    a, b = node.inputs
    if min(g.type_of(a).rank, g.type_of(b).rank) < 2 or g.type_of(a).shape[-1] != 1 or node.type.dtype is DType.BOOL:
        return None
    return g.add("mul", [a, b], origin=node.origin)


@rule("matmul")
def column_by_transposed_to_row(g: Editor, node: Node) -> str | None:
    """matmul(transpose(x), c) -> transpose(matmul(transpose(c), x)) for a column c: x is then read along its rows"""
    a, column = node.inputs
    rank, turn = g.type_of(a).rank, g.producer(a, op="permute")
    if turn is None or rank < 2 or g.type_of(column).rank != rank or g.type_of(column).shape[-1] != 1 or g.type_of(a).shape[-2] == 1:
        return None
    order = (*range(rank - 2), rank - 1, rank - 2)
    if tuple(turn.attrs["order"]) != order:
        return None
    row = g.add("permute", [column], order=order, origin=node.origin)
    return g.add("permute", [g.add("matmul", [row, turn.inputs[0]], origin=node.origin)], order=order, origin=node.origin)


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


RULES = (constant_operand_to_linear, outer_product_to_mul, column_by_transposed_to_row, sum_to_bias)


def canonicalize_products(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, RULES)
