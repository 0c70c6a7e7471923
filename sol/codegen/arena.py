"""Where the buffers of an arena lie, for given sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sol.codegen.memory import PAGE, Interval, Map, assign_offsets, by_maps, keeps_maps_apart
from sol.codegen.plan import Buffer
from sol.ir.dim import evaluate


def arena_interval(buffer: Buffer, env: dict[str, int]) -> Interval:
    """Lifetime and size of an arena buffer for given symbol values."""
    shape = tuple(evaluate(d, env) for d in buffer.map_shape)
    map = Map(shape, buffer.pixel, buffer.border, buffer.fill) if shape and 0 not in shape else None
    return Interval(buffer.first, buffer.last, max(evaluate(buffer.size, env), 1), map)


Place = Callable[[Sequence[Interval]], tuple[list[int], int]]
"""Offsets of buffers and the bytes that they take together (codegen/memory.py)."""


def arena_offsets(buffers: Sequence[Buffer], env: dict[str, int], place: Place) -> tuple[list[int], int]:
    """Offset of each arena buffer and the arena's size, for given symbol values. place: how those of one memory space are placed.

    Each memory space has a range of pages for itself, in the order in which buffers name them.
    """
    offsets, total = [0] * len(buffers), 0
    for space in dict.fromkeys(b.space for b in buffers):
        members = [i for i, b in enumerate(buffers) if b.space == space]
        start = -(-total // PAGE) * PAGE
        found, size = place([arena_interval(buffers[i], env) for i in members])
        for i, offset in zip(members, found):
            offsets[i] = start + offset
        total = start + size
    return offsets, total


def placed(buffers: Sequence[Buffer], env: dict[str, int], threads: int, apart: int) -> tuple[list[int], int]:
    """``arena_offsets`` as serves a team of so many threads best. apart: bytes of an arena whose maps share no memory (``Team.apart``)."""
    intervals = [arena_interval(b, env) for b in buffers]
    mapped = any(interval.map is not None for interval in intervals)
    return arena_offsets(buffers, env, by_maps if mapped and keeps_maps_apart(intervals, threads, apart) else assign_offsets)


@dataclass(frozen=True)
class _Layout:
    """Where buffers lie, and for which sizes they have room."""

    env: Mapping[str, int]
    intervals: Sequence[Interval]
    offsets: list[int]
    total: int

    def holds(self, intervals: Sequence[Interval]) -> bool:
        """Whether there is room for these buffers, and not much more than they take."""
        if any(a.size > b.size or a.map != b.map for a, b in zip(intervals, self.intervals)):
            return False
        return 4 * sum(i.size for i in intervals) >= 3 * sum(i.size for i in self.intervals)


class Layouts:
    """Where the buffers of a plan of open sizes lie, for the sizes of one call after another.

    Placing some hundred buffers takes milliseconds. Where sizes grow a little from call to call, as those of a cache of keys and values do,
    buffers are placed for somewhat larger ones, so that the next calls find room in the same places.
    """

    def __init__(self, buffers: Sequence[Buffer], apart: int) -> None:
        self._buffers, self._apart = buffers, apart
        self._last: dict[int, _Layout] = {}  # for teams of so many threads

    def find(self, env: Mapping[str, int], threads: int) -> tuple[list[int], int]:
        """Offset of each buffer and the arena's size."""
        intervals = [arena_interval(b, dict(env)) for b in self._buffers]
        last = self._last.get(threads)
        if last is None or not last.holds(intervals):
            sizes = dict(env)
            if last is not None and all(last.env[s] <= v <= _grown(last.env[s]) for s, v in env.items()):
                larger = {s: _grown(v) for s, v in env.items()}
                grown = [arena_interval(b, larger) for b in self._buffers]
                if all(a.size <= b.size and a.map == b.map for a, b in zip(intervals, grown)):
                    sizes, intervals = larger, grown
            last = self._last[threads] = _Layout(dict(env), intervals, *placed(self._buffers, sizes, threads, self._apart))
        return last.offsets, last.total


def _grown(size: int) -> int:
    return size + size // 8 + 8
