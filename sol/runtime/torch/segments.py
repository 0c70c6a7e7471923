"""Cuts a graph of which parts run in torch: compiled segments and torch calls take turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sol.ir.builder import graph_of
from sol.ir.data_sizes import definers
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.ops import spec_of


@dataclass(frozen=True)
class Segment:
    """A part of the graph between torch calls, or one torch call (``graph`` is None)."""

    graph: Graph | None
    node: Node | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def split_segments(graph: Graph) -> tuple[Segment, ...]:
    """Cut a graph at its torch calls so that compiled parts are as few and as large as possible."""
    if not graph.outputs:
        return ()
    if not any(n.op == "torch_call" for n in graph.nodes) and all(_is_computed(graph, o) for o in graph.outputs):
        return (Segment(graph, None, graph.inputs, graph.outputs),)
    free = _free_views(graph)
    level = _merged(graph, _levels(graph, free))
    segments: list[Segment] = []
    for depth in range(max(level.values(), default=0) + 1):
        part = [n for n in graph.nodes if level.get(n.name) == depth and n.op != "torch_call"]
        if part:
            segments.append(_compiled_part(graph, part, free))
        for node in graph.nodes:
            if node.op == "torch_call" and level[node.name] == depth:
                segments.append(Segment(None, node, node.inputs, node.outputs))
    return tuple(s for s in segments if s.outputs)


def _is_computed(graph: Graph, value: str) -> bool:
    """Whether a value must be computed at each call: it is no input and depends on one."""
    node = graph.producer(value)
    return node.op not in ("input", "parameter", "constant") and node.name not in graph.constant_values


def _free_views(graph: Graph) -> frozenset[str]:
    """Views of inputs that compiled parts alone read. Each part takes its own, because what is handed from part to part is copied."""
    free: set[str] = set()
    for node in graph.nodes:
        if spec_of(node.op).kind != "view" or len(node.inputs) != 1 or any(map(graph.is_output, node.outputs)):
            continue
        base = graph.producer(node.inputs[0])
        if (base.op == "input" or base.name in free) and all(u.op != "torch_call" for v in node.outputs for u in graph.users(v)):
            free.add(node.name)
    return frozenset(free)


def _levels(graph: Graph, free: frozenset[str]) -> dict[str, int]:
    """Number of torch calls on the longest path to a node; a torch call runs after the compiled part of its level."""
    level: dict[str, int] = {}
    definer = definers(graph.nodes)
    last = 0  # level of the call that drew last: numbers are drawn in the order of the graph
    for node in graph.nodes:
        if node.op in ("input", "parameter", "constant") or node.name in graph.constant_values or node.name in free:
            continue
        producers = [graph.producer(i) for i in (*node.inputs, *definer.get(node.name, ()))]
        found = max([level[p.name] + (p.op == "torch_call") for p in producers if p.name in level], default=0)
        if node.op == "torch_call" and node.attrs["draws"]:
            found = last = max(found, last)
        level[node.name] = found
    return level


def _merged(graph: Graph, level: dict[str, int]) -> dict[str, int]:
    """The levels, after compiled nodes that no torch call of their level reads have moved to the next level, where they are compiled
    together with what is there. So what reads nothing computed, such as random numbers, comes first."""
    definer = definers(graph.nodes)
    for depth in range(max(level.values(), default=0)):
        calls = [n for n in graph.nodes if n.op == "torch_call" and level.get(n.name) == depth]
        part = {n.name for n in graph.nodes if n.op != "torch_call" and level.get(n.name) == depth}
        later = any(n.op != "torch_call" and level.get(n.name) == depth + 1 for n in graph.nodes)
        read = {graph.producer(i).name for n in calls for i in (*n.inputs, *definer.get(n.name, ()))}
        if later and not read & part:
            level = {**level, **dict.fromkeys(part, depth + 1)}
    return level


def _compiled_part(graph: Graph, part: list[Node], free: frozenset[str]) -> Segment:
    inside = {v for n in part for v in n.outputs}
    constants: dict[str, Node] = {}

    def need(value: str) -> None:
        node = graph.producer(value)
        if node.name not in constants and (node.name in graph.constant_values or node.op in ("parameter", "constant")):
            for operand in node.inputs:
                need(operand)
            constants[node.name] = node

    operands: dict[str, None] = {}
    views: dict[str, Node] = {}

    def take(value: str) -> None:
        producer = graph.producer(value)
        if producer.op in ("parameter", "constant") or producer.name in graph.constant_values:
            need(value)
        elif producer.name in free:
            take(producer.inputs[0])
            views[producer.name] = producer
        else:
            operands[value] = None

    for node in part:
        for value in node.inputs:
            if value not in inside:
                take(value)
    names = {n.name for n in part}
    outputs = [
        v for n in part for v in n.outputs
        if graph.is_output(v) or any(u.name not in names for u in graph.users(v))
    ]  # fmt: skip
    sources = [Node(_plain(v), "input", (), (graph.type_of(v),), _input_attrs(graph.producer(v))) for v in operands]
    renamed = {v: _plain(v) for v in operands}
    body = [_with_inputs(n, renamed) for n in (*views.values(), *part)]
    segment = graph_of((*sources, *constants.values(), *body), [_plain(v) for v in operands], outputs)
    return Segment(segment, None, tuple(operands), tuple(outputs))


def _input_attrs(node: Node) -> Attrs:
    return node.attrs if node.op == "input" else Attrs()


def _plain(value: str) -> str:
    return value.replace("#", "_out")


def _with_inputs(node: Node, renamed: Mapping[str, str]) -> Node:
    inputs = tuple(renamed.get(i, i) for i in node.inputs)
    return node if inputs == node.inputs else Node(node.name, node.op, inputs, node.types, node.attrs, node.origin)
