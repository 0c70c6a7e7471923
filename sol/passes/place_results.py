"""Runs what only makes results of the graph as soon as its operands are there, so that their memory is free again for what follows.

The backward pass of a network is a chain of gradients of activations, on which the gradients of parameters hang. If these came last, all
gradients of activations would be held at the same time.
"""

from __future__ import annotations

from sol.ir.data_sizes import definers
from sol.ir.graph import SOURCES, Graph, Node
from sol.ir.rewrite import graph_of
from sol.passes.views import is_view

Place = tuple[int, ...]
"""Where a node comes: behind the node of that number, and what came there before."""


def place_results(graph: Graph) -> Graph:
    """The same nodes in another order. What reads nothing but inputs stays where it is."""
    sizes = definers(graph.nodes)
    sources = {n.name for n in graph.nodes if n.op in SOURCES}
    places: dict[str, Place] = {}
    for i, node in enumerate(graph.nodes):
        needed = [v.partition("#")[0] for v in (*sizes.get(node.name, ()), *node.inputs)]
        moves = not sources.issuperset(needed) and _is_result(graph, node)
        places[node.name] = (*max(places[n] for n in needed), i) if moves else (i,)
    return graph_of(sorted(graph.nodes, key=lambda n: places[n.name]), graph.inputs, graph.outputs)


def _is_result(graph: Graph, node: Node) -> bool:
    """Whether nothing but views, which are results as well, reads what a node makes."""
    pending: list[Node] = [node]
    while pending:
        users = [u for v in pending.pop().outputs for u in graph.users(v)]
        if not all(is_view(graph, u) for u in users):
            return False
        pending += users
    return True
