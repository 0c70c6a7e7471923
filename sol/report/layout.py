"""Layered drawing of a directed acyclic graph (Sugiyama et al. 1981): layers, order within them, coordinates.

Fast rather than optimal: barycentre sweeps instead of crossing counts, and edges over many layers take no room of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sol.report.columns import GUTTER, SHORTEST, columns_of, cuts_of, folded

Point = tuple[float, float]

SWEEPS = 8
LONGEST = 10
"""Layers that an edge may cross and still be led between the nodes; a longer one bends around them."""
ROOM = 4000
"""Bends that are placed at most in one drawing."""


@dataclass(frozen=True)
class Drawing:
    """places: centre of each node. paths: points of each edge, from the lower side of its first node to the upper side of its last.

    Two points above each other, the lower one first, are a straight way up from the foot of a column to the head of the next.
    """

    places: Mapping[str, Point]
    paths: Mapping[tuple[str, str], tuple[Point, ...]]
    width: float
    height: float


def draw(
    sizes: Mapping[str, tuple[float, float]], edges: Sequence[tuple[str, str]], *, across: float = 24.0, down: float = 46.0,
    wide: float = 0.0,
) -> Drawing:  # fmt: skip
    """Place nodes (name → width, height) so that edges lead downwards. across, down: gaps. Edges to unknown nodes are left out.

    wide: if the drawing is narrow enough for that, it is cut into columns that stand beside each other within this width.
    """
    edges = [(a, b) for a, b in dict.fromkeys(edges) if a in sizes and b in sizes and a != b]
    layer = _layers(sizes, edges)
    short, long = _divided(edges, layer)
    layers, links, chains = _with_bends(sizes, layer, short)
    widths = {**{bend: 8.0 for chain in chains.values() for bend in chain}, **{n: s[0] for n, s in sizes.items()}}
    _order(layers, links)
    x = _coordinates(layers, links, widths, across)
    y = _heights(layers, sizes, down)
    left = min((x[n] - widths[n] / 2 for n in x), default=0.0)
    margin = 30.0
    x = {n: v - left + margin for n, v in x.items()}
    right = max((x[n] + widths[n] / 2 for n in x), default=0.0)
    places = {n: (x[n], y[n]) for n in sizes}
    paths: dict[tuple[str, str], tuple[Point, ...]] = {}
    for edge in short:
        a, b = edge
        bends = [(x[c], y[c]) for c in chains.get(edge, ())]
        paths[edge] = (_below(places[a], sizes[a]), *bends, _above(places[b], sizes[b]))
    for rank, (a, b) in enumerate(long):
        aside = right + 20.0 + 6.0 * (rank % 12)
        start, end = _below(places[a], sizes[a]), _above(places[b], sizes[b])
        paths[a, b] = (start, (aside, start[1] + down), (aside, end[1] - down), end)
    bottom = max((y[n] + s[1] / 2 for n, s in sizes.items()), default=0.0)
    drawing = Drawing(places, paths, right + margin + (100.0 if long else 0.0), bottom + margin)
    return fold(drawing, sizes, wide, down) if wide else drawing


def fold(drawing: Drawing, sizes: Mapping[str, tuple[float, float]], wide: float, down: float) -> Drawing:
    """The drawing in as many columns as fit into the width, if it is tall enough for that."""
    room = int((wide + GUTTER) // (drawing.width + GUTTER))
    count = min(room, int(drawing.height // SHORTEST))
    if count < 2:
        return drawing
    ends = [(path[0], path[-1]) for path in drawing.paths.values()]
    columns = columns_of(drawing.places, sizes, cuts_of(drawing.places, sizes, ends, count, down), 30.0)
    places = {}
    for name, (x, y) in drawing.places.items():
        column = next(c for c in columns if y < c.end)
        places[name] = (x + column.dx, y + column.dy)
    crossing = (edge for edge, path in drawing.paths.items() if any(path[0][1] < c.end <= path[-1][1] for c in columns))
    ranks = {edge: i for i, edge in enumerate(crossing)}
    paths = {edge: folded(path, columns, ranks.get(edge, 0)) for edge, path in drawing.paths.items()}
    return Drawing(places, paths, columns[-1].right + 30.0, max(c.bottom for c in columns) + 40.0)


def _below(place: Point, size: tuple[float, float]) -> Point:
    return place[0], place[1] + size[1] / 2


def _above(place: Point, size: tuple[float, float]) -> Point:
    return place[0], place[1] - size[1] / 2


def _layers(names: Mapping[str, object], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The longest way from a source, nodes pulled down to just above the first that reads them. A cycle raises ValueError."""
    after, before = defaultdict(list), defaultdict(list)
    for a, b in edges:
        after[a].append(b)
        before[b].append(a)
    waiting = {n: len(before[n]) for n in names}
    ready = [n for n in names if not waiting[n]]
    order: list[str] = []
    layer = dict.fromkeys(ready, 0)
    while ready:
        node = ready.pop()
        order.append(node)
        for other in after[node]:
            layer[other] = max(layer.get(other, 0), layer[node] + 1)
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    if len(order) != len(names):
        raise ValueError("the graph has a cycle")
    for node in reversed(order):
        if after[node] and not before[node]:
            layer[node] = min(layer[o] for o in after[node]) - 1
    return layer


