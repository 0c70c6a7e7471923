"""What only makes results runs as soon as it can."""

from __future__ import annotations

from sol.passes.place_results import place_results
from tests.passes.support import run

CHAIN = """graph(%x: f32[4,3]) {
  %a: f32[4,3] = exp(%x)
  %b: f32[4,3] = neg(%a)
  %c: f32[4,3] = tanh(%b)
  %w = parameter{target="w"}: f32[4,3]
  %first: f32[3] = sum(%a){dims=(0,), keepdims=False}
  %second: f32[4,3] = mul(%b, %w)
  %view: f32[12] = reshape(%second){shape=(12,)}
  %all: f32[3] = sum(%x){dims=(0,), keepdims=False}
  return %c, %first, %view, %all
}"""


def test_results_follow_their_operands() -> None:
    """Behind the last of them, views too, but what reads inputs alone stays."""
    after = run(place_results, CHAIN)
    assert [n.name for n in after.nodes if n.op not in ("input", "parameter")] == ["a", "first", "b", "c", "second", "view", "all"]


def test_nothing_moves_where_the_last_node_is_the_result() -> None:
    text = "graph(%x: f32[4,3]) {\n  %a: f32[4,3] = exp(%x)\n  %b: f32[4,3] = neg(%a)\n  return %b\n}"
    assert [n.name for n in run(place_results, text).nodes] == ["x", "a", "b"]
