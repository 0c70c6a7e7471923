"""Lifetimes to offsets: buffers that do not live at the same time share memory in one arena.

Where several threads run a network, a line that another core wrote last is expensive to write. Threads share out the rows of maps, so
buffers whose maps have the same shape share memory only with each other, map on map: a line then always belongs to the same thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

LINE = 64
PAGE = 4096
NOWHERE: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class Map:
    """The maps of which a blocked buffer consists. shape: pixels along each dimension, borders included; pixel: bytes of one;
    border: what surrounds a map, before and after; fill: the byte that it consists of. Only where all of them are equal do borders lie on
    borders.
    """

    shape: tuple[int, ...]
    pixel: int
    border: tuple[tuple[int, int], ...]
    fill: int = 0

    @property
    def size(self) -> int:
        """Bytes of one map."""
        return prod(self.shape) * self.pixel

    @property
    def is_bordered(self) -> bool:
        return any(sum(b) for b in self.border)


@dataclass(frozen=True, slots=True)
class Interval:
    """A buffer of ``size`` bytes that lives from launch ``first`` to launch ``last`` inclusive. map: what it consists of, if known."""

    first: int
    last: int
    size: int
    map: Map | None = None

    def meets(self, other: Interval) -> bool:
        """Whether both live at some launch."""
        return self.first <= other.last and other.first <= self.last


ORDERS: tuple[Callable[[Interval], tuple[int, ...]], ...] = (
    lambda i: (-i.size, i.first),
    lambda i: (-i.size * (i.last - i.first + 1), i.first),
    lambda i: (i.first - i.last, -i.size),
    lambda i: (i.first, -i.size),
)
"""Orders in which buffers may be placed: large ones, large long-lived ones, long-lived ones or early ones first."""


def keeps_maps_apart(intervals: Sequence[Interval], threads: int, most: int) -> bool:
    """Whether ``by_maps`` serves a team of so many threads better than ``assign_offsets``. most: bytes of its arena (``Team.apart``)."""
    return threads > 1 and lower_bound(intervals) <= most and by_maps(intervals)[1] <= most


def by_maps(intervals: Sequence[Interval]) -> tuple[list[int], int]:
    """Byte offset of each buffer and the arena's size. Buffers whose maps differ share no memory, others share whole maps.

    Borders of maps are never written by anything else, and stay as they are.
    """
    pools: dict[Map | None, list[int]] = {}
    for i, interval in enumerate(intervals):
        pools.setdefault(interval.map, []).append(i)
    offsets, total = [0] * len(intervals), 0
    for map, members in pools.items():
        chosen = [intervals[i] for i in members]
        found, size = assign_offsets(chosen) if map is None else _stack(chosen, map)
        for i, offset in zip(members, found):
            offsets[i] = total + offset
        total += -(-size // PAGE) * PAGE
    return offsets, total


def _stack(intervals: Sequence[Interval], map: Map) -> tuple[list[int], int]:
    """Buffers of equal maps, each a whole number of maps from the start; those without borders are spread a little, by lines."""
    phases = 1 if map.is_bordered else max(1, min(PAGE, map.size // 16) // LINE)
    best: tuple[list[int], int] | None = None
    for rank in ORDERS:
        offsets = [0] * len(intervals)
        placed: list[int] = []
        total = 0
        for i in sorted(range(len(intervals)), key=lambda k: (*rank(intervals[k]), k)):
            taken = sorted((offsets[j], offsets[j] + intervals[j].size) for j in placed if intervals[j].meets(intervals[i]))
            offsets[i] = _lowest(taken, intervals[i].size, len(placed) * 13 % phases * LINE, map.size)
            placed.append(i)
            total = max(total, offsets[i] + intervals[i].size)
        if best is None or total < best[1]:
            best = offsets, total
    assert best is not None
    return best


def assign_offsets(intervals: Sequence[Interval], fixed: Mapping[int, int] = NOWHERE) -> tuple[list[int], int]:
    """Byte offset of each buffer and the arena's size. fixed: number of a buffer → its offset, where that is given.

    Greedy (lowest offset that fits) in several orders, of which the smallest arena wins. Starts of large buffers are spread over the lines
    of a page, because equal low address bits make loads wait for unrelated stores; where that costs memory the spread is given up.
    """
    bound = lower_bound(intervals)
    best: tuple[list[int], int] | None = None
    for spread in (True, False):
        for order in ORDERS:
            ranked = sorted(range(len(intervals)), key=lambda k: (*order(intervals[k]), k))
            found = _place(intervals, [k for k in ranked if k not in fixed], spread, fixed)
            if best is None or found[1] < best[1]:
                best = found
            if best[1] <= bound + bound // 50 + PAGE:
                return best
        if best is not None and best[1] <= bound + bound // 20 + PAGE:
            return best
    assert best is not None
    return best


def _place(intervals: Sequence[Interval], order: Sequence[int], spread: bool, fixed: Mapping[int, int]) -> tuple[list[int], int]:
    offsets = [fixed.get(i, 0) for i in range(len(intervals))]
    placed = list(fixed)
    total = max([offsets[i] + intervals[i].size for i in placed], default=0)
    for rank, i in enumerate(order):
        interval = intervals[i]
        large = spread and interval.size >= PAGE
        phase = rank * 13 % (PAGE // LINE) * LINE if large else 0
        taken = sorted((offsets[j], offsets[j] + intervals[j].size) for j in placed if intervals[j].meets(interval))
        offsets[i] = _lowest(taken, interval.size, phase, PAGE if large else LINE)
        placed.append(i)
        total = max(total, offsets[i] + interval.size)
    return offsets, -(-total // LINE) * LINE


def _lowest(taken: Sequence[tuple[int, int]], size: int, phase: int, step: int) -> int:
    """The lowest ``phase + k * step`` at which ``size`` bytes fit between the taken ranges (sorted by begin)."""
    offset = phase
    for begin, end in taken:
        if offset + size <= begin:
            break
        if end > offset:
            offset = phase + -(-max(end - phase, 0) // step) * step
    return offset


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
