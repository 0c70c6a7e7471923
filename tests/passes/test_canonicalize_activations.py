"""Formulas as exporters write them, and near misses that must stay."""

from __future__ import annotations

import pytest

from sol.ir.text import parse_graph
from sol.ir.types import DType
from sol.ir.verify import verify
from sol.passes.canonicalize_activations import canonicalize_activations
from tests.passes.support import ops, run

CONSTANTS = {
    "half": 0.5, "one": 1.0, "root": 1.4142135623730951, "inverse": 0.7071067811865476, "pi": 0.7978845608028654,
    "cubic": 0.044715, "three": 3.0, "six": 6.0, "sixth": 0.16666666666666666, "two": 2.0,
}  # fmt: skip
HEAD = "".join(f"  %{n} = constant{{dtype=f64, value=array(f64[], [{v!r}])}}: f64[]\n" for n, v in CONSTANTS.items())
ERF = "%d = div(%x, %root)\n %e = erf(%d)\n %a = add(%e, %one)\n "
TANH = (
    "%q = square(%x)\n %k = mul(%q, %x)\n %w = mul(%k, %cubic)\n %s = add(%x, %w)\n"
    " %u = mul(%s, %pi)\n %t = tanh(%u)\n %a = add(%one, %t)\n "
)
RELU6 = "%p = add(%x, %three)\n %c = clamp(%p){high=6.0, low=0.0}\n "
CASES = {
    "erf": (ERF + "%m = mul(%x, %a)\n %y = mul(%m, %half)", ["gelu"]),
    "erf_half_first": (ERF + "%m = mul(%x, %half)\n %y = mul(%m, %a)", ["gelu"]),
    "erf_of_product": ("%d = mul(%x, %inverse)\n %e = erf(%d)\n %a = add(%one, %e)\n %m = mul(%a, %half)\n %y = mul(%x, %m)", ["gelu"]),
    "erf_divided": (ERF + "%m = mul(%x, %a)\n %y = div(%m, %two)", ["gelu"]),
    "erf_not_halved": (ERF + "%y = mul(%x, %a)", ["div", "erf", "add", "mul"]),
    "tanh": (TANH + "%m = mul(%half, %x)\n %y = mul(%m, %a)", ["gelu"]),
    "hardswish": (RELU6 + "%m = mul(%x, %c)\n %y = div(%m, %six)", ["hardswish"]),
    "hardswish_of_gate": ("%c = hardsigmoid(%x)\n %y = mul(%x, %c)", ["hardswish"]),
    "hardsigmoid": (RELU6 + "%y = mul(%c, %sixth)", ["hardsigmoid"]),
    "fifth": (RELU6 + "%y = mul(%c, %half)", ["add", "clamp", "mul"]),
    "mish": ("%s = softplus(%x){beta=1.0, threshold=20.0}\n %t = tanh(%s)\n %y = mul(%t, %x)", ["mish"]),
}


def graph(body: str) -> str:
    typed = body.replace(" = ", ": f64[2,9] = ")
    return "graph(%x: f64[2,9]) {\n" + HEAD + "  " + typed + "\n  return %y\n}"


@pytest.mark.parametrize("name", CASES)
def test_rules(name: str) -> None:
    body, expected = CASES[name]
    assert ops(run(canonicalize_activations, graph(body))) == expected


NARROW = """graph(%x: bf16[2,9]) {
  %w: f32[2,9] = cast(%x){dtype=f32}
  %f: f32[2,9] = FUNCTION
  %n: bf16[2,9] = cast(%f){dtype=bf16}
  %y: bf16[2,9] = neg(%n)
  return RESULTS
}"""


@pytest.mark.parametrize(
    ("function", "results", "expected"),
    [
        ('gelu(%w){approximate="none"}', "%y", ["gelu", "neg"]),
        ("exp(%w)", "%y", ["exp", "neg"]),
        ("mul(%w, %w)", "%y", ["cast", "mul", "cast", "neg"]),  # rounded once, not twice
        ("exp(%w)", "%y, %f", ["cast", "exp", "cast", "neg"]),  # somebody reads it in float32
    ],
)
def test_functions_between_values_of_bfloat16(function: str, results: str, expected: list[str]) -> None:
    text = NARROW.replace("FUNCTION", function).replace("RESULTS", results)
    found = canonicalize_activations(parse_graph(text))
    verify(found)
    assert ops(found) == expected
    assert [t.dtype for t in map(found.type_of, found.outputs)] == [DType.BF16, DType.F32][: len(found.outputs)]
