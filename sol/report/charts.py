"""The pictures of a report as SVG text: the graph of regions and the memory plan. Colours follow the reader's light or dark scheme."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sol.report.data import LaunchView, Part, Vertex
from sol.report.layout import Drawing, Point, draw

WIDE = 1120.0
"""Width of a drawing for which a page has room."""
W, H, LEFT, BOTTOM = 1000.0, 400.0, 60.0, 40.0
"""Size of a chart, and room for its axes."""


def heat(share: float) -> str:
    """How far the colour goes from that of no share of the time to that of a tenth of it or more, in percent."""
    return f"{100 * min(max(share, 0.0) / 0.1, 1.0) ** 0.5:.0f}%"


def tip(text: str) -> str:
    """Attributes of an element whose text is shown where the pointer or the keyboard's focus is on it."""
    return f'data-tip="{escape(text)}" aria-label="{escape(text)}"'.replace("\n", "&#10;")


def roof_colour(roof: float | None) -> str:
    """Red for a kernel far below its limit, green for one that reaches it, grey where that is not known."""
    if roof is None:
        return "#b8b8b8"
    return f"hsl({round(120 * min(max(roof, 0.0), 1.0))},65%,45%)"


def megabytes(size: float) -> str:
    """Bytes as text with three digits."""
    return f"{size / 2**20:.3g} MiB" if size >= 2**20 else f"{size / 1024:.3g} KiB"


