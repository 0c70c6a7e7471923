"""Editor keeps order, drops the dead, finds cycles; rules run until none matches."""

from __future__ import annotations

from typing import Any

import pytest

from sol.errors import SolError
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.text import parse_graph
from sol.ir.types import DType, TensorType
from sol.ir.verify import verify

X = TensorType(DType.F32, (4,))


@rule("mul")
def gate_to_silu(editor: Editor, node: Node) -> Any:
    """mul(x, sigmoid(x)) -> silu(x)"""
    x, gate = node.inputs
    sigmoid = editor.producer(gate, "sigmoid")
    if sigmoid is None or sigmoid.inputs != (x,) or editor.sole_user(gate) is not node:
        return None
    return editor.add("silu", [x], origin=node.origin)


@rule("neg")
def double_neg(editor: Editor, node: Node) -> Any:
    """neg(neg(x)) -> x"""
    inner = editor.producer(node.inputs[0], "neg")
    return inner.inputs[0] if inner is not None else None


def test_rule_before_and_after() -> None:
    before = parse_graph("graph(%x: f32[8]) {\n %s: f32[8] = sigmoid(%x)\n %y: f32[8] = mul(%x, %s)\n return %y }")
    after = parse_graph("graph(%x: f32[8]) {\n %silu: f32[8] = silu(%x)\n return %silu }")
    assert apply_rules(before, [gate_to_silu]) == after


def test_rule_respects_other_users() -> None:
    text = "graph(%x: f32[8]) { %s: f32[8] = sigmoid(%x) %y: f32[8] = mul(%x, %s) return %y, %s }"
    graph = parse_graph(text)
    assert apply_rules(graph, [gate_to_silu]) == graph


def test_rules_run_until_none_matches() -> None:
    b = GraphBuilder()
    value = b.input("x", X)
    for _ in range(9):
        value = b.add("neg", [value])
    graph = verify(apply_rules(b.build([value]), [double_neg]))
    assert [n.op for n in graph.nodes] == ["input", "neg"]


def test_dead_users_do_not_block_a_rule() -> None:
    @rule("add")
    def add_to_first(editor: Editor, node: Node) -> Any:
        """add(x, y) -> x"""
        return node.inputs[0]

    b = GraphBuilder()
    x = b.input("x", X)
    s = b.add("sigmoid", [x])
    y = b.add("mul", [x, s])
    z = b.add("add", [y, b.add("exp", [s])])
    graph = apply_rules(b.build([z]), [add_to_first, gate_to_silu])
    assert [n.op for n in graph.nodes] == ["input", "silu"]


def test_endless_rule_is_named() -> None:
    @rule("relu")
    def relu_to_relu(editor: Editor, node: Node) -> Any:
        """relu(x) -> relu(x)"""
        return editor.add("relu", node.inputs)

    b = GraphBuilder()
    with pytest.raises(SolError, match="relu_to_relu"):
        apply_rules(b.build([b.add("relu", [b.input("x", X)])]), [relu_to_relu], limit=50)


def test_type_change_is_an_error() -> None:
    @rule("relu")
    def relu_to_bool(editor: Editor, node: Node) -> Any:
        """relu(x) -> x > x"""
        return editor.add("gt", [node.inputs[0]] * 2)

    b = GraphBuilder()
    with pytest.raises(SolError, match="relu_to_bool changed %relu"):
        apply_rules(b.build([b.add("relu", [b.input("x", X)])]), [relu_to_bool])


def node_of(editor: Editor, value: str) -> Node:
    node = editor.producer(value)
    assert node is not None
    return node


def diamond() -> Graph:
    b = GraphBuilder()
    x, _ = b.input("x", X), b.input("unused", X)
    p = b.parameter("p", X)
    left, right = b.add("relu", [x]), b.add("exp", [x])
    return b.build([b.add("add", [left, right]), b.add("mul", [right, p])])


def test_unchanged_graph_comes_back_as_it_was() -> None:
    graph = diamond()
    assert Editor(graph).finish() == graph


def test_new_nodes_come_just_before_their_first_user() -> None:
    editor = Editor(diamond())
    inner = editor.add("sqrt", ["x"])
    new = editor.add("tanh", [inner])
    editor.replace("exp", new)
    graph = verify(editor.finish())
    assert [n.name for n in graph.nodes] == ["x", "unused", "p_p", "relu", "sqrt", "tanh", "add", "mul"]


def test_replace_by_a_node_that_reads_the_old_value() -> None:
    editor = Editor(diamond())
    editor.replace("relu", editor.add("neg", ["relu"]))
    graph = verify(editor.finish())
    assert graph.producer("neg").inputs == ("relu",)
    assert graph.producer("add").inputs == ("neg", "exp")


def test_cycle_is_named() -> None:
    editor = Editor(diamond())
    editor.update(node_of(editor, "relu"), inputs=("add",))
    with pytest.raises(SolError, match=r"cycle: .*%relu.*%add|cycle: .*%add.*%relu"):
        editor.finish()


def test_deep_graphs_do_not_recurse() -> None:
    b = GraphBuilder()
    value = b.input("x", X)
    for _ in range(5000):
        value = b.add("neg", [value])
    graph = b.build([value])
    assert Editor(graph).finish() == graph


def test_erase() -> None:
    editor = Editor(diamond())
    with pytest.raises(SolError, match="still read"):
        editor.erase(node_of(editor, "relu"))
    constant = editor.constant(1.0, DType.F32)
    editor.erase(node_of(editor, constant))
    assert node_of(editor, editor.constant(1.0, DType.F32)).op == "constant"
    editor.set_outputs(["mul"])
    editor.erase_dead(node_of(editor, "add"))
    assert [n.name for n in editor.nodes()][:5] == ["x", "unused", "p_p", "exp", "mul"]


def test_sole_user() -> None:
    editor = Editor(diamond())
    assert editor.sole_user("relu") is editor.producer("add")
    assert editor.sole_user("exp") is None
    assert editor.sole_user("add") is None, "a graph output has a reader outside"
    squared = editor.add("mul", ["relu", "relu"])
    editor.update(node_of(editor, "add"), inputs=("exp", "exp"))
    assert editor.sole_user("relu") is None
    assert editor.users("relu") == [editor.producer(squared)]
