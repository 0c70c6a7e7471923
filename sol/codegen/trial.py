"""A network in which regions can run in several ways: what a measurement needs in order to choose between kernels where they will run.

Every group of launches is a region (or a border to be zeroed) of the fused graph with its real views, borders and neighbours; a run
picks one way for each. Only groups that are to be compared are kept, and those before them, which leave activations in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from sol.codegen.decision import Decision
from sol.codegen.kernels.families import alternatives, lower_decision, lower_region, lowered_apart
from sol.codegen.lowering import KernelLibrary, Lowering, TargetLike
from sol.codegen.memory import LINE, Interval, assign_offsets
from sol.codegen.placement import GraphPlacement
from sol.codegen.plan import Buffer, Launch, Plan
from sol.codegen.program import SourceFile, kernel_source
from sol.codegen.render import render
from sol.codegen.schedule import apart, lower_borders
from sol.codegen.signature import signature
from sol.ir.dim import evaluate
from sol.ir.graph import Graph

BEFORE = 2
"""Groups that run before one that is compared."""
OCCURRENCES = 3
"""Regions with the same signature that are measured; more would tell nothing new."""

Wanted = Callable[[str, Sequence[str]], Sequence[str]]
"""(signature, names of decisions) → those to be compared, the one to beat first; fewer than two: nothing to compare."""
Ask = Callable[[Lowering], Sequence[Decision]]
"""The ways to serve a region, the model's choice first."""


@dataclass(frozen=True)
class Way:
    """One alternative for a group. name: as in ``kernels.alternatives``, "" where there is no choice."""

    name: str
    launches: tuple[Launch, ...]


@dataclass(frozen=True)
class Group:
    """A region and its ways. key: its signature where ways are compared, else "". nodes: names of the ops inside.

    tried: alternatives that were looked at; those that are not possible or the same as another are no ways.
    """

    region: str
    key: str
    nodes: frozenset[str]
    ways: tuple[Way, ...]
    tried: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trial:
    """Groups in order, and a plan that holds their kernels, buffers (all in the arena) and weights."""

    plan: Plan
    groups: tuple[Group, ...]

    @property
    def is_empty(self) -> bool:
        return not self.groups


def make_trial(graph: Graph, target: TargetLike, wanted: Wanted, also: Collection[str] = (), ask: Ask = alternatives) -> Trial:
    """The groups of a fused graph without symbols that are to be compared, those with a node of ``also``, and what runs before them.

    ask: for the ways between which ``wanted`` chooses.
    """
    placement, library = GraphPlacement(graph, target.space), KernelLibrary()
    groups: list[Group] = []
    seen: dict[str, int] = {}
    bordered: set[str] = set()
    for node in graph.nodes:
        if node.op == "region":
            borders = lower_borders(node, placement, library, bordered)
            groups += [Group(node.name, "", frozenset(), (Way("", (b,)),)) for b in borders]
            lowering = Lowering(node, placement, library, target)
            group, shares = _group(lowering, ask(lowering), wanted, seen)
            groups.append(group)
            placement.by_rows |= shares
    kept = tuple(_kept(groups, also))
    buffers, arena = _placed(graph, placement, kept)
    plan = Plan(
        target=target.name, kernels=tuple(library.kernels.values()), launches=(), buffers=buffers,
        weights=tuple(library.weights.values()), inputs=(), outputs=(), symbols=(), arena=arena, scratch=0, shared_scratch=0,
    )  # fmt: skip
    return _with_groups(plan, kept)


def with_fewer_ways(trial: Trial, most: int) -> Trial:
    """The trial with at most so many ways per group, the first ones."""
    return _with_groups(trial.plan, tuple(replace(g, ways=g.ways[:most]) for g in trial.groups))


