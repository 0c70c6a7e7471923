"""Ways besides a program: calls that run in torch or in pieces are recognized at once, and are not captured without end."""

from __future__ import annotations

import collections
import copy
import logging
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import sol
from sol.frontend.torch.export import import_call
from sol.runtime.torch import ways
from sol.runtime.torch.module import SolModule
from sol.runtime.torch.partition import FRUITLESS

Named = collections.namedtuple("Named", "value size")


class Branching(nn.Module):
    """A branch that data decides lies between two pieces."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.linear(x)) if x.sum() > 0 else x - 1


class Resampling(nn.Module):
    """The same behind a resampled image."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.interpolate(x, scale_factor=0.7, mode="bilinear")
        return torch.sigmoid(x) * 2 if x.sum() > 0 else x - 1


@pytest.mark.parametrize("make", [lambda: (nn.Linear(6, 6).double(), torch.rand(2, 6).double()), lambda: (Branching(), torch.rand(2, 6))])
def test_calls_beside_a_program_are_not_compiled_again(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = make()
    fast = sol.optimize(model.eval(), [x], fallback="eager")
    with torch.no_grad():
        fast(x)
        monkeypatch.setattr(SolModule, "compile_for", lambda *_: pytest.fail("compiled again"))
        torch.testing.assert_close(fast(x), model(x))
    assert not fast._programs


def test_a_branch_is_captured_once_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other choices of open sizes are not tried where data decide a branch."""
    calls = []
    monkeypatch.setattr(ways, "import_call", lambda *args, **kwargs: (calls.append(1), import_call(*args, **kwargs))[1])
    model, x = Branching().eval(), torch.rand(2, 6)
    fast = sol.optimize(model, [x], dynamic_shapes=({0: torch.export.Dim("batch")},), fallback="eager")
    with torch.no_grad():
        torch.testing.assert_close(fast(x), model(x))
    assert len(calls) == 1 and fast._ways.partition is not None


def test_types_in_turn() -> None:
    """A program and calls that run in torch are found whichever came last."""
    fast = sol.optimize(lambda x: torch.softmax(x, -1) @ x, [torch.rand(8, 8)], fallback="eager")
    for dtype in (torch.float64, torch.float32, torch.float64, torch.float16, torch.float32):
        x = torch.rand(8, 8).to(dtype)
        torch.testing.assert_close(fast(x), torch.softmax(x, -1) @ x)
    assert len(fast._programs) == 1 and len(fast._ways.in_torch) == 2


def test_images_of_many_sizes(caplog: pytest.LogCaptureFixture) -> None:
    """Models that resample images are captured for a few sizes, each of them fixed; for others they run in torch."""
    model = Resampling().eval()
    sizes = [(9, 9), (10, 12), (12, 9), (16, 16), (18, 20), (20, 18), (9, 9)]
    with torch.no_grad(), caplog.at_level(logging.WARNING, "sol"):
        fast = sol.optimize(model, [torch.rand(1, 3, 9, 9)], fallback="eager")
        for size in sizes:
            x = torch.rand(1, 3, *size)
            torch.testing.assert_close(fast(x), model(x))
    pieces = fast._ways.partition.pieces
    assert len(pieces) == 2 * 4 and all(p.variants for p in pieces)
    assert sum("others run in torch" in r.getMessage() for r in caplog.records) == 1


class Experts(torch.nn.Module):
    """Dynamo leaves a function whose loop breaks the graph to Python, and does not look into layers of torch that it calls."""

    def __init__(self) -> None:
        super().__init__()
        self.experts = torch.nn.ModuleList([torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()) for _ in range(3)])

    def forward(self, x: torch.Tensor, choice: torch.Tensor) -> torch.Tensor:
        y = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            (rows,) = torch.where(choice == number)
            y.index_add_(0, rows, expert(x[rows]))
        return y


def test_what_dynamo_captures_nothing_of_is_called_as_it_is() -> None:
    model, x, choice = Experts().eval(), torch.rand(7, 8), torch.arange(7) % 3
    with torch.no_grad():
        fast = sol.optimize(model, [x, choice], fallback="eager")
        for _ in range(FRUITLESS):
            torch.testing.assert_close(fast(x, choice), model(x, choice))
        partition = fast._ways.partition
        assert not partition.pieces
        partition._made.function = None  # no call goes through Dynamo any more
        torch.testing.assert_close(fast(x, choice), model(x, choice))


@pytest.mark.parametrize("make", [
    lambda x: torch.broadcast_shapes(x.shape, (1, 6)),
    lambda x: {"y": x * 2, "shape": x.sum(0).shape},
    lambda x: [Named(x + 1, x.size()), x.shape[1:]],
    lambda x: (torch.Size([x.shape[0], 3]), tuple(x.shape)),
])  # fmt: skip
@pytest.mark.parametrize("dynamic_shapes", [None, ({0: torch.export.Dim.AUTO},)])
def test_sizes_as_torch_gives_them(make: Any, dynamic_shapes: Any) -> None:
    fast = sol.optimize(make, [torch.rand(4, 6)], dynamic_shapes=dynamic_shapes)
    x = torch.rand(4 if dynamic_shapes is None else 5, 6)
    assert _kinds(fast(x)) == _kinds(make(x))


def _kinds(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return tuple(value.shape)
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, tuple | list) else None
    return value if items is None else (type(value), [(k, _kinds(v)) for k, v in items])


class Averaging(nn.Module):
    """Exchanges a buffer at every call, or reads it only."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.register_buffer("mean", torch.zeros(6))

    def forward(self, x: torch.Tensor, update: bool = True) -> torch.Tensor:
        if update:
            self.mean = self.mean * 0.5 + x.sum(0)
        return self.linear(x) - self.mean


def test_exchanged_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module is not looked through again because a program exchanged a buffer; what the caller exchanges is seen all the same."""
    torch.manual_seed(0)
    model = Averaging().eval()
    expected = copy.deepcopy(model)
    fast = sol.optimize(model, [torch.rand(2, 6)])
    settled: list[int] = []
    settle = SolModule._settle
    monkeypatch.setattr(SolModule, "_settle", lambda self: (settled.append(1), settle(self)))

    def same(*args: Any) -> None:
        x = torch.rand(2, 6)
        torch.testing.assert_close(fast(x, *args), expected(x, *args))
        assert torch.equal(model.mean, expected.mean) and dict(fast.named_buffers())["mean"] is model.mean

    with torch.no_grad():
        for _ in range(3):
            same()
        assert not settled
        for m in (model, expected):
            m.mean = torch.full((6,), 3.0)
        same()
        for m in (model, expected):
            m.linear.weight = nn.Parameter(torch.eye(6))
        same()
        assert len(settled) == 2
        for update in (False, True, False, True, False):  # a program that packs the buffer
            same(update)
        for m in (model, expected):
            m.mean = torch.full((2, 6), 1.0)
        same()
        same()


def test_exchanged_buffers_of_other_sizes() -> None:
    class Last(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("last", torch.zeros(2, 3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = x + self.last.sum()
            self.last = torch.relu(x) * 2
            return y

    model = Last().eval()
    expected, fast = copy.deepcopy(model), sol.optimize(model, [torch.rand(2, 3)])
    for size in (2, 2, 4, 4, 2, 5, 6, 7):
        x = torch.rand(size, 3)
        torch.testing.assert_close(fast(x), expected(x))
