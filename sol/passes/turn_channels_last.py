"""Maps whose channels a model moves to the end for a normalisation or a linear layer, and moves back: computed with the channels in front.

Between the two permutations a linear layer is a 1x1 convolution and a normalisation reduces over dimension 1, for which there are kernels
over blocks of channels, so that nothing is transposed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sol.ir.graph import Graph, Node
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor
from sol.ir.types import DType, TensorType

TO_END, TO_FRONT = (0, 2, 3, 1), (0, 3, 1, 2)
NORMS = ("layer_norm", "rms_norm")
REDUCTIONS = ("sum", "mean", "var", "max", "min")
ONE_TAP = {"stride": (1, 1), "padding": ((0, 0), (0, 0)), "dilation": (1, 1), "groups": 1}


def turn_channels_last(graph: Graph, lanes: int) -> Graph:
    """Rewrite whole groups of nodes between permutations, where a convolution stands before or behind them and channels that are
    reduced over fill blocks of ``lanes``.
    """
    if not any(n.op == "conv" for n in graph.nodes):
        return graph
    turning = _Turning(graph, lanes)
    for node in graph.nodes:
        if _moves(node, TO_END) and node.name not in turning.seen:
            turning.try_from(node)
    return turning.editor.finish() if turning.changed else graph


def _moves(node: Node, order: tuple[int, ...]) -> bool:
    return node.op == "permute" and tuple(node.attrs["order"]) == order and node.type.dtype is DType.F32


class _Turning:
    """seen: permutations to the end that were looked at. maps: channels-last value → the same with channels in front."""

    def __init__(self, graph: Graph, lanes: int) -> None:
        self.graph, self.lanes = graph, lanes
        self.editor = Editor(graph)
        self.constants = set(graph.constant_values)
        self.order = {n.name: i for i, n in enumerate(graph.nodes)}
        self.seen: set[str] = set()
        self.maps: dict[str, str] = {}
        self.changed = False

    def try_from(self, entry: Node) -> None:
        group = self.group_around(entry)
        if group is None or not self.meets_convolution(group):
            return
        for node in sorted(group, key=lambda n: self.order[n.name]):
            if _moves(node, TO_END):
                self.maps[node.name] = self.editor.producer(node.name).inputs[0]  # the map may be the end of another group
            elif _moves(node, TO_FRONT):
                self.editor.replace(node.name, self.maps[node.inputs[0]])
            else:
                self.maps[node.name] = self.turned(node)
        self.changed = True

    # -- which ---------------------------------------------------------------------------------------------------------

    def group_around(self, entry: Node) -> list[Node] | None:
        """All nodes that hang together with a permutation through channels-last values; None if one of them has no other form."""
        group: dict[str, Node] = {}
        stack = [entry]
        while stack:
            node = stack.pop()
            if node.name in group:
                continue
            if not (_moves(node, TO_END) or _moves(node, TO_FRONT) or self.has_other_form(node)):
                return None
            group[node.name] = node
            if _moves(node, TO_END):
                self.seen.add(node.name)
            else:
                stack += [self.graph.producer(v) for v in node.inputs if self.is_last(v)]
            if not _moves(node, TO_FRONT):
                if self.graph.is_output(node.name):
                    return None
                stack += self.graph.users(node.name)
        return list(group.values())

    def is_last(self, value: str) -> bool:
        """Whether an operand has channels-last maps, and is none of those that are broadcast to them."""
        return value not in self.constants and self.graph.type_of(value).rank == 4

    def has_other_form(self, node: Node) -> bool:
        if len(node.types) != 1 or node.type.dtype is not DType.F32 or node.type.rank != 4 or node.name in self.constants:
            return False
        if any(self.graph.type_of(v).dtype is not DType.F32 for v in node.inputs):
            return False
        if node.op in POINTWISE:
            return all(self.is_last(v) or self.is_of_channels(v, node.type) for v in node.inputs)
        if not self.is_last(node.inputs[0]) or not self.constants.issuperset(node.inputs[1:]):
            return False
        if node.op == "linear":
            return self.graph.type_of(node.inputs[1]).is_static
        channels = self.graph.type_of(node.inputs[0]).shape[-1]
        if not isinstance(channels, int) or channels % self.lanes:
            return False
        if node.op in NORMS:
            return node.attrs["dims"] == 1
        return node.op in REDUCTIONS and tuple(node.attrs["dims"]) == (3,) and bool(node.attrs["keepdims"])

    def is_of_channels(self, value: str, result: TensorType) -> bool:
        """Whether a constant has one element, or one for every channel."""
        shape = self.graph.type_of(value).shape
        return value in self.constants and all(s == 1 for s in shape[:-1]) and (not shape or shape[-1] in (1, result.shape[-1]))

    def meets_convolution(self, group: list[Node]) -> bool:
        """Whether a convolution makes or reads one of the maps at the ends."""
        before = (self.graph.producer(n.inputs[0]) for n in group if _moves(n, TO_END))
        behind = (u for n in group if _moves(n, TO_FRONT) for u in self.graph.users(n.name))
        return any(m.op == "conv" for node in (*before, *behind) for m in (node, *self.steps_before(node)))

    def steps_before(self, node: Node) -> Iterator[Node]:
        """What makes a map by at most a few pointwise steps."""
        for _ in range(4):
            if node.op not in POINTWISE:
                return
            node = next((self.graph.producer(v) for v in node.inputs if self.is_last(v)), node)
            yield node

    # -- how -----------------------------------------------------------------------------------------------------------

    def turned(self, node: Node) -> str:
        """The value of a node with its channels in front."""
        data = [self.maps.get(v, v) for v in node.inputs]
        if node.op in POINTWISE:
            return self.add(node, node.op, *(self.maps[v] if v in self.maps else self.of_channels(v) for v in node.inputs), **node.attrs)
        if node.op == "linear":
            weight = self.editor.add("reshape", [data[1]], shape=(*self.editor.type_of(data[1]).shape, 1, 1))
            return self.add(node, "conv", data[0], weight, *data[2:], **ONE_TAP)
        if node.op in REDUCTIONS:
            return self.add(node, node.op, data[0], **node.attrs.having(dims=(1,)))
        return self.normalised(node, data)

    def normalised(self, node: Node, data: list[str]) -> str:
        """(x - mean(x)) * rsqrt(mean((x - mean(x))^2) + eps) * weight + bias over channels, without the means for rms_norm"""
        x = data[0]
        if node.op == "layer_norm":
            x = self.add(node, "sub", x, self.mean(node, x))
        eps = self.editor.constant(node.attrs["eps"], DType.F32)
        scale = self.add(node, "rsqrt", self.add(node, "add", self.mean(node, self.add(node, "square", x)), eps))
        y = self.add(node, "mul", x, scale)
        for op, operand in zip(("mul", "add"), data[1:]):
            y = self.add(node, op, y, self.of_channels(operand))
        return y

    def mean(self, node: Node, x: str) -> str:
        return self.add(node, "mean", x, dims=(1,), keepdims=True)

    def of_channels(self, value: str) -> str:
        """A constant with one element or one of every channel, beside maps with channels in front."""
        shape = self.editor.type_of(value).shape
        return value if not shape else str(self.editor.add("reshape", [value], shape=(shape[-1], 1, 1)))

    def add(self, node: Node, op: str, *inputs: str, **attrs: Any) -> str:
        return str(self.editor.add(op, list(inputs), origin=node.origin, **attrs))
