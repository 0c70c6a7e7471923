"""What training scripts do around a model: optimizers, autocast, checkpointing, functions with gradients of their own, compiled steps."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import sol
from tests.training.steps import GRADIENT, LOSS

X, Y = torch.linspace(-9, 9, 8 * 3 * 16 * 16).view(8, 3, 16, 16).sin(), torch.arange(8) % 5


def network() -> nn.Sequential:
    torch.manual_seed(3)
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 24, 3, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 5),
    )  # fmt: skip


def losses(model: nn.Module, make: Callable[..., torch.optim.Optimizer], steps: int = 4, **autocast: Any) -> list[float]:
    """Losses of so many steps, by a closure, as LBFGS wants it and others take it."""
    optimizer = make(model.parameters())

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        with torch.autocast("cpu", enabled=bool(autocast), **autocast):
            loss = F.cross_entropy(model(X), Y)
        loss.backward()
        return loss

    return [float(optimizer.step(closure).detach()) for _ in range(steps)]  # type: ignore[arg-type]


def compare(model: nn.Module, make: Callable[..., torch.optim.Optimizer], tolerance: float = 5 * LOSS, **autocast: Any) -> Any:
    """The compiled model after steps whose losses were eager's."""
    eager = copy.deepcopy(model)
    fast = sol.optimize(model, [X]).train()
    assert losses(fast, make, **autocast) == pytest.approx(losses(eager, make, **autocast), rel=tolerance)
    assert all(p.gradients.failure is None and len(p.gradients.variants) for p in fast._trainer.pieces)
    return fast


OPTIMIZERS = ("SGD", "Adam", "AdamW", "Adagrad", "Adadelta", "RMSprop", "Rprop", "NAdam", "RAdam", "Adamax", "ASGD", "LBFGS")


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name: str) -> None:
    """Those that divide a gradient by its own size turn the rounding of tiny gradients into whole steps."""
    options = {"max_iter": 3} if name == "LBFGS" else {"lr": 0.01}
    compare(network(), lambda parameters: getattr(torch.optim, name)(parameters, **options), tolerance=1e-2)


def test_autocast() -> None:
    """Products of bfloat16 carry eight bits, and eager and compiled code round at different places."""
    compare(network(), lambda parameters: torch.optim.SGD(parameters, lr=0.1), tolerance=2e-2, dtype=torch.bfloat16)


def test_gradients_under_autocast() -> None:
    """Odd numbers of channels, strides, dilations, groups, transposed convolutions: at most five times the error of eager's gradients."""
    torch.manual_seed(4)
    model = nn.Sequential(
        nn.Conv2d(3, 33, 3, padding=1), nn.BatchNorm2d(33), nn.ReLU(), nn.Conv2d(33, 48, 3, stride=2, padding=1), nn.SiLU(),
        nn.Conv2d(48, 48, 3, padding=2, dilation=2, groups=3), nn.Conv2d(48, 48, 3, padding=1, groups=48), nn.BatchNorm2d(48),
        nn.ConvTranspose2d(48, 40, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(40, 20, 1, stride=2), nn.AvgPool2d(2), nn.Flatten(),
        nn.Linear(320, 64), nn.GELU(), nn.Linear(64, 5),
    )  # fmt: skip
    exact, fast = copy.deepcopy(model).double(), sol.optimize(copy.deepcopy(model), [X]).train()

    def gradients(of: nn.Module, x: torch.Tensor, autocast: bool) -> list[torch.Tensor]:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
            loss = of(x).square().mean()
        loss.backward()
        return [p.grad.double() for p in of.parameters() if p.grad is not None]

    want, eager, got = gradients(exact, X.double(), False), gradients(model, X, True), gradients(fast, X, True)
    floor = 1e-3 * torch.cat([w.flatten() for w in want]).norm()
    assert len(want) == len(got) == len(eager)
    for w, e, g in zip(want, eager, got):
        assert (g - w).norm() <= 5 * torch.maximum((e - w).norm(), floor)


def test_digits_are_learned_under_autocast() -> None:
    """Most of the digits that were not learned are told, as with eager."""
    data = pytest.importorskip("sklearn.datasets").load_digits()
    order = torch.randperm(len(data.target))
    images, digits = torch.tensor(data.images, dtype=torch.float32)[order, None] / 16, torch.tensor(data.target)[order]
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(1024, 10),
    )  # fmt: skip
    fast = sol.optimize(model, [images[:64]]).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for places in torch.stack([torch.randperm(1408) for _ in range(5)]).view(-1, 64):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(fast(images[places]), digits[places])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        told = model.eval()(images[1408:]).argmax(1) == digits[1408:]
    assert told.float().mean() > 0.95


def sgd(parameters: Any) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


class Split(nn.Module):
    """What takes the middle of the network and the result of its first part: it may call the one, change the other."""

    def __init__(self, between: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.first, self.middle, self.last = network()[:3], network()[3:6], network()[6:]
        self.between = between

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.between(self.middle, self.first(x)))


def test_checkpointing() -> None:
    compare(Split(lambda middle, h: checkpoint(middle, h, use_reentrant=False)), sgd)


class Cube(torch.autograd.Function):
    """Its gradient is not the true one, so that it is told from a derived one."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        (x,) = ctx.saved_tensors
        return grad * (x + 1)


def test_functions_with_a_gradient_of_their_own() -> None:
    compare(Split(lambda middle, h: middle(Cube.apply(h))), sgd)  # type: ignore[no-untyped-call]


@torch.library.custom_op("sol_tests::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


twice.register_fake(torch.empty_like)
twice.register_autograd(lambda ctx, grad: grad * 3)


def test_custom_operations() -> None:
    compare(Split(lambda middle, h: middle(twice(h))), sgd)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_compiled_optimizers(name: str) -> None:
    """``torch.compile(optimizer.step)`` writes parameters and moments that the optimizer holds."""
    models = [nn.Sequential(nn.Linear(6, 9), nn.Tanh(), nn.Linear(9, 3)) for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    optimizers = [getattr(torch.optim, name)(m.parameters(), lr=0.05) for m in models]
    steps = [optimizers[0].step, torch.compile(optimizers[1].step, backend="sol")]
    for _ in range(4):
        for model, optimizer, step in zip(models, optimizers, steps):
            optimizer.zero_grad()
            model(X.view(-1, 6)).pow(2).mean().backward()
            step()
    for a, b in zip(*(m.parameters() for m in models)):
        torch.testing.assert_close(b, a, rtol=GRADIENT, atol=1e-6)


def test_whole_steps_under_torch_compile() -> None:
    def stepped(model: nn.Module, optimizer: torch.optim.Optimizer) -> Callable[[], torch.Tensor]:
        def step() -> torch.Tensor:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(X), Y)
            loss.backward()
            optimizer.step()
            return loss

        return step

    eager, ours = network(), network()
    plain, fast = stepped(eager, sgd(eager.parameters())), torch.compile(stepped(ours, sgd(ours.parameters())), backend="sol")
    assert [float(fast()) for _ in range(4)] == pytest.approx([float(plain()) for _ in range(4)], rel=5 * LOSS)
