"""Takes values from the memory of callers to the memory that a target's kernels address, and results back: transfers at the edges."""

from __future__ import annotations

from sol.errors import UnsupportedError
from sol.ir.data_sizes import symbol_of
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.ops.control import CONTROL
from sol.ir.rewrite import Editor
from sol.ir.types import HOST
from sol.passes.regions import single_region


def assign_spaces(graph: Graph, space: str) -> Graph:
    """A fused graph whose regions work in the memory space ``space``. The graph itself if that is the host's, where inputs and outputs lie.

    Raises UnsupportedError for control flow and for sizes that data decides: the host would have to read values that lie elsewhere.
    """
    if space == HOST:
        return graph
    deciding = [n for n in graph.nodes if n.name not in graph.constant_values and (n.op in CONTROL or symbol_of(n) is not None)]
    if deciding:
        found = deciding[0]
        raise UnsupportedError(
            f"%{found.name} decides in {space} memory what runs next or how large a value is",
            origin=str(found.origin),
            remedy="choose a target whose kernels work in the host's memory",
        )
    editor = Editor(graph)
    for value in graph.inputs:
        users = list(editor.users(value))
        moved = _transferred(editor, graph, value, space) if users else value
        for node in users:
            editor.update(node, inputs=tuple(moved if v == value else v for v in node.inputs))
    editor.set_outputs([_transferred(editor, graph, v, HOST) for v in editor.outputs])
    return editor.finish()


def transferred_to(region: Node) -> str | None:
    """The memory space to which a region takes its operand; None for one that computes."""
    inner = [n for n in region.attrs["body"].nodes if n.op not in ("input", "constant")]
    return inner[0].attrs["space"] if len(inner) == 1 and inner[0].op == "transfer" else None


def _transferred(editor: Editor, graph: Graph, value: str, space: str) -> str:
    name, type, origin = editor.fresh_name("transfer"), graph.type_of(value), graph.producer(value).origin
    node = Node(name, "transfer", (value,), (type,), Attrs({"space": space}), origin)
    return editor.insert(single_region(graph, node, editor.fresh_name(f"to_{space}")))
