"""Memory for calls of training and their large results, used again once nobody holds it: a step takes what the step before it has freed.

The system clears every page that it hands out, which takes as long as computing what is written there.
"""

from __future__ import annotations

import bisect
import math
import mmap
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import torch

from sol.codegen.lent_memory import LARGE_RESULT
from sol.codegen.memory import LINE
from sol.codegen.plan import Port
from sol.errors import OutOfMemoryError, SolError
from sol.ir.dim import Dim
from sol.ir.storage import stored_dtype
from sol.runtime.arrays import Arrays
from sol.runtime.memory import Block
from sol.runtime.team import team
from sol.runtime.torch.tensors import TENSORS, TORCH

KEPT_STEPS = 2
"""Steps for which memory is kept that nobody asked for."""
FIRST_CHUNK = 64 << 20
"""Bytes of addresses that are taken at first; the next chunk is as large as all before, and several times as large as what is asked for, so
that what a call is lent can grow in the next. Pages that were never written to take no memory."""
PIECE = 4 << 20
"""Bytes that are touched at once ahead of a call, which need not be behind it."""
SHARE = 16
"""A chunk goes when steps want less than its size divided by this."""
_lock = threading.RLock()
"""Held by who takes memory. Finalizers, which may run at any moment, do not need it."""
Span = tuple[int, int]
"""Where a range begins and ends."""


class _Chunk:
    """Consecutive memory of which ranges are taken: for calls the lowest, so that what a step needs lies together, for others the highest.

    free: ranges that nobody has, in order; neighbours are joined. touched: what may have been written to since its pages were given back.
    """

    def __init__(self, block: Block) -> None:
        self.block, self.free = block, [(0, block.size)]
        self.touched: list[Span] = []
        self._taken: list[Span] = []
        self._recent: deque[list[Span]] = deque(maxlen=KEPT_STEPS)

    def take(self, size: int, room: int = 0, last: bool = False) -> int | None:
        """Where a range of that size begins; None if none is free. room: how much should be free there. last: the highest range."""
        for start, end in reversed(self.free) if last else self.free:
            if end - start >= max(size, room):
                start = end - size if last else start
                self.take_at(start, start + size)
                return start
        return None

    def take_at(self, start: int, end: int) -> bool:
        """Take this very range; False if it is not free."""
        at = bisect.bisect(self.free, (start, math.inf)) - 1
        if at < 0 or self.free[at][1] < end:
            return False
        before, after = self.free[at]
        self.free[at : at + 1] = [span for span in ((before, start), (end, after)) if span[0] < span[1]]
        self._taken.append((start, end))
        self.touched = joined([*self.touched, (start, end)])
        return True

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
        """A step begins: free pages that the last steps did not ask for are given back."""
        self._recent.append(joined(self._taken))
        self._taken = []
        self.give_back(without(self.free, [span for spans in self._recent for span in spans]))

    def give_back(self, spans: Sequence[Span]) -> None:
        """Let the system have the memory of free ranges."""
        for start, end in without(spans, without([(0, self.block.size)], self.touched)):
            self.block.give_back(start, end)
            self.touched = without(self.touched, [(start, end)])

    @property
    def is_superfluous(self) -> bool:
        """Whether it can go: nobody has anything of it, and the last steps wanted nothing, or little for its size."""
        wanted = sum(end - start for start, end in self.touched)
        return self.free == [(0, self.block.size)] and (not wanted or SHARE * wanted < self.block.size > FIRST_CHUNK)

    @property
    def idle_bytes(self) -> int:
        """Bytes that may be in memory and are in no tensor."""
        cold = without([(0, self.block.size)], self.touched)
        return sum(end - start for start, end in without(self.free, cold))


