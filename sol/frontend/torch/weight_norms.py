"""Gradients of weight normalisation (Salimans and Kingma 2016), written as the operations that they are made of."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def _grads(grad: Tensor, direction: Tensor, size: Tensor, norms: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Gradients of ``direction`` and ``size`` of ``w = direction * size / norms``, norms over all dimensions but ``dim``,
    which are float32 where these are narrower."""
    others = [d for d in range(direction.dim()) if d != dim]
    along = (grad * direction).sum(others, keepdim=True) / norms
    return ((grad - direction * (along / norms)) * (size / norms)).to(direction.dtype), along.to(size.dtype)


DECOMPOSITIONS: dict[Any, Any] = {aten._weight_norm_interface_backward.default: _grads}
"""Operation of AOTAutograd's graphs → what computes it with others."""
