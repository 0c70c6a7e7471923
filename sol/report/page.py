"""The report as one page of HTML: no script, style, font or picture is fetched from anywhere."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from sol import __version__
from sol.inspect.profile import LEGEND, Profile, ProfileRow
from sol.report.charts import graph_svg, heat, megabytes, memory_svg, roof_colour
from sol.report.data import LaunchView, Part, Report, owner_of
from sol.report.highlight import highlight
from sol.report.roofs import roofline_svg
from sol.report.timeline import timeline_svg


@dataclass(frozen=True)
class KernelView:
    """A row of the table of kernels. origins: where in the model its launches come from."""

    name: str
    anchor: str
    count: int
    row: ProfileRow | None
    flops: int
    bytes: int
    origins: tuple[tuple[str, str], ...]
    colour: str

    @property
    def percent(self) -> str:
        """The share of the roofline as text."""
        return "" if self.row is None or self.row.roof is None else f"{100 * self.row.roof:.0f} %"

    @property
    def quartiles(self) -> str:
        """Microseconds of all its launches, from run to run."""
        return "" if self.row is None else f"{1e6 * self.row.spread.lower:.1f}–{1e6 * self.row.spread.upper:.1f}"

    @property
    def waits(self) -> str:
        """The share of its time in which threads waited for others."""
        return "" if self.row is None or not self.row.seconds else f"{100 * self.row.waiting / self.row.seconds:.0f} %"

    @property
    def balance(self) -> str:
        """The mean work of the threads over that of the one with most."""
        return "" if self.row is None or self.row.balance is None else f"{100 * self.row.balance:.0f} %"

    @property
    def bar(self) -> float:
        """The share of the roofline as the width of a bar, at most 100."""
        return min(100 * (self.row.roof or 0.0), 100.0) if self.row else 0.0


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent), undefined=jinja2.StrictUndefined, autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip


def anchor(name: str) -> str:
    """The id of the place where a C file is shown."""
    return "c-" + re.sub(r"[^A-Za-z0-9_-]", "_", name)


def render_page(report: Report) -> str:
    """The whole page."""
    profile, whole = report.profile, report.profile.seconds if report.profile else 0.0
    kernels = kernel_views(report.parts, profile)
    sources = {name: text for part in report.parts for name, text in part.sources.items()}
    limits = profile.roofline if profile else None
    return _environment().get_template("report.html.j2").render(
        report=report, version=__version__, profile=profile, total=profile.total() if profile and profile.rows else None, kernels=kernels,
        graphs=[graph_svg(p, i, whole) for i, p in enumerate(report.parts)],
        roofline=roofline_svg(profile.by_kernel(), limits, whole, anchor) if profile and limits else "",
        memory=[memory_svg(p) for p in report.parts], timelines=_timelines(report),
        sources=[(name, anchor(name), highlight(text), text.count("\n")) for name, text in sources.items()],
        data=_script_data([_details(p, whole) for p in report.parts]), megabytes=megabytes, legend=LEGEND,
        scale=[heat(s) for s in (0, 0.01, 0.03, 0.06, 0.1)], roofs=[roof_colour(r) for r in (0.1, 0.5, 1.0)],
    )  # fmt: skip


def _timelines(report: Report) -> list[str]:
    """A time line for each part whose launches were timed."""
    tracks = report.profile.tracks if report.profile else ()
    nodes = [{v.name: f"v{n}-{i}" for i, v in enumerate(part.vertices)} for n, part in enumerate(report.parts)]
    found = []
    for part, bars, own in zip(report.parts, tracks, nodes):
        found.append(timeline_svg(part, bars, {launch.region: own.get(owner_of(launch.region), "") for launch in part.launches}))
    return found


def kernel_views(parts: Sequence[Part], profile: Profile | None) -> list[KernelView]:
    """Kernels of all parts, the most expensive first."""
    launches: dict[str, list[tuple[str, LaunchView]]] = defaultdict(list)
    for number, part in enumerate(parts):
        vertex = {v.name: i for i, v in enumerate(part.vertices)}
        for launch in part.launches:
            owner = owner_of(launch.region)
            launches[launch.kernel].append((f"v{number}-{vertex[owner]}" if owner in vertex else "", launch))
    rows = {r.kernel: r for r in profile.by_kernel()} if profile else {}
    views = []
    for name, own in launches.items():
        origins = tuple((node, launch.origin or launch.region) for node, launch in own)
        row = rows.get(name)
        flops, moved = (sum(getattr(launch, f) for _, launch in own) for f in ("flops", "bytes"))
        views.append(KernelView(name, anchor(name), len(own), row, flops, moved, origins, roof_colour(row.roof if row else None)))
    return sorted(views, key=lambda v: -(v.row.seconds if v.row else v.flops))


def _details(part: Part, whole: float) -> list[dict[str, Any]]:
    """What the panel beside the graph shows of each vertex."""
    found = []
    for vertex in part.vertices:
        rows = []
        for i in vertex.launches:
            launch = part.launches[i]
            seconds = launch.seconds or 0.0
            rows.append({
                "index": i, "kernel": launch.kernel, "anchor": anchor(launch.kernel), "origin": launch.origin,
                "us": round(1e6 * seconds, 1) if whole else None, "share": round(100 * seconds / whole, 1) if whole else None,
                "lower": round(1e6 * launch.lower, 1), "upper": round(1e6 * launch.upper, 1), "waits": round(1e6 * launch.waiting, 1),
                "balance": None if launch.balance is None else round(100 * launch.balance),
                "roof": None if launch.roof is None else round(100 * launch.roof), "mflop": round(launch.flops / 1e6, 3),
                "mb": round(launch.bytes / 1e6, 3),
            })  # fmt: skip
        found.append({"name": vertex.name, "kind": vertex.kind, "ops": list(vertex.ops), "result": vertex.result, "origin": vertex.origin,
                      "launches": rows})  # fmt: skip
    return found


def _script_data(content: Any) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(content).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
