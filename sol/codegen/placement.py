"""Where every value of a fused graph lies: its buffer, strides and zero borders."""

from __future__ import annotations

from dataclasses import replace

from sol.codegen.plan import View, interleaved
from sol.codegen.written_inputs import written_inputs
from sol.errors import SolError
from sol.ir.dim import DimLike, product
from sol.ir.graph import Graph, Node
from sol.ir.lanes import NARROW_FLOATS
from sol.ir.ops import spec_of
from sol.ir.rewrite import Editor
from sol.ir.strides import contiguous_strides, view_strides
from sol.ir.types import HOST, DType, TensorType
from sol.passes.assign_spaces import transferred_to
from sol.passes.fused_types import is_widening
from sol.passes.place_concats import Slot, concat_slots
from sol.passes.views import is_view, own_strides, storage_orders

Border = tuple[tuple[int, int], ...]


def with_borders(graph: Graph) -> Graph:
    """A fused graph whose blocked results include the zeros that its own convolutions read around them."""
    kept = [n for n in graph.nodes if n.op == "to_blocks" and graph.is_output(n.name)]
    borders = GraphPlacement(graph).borders if kept else {}
    editor = Editor(graph)
    for node in kept:
        if node.inputs[0] in borders:
            attrs = node.attrs.having(border=borders[node.inputs[0]])
            type = spec_of(node.op).infer([graph.type_of(node.inputs[0])], attrs)
            assert isinstance(type, TensorType)
            editor.update(node, attrs=attrs, types=(type,))
    return editor.finish() if kept else graph


