"""What was measured: a JSON file that grows with every measurement and can be taken up again, tables, geometric means and a plot."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.families import family_of
from sol.bench import ENGINES, geometric_mean, machine_facts, over_rounds, version_of


@dataclass(frozen=True)
class Case:
    """One network at one batch size with that many threads."""

    network: str
    batch: int
    threads: int

    def __str__(self) -> str:
        return f"{self.network} batch {self.batch} threads {self.threads}"


@dataclass
class Results:
    """Rounds by case and engine; ``{"failed": reason}`` stands for a round that failed. Written to ``path`` after every measurement."""

    path: Path | None = None
    machine: dict[str, Any] = field(default_factory=dict)
    rounds: dict[Case, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    notes: dict[Case, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path | None) -> Results:
        """What the file holds; empty if there is none."""
        results = cls(path, {**machine_facts(), "versions": {e: version_of(d) for e, (d, _) in ENGINES.items()}})
        if path is not None and path.exists():
            for row in json.loads(path.read_text())["results"]:
                case = Case(row["network"], row["batch"], row["threads"])
                results.rounds[case] = row["engines"]
                results.notes[case] = row.get("notes", {})
        return results

    def add(self, case: Case, engine: str, measurement: dict[str, Any]) -> None:
        """Append one round and write the file."""
        self.rounds.setdefault(case, {}).setdefault(engine, []).append(measurement)
        self.write()

    def missing(self, case: Case, engine: str, rounds: int) -> int:
        """Rounds that are still to be measured; none after a failure, which would come again."""
        done = self.rounds.get(case, {}).get(engine, [])
        return 0 if any("failed" in r for r in done) else max(rounds - len(done), 0)

    def forget_failures(self) -> None:
        """Failed rounds are to be tried again."""
        for engines in self.rounds.values():
            for engine in list(engines):
                engines[engine] = [r for r in engines[engine] if "failed" not in r]

    def write(self) -> None:
        """Replace the file as a whole, so that it is never half written."""
        if self.path is None:
            return
        rows = [
            {
                "network": c.network, "family": family_of(c.network), "batch": c.batch, "threads": c.threads,
                "notes": self.notes.get(c, {}), "engines": engines, "summary": summary(engines),
            }
            for c, engines in self.rounds.items()
        ]  # fmt: skip
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_name(self.path.name + ".part")
        part.write_text(json.dumps({"machine": self.machine, "results": rows}, indent=1))
        os.replace(part, self.path)


def summary(engines: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Per engine the figures over its rounds, and the speed of ``sol`` relative to each other engine and to the best peer."""
    lines: dict[str, Any] = {}
    for engine, rounds in engines.items():
        good = [r for r in rounds if "failed" not in r]
        failed = [r["failed"] for r in rounds if "failed" in r]
        lines[engine] = {"failed": failed[0]} if failed else over_rounds(good) if good else {}
    times = {e: line["median_ms"] for e, line in lines.items() if "median_ms" in line}
    for own in ("sol", "sol_onnx"):
        if own in times:
            peers = {e: t / times[own] for e, t in times.items() if e not in ("sol", "sol_onnx")}
            lines[own]["faster_than"] = peers
            lines[own]["ratio"] = min(peers.values()) if peers else None
    return lines


def row_text(case: Case, engines: dict[str, list[dict[str, Any]]]) -> str:
    """One case as a line."""
    lines = summary(engines)
    parts = []
    for engine, line in lines.items():
        if "failed" in line:
            parts.append(f"{engine} FAILED ({line['failed'][:70]})")
        elif line:
            error64 = f"/{line['error64']:.0e}" if "error64" in line else ""
            parts.append(
                f"{engine} {line['median_ms']:.3g} ms (min {line['min_ms']:.3g}, setup {line['setup_s']:.1f} s, "
                f"{line['run_peak_mb']:.0f} MB, err {line['error']:.0e}{error64})"
            )
    ratio = lines.get("sol", {}).get("ratio")
    return f"{case}: " + "  ".join(parts) + (f"  ratio {ratio:.2f}" if ratio else "")


def ratios(results: Results, own: str = "sol") -> dict[Case, float]:
    """Best peer's time over ours, per case where both are known."""
    found = {case: summary(engines).get(own, {}).get("ratio") for case, engines in results.rounds.items()}
    return {case: ratio for case, ratio in found.items() if ratio}


