"""Which products become linear layers."""

from __future__ import annotations

import pytest

from sol.ir.text import parse_graph
from sol.passes.canonicalize_products import canonicalize_products
from tests.passes.support import ops, run

WEIGHT = '%w = parameter{target="w"}: f32[4,5]\n  %b = parameter{target="b"}: f32[5]\n  '
CASES = {
    "weight": ("%y: f32[2,3,5] = matmul(%x, %w)", ["linear"]),
    "bias": ("%p: f32[2,3,5] = matmul(%x, %w)\n  %y: f32[2,3,5] = add(%b, %p)", ["linear"]),
    "bias_with_ones": (
        "%r: f32[1,1,5] = reshape(%b){shape=(1, 1, 5)}\n  %p: f32[2,3,5] = matmul(%x, %w)\n  %y: f32[2,3,5] = add(%p, %r)",
        ["linear"],
    ),
    "read_twice": (
        "%p: f32[2,3,5] = matmul(%x, %w)\n  %s: f32[2,3,5] = add(%p, %b)\n  %y: f32[2,3,5] = mul(%s, %p)",
        ["linear", "add", "mul"],
    ),
    "outer": ("%c: f32[2,3,1] = slice(%x){dim=2, start=0, stop=1, step=1}\n  %r: f32[2,1,4] = slice(%x){dim=1, start=0, stop=1, step=1}\n  "
              "%y: f32[2,3,4] = matmul(%c, %r)", ["slice", "slice", "mul"]),
    "column": ("%t: f32[2,4,3] = permute(%x){order=(0, 2, 1)}\n  %c: f32[2,3,1] = slice(%x){dim=2, start=0, stop=1, step=1}\n  "
               "%y: f32[2,4,1] = matmul(%t, %c)", ["slice", "permute", "matmul", "permute"]),
    "rows_merged": ("%m: f32[6,4] = reshape(%x){shape=(6, 4)}\n  %p: f32[6,5] = matmul(%m, %w)\n  %s: f32[6,5] = add(%p, %b)\n  "
                    "%v: f32[2,3,5] = reshape(%s){shape=(2, 3, 5)}\n  %y: f32[2,3,5] = relu(%v)", ["linear", "relu"]),
    "rows_in_another_shape": ("%m: f32[6,4] = reshape(%x){shape=(6, 4)}\n  %p: f32[6,5] = matmul(%m, %w)\n  "
                              "%y: f32[3,2,5] = reshape(%p){shape=(3, 2, 5)}", ["reshape", "linear", "reshape"]),
    "rows_read_twice": ("%m: f32[6,4] = reshape(%x){shape=(6, 4)}\n  %p: f32[6,5] = matmul(%m, %w)\n  %q: f32[6,5] = relu(%p)\n  "
                        "%v: f32[2,3,5] = reshape(%p){shape=(2, 3, 5)}\n  %r: f32[2,3,5] = reshape(%q){shape=(2, 3, 5)}\n  "
                        "%y: f32[2,3,5] = add(%v, %r)", ["reshape", "linear", "relu", "reshape", "reshape", "add"]),
    "computed_weight": ("%t: f32[2,4,3] = permute(%x){order=(0, 2, 1)}\n  %y: f32[2,3,3] = matmul(%x, %t)", ["permute", "matmul"]),
}  # fmt: skip
LENGTHS = """graph(%q: f32[2,3,9], %k: f32[2,4,9], %n: f32[2,3,1], %m: f32[2,4,1]) {
  BODY
  return %y
}"""
TURNED = "%t: f32[2,9,4] = permute(%BY){order=(0, 2, 1)}\n  "
QUOTIENTS = {
    "both": ("%a: f32[2,3,9] = div(%q, %n)\n  %b: f32[2,4,9] = div(%k, %m)\n  " + TURNED.replace("BY", "b") +
             "%y: f32[2,3,4] = matmul(%a, %t)", ["permute", "permute", "matmul", "div", "div"]),
    "rows": ("%a: f32[2,3,9] = div(%q, %n)\n  " + TURNED.replace("BY", "k") + "%y: f32[2,3,4] = matmul(%a, %t)",
             ["permute", "matmul", "div"]),
    "read twice": ("%a: f32[2,3,9] = div(%q, %n)\n  " + TURNED.replace("BY", "k") + "%p: f32[2,3,4] = matmul(%a, %t)\n  "
                   "%s: f32[2,3,1] = sum(%a){dims=(2,), keepdims=True}\n  %y: f32[2,3,4] = add(%p, %s)",
                   ["div", "permute", "matmul", "sum", "add"]),
    "a large product": ("%a: f32[2,9,3] = permute(%q){order=(0, 2, 1)}\n  %b: f32[2,9,3] = abs(%a)\n  "
                        "%c: f32[2,9,1] = slice(%b){dim=2, start=0, stop=1, step=1}\n  %d: f32[2,9,3] = div(%a, %c)\n  "
                        "%y: f32[2,9,9] = matmul(%d, %q)", ["permute", "abs", "slice", "div", "matmul"]),
    "each its own": ("%a: f32[2,3,9] = div(%q, %q)\n  " + TURNED.replace("BY", "k") + "%y: f32[2,3,4] = matmul(%a, %t)",
                     ["div", "permute", "matmul"]),
}  # fmt: skip


