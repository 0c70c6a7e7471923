"""Convolutions over volumes as two-dimensional ones over their slices, which have blocked kernels and algorithms that multiply less.

A volume [N, C, D, H, W] becomes a batch of maps [N D, C, H, W], and the slices that a filter reads along its depth become channels (op
``stack_slices``): filters [K, C, T, R, S] are filters [K, T C, R, S] then. The copies are small beside the products. What follows in
between (pointwise ops, poolings, concatenations of channels, reductions over the whole volume) works on maps as well, so that slices are
taken apart and put together only at the ends.
"""

from __future__ import annotations

from dataclasses import replace

from sol.ir.dim import DimLike
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.lanes import FLOAT_LANES
from sol.ir.ops.move import DEPTH_FIRST, MOST_STACKED
from sol.ir.types import TensorType
from sol.passes.assign_layout import is_blockable
from sol.passes.flatten_convolutions import Flattening
from sol.passes.sizes import GraphSizes

VOLUME = (2, 3, 4)
REDUCTIONS = ("sum", "mean", "max", "min", "prod")
"""Those that may reduce maps first, and then what they gave for the slices."""


def flatten_volumes(graph: Graph, lanes: int, sizes: GraphSizes) -> Graph:
    """Every convolution of rank 5 and known sizes that a kernel on blocks of ``lanes`` channels can compute, and what follows it."""
    if not any(n.op == "conv" and n.type.rank == 5 for n in graph.nodes):
        return graph
    return _VolumeFlattening(graph, lanes, sizes).run()


