"""Buffers of an arena: what lives at the same time lies apart, sizes that are known at a call are read then."""

from __future__ import annotations

import itertools

from sol.codegen.arena import Layouts, arena_interval, arena_offsets, placed
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


def apart(buffers: list[Buffer], env: dict[str, int], offsets: list[int], total: int) -> bool:
    """Whether buffers that live together share no memory, and all lie in the arena."""
    spans = [(i, offset) for i, offset in zip((arena_interval(b, env) for b in buffers), offsets)]
    met = all(not a.meets(b) or p + a.size <= q or q + b.size <= p for k, (a, p) in enumerate(spans) for b, q in spans[:k])
    return met and all(offset + i.size <= total for i, offset in spans)


def test_sizes_that_grow_find_room_in_the_same_places() -> None:
    n, m = Dim.symbol("n"), Dim.symbol("m")
    sizes = (n * 64, m * 4, n * m, 640, n * 64 + m)
    buffers = [Buffer(f"b{i}", "arena", size, first=i // 2, last=i // 2 + 2) for i, size in enumerate(sizes)]
    layouts, placed_anew = Layouts(buffers, 0), 0
    last: list[int] = []
    for length in (*range(33, 150), 40, 41, 7, 2000, 2001):
        env = {"n": length, "m": 3}
        offsets, total = layouts.find(env, 2)
        assert apart(buffers, env, offsets, total)
        assert total <= 2 * placed(buffers, env, 2, 0)[1]
        placed_anew += offsets is not last
        last = offsets
    assert placed_anew <= 25


def test_maps_of_other_sizes_are_placed_anew() -> None:
    """Their borders are zeros at other places."""
    n = Dim.symbol("n")
    map = {"map_shape": (n, n), "pixel": 64, "border": ((1, 1), (1, 1))}
    buffers = [Buffer(f"b{i}", "arena", n * n * 64, i, i + 1, **map) for i in range(3)]  # type: ignore[arg-type]
    layouts = Layouts(buffers, 1 << 30)
    for length in range(20, 30):
        assert layouts.find({"n": length}, 2) == placed(buffers, {"n": length}, 2, 1 << 30)
