"""Sums over all pixels of a convolution's map, for each channel: mean and variance of a batch norm, and the sums of its gradient.

Each tile adds up its own pixels in float32, and each thread its tiles in double precision; then the team adds up the sums of its threads.
A variance is that of what numbers are away from one of their tile, as in a reduction of its own (Chan, Golub and LeVeque, 1979).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sol.codegen.epilogue import ChannelSum
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.graph import Node
from sol.passes.channel_sums import is_channel_sum

DOUBLE = 8


@dataclass(frozen=True)
class Result:
    """What is made of a sum: "sum", "mean" or "var". at: which of ``Sums.epilogue``. less: what is subtracted from a variance's count."""

    kind: str
    at: int
    less: int
    value: str
    view: View


@dataclass(frozen=True)
class Sums:
    """All sums of a region. epilogue: what tiles add up."""

    epilogue: tuple[ChannelSum, ...]
    results: tuple[Result, ...]

    @property
    def outputs(self) -> tuple[str, ...]:
        """Values of the body."""
        return tuple(r.value for r in self.results)

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
    results = tuple(Result(n.op, places[n.inputs[0]], n.attrs.get("correction", 0), n.name, lowering.view(n.name)) for n in nodes)
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
        found.append({"at": at, "vectors": s.vectors, "spread": s.spread, "results": results, "counted": any(r["kind"] != "sum" for r in results)})
        at += s.vectors
    return tuple(found)
