"""Sizes that data decides: where they are defined, what they cannot exceed, and that their definition comes first."""

from __future__ import annotations

import numpy as np

from sol.codegen.targets import by_name
from sol.ir.builder import GraphBuilder
from sol.ir.data_sizes import definers, definitions, symbols_used, upper
from sol.ir.dim import Dim, dim_max
from sol.ir.interpret import evaluate_outputs
from sol.ir.rewrite import Editor
from sol.ir.text import graph_text, parse_graph
from sol.ir.types import DType, TensorType
from sol.ir.verify import verify
from sol.passes.pipeline import run_passes

X = TensorType(DType.F32, (3, 4))


def nested():
    """nonzero of x, and nonzero of the rows that it found."""
    b = GraphBuilder()
    x = b.input("x", X)
    rows, _ = b.add("nonzero", [x], symbol=b.data_size(12))
    again, _ = b.add("nonzero", [rows], symbol=b.data_size(24))
    return b.build([rows, again])


def test_bounds_mention_only_what_the_call_knows():
    found = definitions(nested())
    assert {n: d.bound for n, d in found.items()} == {"u_0": 12, "u_1": 24}
    assert found["u_0"].count == "nonzero#1" and found["u_1"].node == "nonzero_1"


def test_the_largest_value_of_a_size():
    s, u, v = Dim.symbol("s0"), Dim.symbol("u_0", 0, 99), Dim.symbol("u_1", 0, 99)
    limits = {"u_0": s * 3, "u_1": 5}
    assert upper(2 * u + 1, limits) == 6 * s + 1
    assert upper(s - u, limits) == s
    assert upper((u + 1) // 2, limits) == (3 * s + 1) // 2
    assert upper(dim_max(u, v), limits) == dim_max(3 * s, 5)
    assert upper(s, limits) == s


def test_regions_define_what_their_anchor_does():
    for _, graph in run_passes(nested(), by_name("avx512")):
        verify(graph)
        assert list(definitions(graph)) == ["u_0", "u_1"]
    region = graph.producer(definitions(graph)["u_1"].node)
    assert region.op == "region" and symbols_used(region) == {"u_0"}


def test_an_editor_puts_the_definition_first_and_keeps_it():
    b = GraphBuilder()
    x = b.input("x", X)
    size = b.data_size(12)
    b.add("nonzero", [x], symbol=size)
    graph = b.build([b.add("iota", [], size=size)])
    turned = type(graph)(tuple(sorted(graph.nodes, key=lambda n: n.op != "iota")), graph.inputs, graph.outputs)
    assert definers(turned.nodes) == {"iota": ("nonzero",)}
    assert [n.op for n in Editor(turned).finish().nodes] == ["input", "nonzero", "iota"]
    assert evaluate_outputs(graph, [np.eye(3, 4)])[0].tolist() == [0, 1, 2]


def test_text_comes_back():
    assert parse_graph(graph_text(nested())) == nested()


def test_a_constant_of_such_a_size_is_computed_when_it_is_known():
    b = GraphBuilder()
    size = b.data_size(12)
    b.add("nonzero", [b.input("x", X)], symbol=size)
    filled = b.add("expand", [b.constant(2.0, DType.F32)], shape=(size,))
    assert filled not in b.build([filled]).constant_values


def test_names_of_bodies_are_their_own():
    b = GraphBuilder()
    names = [str(b.data_size(3)), str(b.nested().data_size(3)), str(b.nested().data_size(3)), str(b.data_size(3))]
    assert len(set(names)) == 4
