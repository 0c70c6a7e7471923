"""Lifetimes to offsets: buffers that do not live at the same time share memory in one arena."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LINE = 64
PAGE = 4096


@dataclass(frozen=True, slots=True)
class Interval:
    """A buffer of ``size`` bytes that lives from launch ``first`` to launch ``last`` inclusive."""

    first: int
    last: int
    size: int


def assign_offsets(intervals: Sequence[Interval]) -> tuple[list[int], int]:
    """Byte offset of each buffer and the arena's size.

    Greedy by size (largest first), lowest offset that fits: within a few percent of the lower bound on networks. Starts are spread over
    the lines of a page, because equal low address bits make loads wait for unrelated stores.
    """
    offsets = [0] * len(intervals)
    placed: list[int] = []
    total = 0
    for rank, i in enumerate(sorted(range(len(intervals)), key=lambda k: (-intervals[k].size, k))):
        interval = intervals[i]
        phase = (rank * 13 % (PAGE // LINE)) * LINE if interval.size >= PAGE else 0
        step = PAGE if interval.size >= PAGE else LINE
        offset = phase
        neighbours = sorted(
            (offsets[j], offsets[j] + intervals[j].size)
            for j in placed
            if intervals[j].first <= interval.last and interval.first <= intervals[j].last
        )
        for begin, end in neighbours:
            if offset + interval.size <= begin:
                break
            if end > offset:
                offset = phase + -(-max(end - phase, 0) // step) * step
        offsets[i] = offset
        placed.append(i)
        total = max(total, offset + interval.size)
    return offsets, -(-total // LINE) * LINE


def lower_bound(intervals: Sequence[Interval]) -> int:
    """Bytes alive at the worst launch: no plan can need less."""
    edges: dict[int, int] = {}
    for i in intervals:
        edges[i.first] = edges.get(i.first, 0) + i.size
        edges[i.last + 1] = edges.get(i.last + 1, 0) - i.size
    worst = alive = 0
    for launch in sorted(edges):
        alive += edges[launch]
        worst = max(worst, alive)
    return worst
