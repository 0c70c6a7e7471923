"""Equal computations are done once."""

from __future__ import annotations

from sol.passes.eliminate_common_subexpressions import eliminate_common_subexpressions
from tests.passes.support import ops, run


def test_equal_nodes_merge_through_their_users():
    text = """graph(%x: f32[4]) {
  %a: f32[4] = relu(%x)
  %b: f32[4] = relu(%x)
  %c: f32[4] = neg(%a)
  %d: f32[4] = neg(%b)
  %y: f32[4] = add(%c, %d)
  return %y, %d
}"""
    after = run(eliminate_common_subexpressions, text)
    assert ops(after) == ["relu", "neg", "add"] and after.outputs == ("y", "c")


def test_attributes_and_operand_order_tell_apart():
    text = """graph(%x: f32[4,4], %z: f32[4,4]) {
  %a: f32[4,4] = softmax(%x){dim=0}
  %b: f32[4,4] = softmax(%x){dim=1}
  %c: f32[4,4] = sub(%a, %z)
  %d: f32[4,4] = sub(%z, %a)
  return %a, %b, %c, %d
}"""
    assert len(ops(run(eliminate_common_subexpressions, text))) == 4


def test_nodes_with_several_results():
    scan = "lstm_scan(%x, %w, %h, %h){keeps=False, reverse=False}"
    types = "f32[3,2,4], %{0}#1: f32[2,4], %{0}#2: f32[2,4]"
    text = f"""graph(%x: f32[3,2,16], %h: f32[2,4]) {{
  %w = parameter{{target="w"}}: f32[16,4]
  %a: {types.format("a")} = {scan}
  %b: {types.format("b")} = {scan}
  %y: f32[2,4] = add(%a#1, %b#2)
  return %y, %b
}}"""
    after = run(eliminate_common_subexpressions, text)
    assert ops(after) == ["lstm_scan", "add"] and after.outputs == ("y", "a")
