"""Statistics move into the weights before, or become a scale and a shift."""

from __future__ import annotations

import pytest

from sol.passes.fold_batchnorm import fold_batchnorm
from tests.passes.support import CONV3, ops, run

STATISTICS = "\n".join(f'  %{n} = parameter{{target="{n}"}}: f32[6]' for n in ("g", "h", "m", "v"))
NORM = "batch_norm(%a, %g, %h, %m, %v){eps=1e-05}"


@pytest.mark.parametrize("bias", [False, True])
def test_into_convolution(bias):
    text = f"""graph(%x: f32[2,3,5,5]) {{
{STATISTICS}
  %w = parameter{{target="w"}}: f32[6,3,3,3]
  %b = parameter{{target="b"}}: f32[6]
  %a: f32[2,6,5,5] = conv(%x, %w{", %b" if bias else ""}){CONV3}
  %y: f32[2,6,5,5] = {NORM}
  return %y
}}"""
    assert ops(run(fold_batchnorm, text)) == ["conv"]


def test_into_linear():
    text = f"""graph(%x: f32[2,3]) {{
{STATISTICS}
  %w = parameter{{target="w"}}: f32[6,3]
  %a: f32[2,6] = linear(%x, %w)
  %y: f32[2,6] = {NORM}
  return %y
}}"""
    assert ops(run(fold_batchnorm, text)) == ["linear"]


def test_not_into_a_result_that_others_read():
    text = f"""graph(%x: f32[2,3,5,5]) {{
{STATISTICS}
  %w = parameter{{target="w"}}: f32[6,3,3,3]
  %a: f32[2,6,5,5] = conv(%x, %w){CONV3}
  %y: f32[2,6,5,5] = {NORM}
  return %y, %a
}}"""
    assert ops(run(fold_batchnorm, text)) == ["conv", "mul", "add"]


def test_alone_and_with_a_symbolic_batch():
    text = f"graph(%a: f32[n,6,4]) where n in [2, 9] {{\n{STATISTICS}\n  %y: f32[n,6,4] = {NORM}\n  return %y\n}}"
    assert ops(run(fold_batchnorm, text, n=3)) == ["mul", "add"]


def test_statistics_of_the_input_are_folded_into_no_weight():
    text = """graph(%a: f32[2,6,4], %m: f32[6], %v: f32[6]) {
  %g = parameter{target="g"}: f32[6]
  %s: f32[6] = square(%v)
  %y: f32[2,6,4] = batch_norm(%a, %g, %g, %m, %s){eps=1e-05}
  return %y
}"""
    assert "batch_norm" not in ops(run(fold_batchnorm, text))
