"""Values without elements need no kernel, and what is computed from nothing is known: no later pass meets a size of 0."""

from __future__ import annotations

import numpy as np

from sol.ir.graph import Graph, Node
from sol.ir.ops import REGISTRY
from sol.ir.ops.control import CONTROL
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import TensorType

GIVEN = ("input", "parameter", "constant", "torch_call", "region", *CONTROL)
COMPUTING = tuple(name for name in REGISTRY if name not in GIVEN)
REDUCING = tuple(name for name, spec in REGISTRY.items() if spec.kind == "reduce")


def is_empty(type: TensorType) -> bool:
    """Whether a value is known to have no elements."""
    return any(isinstance(d, int) and d == 0 for d in type.shape)


def filled(g: Editor, number: float | int | bool, node: Node) -> str:
    """A value of the node's type whose elements are all one number."""
    scalar = g.constant(np.asarray(number, node.type.dtype.numpy), node.type.dtype)
    return g.add("expand", [scalar], shape=node.type.shape, origin=node.origin) if node.type.rank else scalar


@rule(*COMPUTING)
def nothing_to_compute(g: Editor, node: Node) -> tuple[str, ...] | None:
    """op(x) -> nothing, where no result has elements"""
    if not node.types or not all(is_empty(t) and t.is_static for t in node.types):
        return None
    if node.op == "expand" and g.producer(node.inputs[0], op="constant"):
        return None
    return tuple(filled(g, 0, Node(v, node.op, (), (t,), node.attrs, node.origin)) for v, t in zip(node.outputs, node.types))


@rule(*REDUCING)
def reduction_of_nothing(g: Editor, node: Node) -> str | None:
    """reduce(nothing) -> what the reduction starts with: sum 0, product 1, mean NaN"""
    x = g.type_of(node.inputs[0])
    if not (is_empty(x) and x.is_static) or len(node.types) != 1 or not node.type.is_static:
        return None
    types = [g.type_of(v) for v in node.inputs]
    try:
        nothing = [np.zeros([s for s in t.shape if isinstance(s, int)], t.dtype.numpy) for t in types]
        found = REGISTRY[node.op].reference(node.attrs, *nothing)
    except (ValueError, IndexError):
        return None  # the largest of nothing
    return filled(g, np.asarray(found).reshape(-1)[0].item(), node)


@rule("sdpa")
def attention_without_features(g: Editor, node: Node) -> str | None:
    """sdpa(q, k, v) over no features -> over one that is zero: all keys weigh the same, but for the mask"""
    shapes = [g.type_of(v).shape for v in node.inputs[:2]]
    if shapes[0][-1] != 0 or any(d == 0 for d in shapes[1][:-1]):
        return None
    zero = g.constant(np.zeros((), node.type.dtype.numpy), node.type.dtype)
    q, k = (g.add("expand", [zero], shape=(*shape[:-1], 1), origin=node.origin) for shape in shapes)
    return g.add("sdpa", [q, k, *node.inputs[2:]], origin=node.origin, **node.attrs)


@rule("matmul", "linear", "conv", "conv_transpose", "conv_weight_grad", "sdpa")
def product_over_nothing(g: Editor, node: Node) -> str | None:
    """products whose sums have no terms -> 0, or the bias"""
    if not any(is_empty(g.type_of(v)) for v in node.inputs[:2]):
        return None
    zeros = filled(g, 0, node)
    if len(node.inputs) < 3 or node.op == "sdpa":
        return zeros
    bias, axis = node.inputs[2], node.type.rank - 1 if node.op == "linear" else 1
    shape = tuple(s if i == axis else 1 for i, s in enumerate(node.type.shape))
    return g.add("add", [zeros, g.add("reshape", [bias], shape=shape, origin=node.origin)], origin=node.origin)


@rule("concat")
def concat_with_nothing(g: Editor, node: Node) -> str | None:
    """concat(x, nothing, y) -> concat(x, y)"""
    kept = [v for v in node.inputs if not is_empty(g.type_of(v))]
    if len(kept) == len(node.inputs) or not kept:
        return None
    return kept[0] if len(kept) == 1 else g.add("concat", kept, origin=node.origin, **node.attrs)


@rule("pad")
def padding_of_nothing(g: Editor, node: Node) -> str | None:
    """pad(nothing) -> the number that it pads with"""
    return filled(g, node.attrs["value"], node) if is_empty(g.type_of(node.inputs[0])) else None


@rule("scatter")
def nothing_to_scatter(g: Editor, node: Node) -> str | None:
    """scatter(x, nothing, nothing) -> x"""
    return node.inputs[0] if is_empty(g.type_of(node.inputs[1])) else None


RULES = (
    nothing_to_compute, reduction_of_nothing, attention_without_features, product_over_nothing, concat_with_nothing, padding_of_nothing,
    nothing_to_scatter,
)  # fmt: skip


def remove_empty(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    if not any(is_empty(t) for n in graph.nodes for t in n.types):
        return graph
    return apply_rules(graph, RULES)
