"""Computes cheap values again for readers that come much later, where what they are made of is in memory until then.

That is how a backward pass that computes its activations again (``config["training_memory_budget"]`` below 1) holds one value of a
convolution, its norm and the activation behind it: what the next convolution reads is freed then, and made again for the gradient of its
weights.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from sol.config import config
from sol.ir.graph import Graph, Node
from sol.ir.ops import spec_of
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor

DEEPEST = 12
"""Operations, one on another, that are made again for a reader."""
MOST_SOURCES = 2
"""Values of the same size that they are made of."""


def repeat_late(graph: Graph) -> Graph:
    """Give late readers of values that pointwise operations make copies of these, where memory counts more than time."""
    if float(config["training_memory_budget"]) == 1:
        return graph
    return _Late(graph).changed()


@dataclass(frozen=True)
class _Chain:
    """Pointwise operations that make a value, in order, and the values of its size that they read."""

    nodes: tuple[Node, ...]
    sources: frozenset[str]


class _Late:
    """place: of each node. products: places of the nodes that take long, between which readers are near each other."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.place = {n.name: i for i, n in enumerate(graph.nodes)}
        self.products = [i for i, n in enumerate(graph.nodes) if spec_of(n.op).kind == "dnn"]
        self.readers: dict[str, list[int]] = {}
        for i, node in enumerate(graph.nodes):
            for value in node.inputs:
                self.readers.setdefault(value, []).append(i)

    def changed(self) -> Graph:
        chains = {n.name: chain for n in self.graph.nodes if (chain := self.chain_of(n)) is not None}
        held = self.held(chains)
        editor = Editor(self.graph)
        copies: dict[tuple[str, int], str] = {}  # of a value between two products
        for name in reversed(chains):
            for between, places in self.late_readers(name):
                if places[-1] > min(held[s] for s in chains[name].sources):
                    continue
                again = self.copied(editor, chains[name], between, copies)
                for place in places:
                    user = editor.producer(self.graph.nodes[place].name)
                    editor.update(user, inputs=tuple(again if i == name else i for i in user.inputs))
        return editor.finish()

    def held(self, chains: Mapping[str, _Chain]) -> dict[str, int]:
        """Until which place a source is in memory: where others read it, or instead of values that are made of it alone."""
        late: dict[str, list[int]] = {}
        for name, chain in chains.items():
            last = max((places[-1] for _, places in self.late_readers(name)), default=None)
            if len(chain.sources) == 1 and last is not None:
                late.setdefault(next(iter(chain.sources)), []).append(last)
        sources = {s for chain in chains.values() for s in chain.sources}
        return {s: max([self.last_use(s, chains), *late.get(s, [])]) for s in sources}

    def chain_of(self, node: Node) -> _Chain | None:
        """Operations that make a value; None if they are too many, or others."""
        if not self.is_cheap(node):
            return None
        members: dict[str, Node] = {}
        sources: set[str] = set()
        pending = [node]
        while pending:
            member = pending.pop()
            members[member.name] = member
            for value in member.inputs:
                if self.graph.type_of(value).size != node.type.size:
                    continue
                maker = self.graph.producer(value)
                if not self.is_cheap(maker):
                    sources.add(value)
                elif maker.name not in members:
                    pending.append(maker)
        if len(members) > DEEPEST or not 0 < len(sources) <= MOST_SOURCES:
            return None
        return _Chain(tuple(sorted(members.values(), key=lambda n: self.place[n.name])), frozenset(sources))

    def is_cheap(self, node: Node) -> bool:
        return node.op in POINTWISE and node.type.dtype.is_float and not self.graph.is_output(node.name)

    def late_readers(self, name: str) -> Iterator[tuple[int, list[int]]]:
        """Readers of a value between two products, which come after one behind the first reader."""
        readers = self.readers.get(name, [])
        for between, places in groupby(readers, lambda place: bisect_right(self.products, place - 1)):
            if between > bisect_right(self.products, readers[0]):
                yield between, list(places)

    def last_use(self, value: str, chains: Mapping[str, _Chain]) -> int:
        """Place of the last reader of a source that makes no cheap value of it."""
        if self.graph.producer(value).op in ("input", "parameter", "constant") or self.graph.is_output(value):
            return len(self.graph.nodes)
        return max((p for p in self.readers[value] if self.graph.nodes[p].name not in chains), default=-1)

    def copied(self, editor: Editor, chain: _Chain, between: int, copies: dict[tuple[str, int], str]) -> str:
        """The value of a chain, made again between two products."""
        for node in chain.nodes:
            if (node.name, between) not in copies:
                inputs = tuple(copies.get((i, between), i) for i in node.inputs)
                copies[node.name, between] = editor.insert(replace(node, name=editor.fresh_name(node.name), inputs=inputs))
        return copies[chain.nodes[-1].name, between]
