"""Concatenation without copies: who owns the memory, which operands are written in place, and copies for the rest.

A concat result owns a buffer and its operands are slices of it, written there by their producers. A concat whose operands already lie
in order in another's buffer (the growing prefixes of a DenseNet) is itself a slice. An operand that cannot be placed gets a copy.
Interleaved maps that convolutions give in blocks are written in place, too, each pixel among those of the others; the region of the
interleaving writes what is left. What a scatter alone changes is made where its result lies.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from sol.ir.data_sizes import definers
from sol.ir.dim import DimLike
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.ops.control import CONTROL
from sol.ir.rewrite import Editor
from sol.passes.regions import single_region
from sol.passes.views import broken_views, own_strides, root_of


@dataclass(frozen=True)
class Slot:
    """A value lies in the buffer of ``owner``, starting at index ``start`` of dimension ``dim``.

    steps, place: it is the pixels of the owner's map at that place modulo these along spatial dimensions instead, if there are any.
    """

    owner: str
    dim: int
    start: DimLike
    steps: tuple[int, ...] = ()
    place: tuple[int, ...] = ()


def concat_slots(graph: Graph) -> dict[str, Slot]:
    """Values that are slices of a concat result's buffer. Operands that are missing need a copy."""
    return _Slots(graph).found


class _Slots:
    """Claims slots from the last concat to the first, so that a concat of concats is placed whole."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.fixed = {root_of(graph, o) for o in graph.outputs}  # these own their buffers
        self.found: dict[str, Slot] = {}
        self.slices: set[str] = set()  # concat results that need no write: their operands lie in order in another's buffer
        self.definers = definers(graph.nodes)
        self.order = {n.name: i for i, n in enumerate(graph.nodes)} if self.definers else {}
        for node in reversed(graph.nodes):
            if node.op == "concat" and node.name not in graph.constant_values:
                self.place(node)
            elif node.op == "region" and _is_interleaving(node):
                self.interleave(node)
            elif node.op == "region" and (data := _scattered_over(node)):
                self.scatter(node, data)

    def place(self, concat: Node) -> None:
        starts = _starts(self.graph, concat)
        whole = self.as_slice(concat, starts)
        if whole is not None:
            self.found[concat.name] = whole
            self.slices.add(concat.name)
            return
        for value, start in zip(concat.inputs, starts):
            if self.is_placeable(value, concat):
                self.found[value] = Slot(concat.name, concat.attrs["dim"], start)

    def interleave(self, region: Node) -> None:
        """Place the maps that convolutions give: all products store their pixels any whole number of vectors apart."""
        body: Graph = region.attrs["body"]
        node = body.producer(body.outputs[0])
        outside = dict(zip(body.inputs, region.inputs))
        for place, name in zip(itertools.product(*map(range, node.attrs["steps"])), node.inputs):
            value = outside[name]
            producer, alone = self.graph.producer(value), len(self.graph.users(value)) == 1 and node.inputs.count(name) == 1
            by_product = producer.op == "region" and producer.attrs["anchor"] == "conv" and len(producer.outputs) == 1
            if alone and by_product and self.graph.type_of(value).layout.block and value not in self.fixed:
                self.found[value] = Slot(region.name, -1, 0, node.attrs["steps"], place)

    def scatter(self, region: Node, data: str) -> None:
        """Let what is scattered over be made in the memory of the result, if a kernel makes it for nothing else."""
        graph, type = self.graph, self.graph.type_of(data)
        alone = len(graph.users(data)) == 1 and region.inputs.count(data) == 1 and data not in self.fixed
        made = graph.producer(data).op == "region" and data not in graph.constant_values
        free = data not in self.found and not any(s.owner == data for s in self.found.values())
        if alone and made and free and type.is_static and type.rank and not type.layout.block and type == region.type:
            self.found[data] = Slot(region.name, 0, 0)

    def as_slice(self, concat: Node, starts: list[DimLike]) -> Slot | None:
        """Where a concat result already lies: all operands in one buffer, in order and without gaps."""
        first = self.found.get(concat.inputs[0])
        if any(u.op in CONTROL for u in self.graph.users(concat.name)):
            return None
        if first is None or concat.name in self.fixed or concat.name in self.found or first.dim != concat.attrs["dim"]:
            return None
        for value, start in zip(concat.inputs, starts):
            slot = self.found.get(value)
            if slot is None or slot.owner != first.owner or slot.start != first.start + start:
                return None
        return first if self.views_survive(concat.name, first) else None

    def is_placeable(self, value: str, concat: Node) -> bool:
        producer = self.graph.producer(value)
        if any(self.order[producer.name] < self.order[d] for d in self.definers.get(concat.name, ())):
            return False  # where it would lie is known only when data has decided all sizes
        if value in self.found or value in self.fixed or concat.inputs.count(value) != 1 or value in self.graph.constant_values:
            return False
        if producer.op == "concat" and producer.attrs["dim"] != concat.attrs["dim"]:
            return False
        if any(u.op in CONTROL for u in self.graph.users(value)):
            return False  # bodies read row-major operands
        if self.graph.type_of(value).layout != concat.type.layout or any(s.owner == value for s in self.found.values()):
            return False
        return producer.op in ("region", "concat") and self.views_survive(value, Slot(concat.name, concat.attrs["dim"], 0))

    def views_survive(self, value: str, slot: Slot) -> bool:
        """Whether the views of a value need no copy although its rows lie as far apart as the owner's."""
        owner = self.graph.type_of(slot.owner)
        return not any(broken_views(self.graph, value, own_strides(owner)))


def _is_interleaving(region: Node) -> bool:
    """Whether all that a region does is to interleave maps."""
    body: Graph = region.attrs["body"]
    return [n.op for n in body.nodes if n.op != "input"] == ["interleave"]


def _scattered_over(region: Node) -> str | None:
    """The operand over which a region scatters, if that is all that it does, and if it reads the operand for nothing else."""
    body: Graph = region.attrs["body"]
    computed = [n for n in body.nodes if n.op != "input"]
    if [n.op for n in computed] != ["scatter"]:
        return None
    data, *others = computed[0].inputs
    return dict(zip(body.inputs, region.inputs)).get(data) if data not in others else None


def _starts(graph: Graph, node: Node) -> list[DimLike]:
    starts: list[DimLike] = [0]
    for value in node.inputs:
        starts.append(starts[-1] + graph.type_of(value).shape[node.attrs["dim"]])
    return starts[:-1]


def place_concats(graph: Graph) -> Graph:
    """Insert a copy region for every concat operand that its producer cannot write in place."""
    slots = _Slots(graph)
    editor = Editor(graph)
    for node in graph.nodes:
        if node.op != "concat" or node.name in graph.constant_values or node.name in slots.slices:
            continue
        inputs = []
        for value, start in zip(node.inputs, _starts(graph, node)):
            in_place = slots.found.get(value) == Slot(node.name, node.attrs["dim"], start)
            inputs.append(value if in_place else _copied(editor, graph, value, node))
        if tuple(inputs) != node.inputs:
            editor.update(node, inputs=tuple(inputs))
    return editor.finish()


def _copied(editor: Editor, graph: Graph, value: str, concat: Node) -> str:
    type, layout = graph.type_of(value), concat.type.layout
    op, attrs = ("copy", Attrs()) if type.layout == layout else ("reorder", Attrs({"layout": layout}))
    copy = Node(editor.fresh_name(op), op, (value,), (replace(type, layout=layout),), attrs, concat.origin)
    return editor.insert(single_region(graph, copy, editor.fresh_name("concat_copy")))
