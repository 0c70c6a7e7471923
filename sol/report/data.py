"""What a report tells, taken from a compiled network: operations, kernels, memory, and the graph of regions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sol.codegen.arena import arena_interval, arena_offsets
from sol.codegen.compiled import Compiled
from sol.codegen.memory import assign_offsets, lower_bound
from sol.codegen.program import arena_buffers
from sol.inspect.explanation import Explanation, region_ops
from sol.inspect.profile import Profile, ProfileRow
from sol.ir.dim import evaluate
from sol.ir.graph import Graph


@dataclass(frozen=True)
class Vertex:
    """A node of the drawing. kind: "region", "concat", "input" or "output". launches: indices into the part's launches."""

    name: str
    kind: str
    ops: tuple[str, ...]
    result: str
    origin: str
    launches: tuple[int, ...] = ()


@dataclass(frozen=True)
class LaunchView:
    """One launch: kernel, region, origin, work, and times where they were measured: median, quartiles, waiting of threads, balance."""

    index: int
    kernel: str
    region: str
    origin: str
    flops: int
    bytes: int
    barrier: bool
    seconds: float | None = None
    roof: float | None = None
    lower: float = 0.0
    upper: float = 0.0
    waiting: float = 0.0
    balance: float | None = None


@dataclass(frozen=True)
class BufferView:
    """A buffer of the arena: bytes, place, and the launches between which it lives."""

    name: str
    size: int
    offset: int
    first: int
    last: int


@dataclass(frozen=True)
class Part:
    """One compiled graph; a network of torch that runs partly in torch has several.

    bound: the least bytes that any memory plan needs. sources: name → C text, kernels first.
    """

    target: str
    vertices: tuple[Vertex, ...]
    edges: tuple[tuple[str, str], ...]
    launches: tuple[LaunchView, ...]
    buffers: tuple[BufferView, ...]
    arena: int
    bound: int
    scratch: int
    weights: int
    sources: Mapping[str, str]


@dataclass(frozen=True)
class Report:
    """All that is shown. operators: of the model's own file. inputs, outputs: descriptions."""

    title: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    operators: Mapping[str, int]
    explanation: Explanation
    parts: tuple[Part, ...]
    profile: Profile | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON, without C text."""
        parts = [{**asdict(p), "sources": {n: len(t) for n, t in p.sources.items()}} for p in self.parts]
        regions = [asdict(r) for r in self.explanation.regions]
        return {
            "title": self.title, "inputs": self.inputs, "outputs": self.outputs, "operators": dict(self.operators), "regions": regions,
            "torch": [asdict(t) for t in self.explanation.torch], "parts": parts, "profile": self.profile and self.profile.as_dict(),
        }  # fmt: skip

    def page(self) -> str:
        """One page of HTML that needs no other file."""
        from sol.report.page import render_page

        return render_page(self)

    def __str__(self) -> str:
        ops = ", ".join(f"{n} {op}" for op, n in Counter(self.operators).most_common())
        lines = [*(f"in   {t}" for t in self.inputs), *(f"out  {t}" for t in self.outputs), f"operators: {ops}", "", str(self.explanation)]
        for part in self.parts:
            lines += ["", memory_text(part)]
        if self.profile is not None:
            lines += ["", str(self.profile)]
        return "\n".join(lines)


def memory_text(part: Part, most: int = 12) -> str:
    """The memory plan: its size against the least possible, and the largest buffers."""
    over = f", {100 * (part.arena / part.bound - 1):.1f} % above the least possible" if part.bound else ""
    lines = [f"memory: arena {part.arena} bytes in {len(part.buffers)} buffers{over}; packed weights {part.weights} bytes"]
    for b in sorted(part.buffers, key=lambda b: -b.size)[:most]:
        lines.append(f"  {b.name:24} {b.size:>12} bytes at {b.offset:>12}, launches {b.first} to {b.last}")
    return "\n".join(lines)


def part_of(compiled: Compiled, env: Mapping[str, int], weights: int, rows: Sequence[ProfileRow] = ()) -> Part:
    """The view of one compiled graph. rows: its launches' times, in order, if they were measured."""
    plan = compiled.plan
    launches = []
    for i, launch in enumerate(plan.launches):
        view = LaunchView(
            i, launch.kernel, launch.region, str(launch.origin).strip(), evaluate(launch.flops, env), evaluate(launch.bytes, env),
            launch.barrier,
        )  # fmt: skip
        if i < len(rows):
            row = rows[i]
            view = replace(view, seconds=row.seconds, roof=row.roof, lower=row.spread.lower, upper=row.spread.upper, waiting=row.waiting,
                           balance=row.balance)  # fmt: skip
        launches.append(view)
    buffers, arena, bound = _memory(compiled, env)
    vertices, edges = region_graph(compiled.graph, launches)
    return Part(
        plan.target, vertices, edges, tuple(launches), buffers, arena, bound, evaluate(plan.scratch, env), weights,
        {s.name: s.text for s in compiled.sources},
    )  # fmt: skip


def _memory(compiled: Compiled, env: Mapping[str, int]) -> tuple[tuple[BufferView, ...], int, int]:
    plan = compiled.plan
    buffers = arena_buffers(plan)
    intervals = [arena_interval(b, dict(env)) for b in buffers]
    if plan.symbols:
        offsets, total = arena_offsets(buffers, dict(env), assign_offsets)
    else:
        offsets, total = [evaluate(b.offset, env) for b in buffers], evaluate(plan.arena, env)
    views = [BufferView(b.name, i.size, o, i.first, i.last) for b, i, o in zip(buffers, intervals, offsets)]
    return tuple(views), total, lower_bound(intervals)


def owner_of(region: str) -> str:
    """The node of the graph that a launch belongs to: those of a body are named ``loop/body/region``."""
    return region.partition("/")[0]


def region_graph(graph: Graph, launches: Sequence[LaunchView]) -> tuple[tuple[Vertex, ...], tuple[tuple[str, str], ...]]:
    """Inputs, regions, concatenations and outputs, and who reads whom; views and constants are passed through."""
    own: dict[str, list[int]] = defaultdict(list)
    for launch in launches:
        own[owner_of(launch.region)].append(launch.index)
    behind: dict[str, tuple[str, ...]] = {}  # node → vertices whose values it passes on
    vertices: list[Vertex] = []
    edges: list[tuple[str, str]] = []
    for node in graph.nodes:
        sources = tuple(dict.fromkeys(v for i in node.inputs for v in behind.get(i.partition("#")[0], ())))
        if node.op not in ("region", "concat", "input") and node.name not in own:
            behind[node.name] = () if node.name in graph.constant_values else sources
            continue
        ops = region_ops(node) if node.op == "region" else (node.op,)
        result = ", ".join(map(str, node.types))
        kind = node.op if node.op in ("input", "concat") else "region"
        vertices.append(Vertex(node.name, kind, ops, result, str(node.origin).strip(), tuple(own[node.name])))
        edges += [(s, node.name) for s in sources]
        behind[node.name] = (node.name,)
    for i, value in enumerate(graph.outputs):
        name = f"output {i}"
        vertices.append(Vertex(name, "output", (), str(graph.type_of(value)), ""))
        edges += [(s, name) for s in behind.get(value.partition("#")[0], ())]
    return tuple(vertices), tuple(dict.fromkeys(edges))
