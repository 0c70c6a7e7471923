"""Text of a graph reads as documented and parses back to an equal graph."""

from __future__ import annotations

import numpy as np
import pytest

from sol.errors import SolError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, dim_max
from sol.ir.graph import Graph, Origin
from sol.ir.text import arrays_of, graph_text, parse_graph
from sol.ir.types import DType, Layout, TensorType
from sol.ir.verify import verify

F32 = DType.F32
S = Dim.symbol("s0", 2, 1024)
BLOCKED = TensorType(F32, (S * 2, 3), Layout(8))


def round_trip(graph: Graph) -> str:
    text = graph_text(graph)
    again = parse_graph(text, arrays_of(graph))
    assert again == graph
    assert graph_text(again) == text
    return text


def test_documented_example() -> None:
    b = GraphBuilder()
    x = b.input("x", TensorType(F32, (S, 16)))
    w = b.parameter("fc.weight", TensorType(F32, (8, 16)))
    y = b.add("linear", [x, w], name="y", origin=Origin("fc", "model.py:12"))
    assert round_trip(b.build([y])) == (
        "graph(%x: f32[s0,16]) where s0 in [2, 1024] {\n"
        '  %p_fc_weight = parameter{target="fc.weight"}: f32[8,16]\n'
        "  %y: f32[s0,8] = linear(%x, %p_fc_weight)  // fc (model.py:12)\n"
        "  return %y\n"
        "}"
    )


def test_attributes() -> None:
    b = GraphBuilder()
    x = b.input("x", TensorType(F32, (1, 16, 8, 8), Layout(16)))
    w = b.parameter("w", TensorType(F32, (16, 16, 3, 3)))
    y = b.add("conv", [x, w], stride=(1, 1), padding=((1, 1), (1, 1)), dilation=(1, 1))
    y = b.add("reorder", [y], layout=Layout(8))
    y = b.add("clamp", [y], low=-float("inf"), high=-1.5e-7)
    y = b.add("cast", [y], dtype=DType.BF16)
    text = round_trip(b.build([y]))
    assert "{dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}" in text
    assert "reorder(%conv){layout=layout(8)}" in text
    assert "clamp(%reorder){high=-1.5e-07, low=-inf}" in text
    assert "cast(%clamp){dtype=bf16}" in text
    assert "%x: f32[1,16,8,8]{c16}" in text


@pytest.mark.parametrize(
    "value",
    [
        np.array([1.5, -0.0, np.inf, -np.inf, 1e-45, 0.1], np.float32),
        np.array([[np.pi, 1e300], [5e-324, -1.0]]),
        np.array([1.0, 65504.0, 6e-8], np.float16),
        np.array([[2**62, -5]], np.int64),
        np.array([255, 0], np.uint8),
        np.array([True, False]),
        np.array(3.25, np.float32),
        np.zeros((0, 4), np.float32),
        np.arange(100, dtype=np.int32),
    ],
    ids=lambda v: f"{v.dtype}{list(v.shape)}",
)
def test_constants(value: np.ndarray) -> None:
    b = GraphBuilder()
    text = round_trip(b.build([b.constant(value)]))
    assert ("#" in text) == (value.size > 16)


def test_bfloat16_constant() -> None:
    b = GraphBuilder()
    assert "dtype=bf16, value=array(f32[2], [1.0, 2.0])}: bf16[2]" in round_trip(
        b.build([b.constant([1.0, 2.0], DType.BF16)])
    )


def test_several_results() -> None:
    b = GraphBuilder()
    values = [b.input("x", TensorType(F32, s)) for s in ((5, 2, 12), (12, 3), (2, 3), (2, 3))]
    y, _, c = b.add("lstm_scan", values, name="y")
    text = round_trip(b.build([c, y]))
    assert "%y: f32[5,2,3], %y#1: f32[2,3], %y#2: f32[2,3] = lstm_scan(%x, %x_1, %x_2, %x_3){keeps=False, reverse=False}" in text
    assert "return %y#2, %y" in text


def test_torch_call() -> None:
    b = GraphBuilder()
    x = b.input("x", TensorType(F32, (S,)))
    y, _ = b.add(
        "torch_call", [x], key='aten."nonzero"\n', types=(BLOCKED, TensorType(DType.I64, ())),
        reason="size depends on data // it does", origin=Origin("a.b"),
    )  # fmt: skip
    round_trip(b.build([y]))


def region_graph() -> Graph:
    inner = GraphBuilder()
    a = inner.input("a", TensorType(F32, (S, 8)))
    body = inner.build([inner.add("relu", [inner.add("neg", [a], origin=Origin("act"))])])
    b = GraphBuilder()
    x = b.input("x", TensorType(F32, (S, 8)))
    y = b.add("region", [x], name="y", kind="dfp", anchor="", body=body, origin=Origin("block", "m.py:3"))
    return b.build([b.add("exp", [y])])


def test_region_prints_its_body_nested() -> None:
    text = round_trip(region_graph())
    assert text == (
        "graph(%x: f32[s0,8]) where s0 in [2, 1024] {\n"
        '  %y: f32[s0,8] = region(%x){anchor="", kind="dfp"} body graph(%a: f32[s0,8]) {\n'
        "    %neg: f32[s0,8] = neg(%a)  // act\n"
        "    %relu: f32[s0,8] = relu(%neg)\n"
        "    return %relu\n"
        "  }  // block (m.py:3)\n"
        "  %exp: f32[s0,8] = exp(%y)\n"
        "  return %exp\n"
        "}"
    )


@pytest.mark.parametrize(
    "size", [S * 2 + 1, (S - 1) // 2 + 1, S * S // 3, dim_max(S - 4, 16), (dim_max(S, 9) + 1) // 2, 1000 - S], ids=str
)
def test_symbolic_sizes(size: Dim) -> None:
    b = GraphBuilder()
    x = b.input("x", TensorType(F32, (S,)))
    b.input("z", TensorType(F32, (size,)))
    round_trip(b.build([b.add("expand", [b.add("reshape", [x], shape=(1, S))], shape=(size, S))]))


def test_input_after_other_nodes() -> None:
    b = GraphBuilder()
    p = b.parameter("p", TensorType(F32, (3,)))
    x = b.input("x", TensorType(F32, (3,)))
    round_trip(b.build([b.add("add", [p, x])]))


def test_graph_without_outputs() -> None:
    b = GraphBuilder()
    b.input("x", TensorType(F32, ()))
    round_trip(b.build([]))


def test_parsed_text_verifies() -> None:
    verify(parse_graph("graph(%x: f32[8,16]) { %s: f32[8,16] = sigmoid(%x) %y: f32[8,16] = mul(%x, %s) return %y }"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph(%x: f32[8]) {\n  %y: f32[8] = relu %x\n return %y }", "line 2"),
        ("graph(%x: q7[8]) { return %x }", "q7 is no dtype"),
        ("graph(%x: f32[s9]) { return %x }", "s9 is not declared"),
        ("graph(%x: f32[8]) {\n\n  @y }", "line 3: cannot read"),
        ("graph(%x: f32[8]) { %y: f32[8] = nonsense(%x) return %y }", "unknown op nonsense"),
        ("graph() { %c = constant{dtype=f32, value=array(f32[99], #00ff)}: f32[99] return %c }", "arrays_of"),
        ("graph(%x: f32[8]) { return %x } trailing", "expected end"),
    ],
)
def test_malformed_text(text: str, message: str) -> None:
    with pytest.raises(SolError, match=message):
        parse_graph(text)


def test_str_is_the_text() -> None:
    graph = region_graph()
    assert str(graph) == graph_text(graph)
