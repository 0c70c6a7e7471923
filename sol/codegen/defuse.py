"""Takes regions apart that no kernel computes as a whole: what was fused is a wish, what kernels can do is a fact.

It stands between the passes and the plan: whether a kernel serves a region is known only when values have places, and places can only be
given when it is known which values exist.
"""

from __future__ import annotations

from dataclasses import replace

from sol.codegen.kernels.families import is_served
from sol.codegen.lowering import KernelLibrary, Lowering, TargetLike
from sol.codegen.placement import GraphPlacement
from sol.ir.graph import Graph, Node
from sol.ir.rewrite import in_order
from sol.passes.fuse_regions import fuse_apart
from sol.passes.pipeline import on_bodies
from sol.passes.regions import fresh


def served(graph: Graph, target: TargetLike) -> Graph:
    """A fused graph in which kernels compute every region, as far as taking regions apart can help; bodies of control flow too.

    A region that no kernel takes becomes its heavy nodes, each alone, and runs of what lies between them; kernels of heavy nodes take
    those alone. The graph itself if nothing has to change.
    """
    return on_bodies(graph, lambda body: _served(body, target))


def _served(graph: Graph, target: TargetLike) -> Graph:
    while True:
        placement = GraphPlacement(graph, target.space)
        whole = [n for n in graph.nodes if n.op == "region" and _can_fall_apart(n)]
        found = [n for n in whole if not is_served(Lowering(n, placement, KernelLibrary(), target))]
        if not found:
            return graph
        graph = _apart(graph, found, target)


def _can_fall_apart(region: Node) -> bool:
    """Whether something is fused to a heavy node."""
    return bool(region.attrs["anchor"]) and sum(n.op not in ("input", "constant") for n in region.attrs["body"].nodes) > 1


def _apart(graph: Graph, regions: list[Node], target: TargetLike) -> Graph:
    taken = {n.name for n in graph.nodes}
    pieces: list[Node] = []
    renamed: dict[str, str] = {}
    for region in regions:
        inner = fuse_apart(region.attrs["body"], target.machine.graph)
        values = dict(zip(inner.inputs, region.inputs))
        for node in inner.nodes:
            if node.op == "input":
                continue
            name = fresh(f"{region.name}_{node.name}", taken)
            taken.add(name)
            piece = replace(node, name=name, inputs=tuple(values[v] for v in node.inputs))
            values |= zip(node.outputs, piece.outputs)
            pieces.append(piece)
        renamed |= {old: values[new] for old, new in zip(region.outputs, inner.outputs)}
    gone = {r.name for r in regions}
    nodes = [replace(n, inputs=tuple(renamed.get(i, i) for i in n.inputs)) for n in (*graph.nodes, *pieces) if n.name not in gone]
    return in_order(nodes, graph.inputs, [renamed.get(o, o) for o in graph.outputs])


__all__ = ["served"]
