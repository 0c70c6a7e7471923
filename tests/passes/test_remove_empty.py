"""Values without elements need no kernel; what is computed from nothing is known."""

from __future__ import annotations

import numpy as np
import pytest

from sol.passes.remove_empty import remove_empty
from tests.passes.support import CONV1, ops, run

EMPTY = {
    "pointwise": ("f32[0,3]", "%y: f32[0,3] = neg(%x)"),
    "softmax": ("f32[0,3]", "%y: f32[0,3] = softmax(%x){dim=1}"),
    "matmul": ("f32[0,3]", '%w = parameter{target="w"}: f32[3,4]\n  %y: f32[0,4] = matmul(%x, %w)'),
    "conv": ("f32[0,3,5,5]", f'%w = parameter{{target="w"}}: f32[8,3,1,1]\n  %y: f32[0,8,5,5] = conv(%x, %w){CONV1}'),
    "slice": ("f32[4,3]", "%y: f32[0,3] = slice(%x){dim=0, start=2, step=1, stop=2}"),
}
KNOWN = {
    "sum": ("f32[4,0]", "%y: f32[4] = sum(%x){dims=(1,), keepdims=False}", 0.0),
    "prod": ("f32[4,0]", "%y: f32[4] = prod(%x){dims=(1,), keepdims=False}", 1.0),
    "mean": ("f32[4,0]", "%y: f32[4] = mean(%x){dims=(1,), keepdims=False}", np.nan),
    "matmul": ("f32[4,0]", '%w = parameter{target="w"}: f32[0,3]\n  %y: f32[4,3] = matmul(%x, %w)', 0.0),
    "pad": ("f32[4,0]", "%y: f32[4,3] = pad(%x){pads=((0, 0), (1, 2)), value=2.5}", 2.5),
}


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_is_computed(name):
    type, body = EMPTY[name]
    assert set(ops(run(remove_empty, f"graph(%x: {type}) {{\n  {body}\n  return %y\n}}"))) <= {"expand"}


@pytest.mark.parametrize("name", KNOWN)
def test_what_follows_from_nothing_is_a_number(name):
    type, body, number = KNOWN[name]
    after = run(remove_empty, f"graph(%x: {type}) {{\n  {body}\n  return %y\n}}")
    assert set(ops(after)) <= {"expand"}
    (scalar,) = (n for n in after.nodes if n.op == "constant")
    np.testing.assert_equal(scalar.attrs["value"].value.item(), number)


def test_biases_stay():
    text = """graph(%x: f32[4,0]) {
  %w = parameter{target="w"}: f32[3,0]
  %b = parameter{target="b"}: f32[3]
  %y: f32[4,3] = linear(%x, %w, %b)
  return %y
}"""
    assert "linear" not in ops(run(remove_empty, text))


def test_attention_over_no_features_is_a_mean_of_values():
    text = """graph(%q: f32[1,2,4,0], %k: f32[1,2,3,0], %v: f32[1,2,3,5]) {
  %y: f32[1,2,4,5] = sdpa(%q, %k, %v){causal=False, scale=1.0}
  return %y
}"""
    assert "sdpa" in ops(run(remove_empty, text))  # which also compares values with what they were


def test_nothing_among_others():
    text = """graph(%x: f32[2,3], %e: f32[0,3]) {
  %y: f32[2,3] = concat(%e, %x){dim=0}
  %z: f32[2,3] = neg(%y)
  return %z
}"""
    assert ops(run(remove_empty, text)) == ["neg"]


def test_open_sizes_stay():
    text = "graph(%x: f32[n,3]) where n in [1, 9] {\n  %y: f32[n,3] = neg(%x)\n  return %y\n}"
    assert ops(run(remove_empty, text, n=3)) == ["neg"]
