"""Models whose code asks whether gradients are computed follow the branch that eager torch follows, in every mode."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import is_grad_enabled as enabled
from torch import nn

import sol
from sol.frontend.torch.gradient_mode import asks_gradient_mode
from tests.runtime.models import close, convnet, mlp


def halved_without_gradients(x: torch.Tensor) -> torch.Tensor:
    return x if enabled() else x / 2


def _further(x: torch.Tensor) -> torch.Tensor:
    return halved_without_gradients(x) + 1


class Asking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.layer(x)
        return y if torch.is_grad_enabled() else y * 3


class Calling(Asking):
    def __init__(self, function: Any = None) -> None:
        super().__init__()
        if function is not None:
            self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(self.layer(x))

    def function(self, x: torch.Tensor) -> torch.Tensor:
        return _further(x)


class Property(Asking):
    @property
    def factor(self) -> float:
        return [3.0 if torch.is_grad_enabled() else 1.0 for _ in range(1)][0]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x) * self.factor


def _closure(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: function(x)


def _tripled_without_gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(self: Any, x: torch.Tensor) -> torch.Tensor:
        return function(self, x) * (1 if torch.is_grad_enabled() else 3)

    return wrapper


class Decorated(Asking):
    @_tripled_without_gradients
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


MODELS: dict[str, Callable[[], nn.Module]] = {
    "forward": Asking, "by functions": Calling, "closure": lambda: Calling(_closure(halved_without_gradients)), "property": Property,
    "decorated": Decorated,
    "layer": lambda: nn.Sequential(nn.Linear(4, 4), Asking()),
}  # fmt: skip


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("frozen", (False, True))
@pytest.mark.parametrize("first", (False, True))
def test_branches(make: Callable[[], nn.Module], frozen: bool, first: bool) -> None:
    model = make().eval().requires_grad_(not frozen)
    other, x = copy.deepcopy(model), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    for mode in (first, not first, first):
        with torch.set_grad_enabled(mode):
            close(fast(x), other(x))
    if not frozen:
        for m in (fast, other):
            m(x).sum().backward()
        for ours, theirs in zip(model.parameters(), other.parameters()):
            close(ours.grad, theirs.grad)


def test_others_do_not_ask() -> None:
    for model in (mlp(), convnet(), nn.TransformerEncoderLayer(8, 2), nn.LSTM(3, 4)):
        assert not asks_gradient_mode(model)
    assert all(asks_gradient_mode(make()) for make in MODELS.values())
