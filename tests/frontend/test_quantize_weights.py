"""Which weights are quantized, and that only their values change."""

from __future__ import annotations

import pytest

from sol.errors import ConfigError, UnsupportedError
from sol.frontend.quantize_weights import SMALL, WeightFormat, quantize_weights
from sol.ir.graph import Graph
from sol.ir.text import parse_graph
from sol.ir.verify import verify
from tests.passes.support import outputs_of, random_arrays

HEAD = 'graph(%x: f32[2,128]) {\n  %w = parameter{target="w"}: f32[128,256]\n  %t = parameter{target="t"}: f32[256,128]\n  '
HEAD += '%b = parameter{target="b"}: f32[256]\n  %s = parameter{target="s"}: f32[127,128]\n  '
CASES = {
    "linear": ("%y: f32[2,256] = linear(%x, %t)", ["quantize_weight", "weight_only_linear"]),
    "bias": ("%y: f32[2,256] = linear(%x, %t, %b)", ["quantize_weight", "weight_only_linear", "add"]),
    "matmul": ("%y: f32[2,256] = matmul(%x, %w)", ["permute", "quantize_weight", "weight_only_linear"]),
    "turned": (
        "%p: f32[128,256] = permute(%t){order=(1, 0)}\n  %y: f32[2,256] = matmul(%x, %p)",
        ["quantize_weight", "weight_only_linear"],
    ),
    "made": ("%p: f32[256,128] = neg(%t)\n  %y: f32[2,256] = linear(%x, %p)", ["neg", "quantize_weight", "weight_only_linear"]),
}


def computed(graph: Graph) -> list[str]:
    return [n.op for n in graph.nodes if n.op not in ("input", "parameter")]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ("int8", "int4"))
def test_products_with_large_constants(case: str, name: str) -> None:
    body, expected = CASES[case]
    before = verify(parse_graph(HEAD + body + "\n  return %y\n}"))
    after = verify(quantize_weights(before, WeightFormat(name, 32)))
    assert computed(after) == expected
    inputs, parameters = random_arrays(before, {})
    (want,), (got,) = (outputs_of(g, inputs, parameters, {}) for g in (before, after))
    error = abs(got - want).max() / abs(want).max()
    assert 0 < error < {"int8": 5e-3, "int4": 0.15}[name]


@pytest.mark.parametrize("body", [
    "%y: f32[2,127] = linear(%x, %s)", "%y: f32[128,128] = matmul(%z, %x)\n", "%y: f32[256,2] = linear(%t, %x)",
])  # fmt: skip
def test_other_products_stay(body: str) -> None:
    """Small weights, left operands, and right operands that change from call to call."""
    assert 127 * 128 < SMALL
    text = HEAD + "%z: f32[128,2] = permute(%x){order=(1, 0)}\n  " + body.strip() + "\n  return %y\n}"
    with pytest.raises(UnsupportedError, match="no weight of this model"):
        quantize_weights(verify(parse_graph(text)), WeightFormat("int4", 32))


def test_a_group_must_divide() -> None:
    graph = verify(parse_graph(HEAD + "%y: f32[2,256] = linear(%x, %t)\n  return %y\n}"))
    with pytest.raises(ConfigError, match="groups of 48 do not divide the 128 input channels"):
        quantize_weights(graph, WeightFormat("int8", 48))