def graph_svg(part: Part, number: int, whole: float) -> str:
    """The graph of regions. whole: seconds of all launches, 0 if they were not measured. Nodes have the id ``v<number>-<index>``."""
    labels = [_label(v, part.launches) for v in part.vertices]
    sizes = {v.name: (_width(label), 40.0 if v.kind in ("region", "concat") else 28.0) for v, label in zip(part.vertices, labels)}
    drawing = draw(sizes, part.edges, wide=WIDE)
    lines = [
        f'<svg class="graph" id="graph{number}" xmlns="http://www.w3.org/2000/svg" width="{drawing.width:.0f}" '
        f'height="{drawing.height:.0f}" viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}" role="img" aria-label="graph of regions">',
        f'<defs><marker id="tip{number}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    for edge, points in drawing.paths.items():
        ends = f'data-from="{escape(edge[0])}" data-to="{escape(edge[1])}" {tip(" → ".join(edge))}'
        lines.append(f'<path class="edge" d="{_curve(points)}" marker-end="url(#tip{number})" {ends}/>')
    for index, (vertex, label) in enumerate(zip(part.vertices, labels)):
        lines.append(_node(vertex, label, f"v{number}-{index}", drawing, sizes[vertex.name], part.launches, whole))
    return "\n".join([*lines, "</svg>"])


def _label(vertex: Vertex, launches: Sequence[LaunchView]) -> tuple[str, str]:
    head = vertex.name if vertex.kind in ("input", "output") else " + ".join(vertex.ops)
    tail = vertex.result
    if vertex.kind == "region":
        seconds = [launches[i].seconds or 0.0 for i in vertex.launches]
        tail = (f"{1e6 * sum(seconds):.0f} µs  " if any(seconds) else "") + (vertex.origin.partition(" (")[0] or vertex.name)
    return _short(head), _short(tail)


def _short(text: str, most: int = 38) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _width(label: tuple[str, str]) -> float:
    return 22 + 6.7 * max(map(len, label))


def _node(
    vertex: Vertex, label: tuple[str, str], name: str, drawing: Drawing, size: tuple[float, float], launches: Sequence[LaunchView],
    whole: float,
) -> str:  # fmt: skip
    (x, y), (w, h) = drawing.places[vertex.name], size
    own = [launches[i] for i in vertex.launches]
    seconds = sum(launch.seconds or 0.0 for launch in own)
    hot = f' style="--t:{heat(seconds / whole)}"' if whole and vertex.kind == "region" else ""
    corner = f'x="{x - w / 2:.1f}" y="{y - h / 2:.1f}"'
    told = tip("\n".join(filter(None, (" + ".join(vertex.ops) or vertex.name, vertex.result, vertex.origin, _times(own)))))
    text = [f'<g class="node {vertex.kind}" id="{name}" data-vertex="{escape(vertex.name)}" tabindex="0" {told}>',
            f'<rect {corner} width="{w:.1f}" height="{h:.1f}" rx="6"{hot}/>']  # fmt: skip
    if vertex.kind == "region":
        text.append(f'<rect class="stripe" {corner} width="6" height="{h:.1f}" rx="3" fill="{roof_colour(_roof(own))}"/>')
    if vertex.kind in ("region", "concat"):
        text.append(f'<text x="{x:.1f}" y="{y - 3:.1f}">{escape(label[0])}</text>')
        text.append(f'<text class="sub" x="{x:.1f}" y="{y + 12:.1f}">{escape(label[1])}</text>')
    else:
        text.append(f'<text x="{x:.1f}" y="{y + 4:.1f}">{escape(label[0])}</text>')
    return "".join([*text, "</g>"])


def _times(launches: Sequence[LaunchView]) -> str:
    seconds = sum(launch.seconds or 0.0 for launch in launches)
    return f"{1e6 * seconds:.1f} µs in {len(launches)} launch{'es' if len(launches) > 1 else ''}" if seconds else ""


def _roof(launches: Sequence[LaunchView]) -> float | None:
    seconds = sum(launch.seconds or 0.0 for launch in launches)
    if not seconds or all(launch.roof is None for launch in launches):
        return None
    return sum((launch.roof or 0.0) * (launch.seconds or 0.0) for launch in launches) / seconds


def _curve(points: Sequence[Point]) -> str:
    """A smooth way through points that leads downwards at each of them, but on a straight way up beside a column."""
    rises = [bx == ax and by < ay for (ax, ay), (bx, by) in zip(points, points[1:])]
    text = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for i, ((ax, ay), (bx, by)) in enumerate(zip(points, points[1:])):
        if rises[i]:
            text += f"L{bx:.1f} {by:.1f}"
            continue
        half = max((by - ay) / 2, 24.0)
        out, into = (-half if i and rises[i - 1] else half), (half if i + 1 < len(rises) and rises[i + 1] else -half)
        text += f"C{ax:.1f} {ay + out:.1f} {bx:.1f} {by + into:.1f} {bx:.1f} {by:.1f}"
    return text


# -- memory ------------------------------------------------------------------------------------------------------------


def memory_svg(part: Part) -> str:
    """Buffers of the arena over the launches, and the bytes alive, which no plan can do without."""
    count, total = len(part.launches), max(part.arena, 1)
    if not part.buffers or not count:
        return ""

    def px(launch: float) -> float:
        return LEFT + 20 + launch / count * (W - LEFT - 40)

    def py(offset: float) -> float:
        return H - BOTTOM - offset / total * (H - BOTTOM - 20)

    box = f'viewBox="0 0 {W:.0f} {H:.0f}"'
    lines = [f'<svg class="chart memory" xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label="memory plan">']
    for i in range(5):
        y, text = py(total * i / 4), megabytes(total * i / 4)
        mark = f'<text class="end" x="{LEFT + 14:.0f}" y="{y + 4:.1f}">{text}</text>'
        lines.append(f'<path class="grid" d="M{px(0):.1f} {y:.1f}H{px(count):.1f}"/>{mark}')
    for index, b in enumerate(part.buffers):
        x, y = px(b.first), py(b.offset + b.size)
        width, height = max(px(b.last + 1) - x, 0.8), max(py(b.offset) - y, 0.4)
        told = tip(f"{b.name}: {megabytes(b.size)} at {b.offset}, launches {b.first} to {b.last}")
        lines.append(
            f'<rect class="buffer hue" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
            f'style="--h:{index * 47 % 360}" {told}/>'
        )
    alive = [sum(b.size for b in part.buffers if b.first <= i <= b.last) for i in range(count)]
    way = "".join(f"{'M' if i == 0 else 'V'}{f'{px(0):.1f} ' if i == 0 else ''}{py(a):.1f}H{px(i + 1):.1f}" for i, a in enumerate(alive))
    lines.append(f'<path class="alive" d="{way}" {tip("bytes alive")}/>')
    lines.append(f'<text x="{W / 2:.0f}" y="{H - 10:.0f}">launch 0 to {count - 1}; the line is what is alive</text></svg>')
    return "\n".join(lines)
