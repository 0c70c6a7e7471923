"""Regions as nodes: a body made of nodes of a graph, and the node that holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sol.ir.builder import graph_of
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.ops import spec_of
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.types import DType

USUAL_NUMBERS = (0.0, 0.5, 1.0, 128.0, 255.0)


def make_body(graph: Graph, nodes: Sequence[Node], outputs: Sequence[str]) -> tuple[Graph, tuple[str, ...]]:
    """The nodes as a graph of their own, and the values outside that become its inputs in order.

    Scalar literals move in, but for nodes that move data, which read memory, and for scales and zero points of quantised values: each layer
    has its own, and layers are to share kernels.
    """
    produced = {v for n in nodes for v in n.outputs}
    taken = {n.name for n in nodes}
    moved = {i for n in nodes if n.op not in POINTWISE and spec_of(n.op).kind == "move" for i in n.inputs}
    types = [t for n in nodes for t in (*n.types, *(graph.type_of(v) for v in n.inputs if v not in produced))]
    quantized = any(t.dtype in (DType.U8, DType.I8) for t in types)
    literals: dict[str, Node] = {}
    sources: dict[str, Node] = {}
    for value in dict.fromkeys(i for n in nodes for i in n.inputs if i not in produced):
        producer = graph.producer(value)
        literal = producer.op == "constant" and producer.type.rank == 0
        if literal and value not in moved and not (quantized and _is_scale(producer)):
            literals[value] = producer
        else:
            name = fresh(value.replace("#", "_"), taken)
            taken.add(name)
            sources[value] = Node(name, "input", (), (graph.type_of(value),))
    inner = [replace(n, inputs=tuple(sources[i].name if i in sources else i for i in n.inputs)) for n in nodes]
    body = graph_of((*sources.values(), *literals.values(), *inner), [s.name for s in sources.values()], outputs)
    return body, tuple(sources)


def _is_scale(literal: Node) -> bool:
    """Whether a scalar is a number that differs from layer to layer."""
    return literal.type.dtype is DType.F32 and float(literal.attrs["value"].value) not in USUAL_NUMBERS


def make_region(name: str, kind: str, anchor: str, body: Graph, inputs: tuple[str, ...], origin: Node) -> Node:
    """A region node; its outputs are the body's outputs in order."""
    types = tuple(body.type_of(v) for v in body.outputs)
    return Node(name, "region", inputs, types, Attrs({"kind": kind, "anchor": anchor, "body": body}), origin.origin)


def single_region(graph: Graph, node: Node, name: str, anchor: str = "") -> Node:
    """A region of one node of a graph."""
    body, operands = make_body(graph, [node], node.outputs)
    return make_region(name, "dfp", anchor, body, operands, node)


def fresh(hint: str, taken: set[str]) -> str:
    """A name that is not taken yet."""
    if hint not in taken:
        return hint
    return next(f"{hint}_{i}" for i in range(1, len(taken) + 2) if f"{hint}_{i}" not in taken)
