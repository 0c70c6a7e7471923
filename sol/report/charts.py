"""The pictures of a report as SVG text: the graph of regions, kernels in the roofline model, the memory plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from sol.report.data import LaunchView, Part, Vertex
from sol.report.layout import Drawing, Point, draw
from sol.runtime.profile import ProfileRow
from sol.runtime.roofline import Roofline

Link = Callable[[str], str]


def heat(share: float) -> str:
    """A colour from near white (no share of the time) to strong orange (a tenth of it or more)."""
    t = min(max(share, 0.0) / 0.1, 1.0) ** 0.5
    r, g, b = (round(a + (c - a) * t) for a, c in zip((250, 250, 248), (245, 140, 60)))
    return f"#{r:02x}{g:02x}{b:02x}"


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
    drawing = draw(sizes, part.edges)
    lines = [
        f'<svg class="graph" id="graph{number}" xmlns="http://www.w3.org/2000/svg" width="{drawing.width:.0f}" '
        f'height="{drawing.height:.0f}" viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}" role="img" aria-label="graph of regions">',
        f'<defs><marker id="tip{number}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#8a8f98"/></marker></defs>',
    ]
    for edge, points in drawing.paths.items():
        title = f"<title>{escape(' → '.join(edge))}</title>"
        lines.append(f'<path class="edge" d="{_curve(points)}" marker-end="url(#tip{number})">{title}</path>')
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
    fill = heat(seconds / whole) if whole and vertex.kind == "region" else "#eef2f7" if vertex.kind != "region" else "#fafaf8"
    text = [f'<g class="node {vertex.kind}" id="{name}" data-vertex="{escape(vertex.name)}" tabindex="0">',
            f"<title>{escape(' + '.join(vertex.ops) or vertex.name)}\n{escape(vertex.result)}\n{escape(vertex.origin)}</title>",
            f'<rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:.1f}" height="{h:.1f}" rx="6" fill="{fill}"/>']  # fmt: skip
    if vertex.kind == "region":
        corner = f'x="{x - w / 2:.1f}" y="{y - h / 2:.1f}"'
        text.append(f'<rect class="stripe" {corner} width="6" height="{h:.1f}" rx="3" fill="{roof_colour(_roof(own))}"/>')
    if vertex.kind in ("region", "concat"):
        text.append(f'<text x="{x:.1f}" y="{y - 3:.1f}">{escape(label[0])}</text>')
        text.append(f'<text class="sub" x="{x:.1f}" y="{y + 12:.1f}">{escape(label[1])}</text>')
    else:
        text.append(f'<text x="{x:.1f}" y="{y + 4:.1f}">{escape(label[0])}</text>')
    return "".join([*text, "</g>"])


def _roof(launches: Sequence[LaunchView]) -> float | None:
    seconds = sum(launch.seconds or 0.0 for launch in launches)
    if not seconds or all(launch.roof is None for launch in launches):
        return None
    return sum((launch.roof or 0.0) * (launch.seconds or 0.0) for launch in launches) / seconds


def _curve(points: Sequence[Point]) -> str:
    """A smooth way through points that leads downwards at each of them."""
    text = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (ax, ay), (bx, by) in zip(points, points[1:]):
        half = (by - ay) / 2 if by > ay else 24.0
        text += f"C{ax:.1f} {ay + half:.1f} {bx:.1f} {by - half:.1f} {bx:.1f} {by:.1f}"
    return text


# -- roofline ----------------------------------------------------------------------------------------------------------

W, H, LEFT, BOTTOM = 760.0, 360.0, 60.0, 40.0


def roofline_svg(rows: Sequence[ProfileRow], limits: Roofline, whole: float, link: Link) -> str:
    """Kernels by operations per byte and billion operations per second, the area of a disc its share of the time."""
    shown = [r for r in rows if r.flops and r.bytes and r.seconds]
    if not shown:
        return ""
    intensity = [r.flops / r.bytes for r in shown]
    low, high = _decades([*intensity, limits.flops / limits.bandwidth])
    bottom, top = _decades([*(r.gflops for r in shown), limits.flops / 1e9])

    def px(value: float) -> float:
        return LEFT + (math.log10(value) - low) / (high - low) * (W - LEFT - 20)

    def py(value: float) -> float:
        return H - BOTTOM - (math.log10(value) - bottom) / (top - bottom) * (H - BOTTOM - 20)

    lines = [f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W:.0f} {H:.0f}" role="img" aria-label="roofline">']
    for decade in range(low, high + 1):
        x = px(10.0**decade)
        lines.append(f'<path class="grid" d="M{x:.1f} 20V{H - BOTTOM:.1f}"/><text x="{x:.1f}" y="{H - 22:.1f}">{10.0**decade:g}</text>')
    for decade in range(bottom, top + 1):
        y = py(10.0**decade)
        mark = f'<text class="end" x="{LEFT - 6}" y="{y + 4:.1f}">{10.0**decade:g}</text>'
        lines.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{W - 20:.1f}"/>{mark}')
    knee, peak = limits.flops / limits.bandwidth, limits.flops / 1e9
    first = max(10.0**low, 10.0**bottom * 1e9 / limits.bandwidth)
    slope = f"M{px(first):.1f} {py(first * limits.bandwidth / 1e9):.1f}L{px(knee):.1f} {py(peak):.1f}"
    lines.append(f'<path class="roof" d="{slope}H{W - 20:.1f}"/>')
    for row, x in sorted(zip(shown, intensity), key=lambda p: -p[0].seconds):
        radius = 3 + 30 * math.sqrt(row.seconds / whole) if whole else 4
        roof = "" if row.roof is None else f", {100 * row.roof:.0f} % of the limit"
        title = f"{row.kernel}: {1e6 * row.seconds:.1f} µs, {row.gflops:.1f} GFLOP/s, {x:.2g} FLOP/byte{roof}"
        lines.append(
            f'<a href="#{link(row.kernel)}"><circle cx="{px(x):.1f}" cy="{py(row.gflops):.1f}" r="{radius:.1f}" '
            f'fill="{roof_colour(row.roof)}"><title>{escape(title)}</title></circle></a>'
        )
    lines.append(f'<text x="{(LEFT + W) / 2:.0f}" y="{H - 5:.0f}">operations per byte of memory traffic</text>')
    lines.append(f'<text transform="translate(14 {H / 2:.0f}) rotate(-90)">GFLOP/s</text></svg>')
    return "\n".join(lines)


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """Powers of ten around positive values."""
    low = math.floor(math.log10(min(values)))
    return low, max(math.ceil(math.log10(max(values))), low + 1)


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
        title = f"{b.name}: {megabytes(b.size)} at {b.offset}, launches {b.first} to {b.last}"
        lines.append(
            f'<rect class="buffer" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
            f'fill="hsl({index * 47 % 360},45%,70%)"><title>{escape(title)}</title></rect>'
        )
    alive = [sum(b.size for b in part.buffers if b.first <= i <= b.last) for i in range(count)]
    way = "".join(f"{'M' if i == 0 else 'V'}{f'{px(0):.1f} ' if i == 0 else ''}{py(a):.1f}H{px(i + 1):.1f}" for i, a in enumerate(alive))
    lines.append(f'<path class="alive" d="{way}"><title>bytes alive</title></path>')
    lines.append(f'<text x="{W / 2:.0f}" y="{H - 10:.0f}">launch 0 to {count - 1}; the line is what is alive</text></svg>')
    return "\n".join(lines)
