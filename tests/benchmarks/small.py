"""Networks small enough to be timed in a test."""

from __future__ import annotations

import torch


def tiny() -> tuple[torch.nn.Module, torch.Tensor]:
    """A layer and an activation, with inputs for batch 1."""
    return torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()), torch.rand(1, 8)


def convolutions() -> tuple[torch.nn.Module, torch.Tensor]:
    """A dense and a depthwise convolution and a layer, with inputs for batch 1."""
    convolutions = [torch.nn.Conv2d(16, 32, 3), torch.nn.ReLU(), torch.nn.Conv2d(32, 32, 3, groups=32)]
    return torch.nn.Sequential(*convolutions, torch.nn.Flatten(), torch.nn.Linear(2048, 8)), torch.rand(1, 16, 12, 12)