@pytest.mark.parametrize("name", QUOTIENTS)
def test_quotients_behind_products(name: str) -> None:
    body, expected = QUOTIENTS[name]
    assert sorted(ops(run(canonicalize_products, LENGTHS.replace("BODY", body)))) == sorted(expected)


def test_quotients_of_16_bits_stay_before_products() -> None:
    body, _ = QUOTIENTS["rows"]
    text = LENGTHS.replace("BODY", body).replace("f32", "f16")
    assert sorted(op.op for op in canonicalize_products(parse_graph(text)).nodes if op.op != "input") == ["div", "matmul", "permute"]


MIX = """graph(%x: f32[2,3,4,6]) {
  %w = parameter{target="w"}: f32[5,FEW]
  %b = parameter{target="b"}: f32[5]
  BODY
  return %y
}"""
FRONT, BACK = "{order=(0, 2, 3, 1)}", "{order=(0, 3, 1, 2)}"
MIXES = {
    "heads": (3, f"%t: f32[2,4,6,3] = permute(%x){FRONT}\n  %p: f32[2,4,6,5] = linear(%t, %w, %b)\n  "
                 f"%y: f32[2,5,4,6] = permute(%p){BACK}", ["reshape", "matmul", "add", "reshape"]),
    "rows": (4, "%t: f32[2,3,6,4] = permute(%x){order=(0, 1, 3, 2)}\n  %p: f32[2,3,6,5] = linear(%t, %w)\n  "
                "%y: f32[2,3,5,6] = permute(%p){order=(0, 1, 3, 2)}", ["matmul"]),
    "turned otherwise": (3, f"%t: f32[2,4,6,3] = permute(%x){FRONT}\n  %p: f32[2,4,6,5] = linear(%t, %w, %b)\n  "
                            "%y: f32[2,5,6,4] = permute(%p){order=(0, 3, 2, 1)}", ["permute", "linear", "permute"]),
    "read twice": (3, f"%t: f32[2,4,6,3] = permute(%x){FRONT}\n  %p: f32[2,4,6,5] = linear(%t, %w)\n  %q: f32[2,4,6,5] = relu(%p)\n  "
                      f"%s: f32[2,5,4,6] = permute(%p){BACK}\n  %r: f32[2,5,4,6] = permute(%q){BACK}\n  "
                      "%y: f32[2,5,4,6] = add(%s, %r)", ["permute", "linear", "relu", "permute", "permute", "add"]),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXES)
def test_channels_that_are_mixed(name: str) -> None:
    inner, body, expected = MIXES[name]
    assert ops(run(canonicalize_products, MIX.replace("FEW", str(inner)).replace("BODY", body))) == expected


