"""Codes that change from call to call are dequantized; constant ones stay codes; halves are computed in float32."""

from __future__ import annotations

import numpy as np
import pytest

from sol.ir.interpret import evaluate_outputs
from sol.ir.text import parse_graph
from sol.ir.verify import verify
from sol.passes.canonicalize_products import canonicalize_products
from sol.passes.canonicalize_types import canonicalize_types
from tests.passes.support import ops
from tests.random_numbers import rng

HEAD = "graph(%x: f32[3,40], %c: {codes}, %s: f32[5,3], %z: i8[5,3]) {{\n  "


@pytest.mark.parametrize("codes,zeros", [("i8[5,40]", True), ("u8[5,20]", True), ("u8[5,20]", False)])
def test_computed_codes(codes: str, zeros: bool) -> None:
    body = f"%y: f32[3,5] = weight_only_linear(%x, %c, %s{', %z' if zeros else ''}){{group=16}}\n  return %y\n}}"
    before = verify(parse_graph(HEAD.format(codes=codes) + body))
    after = verify(canonicalize_products(before))
    assert "linear" in ops(after) and "weight_only_linear" not in ops(after)
    kind = np.int8 if codes[0] == "i" else np.uint8
    limits = np.iinfo(kind)
    shape = (5, 40) if codes[0] == "i" else (5, 20)
    given = [rng.standard_normal((3, 40)), rng.integers(limits.min, limits.max + 1, shape).astype(kind), rng.uniform(0.5, 2, (5, 3)),
             rng.integers(-8, 8, (5, 3)).astype(np.int8)]  # fmt: skip
    np.testing.assert_allclose(evaluate_outputs(after, given)[0], evaluate_outputs(before, given)[0], rtol=1e-12, atol=1e-12)


CONSTANT = 'graph(%x: TYPE[3,40]) {\n  %c = parameter{target="c"}: i8[5,40]\n  %s = parameter{target="s"}: f32[5,3]\n  '
CONSTANT += "%y: TYPE[3,5] = weight_only_linear(%x, %c, %s){group=16}\n  return %y\n}"


@pytest.mark.parametrize("dtype,wanted", [
    ("f32", ["weight_only_linear"]), ("bf16", ["weight_only_linear"]), ("f16", ["cast", "weight_only_linear", "cast"]),
])  # fmt: skip
def test_constant_codes(dtype: str, wanted: list[str]) -> None:
    graph = verify(parse_graph(CONSTANT.replace("TYPE", dtype)))
    assert ops(verify(canonicalize_products(canonicalize_types(graph, 16)))) == wanted
