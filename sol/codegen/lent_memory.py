"""Operands and results of a call that lie in its arena, each for as long as it is needed.

Between the forward and the backward pass of a training step lies what the backward pass reads. Were its gradients and intermediate values
to lie beside that, a step would need more memory than in PyTorch, which frees each tensor once it was read. Here the backward pass is told
where in the memory of the forward pass its operands lie (attribute ``place`` of inputs), and writes to that memory once they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sol.codegen.memory import PAGE, Interval, assign_offsets
from sol.codegen.plan import Buffer, Launch
from sol.ir.graph import Graph
from sol.ir.types import HOST

LARGE_RESULT = 1 << 20
"""Bytes from which a result lies in the arena."""


def may_be_lent(buffers: Sequence[Buffer]) -> bool:
    """Whether the buffers of a plan without open sizes can share memory with operands and results."""
    return all(b.space == HOST for b in buffers if b.kind == "arena")


def places_of(graph: Graph) -> dict[str, int]:
    """Inputs that have a place."""
    return {n.name: n.attrs["place"] for n in graph.nodes if n.op == "input" and n.attrs.get("place") is not None}


def place_lent(graph: Graph, launches: Sequence[Launch], buffers: Sequence[Buffer], behind: int) -> tuple[list[Buffer], int]:
    """The buffers with offsets, operands and large results among them, and the arena's size.

    Results live from the launch that first touches them to the end, operands that have a place from the beginning to the launch that
    last touches them. behind: size of an arena that stays as it is: operands and results come behind it. 0: they share its memory.
    """
    places = places_of(graph)
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for i, launch in enumerate(launches):
        for ref in launch.buffers:
            first.setdefault(ref.buffer, i)
            last[ref.buffer] = i
    found: list[Buffer] = []
    for buffer in buffers:
        name = buffer.name
        if buffer.kind == "input" and name in places:
            buffer = replace(buffer, first=0, last=last.get(name, 0), offset=places[name], lent=True)
        elif buffer.kind == "output" and isinstance(buffer.size, int) and buffer.size >= LARGE_RESULT:
            buffer = replace(buffer, first=first.get(name, 0), last=len(launches), lent=True)
        found.append(buffer)
    members = [i for i, b in enumerate(found) if (b.lent if behind else b.in_arena)]
    intervals = [Interval(found[i].first, found[i].last, max(int(found[i].size), 1)) for i in members]  # type: ignore[arg-type]
    fixed = {k: places[found[i].name] for k, i in enumerate(members) if found[i].name in places}
    offsets, total = assign_offsets(intervals, fixed)
    start = -(-behind // PAGE) * PAGE
    for i, offset in zip(members, offsets):
        found[i] = replace(found[i], offset=start + offset)
    return found, start + total
