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

from sol.build import library as libraries
from sol.build.build import Unit, build
from sol.build.cache import key_of, store
from sol.codegen.render import render
from sol.codegen.targets import Target, cache_bytes, cpu_identity, resolve
from sol.runtime.memory import Block

LEGEND = (
    "roof: the share of the machine's limit that a kernel reaches, the limit being multiply-adds or memory traffic, whichever binds. "
    "Operations are those of the direct algorithm and bytes those that must come from memory: Winograd, Strassen and paired kernels "
    "multiply less and data in a cache comes faster, so all may exceed 100 %."
)
_CDEF = "float sol_peak_fma(int64_t rounds); float sol_peak_read(const float *p, int64_t count, int64_t rounds);"
_UNROLL = 4
_REPEATS = 10
_LEVELS = (1, 2, 3)
_AMOUNT = 256 << 20
"""Bytes that one measurement of a cache reads, in many passes."""


@dataclass(frozen=True)
class CacheRoof:
    """A level of cache: bytes that one core reaches in it, and bytes per second that all threads together read from it."""

    level: int
    bytes: int
    bandwidth: float


@dataclass(frozen=True)
class Roofline:
    """Limits of that many threads together: float32 operations (a multiply-add is two) and bytes read from memory, per second.

    caches: the same for what lies in a cache, the fastest first.
    """

    flops: float
    bandwidth: float
    threads: int
    caches: tuple[CacheRoof, ...] = ()

    def seconds(self, flops: float, moved: float) -> float:
        """The least time that so many operations and bytes from memory take."""
        return max(flops / self.flops, moved / self.bandwidth)

    def fraction(self, flops: float, moved: float, seconds: float) -> float:
        """Share of the limit that is reached; 0 if no time was measured."""
        return self.seconds(flops, moved) / seconds if seconds > 0 else 0.0

    def binds(self, flops: float, moved: float) -> str:
        """Which limit it is: "compute" or "memory"."""
        return "compute" if flops / self.flops >= moved / self.bandwidth else "memory"

    def cache_text(self) -> str:
        """The bandwidth of the caches."""
        return ", ".join(f"L{c.level} {c.bandwidth / 1e9:.0f} GB/s" for c in self.caches)

    def __str__(self) -> str:
        team = f"{self.threads} thread{'s' if self.threads > 1 else ''}"
        return f"{self.flops / 1e9:.0f} GFLOP/s, {self.bandwidth / 1e9:.1f} GB/s with {team}"


def roofline(threads: int = 1) -> Roofline:
    """The limits of this machine for so many threads. Measures for a fraction of a second where the cache does not know them.

    Raises CompilerNotFoundError or CompilerError.
    """
    target = resolve("native")
    key = key_of("json", "roofline 3", cpu_identity(), target.name, str(threads), _source(target))
    known = store().read(key)
    if known is not None:
        fields = json.loads(known)
        return Roofline(**{**fields, "caches": tuple(CacheRoof(**c) for c in fields["caches"])})
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
    last = cache_bytes(3) or 32 << 20
    size = min(4 * last, last + _AMOUNT) // threads + (8 << 20)
    blocks = [_touched(size) for _ in range(threads)]
    ffi = libraries.load(build(units, target), _CDEF).ffi
    pointers = [ffi.cast("const float *", block.address) for block in blocks]

    def read(part: int, rounds: int = 1, *, alone: bool = False) -> float:
        return _rate(
            threads, lambda i: functions.sol_peak_read(pointers[i], part // 4, rounds), part * rounds * threads, cpu_time=alone
        )

    levels = [(n, found // (threads if n == 3 else 1)) for n in _LEVELS if (found := cache_bytes(n))]
    caches = [CacheRoof(n, bytes_, read(bytes_ // 2, max(1, 2 * _AMOUNT // bytes_), alone=n < 3)) for n, bytes_ in levels]
    memory = read(size)
    return Roofline(fma, memory, threads, tuple(c for c in _faster_inside(caches) if c.bandwidth > memory))


def _faster_inside(caches: list[CacheRoof]) -> list[CacheRoof]:
    """Levels whose bandwidth is above that of the next ones: a measurement that was disturbed shows nothing."""
    return [c for i, c in enumerate(caches) if all(c.bandwidth > outer.bandwidth for outer in caches[i + 1 :])]


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