def _with_groups(plan: Plan, groups: tuple[Group, ...]) -> Trial:
    """The groups and of the plan only what they use."""
    launches = tuple(launch for g in groups for w in g.ways for launch in w.launches)
    kernels = {launch.kernel for launch in launches}
    used = {r.buffer for launch in launches for r in launch.buffers}
    return Trial(replace(
        plan, launches=launches, kernels=tuple(k for k in plan.kernels if k.name in kernels),
        weights=tuple(w for w in plan.weights if w.name in used),
        scratch=apart(_largest([x.scratch for x in launches])), shared_scratch=_largest([x.shared_scratch for x in launches]),
    ), groups)  # fmt: skip


def _group(lowering: Lowering, options: Sequence[Decision], wanted: Wanted, seen: dict[str, int]) -> tuple[Group, dict[str, bool]]:
    """A region, and how threads share out its results in the way to beat."""
    region, body = lowering.region.name, lowering.body
    nodes = frozenset(n.name for n in body.nodes if n.op not in ("input", "constant"))
    if len(options) < 2:
        lower_region(lowering)
        return Group(region, "", nodes, (Way("", tuple(lowering.launches)),)), lowering.shares
    key, by_name = signature(lowering), {d.name: d for d in options}
    names = wanted(key, tuple(by_name))
    if len(names) < 2 or seen.get(key, 0) >= OCCURRENCES:
        lower_decision(lowering, by_name[names[0]])
        return Group(region, "", nodes, (Way(names[0], tuple(lowering.launches)),)), lowering.shares
    seen[key] = seen.get(key, 0) + 1
    lowered = lowered_apart(lowering, [by_name[n] for n in names])
    shares = next((x.shares for x in lowered.values()), {})
    return Group(region, key, nodes, tuple(Way(name, tuple(x.launches)) for name, x in lowered.items()), tuple(names)), shares


def _kept(groups: Sequence[Group], also: Collection[str]) -> list[Group]:
    needed: set[int] = set()
    for i, group in enumerate(groups):
        if group.key or not group.nodes.isdisjoint(also):
            needed.update(range(max(0, i - BEFORE), i + 1))
    return [g for i, g in enumerate(groups) if i in needed]


def _placed(graph: Graph, placement: GraphPlacement, groups: Sequence[Group]) -> tuple[tuple[Buffer, ...], int]:
    """Every buffer that a launch touches, alive from its first group to its last."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    names = {v for n in graph.nodes for v in n.outputs}
    for i, group in enumerate(groups):
        for name in dict.fromkeys(r.buffer for w in group.ways for launch in w.launches for r in launch.buffers):
            if name in names:
                first.setdefault(name, i)
                last[name] = i
    sizes = {name: max(evaluate(placement.size(name), {}), 1) for name in first}
    offsets, total = assign_offsets([Interval(first[n], last[n], sizes[n]) for n in first])
    found = (Buffer(n, "arena", sizes[n], first[n], last[n], offset) for n, offset in zip(first, offsets))
    return tuple(found), total


def _largest(sizes: Sequence[object]) -> int:
    return max((-(-evaluate(s, {}) // LINE) * LINE for s in sizes), default=0)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _LaunchText:
    buffers: tuple[str, ...]
    args: tuple[str, ...]
    kernel: str


def render_trial(trial: Trial) -> tuple[SourceFile, ...]:
    """The C files of a trial; the last one defines ``sol_run``. Weights beyond the plan's: one block to be swept."""
    plan = trial.plan
    where = {b.name: f"arena + {b.offset}" for b in plan.buffers} | {w.name: f"(char *)w[{i}]" for i, w in enumerate(plan.weights)}

    def text(launch: Launch) -> _LaunchText:
        buffers = tuple(f"{where[r.buffer]} + {evaluate(r.offset, {})}" for r in launch.buffers)
        return _LaunchText(buffers, tuple(str(evaluate(a, {})) for a in launch.args) or ("0",), launch.kernel)

    groups = [[[text(x) for x in w.launches] for w in g.ways] for g in trial.groups]
    network = render("trial.c.j2", kernels=[k.name for k in plan.kernels], groups=groups, weights=len(plan.weights))
    return (*map(kernel_source, plan.kernels), SourceFile("trial", network))


__all__ = ["Group", "Trial", "Way", "make_trial", "render_trial", "with_fewer_ways"]
