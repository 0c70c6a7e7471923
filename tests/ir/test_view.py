"""The networkx view has the graph's nodes, edges and attributes."""

from __future__ import annotations

import networkx

from sol.ir.builder import GraphBuilder
from sol.ir.types import DType, TensorType
from sol.ir.view import to_networkx

X = TensorType(DType.F32, (2, 3))


def test_view() -> None:
    b = GraphBuilder()
    values = [b.input("x", TensorType(DType.F32, s)) for s in ((5, 2, 12), (12, 3), (2, 3), (2, 3))]
    _, h, c = b.add("lstm_scan", values, name="y")
    graph = b.build([b.add("add", [h, c])])
    view = to_networkx(graph)
    assert list(view.nodes) == [n.name for n in graph.nodes]
    assert view.edges["y", "add"] == {"values": ("y#1", "y#2"), "types": (TensorType(DType.F32, (2, 3)),) * 2}
    assert view.nodes["y"]["kind"] == "dnn"
    assert [n for n, is_output in view.nodes(data="is_output") if is_output] == ["add"]
    assert networkx.is_directed_acyclic_graph(view)
    assert networkx.immediate_dominators(view, "x")["add"] == "y"
