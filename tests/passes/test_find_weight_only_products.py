"""Layers of few rows keep weights of bytes whose scales and zero points do not vary within a group; others stay products of floats."""

from __future__ import annotations

import pytest

from sol.passes.find_weight_only_products import find_weight_only_products
from tests.passes.support import TARGET, ops, run

SIZES = TARGET.machine.graph


def network(weight: str, product: str = "linear(%x, %w)", rows: int = 2, declared: str = "") -> str:
    return f"""graph(%x: f32[{rows},256]{declared}) {{
  %q = parameter{{target="q"}}: i8[64,256]
  %s = parameter{{target="s"}}: f32[64,1]
  %z = parameter{{target="z"}}: i8[64,1]
  %t = parameter{{target="t"}}: f32[64,8,1]
  %b = parameter{{target="b"}}: f32[64]
  {weight}
  %y: f32[{rows},64] = {product}
  return %y
}}"""


SCALED = "%c: f32[64,256] = cast(%q){dtype=f32}\n  %w: f32[64,256] = mul(%c, %s)"
FROM_ZERO = """%c: f32[64,256] = cast(%q){dtype=f32}
  %o: f32[64,1] = cast(%z){dtype=f32}
  %d: f32[64,256] = sub(%c, %o)
  %w: f32[64,256] = mul(%d, %s)"""
GROUPED = """%r: i8[64,8,32] = reshape(%q){shape=(64, 8, 32)}
  %c: f32[64,8,32] = cast(%r){dtype=f32}
  %g: f32[64,8,32] = mul(%c, %t)
  %w: f32[64,256] = reshape(%g){shape=(64, 256)}"""
PLAIN = "%p: i8[256,64] = permute(%q){order=(1, 0)}\n  %w: f32[256,64] = cast(%p){dtype=f32}"
TURNED = f"{SCALED.replace('%w', '%v')}\n  %w: f32[256,64] = permute(%v){{order=(1, 0)}}"
TAKEN = {
    "scaled": (SCALED, "linear(%x, %w)"), "bias": (SCALED, "linear(%x, %w, %b)"), "zero points": (FROM_ZERO, "linear(%x, %w)"),
    "groups": (GROUPED, "linear(%x, %w)"), "bytes alone": (PLAIN, "matmul(%x, %w)"), "turned": (TURNED, "matmul(%x, %w)"),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_bytes_are_kept(name: str) -> None:
    after = run(lambda graph: find_weight_only_products(graph, SIZES), network(*TAKEN[name]))
    assert "weight_only_linear" in ops(after) and not {"linear", "matmul"} & set(ops(after))


OTHERS = {
    "many rows": network(SCALED, rows=SIZES.byte_weight_rows + 1),
    "scales of columns": network(SCALED.replace("%s", "%k").replace("%c:", '%k = parameter{target="k"}: f32[256]\n  %c:', 1)),
    "small": network(SCALED).replace("64", "4"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_floats_stay(name: str) -> None:
    assert "weight_only_linear" not in ops(run(lambda graph: find_weight_only_products(graph, SIZES), OTHERS[name]))
