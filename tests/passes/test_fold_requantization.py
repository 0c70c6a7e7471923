"""Bytes that one op makes and the next one dequantises stay floats; those that go through memory, or that others read, stay bytes."""

from __future__ import annotations

import pytest

from sol.passes.fold_requantization import fold_requantization
from tests.passes.support import ops, run
from tests.passes.test_find_integer_products import number

SHAPE = "2,3"


def network(steps: str, zero: float = 3.0, outputs: str = "%y") -> str:
    return f"""graph(%x: f32[{SHAPE}]) {{
  {number("z", zero)}
  %r: f32[{SHAPE}] = round(%x)
  %a: f32[{SHAPE}] = add(%r, %z)
  %c: f32[{SHAPE}] = clamp(%a){{high=255, low=0}}
  %q: u8[{SHAPE}] = cast(%c){{dtype=u8}}
  {steps}
  return {outputs}
}}"""


FLOATS = f"%f: f32[{SHAPE}] = cast(%q){{dtype=f32}}\n  %y: f32[{SHAPE}] = sub(%f, %z)"


def test_fresh_bytes_stay_floats_between_shifted_limits() -> None:
    after = run(fold_requantization, network(FLOATS))
    assert ops(after) == ["round", "clamp"]
    assert (after.nodes[-1].attrs["low"], after.nodes[-1].attrs["high"]) == (-3, 252)


@pytest.mark.parametrize("text", [
    network(FLOATS, outputs="%y, %q"),
    network(FLOATS, zero=2.5),
    network(f"%y: f32[{SHAPE}] = cast(%q){{dtype=f32}}").replace("high=255", "high=256"),
], ids=["read elsewhere", "a zero point that is no whole number", "what bytes do not hold"])  # fmt: skip
def test_others_stay_bytes(text: str) -> None:
    assert ops(run(fold_requantization, text)).count("cast") == 2


def test_limits_stay_where_another_number_is_subtracted() -> None:
    text = network(FLOATS.replace("%z", "%o")).replace("%r: ", f"{number('o', 4.0)}\n  %r: ", 1)
    assert ops(run(fold_requantization, text)) == ["round", "add", "clamp", "sub"]


PRODUCT = """  %{0}0: i32[2,3] = int_linear(%x, %w)
  %{0}1: f32[2,3] = cast(%{0}0){{dtype=f32}}
  %{0}2: f32[2,3] = round(%{0}1)
  %{0}3: f32[2,3] = clamp(%{0}2){{high=255, low=0}}
  %{0}4: u8[2,3] = cast(%{0}3){{dtype=u8}}
  %{0}5: f32[2,3] = cast(%{0}4){{dtype=f32}}
"""


def test_of_two_products_the_later_one_keeps_floats() -> None:
    text = f"""graph(%x: u8[2,4]) {{
  %w = parameter{{target="w"}}: i8[3,4]
{PRODUCT.format("a")}{PRODUCT.format("b")}  %y: f32[2,3] = add(%a5, %b5)
  return %y
}}"""
    after = run(fold_requantization, text)
    casts = [n.type.dtype.value for n in after.nodes if n.op == "cast"]
    assert casts.count("u8") == 1
    add = after.nodes[-1]
    assert after.producer(add.inputs[0]).op == "cast"
    assert after.producer(add.inputs[1]).op == "clamp"
