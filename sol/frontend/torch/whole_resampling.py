"""Keeps resampling whole while AOTAutograd traces it, which torch in Python takes apart into gathers and scattered sums.

Its decomposition of "nearest-exact" also finds other places than torch's kernels do (torch.compile, too, trains with these).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch._C import DispatchKey

_OPERATIONS = (
    "upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact1d _upsample_nearest_exact2d "
    "_upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d upsample_trilinear3d upsample_bicubic2d "
    "_upsample_bilinear2d_aa _upsample_bicubic2d_aa"
).split()
_KEYS = (DispatchKey.Autograd, DispatchKey.CompositeImplicitAutograd)
"""Where torch registers decompositions in Python ahead of its own kernels."""


@contextmanager
def resampling_kept_whole() -> Iterator[None]:
    """Inside, operations that resample, and their gradients, are traced as torch's kernels know them."""
    packets = [getattr(torch.ops.aten, name, None) for name in _OPERATIONS]
    operations = [getattr(p, overload) for p in packets if p for overload in ("default", "vec") if overload in p.overloads()]
    taken = [(op, {key: op.py_kernels.pop(key) for key in _KEYS if key in op.py_kernels}) for op in operations]
    _forget_dispatch(operations)
    try:
        yield
    finally:
        for op, kernels in taken:
            op.py_kernels.update(kernels)
        _forget_dispatch(operations)


def _forget_dispatch(operations: list[torch._ops.OpOverload]) -> None:
    for op in operations:
        op._dispatch_cache.clear()
