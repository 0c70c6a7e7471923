"""sol.verify passes for right code and names the node whose code is wrong."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import sol
from sol.inspect.checks import relative_error
from tests.runtime.models import Counter, Lambda, convnet, mlp
from tests.runtime.wrong_weights import plant


@pytest.mark.parametrize(
    ("model", "inputs"),
    (
        (mlp(), torch.rand(2, 4)),
        (convnet(), torch.rand(1, 3, 8, 8)),
        (Lambda(lambda x: {"a": torch.linalg.det(x * 2), "b": x, "c": None}), torch.rand(3, 3)),
        (Lambda(lambda x: x.add_(1)), torch.rand(3)),
        (Lambda(lambda x: (x.log(), x / 0)), torch.tensor([-1.0, 0.0, 1.0])),
    ),
)
def test_passes(model: nn.Module, inputs: torch.Tensor) -> None:
    before = inputs.clone()
    found = sol.verify(model, inputs)
    assert found.passed and not found.culprit and "passed" in str(found), str(found)
    assert all(o.sol_against_peer <= 0.05 for o in found.outputs)
    assert torch.equal(inputs, before)


def test_float64_column_and_names() -> None:
    found = sol.verify(Lambda(lambda x: {"y": x.exp(), "z": [x.sum()]}), torch.rand(50))
    assert [o.name for o in found.outputs] == ["output['y']", "output['z'][0]"]
    assert all(o.sol_against_float64 is not None and o.sol_against_float64 < 1e-6 for o in found.outputs)
    assert "sol vs float64" in str(found)


def test_buffers_and_modes_are_left_as_they_were() -> None:
    model = Counter().train()
    assert sol.verify(model, torch.zeros(3)).passed
    assert model.training and model.count.count_nonzero() == 0


def test_wrong_weights_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    layers = [nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 8)]
    model, x = nn.Sequential(*layers).eval(), torch.rand(2, 8)
    plant(monkeypatch, lambda array: 192 == array.size)  # layer 4 and layer 6
    found = sol.verify(model, x)
    assert not found.passed and "FAILED" in str(found)
    assert found.outputs[0].sol_against_peer > 1e-3 > found.outputs[0].peer_against_float64  # type: ignore[operator]
    assert "= linear at 4" in found.culprit and "kernel linear" in found.culprit, found.culprit


def test_wrong_branch_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Branches(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.left, self.right = nn.Linear(8, 16), nn.Linear(8, 16)
            self.last = nn.Linear(16, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            a = torch.sigmoid(self.left(x))
            b = torch.sigmoid(self.right(x.neg()).abs())
            return self.last(a * b)

    torch.manual_seed(0)
    model = Branches().eval()
    bad = model.left.weight.detach().numpy().copy()
    plant(monkeypatch, lambda array: np.array_equal(array, bad) or np.array_equal(array.T, bad))
    culprit = sol.verify(model, torch.rand(3, 8)).culprit
    assert "= linear at left" in culprit, culprit


def test_wrong_node_after_a_torch_call(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    layer = nn.Linear(4, 4).eval()

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(self.layer(torch.linalg.qr(x * 2)[1]))

    plant(monkeypatch, lambda array: array.size == 16)
    culprit = sol.verify(Model().eval(), torch.rand(4, 4)).culprit
    assert "= linear at layer" in culprit, culprit


def test_torch_that_is_off_is_no_alarm() -> None:
    """A sum that cancels: torch in float32 is far from float64, in float64 it is not."""

    class Cancelling(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            wrong = x.dtype is torch.float32 and not torch.compiler.is_exporting()
            return x.exp() * (1.01 if wrong else 1.0)

    found = sol.verify(Cancelling(), torch.rand(9))
    assert found.passed and found.outputs[0].off == "torch" and "torch is off" in str(found), str(found)


def test_a_wrong_import_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from sol.frontend.torch import importer

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 8)).eval()
    find = importer.find_converter
    monkeypatch.setattr(importer, "find_converter", lambda name: find(name.replace("sigmoid", "tanh")))
    found = sol.verify(model, torch.rand(2, 8))
    assert not found.passed and found.outputs[0].off == "the import" and found.culprit.startswith("1 = tanh"), str(found)


def test_a_model_that_float64_does_not_take() -> None:
    class Strict(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if x.dtype is not torch.float32:
                raise TypeError("float32 only")
            return x.exp() * (1.0 if torch.compiler.is_exporting() else 1.01)

    found = sol.verify(Strict(), torch.rand(9))
    assert not found.passed and found.outputs[0].off == "unknown" and "float32 only" in str(found), str(found)


@pytest.mark.parametrize("dtype", (torch.float64, torch.float16))
def test_what_runs_in_torch_is_not_said_to_be_checked(dtype: torch.dtype) -> None:
    x = torch.rand(2, 8).to(dtype)
    found = sol.verify(sol.optimize(nn.Linear(8, 4).to(dtype).eval(), x), x)
    assert not found.compared and not found.passed and str(found).startswith("nothing compared"), str(found)
    assert "all of the model runs in torch" in str(found) and found.as_dict()["compared"] is False
    found = sol.verify(sol.optimize(nn.Linear(8, 4).eval(), x.float()), x.float())
    assert found.compared and found.passed, str(found)


def test_bfloat16_is_compared() -> None:
    """With torch in the same type: both may be off by roundings."""
    x = torch.rand(2, 8).to(torch.bfloat16)
    found = sol.verify(sol.optimize(nn.Linear(8, 4).to(torch.bfloat16).eval(), x), x)
    assert found.compared and found.passed, str(found)


def test_relative_error() -> None:
    nan, inf = np.nan, np.inf
    assert relative_error(np.array([1.0, nan, inf]), np.array([1.0, nan, inf])) == 0
    assert relative_error(np.array([1.0, 2.0]), np.array([1.0, nan])) == inf
    assert relative_error(np.array([1.0, nan]), np.array([1.0, 2.0])) == inf
    assert relative_error(np.array([inf]), np.array([-inf])) == inf
    assert relative_error(np.zeros(3), np.zeros(2)) == inf
    assert relative_error(np.array([1.0, 3.0]), np.array([1.0, 4.0])) == 0.25
    assert relative_error(np.zeros(0), np.zeros(0)) == 0
    assert relative_error(np.array([1j]), np.array([1.0])) > 1
