"""Gradients through compiled inference equal torch's."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import sol
from sol.runtime.torch.dynamo import sol_backend
from tests.runtime.models import Counter, Lambda, close, convnet, mlp


def gradients(call: Any, model: nn.Module, *inputs: torch.Tensor) -> list[Any]:
    model.zero_grad(set_to_none=True)
    given = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
    result = call(*given)
    total = sum(r.square().sum() for r in (result if isinstance(result, tuple) else (result,)) if r.requires_grad)
    total.backward()  # type: ignore[union-attr]
    return [result, [x.grad for x in given], [p.grad for p in model.parameters()]]


@pytest.mark.parametrize(
    ("model", "inputs"),
    (
        (mlp(), (torch.rand(2, 4),)),
        (convnet(), (torch.rand(2, 3, 8, 8),)),
        (Lambda(lambda a, b: (a * b, a.argmax(), b.sum())), (torch.rand(3), torch.rand(3))),
        (Lambda(lambda a: (a, a * 2)), (torch.rand(3),)),
        (nn.Embedding(5, 3), (torch.tensor([0, 4]),)),
        (Lambda(lambda a: torch.linalg.det(a * 2)), (torch.rand(3, 3),)),
    ),
)
def test_backward(model: nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
    model.eval()
    fast = sol.optimize(model, list(inputs))
    close(gradients(fast, model, *inputs), gradients(model, model, *inputs))


def test_no_graph_where_no_gradient_is_needed() -> None:
    model = mlp().requires_grad_(False)
    fast = sol.optimize(model, torch.rand(2, 4))
    assert not fast(torch.rand(2, 4)).requires_grad
    x = torch.rand(2, 4, requires_grad=True)
    fast(x).sum().backward()
    assert x.grad is not None and model[0].weight.grad is None


def test_result_used_twice_and_chained() -> None:
    model = nn.Linear(4, 4).eval()
    fast = sol.optimize(model, torch.rand(2, 4))
    both = []
    for call in (fast, model):
        x = torch.ones(2, 4, requires_grad=True)
        y = call(call(x))
        (y.sum() + y.square().sum()).backward()
        both.append(x.grad)
    close(*both)


def test_same_tensor_for_two_inputs() -> None:
    model = Lambda(lambda a, b: a * b)
    fast, x = sol.optimize(model, [torch.rand(3), torch.rand(3)]), torch.rand(3, requires_grad=True)
    fast(x, x).sum().backward()
    close(x.grad, 2 * x.detach())


def test_keyword_inputs() -> None:
    model = Lambda(lambda x=None, scale=1.0: {"y": x * scale, "n": None})
    fast, x = sol.optimize(model, {"x": torch.rand(3), "scale": 3.0}), torch.rand(3, requires_grad=True)
    fast(x=x, scale=3.0)["y"].sum().backward()
    close(x.grad, torch.full((3,), 3.0))


def test_parameter_changed_before_backward_is_an_error() -> None:
    model = nn.Linear(4, 4).eval()
    fast, x = sol.optimize(model, torch.rand(2, 4)), torch.rand(2, 4, requires_grad=True)
    result = fast(x)
    with torch.no_grad():
        model.weight.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_models_that_cannot_run_twice_run_in_torch() -> None:
    model = Counter()
    fast, x = sol.optimize(model, torch.zeros(3)), torch.zeros(3, requires_grad=True)
    fast(x).sum().backward()
    close(model.count, torch.ones(3))
    noisy = Lambda(lambda x: x * torch.rand(3))
    y = torch.ones(3, requires_grad=True)
    result = sol.optimize(noisy, torch.ones(3))(y)
    result.sum().backward()
    close(y.grad, result.detach())


def test_finetuning_step_changes_the_compiled_model() -> None:
    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    optimizer = torch.optim.Adam(fast.parameters(), lr=0.1)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = fast(x).square().sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    with torch.no_grad():
        close(fast(x), model(x))


@pytest.mark.parametrize("training", ["auto", "compiled"])
@pytest.mark.parametrize("way", ["eval", "train", "torch.compile"])
def test_turned_results_may_be_changed_in_place(training: str, way: str) -> None:
    """Strides make no view of them."""

    class Turned(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 6)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.tanh(self.layer(x)).t().contiguous().t() + 1

    model, x = Turned().train(way == "train"), torch.rand(5, 8)
    torch._dynamo.reset()
    fast = torch.compile(model, backend=sol_backend) if way == "torch.compile" else sol.optimize(model, [x])
    with sol.config.override(training=training):
        for _ in range(2):
            found = []
            for call in (fast, model):
                model.zero_grad()
                y = call(x)
                assert not y.is_contiguous()
                y.mul_(3).add_(1).square().sum().backward()
                found.append([y, model.layer.weight.grad.clone()])
            close(*found)
    torch._dynamo.reset()