def test_many_channels_stay_a_linear_layer() -> None:
    inner, body, _ = MIXES["heads"]
    text = MIX.replace("FEW", str(inner)).replace("BODY", body).replace(",3]", ",16]").replace("[2,3,", "[2,16,").replace("[5,3]", "[5,16]")
    assert ops(run(canonicalize_products, text)) == ["permute", "linear", "permute"]


@pytest.mark.parametrize("name", CASES)
def test_rules(name: str) -> None:
    body, expected = CASES[name]
    after = run(canonicalize_products, "graph(%x: f32[2,3,4]) {\n  " + WEIGHT + body + "\n  return %y\n}")
    assert ops(after) == expected
    if name.startswith("bias"):
        assert len(next(n for n in after.nodes if n.op == "linear").inputs) == 3


MERGED = """graph(%x: f32[2,3,4,5], %y: f32[6,1,3], %z: f32[2,1,4,3,5]) {{
  %p: f32[2,4,3,5] = permute(%x){{order=(0, 2, 1, 3)}}
  %a: f32[8,3,5] = reshape(%p){{shape=(8, 3, 5)}}
  {lines}
}}"""
SECOND = "%b: f32[8,3,5] = reshape(%z){shape=(8, 3, 5)}\n  %t: f32[8,5,3] = permute(%b){order=(0, 2, 1)}\n  "


@pytest.mark.parametrize(
    "lines, expected",
    [
        ("%m: f32[8,3,3] = matmul(%a, %t)\n  return %m", ["permute", "reshape", "permute", "matmul", "reshape"]),
        # the result is read in four dimensions: no reshape is left between
        ("%m: f32[8,3,3] = matmul(%a, %t)\n  %r: f32[2,4,3,3] = reshape(%m){shape=(2, 4, 3, 3)}\n  return %r",
         ["permute", "reshape", "permute", "matmul"]),
        ("%m: f32[8,5,5] = matmul(%t, %a)\n  return %m", ["reshape", "permute", "permute", "matmul", "reshape"]),
    ],
)  # fmt: skip
def test_batches_of_views_keep_their_dimensions(lines: str, expected: list[str]) -> None:
    after = run(canonicalize_products, MERGED.format(lines=SECOND + lines))
    assert sorted(ops(after)) == sorted(expected)
    (product,) = (n for n in after.nodes if n.op == "matmul")
    assert product.type.rank == 4


def test_batches_of_computed_matrices_stay() -> None:
    text = """graph(%x: f32[2,3,4,5], %y: f32[6,5,3]) {
      %r: f32[2,3,4,5] = relu(%x)
      %a: f32[6,4,5] = reshape(%r){shape=(6, 4, 5)}
      %m: f32[6,4,3] = matmul(%a, %y)
      return %m
    }"""
    assert ops(run(canonicalize_products, text)) == ["relu", "reshape", "matmul"]


def test_rows_that_a_training_step_merges():
    """What follows a product of a value that is no view joins it; a view's rows are copied one behind the other."""
    text = """graph(%x: f32[2,6,8], %w: f32[8,4], %g: f32[2,6,4]) {
  %s: f32[2,6,8] = SOURCE(%x)
  %m: f32[12,8] = reshape(%s){shape=(12, 8)}
  %p: f32[12,4] = matmul(%m, %w)
  %y: f32[2,6,4] = reshape(%p){shape=(2, 6, 4)}
  %z: f32[2,6,4] = mul(%y, %g)
  return %z
}"""
    assert "reshape" not in ops(run(canonicalize_products, text.replace("SOURCE(%x)", "exp(%x)")))
    turned = text.replace("%x: f32[2,6,8]", "%x: f32[6,2,8]").replace("SOURCE(%x)", "permute(%x){order=(1, 0, 2)}")
    assert ops(run(canonicalize_products, turned)).count("reshape") == 2
