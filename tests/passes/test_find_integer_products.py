"""Products of dequantised bytes are exact ones of bytes, with any kinds of bytes, zero points and scales."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sol.ir.text import parse_graph
from sol.ir.verify import verify
from sol.passes.find_integer_products import find_integer_products
from tests.passes.support import CONV3, assert_same, ops, outputs_of, run


def number(name: str, value: float, dtype: str = "f32") -> str:
    return f"%{name} = constant{{dtype={dtype}, value=array({dtype}[], [{value}])}}: {dtype}[]"


def bytes_of(name: str, dtype: str, shape: str, *, scale: str = "s", zero: str = "z") -> str:
    """``%<name>f``: the bytes dequantised; without a zero point for zero=""."""
    lines = [f"%{name}0: f32[{shape}] = cast(%{name}){{dtype=f32}}"]
    if zero:
        lines.append(f"%{name}1: f32[{shape}] = sub(%{name}0, %{zero})")
    lines.append(f"%{name}f: f32[{shape}] = mul(%{name}{1 if zero else 0}, %{scale})")
    return "\n  ".join(lines)


def quantized(name: str, dtype: str, shape: str) -> str:
    """``%y``: a float quantised with %s and %z."""
    low, high = ("0", "255") if dtype == "u8" else ("-128", "127")
    return f"""  %q0: f32[{shape}] = div(%{name}, %s)
  %q1: f32[{shape}] = round(%q0)
  %q2: f32[{shape}] = add(%q1, %z)
  %q3: f32[{shape}] = clamp(%q2){{high={high}, low={low}}}
  %y: {dtype}[{shape}] = cast(%q3){{dtype={dtype}}}"""


PRODUCTS = {
    "matmul": ("2,5,7", "7,3", "f32[2,5,3] = matmul(%xf, %wf)"),
    "linear": ("2,5,7", "3,7", "f32[2,5,3] = linear(%xf, %wf)"),
    "conv": ("1,2,5,5", "4,2,3,3", f"f32[1,4,5,5] = conv(%xf, %wf){CONV3}"),
    "grouped": ("1,4,5,5", "4,2,3,3", f"f32[1,4,5,5] = conv(%xf, %wf){CONV3.replace('groups=1', 'groups=2')}"),
}


def product(kind: str, left: str, right: str, zero: float, right_zero: str, given: str = "parameter") -> str:
    x, w, body = PRODUCTS[kind]
    declared, constant = (f", %w: {right}[{w}]", "") if given == "input" else ("", f'%w = parameter{{target="w"}}: {right}[{w}]\n  ')
    return f"""graph(%x: {left}[{x}]{declared}) {{
  {constant}{number("s", 0.25)}
  {number("t", 0.5)}
  {number("z", zero)}
  {number("v", 2.0)}
  {bytes_of("x", left, x)}
  {bytes_of("w", right, w, scale="t", zero=right_zero)}
  %y: {body}
  return %y
}}"""


@pytest.mark.parametrize("kind", PRODUCTS)
def test_products_of_bytes(kind: str) -> None:
    """Kinds of both operands, the left zero point 0 or not, the right one 0 or not."""
    wanted = {"matmul": "int_linear", "linear": "int_linear"}.get(kind, "int_conv")
    for left, right, zero, right_zero in itertools.product(("u8", "i8"), ("u8", "i8"), (0.0, 3.0), ("", "v")):
        after = run(find_integer_products, product(kind, left, right, zero, right_zero))
        assert wanted in ops(after) and not {"matmul", "linear", "conv"} & set(ops(after))
    assert ops(run(find_integer_products, product(kind, "u8", "i8", 0.0, ""))) == [wanted, "cast", "mul"]


def test_both_operands_may_be_computed() -> None:
    after = run(find_integer_products, product("matmul", "u8", "i8", 3.0, "v", given="input"))
    assert "int_matmul" in ops(after)


def test_a_convolution_with_a_computed_filter_stays() -> None:
    assert "conv" in ops(run(find_integer_products, product("conv", "u8", "i8", 3.0, "v", given="input")))


def per(kind: str, scale: str, zero: str) -> str:
    """Scale and zero point of the right operand as tensors."""
    x, w, body = PRODUCTS[kind]
    return f"""graph(%x: u8[{x}]) {{
  %w = parameter{{target="w"}}: i8[{w}]
  %t = parameter{{target="t"}}: f32[{scale}]
  %u = parameter{{target="v"}}: i8[{zero}]
  %v: f32[{zero}] = cast(%u){{dtype=f32}}
  {number("s", 0.25)}
  {number("z", 3.0)}
  {bytes_of("x", "u8", x)}
  {bytes_of("w", "i8", w, scale="t", zero="v")}
  %y: {body}
  return %y
}}"""


def test_scales_and_zero_points_of_each_column() -> None:
    for kind, shape, other in (("matmul", "3", "7,1"), ("matmul", "1,3", "7,3"), ("linear", "3,1", "7"), ("conv", "4,1,1,1", "2,1,1")):
        before = verify(parse_graph(per(kind, shape, shape)))
        rng = np.random.default_rng(1)
        inputs = {"x": rng.integers(0, 256, before.type_of("x").shape).astype(np.uint8)}
        types = {n.attrs["target"]: n.type for n in before.nodes if n.op == "parameter"}
        parameters = {"w": rng.integers(-128, 128, types["w"].shape).astype(np.int8)}
        parameters["t"] = (2.0 ** rng.integers(-3, 3, types["t"].shape)).astype(np.float32)
        parameters["v"] = rng.integers(-9, 9, types["v"].shape).astype(np.int8)
        after = verify(find_integer_products(before))
        assert {"int_linear", "int_conv"} & set(ops(after)), kind
        for a, b in zip(outputs_of(before, inputs, parameters, {}), outputs_of(after, inputs, parameters, {}), strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-9)
        kept = parse_graph(per(kind, other, other))
        assert not {"int_linear", "int_conv"} & set(ops(find_integer_products(kept))), "scales that vary along the sum stay inside it"


def test_a_bias_comes_after_the_sum() -> None:
    text = product("linear", "u8", "i8", 3.0, "").replace("linear(%xf, %wf)", "linear(%xf, %wf, %b)")
    text = text.replace("%w = parameter", '%b = parameter{target="b"}: f32[3]\n  %w = parameter')
    after = run(find_integer_products, text)
    assert ops(after)[0] == "int_linear" and ops(after)[-1] == "add"


def test_integers_without_scales() -> None:
    """As ONNX's MatMulInteger has them."""
    text = """graph(%x: u8[2,7]) {
  %w = parameter{target="w"}: i8[7,3]
  %a: i32[2,7] = cast(%x){dtype=i32}
  %b: i32[7,3] = cast(%w){dtype=i32}
  %y: i32[2,3] = matmul(%a, %b)
  return %y
}"""
    assert ops(run(find_integer_products, text)) == ["int_linear"]


