"""What ``config["training"] = "auto"``, the default, compiles, and what it leaves to torch."""

from __future__ import annotations

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
