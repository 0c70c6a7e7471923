"""The time line of a report as SVG text: which thread worked in which launch when, and where it waited."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from sol.report.charts import W, tip
from sol.report.data import Part
from sol.runtime.spans import Bar

ROW, GAP, AXIS = 34.0, 6.0, 26.0
LEFT = 64.0
SMALLEST = 0.3
"""Width of the narrowest bar."""


def timeline_svg(part: Part, bars: Sequence[Bar], vertices: Mapping[str, str]) -> str:
    """One row a thread, a bar a launch, gaps where it waited. vertices: region → id of its node in the graph."""
    if not bars:
        return ""
    threads = max(b.thread for b in bars) + 1
    end = max(b.end for b in bars) or 1e-9
    hues = {kernel: i * 137 % 360 for i, kernel in enumerate(dict.fromkeys(launch.kernel for launch in part.launches))}
    height = threads * (ROW + GAP) + AXIS

    def px(seconds: float) -> float:
        return LEFT + seconds / end * (W - LEFT - 10)

    box = f'viewBox="0 0 {W:.0f} {height:.0f}" preserveAspectRatio="none"'
    size = f'width="{W:.0f}" height="{height:.0f}"'
    lines = [f'<svg class="timeline" xmlns="http://www.w3.org/2000/svg" {box} {size} role="img" aria-label="time line">']
    lines += _axis(end, px, threads * (ROW + GAP))
    for thread in range(threads):
        y = thread * (ROW + GAP)
        lines.append(_text(LEFT - 6, y + ROW / 2 + 4, f"thread {thread}", "end"))
        lines.append(f'<rect class="idle" x="{px(0):.1f}" y="{y:.1f}" width="{px(end) - px(0):.1f}" height="{ROW}"/>')
    for bar in bars:
        launch = part.launches[bar.launch]
        x, wide = px(bar.begin), max(px(bar.end) - px(bar.begin), SMALLEST)
        told = f"{launch.kernel}\n{launch.origin or launch.region}\nthread {bar.thread}: {1e6 * bar.begin:.1f} to {1e6 * bar.end:.1f} µs"
        told += f" ({1e6 * (bar.end - bar.begin):.1f})\nlaunch {launch.index}"
        node = vertices.get(launch.region, "")
        link = f' data-node="{escape(node)}"' if node else ""
        lines.append(
            f'<rect class="span hue" x="{x:.2f}" y="{bar.thread * (ROW + GAP):.1f}" width="{wide:.2f}" height="{ROW}" '
            f'style="--h:{hues[launch.kernel]}"{link} {tip(told)}/>'
        )
    return "\n".join([*lines, "</svg>"])


def _axis(end: float, px: Callable[[float], float], y: float) -> list[str]:
    """Marks at round times, about ten of them."""
    step = _round_step(1e6 * end / 10)
    lines, at = [], 0.0
    while at <= 1e6 * end:
        x = px(at * 1e-6)
        lines += [f'<path class="grid" d="M{x:.1f} 0V{y:.1f}"/>', _text(x, y + 16, f"{at:g} µs")]
        at += step
    return lines


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    """A text that the page's script keeps from being stretched with the bars."""
    return f'<text class="{kind}" data-x="{x:.1f}" data-y="{y:.1f}" transform="translate({x:.1f} {y:.1f})">{text}</text>'


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least so large."""
    power = 10.0 ** len(str(int(max(least, 1.0)))) / 10
    return next(power * f for f in (1, 2, 5, 10) if power * f >= least)
