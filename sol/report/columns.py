"""A tall drawing cut into columns beside each other, so that it uses the width of a page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Point = tuple[float, float]

GUTTER = 56.0
"""Room between two columns, in which edges lead up from the foot of one to the head of the next."""
SHORTEST = 500.0
"""Height below which a column is not worth to be cut off."""
HEAD = 34.0


@dataclass(frozen=True)
class Column:
    """Nodes whose centres lie above ``end``, moved by dx, dy. left, right, bottom: its edges after that."""

    end: float
    dx: float
    dy: float
    left: float
    right: float
    bottom: float


def columns_of(places: Mapping[str, Point], sizes: Mapping[str, tuple[float, float]], cuts: Sequence[float], margin: float) -> list[Column]:
    """The columns between horizontal cuts, each as narrow as what is in it."""
    bounds = [*cuts, float("inf")]
    found: list[Column] = []
    left = margin
    for i, end in enumerate(bounds):
        start = bounds[i - 1] if i else float("-inf")
        inside = [n for n, (_, y) in places.items() if start <= y < end]
        low = min(places[n][0] - sizes[n][0] / 2 for n in inside)
        high = max(places[n][0] + sizes[n][0] / 2 for n in inside)
        top = min(places[n][1] - sizes[n][1] / 2 for n in inside)
        bottom = max(places[n][1] + sizes[n][1] / 2 for n in inside)
        found.append(Column(end, left - low, HEAD - top, left, left + high - low, HEAD + bottom - top))
        left += high - low + GUTTER
    return found


def cuts_of(
    places: Mapping[str, Point], sizes: Mapping[str, tuple[float, float]], edges: Sequence[tuple[Point, Point]], count: int, down: float
) -> list[float]:
    """Heights between layers at which ``count`` columns of about equal height are cut, where few edges cross."""
    tops = sorted({round(y - sizes[n][1] / 2, 1) for n, (_, y) in places.items()})
    gaps = [(a, b) for a, b in zip(tops, tops[1:]) if b - a > down / 2]
    height = max((y for _, y in places.values()), default=0.0)
    cuts: list[float] = []
    for i in range(1, count):
        aim = height * i / count
        near = [b - down / 2 for _, b in gaps if abs(b - aim) <= 0.15 * height / count and (not cuts or b - down / 2 > cuts[-1])]
        if near:
            cuts.append(min(near, key=lambda cut: (sum(a[1] < cut < b[1] for a, b in edges), abs(cut - aim))))
    return cuts


def folded(points: Sequence[Point], columns: Sequence[Column], rank: int) -> tuple[Point, ...]:
    """An edge's points after its nodes were moved; where it goes on in another column it leads up beside that. rank: keeps edges apart."""
    ends = [c.end for c in columns]
    held = [min(bisect_right(ends, y), len(columns) - 1) for _, y in points]
    moved = [(x + columns[c].dx, y + columns[c].dy) for (x, y), c in zip(points, held)]
    found = [moved[0]]
    for before, after, point in zip(held, held[1:], moved[1:]):
        if after != before:
            beside = columns[before].right + GUTTER / 2 + 4.0 * (rank % 5 - 2)
            found += [(beside, columns[before].bottom + 6.0), (beside, HEAD - 6.0)]
        found.append(point)
    return tuple(found)
