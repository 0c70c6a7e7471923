"""Makes explicit the copies that remain: a view that strides cannot express, and an output that is not a result of its own."""

from __future__ import annotations

from sol.ir.dim import DimLike
from sol.ir.graph import Graph, Node
from sol.ir.ops import spec_of
from sol.ir.rewrite import Editor
from sol.ir.strides import contiguous_strides, view_strides
from sol.ir.types import TensorType

Strides = tuple[DimLike, ...]


def is_view(graph: Graph | Editor, node: Node) -> bool:
    """Whether a node moves no data: a view op, or a reorder of a map of one pixel, whose bytes are the same in both layouts."""
    if node.op == "reorder":
        return is_free_reorder(graph.type_of(node.inputs[0]), node.type)
    return spec_of(node.op).kind == "view"


def is_free_reorder(source: TensorType, result: TensorType) -> bool:
    """Blocked to plain (or plain to blocked with whole blocks) of ``[N, C, 1, 1]`` changes no byte."""
    if any(s != 1 for s in source.shape[2:]):
        return False
    block = source.layout.block or result.layout.block
    return bool(source.layout.block) or source.shape[1] % block == 0


def plain_strides(source: TensorType) -> Strides:
    """Strides of a value in a buffer of its own; for a blocked map of one pixel, as seen after the free reorder."""
    block = source.layout.block
    if not block:
        return contiguous_strides(source.shape)
    padded = (source.shape[1] + block - 1) // block * block
    return (padded, 1, *(1 for _ in source.shape[2:]))


def value_strides(graph: Graph) -> dict[str, Strides | None]:
    """Strides of every value that is a plain view at run time; None where strides cannot express it or it is blocked."""
    strides: dict[str, Strides | None] = {}
    constants = graph.constant_values
    for node in graph.nodes:
        if node.name not in constants and node.op != "input" and is_view(graph, node):
            strides[node.name] = _view_of(node, graph, strides)
    return strides


def _view_of(node: Node, graph: Graph | Editor, strides: dict[str, Strides | None]) -> Strides | None:
    source = graph.type_of(node.inputs[0])
    if node.type.layout.block:
        return None
    if node.op == "reorder":
        return plain_strides(source)
    after = view_strides(node.op, node.attrs, source.shape, strides.get(node.inputs[0]) or contiguous_strides(source.shape), 0)
    return after[0] if after else None


def materialize_views(graph: Graph) -> Graph:
    """Insert ``copy`` before views that strides cannot express and before outputs that alias inputs, constants or other values."""
    editor = Editor(graph)
    constants = graph.constant_values
    strides: dict[str, Strides | None] = {}
    for original in graph.nodes:
        node = editor.producer(original.name)
        if node.name in constants or node.op == "input" or not is_view(editor, node):
            continue
        strides[node.name] = _view_of(node, editor, strides)
        if strides[node.name] is None and not node.type.layout.block:
            node = editor.update(node, inputs=(editor.add("copy", node.inputs, origin=node.origin),))
            strides[node.name] = _view_of(node, editor, strides)
    editor.set_outputs(_own_outputs(editor, constants))
    return editor.finish()


def _own_outputs(editor: Editor, constants: frozenset[str]) -> list[str]:
    seen: set[str] = set()
    outputs = []
    for value in editor.outputs:
        producer = editor.producer(value)
        aliases = value in constants or producer.op == "input" or is_view(editor, producer) or value in seen
        if aliases:
            value = editor.add("copy", [value], origin=producer.origin)
        seen.add(value)
        outputs.append(value)
    return outputs