class _VolumeFlattening(Flattening):
    """One walk over the graph. flat: the maps that hold the same elements as a value, where they were computed."""

    held = FLOAT_LANES

    def volume(self, made: str, shape: tuple[DimLike, ...], node: Node) -> str:
        n, c, d, h, w = shape
        slices = self.editor.add("reshape", [made], shape=(n, d, c, h, w), origin=node.origin)
        return self.editor.add("permute", [slices], order=DEPTH_FIRST, origin=node.origin)

    def flat_form(self, value: str) -> str:
        if value not in self.flat:
            (n, c, d, h, w), origin = self.editor.type_of(value).shape, self.editor.producer(value).origin
            slices = self.editor.add("permute", [value], order=DEPTH_FIRST, origin=origin)
            self.flat[value] = self.editor.add("reshape", [slices], shape=(n * d, c, h, w), origin=origin)
        return self.flat[value]

    # -- convolutions --------------------------------------------------------------------------------------------------

    def conv(self, node: Node) -> str | None:
        """conv(x, w) -> conv(the slices of x that a tap of w reads, w with these as channels)"""
        x, w = (self.editor.type_of(v) for v in node.inputs[:2])
        if x.rank != 5 or any(i not in self.constants for i in node.inputs[1:]) or not (x.is_static and w.is_static):
            return None
        first, taps = _taps_within(node, x, w)
        attrs = node.attrs.having(**{k: node.attrs[k][1:] for k in ("stride", "dilation", "padding")})
        kernels, channels, _, *filter = w.shape
        read = TensorType(x.dtype, (x.shape[0], taps * x.shape[1], *x.shape[3:]))
        by = TensorType(w.dtype, (kernels, taps * channels, *filter))
        if not self.pays(node, read, by, attrs):
            return None
        dilation = node.attrs["dilation"][0]
        maps = self.stack(self.flat_form(node.inputs[0]), node, taps, first * dilation - node.attrs["padding"][0][0], dilation)
        weight = self.editor.add("slice", [node.inputs[1]], dim=2, start=first, stop=first + taps, origin=node.origin)
        weight = self.editor.add("permute", [weight], order=DEPTH_FIRST, origin=node.origin)
        weight = self.editor.add("reshape", [weight], shape=by.shape, origin=node.origin)
        return str(self.editor.add("conv", [maps, weight, *node.inputs[2:]], origin=node.origin, **attrs))

    def pays(self, node: Node, x: TensorType, w: TensorType, attrs: Attrs) -> bool:
        """Whether there is a kernel, and it gains more than copies cost."""
        if x.shape[1] != self.editor.type_of(node.inputs[0]).shape[1]:  # several taps
            if attrs["groups"] != 1 or x.size * node.type.shape[2] > MOST_STACKED:
                return False
        if not is_blockable(replace(node, attrs=attrs), x, w, self.lanes):
            return False
        if node.inputs[0] in self.flat:
            return True
        if w.shape[2:] == (1, 1) or attrs["groups"] != 1 or w.shape[0] < self.lanes:
            return False
        work = w.size // w.shape[1]
        for step in attrs["stride"]:
            work //= step
        return bool(work >= self.sizes.reordered_from)

    def stack(self, maps: str, node: Node, taps: int, start: int, dilation: int = 1, clamped: bool = False) -> str:
        """What so many taps read along the depth, the first one ``start`` slices from where a result's window begins without padding."""
        depth, size, stride = self.editor.type_of(node.inputs[0]).shape[2], node.type.shape[2], node.attrs["stride"][0]
        if (taps, start, stride, size) == (1, 0, 1, depth):
            return maps
        return self.editor.add(
            "stack_slices", [maps], origin=node.origin,
            depth=depth, size=size, taps=taps, stride=stride, dilation=dilation, start=start, clamped=clamped,
        )  # fmt: skip

    # -- what follows --------------------------------------------------------------------------------------------------

    def pointwise(self, node: Node) -> str | None:
        types = [self.editor.type_of(i) for i in node.inputs]
        if node.type.rank != 5 or any(t.dtype not in self.held or not _broadcasts(t, node.type) for t in types):
            return None
        operands = []
        for value, type in zip(node.inputs, types):
            if type.shape == node.type.shape:
                operands.append(self.flat_form(value))
            elif type.rank > 3:
                operands.append(self.editor.add("reshape", [value], shape=(1, type.shape[-4], 1, 1), origin=node.origin))
            else:
                operands.append(value)
        return str(self.editor.add(node.op, operands, origin=node.origin, **node.attrs))

    def pool(self, node: Node) -> str | None:
        """First over maps, and then, of largest elements, over slices: every window has one, which stands for padding beside it."""
        taps, stride, (before, after) = (node.attrs[k][0] for k in ("kernel", "stride", "padding"))
        depth, size = self.editor.type_of(node.inputs[0]).shape[2], node.type.shape[2]
        assert isinstance(depth, int) and isinstance(size, int)
        alone = (taps, stride, before, after) == (1, 1, 0, 0)
        largest = node.op == "max_pool" and node.attrs["dilation"][0] == 1 and before < taps and (size - 1) * stride - before < depth
        if len(node.attrs["kernel"]) != 3 or not (alone or largest):
            return None
        attrs = {k: node.attrs[k][1:] for k in ("kernel", "stride", "padding", "dilation") if k in node.attrs}
        made = self.editor.add(node.op, [self.flat[node.inputs[0]]], origin=node.origin, **node.attrs.having(**attrs))
        made = self.stack(made, node, taps, -before, clamped=True)
        if taps > 1:
            step = self.editor.type_of(made).shape[1] // taps
            parts = [self.editor.add("slice", [made], dim=1, start=t * step, stop=(t + 1) * step, origin=node.origin) for t in range(taps)]
            made = parts[0]
            for part in parts[1:]:
                made = self.editor.add("maximum", [made, part], origin=node.origin)
        return str(made)

    def reduction(self, node: Node) -> str | None:
        """Over the whole volume; its readers see the result in the shape they know."""
        if node.op not in REDUCTIONS or node.attrs["dims"] != VOLUME:
            return None
        n, c, d, *_ = self.editor.type_of(node.inputs[0]).shape
        made = self.editor.add(node.op, [self.flat[node.inputs[0]]], origin=node.origin, **node.attrs.having(dims=(2, 3), keepdims=True))
        made = self.editor.add("reshape", [made], shape=(n, d, c), origin=node.origin)
        made = self.editor.add(node.op, [made], origin=node.origin, **node.attrs.having(dims=(1,), keepdims=False))
        if node.attrs["keepdims"]:
            made = self.editor.add("reshape", [made], shape=node.type.shape, origin=node.origin)
        self.editor.replace(node.name, made)
        return None


def _taps_within(node: Node, x: TensorType, w: TensorType) -> tuple[int, int]:
    """The first tap along the depth that reads a slice for any result, and how many from it to the last such tap."""
    stride, dilation, (before, _) = (node.attrs[k][0] for k in ("stride", "dilation", "padding"))
    depth, size, taps = x.shape[2], node.type.shape[2], w.shape[2]
    assert isinstance(depth, int) and isinstance(size, int) and isinstance(taps, int)
    starts = range(-before, (size - 1) * stride - before + 1, stride)
    reading = [t for t in range(taps) if any(0 <= z + t * dilation < depth for z in starts)]
    return (reading[0], reading[-1] - reading[0] + 1) if reading else (0, 1)


def _broadcasts(operand: TensorType, result: TensorType) -> bool:
    """Whether an operand of an op on volumes is one on maps as well: a volume, a number, or a number for each channel."""
    if operand.shape == result.shape or all(s == 1 for s in operand.shape):
        return True
    return operand.rank > 3 and all(s == 1 for s in (*operand.shape[:-4], *operand.shape[-3:]))
