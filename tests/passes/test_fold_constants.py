"""What depends on literals alone is computed; what depends on parameters is not."""

from __future__ import annotations

import numpy as np

from sol.ir.text import parse_graph
from sol.passes import fold_constants as module
from sol.passes.fold_constants import fold_constants
from tests.passes.support import ops, run

LITERALS = """graph(%x: f32[2]) {
  %c = constant{dtype=f32, value=array(f32[2], [1.0, 2.0])}: f32[2]
  %d: f32[2] = mul(%c, %c)
  %y: f32[2] = add(%x, %d)
  return %y
}"""


def test_literals_are_folded():
    after = run(fold_constants, LITERALS)
    assert [n.op for n in after.nodes if n.op != "input"] == ["constant", "add"]
    assert np.array_equal(next(n for n in after.nodes if n.op == "constant").attrs["value"].value, [1, 4])


def test_parameters_stay_symbolic():
    after = run(
        fold_constants,
        """graph(%x: f32[2]) {
  %p = parameter{target="p"}: f32[2]
  %d: f32[2] = mul(%p, %p)
  %y: f32[2] = add(%x, %d)
  return %y
}""",
    )
    assert [n.op for n in after.nodes] == ["input", "parameter", "mul", "add"]


def test_large_results_are_left(monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 1)
    assert len(run(fold_constants, LITERALS).constant_values) == 2


def test_symbolic_sizes_are_left():
    after = run(
        fold_constants,
        """graph(%x: f32[n]) where n in [2, 9] {
  %i: i64[n] = iota(){dtype=i64, size=n, start=0, step=1}
  %f: f32[n] = cast(%i){dtype=f32}
  %y: f32[n] = add(%x, %f)
  return %y
}""",
        n=4,
    )
    assert ops(after) == ["iota", "cast", "add"]


def test_an_index_out_of_range_is_left_to_the_kernel():
    text = """graph(%x: f32[1]) {
  %c = constant{dtype=f32, value=array(f32[2], [1.0, 2.0])}: f32[2]
  %i = constant{dtype=i64, value=array(i64[1], [7])}: i64[1]
  %t: f32[1] = take(%c, %i){dim=0}
  %y: f32[1] = add(%x, %t)
  return %y
}"""
    assert "take" in [n.op for n in fold_constants(parse_graph(text)).nodes]
