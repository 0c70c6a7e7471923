"""Images in blocks that a model reads with their channels last, as tokens for linear layers and norms: a view of the blocks shows them.

A block holds neighbouring channels of a pixel, and so do tokens: whole vectors are copied where an image in rows would have to be
transposed.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.ir.dim import DimLike
from sol.ir.graph import Graph, Node
from sol.ir.lanes import FLOAT_LANES
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor
from sol.ir.types import PLAIN
from sol.passes.fuse_regions import ANCHORS
from sol.passes.views import is_view, producer_of, root_of

CHANNELS, SPATIAL = 1, (2, 3)
IN_BLOCKS = (1, 4)
"""Dimensions of an image in blocks that hold its channels."""


@dataclass(frozen=True)
class _Shown:
    """A value with channels last, as the tensor of rank 5 of which it is a reshape. dims: how many dimensions each of its own is there.
    copied: whether the tensor of rank 5 is a view that is copied before it is reshaped.
    """

    value: str
    dims: tuple[int, ...]
    copied: bool


def read_channels_last(graph: Graph) -> Graph:
    """Replace ``permute([reshape](reorder(x)))`` with channels last, x in whole blocks, by a copy of a view of the blocks; operations
    element by element read the view themselves.
    """
    if not any(n.op == "reorder" for n in graph.nodes):
        return graph
    return _Reading(graph).run()


class _Reading:
    """One walk over the graph. shown: values with channels last → what they are."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.editor = graph, Editor(graph)
        self.shown: dict[str, _Shown] = {}

    def run(self) -> Graph:
        for original in self.graph.nodes:
            node = self.editor.producer(original.name)
            if node is None or original.name in self.graph.constant_values:
                continue
            if node.op == "permute":
                self.show(node)
            elif node.op in POINTWISE:
                self.open(node)
        return self.editor.finish() if self.shown else self.graph

    def show(self, node: Node) -> None:
        editor, order = self.editor, node.attrs["order"]
        source = producer_of(editor, node.inputs[0])
        image = producer_of(editor, source.inputs[0]) if source.op == "reshape" else source
        if image.op != "reorder" or node.type.dtype not in FLOAT_LANES or order[-1] != CHANNELS:
            return
        blocks, shape = editor.type_of(image.inputs[0]), image.type.shape
        if not blocks.layout.block or not _fills(shape[CHANNELS], blocks.layout.block) or all(shape[d] == 1 for d in SPATIAL):
            return
        if source is image:
            places: tuple[tuple[int, ...], ...] = ((0,), IN_BLOCKS, (2,), (3,))
        elif source.type.rank == 3 and source.type.shape[:2] == shape[:2]:
            places = ((0,), IN_BLOCKS, SPATIAL)
        else:
            return
        seen = editor.add("to_blocks", image.inputs, origin=node.origin, layout=blocks.layout)
        seen = editor.add("permute", [seen], origin=node.origin, order=tuple(d for i in order for d in places[i]))
        value = self.joined(node, editor.add("copy", [seen], origin=node.origin))
        self.shown[value] = _Shown(seen, tuple(len(places[i]) for i in order), True)

    def joined(self, node: Node, value: str) -> str:
        """A value of rank 5 in place of a node's."""
        value = self.editor.add("reshape", [value], shape=node.type.shape, origin=node.origin)
        self.editor.replace(node.name, value)
        return value

    def open(self, node: Node) -> None:
        """The same operation on tensors of rank 5, if all operations on what it reads are such."""
        found = [v for v in node.inputs if v in self.shown]
        if not found or not all(self.opens_all(v) if self.shown[v].copied else self.opens(node, v) for v in found):
            return
        first = self.shown[found[0]]
        shape = self.editor.type_of(first.value).shape
        operands = [self.shown[v].value if v in self.shown else self.opened(v, node.type.shape, shape, first.dims) for v in node.inputs]
        value = self.joined(node, self.editor.add(node.op, operands, origin=node.origin, **node.attrs))
        self.shown[value] = _Shown(producer_of(self.editor, value).inputs[0], first.dims, False)

    def opens_all(self, value: str) -> bool:
        """Whether all that reads a value can read the view that is copied for it."""
        return not self.editor.is_output(value) and all(self.opens(user, value) for user in self.editor.users(value))

    def opens(self, user: Node, value: str) -> bool:
        """Whether an operation reads other values as they lie, and none that a product could give to it in its epilogue."""
        editor, first = self.editor, self.shown[value]
        if user.op not in POINTWISE or user.type.shape != editor.type_of(value).shape or user.type.layout != PLAIN:
            return False
        for other in user.inputs:
            type = editor.type_of(other)
            if other in self.shown:
                if self.shown[other].dims != first.dims or type.shape != user.type.shape:
                    return False
            elif type.layout != PLAIN or type.rank > user.type.rank:
                return False
            elif type.shape == user.type.shape and not self.lies_whole(other):
                return False
        return True

    def lies_whole(self, value: str) -> bool:
        """Whether a value lies row by row in memory and is not the result of a product that has no other reader."""
        editor = self.editor
        node = producer_of(editor, value)
        while node.op == "reshape":
            value = node.inputs[0]
            node = producer_of(editor, value)
        if is_view(editor, node):
            return False
        return node.op not in ANCHORS or editor.sole_user(root_of(editor, value)) is None

    def opened(self, value: str, result: tuple[DimLike, ...], shape: tuple[DimLike, ...], dims: tuple[int, ...]) -> str:
        """Another operand of an operation on ``result``, for one on ``shape``."""
        type = self.editor.type_of(value)
        if type.rank == 0:
            return value
        sizes: list[DimLike] = []
        at = 0
        for size, whole, count in zip((1,) * (len(result) - type.rank) + type.shape, result, dims):
            sizes += shape[at : at + count] if size == whole else (1,) * count
            at += count
        return self.editor.add("reshape", [value], shape=tuple(sizes))


def _fills(channels: DimLike, block: int) -> bool:
    return isinstance(channels, int) and channels % block == 0
