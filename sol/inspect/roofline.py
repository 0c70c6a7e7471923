"""What this machine can do at best: the roofline (Williams et al. 2009) that profiles compare kernels with.

Its figures are those that ``sol tune --calibrate`` kept; where there are none, they are measured once in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.machines import Figures, Level
from sol.codegen.targets import resolve
from sol.tuning.calibration import limits

LEGEND = (
    "roof: the share of the machine's limit that a kernel reaches, the limit being multiply-adds or memory traffic, whichever binds. "
    "Operations are those of the direct algorithm and bytes those that must come from memory: Winograd's and the fast inner product's "
    "kernels multiply less, and data in a cache comes faster, so all may exceed 100 %."
)


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
    """The limits of this machine for so many threads. Measures for a moment where they are not known.

    Raises CompilerNotFoundError or CompilerError.
    """
    return _of_figures(limits(threads), resolve("native").lanes, threads)


def _of_figures(found: Figures, lanes: int, threads: int) -> Roofline:
    """Limits by figures of one thread and of so many together."""
    core, memory = found.core, found.memory

    def bandwidth(level: Level) -> float:
        return level.together if threads > 1 and level.together else level.alone

    levels = ((1, memory.l1.bytes, memory.l1), (2, memory.l2.bytes, memory.l2), (3, memory.l3.bytes // threads, memory.l3))
    caches = [CacheRoof(n, bytes_, bandwidth(level)) for n, bytes_, level in levels]
    flops = 2 * lanes * core.clock * core.multiply_adds * threads
    main = bandwidth(memory.main)
    return Roofline(flops, main, threads, tuple(c for c in _faster_inside(caches) if c.bandwidth > main))


def _faster_inside(caches: list[CacheRoof]) -> list[CacheRoof]:
    """Levels whose bandwidth is above that of the next ones: a measurement that was disturbed shows nothing."""
    return [c for i, c in enumerate(caches) if all(c.bandwidth > outer.bandwidth for outer in caches[i + 1 :])]