def means_text(results: Results) -> str:
    """Geometric means by batch and threads: per family against the best peer, and of all against every engine."""
    text = []
    known = ratios(results)
    for batch, threads in sorted({(c.batch, c.threads) for c in known}):
        part = {c: r for c, r in known.items() if (c.batch, c.threads) == (batch, threads)}
        text.append(f"batch {batch}, {threads} threads: time of the best peer / time of sol, geometric means")
        families: dict[str, list[float]] = {}
        for case, ratio in part.items():
            families.setdefault(family_of(case.network), []).append(ratio)
        for family, values in families.items():
            text.append(f"  {family:24} {geometric_mean(values):5.2f}   ({len(values)}, lowest {min(values):.2f})")
        text.append(f"  {'all':24} {geometric_mean(list(part.values())):5.2f}   ({len(part)}, lowest {min(part.values()):.2f})")
        against: dict[str, list[float]] = {}
        for case in part:
            for engine, faster in summary(results.rounds[case])["sol"]["faster_than"].items():
                against.setdefault(engine, []).append(faster)
        for engine, values in against.items():
            text.append(f"  against {engine:16} {geometric_mean(values):5.2f}   ({len(values)})")
    return "\n".join(text)


def plot(results: Results, path: Path) -> None:
    """Speed relative to the best peer, per network: bars are sol, marks the peers. Needs matplotlib."""
    try:
        import matplotlib
    except ImportError:
        raise SystemExit("--plot needs matplotlib: pip install matplotlib") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    known = ratios(results)
    groups = sorted({(c.batch, c.threads) for c in known})
    if not groups:
        raise SystemExit("nothing to plot: no network was measured with sol and a peer")
    wide = max(sum((c.batch, c.threads) == g for c in known) for g in groups)
    figure, all_axes = pyplot.subplots(len(groups), 1, figsize=(max(6.0, 0.33 * wide + 2), 4.4 * len(groups)), squeeze=False)
    for axes, (batch, threads) in zip(all_axes[:, 0], groups):
        _panel(axes, results, [c for c in known if (c.batch, c.threads) == (batch, threads)], known)
        team = f"{threads} thread{'s' if threads > 1 else ''}"
        axes.set_title(f"batch {batch}, {team}, float32 on {results.machine.get('cpu', '?')}", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    pyplot.close(figure)


_COLOURS = {"onnxruntime": "#1f77b4", "openvino": "#9467bd", "inductor": "#d62728", "eager": "#7f7f7f"}
_MARKS = {"onnxruntime": "o", "openvino": "s", "inductor": "^", "eager": "x"}


def _panel(axes: Any, results: Results, cases: Sequence[Case], known: dict[Case, float]) -> None:
    cases = sorted(cases, key=lambda c: family_of(c.network))
    mean = geometric_mean([known[c] for c in cases])
    axes.bar(range(len(cases)), [known[c] for c in cases], color="#f2a33c", width=0.72, label=f"sol (geometric mean {mean:.2f})", zorder=2)
    for engine in dict.fromkeys(e for c in cases for e in results.rounds[c] if e not in ("sol", "sol_onnx")):
        lines = [summary(results.rounds[c]) for c in cases]
        best = [known[c] * line["sol"]["median_ms"] for c, line in zip(cases, lines)]
        speeds = [b / line[engine]["median_ms"] if "median_ms" in line.get(engine, {}) else math.nan for b, line in zip(best, lines)]
        look = {"marker": _MARKS.get(engine, "d"), "color": _COLOURS.get(engine, "black"), "label": ENGINES.get(engine, ("", engine))[1]}
        axes.scatter(range(len(cases)), speeds, s=16, zorder=3, **look)
    axes.axhline(1, color="black", linewidth=0.8, zorder=1)
    axes.set_xticks(range(len(cases)), [c.network for c in cases], rotation=60, ha="right", fontsize=7)
    axes.set_ylabel("speed relative to the best peer")
    axes.set_ylim(0)
    axes.set_xlim(-0.7, len(cases) - 0.3)
    axes.grid(axis="y", linewidth=0.4, alpha=0.6, zorder=0)
    axes.legend(fontsize=7, ncols=5, loc="upper center", frameon=False)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.12)
