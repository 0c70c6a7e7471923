"""torch.compile(backend=sol_backend): what is compiled, what runs in torch, and how often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from sol.frontend.imported import Imported
from sol.runtime.torch import pieces
from sol.runtime.torch.dynamo import sol_backend
from sol.runtime.torch.program import Program


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Imported]]:
    """What was compiled, in order."""
    found: list[Imported] = []

    class Recorded(Program):
        def __init__(self, imported: Imported, *args: Any, **kwargs: Any) -> None:
            found.append(imported)
            super().__init__(imported, *args, **kwargs)

    monkeypatch.setattr(pieces, "Program", Recorded)
    torch._dynamo.reset()
    yield found
    torch._dynamo.reset()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.out = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Linear(4, 5)
        self.register_buffer("scale", torch.rand(4))

    def forward(self, x: torch.Tensor, k: int = 3) -> Any:
        y = torch.relu_(self.norm(self.conv(x))).mean((2, 3)) * self.scale + k
        return {"y": self.out(y), "n": x.shape[0]}


def close(a: Any, b: Any) -> None:
    assert a["n"] == b["n"]
    torch.testing.assert_close(a["y"], b["y"], rtol=1e-4, atol=1e-5)


def test_static(compiled: list[Imported]) -> None:
    net, x = Net().eval(), torch.rand(2, 3, 8, 8)
    with torch.no_grad():
        close(torch.compile(net, backend=sol_backend)(x), net(x))
    assert len(compiled) == 1 and len(compiled[0].graph.inputs) == 1
    assert not compiled[0].torch_calls


@pytest.mark.parametrize("dynamic", (True, None))
def test_dynamic(compiled: list[Imported], dynamic: bool | None) -> None:
    net = Net().eval()
    fast = torch.compile(net, backend=sol_backend, dynamic=dynamic)
    with torch.no_grad():
        for batch, size in ((2, 8), (3, 8), (5, 8), (4, 12)):
            x = torch.rand(batch, 3, size, size)
            close(fast(x, 3), net(x, 3))
        close(fast(x, 4), net(x, 4))
    assert len(compiled) <= 5


def test_changed_parameters(compiled: list[Imported]) -> None:
    net, x = Net().eval(), torch.rand(2, 3, 8, 8)
    fast = torch.compile(net, backend=sol_backend)
    with torch.no_grad():
        fast(x)
        net.out.weight.mul_(2)
        close(fast(x), net(x))
        net.out.weight = nn.Parameter(torch.rand(5, 4))
        close(fast(x), net(x))


def test_graph_break_and_control_flow(compiled: list[Imported]) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x) * 2
        torch._dynamo.graph_break()
        return y + 1 if y.sum() > 0 else y - 1

    fast = torch.compile(function, backend=sol_backend)
    for x in (torch.rand(4), -torch.rand(4)):
        torch.testing.assert_close(fast(x), function(x))
    assert len(compiled) >= 3


def test_mutated_input_and_buffer(compiled: list[Imported]) -> None:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.count.add_(1)
            x.mul_(2)
            return x + self.count

    net, x = Counter(), torch.ones(3)
    with torch.no_grad():
        torch.testing.assert_close(torch.compile(net, backend=sol_backend)(x), torch.full((3,), 3.0))
    torch.testing.assert_close(x, torch.full((3,), 2.0))
    torch.testing.assert_close(net.count, torch.ones(3))


def test_gradients_are_torchs(compiled: list[Imported]) -> None:
    """Forward is compiled until the first backward pass, which runs in torch, as does all from then on."""
    net, x = Net().eval(), torch.rand(2, 3, 8, 8)
    fast = torch.compile(net, backend=sol_backend)
    for _ in range(2):
        net.zero_grad()
        theirs = torch.autograd.grad(net(x)["y"].sum(), net.conv.weight)[0]
        fast(x)["y"].sum().backward()
        torch.testing.assert_close(net.conv.weight.grad, theirs)
    assert len(compiled) == 1


def test_batch_norm_in_training_mode() -> None:
    net, theirs = nn.BatchNorm1d(3), nn.BatchNorm1d(3)
    fast = torch.compile(net, backend=sol_backend)
    with torch.no_grad():
        for _ in range(2):
            x = torch.rand(4, 3)
            torch.testing.assert_close(fast(x), theirs(x))
    torch.testing.assert_close(dict(net.named_buffers()), dict(theirs.named_buffers()))
