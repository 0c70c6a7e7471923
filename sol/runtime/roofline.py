"""What this machine can do at best: the roofline (Williams et al. 2009) that profiles compare kernels with.

Measured once per machine and number of threads with a small C kernel, and kept in the cache.
"""

from __future__ import annotations

import functools
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from sol.codegen.render import render
from sol.codegen.targets import Target, cache_bytes, cpu_identity, resolve
from sol.runtime import library as libraries
from sol.runtime.build import Unit, build
from sol.runtime.cache import key_of, store
from sol.runtime.memory import Block

LEGEND = (
    "roof: the share of the machine's limit that a kernel reaches, the limit being multiply-adds or memory traffic, whichever binds. "
    "Operations are those of the direct algorithm and bytes those that must come from memory: Winograd, Strassen and paired kernels "
    "multiply less and data in a cache comes faster, so all may exceed 100 %."
)
_CDEF = "float sol_peak_fma(int64_t rounds); float sol_peak_read(const float *p, int64_t count);"
_UNROLL = 4
_REPEATS = 10


@dataclass(frozen=True)
class Roofline:
    """Limits of that many threads together: float32 operations (a multiply-add is two) and bytes read from memory, per second."""

    flops: float
    bandwidth: float
    threads: int

    def seconds(self, flops: float, moved: float) -> float:
        """The least time that so many operations and bytes from memory take."""
        return max(flops / self.flops, moved / self.bandwidth)

    def fraction(self, flops: float, moved: float, seconds: float) -> float:
        """Share of the limit that is reached; 0 if no time was measured."""
        return self.seconds(flops, moved) / seconds if seconds > 0 else 0.0

    def binds(self, flops: float, moved: float) -> str:
        """Which limit it is: "compute" or "memory"."""
        return "compute" if flops / self.flops >= moved / self.bandwidth else "memory"

    def __str__(self) -> str:
        team = f"{self.threads} thread{'s' if self.threads > 1 else ''}"
        return f"{self.flops / 1e9:.0f} GFLOP/s, {self.bandwidth / 1e9:.1f} GB/s with {team}"


def roofline(threads: int = 1) -> Roofline:
    """The limits of this machine for so many threads. Measures for a fraction of a second where the cache does not know them.

    Raises CompilerNotFoundError or CompilerError.
    """
    target = resolve("native")
    key = key_of("json", "roofline 2", cpu_identity(), target.name, str(threads), _source(target))
    known = store().read(key)
    if known is not None:
        return Roofline(**json.loads(known))
    found = _measured(target, threads)
    store().put(key, json.dumps(asdict(found)).encode())
    return found


@functools.cache
def _source(target: Target) -> str:
    return render("machine_peak.c.j2", accumulators=min(target.registers - 4, 16), unroll=_UNROLL)


def _measured(target: Target, threads: int) -> Roofline:
    units = [Unit("machine_peak", _source(target))]
    functions = libraries.load(build(units, target), _CDEF, lambda: build(units, target)).functions
    rounds = 100_000
    operations = 2 * min(target.registers - 4, 16) * _UNROLL * target.lanes * rounds
    fma = _rate(threads, lambda _: functions.sol_peak_fma(rounds), operations * threads, cpu_time=True)
    size = 4 * (cache_bytes(3) or 32 << 20) // threads + (8 << 20)
    blocks = [_touched(size) for _ in range(threads)]
    ffi = libraries.load(build(units, target), _CDEF).ffi
    pointers = [ffi.cast("const float *", block.address) for block in blocks]
    read = _rate(threads, lambda i: functions.sol_peak_read(pointers[i], size // 4), size * threads)
    return Roofline(fma, read, threads)


def _touched(size: int) -> Block:
    block = Block(size)
    block.bytes[:] = 0  # pages that were never written are all the same page
    return block


def _rate(threads: int, work: Callable[[int], object], amount: float, *, cpu_time: bool = False) -> float:
    """Amount per second of ``work(thread)`` on all threads at once: the best of several runs.

    cpu_time: other processes on the same cores do not count; right where threads do not slow each other down.
    """
    gate = threading.Barrier(threads)
    clock = time.thread_time if cpu_time else time.perf_counter

    def member(index: int) -> tuple[float, float]:
        gate.wait()
        start = clock()
        work(index)
        return start, clock()

    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(_REPEATS):
            spans = list(pool.map(member, range(threads)))
            if cpu_time:
                taken = max(end - start for start, end in spans)
            else:
                taken = max(end for _, end in spans) - min(start for start, _ in spans)
            best = min(best, taken)
    return amount / best
