"""Packed weights: derived from the module's parameters, rebuilt when a parameter changes."""

from __future__ import annotations

import math
import mmap
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from sol.codegen.packing import apply_pack, pack_into, packed_shape
from sol.codegen.plan import Weight
from sol.codegen.targets import usable_cpus
from sol.ir.bodies import each_constant_of, type_at
from sol.ir.graph import Graph
from sol.ir.storage import as_stored, stored_dtype
from sol.runtime.memory import Block

CHUNK = 32 << 20
PAUSE = 0.02  # seconds
LARGE = 1 << 17  # bytes from which a weight is worth another thread
STAGGER = 5 * 64  # weights that start on the same line of different pages would compete for the same cache sets


@dataclass(frozen=True)
class PackedWeights:
    """Addresses of all packed constants of one plan, the memory that holds them, and their bytes: memory is taken in larger pieces."""

    addresses: tuple[int, ...]
    blocks: tuple[Block, ...]
    size: int


def pack_weights(graph: Graph, weights: tuple[Weight, ...], parameters: Mapping[str, np.ndarray]) -> PackedWeights:
    """Evaluate and pack every weight of a plan.

    graph: the fused graph whose constant values the weights name. parameters: target → array (not copied, not changed).
    Values are computed one after the other while threads pack those before, so that few are held at a time; so are pages of files from
    which parameters are mapped.
    """
    uses: dict[str, list[int]] = {}
    for number, weight in enumerate(weights):
        uses.setdefault(weight.value, []).append(number)
    room = _Room(CHUNK if len(weights) > 8 else 0)
    addresses = [0] * len(weights)
    files, done = _mapped_files(parameters), 0
    with _Workers(lambda: _give_back(files)) as workers:
        for value, array in each_constant_of(graph, uses, parameters):
            done += array.nbytes
            if done > CHUNK:
                done = 0
                _give_back(files)
            dtype = type_at(graph, value).dtype
            for number in uses[value]:
                pack = weights[number].pack
                shape = packed_shape(pack, array) if array.dtype == stored_dtype(dtype) else None
                if shape is None:
                    packed = as_stored(apply_pack(pack, array), dtype)
                    out = room.take(packed.shape, packed.dtype)
                    out[...] = packed
                else:
                    out = room.take(shape, array.dtype)
                    workers.run(out.nbytes, pack_into, pack, array, out)
                addresses[number] = out.ctypes.data
    _give_back(files)
    return PackedWeights(tuple(addresses), tuple(room.blocks), room.bytes)


def _mapped_files(parameters: Mapping[str, np.ndarray]) -> list[mmap.mmap]:
    """Read-only mappings of files in which arrays lie."""
    found: dict[int, mmap.mmap] = {}
    for array in parameters.values():
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, memoryview):
            base = base.obj
        if isinstance(base, mmap.mmap) and hasattr(base, "madvise") and memoryview(base).readonly:
            found[id(base)] = base
    return list(found.values())


def _give_back(files: Sequence[mmap.mmap]) -> None:
    """Hold no pages of these files; who reads them again gets them from the system's cache."""
    for file in files:
        file.madvise(mmap.MADV_DONTNEED)


class _Room:
    """Zeroed memory for packed weights, one after the other in blocks of at least so many bytes."""

    def __init__(self, chunk: int) -> None:
        self.chunk, self.blocks, self.used, self.bytes = chunk, list[Block](), 0, 0

    def take(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        size = math.prod(shape) * dtype.itemsize
        if not self.blocks or self.used + size > self.blocks[-1].size:
            self.blocks.append(Block(max(self.chunk, size)))
            self.used = 0
        self.bytes += size
        start, self.used = self.used, -(-(self.used + size) // 64) * 64 + STAGGER
        return self.blocks[-1].bytes[start : start + size].view(dtype).reshape(shape)


class _Workers:
    """Threads that pack large weights, one per CPU; a few wait at most. What fails is raised here or where ``with`` ends.

    meanwhile: called now and then while they are waited for.
    """

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self._meanwhile = meanwhile
        self._count = usable_cpus()
        self._pool: ThreadPoolExecutor | None = None
        self._pending: deque[Future[None]] = deque()

    def run(self, size: int, action: Callable[..., None], *args: Any) -> None:
        """Call it, in another thread if it writes many bytes."""
        if size < LARGE or self._count == 1:
            return action(*args)
        self._pool = self._pool or ThreadPoolExecutor(self._count, thread_name_prefix="sol-pack")
        if len(self._pending) > self._count:
            self._finish(self._pending.popleft())
        self._pending.append(self._pool.submit(action, *args))

    def _finish(self, future: Future[None]) -> None:
        while wait([future], PAUSE).not_done:
            self._meanwhile()
        future.result()

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._pool is None:
            return
        try:
            while kind is None and self._pending:
                self._finish(self._pending.popleft())
        finally:
            self._pool.shutdown(wait=True, cancel_futures=True)
