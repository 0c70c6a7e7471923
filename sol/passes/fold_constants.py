"""What depends on literals alone is computed now. Values that depend on parameters stay symbolic: parameters may change."""

from __future__ import annotations

from sol.ir.dim import Dim
from sol.ir.graph import Graph, Node
from sol.ir.ops import spec_of
from sol.ir.ops.control import CONTROL
from sol.ir.rewrite import Editor

LARGEST = 1 << 16  # elements; a larger literal is cheaper to compute than to store


def fold_constants(graph: Graph) -> Graph:
    """Replace small nodes over constants by constants."""
    editor = Editor(graph)
    for node in graph.nodes:
        node = editor.producer(node.name)
        if node is None or not _foldable(editor, node):
            continue
        arrays = [editor.producer(i).attrs["value"].value for i in node.inputs]
        try:
            result = spec_of(node.op).reference(node.attrs, *arrays)
        except (ArithmeticError, IndexError, ValueError):  # an index out of range: the kernel says what comes of it, if it runs at all
            continue
        results = result if isinstance(result, tuple) else (result,)
        for value, array, type in zip(node.outputs, results, node.types):
            editor.replace(value, editor.constant(array.astype(type.dtype.numpy), type.dtype))
    return editor.finish()


def _foldable(g: Editor, node: Node) -> bool:
    if node.op in ("input", "parameter", "constant", "torch_call", "random", "region", "custom", *CONTROL) or not node.types:
        return False
    if any(not t.is_static or t.size > LARGEST for t in node.types) or any(_symbolic(a) for a in node.attrs.values()):
        return False
    return all(g.producer(i, op="constant") for i in node.inputs)


def _symbolic(attribute: object) -> bool:
    if isinstance(attribute, tuple):
        return any(_symbolic(a) for a in attribute)
    return isinstance(attribute, Dim)
