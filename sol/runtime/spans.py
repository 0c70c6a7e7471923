"""What sol_spans.h records of calls, as arrays: who worked how long in which launch, and who waited for whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

LINE = 8
"""int64 of a cache line: what records begin on."""
_BEGIN, _END, _WORK, _WAIT, _COUNT = range(5)


@dataclass(frozen=True)
class Spread:
    """Seconds over several runs: smallest, lower quartile, median, upper quartile, largest."""

    least: float
    lower: float
    median: float
    upper: float
    most: float

    @staticmethod
    def of(seconds: Any) -> Spread:
        """The spread of measured values; zeros if there are none."""
        values = np.asarray(seconds, np.float64).reshape(-1)
        return Spread(*(map(float, np.percentile(values, (0, 25, 50, 75, 100))) if values.size else (0.0,) * 5))

    def __add__(self, other: Spread) -> Spread:
        return Spread(*(getattr(self, f) + getattr(other, f) for f in ("least", "lower", "median", "upper", "most")))


@dataclass(frozen=True)
class Bar:
    """A thread at work in a launch: seconds since the call's first launch began."""

    thread: int
    launch: int
    begin: float
    end: float


@dataclass(frozen=True)
class Samples:
    """Records of several runs.

    work, wait: seconds [run, thread, launch], of threads that took part. seconds: [run, launch], the means over the threads of both: they
    add up to the time from the first launch's begin to the last one's end. count: how often each launch is run in a call.
    bars: the run whose total is the median one.
    """

    work: np.ndarray
    wait: np.ndarray
    seconds: np.ndarray
    count: np.ndarray
    bars: tuple[Bar, ...]

    @property
    def threads(self) -> int:
        """Threads that took part."""
        return int(self.work.shape[1])

    def spread(self, launch: int) -> Spread:
        """Seconds of one launch."""
        return Spread.of(self.seconds[:, launch])

    def waiting(self, launch: int) -> float:
        """Seconds that threads waited after it for others, in the mean over threads; median over runs."""
        return float(np.median(self.wait[:, :, launch].mean(axis=1)))

    def balance(self, launch: int) -> float | None:
        """Mean work of the threads over the largest one's; None if the launch does nothing."""
        work = np.median(self.work[:, :, launch], axis=0)
        return float(work.mean() / work.max()) if work.max() > 0 else None


class Recorder:
    """Memory for the records of one call, in the layout of sol_spans.h."""

    def __init__(self, ffi: Any, threads: int, launches: int) -> None:
        self._shape = (threads, 1 + launches, LINE)
        size = threads * (1 + launches) * LINE
        self.memory = ffi.new("int64_t[]", LINE + size)
        self._array = np.frombuffer(ffi.buffer(self.memory), np.int64)
        self._runs: list[np.ndarray] = []

    def clear(self) -> None:
        """Before a call."""
        self._array[:] = 0
        self._array[0] = self._shape[1] * LINE

    def keep(self) -> None:
        """After a call that counts."""
        self._runs.append(self._array[LINE:].reshape(self._shape)[:, 1:].copy())

    def samples(self) -> Samples:
        """What was kept."""
        return samples_of(np.stack(self._runs))


def samples_of(records: np.ndarray) -> Samples:
    """records: int64 ns [run, thread, launch, 8] as sol_spans.h has them."""
    records = records[:, (records[..., _COUNT] > 0).any(axis=(0, 2))]
    ran = records[..., _COUNT] > 0
    if not ran.any():
        nothing = np.zeros(records.shape[:3])
        return Samples(nothing, nothing, nothing.sum(axis=1), np.zeros(records.shape[2], np.int64), ())
    begin = np.where(ran, records[..., _BEGIN], np.iinfo(np.int64).max)
    end = np.where(ran, records[..., _END], 0)
    wait = records[..., _WAIT].astype(np.float64)
    started, finished = begin.min(axis=2), end.max(axis=2)  # [run, thread]
    for times, late, launch in (
        (wait, started - started.min(axis=1, keepdims=True), begin.argmin(axis=2)),  # a thread that woke late
        (wait, finished.max(axis=1, keepdims=True) - finished, end.argmax(axis=2)),  # one that ended early
    ):
        here = ran.any(axis=2)
        run, thread = np.nonzero(here)
        times[run, thread, launch[here]] += late[here]
    wait, work = wait * 1e-9, records[..., _WORK] * 1e-9
    team = np.maximum(ran.any(axis=2).sum(axis=1), 1)[:, None]
    seconds = (work + wait).sum(axis=1) / team
    count = np.median(records[..., _COUNT].max(axis=1), axis=0).astype(np.int64)
    middle = int(np.argsort(seconds.sum(axis=1))[len(seconds) // 2])
    return Samples(work, wait, seconds, count, tuple(_bars(records[middle])))


def _bars(record: np.ndarray) -> Sequence[Bar]:
    ran = record[..., _COUNT] > 0
    first = record[..., _BEGIN][ran].min()
    found = []
    for thread, launch in zip(*np.nonzero(ran)):
        begin, end = (1e-9 * int(record[thread, launch, f] - first) for f in (_BEGIN, _END))
        found.append(Bar(int(thread), int(launch), begin, end))
    return sorted(found, key=lambda b: (b.thread, b.begin))
