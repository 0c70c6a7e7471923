"""Drawings: edges lead downwards, nodes do not overlap, large graphs take no time."""

from __future__ import annotations

import random
import time

import pytest

from sol.report.columns import GUTTER
from sol.report.layout import LONGEST, draw


def check(sizes, edges, drawing):
    for a, b in edges:
        assert drawing.places[a][1] < drawing.places[b][1], f"{a} is not above {b}"
        points = drawing.paths[a, b]
        assert points[0] == pytest.approx((drawing.places[a][0], drawing.places[a][1] + sizes[a][1] / 2))
        assert points[-1] == pytest.approx((drawing.places[b][0], drawing.places[b][1] - sizes[b][1] / 2))
    boxes = [(*drawing.places[n], *sizes[n]) for n in sizes]
    for i, (x, y, w, h) in enumerate(boxes):
        assert w / 2 <= x <= drawing.width - w / 2 and h / 2 <= y <= drawing.height - h / 2
        for u, v, s, t in boxes[:i]:
            assert abs(x - u) >= (w + s) / 2 - 1e-6 or abs(y - v) >= (h + t) / 2 - 1e-6


@pytest.mark.parametrize(
    "edges",
    [[], [("a", "b")], [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "d")], [("a", "c"), ("b", "c"), ("d", "e")]],
)
def test_small_graphs(edges):
    sizes = {n: (40.0 + 30 * i, 30.0) for i, n in enumerate("abcde")}
    check(sizes, edges, draw(sizes, edges))


def test_a_residual_edge_bends_around_the_node_between():
    sizes = {n: (100.0, 30.0) for n in "abc"}
    drawing = draw(sizes, [("a", "b"), ("b", "c"), ("a", "c")])
    (bend,) = drawing.paths["a", "c"][1:-1]
    assert abs(bend[0] - drawing.places["b"][0]) > 50


def test_a_long_edge_goes_aside():
    names = [f"n{i}" for i in range(LONGEST + 3)]
    sizes = {n: (50.0, 20.0) for n in names}
    edges = [*zip(names, names[1:]), (names[0], names[-1])]
    drawing = draw(sizes, edges)
    check(sizes, edges, drawing)
    assert drawing.paths[names[0], names[-1]][1][0] > max(x for x, _ in drawing.places.values())


def test_no_nodes_cycles_and_unknown_names():
    assert draw({}, []).paths == {}
    assert draw({"a": (1.0, 1.0)}, [("a", "x"), ("a", "a")]).paths == {}
    with pytest.raises(ValueError, match="cycle"):
        draw({"a": (1.0, 1.0), "b": (1.0, 1.0)}, [("a", "b"), ("b", "a")])


def test_300_nodes_with_2000_edges():
    choose = random.Random(0)
    names = [f"n{i}" for i in range(300)]
    sizes = {n: (choose.uniform(60, 240), 40.0) for n in names}
    edges = list({tuple(sorted(choose.sample(range(300), 2))) for _ in range(2000)} | set(zip(range(299), range(1, 300))))
    edges = [(names[a], names[b]) for a, b in edges]
    start = time.process_time()
    check(sizes, edges, draw(sizes, edges))
    assert time.process_time() - start < 10


@pytest.mark.parametrize(("count", "wide"), [(40, 1000.0), (40, 2000.0), (200, 1000.0), (12, 1000.0)])
def test_a_tall_drawing_stands_in_columns(count, wide):
    """A chain with residual edges fills the width, nothing overlaps, and edges end where their nodes are."""
    names = [f"n{i}" for i in range(count)]
    sizes = {n: (120.0 + 10 * (i % 7), 40.0) for i, n in enumerate(names)}
    edges = [*zip(names, names[1:]), *zip(names[::5], names[3::5])]
    tall, folded = draw(sizes, edges), draw(sizes, edges, wide=wide)
    columns = sorted({round(x // (tall.width / 2)) for x, _ in folded.places.values()})
    assert folded.width <= wide + 60 and folded.height < tall.height / 1.6 and len(columns) > 1
    assert folded.width > wide - tall.width - GUTTER - 60 or folded.height < 1100
    boxes = [(*folded.places[n], *sizes[n]) for n in names]
    for i, (x, y, w, h) in enumerate(boxes):
        assert w / 2 <= x <= folded.width - w / 2 and h / 2 <= y <= folded.height - h / 2
        for u, v, s, t in boxes[:i]:
            assert abs(x - u) >= (w + s) / 2 - 1e-6 or abs(y - v) >= (h + t) / 2 - 1e-6
    for (a, b), points in folded.paths.items():
        assert points[0] == pytest.approx((folded.places[a][0], folded.places[a][1] + 20))
        assert points[-1] == pytest.approx((folded.places[b][0], folded.places[b][1] - 20))


def test_a_short_or_wide_drawing_stays_whole():
    sizes = {n: (100.0, 30.0) for n in "abc"}
    edges = [("a", "b"), ("b", "c")]
    assert draw(sizes, edges, wide=2000.0) == draw(sizes, edges)
    sizes = {f"n{i}": (900.0, 40.0) for i in range(40)}
    chain = [(f"n{i}", f"n{i + 1}") for i in range(39)]
    assert draw(sizes, chain, wide=1000.0) == draw(sizes, chain)
