"""Parts without kernel run in torch between compiled parts, and explain names them."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import sol
from tests.runtime.models import Lambda, close, mlp


def determinant(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(torch.linalg.det(torch.tanh(x) + torch.eye(3))) * 2


def test_compiled_around_torch() -> None:
    model, x = Lambda(determinant), torch.rand(4, 3, 3)
    fast = sol.optimize(model, x)
    close(fast(x), model(x))
    runner = fast._programs[0].runner
    assert len(runner.executables) == 2 and [n.attrs["key"] for n in runner.torch_nodes] == ["linalg_det"]
    (row,) = sol.explain(fast, x).torch
    assert row.operation == "linalg_det" and "no converter" in row.reason and ".py:" in row.origin


def test_what_reads_nothing_computed_runs_first() -> None:
    """What comes before random numbers in the code is compiled together with what comes behind."""

    class Noisy(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = torch.tanh(x)
            y = y * torch.rand(4, 5) + 1
            return torch.tanh(y * torch.rand(5))

    model, x = Noisy().eval(), torch.rand(4, 5)
    fast = sol.optimize(model, x)
    for _ in range(2):
        torch.manual_seed(3)
        expected = model(x)
        torch.manual_seed(3)
        close(fast(x), expected)
    steps = [executable is not None for _, executable in fast._programs[0].runner.steps]
    assert steps == [False, False, True]


def test_several_results_of_a_torch_call() -> None:
    model = Lambda(lambda x: (torch.linalg.svd(x.reshape(4, 5) * 2)[1] + 1, torch.linalg.qr(x.reshape(4, 5))[1].abs()))
    x = torch.randn(20)
    fast = sol.optimize(model, x)
    close(fast(x), model(x))
    assert len(fast._programs[0].runner.torch_nodes) >= 2


def test_sizes_that_depend_on_data() -> None:
    model = Lambda(lambda x: (torch.relu(x)[torch.relu(x) > 0.5] * 2).sum() + x.sum())
    fast = sol.optimize(model, torch.rand(20))
    for _ in range(3):
        x = torch.rand(20)
        close(fast(x), model(x))
    reasons = [row.reason for row in sol.explain(fast, x).torch]
    assert any("depends on the data" in r for r in reasons)


def test_nonzero_result_has_its_own_size() -> None:
    model = Lambda(lambda x: torch.nonzero(x * 2 > 1))
    fast = sol.optimize(model, torch.rand(10))
    for x in (torch.rand(10), torch.zeros(10), torch.ones(10)):
        close(fast(x), model(x))


def test_torch_call_on_parameters() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.rand(3, 3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.linalg.det(self.weight * 2) * torch.relu(x)

    model, x = Model().eval(), torch.randn(5)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        close(fast(x), model(x))
        model.weight.mul_(2)
        close(fast(x), model(x))
    y = x.clone().requires_grad_()
    fast(y).sum().backward()
    assert model.weight.grad is not None and y.grad is not None


def test_everything_in_torch() -> None:
    model, x = Lambda(torch.linalg.det), torch.rand(3, 3)
    fast = sol.optimize(model, x)
    close(fast(x), model(x))
    assert not fast._programs[0].runner.executables


def test_dynamic_sizes_across_a_torch_call() -> None:
    model = Lambda(determinant)
    fast = sol.optimize(model, torch.rand(4, 3, 3), dynamic_shapes=(({0: torch.export.Dim("n")},),))
    for n in (2, 5, 9):
        x = torch.rand(n, 3, 3)
        close(fast(x), model(x))
    assert len(fast._programs) == 1


def test_one_segment_without_torch_calls() -> None:
    fast = sol.optimize(mlp(), torch.rand(2, 4))
    runner = fast._programs[0].runner
    assert len(runner.segments) == 1 and not runner.torch_nodes


@pytest.mark.parametrize("threads", (1, 2))
def test_threads_option(threads: int) -> None:
    model, x = Lambda(determinant), torch.rand(4, 3, 3)
    fast = sol.optimize(model, x, threads=threads)
    close(fast(x), model(x))
    assert all(e._team() == threads for e in fast._programs[0].runner.executables)


def test_each_part_takes_its_own_views_of_inputs() -> None:
    x, w = torch.randn(3, 3), torch.randn(3, 3)
    model = Lambda(lambda x, w: torch.linalg.inv(torch.tanh(x) @ w.t()) @ w.t())
    fast = sol.optimize(model, [x, w])
    close(fast(x, w), model(x, w))
    runner = fast._programs[0].runner
    before, after = (s for s in runner.steps if s[1] is not None)
    assert len(before[0].outputs) == 1 and len(after[0].inputs) == 2
