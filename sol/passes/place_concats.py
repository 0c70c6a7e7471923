"""Concatenation without copies: who owns the memory, which operands are written in place, and copies for the rest.

A concat result owns a buffer and its operands are slices of it, written there by their producers. A concat whose operands already lie
in order in another's buffer (the growing prefixes of a DenseNet) is itself a slice. An operand that cannot be placed gets a copy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sol.ir.dim import DimLike
from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor
from sol.passes.fuse_regions import single_region


@dataclass(frozen=True)
class Slot:
    """A value lies in the buffer of ``owner``, starting at index ``start`` of dimension ``dim``."""

    owner: str
    dim: int
    start: DimLike


def concat_slots(graph: Graph) -> dict[str, Slot]:
    """Values that are slices of a concat result's buffer. Operands that are missing need a copy."""
    slots: dict[str, Slot] = {}
    outputs = set(graph.outputs)
    for node in reversed(graph.nodes):
        if node.op != "concat" or node.name in graph.constant_values:
            continue
        starts = _starts(graph, node)
        prefix = _as_slice(graph, node, starts, slots, outputs)
        if prefix is not None:
            slots[node.name] = prefix
            continue
        for value, start in zip(node.inputs, starts):
            if _placeable(graph, value, node, slots, outputs):
                slots[value] = Slot(node.name, node.attrs["dim"], start)
    return slots


def _starts(graph: Graph, node: Node) -> list[DimLike]:
    starts: list[DimLike] = [0]
    for value in node.inputs:
        starts.append(starts[-1] + graph.type_of(value).shape[node.attrs["dim"]])
    return starts[:-1]


def _as_slice(graph: Graph, node: Node, starts: list[DimLike], slots: dict[str, Slot], outputs: set[str]) -> Slot | None:
    """Where a concat result already lies: all operands in one buffer, in order and without gaps."""
    first = slots.get(node.inputs[0])
    if first is None or node.name in outputs or first.dim != node.attrs["dim"]:
        return None
    for value, start in zip(node.inputs, starts):
        slot = slots.get(value)
        if slot is None or slot.owner != first.owner or slot.start != first.start + start:
            return None
    return first


def _placeable(graph: Graph, value: str, concat: Node, slots: dict[str, Slot], outputs: set[str]) -> bool:
    producer = graph.producer(value)
    if value in slots or value in outputs or concat.inputs.count(value) != 1 or producer.op not in ("region", "concat"):
        return False
    return producer.op == "region" or producer.attrs["dim"] == concat.attrs["dim"] and value not in {s.owner for s in slots.values()}


def place_concats(graph: Graph) -> Graph:
    """Insert a copy region for every concat operand that its producer cannot write in place."""
    slots = concat_slots(graph)
    editor = Editor(graph)
    for node in graph.nodes:
        if node.op != "concat" or node.name in graph.constant_values or node.name in slots and _is_slice(node, slots):
            continue
        inputs = []
        for value, start in zip(node.inputs, _starts(graph, node)):
            slot = slots.get(value)
            in_place = slot is not None and slot.owner == node.name and slot.start == start and node.inputs.count(value) == 1
            inputs.append(value if in_place else _copied(editor, graph, value, node))
        if tuple(inputs) != node.inputs:
            editor.update(editor.producer(node.name) or node, inputs=tuple(inputs))
    return editor.finish()


def _is_slice(node: Node, slots: dict[str, Slot]) -> bool:
    """Whether the concat lies in another's buffer because its operands already do (not because it was claimed as an operand)."""
    own = slots[node.name]
    first = slots.get(node.inputs[0])
    return first is not None and first.owner == own.owner


def _copied(editor: Editor, graph: Graph, value: str, concat: Node) -> str:
    type = replace(graph.type_of(value), layout=concat.type.layout)
    copy = Node(editor.fresh_name("copy"), "copy", (value,), (type,), origin=concat.origin)
    region = single_region(graph, copy, editor.fresh_name("concat_copy"))
    return editor.insert(region)
