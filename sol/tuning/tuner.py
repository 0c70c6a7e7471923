"""Chooses between kernels by measuring them where they will run: a cost model proposes a few, what is found is kept for all networks.

For one network the graph is fused as the model wants it and, where it is open whether to fuse, in the other ways too. Each of these graphs
becomes a trial whose regions run one after the other as in the network, in other ways in every run.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from sol.build.build import usable_jobs
from sol.build.cache import key_of, store
from sol.codegen.defuse import served
from sol.codegen.targets import Target
from sol.codegen.trial import Group, Trial, make_trial, with_fewer_ways
from sol.config import config
from sol.errors import SolError
from sol.ir.graph import Graph
from sol.ir.text import symbols_of
from sol.passes.pipeline import run_passes
from sol.runtime.arrays import default_threads
from sol.tuning.database import Database, Record, machine_of
from sol.tuning.trials import Bench

log = logging.getLogger("sol.tuning")

WAYS = {"quick": 3, "full": 12}
"""Alternatives of a region that are measured, the model's own choice included."""
SECONDS = {"quick": 6.0, "full": 60.0}
GAIN = 0.97
"""The model's choice stays unless another takes less than this share of its time."""
HOPELESS = ((0.5, 1.1), (0.2, 1.3))
"""After this share of its runs, a way that takes so much longer than the best of its group is not run again."""
FIRST_RUNS = 3
RUNS = {"quick": 12, "full": 24}
"""Runs of every way that are enough."""
DISTURBED = 1.15
"""A run in which most regions took this much longer does not count: what slows one kernel need not slow another."""
COMPILING = 0.6
"""Share of the time that compiling alternatives may take."""
UNIT_SECONDS = 0.15


class Runs(Protocol):
    """What can run a trial: ``sol.tuning.trials.Bench``."""

    trial: Trial

    def run(self, picks: Sequence[int]) -> np.ndarray: ...


@dataclass
class _Open:
    """A decision to be measured. nodes: names of those concerned, of each occurrence that a pass asked about."""

    options: tuple[str, ...]
    nodes: list[frozenset[str]] = field(default_factory=list)


