"""Orders channels so that selecting them is cheap: a convolution does not care in which order its input channels come.

The order of a value's channels is free if whatever makes it and whatever reads it can be told another order: the rows and columns of
constant weights are permuted, per-channel constants too, and the indices of channel_select are rewritten. Values between which channels
pass one to one (pointwise ops, depthwise convolutions, pooling) are reordered together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sol.ir.graph import Attrs, Graph, Node
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor
from sol.ir.types import TensorType

Index = tuple[int, ...]
POOLS = ("max_pool", "avg_pool", "adaptive_avg_pool", "adaptive_max_pool")
REDUCTIONS = ("sum", "mean", "max", "min", "prod")


def fold_channel_permutations(graph: Graph, lanes: int) -> Graph:
    """Reorder channels where that makes a channel_select cheaper; one that keeps what it reads goes away.

    lanes: channels per block. Whole blocks of one tensor are cheapest, then blocks from few tensors.
    """
    editor = Editor(graph)
    constants = set(graph.constant_values)
    for node in graph.nodes:
        if node.op == "channel_select":
            for start, order in _proposals(editor, node.name, lanes):
                tied = _Tied(editor, constants, start)
                if tied.is_free and tied.gain(order, lanes) > 0:
                    tied.reorder(order)
    for node in editor.nodes():
        if node.op == "channel_select":
            simpler = _simplified(editor, node, lanes)
            if simpler is not None:
                editor.replace(node.name, simpler)
    return editor.finish()


def _proposals(g: Editor, name: str, lanes: int) -> Iterator[tuple[str, Index]]:
    """Values and orders of their channels that may pay: the result by source blocks, or the only operand in the selected order."""
    node = g.producer(name)
    assert node is not None
    index, sizes = node.attrs["index"], _sizes(g, node)
    if len(sizes) == 1 and sorted(index) == list(range(sizes[0])):
        yield node.inputs[0], index
    yield name, _by_blocks(g.producer(name).attrs["index"], sizes, lanes)  # type: ignore[union-attr]


def _sizes(g: Editor, node: Node) -> list[int]:
    return [g.type_of(v).shape[1] for v in node.inputs]  # type: ignore[misc]


def _blocks(index: Sequence[int], sizes: Sequence[int], lanes: int) -> list[tuple[int, int, int]]:
    """Operand, block and lane of each selected channel."""
    starts = np.cumsum([0, *sizes])
    owners = np.searchsorted(starts, index, side="right") - 1
    return [(int(o), int(c - starts[o]) // lanes, int(c - starts[o]) % lanes) for c, o in zip(index, owners)]


def _by_blocks(index: Index, sizes: Sequence[int], lanes: int) -> Index:
    """Positions of the result in the order of the operands' blocks, wholly selected blocks first."""
    where = _blocks(index, sizes, lanes)
    found: dict[tuple[int, int], list[int]] = {}
    for at in sorted(range(len(index)), key=lambda i: where[i]):
        found.setdefault(where[at][:2], []).append(at)
    whole = [members for members in found.values() if [where[m][2] for m in members] == list(range(lanes))]
    parts = [members for members in found.values() if [where[m][2] for m in members] != list(range(lanes))]
    return tuple(m for members in (*whole, *parts) for m in members)


def _cost(index: Index, sizes: Sequence[int], lanes: int) -> int:
    """Blocks read for all blocks of the result, twice if their lanes move; nothing for a selection that changes nothing."""
    if list(index) == list(range(sum(sizes))) and all(s % lanes == 0 for s in sizes[:-1]):
        return 0
    total = 0
    for start in range(0, len(index), lanes):
        where = _blocks(index[start : start + lanes], sizes, lanes)
        whole = len({w[:2] for w in where}) == 1 and [w[2] for w in where] == list(range(len(where)))
        total += 1 if whole else 2 * len({w[:2] for w in where})
    return total


def _simplified(g: Editor, node: Node, lanes: int) -> str | None:
    """A channel_select as its operand, as a slice of it or as a concatenation, which move nothing in either layout."""
    index, sizes = node.attrs["index"], _sizes(g, node)
    if list(index) == list(range(sum(sizes))):
        if len(sizes) == 1:
            return node.inputs[0]
        if all(s % lanes == 0 for s in sizes[:-1]):
            return g.add("concat", node.inputs, dim=1, origin=node.origin)
    start, stop = index[0], index[-1] + 1
    aligned = start % lanes == 0 and (stop % lanes == 0 or stop == sizes[0])
    if len(sizes) == 1 and aligned and list(index) == list(range(start, stop)):
        return g.add("slice", node.inputs, dim=1, start=start, stop=stop, step=1, origin=node.origin)
    return None


