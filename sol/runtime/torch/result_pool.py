"""Memory for large results of training, used again once nobody holds them: a step allocates what the step before it has freed.

The system clears every page that it hands out, which takes as long as computing what is written there.
"""

from __future__ import annotations

import bisect
import math
import mmap
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from sol.codegen.plan import Port
from sol.errors import OutOfMemoryError
from sol.ir.dim import Dim
from sol.ir.storage import stored_dtype
from sol.ir.types import DType
from sol.runtime.arrays import Arrays
from sol.runtime.memory import Block, Workspace
from sol.runtime.torch.tensors import TENSORS, TORCH

LARGE_RESULT = 1 << 20
"""Bytes from which a result comes from the pool. Smaller ones come from the C library, which keeps what is freed."""
KEPT_STEPS = 2
"""Steps for which memory is kept that nobody asked for."""
FIRST_CHUNK = 64 << 20
"""Bytes of addresses that are taken at first; the next chunk is as large as all before. Pages that were never written to take no memory."""
_lock = threading.RLock()
"""Held by who takes memory. Finalizers, which may run at any moment, do not need it."""


class _Chunk:
    """Consecutive memory of which ranges are taken, the lowest first, so that what a step needs lies together.

    free: ranges that no tensor has, in order; neighbours are joined. touched: how far pages may have been written to.
    """

    def __init__(self, block: Block) -> None:
        self.block, self.free = block, [(0, block.size)]
        self.touched = self._reached = 0
        self._recent: deque[int] = deque(maxlen=KEPT_STEPS)

    def take(self, size: int) -> int | None:
        """Where a range of that size begins; None if none is free."""
        for i, (start, end) in enumerate(self.free):
            if end - start >= size:
                self.free[i : i + 1] = [(start + size, end)] if end - start > size else []
                self._reached = max(self._reached, start + size)
                self.touched = max(self.touched, start + size)
                return start
        return None

    def give(self, start: int, end: int) -> None:
        """A range is free."""
        at = bisect.bisect(self.free, (start, end))
        if at < len(self.free) and self.free[at][0] == end:
            end = self.free.pop(at)[1]
        if at and self.free[at - 1][1] == start:
            at -= 1
            start = self.free.pop(at)[0]
        self.free.insert(at, (start, end))

    def step(self) -> None:
        """A step begins: pages behind what the last steps and all tensors reach are given back."""
        last = self.free[-1] if self.free else (0, 0)
        self._recent.append(self._reached)
        self._reached = last[0] if last[1] == self.block.size else self.block.size
        kept = max(self._reached, *self._recent)
        if kept < self.touched:
            self.block.give_back(kept, self.touched)
            self.touched = kept

    @property
    def idle_bytes(self) -> int:
        """Bytes that may be in memory and are in no tensor."""
        return sum(min(end, self.touched) - start for start, end in self.free if start < self.touched)


class ResultPool:
    """Memory for results. Safe to use from several threads.

    A tensor's memory returns when the tensor and all that share its storage are gone, and serves tensors of any size: what one pass frees,
    gradients of the last step for example, is what the next pass writes to. What was not asked for during ``KEPT_STEPS`` steps is
    given back to the system. Pieces of one model share a pool, so that one for batches of another size finds room. Forward and backward
    passes compute in the same workspace, one after the other.
    """

    def __init__(self) -> None:
        self._chunks: list[_Chunk] = []
        self._returned: deque[tuple[_Chunk, int, int]] = deque()
        self._called: set[int] = set()  # pieces that were called in this step
        self.arrays: Arrays = replace(TENSORS, allocator=self._allocator, workspace=Workspace())

    @property
    def idle_bytes(self) -> int:
        """Bytes that are kept and in no tensor."""
        with _lock:
            self._receive()
            return sum(chunk.idle_bytes for chunk in self._chunks)

    def step(self, piece: object = None) -> None:
        """A piece of the model is called; a step begins where it was called in the last one already."""
        if id(piece) not in self._called:
            self._called.add(id(piece))
            return
        self._called = {id(piece)}
        with _lock:
            self._receive()
            for chunk in self._chunks:
                chunk.step()
            self._chunks = [chunk for chunk in self._chunks if chunk.touched]

    def _allocator(self, port: Port) -> Callable[[Mapping[str, int]], Any]:
        if any(isinstance(d, Dim) for d in port.shape) or not _is_in_numpy(port.dtype):
            return TENSORS.allocator(port)
        shape, dtype = tuple(int(d) for d in port.shape), stored_dtype(port.dtype)  # type: ignore[arg-type]
        size = math.prod(shape) * dtype.itemsize
        if size < LARGE_RESULT:
            return TENSORS.allocator(port)
        return lambda env: self._tensor(size, shape, dtype)

    def _tensor(self, size: int, shape: tuple[int, ...], dtype: np.dtype) -> torch.Tensor:
        whole = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        chunk, start = self._take(whole)
        array = chunk.block.bytes[start : start + size].view(dtype).reshape(shape)
        weakref.finalize(array, self._returned.append, (chunk, start, start + whole)).atexit = False
        return torch.from_numpy(array)  # its storage holds the array

    def _take(self, size: int) -> tuple[_Chunk, int]:
        """A range of that size. Raises OutOfMemoryError if the system gives no more."""
        with _lock:
            self._receive()
            for chunk in self._chunks:
                if (start := chunk.take(size)) is not None:
                    return chunk, start
            self._chunks.append(_Chunk(self._block(size)))
            start = self._chunks[-1].take(size)
            assert start is not None
            return self._chunks[-1], start

    def _block(self, size: int) -> Block:
        try:
            return Block(max(size, FIRST_CHUNK, sum(chunk.block.size for chunk in self._chunks)))
        except OutOfMemoryError:  # where addresses are limited
            return Block(size)

    def _receive(self) -> None:
        """Take back the memory of tensors that are gone."""
        while True:
            try:
                chunk, start, end = self._returned.popleft()
            except IndexError:
                return
            chunk.give(start, end)


def _renew_lock() -> None:
    """In a forked child: nobody else takes memory."""
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)


def _is_in_numpy(dtype: DType) -> bool:
    """Whether torch reads numpy's arrays of a type as that type."""
    stored = stored_dtype(dtype)
    return stored.kind in "fiub" and torch.from_numpy(np.empty(0, stored)).dtype is TORCH[dtype]
