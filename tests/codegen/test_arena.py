"""Buffers of an arena: what lives at the same time lies apart, sizes that are known at a call are read then."""

from __future__ import annotations

import itertools

from sol.codegen.arena import arena_interval, arena_offsets
from sol.codegen.memory import PAGE, assign_offsets
from sol.codegen.plan import Buffer
from sol.ir.dim import Dim
from sol.ir.types import HOST

NEAR = "near"
"""A memory space beside the host's."""


def test_each_space_has_pages_of_its_own():
    buffers = [Buffer(f"b{i}", "arena", 1000 * (i + 1), i, i + 1, space=(HOST, NEAR)[i % 2]) for i in range(6)]
    offsets, total = arena_offsets(buffers, {}, assign_offsets)
    ranges = {
        s: [(o, o + int(b.size)) for b, o in zip(buffers, offsets) if b.space == s]  # type: ignore[call-overload]
        for s in (HOST, NEAR)
    }
    assert max(e for _, e in ranges[HOST]) <= min(b for b, _ in ranges[NEAR])
    assert min(b for b, _ in ranges[NEAR]) // PAGE > (max(e for _, e in ranges[HOST]) - 1) // PAGE
    assert total >= max(e for _, e in ranges[NEAR])


def test_open_sizes_are_those_of_the_call():
    buffers = [Buffer(f"b{i}", "arena", 64 * Dim.symbol("n") * (i + 1), i, i + 1) for i in range(4)]
    for n in (1, 5):
        intervals = [arena_interval(b, {"n": n}) for b in buffers]
        assert [i.size for i in intervals] == [64 * n * (i + 1) for i in range(4)]
        offsets, total = arena_offsets(buffers, {"n": n}, assign_offsets)
        for (a, b), (x, y) in zip(itertools.combinations(intervals, 2), itertools.combinations(offsets, 2)):
            assert a.last < b.first or b.last < a.first or x + a.size <= y or y + b.size <= x
        assert max(o + i.size for o, i in zip(offsets, intervals)) <= total < sum(i.size for i in intervals)


def test_an_empty_buffer_has_a_place():
    assert arena_interval(Buffer("b", "arena", Dim.symbol("n"), 0, 1), {"n": 0}).size == 1
