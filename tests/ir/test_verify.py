"""Every invariant catches a graph that breaks it, and names itself, the node and its origin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sol.errors import VerifyError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.graph import Attrs, Graph, Node, Origin
from sol.ir.types import DType, Layout, TensorType
from sol.ir.verify import INVARIANTS, verify

X = TensorType(DType.F32, (2, 3))


def good() -> Graph:
    b = GraphBuilder()
    x = b.input("x", X)
    y = b.add("relu", [x], origin=Origin("act", "m.py:7"))
    return b.build([b.add("add", [y, b.parameter("p", X)])])


def change(graph: Graph, name: str, **changes: Any) -> Graph:
    return replace(graph, nodes=tuple(replace(n, **changes) if n.name == name else n for n in graph.nodes))


def with_body(body: Graph) -> Graph:
    b = GraphBuilder()
    return b.build([b.add("region", [b.input("x", X)], kind="dfp", body=body)])


def body(op: str = "relu", types: tuple = (X,), **attrs: Any) -> Graph:
    nodes = (Node("a", "input", (), (X,)), Node("b", op, ("a",), types, Attrs(attrs)))
    return Graph(nodes, ("a",), ("b",))


def up_to(high: int) -> TensorType:
    return TensorType(DType.F32, (Dim.symbol("s0", 2, high),))


def used_before_defined() -> Graph:
    b = GraphBuilder()
    size = b.data_size(6)
    ramp = b.add("iota", [], size=size)
    b.add("nonzero", [b.input("x", X)], symbol=size)
    return b.build([ramp])


GOOD = good()
SECOND_P = Node("q", "parameter", (), (X,), Attrs({"target": "p"}))
BLOCKED_VECTOR = TensorType(DType.F32, (4,), Layout(8))
BAD = {
    "names_are_unique": replace(GOOD, nodes=(*GOOD.nodes, GOOD.nodes[1])),
    "ops_are_known": change(GOOD, "relu", attrs=Attrs({"slope": 1})),
    "attributes_are_immutable": change(GOOD, "relu", op="reshape", attrs=Attrs({"shape": [2, 3]})),
    "operands_are_defined_before_use": replace(GOOD, nodes=GOOD.nodes[::-1]),
    "inputs_match_input_nodes": replace(GOOD, inputs=()),
    "outputs_exist": replace(GOOD, outputs=("gone",)),
    "sources_read_nothing": change(GOOD, "p_p", inputs=("x",)),
    "parameters_are_unique": replace(GOOD, nodes=(*GOOD.nodes, SECOND_P)),
    "types_are_inferred": change(GOOD, "relu", types=(X.with_dtype(DType.F64),)),
    "blocked_values_have_channels": Graph((Node("x", "input", (), (BLOCKED_VECTOR,)),), ("x",), ()),
    "symbols_have_one_range": Graph(
        tuple(Node(n, "input", (), (up_to(high),)) for n, high in (("x", 5), ("y", 6))),
        ("x", "y"), (),
    ),
    "data_sizes_are_defined_before_use": used_before_defined(),
    "bodies_are_valid": with_body(body("relu", slope=3)),
}  # fmt: skip


def test_good_graph() -> None:
    assert verify(GOOD) is GOOD
    verify(with_body(body()))


def test_every_invariant_has_a_bad_graph() -> None:
    assert set(BAD) == {i.__name__ for i in INVARIANTS}


@pytest.mark.parametrize("name", BAD)
def test_bad_graph(name: str) -> None:
    with pytest.raises(VerifyError, match=f"invariant {name} does not hold"):
        verify(BAD[name])


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ((X.with_shape((3, 2)),), "f32\\[3,2\\]"),
        ((X.with_layout(Layout(8)),), "c8"),
        ((X, X), "inferred is f32\\[2,3\\]$"),
    ],
)
def test_types_in_structure_and_layout(types: tuple, message: str) -> None:
    with pytest.raises(VerifyError, match="types_are_inferred") as caught:
        verify(change(GOOD, "relu", types=types), after="fold_batchnorm")
    assert "after fold_batchnorm: %relu = relu" in caught.value.message
    assert caught.value.origin == "act (m.py:7)"


def test_second_result_that_does_not_exist() -> None:
    with pytest.raises(VerifyError, match="%relu#1 is not defined"):
        verify(change(GOOD, "add", inputs=("relu#1", "p_p")))


def test_body_must_not_call_torch() -> None:
    inner = GraphBuilder()
    call = inner.add("torch_call", [inner.input("a", X)], key="k", types=(X,))
    with pytest.raises(VerifyError, match="torch call"):
        verify(with_body(inner.build([call])))
