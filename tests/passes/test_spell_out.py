"""Norms, softmax and attention as products, reductions and pointwise steps: the same values, and none of the ops left."""

from __future__ import annotations

import pytest

from sol.passes.spell_out import spell_out
from tests.passes.support import ops, run

STEPS = {
    "add", "constant", "div", "eq", "exp", "input", "log", "matmul", "max", "mean", "mul", "parameter", "permute", "reshape", "sqrt",
    "square", "sub", "sum", "where",
}  # fmt: skip
SDPA = (
    "graph(%q: f32[2,3,4], %k: f32[2,5,4], %v: f32[2,5,6]{}) {{\n  %y: f32[2,3,6] = sdpa(%q, %k, %v{}){{causal={}, scale=0.5}}\n"
    "  return %y\n}}"
)
CASES = {
    "softmax": "graph(%x: f32[2,3,4]) {\n  %y: f32[2,3,4] = softmax(%x){dim=1}\n  return %y\n}",
    "log_softmax": "graph(%x: f32[2,3,4]) {\n  %y: f32[2,3,4] = log_softmax(%x){dim=2}\n  return %y\n}",
    "layer_norm": "graph(%x: f32[2,3,4], %w: f32[3,4], %b: f32[3,4]) {\n  %y: f32[2,3,4] = layer_norm(%x, %w, %b){dims=2, eps=0.125}\n"
    "  return %y\n}",
    "rms_norm": "graph(%x: f32[2,3,4], %w: f32[4]) {\n  %y: f32[2,3,4] = rms_norm(%x, %w){dims=1, eps=0.125}\n  return %y\n}",
    "group_norm": "graph(%x: f32[2,6,4], %w: f32[6], %b: f32[6]) {\n  %y: f32[2,6,4] = group_norm(%x, %w, %b){eps=0.125, groups=3}\n"
    "  return %y\n}",
    "var": "graph(%x: f32[2,3,4]) {\n  %y: f32[2,4] = var(%x){correction=1, dims=(1,), keepdims=False}\n  return %y\n}",
    "sdpa": SDPA.format("", "", "False"),
    "causal": SDPA.format("", "", "True"),
    "mask": SDPA.format(", %m: f32[3,5]", ", %m", "False"),
    "bool mask": SDPA.format(", %m: bool[2,1,5]", ", %m", "False"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_values(case: str) -> None:
    after = run(spell_out, CASES[case])
    assert set(ops(after)) <= STEPS


def test_batch_norm() -> None:
    text = (
        "graph(%x: f32[2,3,4], %w: f32[3], %b: f32[3], %m: f32[3], %r: f32[3]) {\n  %v: f32[3] = abs(%r)\n"
        "  %y: f32[2,3,4] = batch_norm(%x, %w, %b, %m, %v){eps=0.125}\n  return %y\n}"
    )
    assert set(ops(run(spell_out, text))) <= STEPS | {"abs"}
