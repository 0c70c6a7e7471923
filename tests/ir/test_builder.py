"""GraphBuilder names, types and completes nodes; Graph answers queries; attributes are immutable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sol.errors import SolError, TypeInferenceError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.graph import Array, Attrs, Origin
from sol.ir.types import DType, TensorType

F32 = DType.F32
X = TensorType(F32, (2, 3))


def test_nodes_are_named_typed_and_completed() -> None:
    b = GraphBuilder()
    x = b.input("x", X)
    y = b.add("gelu", [x])
    z = b.add("gelu", [y], approximate="tanh", name="my.act")
    graph = b.build([z])
    assert graph.producer(y).attrs["approximate"] == "none"
    assert (x, y, z) == ("x", "gelu", "my_act")
    assert graph.type_of(z) == X
    assert graph.users(y) == (graph.producer(z),)


def test_names_do_not_repeat() -> None:
    b = GraphBuilder()
    x = b.input("x", X)
    names = [x, b.input("relu_1", X)] + [b.add("relu", [x]) for _ in range(1500)]
    assert len(set(names)) == len(names)


def test_several_results() -> None:
    b = GraphBuilder()
    values = [b.input("x", TensorType(F32, s)) for s in ((5, 2, 12), (12, 3), (2, 3), (2, 3))]
    outputs = b.add("lstm_scan", values)
    assert outputs == ("lstm_scan", "lstm_scan#1", "lstm_scan#2")
    assert b.type_of("lstm_scan#2").shape == (2, 3)
    assert b.build([outputs[1]]).producer(outputs[1]).name == "lstm_scan"


def test_parameters_and_constants_are_unique() -> None:
    b = GraphBuilder()
    assert b.parameter("fc.weight", X) == b.parameter("fc.weight", X)
    assert b.constant(1.0, F32) == b.constant(np.float32(1.0))
    assert b.constant(1.0, F32) != b.constant(1.0, DType.F64)
    assert b.constant(1.0, F32) != b.constant(1.0, DType.BF16)
    assert b.type_of(b.constant(1.0, DType.BF16)).dtype is DType.BF16


def test_type_error_names_op_types_and_origin() -> None:
    b = GraphBuilder()
    x, y = b.input("x", X), b.input("y", TensorType(F32, (5,)))
    with pytest.raises(TypeInferenceError, match=r"add\(f32\[2,3\], f32\[5\]\).*\n  at: block.fc \(m.py:3\)"):
        b.add("add", [x, y], origin=Origin("block.fc", "m.py:3"))
    with pytest.raises(SolError, match="unknown op nonsense"):
        b.add("nonsense", [x])


def test_constant_values() -> None:
    b = GraphBuilder()
    s = Dim.symbol("s0")
    x, p = b.input("x", X), b.parameter("p", X)
    folded = b.add("relu", [p])
    ramp, run_time_ramp = b.add("iota", [], size=3), b.add("iota", [], size=s)
    mixed = b.add("add", [x, folded])
    random = b.add("torch_call", [], key="rand", types=(X,))
    graph = b.build([mixed, ramp, run_time_ramp, random])
    assert graph.constant_values == {p, folded, ramp}


def test_arrays_are_owned_frozen_and_equal_by_content() -> None:
    source = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    array = Array(source)
    source[0, 0] = 9
    assert array.value[0, 0] == 0
    assert array.value.flags.c_contiguous
    assert not array.value.flags.writeable
    assert array == Array(np.arange(6.0).reshape(2, 3))
    assert array != Array(np.arange(6.0))
    assert array != Array(np.arange(6))


def test_attributes_are_hashable_and_ordered() -> None:
    a, b = Attrs({"y": 1, "x": (2, 3)}), Attrs({"x": (2, 3), "y": 1})
    assert (a, hash(a)) == (b, hash(b))
    assert a.having(y=2)["y"] == 2
    assert a["y"] == 1


def test_graphs_with_equal_content_are_equal() -> None:
    def make() -> Any:
        b = GraphBuilder()
        return b.build([b.add("relu", [b.input("x", X)])])

    assert make() == make()
    assert hash(make()) == hash(make())