class Tuner:
    """Answers which kernel to take from what was measured, and measures what is missing. threads: None for the usable CPUs."""

    def __init__(self, target: Target, threads: int | None = None, database: Database | None = None) -> None:
        self.target, self.threads = target, threads or default_threads()
        self.level = config["autotune"]
        self.seconds = config["autotune_seconds"] or SECONDS[self.level]
        self.database = database or Database(machine_of(target, self.threads))
        self.missing: dict[str, _Open] = {}
        self.spent = 0.0
        self._given_up: set[str] = set()

    def choose(self, key: str, options: Sequence[str], nodes: Collection[str] = ()) -> str:
        """What measurements found best; the first option, and the key among ``missing``, if there are none."""
        record = self.database.get(key)
        if not self._covers(record, key, options):
            self.missing.setdefault(key, _Open(tuple(options))).nodes.append(frozenset(nodes))
        return record.choice if record and record.choice in options else options[0]

    def _covers(self, record: Record | None, key: str, options: Sequence[str]) -> bool:
        """Whether the record answers the question as thoroughly as this level would; a shipped one is never doubted."""
        if record is None or record.choice not in options:
            return False
        return self.level in (record.level, "quick") or self.database.is_shipped(key)

    def measure(self, graph: Graph) -> bool:
        """Measure what ``choose`` missed in an imported graph; True if anything was found and all should be decided again.

        What could not be measured, because the time is over or no kernel could be compiled, is not asked for again.
        """
        for key in self._given_up:
            self.missing.pop(key, None)
        if not self.missing or self.spent >= self.seconds or symbols_of(graph):
            return False
        start = time.perf_counter()
        with store().locked(key_of("tuning", "measuring")):  # two at once would disturb each other
            self.database.reload()
            known = [k for k, o in self.missing.items() if self._covers(self.database.get(k), k, o.options)]
            for key in known:
                del self.missing[key]
            records = self._measured(graph) if self.missing else []
            self.database.add(records)
        self._given_up |= self.missing.keys() - {r.key for r in records}
        self.missing = {}
        self.spent += time.perf_counter() - start
        return bool(known or records)

    def _measured(self, graph: Graph) -> list[Record]:
        start = time.perf_counter()
        try:
            fused = self._fused(graph)
            trials = self._affordable(fused)
            log.info("measuring %d alternatives", sum(len(g.ways) for t in trials for g in t.groups if g.key))
            benches = [Bench(t, g, self.target, self.threads) for (g, _), t in zip(fused, trials)]
            samples = run_all(benches, RUNS[self.level], start + self.seconds - self.spent, time.perf_counter)
        except (SolError, OSError, MemoryError) as error:
            log.warning("kernels could not be compared, the cost model decides: %s", error)
            return []
        found = {**self._of_regions(trials, samples), **self._of_fusions(fused, trials, samples)}
        log.info("measured %d decisions in %.1f s", len(found), time.perf_counter() - start)
        return list(found.values())

    # -- what to measure

    def _fused(self, graph: Graph) -> list[tuple[Graph, Mapping[str, str]]]:
        """The graph fused in every way that is open, each with what was forced: option i of everything, or the last."""
        asked: dict[str, tuple[str, ...]] = {}

        def ways(index: int) -> tuple[Graph, Mapping[str, str]]:
            forced: dict[str, str] = {}

            def choose(key: str, options: Sequence[str], nodes: Collection[str] = ()) -> str:
                if key not in self.missing:
                    return self.choose(key, options, nodes)
                asked[key] = tuple(options)
                forced[key] = options[min(index, len(options) - 1)]
                return forced[key]

            return served(list(run_passes(graph, self.target, choose))[-1][1], self.target), forced

        found = [ways(0)]
        for index in range(1, max(map(len, asked.values()), default=1)):
            found.append(ways(index))
        return found

    def _affordable(self, fused: Sequence[tuple[Graph, Mapping[str, str]]]) -> list[Trial]:
        """Trials with as many ways as can be compiled in the time, at least two."""
        trials = [self._trial(graph, forced) for graph, forced in fused]
        for most in range(WAYS[self.level] - 1, 1, -1):
            units = len({(k.template, k.context) for t in trials for k in t.plan.kernels})
            if units * UNIT_SECONDS / usable_jobs() <= COMPILING * (self.seconds - self.spent):
                break
            trials = [with_fewer_ways(t, most) for t in trials]
        return trials

    def _trial(self, graph: Graph, forced: Mapping[str, str]) -> Trial:
        concerned = {n for key in forced for nodes in self.missing[key].nodes[:3] for n in nodes}

        def wanted(key: str, options: Sequence[str]) -> Sequence[str]:
            record = self.database.get(key)
            if self._covers(record, key, options):
                return [record.choice]  # type: ignore[union-attr]
            return options[: WAYS[self.level]]

        return make_trial(graph, self.target, wanted, concerned)

    # -- what it means

    def _of_regions(self, trials: Sequence[Trial], samples: Sequence[Times]) -> dict[str, Record]:
        """Decisions between kernels for a region."""
        by_key: dict[str, list[tuple[Group, list[dict[int, float]]]]] = {}
        for trial, times in zip(trials, samples):
            for group, ways in zip(trial.groups, times):
                if group.key:
                    by_key.setdefault(group.key, []).append((group, ways))
        found = {}
        for key, places in by_key.items():
            names = [w.name for w in places[0][0].ways]
            seconds = {n: _mean([typical(ways[i]) for _, ways in places if len(ways) > i]) for i, n in enumerate(names)}
            if all(s is not None for s in seconds.values()):
                looked_at = dict.fromkeys(places[0][0].tried) | seconds
                found[key] = Record(key, decide(seconds, names[0]), looked_at, self.level)
        return found

    def _of_fusions(
        self, fused: Sequence[tuple[Graph, Mapping[str, str]]], trials: Sequence[Trial], samples: Sequence[Times]
    ) -> dict[str, Record]:
        """Decisions of passes: the regions that hold the nodes concerned, each at its best."""
        found = {}
        for key in {k for _, forced in fused for k in forced}:
            seconds: dict[str, float | None] = {}
            for (_, forced), trial, times in zip(fused, trials, samples):
                if key in forced and forced[key] not in seconds:
                    places = self.missing[key].nodes[:3]
                    seconds[forced[key]] = _mean([_time_of(nodes, trial, times) for nodes in places])
            options = self.missing[key].options
            if all(seconds.get(o) is not None for o in options):
                found[key] = Record(key, decide(seconds, options[0]), seconds, self.level)
        return found


Times = list[list[dict[int, float]]]
"""Seconds of one trial by group, way and number of the run."""


