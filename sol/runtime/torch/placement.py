"""Where the elements of a tensor lie, as a row-major tensor, which compiled code reads and writes, and what is taken of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch


class Placement(NamedTuple):
    """A tensor of these sizes: a row-major tensor of shape ``base`` whose dimensions are put into another order and then expanded.

    order: dimensions of the tensor, the one with the largest stride first.
    """

    sizes: tuple[int, ...]
    base: tuple[int, ...]
    order: tuple[int, ...]

    def view(self, base: torch.Tensor) -> torch.Tensor:
        """The tensor, of its row-major tensor."""
        back = [self.order.index(d) for d in range(len(self.order))]
        found = base if back == sorted(back) else base.permute(back)
        return found.expand(self.sizes) if self.is_expanded else found

    def base_of(self, tensor: torch.Tensor) -> torch.Tensor:
        """The row-major tensor, of a tensor that is not expanded."""
        return tensor if list(self.order) == sorted(self.order) else tensor.permute(self.order)

    @property
    def is_expanded(self) -> bool:
        """Whether several elements lie in one place."""
        return _ordered(self.sizes, self.order) != self.base


def _ordered(sizes: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    return tuple([sizes[d] for d in order])


def placement(sizes: Sequence[int], strides: Sequence[int]) -> Placement | None:
    """How a tensor lies; None where its elements are only some of those between its first and its last one, as in slices."""
    own = [1 if stride == 0 else size for size, stride in zip(sizes, strides)]
    order = tuple(range(len(own)))
    if not _is_row_major(own, strides, order):
        order = tuple(sorted(order, key=lambda d: -strides[d] if own[d] > 1 else 0))
    return Placement(tuple(sizes), _ordered(own, order), order) if _is_row_major(own, strides, order) else None


def _is_row_major(sizes: Sequence[int], strides: Sequence[int], order: Sequence[int]) -> bool:
    expected = 1
    for d in reversed(order):
        if sizes[d] > 1:
            if strides[d] != expected:
                return False
            expected *= sizes[d]
    return True
