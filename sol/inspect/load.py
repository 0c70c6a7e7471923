"""Whether the machine did something else while times were taken: then they are too long, and a reader should know."""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

WAITED, OTHERS, STOLEN = 0.03, 0.25, 0.05
"""From these shares on the machine counts as busy: of a thread's time, of a CPU, of a CPU."""


@dataclass(frozen=True)
class Load:
    """What else the machine did. None where the system does not tell.

    waited: share of the time for which this process's threads were ready to run but had no CPU. others: CPUs that other processes used.
    stolen: CPUs that the host of a virtual machine gave to others. switches: times a second that a thread of this process lost its CPU.
    """

    waited: float | None
    others: float | None
    stolen: float | None
    switches: float

    @property
    def busy(self) -> bool:
        """Whether times taken meanwhile are to be doubted."""
        limits = ((self.waited, WAITED), (self.others, OTHERS), (self.stolen, STOLEN))
        return any(value is not None and value > limit for value, limit in limits)

    def __str__(self) -> str:
        parts = []
        if self.others is not None:
            parts.append(f"other processes used {max(self.others, 0.0):.2g} CPUs")
        if self.waited is not None:
            parts.append(f"threads waited {100 * self.waited:.0f} % of the time for a CPU")
        if self.stolen is not None and self.stolen >= 0.005:
            parts.append(f"the host took {self.stolen:.2g} CPUs")
        state = "the machine was busy, so times are too long" if self.busy else "the machine was quiet"
        return f"{state}: {', '.join(parts)}" if parts else "it is not known whether the machine was busy"


class Watch:
    """``with Watch() as watch: …``; afterwards ``watch.load(threads)`` tells what happened inside."""

    def __enter__(self) -> Watch:
        self._before = _state()
        return self

    def __exit__(self, *error: object) -> None:
        self._after = _state()

    def load(self, threads: int) -> Load:
        """threads: how many worked at once."""
        before, after = self._before, self._after
        wall = max(after.wall - before.wall, 1e-9)
        waited = None
        if before.waits and after.waits:
            waited = sum(w - before.waits.get(t, 0) for t, w in after.waits.items()) * 1e-9 / wall / max(threads, 1)
        others = stolen = None
        if before.machine is not None and after.machine is not None:
            used = after.machine[0] - before.machine[0]
            others = max(used - (after.own - before.own), 0.0) / wall
            stolen = (after.machine[1] - before.machine[1]) / wall
        return Load(waited, others, stolen, (after.switches - before.switches) / wall)


@dataclass(frozen=True)
class _State:
    wall: float
    own: float
    machine: tuple[float, float] | None
    waits: dict[str, int]
    switches: int


def _state() -> _State:
    switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    return _State(time.perf_counter(), time.process_time(), _machine(), _waits(), switches)


def _machine() -> tuple[float, float] | None:
    """CPU seconds that all processes used, and that the host took, since the machine started."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
        user, nice, system, _, _, hard, soft, stolen = (int(f) / os.sysconf("SC_CLK_TCK") for f in fields)
    except (OSError, ValueError):
        return None
    return user + nice + system + hard + soft, stolen


def _waits() -> dict[str, int]:
    """Nanoseconds that each thread of this process was ready to run and had no CPU."""
    found = {}
    with suppress(OSError):
        for task in os.listdir("/proc/self/task"):
            with suppress(OSError, ValueError, IndexError):
                found[task] = int(Path(f"/proc/self/task/{task}/schedstat").read_text().split()[1])
    return found
