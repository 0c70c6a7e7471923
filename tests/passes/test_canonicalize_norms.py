"""Layer normalisation by its parts, as models before opset 17 have it."""

from __future__ import annotations

import pytest

from sol.passes.canonicalize_norms import canonicalize_norms
from tests.passes.support import ops, run

HEAD = """graph(%x: f32[2,3,8]) {
  %w = parameter{target="w"}: f32[8]
  %b = parameter{target="b"}: f32[8]
  %eps = constant{dtype=f32, value=array(f32[], [1.0])}: f32[]
"""
CENTRE = """  %m: f32[2,3,1] = mean(%x){dims=(2,), keepdims=True}
  %d: f32[2,3,8] = sub(%x, %m)
  %q: f32[2,3,8] = square(%d)
  %v: f32[2,3,1] = mean(%q){dims=(2,), keepdims=True}
  %s: f32[2,3,1] = add(%v, %eps)
"""
DIVIDED = "  %r: f32[2,3,1] = sqrt(%s)\n  %n: f32[2,3,8] = div(%d, %r)\n"
TIMES = "  %r: f32[2,3,1] = rsqrt(%s)\n  %n: f32[2,3,8] = mul(%r, %d)\n"
AFFINE = "  %g: f32[2,3,8] = mul(%n, %w)\n  %y: f32[2,3,8] = add(%g, %b)\n  return %y\n}"
END = "  return %n\n}"


@pytest.mark.parametrize("root", [DIVIDED, TIMES], ids=["div", "rsqrt"])
@pytest.mark.parametrize("end", [END, AFFINE], ids=["plain", "affine"])
def test_moments(root: str, end: str) -> None:
    after = run(canonicalize_norms, HEAD + CENTRE + root + end)
    assert ops(after) == ["layer_norm"]
    assert len(next(n for n in after.nodes if n.op == "layer_norm").inputs) == (3 if end is AFFINE else 1)


def test_not_over_trailing_dimensions() -> None:
    text = (HEAD + CENTRE + DIVIDED + END).replace("dims=(2,)", "dims=(1,)").replace("[2,3,1]", "[2,1,8]")
    assert "layer_norm" not in ops(run(canonicalize_norms, text))