def test_constants_alone_and_other_integers_stay() -> None:
    both = product("matmul", "u8", "i8", 3.0, "").replace("graph(%x: u8[2,5,7]) {", 'graph() {\n  %x = parameter{target="x"}: u8[2,5,7]')
    assert "int_linear" not in ops(find_integer_products(verify(parse_graph(both))))
    wide = verify(parse_graph(product("matmul", "i16", "i8", 3.0, "")))
    after = find_integer_products(wide)
    assert "matmul" in ops(after)
    assert_same(wide, after)


@pytest.mark.parametrize("kind", PRODUCTS)
@pytest.mark.parametrize("zero", ["127.5", "300.0", "-1.0"])
def test_what_bytes_cannot_be_is_no_zero_point(kind: str, zero: str) -> None:
    """A mean of pixels, for instance, or a number that is known at run time alone."""
    text = product(kind, "u8", "i8", 3.0, "v").replace("[3.0]", f"[{zero}]")
    computed = product(kind, "u8", "i8", 3.0, "v").replace(number("z", 3.0), '%z = parameter{target="z"}: f32[]')
    for before in (text, computed):
        assert not {"int_linear", "int_conv"} & set(ops(find_integer_products(verify(parse_graph(before)))))


def test_sums_that_int32_does_not_hold_stay_floats() -> None:
    for terms, wanted in ((33_000, "int_linear"), (34_000, "matmul")):
        text = product("matmul", "u8", "u8", 3.0, "").replace("2,5,7", f"2,5,{terms}").replace("7,3", f"{terms},3")
        assert wanted in ops(find_integer_products(verify(parse_graph(text))))


@pytest.mark.parametrize("wide,wanted", [("f64", []), ("f32", ["cast", "cast"])])
def test_integers_that_were_widened_exactly_stay(wide: str, wanted: list[str]) -> None:
    text = f"""graph(%x: i32[2,3]) {{
  %a: {wide}[2,3] = cast(%x){{dtype={wide}}}
  %y: i32[2,3] = cast(%a){{dtype=i32}}
  return %y
}}"""
    assert ops(run(find_integer_products, text)) == wanted


@pytest.mark.parametrize("terms,wanted", [(256, 0), (260, 2)])
def test_short_sums_stay_integers(terms: int, wanted: int) -> None:
    text = f"""graph(%x: u8[2,{terms}]) {{
  %w = parameter{{target="w"}}: i8[3,{terms}]
  %p: i32[2,3] = int_linear(%x, %w)
  %a: f32[2,3] = cast(%p){{dtype=f32}}
  %y: i32[2,3] = cast(%a){{dtype=i32}}
  return %y
}}"""
    assert ops(run(find_integer_products, text)).count("cast") == wanted