def joined(spans: Iterable[Span]) -> list[Span]:
    """The union of ranges, in order."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def without(spans: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """What is in the first ranges, which are in order, and not in the others."""
    found: list[Span] = []
    removed = joined(others)
    for start, end in spans:
        for begin, stop in removed[max(0, bisect.bisect(removed, (start, start)) - 1) :]:
            if begin >= end:
                break
            if begin > start:
                found.append((start, begin))
            start = max(start, stop)
        if start < end:
            found.append((start, end))
    return found


@dataclass(eq=False, slots=True)
class _Range:
    """The memory of a tensor. place: bytes from the beginning of the memory of the call that made it; -1: it lies elsewhere.

    offered: whether the next call that reads the tensor may write to it. taken: whether one did, so that it is not the tensor's to free.
    """

    chunk: _Chunk
    start: int
    end: int
    place: int = -1
    offered: bool = False
    taken: bool = False


class _Loan:
    """Memory of a pool for one call."""

    def __init__(self, pool: ResultPool, chunk: _Chunk, start: int, end: int) -> None:
        self.address = chunk.block.address + start
        self._pool, self._chunk, self._start, self._end = pool, chunk, start, end
        self._given: list[Span] = []

    def array(self, place: int, port: Port) -> torch.Tensor:
        """A tensor for an output, ``place`` bytes from the beginning."""
        shape = tuple(int(d) for d in port.shape)  # type: ignore[arg-type]
        size = math.prod(shape) * stored_dtype(port.dtype).itemsize
        start = self._start + place
        end = start + -(-size // LINE) * LINE
        self._given.append((start, end))
        return self._pool.tensor(_Range(self._chunk, start, end, place), size, shape, TORCH[port.dtype])

    def end(self) -> None:
        """Free what is in no tensor. In a model's first step the system has it back, because there may be no second."""
        with _lock:
            self._pool.stop_expecting()
            for start, end in without([(self._start, self._end)], self._given):
                self._chunk.give(start, end)
            if self._pool.is_first_step:
                self._chunk.give_back(self._chunk.free)


