"""Layer normalisations that exporters write out become one op."""

from __future__ import annotations

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.passes.canonicalize_ops import is_constant
from sol.passes.factors import number


@rule("div", "mul")
def moments_to_layer_norm(g: Editor, node: Node) -> str | None:
    """(x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) -> layer_norm(x), over trailing dimensions"""
    for centred, deviation in (node.inputs,) if node.op == "div" else (node.inputs, node.inputs[::-1]):
        found = _centred(g, centred)
        variance = _under_root(g, deviation, divided=node.op == "div")
        if found is None or variance is None:
            continue
        x, dims = found
        total = g.producer(variance, op="add")
        eps = None if total is None else number(g, total.inputs[1])
        mean = None if total is None else g.producer(total.inputs[0], op="mean")
        if eps is None or mean is None or mean.attrs["dims"] != dims or not mean.attrs["keepdims"]:
            continue
        if _squared(g, mean.inputs[0]) == found and _is_trailing(dims, node.type.rank):
            return g.add("layer_norm", [x], dims=len(dims), eps=eps, origin=node.origin)
    return None


def _centred(g: Editor, value: str) -> tuple[str, tuple[int, ...]] | None:
    """x and the dimensions of ``x - mean(x)``."""
    sub = g.producer(value, op="sub")
    mean = sub and g.producer(sub.inputs[1], op="mean")
    if not sub or not mean or mean.inputs[0] != sub.inputs[0] or not mean.attrs["keepdims"]:
        return None
    return sub.inputs[0], tuple(mean.attrs["dims"])


def _squared(g: Editor, value: str) -> tuple[str, tuple[int, ...]] | None:
    """x and the dimensions of ``(x - mean(x))^2``."""
    node = g.producer(value)
    if node.op == "square" or (node.op == "mul" and node.inputs[0] == node.inputs[1]):
        return _centred(g, node.inputs[0])
    return None


def _under_root(g: Editor, value: str, *, divided: bool) -> str | None:
    """v of sqrt(v), or where it is multiplied with of 1 / sqrt(v)."""
    node = g.producer(value)
    if divided:
        return node.inputs[0] if node.op == "sqrt" else None
    if node.op == "rsqrt":
        return node.inputs[0]
    root = g.producer(node.inputs[0], op="sqrt") if node.op == "reciprocal" else None
    return root.inputs[0] if root else None


def _is_trailing(dims: tuple[int, ...], rank: int) -> bool:
    return tuple(dims) == tuple(range(rank - len(dims), rank))


@rule("add")
def affine_into_layer_norm(g: Editor, node: Node) -> str | None:
    """layer_norm(x) * w + b -> layer_norm(x, w, b)"""
    for product, bias in (node.inputs, node.inputs[::-1]):
        mul = g.producer(product, op="mul")
        if mul is None or g.sole_user(product) is not node:
            continue
        for normal, weight in (mul.inputs, mul.inputs[::-1]):
            norm = g.producer(normal, op="layer_norm")
            if norm is None or len(norm.inputs) > 1 or g.sole_user(normal) is not mul:
                continue
            shape = norm.type.shape[norm.type.rank - norm.attrs["dims"] :]
            if all(g.type_of(v).shape == shape and is_constant(g, v) for v in (weight, bias)):
                return g.add("layer_norm", [norm.inputs[0], weight, bias], origin=norm.origin, **norm.attrs)
    return None


RULES = (moments_to_layer_norm, affine_into_layer_norm)


def canonicalize_norms(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, RULES)
