"""torch.compile(model, backend="sol") on real networks, and on models that Dynamo must break apart."""

from __future__ import annotations

import importlib.metadata

import pytest
import torch
from torch import nn

from sol.inspect.verification import relative_error
from sol.runtime.torch.dynamo import sol_backend
from tests.models.networks import build


def backend() -> object:
    """The backend by name where the package is installed, as users give it."""
    names = {e.name for e in importlib.metadata.entry_points(group="torch_dynamo_backends")}
    return "sol" if "sol" in names else sol_backend


@pytest.fixture(autouse=True)
def fresh_dynamo() -> None:
    torch._dynamo.reset()


@pytest.mark.parametrize("name", ["resnet18", "mobilenet_v2", pytest.param("bert", marks=pytest.mark.conformance)])
@pytest.mark.budget(8)
def test_network(name: str) -> None:
    model, inputs = build(name)
    x = inputs(1)
    with torch.no_grad():
        actual, expected = torch.compile(model, backend=backend())(*x), model(*x)
    assert relative_error(actual.numpy(), expected.numpy()) <= 1e-4


class Broken(nn.Module):
    """A graph break between two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(16, 32), nn.Linear(32, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x).relu()
        torch._dynamo.graph_break()
        return self.second(hidden).softmax(-1)


class Branching(nn.Module):
    """A branch that depends on the data."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(16, 4), nn.Linear(16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.left(x) if x.sum() > 0 else self.right(x).tanh()


@pytest.mark.parametrize("kind", [Broken, Branching])
def test_pieces(kind: type[nn.Module]) -> None:
    torch.manual_seed(0)
    model = kind().eval()
    fast = torch.compile(model, backend=backend())
    with torch.no_grad():
        for sign in (1, -1, 1):
            x = sign * torch.rand(3, 16)
            assert relative_error(fast(x).numpy(), model(x).numpy()) <= 1e-5