class GraphPlacement:
    """Views of all values. A value shares the buffer of its root: the concat result it is a slice of, what it is a view of, or the input
    whose memory it takes.

    by_rows: which buffers threads write by rows, by root (lowering.py). space: memory space of what kernels write, transfers excepted.
    """

    def __init__(self, graph: Graph, space: str = HOST) -> None:
        self.graph, self.home = graph, space
        self.constants = graph.constant_values
        self.slots: dict[str, Slot] = concat_slots(graph)
        self.orders = storage_orders(graph)
        self.written = {v: i for v, i in written_inputs(graph).items() if v not in self.slots}
        self._views: dict[str, View] = {}
        self._roots: dict[str, str] = {}
        self.borders: dict[str, Border] = {}
        self.fills: dict[str, int] = {}  # bytes that borders consist of, where they are not 0
        self.by_rows: dict[str, bool] = {}
        for node in graph.nodes:
            self._require_border(node)
        for node in graph.nodes:
            self._even_border(node)
        for node in graph.nodes:
            self._check_concat(node)

    def is_constant(self, value: str) -> bool:
        return value in self.constants

    def widest(self, value: str) -> str | None:
        """The constant of float32 that a constant value is, or is the rounding of; None if there is none."""
        node = self.graph.producer(value)
        rounded = node.op == "cast" and node.type.dtype in NARROW_FLOATS
        found = node.inputs[0] if rounded else value
        return found if found in self.constants and self.graph.type_of(found).dtype is DType.F32 else None

    def filler(self, value: str) -> str | None:
        """The constant of one element that a constant value of known size is an expansion of; None if it is none."""
        node = self.graph.producer(value)
        if node.op != "expand" or value not in self.constants or not node.type.is_static or node.type.layout.block:
            return None
        return node.inputs[0] if product(self.graph.type_of(node.inputs[0]).shape) == 1 else None

    def root(self, value: str) -> str:
        """The value that owns the buffer."""
        if value not in self._roots:
            if value in self.slots:
                root = self.root(self.slots[value].owner)
            elif is_view(self.graph, self.graph.producer(value)):
                root = self.root(self.graph.producer(value).inputs[0])
            else:
                root = self.written.get(value, value)
            self._roots[value] = root
        return self._roots[value]

    def size(self, root: str) -> DimLike:
        """Bytes of a root's buffer, borders included."""
        view = self.view(root)
        border = view.border or ((0, 0),) * max(len(view.shape) - 3, 0)
        if not view.layout.block:
            return product(view.shape) * view.dtype.itemsize
        spatial = [s + a + b for s, (a, b) in zip(view.shape[2:-1], border)]
        return product((*view.shape[:2], *spatial, view.shape[-1])) * view.dtype.itemsize

    def map(self, root: str) -> tuple[tuple[DimLike, ...], int, Border]:
        """Pixels along each dimension of a map of a root's blocked buffer, borders included, bytes of a pixel, and those borders."""
        view = self.view(root)
        if not view.layout.block:
            return (), 0, ()
        border = view.border or ((0, 0),) * (len(view.shape) - 3)
        shape = tuple(s + a + b for s, (a, b) in zip(view.shape[2:-1], border))
        return shape, view.layout.block * view.dtype.itemsize, border

    def view(self, value: str) -> View:
        """Where a value lies."""
        if value not in self._views:
            if value in self.slots:
                view = self._slot(self.slots[value], value)
            elif is_view(self.graph, self.graph.producer(value)):
                view = self._derived(self.graph.producer(value))
            else:
                view = self._own(value)
            self._views[value] = view
        return self._views[value]

    def _space(self, value: str) -> str:
        """The memory space of a value that owns its buffer: that of the kernels that write it; callers give inputs in the host's."""
        if value in self.graph.inputs:
            return HOST
        producer = self.graph.producer(value)
        return self.home if producer.op != "region" else transferred_to(producer) or self.home

    def _own(self, value: str) -> View:
        type = self.graph.type_of(value)
        block, space = type.layout.block, self._space(value)
        if not block:
            return View(self.root(value), type.dtype, type.shape, own_strides(type, self.orders.get(value)), space=space)
        border = self.borders.get(value, ((0, 0),) * (type.rank - 2))
        groups = (type.shape[1] + block - 1) // block
        padded = tuple(s + a + b for s, (a, b) in zip(type.shape[2:], border))
        strides = contiguous_strides((type.shape[0], groups, *padded, block))
        offset = sum(a * s for (a, _), s in zip(border, strides[2:-1]))
        shape = (type.shape[0], groups, *type.shape[2:], block)
        return View(value, type.dtype, shape, strides, offset, type.layout, type.shape[1], border, space=space)

    def _slot(self, slot: Slot, value: str) -> View:
        whole = self.view(slot.owner)
        if not slot.steps:
            return self._slice(whole, value, slot.dim, slot.start)
        return interleaved(whole, slot.steps, slot.place, self.graph.type_of(value).shape[2:])

    def _slice(self, base: View, value: str, dim: int, start: DimLike) -> View:
        type = self.graph.type_of(value)
        block = type.layout.block
        if not block:
            return replace(base, shape=type.shape, offset=base.offset + start * base.strides[dim])
        groups = (type.shape[1] + block - 1) // block
        shape = (base.shape[0], groups, *type.shape[2:], block)
        return replace(base, shape=shape, offset=base.offset + start // block * base.strides[1], channels=type.shape[1])

    def _derived(self, node: Node) -> View:
        base = self.view(node.inputs[0])
        type = node.type
        if type.layout.block and node.op == "slice":
            return self._slice(base, node.name, 1, node.attrs["start"])
        if node.op == "reorder":
            return self._free_reorder(base, node)
        if node.op == "to_blocks":
            return self._shown(base, node)
        if node.op == "from_blocks":
            return self._taken(base, node)
        found = view_strides(node.op, node.attrs, base.shape, base.strides, base.offset)
        if found is None:
            raise SolError(f"%{node.name} is no view of %{node.inputs[0]}", origin=str(node.origin))
        return replace(base, shape=type.shape, strides=found[0], offset=found[1])

    def _free_reorder(self, base: View, node: Node) -> View:
        type = node.type
        if base.layout.block:
            if base.strides[1] != base.shape[-1] and base.shape[1] != 1:
                raise SolError(f"%{node.name}: a bordered map of one pixel cannot be read as plain", origin=str(node.origin))
            strides = (base.strides[0], *(1 for _ in type.shape[1:]))
            return View(base.buffer, type.dtype, type.shape, strides, base.offset, space=base.space)
        block = type.layout.block
        groups = type.shape[1] // block
        spatial = tuple(block for _ in type.shape[2:])
        shape = (type.shape[0], groups, *type.shape[2:], block)
        return View(base.buffer, type.dtype, shape, (base.strides[0], block, *spatial, 1), base.offset, type.layout, type.shape[1],
                    ((0, 0),) * (type.rank - 2), space=base.space)  # fmt: skip

    @staticmethod
    def _shown(base: View, node: Node) -> View:
        """Blocks as a row-major tensor of rank 5, with as much of their border as the node says."""
        offset = base.offset - sum(a * s for (a, _), s in zip(node.attrs["border"], base.strides[2:4]))
        return View(base.buffer, base.dtype, node.type.shape, base.strides, offset, space=base.space)

    @staticmethod
    def _taken(base: View, node: Node) -> View:
        """Such a tensor as blocks."""
        border, type = node.attrs["border"], node.type
        offset = base.offset + sum(a * s for (a, _), s in zip(border, base.strides[2:4]))
        shape = (*base.shape[:2], *type.shape[2:], base.shape[4])
        return View(base.buffer, base.dtype, shape, base.strides, offset, type.layout, type.shape[1], border, space=base.space)

    def _even_border(self, node: Node) -> None:
        """Blocks that leave the program have borders of equal width on both sides, so that sizes tell how wide they are."""
        if node.op == "to_blocks" and self.graph.is_output(node.name):
            root = self.root(node.name)
            if root in self.borders:
                self.borders[root] = tuple((max(pair),) * 2 for pair in self.borders[root])

    def _check_concat(self, node: Node) -> None:
        """Every operand of a concat lies where the result expects it."""
        if node.op != "concat" or node.name in self.constants:
            return
        whole, start = self.view(node.name), 0
        for value in node.inputs:
            if self.view(value) != self._slice(whole, value, node.attrs["dim"], start):
                raise SolError(f"operand %{value} of %{node.name} is not in its place", origin=str(node.origin))
            start = start + self.graph.type_of(value).shape[node.attrs["dim"]]

    def _require_border(self, node: Node) -> None:
        """A blocked convolution reads its padding from memory around its input: zeros, or the zero point of bytes."""
        if node.op != "region" or node.attrs["anchor"] not in ("conv", "conv_chain", "int_conv"):
            return
        body: Graph = node.attrs["body"]
        conv = next(n for n in body.nodes if n.op in ("conv", "int_conv"))
        source = conv.inputs[0]
        if is_widening(body, body.producer(source)):  # in registers
            source = body.producer(source).inputs[0]
        if not body.type_of(source).layout.block or source not in body.inputs:
            return  # what the kernel makes itself has no border
        data = dict(zip(body.inputs, node.inputs))[source]
        root = self.root(data)
        before = self.borders.get(root, ((0, 0),) * len(conv.attrs["padding"]))
        self.borders[root] = tuple((max(a, c), max(b, d)) for (a, b), (c, d) in zip(before, conv.attrs["padding"]))
        if conv.op == "int_conv" and any(p != (0, 0) for p in conv.attrs["padding"]):
            fill = int(body.producer(conv.inputs[2]).attrs["value"].value)
            if self.fills.setdefault(root, fill) != fill:
                raise SolError(f"%{data} is padded with {self.fills[root]} and with {fill}", origin=str(node.origin))
