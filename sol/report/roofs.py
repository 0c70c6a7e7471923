"""The roofline chart of a report as SVG text: kernels under the limits of arithmetic, memory and each cache."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from sol.inspect.profile import ProfileRow
from sol.inspect.roofline import Roofline
from sol.report.charts import BOTTOM, LEFT, H, W, roof_colour, tip

Link = Callable[[str], str]
RIGHT, TOP = 20.0, 20.0
APART = 1.3
"""How much faster than memory a cache must be for a line of its own."""
LABELS = 8
"""Kernels whose names stand beside their discs, the most expensive ones."""


class _Axes:
    """Both axes logarithmic: operations per byte, and billion operations per second."""

    def __init__(self, shown: Sequence[ProfileRow], limits: Roofline) -> None:
        knees = [limits.flops / b for b in (limits.bandwidth, *(c.bandwidth for c in limits.caches))]
        self.low, self.high = _decades([*(r.flops / r.bytes for r in shown), *knees])
        self.bottom, self.top = _decades([*(r.gflops for r in shown), limits.flops / 1e9])

    def x(self, intensity: float) -> float:
        return LEFT + (math.log10(intensity) - self.low) / (self.high - self.low) * (W - LEFT - RIGHT)

    def y(self, gflops: float) -> float:
        return H - BOTTOM - (math.log10(gflops) - self.bottom) / (self.top - self.bottom) * (H - BOTTOM - TOP)

    def grid(self) -> list[str]:
        lines = []
        for decade in range(self.low, self.high + 1):
            x = self.x(10.0**decade)
            mark = f'<text x="{x:.1f}" y="{H - 22:.1f}">{10.0**decade:g}</text>'
            lines.append(f'<path class="grid" d="M{x:.1f} {TOP}V{H - BOTTOM:.1f}"/>{mark}')
        for decade in range(self.bottom, self.top + 1):
            y = self.y(10.0**decade)
            mark = f'<text class="end" x="{LEFT - 6}" y="{y + 4:.1f}">{10.0**decade:g}</text>'
            lines.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{W - RIGHT:.1f}"/>{mark}')
        return lines


def roofline_svg(rows: Sequence[ProfileRow], limits: Roofline, whole: float, link: Link) -> str:
    """Kernels by operations per byte and billion operations per second, the area of a disc its share of the time."""
    shown = [r for r in rows if r.flops and r.bytes and r.seconds]
    if not shown:
        return ""
    axes = _Axes(shown, limits)
    box = f'viewBox="0 0 {W:.0f} {H:.0f}"'
    lines = [f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label="roofline">', *axes.grid()]
    lines += _roofs(axes, limits)
    taken: list[tuple[float, float, float]] = []
    labels = []
    for rank, row in enumerate(sorted(shown, key=lambda r: -r.seconds)):
        x, y = axes.x(row.flops / row.bytes), axes.y(row.gflops)
        radius = 3 + 30 * math.sqrt(row.seconds / whole) if whole else 4
        lines.append(
            f'<a href="#{link(row.kernel)}"><circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{roof_colour(row.roof)}" '
            f'{tip(_told(row, whole))}/></a>'
        )
        if rank < LABELS:
            labels += _label(row.kernel, x, y + 4, radius + 4, taken)
    lines += labels
    lines.append(f'<text x="{(LEFT + W) / 2:.0f}" y="{H - 5:.0f}">operations per byte of memory traffic</text>')
    lines.append(f'<text transform="translate(14 {H / 2:.0f}) rotate(-90)">GFLOP/s</text></svg>')
    return "\n".join(lines)


def _told(row: ProfileRow, whole: float) -> str:
    """What is said of a kernel's disc."""
    parts = [f"{row.kernel} ({row.region})", f"{1e6 * row.seconds:.1f} µs" + (f", {100 * row.seconds / whole:.1f} %" if whole else "")]
    parts.append(f"{row.gflops:.1f} GFLOP/s, {row.flops / row.bytes:.2g} FLOP/byte, {row.gbytes:.1f} GB/s")
    if row.roof is not None:
        parts.append(f"{100 * row.roof:.0f} % of the limit")
    return "\n".join(parts)


def _roofs(axes: _Axes, limits: Roofline) -> list[str]:
    """The limit of arithmetic, and a line for what is read from memory and from each cache."""
    peak = limits.flops / 1e9
    lines = []
    caches = [(f"L{c.level}", c.bandwidth) for c in limits.caches if c.bandwidth > APART * limits.bandwidth]
    for name, bandwidth in (("memory", limits.bandwidth), *caches):
        knee = limits.flops / bandwidth
        first = max(10.0**axes.low, 10.0**axes.bottom * 1e9 / bandwidth)
        start, end = (axes.x(first), axes.y(first * bandwidth / 1e9)), (axes.x(knee), axes.y(peak))
        kind = "roof" if name == "memory" else "roof cache"
        told = tip(f"{name}: {bandwidth / 1e9:.1f} GB/s with {limits.threads} thread{'s' if limits.threads > 1 else ''}")
        lines.append(f'<path class="{kind}" d="M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}" {told}/>')
        angle = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
        at = start[0] + 0.35 * (end[0] - start[0]), start[1] + 0.35 * (end[1] - start[1])
        text = f"{name} {bandwidth / 1e9:.0f} GB/s"
        lines.append(f'<text class="sub" transform="translate({at[0]:.1f} {at[1] - 4:.1f}) rotate({angle:.1f})">{text}</text>')
    fastest = max([limits.bandwidth, *(c.bandwidth for c in limits.caches)])
    x, y = axes.x(limits.flops / fastest), axes.y(peak)
    lines.append(f'<path class="roof" d="M{x:.1f} {y:.1f}H{W - RIGHT:.1f}" {tip(f"multiply-adds: {peak:.0f} GFLOP/s")}/>')
    lines.append(f'<text class="sub end" x="{W - RIGHT - 4:.1f}" y="{y - 5:.1f}">{peak:.0f} GFLOP/s</text>')
    return lines


def _label(name: str, x: float, y: float, away: float, taken: list[tuple[float, float, float]]) -> list[str]:
    """A name to the right or left of a disc, unless another one stands there."""
    text = name if len(name) <= 30 else name[:29] + "…"
    width = 6.2 * len(text)
    for start in (x + away, x - away - width):
        free = not any(abs(y - b) < 13 and start < a + w and a < start + width for a, b, w in taken)
        if free and LEFT <= start and start + width <= W - RIGHT:
            taken.append((start, y, width))
            return [f'<text class="sub name" x="{start:.1f}" y="{y:.1f}" textLength="{width:.1f}">{escape(text)}</text>']
    return []


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """Powers of ten around positive values."""
    low = math.floor(math.log10(min(values)))
    return low, max(math.ceil(math.log10(max(values))), low + 1)
