"""Where values lie: slices of concat buffers, borders, views, storage orders."""

from __future__ import annotations

import pytest

from sol.codegen.placement import GraphPlacement
from sol.errors import SolError
from sol.ir.text import parse_graph
from tests.codegen.networks import conv, fused_graph, weight
from tests.passes.support import body_ops

BRANCHES = f"""graph(%x: f32[n,16,6,6]) where n in [2, 9] {{
  {weight(16, 16, 1, 1)}
  {weight(16, 16, 3, 3, name="v")}
  {weight(8, 32, 3, 3, name="u")}
  %a: f32[n,16,6,6] = {conv("x", "w")}
  %b: f32[n,16,6,6] = {conv("a", "v", pad=1)}
  %c: f32[n,32,6,6] = concat(%a, %b){{dim=1}}
  %y: f32[n,8,4,4] = {conv("c", "u")}
  return %y
}}"""


def named(graph, ops):
    """The region with these ops."""
    return next(n for n in graph.nodes if n.op == "region" and body_ops(n) == ops)


def test_operands_are_slices_that_share_the_border():
    graph = fused_graph(BRANCHES)
    placement = GraphPlacement(graph)
    concat = next(n for n in graph.nodes if n.op == "concat")
    whole, first, second = (placement.view(v) for v in (concat.name, *concat.inputs))
    assert whole.border == first.border == ((1, 1), (1, 1))  # the second branch pads the first operand
    assert {v.buffer for v in (whole, first, second)} == {concat.name}
    assert first.strides == second.strides == whole.strides and second.offset - first.offset == whole.strides[1] == 8 * 8 * 16
    assert str(placement.size(concat.name)) == "8192*n"  # 2 blocks x 8 x 8 x 16 lanes x 4 bytes


def test_heads_are_stored_as_they_are_read():
    graph = fused_graph("""graph(%q: f32[2,4,10,16]) {
  %a: f32[2,4,10,16] = sdpa(%q, %q, %q){causal=False, scale=0.25}
  %p: f32[2,10,4,16] = permute(%a){order=(0, 2, 1, 3)}
  %r: f32[2,10,64] = reshape(%p){shape=(2, 10, 64)}
  %y: f32[2,10,64] = neg(%r)
  return %y
}""")
    placement = GraphPlacement(graph)
    assert placement.view(named(graph, ["sdpa"]).name).strides == (640, 16, 64, 1)
    assert placement.view("r").strides == (640, 64, 1) and placement.root("r") == named(graph, ["sdpa"]).name


def test_a_map_of_one_pixel_changes_layout_for_free():
    graph = fused_graph(f"""graph(%x: f32[2,16,6,6]) {{
  {weight(40, 16, 3, 3)}
  {weight(5, 40, name="v")}
  %a: f32[2,40,4,4] = {conv("x", "w")}
  %m: f32[2,40] = mean(%a){{dims=(2, 3), keepdims=False}}
  %y: f32[2,5] = linear(%m, %v)
  return %y
}}""")
    placement = GraphPlacement(graph)
    linear = named(graph, ["linear"])
    assert placement.view(linear.inputs[0]).strides == (48, 1)


def test_an_operand_out_of_place_is_an_error():
    text = """graph(%x: f32[2,3]) {
  %c: f32[2,6] = concat(%x, %x){dim=1}
  return %c
}"""
    with pytest.raises(SolError, match="operand %x of %c is not in its place"):
        GraphPlacement(parse_graph(text))