class ResultPool:
    """Memory for calls and their results. Safe to use from several threads.

    A tensor's memory returns when the tensor and all that share its storage are gone, and serves tensors of any size: what one pass frees,
    gradients of the last step for example, is what the next pass writes to. What was not asked for during ``KEPT_STEPS`` steps is
    given back to the system. Pieces of one model share a pool, so that one for batches of another size finds room.
    """

    def __init__(self) -> None:
        self._chunks: list[_Chunk] = []
        self._returned: deque[_Range] = deque()
        self._ranges: dict[int, _Range] = {}  # of all tensors, by address
        self._called: set[int] = set()  # pieces that were called in this step
        self.is_first_step = True
        self._ahead: threading.Event | None = None  # set when no more pages are touched ahead of the first call
        self.arrays: Arrays = replace(TENSORS, allocator=self._allocator, lender=self)

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
        self._called, self.is_first_step = {id(piece)}, False
        with _lock:
            self._receive()
            for chunk in self._chunks:
                chunk.step()
            self._chunks = [chunk for chunk in self._chunks if not chunk.is_superfluous]

    def expect(self, size: int) -> None:
        """The first call will want so many bytes: the system clears them while Python prepares it. A hint, which changes no later call."""
        size = _in_pages(size)
        with _lock:
            if self._chunks or size < FIRST_CHUNK:
                return
            with suppress(OutOfMemoryError, RuntimeError):  # no memory, which the call will say, or no thread
                chunk, done = _Chunk(self._block(size, size)), threading.Event()
                threading.Thread(target=_touch, args=(chunk.block, size, done), name="sol-pages", daemon=True).start()
                chunk.touched, self._ahead = [(0, size)], done
                self._chunks.append(chunk)

    # -- memory of calls -----------------------------------------------------------------------------------------------

    def stop_expecting(self) -> None:
        """Touch no more pages ahead."""
        if self._ahead is not None:
            self._ahead.set()
            self._ahead = None

    def lend(self, size: int, operands: Sequence[tuple[int, int]] = (), room: int = 0) -> _Loan:
        """At least so many bytes for a call, see `sol.runtime.arrays.Lender`. Operands that were not offered stay what they are."""
        size = _in_pages(size)
        with _lock:
            self._receive()
            if operands and (found := self._around([self._ranges.get(a) for a, _ in operands], [p for _, p in operands], size)):
                return found
            chunk, start = self._take(size, _in_pages(room))
            return _Loan(self, chunk, start, start + size)

    def _around(self, ranges: Sequence[_Range | None], places: Sequence[int], size: int) -> _Loan | None:
        """A loan in which these ranges lie at these places; None where it is not theirs to give or taken by others."""
        known = [r for r in ranges if r is not None and r.offered and not r.taken]
        bases = {(r.chunk, r.start - place) for r, place in zip(known, places)}
        if len(known) != len(ranges) or len(bases) != 1:
            return None
        ((chunk, start),) = bases
        for r in known:
            chunk.give(r.start, r.end)
        if not chunk.take_at(start, start + size):
            for r in known:
                chunk.take_at(r.start, r.end)
            return None
        for r in known:
            r.taken = True
        return _Loan(self, chunk, start, start + size)

    def places(self, tensors: Iterable[Any], of: Collection[int]) -> dict[int, int]:
        """Number of a tensor → its place in the memory of the call that made it, for tensors that are alone in places ``of`` these."""
        with _lock:
            self._receive()
            given = [(i, t) for i, t in enumerate(tensors) if isinstance(t, torch.Tensor) and t.is_contiguous()]
            ranges = [(i, self._ranges.get(t.data_ptr())) for i, t in given]
        found = [(i, r) for i, r in ranges if r is not None and r.place in of]
        bases = {(r.chunk, r.start - r.place) for _, r in found}
        places = {i: r.place for i, r in found}
        return places if len(bases) == 1 and len({*places.values()}) == len(places) else {}

    def offer(self, tensors: Sequence[torch.Tensor]) -> None:
        """The next call that is given these tensors may overwrite them: nobody else reads them."""
        with _lock:
            for tensor in tensors:
                if (found := self._ranges.get(tensor.data_ptr())) is not None:
                    found.offered = True

    # -- results -------------------------------------------------------------------------------------------------------

    def _allocator(self, port: Port) -> Callable[[Mapping[str, int]], Any]:
        if any(isinstance(d, Dim) for d in port.shape):
            return TENSORS.allocator(port)
        shape, dtype = tuple(int(d) for d in port.shape), TORCH[port.dtype]  # type: ignore[arg-type]
        size = math.prod(shape) * stored_dtype(port.dtype).itemsize
        if size < LARGE_RESULT:
            return TENSORS.allocator(port)

        def allocate(env: Mapping[str, int]) -> torch.Tensor:
            whole = _in_pages(size)
            with _lock:
                self._receive()
                chunk, start = self._take(whole, last=True)
            return self.tensor(_Range(chunk, start, start + whole), size, shape, dtype)

        return allocate

    def tensor(self, place: _Range, size: int, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        """A contiguous tensor of ``size`` bytes in a range that is taken, which it frees when it is gone."""
        array = place.chunk.block.bytes[place.start : place.start + size]
        weakref.finalize(array, self._returned.append, place).atexit = False
        with _lock:
            self._ranges[place.chunk.block.address + place.start] = place
        storage = torch.from_numpy(array).untyped_storage()  # which holds the array
        strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        return torch.empty(0, dtype=dtype).set_(storage, 0, shape, strides)

    def _take(self, size: int, room: int = 0, last: bool = False) -> tuple[_Chunk, int]:
        """A range of that size. Raises OutOfMemoryError if the system gives no more."""
        for chunk in self._chunks:
            if (start := chunk.take(size, room, last)) is not None:
                return chunk, start
        self._chunks.append(_Chunk(self._block(max(size, room), size)))
        start = self._chunks[-1].take(size, last=last)
        assert start is not None
        return self._chunks[-1], start

    def _block(self, wanted: int, least: int) -> Block:
        try:
            return Block(max(4 * wanted, FIRST_CHUNK, sum(chunk.block.size for chunk in self._chunks)))
        except OutOfMemoryError:  # where addresses are limited
            return Block(least)

    def _receive(self) -> None:
        """Take back the memory of tensors that are gone."""
        while True:
            try:
                found = self._returned.popleft()
            except IndexError:
                return
            address = found.chunk.block.address + found.start
            if self._ranges.get(address) is found:
                del self._ranges[address]
            if not found.taken:
                found.chunk.give(found.start, found.end)


def _touch(block: Block, size: int, done: threading.Event) -> None:
    with suppress(SolError):  # without a compiler calls say so
        touch = team().functions.sol_team_touch  # Python's other threads run meanwhile
        for start in range(0, size, PIECE):
            if done.is_set():
                return
            touch(block.address + start, min(PIECE, size - start))


def _in_pages(size: int) -> int:
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE


def _holders(tensors: Sequence[Any]) -> list[int]:
    """How many references each tensor has, those of who asks included."""
    return [sys.getrefcount(t) for t in tensors]


def are_alone(tensors: Sequence[torch.Tensor], numbers: Iterable[int]) -> bool:
    """Whether nothing but this sequence holds the tensors of these numbers, or their memory."""
    holders = _holders(tensors)
    return all(holders[i] <= _ALONE and _is_unshared(tensors[i]) for i in numbers)


def _is_unshared(tensor: Any) -> bool:
    """Whether C++ holds no reference to a tensor, and no other tensor its memory but the one that it is a view of, for its sake."""
    count = torch._C._storage_Use_Count(tensor.untyped_storage()._cdata)
    return tensor._use_count() <= 1 and count <= 2 + tensor._is_view()


(_ALONE,) = _holders([object()])


def _renew_lock() -> None:
    """In a forked child: nobody else takes memory."""
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)
