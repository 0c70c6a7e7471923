"""Small models that the tests of the runtime share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn


class Lambda(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function
        self.training = False

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def mlp() -> nn.Sequential:
    """4 → 8 → 3 with GELU, in eval mode."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 3)).eval()


def convnet() -> nn.Sequential:
    """Convolution, batch norm with statistics that matter, dropout, pooling, linear; in eval mode."""
    torch.manual_seed(0)
    norm = nn.BatchNorm2d(8)
    net = nn.Sequential(nn.Conv2d(3, 8, 3), norm, nn.ReLU(), nn.Dropout(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))
    with torch.no_grad():
        norm.running_mean.uniform_(-0.5, 0.5)  # type: ignore[union-attr]
        norm.running_var.uniform_(0.5, 2)  # type: ignore[union-attr]
    return net.eval()


class Counter(nn.Module):
    """Adds a buffer that it increases at every call."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(3))
        self.eval()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(1)
        return x + self.count


def close(actual: Any, expected: Any) -> None:
    """Equal structure and, up to rounding, values."""
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5, equal_nan=True)
