"""Offsets of the arena: no two live buffers overlap, and little is wasted."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from sol.codegen.memory import LINE, Interval, Map, assign_offsets, by_maps, keeps_maps_apart, lower_bound

NUMBERS = (st.integers(0, 30), st.integers(0, 12), st.integers(1, 1 << 20))
INTERVALS = st.builds(lambda first, length, size: Interval(first, first + length, size), *NUMBERS)


@settings(deadline=None, derandomize=True)
@given(st.lists(INTERVALS, max_size=30))
def test_live_buffers_never_overlap(intervals):
    offsets, total = assign_offsets(intervals)
    assert all(o % LINE == 0 and o + i.size <= total for o, i in zip(offsets, intervals))
    for a in range(len(intervals)):
        for b in range(a):
            apart = offsets[a] + intervals[a].size <= offsets[b] or offsets[b] + intervals[b].size <= offsets[a]
            assert apart or not intervals[a].meets(intervals[b])


EDGE, WIDER, NONE = ((1, 1), (1, 1)), ((2, 1), (2, 1)), ((0, 0), (0, 0))
MAPS = st.sampled_from([None, Map((8, 8), 64, NONE), Map((8, 16), 64, EDGE), Map((16, 8), 64, EDGE), Map((8, 16), 64, WIDER)])
COUNTS = st.integers(1, 30)
OF_MAPS = st.builds(lambda i, map, n: Interval(i.first, i.last, map.size * n if map else i.size, map), INTERVALS, MAPS, COUNTS)


@settings(deadline=None, derandomize=True)
@given(st.lists(OF_MAPS, max_size=30))
def test_maps_meet_their_like_only(intervals):
    offsets, total = by_maps(intervals)
    assert all(o % LINE == 0 and o + i.size <= total for o, i in zip(offsets, intervals))
    for a, (i, at) in enumerate(zip(intervals, offsets)):
        for j, other in zip(intervals[:a], offsets):
            if at + i.size <= other or other + j.size <= at:
                continue
            assert not i.meets(j) and i.map == j.map
            if i.map and i.map.is_bordered:
                assert (at - other) % i.map.size == 0  # borders on borders


MOST = 32 << 20
"""Bytes of the largest arena in which maps are kept apart."""


def test_who_keeps_maps_apart():
    small, large = Interval(0, 1, 1 << 20), Interval(0, 1, MOST + 1)
    assert keeps_maps_apart([small], 2, MOST) and not keeps_maps_apart([small], 1, MOST) and not keeps_maps_apart([small, large], 2, MOST)


def test_arena_is_close_to_the_bound():
    rng = random.Random(5)
    for _ in range(60):
        count = rng.randint(5, 60)
        firsts = [rng.randint(0, 40) for _ in range(count)]
        intervals = [Interval(f, f + rng.choice((0, 1, 1, 2, 3, rng.randint(0, 40))), int(2 ** rng.uniform(10, 22))) for f in firsts]
        assert assign_offsets(intervals)[1] <= 1.1 * lower_bound(intervals) + 4096


def test_a_chain_needs_two_buffers():
    assert assign_offsets([Interval(i, i + 1, 4096) for i in range(10)])[1] <= 2 * 4096 + 64 * LINE


def test_nothing():
    assert assign_offsets([]) == ([], 0) and lower_bound([]) == 0


def test_the_bound_is_what_lives_at_once():
    assert lower_bound([Interval(0, 2, 10), Interval(1, 1, 5), Interval(2, 3, 7)]) == 17
