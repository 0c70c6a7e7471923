"""Maps with channels moved to the end and back: what is computed with channels in front, and what stays as it is."""

from __future__ import annotations

import numpy as np
import pytest

from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.text import parse_graph
from sol.ir.verify import verify
from sol.passes.turn_channels_last import turn_channels_last
from tests.passes.support import CONV3, ops

WEIGHTS = """
  %f = parameter{target="f"}: f32[16,16,3,3]
  %l = parameter{target="l"}: f32[32,16]
  %k = parameter{target="k"}: f32[16,32]
  %g = parameter{target="g"}: f32[16]
  %h = parameter{target="h"}: f32[16]"""
TO_END = "permute(%a){order=(0, 2, 3, 1)}"
BACK = "{order=(0, 3, 1, 2)}"
BLOCK = f"""
  %e: f32[2,5,7,16] = {TO_END}
  %n: f32[2,5,7,16] = layer_norm(%e, %g, %h){{dims=1, eps=1e-06}}
  %u: f32[2,5,7,32] = linear(%n, %l)
  %v: f32[2,5,7,32] = gelu(%u)
  %d: f32[2,5,7,16] = linear(%v, %k, %h)
  %s: f32[2,5,7,16] = mul(%d, %g)"""


def graph_of(body: str, result: str = "%y") -> Graph:
    return parse_graph(f"graph(%x: f32[2,16,5,7]) {{{WEIGHTS}\n  %a: f32[2,16,5,7] = conv(%x, %f){CONV3}{body}\n  return {result}\n}}")


def turned(body: str, lanes: int = 16) -> Graph:
    graph = graph_of(body)
    found = turn_channels_last(graph, lanes)
    verify(found)
    rng = np.random.default_rng(1)
    x = rng.standard_normal((2, 16, 5, 7))
    weights = {n.attrs["target"]: rng.standard_normal(n.type.shape) for n in graph.nodes if n.op == "parameter"}
    one, other = (evaluate(g, {"x": x}, weights, precision=np.float64) for g in (graph, found))
    np.testing.assert_allclose(other[found.outputs[0]], one[graph.outputs[0]], rtol=1e-10, atol=1e-10)
    return found


def test_a_block_of_convnext() -> None:
    found = turned(f"{BLOCK}\n  %b: f32[2,16,5,7] = permute(%s){BACK}\n  %y: f32[2,16,5,7] = add(%b, %x)")
    assert not {"permute", "linear", "layer_norm"} & set(ops(found)) and ops(found).count("conv") == 3


@pytest.mark.parametrize("norm", ["rms_norm(%e, %g){dims=1, eps=1e-06}", "layer_norm(%e){dims=1, eps=1e-06}", "mul(%e, %g)"])
def test_a_norm_alone(norm: str) -> None:
    found = turned(f"\n  %e: f32[2,5,7,16] = {TO_END}\n  %n: f32[2,5,7,16] = {norm}\n  %y: f32[2,16,5,7] = permute(%n){BACK}")
    assert "permute" not in ops(found)


def test_a_reduction_over_channels() -> None:
    found = turned(f"""
  %e: f32[2,5,7,16] = {TO_END}
  %v: f32[2,5,7,1] = var(%e){{dims=(3,), keepdims=True, correction=1}}
  %r: f32[2,5,7,1] = rsqrt(%v)
  %n: f32[2,5,7,16] = mul(%e, %r)
  %y: f32[2,16,5,7] = permute(%n){BACK}""")
    assert "permute" not in ops(found)


def test_one_value_with_two_ways_back() -> None:
    found = turned(
        f"{BLOCK}\n  %b: f32[2,16,5,7] = permute(%s){BACK}\n  %c: f32[2,16,5,7] = permute(%e){BACK}\n  %y: f32[2,16,5,7] = add(%b, %c)"
    )
    assert "permute" not in ops(found)


def test_a_group_that_begins_where_another_one_ends() -> None:
    found = turned(f"""{BLOCK}
  %b: f32[2,16,5,7] = permute(%s){BACK}
  %e2: f32[2,5,7,16] = permute(%b){{order=(0, 2, 3, 1)}}
  %n2: f32[2,5,7,16] = layer_norm(%e2, %g, %h){{dims=1, eps=1e-06}}
  %c: f32[2,16,5,7] = permute(%n2){BACK}
  %y: f32[2,16,5,7] = conv(%c, %f){CONV3}""")
    assert "permute" not in ops(found) and "layer_norm" not in ops(found)


@pytest.mark.parametrize(
    "body",
    [
        f"{BLOCK}\n  %y: f32[70,16] = reshape(%s){{shape=(70, 16)}}",  # rows of tokens
        f"{BLOCK}\n  %y: f32[2,16,5,7] = permute(%s){BACK}\n  %t: f32[2,5,1,16] = mean(%n){{dims=(2,), keepdims=True}}",
        f"\n  %e: f32[2,5,7,16] = {TO_END}\n  %y: f32[2,5,7,16] = layer_norm(%e, %g, %h){{dims=1, eps=1e-06}}",  # a result of the graph
    ],
)  # fmt: skip
def test_what_stays(body: str) -> None:
    graph = graph_of(body, "%y, %t" if "%t" in body else "%y")
    assert ops(turn_channels_last(graph, 16)) == ops(graph)


def test_channels_that_do_not_fill_blocks_stay() -> None:
    graph = graph_of(f"{BLOCK}\n  %y: f32[2,16,5,7] = permute(%s){BACK}")
    assert ops(turn_channels_last(graph, 64)) == ops(graph)


def test_weights_that_are_computed_stay() -> None:
    steps = f"""%a: f32[2,16,5,7] = conv(%x, %f){CONV3}
  %e: f32[2,5,7,16] = {TO_END}
  %d: f32[2,5,7,16] = linear(%e, %q)
  %y: f32[2,16,5,7] = permute(%d){BACK}"""
    graph = parse_graph(f"graph(%x: f32[2,16,5,7], %q: f32[16,16]) {{{WEIGHTS}\n  {steps}\n  return %y\n}}")
    assert ops(turn_channels_last(graph, 16)) == ops(graph)
