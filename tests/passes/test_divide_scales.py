"""A division before quantising goes into constants, or becomes a product where bytes were computed; what users give is divided."""

from __future__ import annotations

import pytest

from sol.passes.divide_scales import divide_scales
from tests.passes.support import ops, run
from tests.passes.test_find_integer_products import number


def rounded(lines: str, value: str, source: str = "%x: i32[2,3]") -> str:
    return f"""graph({source}) {{
  {number("s", 0.25)}
  {number("t", 0.5)}
  %w = parameter{{target="w"}}: f32[3]
  {lines}
  %d: f32[2,3] = div(%{value}, %s)
  %r: f32[2,3] = round(%d)
  %q: f32[2,3] = clamp(%r){{high=255, low=0}}
  %y: u8[2,3] = cast(%q){{dtype=u8}}
  return %y
}}"""


def before_rounding(text: str) -> list[str]:
    """Ops of the graph after the pass, but for those that saturate."""
    found = ops(run(divide_scales, text))
    return found[: found.index("round") + 1]


SCALED = "%a: f32[2,3] = cast(%x){dtype=f32}\n  %b: f32[2,3] = mul(%a, %t)"
ABSORBED = {
    "product": (SCALED, "b", ["cast", "mul", "round"]),
    "bias": (f"{SCALED}\n  %c: f32[2,3] = add(%b, %w)", "c", ["cast", "mul", "add", "round"]),
    "relu": (f"{SCALED}\n  %c: f32[2,3] = add(%b, %w)\n  %e: f32[2,3] = relu(%c)", "e", ["cast", "mul", "add", "relu", "round"]),
    "residual": (f"{SCALED}\n  %c: f32[2,3] = mul(%a, %w)\n  %e: f32[2,3] = add(%b, %c)", "e", ["cast", "mul", "mul", "add", "round"]),
}


@pytest.mark.parametrize("name", ABSORBED)
def test_into_constants(name: str) -> None:
    lines, value, wanted = ABSORBED[name]
    assert before_rounding(rounded(lines, value)) == wanted


def test_bytes_are_multiplied() -> None:
    lines = "%a: f32[2,3] = cast(%x){dtype=f32}\n  %b: f32[2,3] = sigmoid(%a)"
    assert before_rounding(rounded(lines, "b", "%x: u8[2,3]")) == ["cast", "sigmoid", "mul", "round"]


@pytest.mark.parametrize("lines,value,source", [
    ("", "x", "%x: f32[2,3]"),
    ("%b: f32[2,3] = sigmoid(%x)", "b", "%x: f32[2,3]"),
    ("%b: f32[2,3] = mul(%x, %v)", "b", "%x: f32[2,3], %v: f32[2,3]"),
])  # fmt: skip
def test_floats_are_divided(lines: str, value: str, source: str) -> None:
    assert "div" in ops(run(divide_scales, rounded(lines, value, source)))


def test_what_others_read_stays_as_it_is() -> None:
    text = rounded(SCALED, "b").replace("return %y", "return %y, %b")
    assert "div" in ops(run(divide_scales, text))


@pytest.mark.parametrize("name", ABSORBED)
def test_what_is_rounded_but_not_quantised_is_divided(name: str) -> None:
    """``round(3 x / 82)`` of whole numbers is often halfway between two: there the last bit of the quotient is a whole step."""
    lines, value, _ = ABSORBED[name]
    text = rounded(lines, value, "%x: u8[2,3]")
    assert "div" in ops(run(divide_scales, text.replace("return %y", "return %r")))
    assert "div" in ops(run(divide_scales, text.replace("high=255, low=0", "high=15, low=0")))


@pytest.mark.parametrize("name", ABSORBED)
def test_reciprocals_into_constants(name: str) -> None:
    lines, value, wanted = ABSORBED[name]
    text = rounded(lines, value).replace("div(", "mul(")
    assert before_rounding(text) == wanted
    assert before_rounding(text.replace("high=255", "high=127")) == wanted


@pytest.mark.parametrize("by", ["div", "mul"])
@pytest.mark.parametrize("value", ["v", "e"])
def test_constants_alone_stay_as_they_are(value: str, by: str) -> None:
    """They are computed once; their product with a constant is such a constant, too, so that the rule would apply without end."""
    lines = """%v = parameter{target="v"}: f32[2,3]
  %e: f32[2,3] = add(%v, %w)"""
    text = rounded(lines, value).replace("div(", f"{by}(")
    found = [node.op for node in run(divide_scales, text).nodes]
    assert found[found.index("round") - 1] == by
