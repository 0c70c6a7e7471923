"""Shuffles, splits and concatenations of channels become one selection."""

from __future__ import annotations

from sol.passes.merge_channel_moves import merge_channel_moves
from tests.passes.support import ops, run

SHUFFLE = """  %s: f32[n,2,2,5,5] = reshape(%x){shape=(n, 2, 2, 5, 5)}
  %t: f32[n,2,2,5,5] = permute(%s){order=(0, 2, 1, 3, 4)}
  %y: f32[n,4,5,5] = reshape(%t){shape=(n, 4, 5, 5)}
"""


def test_shuffle():
    after = run(merge_channel_moves, f"graph(%x: f32[n,4,5,5]) where n in [2, 9] {{\n{SHUFFLE}  return %y\n}}", n=3)
    assert ops(after) == ["channel_select"]
    assert after.producer(after.outputs[0]).attrs["index"] == (0, 2, 1, 3)


def test_slices_and_concat_around_a_shuffle():
    text = """graph(%a: f32[2,2,5,5], %b: f32[2,3,5,5]) {
  %u: f32[2,2,5,5] = slice(%b){dim=1, start=1, step=1, stop=3}
  %x: f32[2,4,5,5] = concat(%a, %u){dim=1}
SHUFFLE  %z: f32[2,2,5,5] = slice(%y){dim=1, start=2, step=1, stop=4}
  return %z
}""".replace("SHUFFLE", SHUFFLE.replace("n,", "2,"))
    after = run(merge_channel_moves, text)
    assert ops(after) == ["channel_select"]
    select = after.producer(after.outputs[0])
    assert select.inputs == ("a", "b") and select.attrs["index"] == (1, 4)


def test_unused_operands_are_dropped():
    text = """graph(%a: f32[2,2,5,5], %b: f32[2,3,5,5]) {
  %y: f32[2,2,5,5] = channel_select(%a, %b){index=(3, 2)}
  return %y
}"""
    after = run(merge_channel_moves, text)
    assert after.producer(after.outputs[0]).inputs == ("b",)


def test_spatial_exchange_is_no_shuffle():
    text = """graph(%x: f32[2,4,4,4]) {
  %s: f32[2,4,2,2,4] = reshape(%x){shape=(2, 4, 2, 2, 4)}
  %t: f32[2,4,2,2,4] = permute(%s){order=(0, 1, 3, 2, 4)}
  %y: f32[2,4,4,4] = reshape(%t){shape=(2, 4, 4, 4)}
  return %y
}"""
    assert ops(run(merge_channel_moves, text)) == ["reshape", "permute", "reshape"]
