"""How eager torch would have laid a tensor out, read from the fake tensors of a trace."""

from __future__ import annotations

from typing import Any

import torch

_FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


def is_channels_last(tensor: torch.Tensor) -> bool:
    """Whether channels vary fastest, and the plain order does not fit too."""
    format = _FORMATS.get(tensor.dim())
    return format is not None and not tensor.is_contiguous() and tensor.is_contiguous(memory_format=format)


def storage_order(tensor: torch.Tensor) -> tuple[int, ...] | None:
    """Dimensions from the slowest to the fastest of a tensor without gaps; None if that is their own order, or there are gaps."""
    if tensor.layout is not torch.strided or tensor.is_contiguous():
        return None
    shape, strides = [_hint(s) for s in tensor.shape], [_hint(s) for s in tensor.stride()]
    if None in shape or None in strides:
        return None
    order = sorted(range(len(shape)), key=lambda d: (-strides[d], d))
    expected = 1
    for d in reversed(order):
        if shape[d] != 1 and strides[d] != expected:
            return None
        expected *= shape[d]
    return tuple(order) if [d for d in order if shape[d] != 1] != [d for d in range(len(shape)) if shape[d] != 1] else None


def _hint(size: Any) -> Any:
    """A size as number: of the example if it is open."""
    if isinstance(size, int):
        return size
    return size.node.hint if size.node.has_hint() else None
