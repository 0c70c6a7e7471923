"""Where the time of a compiled network goes: per launch and per kernel, with rates and the share of the machine's limits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sol.codegen.plan import Plan
from sol.ir.dim import evaluate
from sol.runtime.roofline import LEGEND, Roofline


@dataclass(frozen=True)
class ProfileRow:
    """One launch. seconds: median. flops, bytes: the work it cannot avoid. roof: share of the roofline, None if that is not known."""

    region: str
    kernel: str
    origin: str
    seconds: float
    flops: int
    bytes: int
    roof: float | None = None

    @property
    def gflops(self) -> float:
        """Billion operations per second."""
        return self.flops / self.seconds / 1e9 if self.seconds else 0.0

    @property
    def gbytes(self) -> float:
        """Billion bytes per second."""
        return self.bytes / self.seconds / 1e9 if self.seconds else 0.0


@dataclass(frozen=True)
class Profile:
    """Launches in order of execution; printing shows the most expensive kernels and launches."""

    rows: tuple[ProfileRow, ...]
    roofline: Roofline | None = None

    @property
    def seconds(self) -> float:
        """Sum over all launches; barriers between them make it a little more than a call without profiling."""
        return sum(r.seconds for r in self.rows)

    def by_kernel(self) -> list[ProfileRow]:
        """Launches of the same kernel added up, most expensive first."""
        total: dict[str, list[ProfileRow]] = defaultdict(list)
        for row in self.rows:
            total[row.kernel].append(row)
        merged = [self._sum(f"{len(rows)} launches", rows) for rows in total.values()]
        return sorted(merged, key=lambda r: -r.seconds)

    def total(self) -> ProfileRow:
        """All launches as one row: its roof is that of a network whose every launch reaches its limit."""
        return self._sum("all", self.rows)

    def _sum(self, region: str, rows: Sequence[ProfileRow]) -> ProfileRow:
        seconds, flops, moved = (sum(getattr(r, f) for r in rows) for f in ("seconds", "flops", "bytes"))
        roof = None
        if self.roofline is not None and seconds:
            roof = sum(self.roofline.seconds(r.flops, r.bytes) for r in rows) / seconds
        return ProfileRow(region, rows[0].kernel if rows else "", rows[0].origin if rows else "", seconds, flops, moved, roof)

    def table(self, rows: Iterable[ProfileRow]) -> str:
        """Rows as aligned text: time, share, GFLOP/s, MB and GB/s from memory, share of the roofline, kernel, origin."""
        whole = self.seconds or 1.0
        lines = [f"{'µs':>9} {'share':>6} {'GFLOP/s':>8} {'MB':>8} {'GB/s':>6} {'roof':>5}  {'kernel':44} where"]
        for r in rows:
            where = r.region if r.region.endswith("launches") else r.origin or r.region
            roof = "" if r.roof is None else f"{100 * r.roof:.0f}%"
            lines.append(
                f"{r.seconds * 1e6:9.1f} {100 * r.seconds / whole:5.1f}% {r.gflops:8.1f} {r.bytes / 1e6:8.2f} {r.gbytes:6.1f} {roof:>5}  "
                f"{r.kernel:44} {where}"
            )
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"roofline": self.roofline and asdict(self.roofline), "seconds": self.seconds, "launches": [asdict(r) for r in self.rows]}

    def __str__(self) -> str:
        if not self.rows:
            return "no launches"
        total = self.total()
        roof = f", {100 * total.roof:.0f} % of the roofline ({self.roofline})" if total.roof is not None else ""
        head = f"{total.seconds * 1e3:.3f} ms in {len(self.rows)} launches, {total.gflops:.1f} GFLOP/s{roof}"
        return "\n".join([head, self.table(self.by_kernel()), *([LEGEND] if self.roofline else [])])


def profile_rows(plan: Plan, seconds: Sequence[float], env: Mapping[str, int], limits: Roofline | None) -> list[ProfileRow]:
    """The launches of a plan with their measured times."""
    rows = []
    for launch, time in zip(plan.launches, seconds):
        flops, moved = evaluate(launch.flops, env), evaluate(launch.bytes, env)
        roof = None if limits is None else limits.fraction(flops, moved, time)
        rows.append(ProfileRow(launch.region, launch.kernel, str(launch.origin).strip(), float(time), flops, moved, roof))
    return rows
