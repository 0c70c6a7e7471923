"""Memory that kernels work in: page-aligned, from huge pages where the kernel gives them, never moved, freed when unused."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
from collections.abc import Callable

import numpy as np

from sol.errors import OutOfMemoryError

HUGE = 2 << 20


class Block:
    """``size`` zeroed bytes at ``address``, aligned to 64 bytes (to 2 MiB if it is that large).

    What is left behind the last whole huge page lies in small pages, lest a huge one be taken for it.
    Raises OutOfMemoryError if the system does not give them.
    """

    def __init__(self, size: int) -> None:
        alignment = HUGE if size >= HUGE else mmap.PAGESIZE
        self.size = size
        private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS  # shared memory gets no huge pages, and a forked child would write into ours
        try:
            self._map = mmap.mmap(-1, size + (alignment if alignment == HUGE else 0) + 1, flags=private)
        except (OSError, OverflowError, MemoryError) as error:
            remedy = "smaller batches need less, and so do fewer models at a time"
            raise OutOfMemoryError(f"there is no memory for {size} bytes", remedy=remedy) from error
        base = np.frombuffer(self._map, np.uint8)
        start = -base.ctypes.data % alignment
        if alignment == HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
            with contextlib.suppress(OSError):
                self._map.madvise(mmap.MADV_HUGEPAGE, start, size // HUGE * HUGE)
        self._start = start
        self.bytes = base[start : start + size]
        self.address = int(self.bytes.ctypes.data) if size else 0

    def give_back(self, start: int, end: int) -> None:
        """Let the system have the pages that lie wholly between these bytes. They are zero when they are read or written again."""
        begin, end = (self._start + -(-start // mmap.PAGESIZE) * mmap.PAGESIZE, self._start + end // mmap.PAGESIZE * mmap.PAGESIZE)
        if begin < end and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED, begin, end - begin)


@functools.cache
def _trim() -> Callable[[ctypes.c_size_t], int] | None:
    """The function of the C library that gives free memory back, where it has one (glibc)."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        return ctypes.CDLL(None).malloc_trim  # type: ignore[no-any-return]
    return None


def give_back_free_memory() -> None:
    """Let the C library return to the system what is free in it, which blocks cannot be made of. It takes milliseconds."""
    trim = _trim()
    if trim is not None:
        trim(ctypes.c_size_t(0))
