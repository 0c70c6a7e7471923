"""What the importer knows while it imports: contents, sizes, functions, scopes, and what it asks a call for."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from sol.errors import ModelError
from sol.frontend.onnx import import_model, load_model
from sol.frontend.onnx.context import NeedsValue
from sol.frontend.onnx.registry import converter, converters, find_converter
from sol.ir.dim import Dim
from sol.ir.types import DType, TensorType
from tests.frontend.onnx.models import MODELS, model, node, weights


def graph_of(proto, **signatures):
    return import_model(load_model(proto), signatures).graph


def test_sizes_stay_open_through_shape_arithmetic() -> None:
    graph = graph_of(MODELS["shapes"]())
    batch = Dim.symbol("s_batch")
    assert graph.type_of(graph.outputs[0]).shape == (batch, 3, 3)
    assert not any(n.op in ("take", "concat", "iota") for n in graph.nodes)


def test_half_of_a_size() -> None:
    nodes = [
        node("Shape", ["x"], ["s"], start=0, end=1), node("Div", ["s", "two"], ["h"]), node("Concat", ["h", "rest"], ["t"], axis=0),
        node("Reshape", ["x", "t"], ["y"]),
    ]  # fmt: skip
    proto = model(nodes, {"x": ["n", 4]}, ["y"], {"two": np.array([2]), "rest": np.array([8])})
    (half, eight) = (g := graph_of(proto)).type_of(g.outputs[0]).shape
    assert eight == 8 and str(half) == "((s_n)/(2))"


def test_contents_are_folded() -> None:
    nodes = [node("Shape", ["x"], ["s"]), node("ReduceProd", ["s"], ["p"], keepdims=1), node("Reshape", ["x", "p"], ["y"])]
    graph = graph_of(model(nodes, {"x": [3, 4]}, ["y"]))
    assert graph.type_of(graph.outputs[0]).shape == (12,)


def test_what_depends_on_an_input_is_asked_for() -> None:
    proto = model([node("Reshape", ["x", "s"], ["y"])], {"x": [2, 6]}, ["y"])
    proto.graph.input.append(helper.make_tensor_value_info("s", TensorProto.INT64, [1]))
    loaded = load_model(proto)
    with pytest.raises(NeedsValue) as caught:
        import_model(loaded)
    assert caught.value.inputs == ("s",) and "shape of Reshape" in caught.value.what
    graph = import_model(loaded, {}, {"s": np.array([12])}).graph
    assert graph.type_of(graph.outputs[0]).shape == (12,) and len(graph.inputs) == 1


def test_a_call_may_fix_a_size() -> None:
    graph = graph_of(MODELS["shapes"](), x=TensorType(DType.F32, (5, 12)))
    assert graph.type_of(graph.outputs[0]).shape == (5, 3, 3)


def test_initializers_are_literals_or_parameters() -> None:
    nodes = [node("Mul", ["x", "small"], ["a"]), node("MatMul", ["a", "large"], ["y"])]
    proto = model(nodes, {"x": [2, 40]}, ["y"], {"small": weights(40), "large": weights(40, 40)})
    imported = import_model(load_model(proto))
    assert set(imported.parameters) == {"large"}
    assert set(import_model(load_model(proto), trainable=True).parameters) == {"small", "large"}


def test_a_name_of_the_graph_around_is_seen_in_a_branch() -> None:
    graph = graph_of(MODELS["branches"]())
    assert graph.type_of(graph.outputs[0]).shape == (4,)


def test_attributes_of_a_function() -> None:
    body = helper.make_node("LeakyRelu", ["a"], ["b"])
    body.attribute.add(name="alpha", ref_attr_name="slope", type=1)
    function = helper.make_function("d", "leak", ["a"], ["b"], [body], [helper.make_opsetid("", 18)], ["slope"])
    proto = model([helper.make_node("leak", ["x"], ["y"], domain="d", slope=0.25)], {"x": [3]}, ["y"], functions=[function])
    (found,) = [n for n in graph_of(proto).nodes if n.op == "leaky_relu"]
    assert found.attrs["slope"] == 0.25


def test_operators_that_are_functions_need_no_converter() -> None:
    known = dict(converters()[("", "Softsign")])
    try:
        converters()[("", "Softsign")].clear()  # type: ignore[attr-defined]
        ops = {n.op for n in graph_of(model([node("Softsign", ["x"], ["y"])], {"x": [3]}, ["y"])).nodes}
    finally:
        converters()[("", "Softsign")].update(known)  # type: ignore[attr-defined]
    assert {"abs", "add", "div"} <= ops


def test_the_newest_converter_up_to_the_opset_serves() -> None:
    @converter("Probe", since=5, domain="test")
    def old() -> None: ...

    @converter("Probe", since=9, domain="test")
    def new() -> None: ...

    found = [find_converter("test", "Probe", opset) for opset in (4, 5, 8, 9, 30)]
    assert found == [None, old, old, new, new]


def test_wrong_operands_name_the_node() -> None:
    proto = model([node("Transpose", ["x"], ["y"], perm=[1, 0])], {"x": [2, 3]}, ["y"])
    proto.graph.node[0].attribute[0].ints[:] = [0, 7]
    with pytest.raises((ModelError, TypeError)) as caught:
        graph_of(proto)
    assert "Transpose_y" in str(caught.value)
