"""Sums over all pixels of a convolution's map, for each channel: mean and variance of a batch norm, and the sums of its gradient.

Each tile adds up its own pixels in float32, and each thread its tiles in double precision; then the team adds up the sums of its threads.
For variances, a tile adds up how far its numbers are from its first one, and the squares of that. Where numbers are far from zero and near
each other, their own squares would be alike in all digits of float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sol.codegen.epilogue import ChannelSum
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.config import MOST_THREADS
from sol.ir.dim import DimLike
from sol.ir.graph import Node
from sol.passes.channel_sums import is_channel_sum

DOUBLE = 8
TABLE = 8 * MOST_THREADS
"""Bytes of the team's shared memory where threads write down the addresses of their sums."""


@dataclass(frozen=True)
class Result:
    """What is made of a sum: "sum", "mean" or "var". at: which of ``Sums.epilogue``. less: what is subtracted from a variance's count."""

    kind: str
    at: int
    less: int
    view: View


@dataclass(frozen=True)
class Sums:
    """All sums of a region. epilogue: what tiles add up."""

    epilogue: tuple[ChannelSum, ...]
    results: tuple[Result, ...]
    @property
    def views(self) -> tuple[View, ...]:
        return tuple(r.view for r in self.results)

    @property
    def named(self) -> Mapping[str, View]:
        """Where results lie, by the names that they have in C."""
        return {f"total{i}": r.view for i, r in enumerate(self.results)}

    @property
    def vectors(self) -> int:
        """Vectors of double precision numbers' lanes for each vector of channels."""
        return sum(s.vectors for s in self.epilogue)

    def bytes(self, lanes: int) -> int:
        """Of a thread, for each vector of channels."""
        return DOUBLE * lanes * self.vectors


def maps_of(lowering: Lowering, anchor: Node) -> tuple[str, ...]:
    """A region's results but for sums."""
    return tuple(v for v in lowering.body.outputs if not is_channel_sum(lowering.body.producer(v), anchor.type))


def read_sums(lowering: Lowering, anchor: Node) -> Sums | None:
    """The sums among a region's results; None without any."""
    body = lowering.body
    nodes = [node for v in body.outputs if is_channel_sum(node := body.producer(v), anchor.type)]
    if not nodes:
        return None
    sources = {node.inputs[0]: False for node in nodes}
    for node in nodes:
        sources[node.inputs[0]] |= node.op == "var"
    places = {source: i for i, source in enumerate(sources)}
    results = tuple(Result(n.op, places[n.inputs[0]], n.attrs.get("correction", 0), lowering.view(n.name)) for n in nodes)
    return Sums(tuple(ChannelSum(source, spread) for source, spread in sources.items()), results)


def sum_params(sums: Sums, k: DimLike, lanes: int, vectors: DimLike, own: DimLike, shared: DimLike) -> dict[str, DimLike]:
    """own, shared: bytes of a thread's and of the team's scratch memory behind which there is room."""
    params: dict[str, DimLike] = {"sum_vectors": vectors, "sum_channels": k, "sums_start": own, "sums_table": shared}
    for i, r in enumerate(sums.results):
        lane, block = (1, r.view.strides[1]) if r.view.layout.block else (r.view.strides[1], lanes * r.view.strides[1])
        params |= {f"total{i}_cb": block, f"total{i}_lane": lane}
    return params


def sum_context(sums: Sums) -> tuple[dict[str, Any], ...]:
    """What templates are told: of each sum its lanes' place among a vector's, and its results."""
    found, at = [], 0
    for i, s in enumerate(sums.epilogue):
        results = [
            {"name": f"total{j}", "kind": r.kind, "less": r.less, "whole": bool(r.view.layout.block)}
            for j, r in enumerate(sums.results) if r.at == i
        ]  # fmt: skip
        counted = any(r["kind"] != "sum" for r in results)
        found.append({"at": at, "vectors": s.vectors, "spread": s.spread, "results": results, "counted": counted})
        at += s.vectors
    return tuple(found)


def sum_declarations(sums: Sequence[ChannelSum], ocb: int) -> tuple[str, ...]:
    """Statements that declare what a tile adds up for each of its vectors."""
    found: list[str] = []
    for o in range(ocb):
        for i, s in enumerate(sums):
            names = (f"first{i}_{o}", f"sum{i}_{o}", f"squares{i}_{o}") if s.spread else (f"sum{i}_{o}",)
            found.append(f"vf {', '.join(f'{name} = vf_zero()' for name in names)};")
    return tuple(found)


def added_to_sums(sums: Sequence[ChannelSum], o: int, summed: Sequence[str], first: bool | str) -> tuple[str, ...]:
    """Statements that add one pixel of vector o. summed: C text of its values. first: whether it is the first one of its tile, or C text
    of that: the others are added up as what they are away from it, which is no large number."""
    found: list[str] = []
    for i, (s, value) in enumerate(zip(sums, summed)):
        if not s.spread:
            found.append(f"sum{i}_{o} += {value};")
            continue
        if first:
            found.append(f"{f'if ({first}) ' if isinstance(first, str) else ''}first{i}_{o} = {value};")
        if first is not True:
            found.append(f"sol_add_spread({value} - first{i}_{o}, &sum{i}_{o}, &squares{i}_{o});")
    return tuple(found)


def kept_sums(sums: Sequence[ChannelSum], ocb: int, count: str) -> tuple[str, ...]:
    """Statements that add a tile's sums to ``channel_sums``, [vector][SUMS] numbers of the thread. count: C text of the tile's pixels."""
    found: list[str] = []
    for o in range(ocb):
        at = 0
        for i, s in enumerate(sums):
            to = f"channel_sums + {o} * SUMS + {at} * LANES"
            spread = f"sol_keep_spread({to}, first{i}_{o}, sum{i}_{o}, squares{i}_{o}, {count});"
            found.append(spread if s.spread else f"sol_keep_sum({to}, sum{i}_{o});")
            at += s.vectors
    return tuple(found)
