"""Ops that change nothing go; those that only look like it stay."""

from __future__ import annotations

import pytest

from sol.passes.remove_identities import remove_identities
from tests.passes.support import ops, run

GONE = {
    "reshape": "%y: f32[2,3] = reshape(%x){shape=(2, 3)}",
    "permute": "%y: f32[2,3] = permute(%x){order=(0, 1)}",
    "slice": "%y: f32[2,3] = slice(%x){dim=1, start=0, step=1, stop=3}",
    "cast": "%y: f32[2,3] = cast(%x){dtype=f32}",
    "copy": "%y: f32[2,3] = copy(%x)",
    "pad": "%y: f32[2,3] = pad(%x){pads=((0, 0), (0, 0)), value=0}",
    "concat": "%y: f32[2,3] = concat(%x){dim=0}",
    "permutes": "%a: f32[3,2] = permute(%x){order=(1, 0)}\n  %y: f32[2,3] = permute(%a){order=(1, 0)}",
    "reshapes": "%a: f32[6] = reshape(%x){shape=(6,)}\n  %y: f32[2,3] = reshape(%a){shape=(2, 3)}",
    "times_one": "%c = constant{dtype=f32, value=array(f32[], [1.0])}: f32[]\n  %y: f32[2,3] = mul(%c, %x)",
    "minus_zero": "%c = constant{dtype=f32, value=array(f32[], [0.0])}: f32[]\n  %y: f32[2,3] = sub(%x, %c)",
}
KEPT = {
    "square_permute": ("f32[3,3]", "%y: f32[3,3] = permute(%x){order=(1, 0)}"),
    "shifted_pad": ("f32[2,3]", "%y: f32[2,3] = pad(%x){pads=((0, 0), (1, -1)), value=0}"),
    "plus_zero": ("f32[2,3]", "%c = constant{dtype=f32, value=array(f32[], [0.0])}: f32[]\n  %y: f32[2,3] = add(%x, %c)"),  # -0 + 0 is 0
    "zero_minus": ("f32[2,3]", "%c = constant{dtype=f32, value=array(f32[], [0.0])}: f32[]\n  %y: f32[2,3] = sub(%c, %x)"),
    "one_over": ("f32[2,3]", "%c = constant{dtype=f32, value=array(f32[], [1.0])}: f32[]\n  %y: f32[2,3] = div(%c, %x)"),
}


@pytest.mark.parametrize("name", GONE)
def test_gone(name):
    after = run(remove_identities, f"graph(%x: f32[2,3]) {{\n  {GONE[name]}\n  %z: f32[2,3] = neg(%y)\n  return %z, %y\n}}")
    assert ops(after) == ["neg"] and after.outputs[1] == "x"


@pytest.mark.parametrize("name", KEPT)
def test_kept(name):
    type, body = KEPT[name]
    assert len(ops(run(remove_identities, f"graph(%x: {type}) {{\n  {body}\n  return %y\n}}"))) == 1


def test_idempotent():
    text = "graph(%x: f32[4]) {\n  %a: f32[4] = relu(%x)\n  %b: f32[4] = relu(%a)\n  %c: f32[4] = relu(%b)\n  return %c\n}"
    assert ops(run(remove_identities, text)) == ["relu"]


def test_expands_and_symbolic_sizes():
    text = """graph(%x: f32[n,1]) where n in [2, 9] {
  %a: f32[n,3] = expand(%x){shape=(n, 3)}
  %b: f32[2,n,3] = expand(%a){shape=(2, n, 3)}
  %c: f32[2,n,3] = slice(%b){dim=1, start=0, step=1, stop=n}
  return %c
}"""
    assert ops(run(remove_identities, text, n=5)) == ["expand"]
