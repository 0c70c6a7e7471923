"""Attention by its parts: scales, masks, and what must stay because softmax would give NaN."""

from __future__ import annotations

import pytest

from sol.passes.canonicalize_attention import canonicalize_attention
from tests.passes.support import ops, run

HEAD = """graph(%q: f32[2,4,3,8], %k: f32[2,4,3,8], %v: f32[2,4,3,5], %mask: f32[2,1,3,3]) {
  %c = constant{dtype=f32, value=array(f32[], [0.5])}: f32[]
  %two = constant{dtype=f32, value=array(f32[], [2.0])}: f32[]
  %zero = constant{dtype=f32, value=array(f32[], [0.0])}: f32[]
  %low = constant{dtype=f32, value=array(f32[], [-inf])}: f32[]
  %tri = constant{dtype=f32, value=array(f32[3,3], [0.0, -inf, -inf, 0.0, 0.0, -inf, 0.0, 0.0, 0.0])}: f32[3,3]
  %see = constant{dtype=bool, value=array(bool[3,3], [True, False, True, True, True, False, False, False, True])}: bool[3,3]
  %none = constant{dtype=f32, value=array(f32[3,3], [0.0, 0.0, 0.0, -inf, -inf, -inf, 0.0, 0.0, 0.0])}: f32[3,3]
  %t: f32[2,4,8,3] = permute(%k){order=(0, 1, 3, 2)}
"""
S, OUT = "f32[2,4,3,3]", "f32[2,4,3,5]"
END = f"  %p: {S} = softmax(%s){{dim=3}}\n  %y: {OUT} = matmul(%p, %v)\n  return %y\n}}"
GUARD = (
    f"  %p: {S} = softmax(%s){{dim=3}}\n  %i: bool[2,4,3,3] = isnan(%p)\n  %g: {S} = where(%i, %zero, %p)\n"
    f"  %y: {OUT} = matmul(%g, %v)\n  return %y\n}}"
)
DOT = f"  %d: {S} = matmul(%q, %t)\n  %e: {S} = mul(%d, %c)\n"
CASES = {
    "scaled": (f"  %d: {S} = matmul(%q, %t)\n  %s: {S} = div(%d, %two)\n" + END, {"scale": 0.5}),
    "operands_scaled": (
        f"  %a: f32[2,4,3,8] = mul(%q, %c)\n  %b: f32[2,4,8,3] = mul(%t, %c)\n  %s: {S} = matmul(%a, %b)\n" + END,
        {"scale": 0.25},
    ),
    "causal": (DOT + f"  %s: {S} = add(%e, %tri)\n" + END, {"causal": True}),
    "selected": (DOT + f"  %s: {S} = where(%see, %e, %low)\n" + END, {"causal": False}),
    "masked_and_guarded": (DOT + f"  %s: {S} = add(%mask, %e)\n" + GUARD, {"causal": False}),
}  # fmt: skip
STAY = {
    "mask_of_a_call": DOT + f"  %s: {S} = add(%mask, %e)\n" + END,
    "row_without_keys": DOT + f"  %s: {S} = add(%none, %e)\n" + END,
    "other_dimension": DOT.replace("%e", "%s") + END.replace("dim=3", "dim=2"),
}


@pytest.mark.parametrize("name", CASES)
def test_rule(name: str) -> None:
    text, attrs = CASES[name]
    after = run(canonicalize_attention, HEAD + text)
    assert ops(after) == ["sdpa"]
    node = next(n for n in after.nodes if n.op == "sdpa")
    assert {k: node.attrs[k] for k in attrs} == attrs


@pytest.mark.parametrize("name", STAY)
def test_what_stays(name: str) -> None:
    assert "sdpa" not in ops(run(canonicalize_attention, HEAD + STAY[name]))


@pytest.mark.parametrize("length,mask", [(1, None), (1, "2,1,1,6"), (3, None), (3, "2,4,3,6"), (3, "3,6"), (1, "2,4,1,6")])
@pytest.mark.parametrize("causal", [False, True])
def test_repeated_heads(length: int, mask: str | None, causal: bool) -> None:
    """Two heads of keys and values for four of queries; run compares the values."""
    more = f", %mask: f32[{mask}]" if mask else ""
    text = f"""graph(%q: f32[2,4,{length},8], %k: f32[2,2,6,8], %v: f32[2,2,6,5]{more}) {{
      %k1: f32[2,2,1,6,8] = reshape(%k){{shape=(2, 2, 1, 6, 8)}}
      %k2: f32[2,2,2,6,8] = expand(%k1){{shape=(2, 2, 2, 6, 8)}}
      %k3: f32[2,4,6,8] = reshape(%k2){{shape=(2, 4, 6, 8)}}
      %v1: f32[2,2,1,6,5] = reshape(%v){{shape=(2, 2, 1, 6, 5)}}
      %v2: f32[2,2,2,6,5] = expand(%v1){{shape=(2, 2, 2, 6, 5)}}
      %v3: f32[2,4,6,5] = reshape(%v2){{shape=(2, 4, 6, 5)}}
      %y: f32[2,4,{length},5] = sdpa(%q, %k3, %v3{", %mask" if mask else ""}){{causal={causal}, scale=0.5}}
      return %y
    }}"""
    after = run(canonicalize_attention, text)
    assert "expand" not in ops(after) and ops(after).count("sdpa") == 1


T, F = "True", "False"
LITERAL = {
    "all": ("bool[3,3]", [T] * 9, 3, False),
    "nothing_added": ("f32[1,1,3,3]", ["0.0"] * 9, 3, False),
    "of_each_image": ("bool[2,1,3,3]", [T] * 18, 3, False),
    "later": ("bool[1,1,3,3]", [T, F, F, T, T, F, T, T, T], 3, True),
    "later_added": ("f32[3,3]", ["0.0", "-inf", "-inf", "0.0", "0.0", "-inf", "0.0", "0.0", "0.0"], 3, True),
    "one_key_hidden": ("bool[3,3]", [T, F, T, T, T, T, T, T, T], 4, False),
    "something_added": ("f32[3,3]", ["0.0"] * 8 + ["1.0"], 4, False),
}


@pytest.mark.parametrize("name", LITERAL)
def test_literal_masks(name: str) -> None:
    """Those that hide nothing go, those that hide later keys become an attribute; run compares the values."""
    type, values, operands, causal = LITERAL[name]
    text = f"""graph(%q: f32[2,4,3,8], %k: f32[2,4,3,8], %v: f32[2,4,3,5]) {{
      %m = constant{{dtype={type.partition("[")[0]}, value=array({type}, [{", ".join(values)}])}}: {type}
      %y: {OUT} = sdpa(%q, %k, %v, %m){{causal=False, scale=0.5}}
      return %y
    }}"""
    (node,) = (n for n in run(canonicalize_attention, text).nodes if n.op == "sdpa")
    assert (len(node.inputs), node.attrs["causal"]) == (operands, causal)


def test_a_literal_mask_of_other_lengths_stays() -> None:
    """Where queries are fewer than keys, later keys of a mask may be counted from the last query."""
    text = f"""graph(%q: f32[2,4,2,8], %k: f32[2,4,3,8], %v: f32[2,4,3,5]) {{
      %m = constant{{dtype=bool, value=array(bool[2,3], [{T}, {T}, {F}, {T}, {T}, {T}])}}: bool[2,3]
      %y: f32[2,4,2,5] = sdpa(%q, %k, %v, %m){{causal=False, scale=0.5}}
      return %y
    }}"""
    (node,) = (n for n in run(canonicalize_attention, text).nodes if n.op == "sdpa")
    assert len(node.inputs) == 4
