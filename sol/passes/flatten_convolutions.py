"""Convolutions over sequences and volumes as two-dimensional ones, which have blocked kernels and algorithms that multiply less.

A sequence [N, C, L] becomes a map [N, C, 1, L]; a volume [N, C, D, H, W] becomes [N, C, D, H W] where the filter has one tap along H and W.
What follows in between (pointwise ops, poolings of sequences, means over the map, concatenations of channels) is flattened with them, so
that reshapes stand only at the ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sol.ir.dim import DimLike
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor
from sol.ir.types import DType, TensorType
from sol.passes.assign_layout import REDUCTIONS, is_blockable
from sol.passes.sizes import GraphSizes

Shape = tuple[DimLike, ...]


def flatten_convolutions(graph: Graph, lanes: int, sizes: GraphSizes) -> Graph:
    """Every convolution of rank 3 or 5 that a kernel on blocks of ``lanes`` channels can compute, and what follows it."""
    if not any(n.op == "conv" and n.type.rank != 4 for n in graph.nodes):
        return graph
    return Flattening(graph, lanes, sizes).run()


class Flattening:
    """One walk over the graph. flat: the map that holds the elements of a value, where one was computed. held: types of such values."""

    held: tuple[DType, ...] = (DType.F32,)

    def __init__(self, graph: Graph, lanes: int, sizes: GraphSizes) -> None:
        self.graph, self.lanes, self.sizes = graph, lanes, sizes
        self.editor = Editor(graph)
        self.constants = graph.constant_values
        self.flat: dict[str, str] = {}

    def run(self) -> Graph:
        for node in self.graph.nodes:
            if node.name in self.constants or len(node.types) != 1 or node.type.dtype not in self.held:
                continue
            current = self.editor.producer(node.name)
            made = self.conv(current) if current.op == "conv" else self.follow(current)
            if made:
                self.keep(current, made)
        return self.editor.finish()

    def keep(self, node: Node, made: str) -> None:
        """Let the readers of a node read its map, through a reshape that those drop which can read the map itself."""
        value = self.volume(made, node.type.shape, node)
        self.flat[value] = made
        self.editor.replace(node.name, value)

    def volume(self, made: str, shape: Shape, node: Node) -> str:
        """The value of which a map holds the elements."""
        return self.editor.add("reshape", [made], shape=shape, origin=node.origin)

    def follow(self, node: Node) -> str | None:
        if not any(i in self.flat for i in node.inputs):
            return None
        if node.op in POINTWISE:
            return self.pointwise(node)
        if node.op in ("max_pool", "avg_pool"):
            return self.pool(node)
        if node.op in REDUCTIONS:
            return self.reduction(node)
        if node.op == "concat" and node.attrs["dim"] == 1 and all(i in self.flat for i in node.inputs):
            return str(self.editor.add("concat", [self.flat[i] for i in node.inputs], origin=node.origin, **node.attrs))
        return None

    # -- convolutions --------------------------------------------------------------------------------------------------

    def conv(self, node: Node) -> str | None:
        """conv(x, w) -> conv(map of x, map of w)"""
        x, w = (self.editor.type_of(v) for v in node.inputs[:2])
        if x.rank not in (3, 5) or any(i not in self.constants for i in node.inputs[1:]) or not self.is_flat_along(node, w):
            return None
        data, steps = self.thinned(node, x, w)
        shape = self.editor.type_of(data).shape
        kernel, attrs = self.filter_and_attributes(node, w, steps)
        if not self.is_worth(node, TensorType(x.dtype, _map_of(shape)), TensorType(w.dtype, kernel), attrs):
            return None
        weight = self.editor.add("reshape", [node.inputs[1]], shape=kernel, origin=node.origin)
        operands = [self.flat_form(data), weight, *node.inputs[2:]]
        return str(self.editor.add("conv", operands, origin=node.origin, **attrs))

    def is_flat_along(self, node: Node, w: TensorType) -> bool:
        """Whether rows and columns of a volume are the same to the filter."""
        return w.rank == 3 or (node.type.is_static and w.shape[3:] == (1, 1) and node.attrs["padding"][1:] == ((0, 0), (0, 0)))

    def thinned(self, node: Node, x: TensorType, w: TensorType) -> tuple[str, tuple[int, ...]]:
        """The input without the elements of a volume that strides pass over, and the strides that are left."""
        data, steps = node.inputs[0], list(node.attrs["stride"])
        for d in range(x.rank - 2) if x.rank == 5 else ():
            if steps[d] > 1 and w.shape[d + 2] == 1 and node.attrs["padding"][d] == (0, 0):
                stop = (node.type.shape[d + 2] - 1) * steps[d] + 1
                data = self.editor.add("slice", [data], dim=d + 2, start=0, stop=stop, step=steps[d], origin=node.origin)
                steps[d] = 1
        return data, tuple(steps)

    def filter_and_attributes(self, node: Node, w: TensorType, steps: tuple[int, ...]) -> tuple[Shape, dict[str, Any]]:
        attrs = dict(node.attrs)
        if w.rank == 3:
            attrs |= {"stride": (1, *steps), "dilation": (1, *attrs["dilation"]), "padding": ((0, 0), *attrs["padding"])}
            return (*w.shape[:2], 1, w.shape[2]), attrs
        attrs |= {"stride": steps[:2], "dilation": attrs["dilation"][:2], "padding": attrs["padding"][:2]}
        return w.shape[:4], attrs

    def is_worth(self, node: Node, x: TensorType, w: TensorType, attrs: dict[str, Any]) -> bool:
        """Whether there is a kernel, and it gains more than blocks cost."""
        channels = x.shape[1]
        if not isinstance(channels, int) or not w.is_static or not is_blockable(replace(node, attrs=Attrs(attrs)), x, w, self.lanes):
            return False
        if node.inputs[0] in self.flat:
            return True
        work = w.size // channels
        assert isinstance(work, int)
        for step in attrs["stride"]:
            work //= step
        return channels >= self.lanes and w.shape[0] >= self.lanes and attrs["groups"] == 1 and work >= self.sizes.reordered_from

    # -- what follows --------------------------------------------------------------------------------------------------

    def pointwise(self, node: Node) -> str | None:
        types = [self.editor.type_of(i) for i in node.inputs]
        if any(t.dtype is not DType.F32 for t in types) or not any(
            i in self.flat and t.shape == node.type.shape for i, t in zip(node.inputs, types)
        ):
            return None
        if not all(_broadcasts(t, node.type) for t in types):
            return None
        operands = [self.flat_form(i) if t.rank == node.type.rank else i for i, t in zip(node.inputs, types)]
        return str(self.editor.add(node.op, operands, origin=node.origin, **node.attrs))

    def pool(self, node: Node) -> str | None:
        if node.type.rank != 3 or len(node.attrs["kernel"]) != 1:
            return None
        one = {k: (1, *node.attrs[k]) for k in ("kernel", "stride", "dilation") if k in node.attrs}
        attrs = {**node.attrs, **one, "padding": ((0, 0), *node.attrs["padding"])}
        return str(self.editor.add(node.op, [self.flat[node.inputs[0]]], origin=node.origin, **attrs))

    def reduction(self, node: Node) -> str | None:
        """Over the whole map; its readers see the result in the shape they know."""
        if node.attrs["dims"] != tuple(range(2, self.editor.type_of(node.inputs[0]).rank)):
            return None
        attrs = {**node.attrs, "dims": (2, 3), "keepdims": True}
        made = str(self.editor.add(node.op, [self.flat[node.inputs[0]]], origin=node.origin, **attrs))
        if node.attrs["keepdims"]:
            return made
        self.editor.replace(node.name, self.editor.add("reshape", [made], shape=node.type.shape, origin=node.origin))
        return None

    def flat_form(self, value: str) -> str:
        if value not in self.flat:
            shape = _map_of(self.editor.type_of(value).shape)
            self.flat[value] = self.editor.add("reshape", [value], shape=shape, origin=self.editor.producer(value).origin)
        return self.flat[value]


def _map_of(shape: Shape) -> Shape:
    return (*shape[:2], 1, shape[2]) if len(shape) == 3 else (*shape[:3], shape[3] * shape[4])


def _broadcasts(operand: TensorType, result: TensorType) -> bool:
    """Whether an operand of a flattened op has a map that broadcasts as it does."""
    if operand.rank < result.rank:
        return operand.rank == 0 or all(s == 1 for s in operand.shape) or (result.rank == 3 and operand.rank == 1)
    whole, ones = operand.shape[2:] == result.shape[2:], all(s == 1 for s in operand.shape[2:])
    return whole or ones or result.rank == 3
