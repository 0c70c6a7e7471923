"""Two nodes with the same op, operands and attributes compute the same value: keep the first."""

from __future__ import annotations

from dataclasses import replace

from sol.ir.builder import graph_of
from sol.ir.graph import Graph, Node

KEPT_APART = ("input", "torch_call")


def eliminate_common_subexpressions(graph: Graph) -> Graph:
    """One node per distinct computation."""
    seen: dict[object, Node] = {}
    renamed: dict[str, str] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        inputs = tuple(renamed.get(i, i) for i in node.inputs)
        if inputs != node.inputs:
            node = replace(node, inputs=inputs)
        key = (node.op, inputs, node.attrs, node.types)
        first = seen.setdefault(key, node) if node.op not in KEPT_APART else node
        if first is node:
            nodes.append(node)
        else:
            renamed.update(zip(node.outputs, first.outputs))
    return graph_of(nodes, graph.inputs, [renamed.get(o, o) for o in graph.outputs])
