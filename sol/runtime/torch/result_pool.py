"""Memory for large results of training, used again once nobody holds them: a step allocates what the step before it has freed.

The system clears every page that it hands out, which takes as long as computing what is written there.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from sol.codegen.plan import Port
from sol.ir.dim import Dim
from sol.ir.storage import stored_dtype
from sol.ir.types import DType
from sol.runtime.arrays import Arrays
from sol.runtime.memory import Block
from sol.runtime.torch.tensors import TENSORS, TORCH

LARGE_RESULT = 1 << 20
"""Bytes from which a result comes from the pool. Smaller ones come from the C library, which keeps what is freed."""
KEPT_STEPS = 2
"""Steps for which memory is kept that nobody asked for."""


class ResultPool:
    """Memory of one size for results of that size. Safe to use from several threads.

    A tensor's memory returns when the tensor and all that share its storage are gone. What was not asked for during ``KEPT_STEPS`` steps is
    given back to the system. Pieces of one model share a pool, so that one for batches of another size finds room.
    """

    def __init__(self) -> None:
        self._idle: dict[int, list[tuple[int, Block]]] = {}
        self._step = 0
        self._called: set[int] = set()  # pieces that were called in this step
        self.arrays: Arrays = replace(TENSORS, allocator=self._allocator)

    @property
    def idle_bytes(self) -> int:
        """Bytes that are kept and in no tensor."""
        return sum(size * len(blocks) for size, blocks in list(self._idle.items()))

    def step(self, piece: object = None) -> None:
        """A piece of the model is called; a step begins where it was called in the last one already."""
        if id(piece) not in self._called:
            self._called.add(id(piece))
            return
        self._called = {id(piece)}
        self._step += 1
        oldest = self._step - KEPT_STEPS
        for size, blocks in list(self._idle.items()):
            while blocks and blocks[0][0] < oldest:  # those that came last are taken first
                try:
                    blocks.pop(0)
                except IndexError:  # another thread took it
                    break
            if not blocks:
                self._idle.pop(size, None)

    def _allocator(self, port: Port) -> Callable[[Mapping[str, int]], Any]:
        if any(isinstance(d, Dim) for d in port.shape) or not _is_in_numpy(port.dtype):
            return TENSORS.allocator(port)
        shape, dtype = tuple(int(d) for d in port.shape), stored_dtype(port.dtype)  # type: ignore[arg-type]
        size = math.prod(shape) * dtype.itemsize
        if size < LARGE_RESULT:
            return TENSORS.allocator(port)
        return lambda env: self._tensor(size, shape, dtype)

    def _tensor(self, size: int, shape: tuple[int, ...], dtype: np.dtype) -> torch.Tensor:
        block = self._take(size)
        array = block.bytes.view(dtype).reshape(shape)
        weakref.finalize(array, self._give, size, block).atexit = False
        return torch.from_numpy(array)  # its storage holds the array

    def _take(self, size: int) -> Block:
        try:
            return self._idle[size].pop()[1]
        except (KeyError, IndexError):
            return Block(size)

    def _give(self, size: int, block: Block) -> None:
        self._idle.setdefault(size, []).append((self._step, block))


def _is_in_numpy(dtype: DType) -> bool:
    """Whether torch reads numpy's arrays of a type as that type."""
    stored = stored_dtype(dtype)
    return stored.kind in "fiub" and torch.from_numpy(np.empty(0, stored)).dtype is TORCH[dtype]