def _divided(edges: Sequence[tuple[str, str]], layer: Mapping[str, int]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Edges that are led through the layers, and those that bend around."""
    room, short, long = ROOM, [], []
    for edge in sorted(edges, key=lambda e: layer[e[1]] - layer[e[0]]):
        span = layer[edge[1]] - layer[edge[0]]
        if span <= LONGEST and room >= span:
            room -= span - 1
            short.append(edge)
        else:
            long.append(edge)
    return short, long


def _with_bends(
    names: Mapping[str, object], layer: Mapping[str, int], edges: Sequence[tuple[str, str]]
) -> tuple[list[list[str]], list[tuple[str, str]], dict[tuple[str, str], tuple[str, ...]]]:
    """Layers, links between neighbouring layers, and the bends that stand for an edge in the layers it crosses."""
    layers: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for name in names:
        layers[layer[name]].append(name)
    links: list[tuple[str, str]] = []
    chains: dict[tuple[str, str], tuple[str, ...]] = {}
    for number, (a, b) in enumerate(edges):
        chain = []
        for level in range(layer[a] + 1, layer[b]):
            bend = f"\0{number}.{level}"
            layers[level].append(bend)
            chain.append(bend)
        chains[a, b] = tuple(chain)
        whole = (a, *chain, b)
        links += zip(whole, whole[1:])
    return layers, links, chains


def _neighbours(links: Sequence[tuple[str, str]]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    up, down = defaultdict(list), defaultdict(list)
    for a, b in links:
        down[a].append(b)
        up[b].append(a)
    return up, down


def _order(layers: list[list[str]], links: Sequence[tuple[str, str]]) -> None:
    """Sort every layer by the mean place of its neighbours, down and up in turn."""
    up, down = _neighbours(links)
    for sweep in range(SWEEPS):
        sides = up if sweep % 2 == 0 else down
        place = {n: i for row in layers for i, n in enumerate(row)}
        for row in layers if sweep % 2 == 0 else reversed(layers):
            row.sort(key=lambda n: (_mean([place[o] for o in sides[n]], place[n]), place[n]))
            place.update({n: i for i, n in enumerate(row)})


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _coordinates(
    layers: Sequence[Sequence[str]], links: Sequence[tuple[str, str]], widths: Mapping[str, float], across: float
) -> dict[str, float]:
    """Centres: each layer is moved towards its neighbours' means as far as its own nodes leave room."""
    up, down = _neighbours(links)
    x: dict[str, float] = {}
    for row in layers:
        at = 0.0
        for name in row:
            x[name] = at + widths[name] / 2
            at += widths[name] + across
        for name in row:
            x[name] -= (at - across) / 2
    for sweep in range(2 * SWEEPS):
        sides = up if sweep % 2 == 0 else down
        for row in layers if sweep % 2 == 0 else reversed(layers):
            wanted = [_mean([x[o] for o in sides[n]], x[n]) for n in row]
            x.update(zip(row, _apart(wanted, [widths[n] for n in row], across)))
    return x


def _apart(wanted: Sequence[float], widths: Sequence[float], across: float) -> list[float]:
    """Places near the wanted ones, in order and not overlapping: the mean of packing from the left and from the right."""
    left, right = list(wanted), list(wanted)
    for i in range(1, len(left)):
        left[i] = max(left[i], left[i - 1] + (widths[i - 1] + widths[i]) / 2 + across)
    for i in range(len(right) - 2, -1, -1):
        right[i] = min(right[i], right[i + 1] - (widths[i + 1] + widths[i]) / 2 - across)
    return [(a + b) / 2 for a, b in zip(left, right)]


def _heights(layers: Sequence[Sequence[str]], sizes: Mapping[str, tuple[float, float]], down: float) -> dict[str, float]:
    y: dict[str, float] = {}
    at = 30.0
    for row in layers:
        tall = max((sizes[n][1] for n in row if n in sizes), default=0.0)
        for name in row:
            y[name] = at + tall / 2
        at += tall + down
    return y
