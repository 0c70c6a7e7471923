"""Captures attention with as many values as keys: torch traces it without looking whether they are, so that open sizes would stay apart.

A cache of keys and one of values grow alike. Their sizes are then one symbol, and attention over them is compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode


class EqualLengths(TorchFunctionMode):
    """Inside, a trace relies on the sizes of attention's operands that must agree."""

    def __torch_function__(self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> Any:
        kwargs = dict(kwargs or {})
        if func is F.scaled_dot_product_attention:
            _compare(*args[1:4], **kwargs)
        return func(*args, **kwargs)


def _compare(key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor | None = None, **_: Any) -> None:
    """Asking whether sizes are equal makes the answer a fact of the trace; of sizes that data decide there is none."""
    if key.is_nested or value.is_nested or min(key.dim(), value.dim()) < 2:
        return
    length, others = key.shape[-2], [value.shape[-2]]
    if attn_mask is not None and attn_mask.dim():
        others.append(attn_mask.shape[-1])
    for other in others:
        if not free_unbacked_symbols((length, other)):
            bool(other == length)
