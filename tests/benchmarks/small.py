"""Networks small enough to be timed in a test."""

from __future__ import annotations

import torch


def tiny() -> tuple[torch.nn.Module, torch.Tensor]:
    """A layer and an activation, with inputs for batch 1."""
    return torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()), torch.rand(1, 8)
