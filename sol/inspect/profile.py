"""Where the time of a compiled network goes: per launch and per kernel, with rates, the share of the machine's limits, and who waited."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sol.codegen.plan import Plan
from sol.inspect.explanation import scaled
from sol.inspect.load import Load, Watch
from sol.inspect.roofline import LEGEND, Roofline
from sol.ir.dim import evaluate
from sol.runtime.spans import Bar, Samples, Spread

NOTHING = Spread(0.0, 0.0, 0.0, 0.0, 0.0)
UNSTEADY = 1.25
"""Upper quartile of a call's time over the smallest one from which times count as unsteady."""


@dataclass(frozen=True)
class ProfileRow:
    """One launch.

    seconds: median, threads' mean of work and waiting. spread: over the runs. waiting: the part of it in which threads waited for others.
    balance: mean work of the threads over that of the one with most, None for no work. flops, bytes: the work it cannot avoid.
    roof: share of the roofline, None if that is not known.
    """

    region: str
    kernel: str
    origin: str
    seconds: float
    flops: int
    bytes: int
    roof: float | None = None
    spread: Spread = NOTHING
    waiting: float = 0.0
    balance: float | None = None

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
    """Launches in order of execution; printing shows the most expensive kernels and launches.

    call: seconds of a whole call from Python, without time stamps. load: what else the machine did meanwhile.
    tracks: for each compiled part the launches of one run on the threads' time lines.
    """

    rows: tuple[ProfileRow, ...]
    roofline: Roofline | None = None
    call: Spread | None = None
    load: Load | None = None
    tracks: tuple[tuple[Bar, ...], ...] = ()
    threads: int = 1

    @property
    def seconds(self) -> float:
        """Sum over all launches, waiting between them included: a call less what Python and the start of the threads take."""
        return sum(r.seconds for r in self.rows)

    @property
    def waiting(self) -> float:
        """Seconds of it in which threads waited for others."""
        return sum(r.waiting for r in self.rows)

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
        seconds, waiting = sum(r.seconds for r in rows), sum(r.waiting for r in rows)
        work = [(r.seconds - r.waiting, r.balance) for r in rows if r.balance]
        largest = sum(w / b for w, b in work)
        roof = None
        if self.roofline is not None and seconds:
            roof = sum(self.roofline.seconds(r.flops, r.bytes) for r in rows) / seconds
        first = rows[0] if rows else ProfileRow(region, "", "", 0.0, 0, 0)
        return replace(
            first, region=region, seconds=seconds, flops=sum(r.flops for r in rows), bytes=sum(r.bytes for r in rows), roof=roof,
            spread=sum((r.spread for r in rows), start=NOTHING), waiting=waiting,
            balance=sum(w for w, _ in work) / largest if largest else None,
        )  # fmt: skip

    def table(self, rows: Iterable[ProfileRow]) -> str:
        """Rows as aligned text: median time and quartiles, share, waiting, GFLOP/s, MB, GB/s, share of the roofline, kernel."""
        whole = self.seconds or 1.0
        head = f"{'µs':>9} {'quartiles':>15} {'share':>6} {'waits':>6} {'GFLOP/s':>8} {'MB':>8} {'GB/s':>6} {'roof':>5}"
        lines = [f"{head}  {'kernel':44} where"]
        for r in rows:
            where = r.region if r.region.endswith("launches") else r.origin or r.region
            roof = "" if r.roof is None else f"{100 * r.roof:.0f}%"
            waits = f"{100 * r.waiting / r.seconds:.0f}%" if r.seconds else ""
            lines.append(
                f"{r.seconds * 1e6:9.1f} {_quartiles(r.spread, 1e6):>15} {100 * r.seconds / whole:5.1f}% {waits:>6} {r.gflops:8.1f} "
                f"{r.bytes / 1e6:8.2f} {r.gbytes:6.1f} {roof:>5}  {r.kernel:44} {where}"
            )
        return "\n".join(lines)

    @property
    def warning(self) -> str:
        """Why the times are to be doubted, or nothing."""
        parts = [str(self.load)] if self.load is not None and self.load.busy else []
        if self.call is not None and self.call.least and self.call.upper > UNSTEADY * self.call.least:
            parts.append(f"calls took {1e3 * self.call.least:.3g} to {1e3 * self.call.most:.3g} ms: repeat the measurement")
        return "; ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "roofline": self.roofline and asdict(self.roofline), "seconds": self.seconds, "call": self.call and asdict(self.call),
            "waiting": self.waiting, "threads": self.threads, "load": self.load and asdict(self.load), "warning": self.warning,
            "launches": [asdict(r) for r in self.rows], "tracks": [[asdict(b) for b in track] for track in self.tracks],
        }  # fmt: skip

    def __str__(self) -> str:
        if not self.rows:
            return "no launches"
        total = self.total()
        roof = f", {100 * total.roof:.0f} % of the roofline ({self.roofline})" if total.roof is not None else ""
        lines = [f"{total.seconds * 1e3:.3f} ms in {len(self.rows)} launches, {scaled(1e9 * total.gflops)}FLOP/s{roof}"]
        if self.call is not None:
            times = f"quartiles {_quartiles(self.call, 1e3)}, smallest {1e3 * self.call.least:.3f}"
            team = f"{self.threads} thread{'s, which wait for each other' if self.threads > 1 else ''}"
            waits = f" {_percent(total)} of the time" if self.threads > 1 else ""
            lines.append(f"a call takes {1e3 * self.call.median:.3f} ms ({times}); {team}{waits}")
        if self.warning:
            lines.append(f"warning: {self.warning}")
        return "\n".join([*lines, self.table(self.by_kernel()), *([LEGEND] if self.roofline else [])])


def _quartiles(spread: Spread, unit: float) -> str:
    return f"{unit * spread.lower:.4g}–{unit * spread.upper:.4g}"


def _percent(row: ProfileRow) -> str:
    return f"{100 * row.waiting / row.seconds:.0f} %" if row.seconds else "0 %"


def profile_rows(plan: Plan, samples: Samples, env: Mapping[str, int], limits: Roofline | None) -> list[ProfileRow]:
    """The launches of a plan with their measured times; work of a launch that a loop repeats is counted as often."""
    rows = []
    for i, launch in enumerate(plan.launches):
        times = int(samples.count[i])
        flops, moved = times * evaluate(launch.flops, env), times * evaluate(launch.bytes, env)
        spread = samples.spread(i)
        roof = None if limits is None else limits.fraction(flops, moved, spread.median)
        rows.append(
            ProfileRow(
                launch.region, launch.kernel, str(launch.origin).strip(), spread.median, flops, moved, roof, spread, samples.waiting(i),
                samples.balance(i),
            )
        )
    return rows


def time_calls(call: Callable[[], object], runs: int, threads: int) -> tuple[Spread, Load]:
    """How long a call takes, and what else the machine did meanwhile."""
    call()
    seconds = []
    with Watch() as watch:
        for _ in range(max(runs, 1)):
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
    return Spread.of(seconds), watch.load(threads)
