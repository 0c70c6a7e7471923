"""In-place results: a pointwise region writes over an operand that nothing reads afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sol.codegen.placement import GraphPlacement
from sol.codegen.plan import Buffer, Launch, View
from sol.ir.graph import Graph, Node
from sol.ir.ops.pointwise import POINTWISE


def reuse_operands(
    graph: Graph, placement: GraphPlacement, launches: Sequence[Launch], buffers: Sequence[Buffer]
) -> tuple[list[Launch], list[Buffer]]:
    """Launches and buffers in which results of pointwise regions share the memory of a dying operand where they may."""
    arena = {b.name: b for b in buffers if b.kind == "arena"}
    only = _single_launches(launches)
    renamed: dict[str, str] = {}
    for node in graph.nodes:
        if node.op != "region" or node.name not in only or not _is_pointwise(node):
            continue
        at = only[node.name]
        for result in node.outputs:
            operand = _dying_operand(node, result, placement, arena, renamed, at)
            if operand is not None:
                arena[operand] = replace(arena[operand], last=arena.pop(result).last)
                renamed[result] = operand
    if not renamed:
        return list(launches), list(buffers)
    moved = [replace(x, buffers=tuple(replace(r, buffer=renamed.get(r.buffer, r.buffer)) for r in x.buffers)) for x in launches]
    return moved, [arena.get(b.name, b) for b in buffers if b.kind != "arena" or b.name in arena]


def _single_launches(launches: Sequence[Launch]) -> dict[str, int]:
    """Index of the launch of every region that has exactly one (a border that is zeroed first counts as a launch)."""
    found: dict[str, list[int]] = {}
    for i, launch in enumerate(launches):
        found.setdefault(launch.region, []).append(i)
    return {region: at[0] for region, at in found.items() if len(at) == 1}


def _is_pointwise(region: Node) -> bool:
    body: Graph = region.attrs["body"]
    return all(n.op in POINTWISE or n.op in ("input", "constant") for n in body.nodes)


def _dying_operand(
    region: Node, result: str, placement: GraphPlacement, arena: dict[str, Buffer], renamed: dict[str, str], at: int
) -> str | None:
    """The buffer of an operand that ends with this launch and is read at the very elements at which the result is written."""
    if result not in arena or placement.root(result) != result or arena[result].first != at:
        return None
    target = placement.view(result)
    views = [placement.view(v) for v in region.inputs if not placement.is_constant(v)]
    for view in views:
        buffer = renamed.get(view.buffer, view.buffer)
        if buffer not in arena or arena[buffer].last != at or not _same_elements(view, target):
            continue
        others = [v for v in views if renamed.get(v.buffer, v.buffer) == buffer]
        if all(_same_elements(v, target) for v in others):
            return buffer
    return None


def _same_elements(a: View, b: View) -> bool:
    return replace(a, buffer=b.buffer, dtype=b.dtype) == b and a.dtype.itemsize == b.dtype.itemsize
