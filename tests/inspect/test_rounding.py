"""What sol.explain tells of rounded weights, and that sol.verify compares with torch on the same weights."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import sol
from sol.errors import UnsupportedError
from sol.ir.graph import Attrs
from sol.ir.ops.weight_only import dequantized, quantize_weight


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(200, 96)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.table(ids) @ self.table.weight.T


def net() -> nn.Module:
    return nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 128), nn.LayerNorm(128)).eval()


@pytest.mark.parametrize("weights,bits", [("int8", 8), ("int4", 4)])
def test_the_error_of_each_layer(weights: str, bits: int) -> None:
    model, x = net(), torch.randn(3, 128)
    found = sol.explain(sol.optimize(model, [x], weights=weights), [x])
    assert len(found.rounded) == 2
    for row, layer in zip(found.rounded, (model[0], model[2])):
        weight = layer.weight.detach().numpy()
        change = dequantized(*quantize_weight(Attrs({"bits": bits, "group": 64}), weight), weight.shape[1], 64) - weight
        assert (row.bits, row.group, row.shape) == (bits, 64, weight.shape)
        assert row.error == pytest.approx((change**2).mean() ** 0.5 / (weight**2).mean() ** 0.5, rel=1e-4)
        assert row.largest == pytest.approx(abs(change).max() / abs(weight).max(), rel=1e-4)
        assert row.before == weight.nbytes and row.after == weight.size * bits // 8 + weight.size // 64 * 3
    assert "rounded weights: 2" in str(found) and f"int{bits}, groups of 64" in str(found)


def test_nothing_is_told_where_nothing_is_rounded() -> None:
    model, x = net(), torch.randn(3, 128)
    found = sol.explain(sol.optimize(model, [x]), [x])
    assert not found.rounded and "rounded" not in str(found)


def test_verify_compares_with_torch_on_the_same_weights() -> None:
    model, x = net(), torch.randn(3, 128)
    before = {name: t.clone() for name, t in model.state_dict().items()}
    found = sol.verify(sol.optimize(model, [x], weights="int4"), [x])
    assert found.passed and max(c.sol_against_peer for c in found.outputs) < 1e-5, str(found)
    assert all(torch.equal(t, before[name]) for name, t in model.state_dict().items())


def test_verify_says_where_torch_cannot_have_these_weights() -> None:
    ids = torch.arange(5)
    fast = sol.optimize(Tied().eval(), [ids], weights="int4", group=32)
    with pytest.raises(UnsupportedError, match="read elsewhere as well"):
        sol.verify(fast, [ids])
