"""``sol.optimize(…, weights=…)``: which layers are quantized, what that costs in exactness, and what is refused."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch
from torch import nn

import sol
from sol.errors import ConfigError, UnsupportedError
from sol.ir.graph import Attrs
from sol.ir.ops.weight_only import dequantized, quantize_weight


class Block(nn.Module):
    """A linear layer, a product with a constant matrix, a small layer, and a head whose weight is an embedding's."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(96, 192)
        self.up, self.small = nn.Linear(192, 160), nn.Linear(160, 20, bias=False)
        self.matrix = nn.Parameter(torch.randn(160, 192) / 12)
        self.norm = nn.LayerNorm(192)

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        h = torch.nn.functional.gelu(self.up(self.table(ids)))
        return self.norm(h @ self.matrix) @ self.table.weight.T, self.small(h)


def rounded(weight: torch.Tensor, bits: int, group: int) -> torch.Tensor:
    parts = quantize_weight(Attrs({"bits": bits, "group": group}), weight.detach().float().numpy())
    return torch.from_numpy(dequantized(*parts, weight.shape[1], group)).to(weight.dtype)


def reference(model: Block, ids: torch.Tensor, bits: int, group: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The model with the weights that rounding gives; its table of embeddings stays as it is."""
    f = torch.nn.functional
    h = f.gelu(f.linear(model.table(ids), rounded(model.up.weight, bits, group), model.up.bias))
    y = model.norm(f.linear(h, rounded(model.matrix.T.contiguous(), bits, group)))
    return f.linear(y, rounded(model.table.weight, bits, group)), model.small(h)


@pytest.fixture
def model() -> Block:
    return Block().eval()


@pytest.mark.parametrize("weights,bits", [("int8", 8), ("int4", 4)])
@pytest.mark.parametrize("rows", (1, 5, 40))
@torch.no_grad()
def test_results_are_those_of_rounded_weights(model: Block, weights: str, bits: int, rows: int) -> None:
    ids = torch.randint(0, 96, (rows,))
    fast = sol.optimize(model, [ids], weights=weights, group=32)
    for got, want, floats in zip(fast(ids), reference(model, ids, bits, 32), model(ids)):
        torch.testing.assert_close(got, want, rtol=2e-5, atol=2e-5)
        assert (got - floats).abs().max() > 1e-4, "nothing was rounded"
    ops = [op for row in sol.explain(fast, [ids]).regions for op in row.ops]
    assert ops.count("weight_only_linear") == 3 and ops.count("linear") == 1, "small weights stay as they are"


@torch.no_grad()
def test_a_changed_parameter_takes_effect(model: Block) -> None:
    ids = torch.arange(4)
    fast = sol.optimize(model, [ids], weights="int4", group=32)
    before = fast(ids)
    model.up.weight.mul_(2)
    torch.testing.assert_close(fast(ids)[0], reference(model, ids, 4, 32)[0], rtol=2e-5, atol=2e-5)
    assert not torch.equal(before[0], fast(ids)[0])
    again = pickle.loads(pickle.dumps(fast))
    for other in (again, copy.deepcopy(fast)):
        assert torch.equal(other(ids)[0], fast(ids)[0])


@torch.no_grad()
def test_bfloat16() -> None:
    layer, x = nn.Linear(128, 192).eval().bfloat16(), torch.randn(3, 128).bfloat16()
    fast = sol.optimize(layer, [x], weights="int8", group=128)
    want = torch.nn.functional.linear(x.double(), rounded(layer.weight.float(), 8, 128).double(), layer.bias.double())
    assert "linear_int8" in str(sol.explain(fast, [x]))
    np.testing.assert_allclose(fast(x).double(), want, rtol=2e-2, atol=1e-2)


@pytest.mark.parametrize("layer", [nn.Linear(128, 192).half(), nn.Linear(64, 64), nn.LayerNorm(64)], ids=("float16", "small", "norm"))
def test_a_model_without_weights_to_round_is_refused(layer: nn.Module) -> None:
    x = torch.randn(2, 128, dtype=torch.float16) if isinstance(layer, nn.Linear) and layer.in_features == 128 else torch.randn(2, 64)
    with pytest.raises(UnsupportedError, match="no weight of this model"):
        sol.optimize(layer.eval(), [x], weights="int8")


@pytest.mark.parametrize("options,message", [
    ({"weights": "int3"}, "weights='int3' is not built"),
    ({"weights": "int4", "group": 12}, "group=12 is not built"),
    ({"weights": "int4", "group": 8}, "group=8 is not built"),
    ({"weights": "int4", "group": True}, "group=True is not built"),
    ({"weights": "int8", "group": 128}, "groups of 128 do not divide the 192 input channels"),
])  # fmt: skip
def test_what_is_not_built_is_refused(model: Block, options: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        sol.optimize(model, [torch.arange(4)], **options)
    assert caught.value.remedy


def test_training_and_gradients_are_refused(model: Block) -> None:
    ids = torch.arange(4)
    with pytest.raises(ConfigError, match="training mode"):
        sol.optimize(copy.deepcopy(model).train(), [ids], weights="int8", group=32)
    fast = sol.optimize(model, [ids], weights="int8", group=32)
    with pytest.raises(UnsupportedError, match="no gradients"):
        fast(ids)
    fast.train()
    with pytest.raises(UnsupportedError, match="does not train"):
        fast(ids)
    fast.eval()
    with torch.inference_mode():
        fast(ids)


def test_a_model_in_pieces_is_refused() -> None:
    class Branch(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + 1 if x.sum() > 0 else x - 1

    with pytest.raises(sol.errors.SolError):
        sol.optimize(Branch(), [torch.ones(3)], weights="int8")


def test_an_onnx_model() -> None:
    """Its initializers are rounded as the parameters of a module are."""
    helper = pytest.importorskip("onnx.helper")
    from onnx import numpy_helper

    w, x = torch.randn(128, 160), torch.randn(3, 128)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    ends = [helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", (3, 128)), ("y", (3, 160)))]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [numpy_helper.from_array(w.numpy(), "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    want = x @ rounded(w.T.contiguous(), 4, 64).T
    torch.testing.assert_close(sol.optimize(model, [x], weights="int4")(x), want, rtol=2e-5, atol=2e-5)
    with pytest.raises(ConfigError, match="groups of 48 do not divide"):
        sol.optimize(model, [x], weights="int4", group=48)
