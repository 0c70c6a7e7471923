"""A graph as a networkx graph, for algorithms (dominators, min-cut, colouring) and for drawing; never the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sol.ir.graph import Graph
from sol.ir.ops import spec_of

if TYPE_CHECKING:
    import networkx


def to_networkx(graph: Graph) -> networkx.DiGraph:
    """One vertex per node (op, kind, types, attrs, origin, output), one edge per producer and reader (values, types).

    Vertices come in topological order. An edge's ``values`` lists every value read over it.
    """
    import networkx

    view = networkx.DiGraph(inputs=graph.inputs, outputs=graph.outputs)
    output_nodes = {o.partition("#")[0] for o in graph.outputs}
    for node in graph.nodes:
        view.add_node(
            node.name, op=node.op, kind=spec_of(node.op).kind, types=node.types, attrs=node.attrs,
            origin=node.origin, is_output=node.name in output_nodes,
        )  # fmt: skip
        for value in dict.fromkeys(node.inputs):
            producer = value.partition("#")[0]
            known = view.edges.get((producer, node.name), {"values": (), "types": ()})
            view.add_edge(
                producer, node.name, values=(*known["values"], value), types=(*known["types"], graph.type_of(value))
            )
    return view
