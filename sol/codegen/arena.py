"""Where the buffers of an arena lie, for given sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sol.codegen.memory import PAGE, Interval, Map
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