class _Tied:
    """The values whose channels must be reordered together with those of ``start``, and how every op at their edge is told.

    is_free: whether all of them can be.
    """

    def __init__(self, g: Editor, constants: set[str], start: str) -> None:
        self.g, self.constants = g, constants
        self.channels = g.type_of(start).shape[1]
        self.values: dict[str, None] = {start: None}
        self.made: dict[str, None] = {}  # names of channel_selects whose index gives the order
        self.read: dict[str, None] = {}  # names of channel_selects that read tied values
        self.permuted: dict[tuple[str, int, int], None] = {}  # node, number of its constant operand, dimension
        pending = [start]
        self.is_free = True
        while pending and self.is_free:
            value = pending.pop()
            if g.is_output(value) or value in constants:
                self.is_free = False
                return
            found: list[str] = []
            producer = g.producer(value)
            assert producer is not None
            self.is_free = self._produces(producer, found) and all([self._reads(u, value, found) for u in g.users(value)])
            for other in found:
                if other not in self.values:
                    self.values[other] = None
                    pending.append(other)

    def _constant(self, node: Node, number: int, dim: int) -> bool:
        """Note that a constant operand must be permuted; False if it is computed at run time."""
        if node.inputs[number] not in self.constants:
            return False
        self.permuted[(node.name, number, dim)] = None
        return True

    def _produces(self, node: Node, found: list[str]) -> bool:
        if node.op == "channel_select":
            self.made[node.name] = None
            return True
        dense = node.op == "conv" and node.attrs["groups"] == 1 or node.op == "linear" and node.type.rank == 2
        if dense:
            return all([self._constant(node, i, 0) for i in range(1, len(node.inputs))])
        return self._passes(node, found)

    def _reads(self, node: Node, value: str, found: list[str]) -> bool:
        if node.op == "channel_select":
            self.read[node.name] = None
            return True
        dense = node.op == "conv" and node.attrs["groups"] == 1 or node.op == "linear" and self.g.type_of(value).rank == 2
        if dense:
            return node.inputs.count(value) == 1 and node.inputs[0] == value and self._constant(node, 1, 1)
        if node.op in POINTWISE and node.type.rank != self.g.type_of(value).rank:
            return False
        found.append(node.name)
        return self._passes(node, found)

    def _passes(self, node: Node, found: list[str]) -> bool:
        """Whether every channel of the result is made from the same channel of the operands; adds these to ``found``."""
        type, data = node.type, self.g.type_of(node.inputs[0]) if node.inputs else node.type
        if len(node.types) != 1 or type.rank < 2 or type.shape[1] != self.channels:
            return False
        if node.op in POINTWISE:
            return all([self._operand_passes(node, i, found) for i in range(len(node.inputs))])
        if not node.inputs or data.rank < 2 or data.shape[1] != self.channels:
            return False
        found.append(node.inputs[0])
        if node.op == "conv":
            depthwise = node.attrs["groups"] == self.channels
            return depthwise and all([self._constant(node, i, 0) for i in range(1, len(node.inputs))])
        if node.op == "reshape":  # [N, C, 1, 1] <-> [N, C]
            return type.shape[0] == data.shape[0] and all(s == 1 for t in (type, data) for s in t.shape[2:])
        return node.op in POOLS or node.op in REDUCTIONS and all(d > 1 for d in node.attrs["dims"])

    def _operand_passes(self, node: Node, number: int, found: list[str]) -> bool:
        operand = node.inputs[number]
        type: TensorType = self.g.type_of(operand)
        dim = 1 - (node.type.rank - type.rank)
        if dim < 0 or type.shape[dim] == 1 and self.channels != 1:
            return True
        if operand in self.constants:
            return self._constant(node, number, dim)
        if dim != 1:
            return False
        found.append(operand)
        return True

    # -- effect --------------------------------------------------------------------------------------------------------

    def _reindexed(self, name: str, order: Index) -> Index:
        """The index of a channel_select when tied channel i becomes what was channel order[i]."""
        node = self.g.producer(name)
        assert node is not None
        index: Index = node.attrs["index"]
        if name in self.read:
            place = np.argsort(order)
            table: list[int] = []
            for value, size in zip(node.inputs, _sizes(self.g, node)):
                start = len(table)
                table += [start + (int(place[c]) if value in self.values else c) for c in range(size)]
            index = tuple(table[i] for i in index)
        return tuple(index[i] for i in order) if name in self.made else index

    def gain(self, order: Index, lanes: int) -> int:
        """How much cheaper all channel_selects get."""
        return sum(self._gain(name, order, lanes) for name in {**self.made, **self.read})

    def _gain(self, name: str, order: Index, lanes: int) -> int:
        node = self.g.producer(name)
        assert node is not None
        sizes = _sizes(self.g, node)
        return _cost(node.attrs["index"], sizes, lanes) - _cost(self._reindexed(name, order), sizes, lanes)

    def reorder(self, order: Index) -> None:
        """Tied channel i becomes what was channel order[i]."""
        indices = {name: self._reindexed(name, order) for name in {**self.made, **self.read}}
        for name, index in indices.items():
            node = self._node(name)
            self.g.update(node, attrs=Attrs({**node.attrs, "index": index}))
        made: dict[tuple[str, int], str] = {}
        positions = self.g.constant(np.array(order, np.int64))
        for name, number, dim in self.permuted:
            node = self._node(name)
            old = node.inputs[number]
            if (old, dim) not in made:
                made[(old, dim)] = self.g.add("take", [old, positions], dim=dim, origin=node.origin)
                self.constants.add(made[(old, dim)])
            inputs = tuple(made[(old, dim)] if i == number else v for i, v in enumerate(node.inputs))
            self.g.update(node, inputs=inputs)

    def _node(self, name: str) -> Node:
        node = self.g.producer(name)
        assert node is not None
        return node
