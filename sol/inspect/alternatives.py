"""Why a region has the kernel that it has: the other ways to compute it, with the times that were predicted and measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sol.codegen.decision import Decision
from sol.codegen.kernels.families import decisions, lower_region, lowered_apart
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.placement import GraphPlacement
from sol.codegen.plan import Kernel, Launch, Plan
from sol.codegen.schedule import BORDER
from sol.codegen.signature import signature
from sol.codegen.targets import Target
from sol.ir.bodies import graphs_in
from sol.ir.graph import Graph
from sol.runtime.arrays import default_threads
from sol.tuning.database import Database, Record, machine_of

SHOWN = 3
"""Ways of a region that are told."""
LOOKED_AT = 12
"""Ways of a region that are looked at: as many as a thorough measurement takes."""


@dataclass(frozen=True)
class Alternative:
    """A way to compute a region. name: ``candidate`` or ``candidate/variant``.

    predicted: seconds by the model, None where the kernel family has none or sizes are known only at run time. measured: seconds that
    tuning found on this machine, None if it did not look. taken: whether the plan has it.
    """

    name: str
    predicted: float | None
    measured: float | None
    taken: bool

    def __str__(self) -> str:
        times = [f"{1e6 * s:.1f} µs {how}" for s, how in ((self.predicted, "predicted"), (self.measured, "measured")) if s is not None]
        return f"{'*' if self.taken else ' '} {self.name:24}  {', '.join(times) or 'no prediction'}"


def alternatives_of(graph: Graph, plan: Plan, target: Target, threads: int | None = None) -> dict[str, tuple[Alternative, ...]]:
    """The best ways to compute each region with a heavy operation, by the region's name: at most three, the one that was taken among them.

    Measured ones stand first, then those with a predicted time, each the fastest first; the others in the order in which the selector
    would try them. A variant that the model does not tell from its candidate's own choice is left out unless it was measured.
    graph, plan: as compiled for the target. threads: in the team, for which measurements are looked up; None for the usual number.
    """
    database = Database(machine_of(target, threads or default_threads()))
    found = {}
    for path, lowering in lowerings(graph, target):
        found[path + lowering.region.name] = _of_region(lowering, _planned(plan, path + lowering.region.name), database)
    return found


def lowerings(graph: Graph, target: Target) -> Iterator[tuple[str, Lowering]]:
    """Every region with a heavy operation and the path of its graph; results are shared out among threads as the model's choices do."""
    for path, body in graphs_in(graph):
        placement = GraphPlacement(body, target.space)
        for node in body.nodes:
            if node.op != "region":
                continue
            lowering = Lowering(node, placement, KernelLibrary(), target)
            if node.attrs["anchor"]:
                yield path, lowering
            again = Lowering(node, placement, KernelLibrary(), target)
            lower_region(again)
            placement.by_rows |= again.shares


Text = tuple[tuple[str, object, object], ...]
"""Template, context and arguments of every launch: equal for equal code."""


def _planned(plan: Plan, region: str) -> Text:
    launches = [x for x in plan.launches if x.region == region and x.kernel != BORDER]
    return _text(launches, {k.name: k for k in plan.kernels})


def _text(launches: Sequence[Launch], kernels: Mapping[str, Kernel]) -> Text:
    return tuple((kernels[x.kernel].template, kernels[x.kernel].context, x.args) for x in launches)


def _of_region(lowering: Lowering, planned: Text, database: Database) -> tuple[Alternative, ...]:
    record = database.get(signature(lowering))
    measured = record.seconds if record else {}
    options = decisions(lowering)
    looked_at = [d for i, d in enumerate(options) if i < LOOKED_AT or measured.get(d.name) is not None]
    lowered = lowered_apart(lowering, looked_at)
    taken = next((n for n, x in lowered.items() if _text(x.launches, x.library.kernels) == planned), "")
    own = {d.candidate: d.seconds for d in options if not d.variant}
    told = [d for d in looked_at if d.name == taken or measured.get(d.name) is not None or not _is_alike(d, own)]
    ranked = sorted((d for d in told if d.name in lowered), key=lambda d: _rank(d, record))
    best = [d for i, d in enumerate(ranked) if i < SHOWN or d.name == taken]
    if len(best) > SHOWN:
        del best[SHOWN - 1]
    return tuple(Alternative(d.name, d.seconds, measured.get(d.name), d.name == taken) for d in best)


def _is_alike(decision: Decision, own: Mapping[str, float | None]) -> bool:
    """Whether it is a variant of which the model tells the same time as of the candidate's own choice."""
    return bool(decision.variant) and decision.seconds is not None and decision.seconds == own.get(decision.candidate)


def _rank(decision: Decision, record: Record | None) -> tuple[int, float]:
    seconds = record.seconds.get(decision.name) if record else None
    if seconds is not None:
        return 0, seconds
    return (1, decision.seconds) if decision.seconds is not None else (2, 0.0)


__all__ = ["Alternative", "alternatives_of"]