def run_all(benches: Sequence[Runs], runs: int, deadline: float, now: Callable[[], float]) -> list[Times]:
    """Run all trials in turn, each time other ways of their groups, until every way that may win has had so many runs, or the time is over.

    In each run every other group that is open takes another way, and those between take their fastest so far: what a group reads lies in
    the cache of the core that wrote it, so that a way must not be judged beside a bad one of its neighbour.

    At least ``FIRST_RUNS`` of each way are made. The first run of a trial is not counted: its memory is new.
    """
    samples: list[Times] = [[[{} for _ in g.ways] for g in b.trial.groups] for b in benches]
    for bench in benches:
        bench.run([0] * len(bench.trial.groups))
    turn = 0
    while True:
        due = [[_due(ways, runs) for ways in times] for times in samples]
        over = now() > deadline and all(len(w) >= FIRST_RUNS for times in samples for ways in times for w in ways)
        if over or not any(ways for trial in due for ways in trial):
            return [corrected(times) for times in samples]
        for bench, times, ways in zip(benches, samples, due):
            picks = _picks(times, ways, turn)
            for group, pick, seconds in zip(times, picks, bench.run(picks)):
                group[pick][turn] = float(seconds)
        turn += 1


def _picks(times: Times, due: Sequence[Sequence[int]], turn: int) -> list[int]:
    """The way of every group: one that is due, or the fastest so far."""
    picks, count = [], turn
    for ways, wanted in zip(times, due):
        count += len(ways) > 1
        if wanted and (count % 2 == 0 or len(ways) == 1):
            picks.append(wanted[turn // 2 % len(wanted)])
        else:
            known = [i for i, w in enumerate(ways) if len(w) >= FIRST_RUNS]
            picks.append(min(known, key=lambda i: min(ways[i].values()), default=0))  # noqa: B023  (called at once)
    return picks


def _due(ways: Sequence[Mapping[int, float]], runs: int) -> list[int]:
    """Of the ways of a group that may still win those that had fewest runs."""
    best = [min(w.values(), default=0.0) for w in ways]
    fastest = min((b for b in best if b), default=0.0)

    def is_open(i: int) -> bool:
        count = len(ways[i])
        worst = next((ratio for least, ratio in HOPELESS if count >= least * runs), float("inf"))
        return count < FIRST_RUNS or (count < runs and best[i] <= worst * fastest)

    open_ways = [i for i in range(len(ways)) if is_open(i)]
    least = min((len(ways[i]) for i in open_ways), default=0)
    return [i for i in open_ways if len(ways[i]) == least]


def corrected(times: Times) -> Times:
    """Times as if the machine had been equally fast in all runs: its clock and what else it does change from one second to the next.

    How slow a run was is the median over groups of what their ways took in it, against what the same ways took otherwise.
    """
    for _ in range(2):
        usual = [[float(np.median(list(w.values()))) if w else 0.0 for w in ways] for ways in times]
        ratios: dict[int, list[float]] = {}
        for ways, bases in zip(times, usual):
            for way, base in zip(ways, bases):
                for run, seconds in way.items():
                    ratios.setdefault(run, []).append(seconds / base if base else 1.0)
        slow = {run: float(np.median(found)) or 1.0 for run, found in ratios.items()}
        times = [[_evened(w, slow) for w in ways] for ways in times]
    return times


def _evened(way: Mapping[int, float], slow: Mapping[int, float]) -> dict[int, float]:
    """Times over how slow their runs were, those of disturbed runs left out where enough others are left."""
    quiet = {run: seconds for run, seconds in way.items() if slow[run] < DISTURBED}
    kept = quiet if len(quiet) >= FIRST_RUNS else way
    return {run: seconds / min(slow[run], DISTURBED) for run, seconds in kept.items()}


def typical(times: Mapping[int, float]) -> float | None:
    """The median; None without any."""
    return float(np.median(list(times.values()))) if times else None


def decide(seconds: Mapping[str, float | None], default: str) -> str:
    """The fastest, or the default unless that is clearly slower; ties go to what stands first."""
    known = {n: s for n, s in seconds.items() if s is not None}
    if not known:
        return default
    best = min(known, key=known.__getitem__)
    return best if default not in known or known[best] < GAIN * known[default] else default


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _time_of(nodes: frozenset[str], trial: Trial, times: Times) -> float | None:
    """Seconds of all groups with one of the nodes, each in its fastest way; None if one was not measured."""
    parts = [[typical(w) for w in ways] for g, ways in zip(trial.groups, times) if not g.nodes.isdisjoint(nodes)]
    best = [min((s for s in part if s is not None), default=None) for part in parts]
    return sum(b for b in best if b is not None) if best and None not in best else None


__all__ = ["Runs", "Tuner", "corrected", "decide", "run_all", "typical"]
