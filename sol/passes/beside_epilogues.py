"""What kernels of convolutions compute beside their epilogue: masks of gradients, and sums over a map for each channel."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from sol.ir.graph import Graph, Node
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.types import DType
from sol.passes.channel_sums import is_channel_sum
from sol.passes.fused_types import computes_types, has_few_channels

MOST_STEPS = 16
"""Of what makes a mask, or what is summed."""
LONGEST_ROW = 1024
"""Pixels of a row that kernels of few channels add up in float32; more are added up more exactly by a loop of their own."""


class Fusion(Protocol):
    """What is asked of a fusion that goes on."""

    graph: Graph
    constants: frozenset[str]
    order: dict[str, int]

    @property
    def group_of(self) -> Mapping[str, object]: ...

    def is_read(self, value: str, anchor: Node, inside: set[str]) -> bool: ...


def has_whole_groups(graph: Graph, conv: Node, block: int) -> bool:
    """Whether the groups of a convolution, if it has several, are whole vectors of channels."""
    groups, weight = conv.attrs["groups"], graph.type_of(conv.inputs[1])
    return groups == 1 or weight.is_static and weight.shape[1] % block == 0 and weight.shape[0] // groups % block == 0


class Beside:
    """Finds nodes that a convolution's kernel computes with its epilogue, though none of them is in the chain behind the convolution."""

    def __init__(self, fusion: Fusion) -> None:
        self.fusion, self.graph = fusion, fusion.graph

    def mask(self, value: str, reader: Node, anchor: Node, inside: set[str]) -> list[Node]:
        """The steps that make a mask which one node of an epilogue reads, as gradients of a ReLU do.

        Only convolutions that also add up what they store have them: behind others, one loop computes masks and sums.
        """
        if self.graph.type_of(value).dtype is not DType.BOOL or anchor.op != "conv" or not self.can_sum(anchor):
            return []
        return self.steps_to(value, reader, anchor, inside) or []

    def sums_after(self, kind: str, nodes: Sequence[Node]) -> list[Node]:
        """Sums over the map of a convolution for each channel, which its kernel finds while it stores the map: all of them, or none, since
        a loop behind it that reads the map once may find all. kind: the group's anchor."""
        anchor, last = nodes[0], nodes[-1]
        if kind != "conv" or last.type != anchor.type or not self.can_sum(anchor):
            return []
        found = [u for u in self.graph.users(last.name) if u.name not in self.fusion.group_of and is_channel_sum(u, last.type)]
        inside = {n.name for n in nodes}
        for user in self.graph.users(last.name):
            readers = self.graph.users(user.name)
            if len(readers) == 1 and readers[0].name not in self.fusion.group_of and is_channel_sum(readers[0], last.type):
                before = self._before_sum(user, anchor, inside, last.name)
                if before is None:
                    return []
                found += [*before, user, readers[0]]
        return found

    def _before_sum(self, node: Node, anchor: Node, inside: set[str], last: str) -> list[Node] | None:
        """What is computed for a node that a sum alone reads, from what an epilogue can read; None unless that and the map are all."""
        if not self._is_made_for(node, {u.name for u in self.graph.users(node.name)}, anchor) or node.type != anchor.type:
            return None
        found: list[Node] = []
        for value in dict.fromkeys(node.inputs):
            steps = None if value == last else self.steps_to(value, node, anchor, inside)
            if steps is not None:
                found += steps
            elif value != last and not self.fusion.is_read(value, anchor, inside):
                return None
        return found

    def can_sum(self, conv: Node) -> bool:
        """Whether kernels of a convolution add up what they store: of float32, with groups of whole vectors, or several in a vector."""
        data, block = self.graph.type_of(conv.inputs[0]), conv.type.layout.block
        known = conv.type.is_static and 0 not in conv.type.shape and data.dtype is DType.F32 and conv.type.dtype is DType.F32
        if not known or not block or conv.type.rank != 4:
            return False
        return has_whole_groups(self.graph, conv, block) or has_few_channels(self.graph, conv) and conv.type.shape[3] <= LONGEST_ROW

    def steps_to(self, value: str, reader: Node, anchor: Node, inside: set[str]) -> list[Node] | None:
        """The few pointwise steps from values that an epilogue can read to one that it needs, if nothing else reads what they make."""
        found: dict[str, Node] = {}
        wanted = {value}
        while wanted:
            name = max(wanted, key=lambda v: self.fusion.order[self.graph.producer(v).name])
            wanted.remove(name)
            node = self.graph.producer(name)
            if name not in inside and self._is_made_for(node, {reader.name, *found}, anchor):
                found[name] = node
                wanted.update(v for v in node.inputs if v not in found)
            elif name in inside or not self.fusion.is_read(name, anchor, inside):
                return None
        return list(reversed(found.values())) if 0 < len(found) <= MOST_STEPS else None

    def _is_made_for(self, node: Node, readers: Collection[str], anchor: Node) -> bool:
        """Whether an epilogue computes a node, which nothing else reads."""
        if node.op not in POINTWISE or node.name in self.fusion.group_of or node.name in self.fusion.constants:
            return False
        if self.graph.is_output(node.name) or node.type.shape != anchor.type.shape or not computes_types(self.graph, node, anchor):
            return False
        return all(u.name in readers for u in self.graph.users(node.name))
