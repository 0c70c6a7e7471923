"""What ``config["training"] = "auto"``, the default, compiles, and what it leaves to torch."""

from __future__ import annotations

import contextvars
from collections.abc import Callable

import pytest
import torch
from torch import nn

import sol
from sol.config import KNOBS
from tests.training.steps import check_gradients, check_loss, pair, step


class Attention(nn.Module):
    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.attention, self.out = nn.MultiheadAttention(64, 4, dropout, batch_first=True), nn.Linear(64, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.attention(x, x, x, need_weights=False)[0])


CASES: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...], str]] = {
    "convolutions": (lambda: nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3)), (8, 3, 40, 40), ""),
    "attention": (Attention, (8, 128, 64), ""),
    "attention that drops weights": (lambda: Attention(0.1), (8, 128, 64), ""),
    "a short step": (lambda: nn.Linear(10, 3), (5, 10), "its steps are short"),
}


def test_it_is_the_default() -> None:
    assert KNOBS["training"].default == "auto"


@pytest.mark.parametrize("name", CASES)
def test_what_trains_where(name: str) -> None:
    make, shape, reason = CASES[name]
    inputs = (torch.linspace(-9, 9, torch.Size(shape).numel()).view(shape).sin(),)
    fast, eager = pair(make(), inputs)
    with sol.config.override(training="auto"):
        for _ in range(2):
            check_loss(step(fast, inputs), step(eager, inputs))
        check_gradients(fast, eager)
        pieces = fast._trainer.pieces
        assert [p.gradients.reason for p in pieces] == [reason] and fast._trainer.is_torchs == bool(reason)
        assert all(bool(len(p.gradients.variants)) != bool(reason) for p in pieces)
        fast.eval()
        eager.eval()
        check_loss(step(fast, inputs), step(eager, inputs))
        check_gradients(fast, eager)
    with sol.config.override(training="compiled"):
        check_loss(step(fast.train(), inputs), step(eager.train(), inputs))
        check_gradients(fast, eager)
        assert all(len(p.gradients.variants) for p in pieces)


def test_hooks_of_a_model_that_trains_in_torch() -> None:
    """Of the compiled module, of the model that it was made from, and of all modules; also such as come after many calls."""
    contextvars.Context().run(check_hooks)  # in which no setting is overridden


def check_hooks() -> None:
    model, x, seen = nn.Sequential(nn.Linear(10, 3)), torch.rand(5, 10), []
    fast = sol.optimize(model, [x]).train()
    for _ in range(3):
        fast(x).sum().backward()
    assert fast.__dict__["_compiled_call_impl"].__qualname__.startswith("SolModule._call_of_torch")
    on_model = model.register_forward_hook(lambda *_: seen.append("model"))
    fast(x)
    on_module = fast.register_forward_pre_hook(lambda *_: seen.append("module"))
    fast(x)
    assert seen == ["model", "module", "model"]
    on_model.remove()
    on_module.remove()
    for _ in range(2):
        fast(x).sum().backward()
    everywhere = nn.modules.module.register_module_forward_hook(lambda module, *_: seen.append(type(module).__name__))
    try:
        fast(x)
    finally:
        everywhere.remove()
    assert seen[3:5] == ["Linear", "Sequential"]
    assert torch.equal(fast(x), model(x))
