"""Random numbers that need no operand: a call draws them before all that is compiled runs, which then is one program.

They come from torch's generator, in the order in which eager draws them. What draws them is in ``runtime.torch.masks``.
"""

from __future__ import annotations

from typing import Any

import torch

NAMESPACE = "sol_draws"
LIBRARY = torch.library.Library(NAMESPACE, "DEF")
LIBRARY.define("dropout_mask(float kept, SymInt[] sizes) -> Tensor", tags=(torch.Tag.nondeterministic_seeded,))


def dropout_mask() -> Any:
    """The operation ``sol_draws::dropout_mask``: a bool tensor of these sizes, true with probability ``kept``."""
    return torch.ops.sol_draws.dropout_mask.default


def memory_order(tensor: torch.Tensor) -> list[int] | None:
    """Dimensions of a new tensor like this one (``torch.empty_like``) from the slowest to the fastest in memory; None where open sizes
    leave that open."""
    if not all(isinstance(n, int) for n in (*tensor.shape, *tensor.stride())):
        return list(range(tensor.dim())) if tensor.is_contiguous() else None
    strides = torch.empty_like(tensor, device="meta").stride()
    return sorted(range(tensor.dim()), key=lambda d: (-strides[d], d))
