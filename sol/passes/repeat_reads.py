"""Computes cheap values again for each reader where that reads no more memory than reading the value would.

What the backward pass makes of one image that the forward pass kept (a mask, a distance from the mean) is such a value: stored, it would be
written once and read by each of its users, which read as much if they make it of the image. A narrow float that is widened is another one:
its readers read half as much.
"""

from __future__ import annotations

from dataclasses import replace

from sol.ir.graph import Graph, Node
from sol.ir.lanes import NARROW_FLOATS
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor
from sol.ir.types import DType
from sol.passes.views import root_of

DEEPEST = 10
"""Operations, one on another, that are made again for a reader."""
COSTLY = frozenset("exp log sigmoid tanh erf pow gelu gelu_slope silu mish softplus sin cos rsqrt sqrt div".split())


def repeat_reads(graph: Graph) -> Graph:
    """Give each reader of a value that is made of one kept image, or widens a narrow float, a copy of the operations that make it."""
    names = [*_depths(graph), *_widened(graph)]
    if not names:
        return graph
    editor = Editor(graph)
    for name in reversed(names):  # readers first: they then are several for what they are made of
        node = editor.producer(name)
        for user in editor.users(name)[1:]:
            again = editor.insert(replace(node, name=editor.fresh_name(node.name)))
            editor.update(user, inputs=tuple(again if i == name else i for i in user.inputs))
    return editor.finish()


def _widened(graph: Graph) -> list[str]:
    """Narrow floats that are given as float32, at each call, to several readers."""
    constants = graph.constant_values
    return [
        n.name for n in graph.nodes
        if n.op == "cast" and n.type.dtype is DType.F32 and graph.type_of(n.inputs[0]).dtype in NARROW_FLOATS
        and n.name not in constants and not graph.is_output(n.name)
    ]  # fmt: skip


def _depths(graph: Graph) -> dict[str, int]:
    """Cheap operations on one kept image and values of its channels, in order → how many stand on another."""
    found: dict[str, int] = {}
    source: dict[str, str] = {}
    for node in graph.nodes:
        if node.op not in POINTWISE or node.op in COSTLY or not node.type.layout.block or graph.is_output(node.name):
            continue
        images = [v for v in node.inputs if graph.type_of(v).shape == node.type.shape]
        roots = {source.get(v, v) for v in images}
        depth = 1 + max([found.get(v, 0) for v in images], default=DEEPEST)
        if len(roots) == 1 and depth <= DEEPEST and all(v in found or _is_kept(graph, v) for v in images):
            found[node.name], (source[node.name],) = depth, roots
    return found


def _is_kept(graph: Graph, value: str) -> bool:
    """Whether an image, or some of its channels, came into the program in blocks, or was joined of such."""
    node: Node = graph.producer(value)
    while node.op == "slice":
        node = graph.producer(node.inputs[0])
    root = root_of(graph, value)
    return node.op == "from_blocks" and (root in graph.inputs or graph.producer(root).op == "concat")
