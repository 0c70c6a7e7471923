"""What became of a compiled network, as data that prints: regions, kernels, work, memory. Independent of where the network came from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sol.codegen.plan import Launch, Plan
from sol.inspect.alternatives import Alternative
from sol.ir.bodies import graphs_in
from sol.ir.dim import evaluate
from sol.ir.graph import Graph, Node


@dataclass(frozen=True)
class RegionRow:
    """One fused region: ops in order, kernels that compute it, result types, where it comes from.

    flops, bytes: the work it cannot avoid, for the sizes of the inputs that were given.
    alternatives: the best ways to compute a region with a heavy operation, where they were asked for.
    """

    region: str
    ops: tuple[str, ...]
    kernels: tuple[str, ...]
    result: str
    origin: str
    flops: int = 0
    bytes: int = 0
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True)
class TorchRow:
    """One operation that runs in torch, and why."""

    operation: str
    reason: str
    origin: str


@dataclass(frozen=True)
class Explanation:
    """regions: compiled work in order of execution. torch: what runs in torch. notes: on the module as a whole. rounded: a
    ``RoundingRow`` (sol/inspect/rounding.py) for each weight of ``sol.optimize(…, weights=…)``.
    """

    title: str
    regions: tuple[RegionRow, ...]
    torch: tuple[TorchRow, ...]
    kernels: int
    launches: int
    arena_bytes: int
    weight_bytes: int
    notes: tuple[str, ...] = ()
    rounded: tuple[object, ...] = ()

    def __str__(self) -> str:
        flops, moved = sum(r.flops for r in self.regions), sum(r.bytes for r in self.regions)
        lines = [
            f"{self.title}: {len(self.regions)} regions, {self.launches} launches of {self.kernels} kernels, "
            f"weights {size_text(self.weight_bytes)}, arena {size_text(self.arena_bytes)}, {scaled(flops)}FLOP, {scaled(moved)}B to move"
        ]
        wide = min(max([len(" + ".join(r.ops)) for r in self.regions] + [10]), 48)
        lines.append(f"  {'ops':{wide}}  {'MFLOP':>9} {'MB':>8}  {'result':28}  kernels [where]")
        for row in self.regions:
            ops, work = " + ".join(row.ops), f"{row.flops / 1e6:9.2f} {row.bytes / 1e6:8.2f}"
            lines.append(f"  {ops:{wide}}  {work}  {row.result:28}  {', '.join(row.kernels)}  [{row.origin}]")
            lines += [f"      {alternative}" for alternative in row.alternatives]
        if self.rounded:
            lines.append(f"  rounded weights: {len(self.rounded)}")
            lines += [f"    {row}" for row in self.rounded]
        lines.append(f"  in torch: {len(self.torch)} operations" + (":" if self.torch else ""))
        lines += [f"    {row.operation}: {row.reason}  [{row.origin}]" for row in self.torch]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)


def region_rows(
    graph: Graph, plan: Plan, env: Mapping[str, int], alternatives: Mapping[str, tuple[Alternative, ...]] | None = None
) -> list[RegionRow]:
    """The regions of a fused graph with the kernels that its plan gives them. alternatives: by region."""
    launches: dict[str, list[Launch]] = defaultdict(list)
    for launch in plan.launches:
        launches[launch.region].append(launch)
    rows = []
    for name, node in ((path + n.name, n) for path, body in graphs_in(graph) for n in body.nodes):
        if node.op != "region":
            continue
        own = launches[name]
        kernels = tuple(dict.fromkeys(launch.kernel for launch in own))
        result = ", ".join(str(t) for t in node.types)
        flops, moved = (sum(evaluate(getattr(launch, field), env) for launch in own) for field in ("flops", "bytes"))
        rows.append(
            RegionRow(name, region_ops(node), kernels, result, str(node.origin).strip(), flops, moved, (alternatives or {}).get(name, ()))
        )
    return rows


def region_ops(region: Node) -> tuple[str, ...]:
    """The ops of a region's body in order."""
    return tuple(n.op for n in region.attrs["body"].nodes if n.op not in ("input", "constant"))


def size_text(size: float) -> str:
    """Bytes with three digits: ``1.5 MiB``."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} GiB"


def scaled(number: float) -> str:
    """A number with three digits and the prefix of its unit: ``4.09 G``."""
    for prefix in ("", "k", "M", "G"):
        if abs(number) < 999.5:
            return f"{number:.3g} {prefix}"
        number /= 1000
    return f"{number:.3g} T"
