"""Results that are written into the memory of an input: a cache in which a call changes some rows, without a copy of the others.

The caller says which input shall hold which output (attribute ``becomes``). That output is written there where it is the input with some
elements replaced (``scatter``) and nothing reads the input afterwards; otherwise it has memory of its own, from which the caller copies it.
"""

from __future__ import annotations

from sol.ir.graph import Graph, Node
from sol.ir.ops.control import CONTROL
from sol.ir.strides import contiguous_strides
from sol.passes.views import is_view, root_of, strides_after


def written_inputs(graph: Graph) -> dict[str, str]:
    """Results of regions of a fused graph that lie in an input's memory → that input."""
    found: dict[str, str] = {}
    at = {node.name: i for i, node in enumerate(graph.nodes)}
    for node in graph.nodes:
        number = node.attrs.get("becomes") if node.op == "input" else None
        result = None if number is None else _replaced(graph, node, graph.outputs[number])
        if result is not None and all(at[u] < at[graph.producer(result).name] for u in _readers(graph, node.name, graph.producer(result))):
            found[result] = node.name
    return found


def _replaced(graph: Graph, source: Node, output: str) -> str | None:
    """The result of a scatter over the input, element for element, that the output is; None if it is none."""
    result = root_of(graph, output)
    region = graph.producer(result)
    if region.op != "region" or region.outputs != (result,) or not _lies_row_major(graph, output):
        return None
    body: Graph = region.attrs["body"]
    scatter = [n for n in body.nodes if n.op not in ("input", "constant")]
    if len(scatter) != 1 or scatter[0].op != "scatter" or scatter[0].inputs[0] not in body.inputs or source.type.layout.block:
        return None
    outer = dict(zip(body.inputs, region.inputs))
    data = outer[scatter[0].inputs[0]]
    roots = [root_of(graph, v) for v in region.inputs]
    read_once = roots.count(source.name) == 1 and list(scatter[0].inputs).count(scatter[0].inputs[0]) == 1
    same = root_of(graph, data) == source.name and _lies_row_major(graph, data)
    return result if same and read_once and graph.type_of(output) == source.type else None


def _lies_row_major(graph: Graph, value: str) -> bool:
    """Whether a view has all elements of what it is a view of, in the order of memory."""
    chain: list[Node] = []
    node = graph.producer(value)
    while is_view(graph, node):
        chain.append(node)
        node = graph.producer(node.inputs[0])
    whole = graph.type_of(node.name if not chain else chain[-1].inputs[0])
    if whole.layout.block or whole.size != graph.type_of(value).size:
        return False
    strides = contiguous_strides(whole.shape)
    for step in reversed(chain):
        after = None if step.type.layout.block else strides_after(graph, step, strides)
        if after is None:
            return False
        strides = after
    return tuple(strides) == tuple(contiguous_strides(graph.type_of(value).shape))


def _readers(graph: Graph, value: str, writer: Node) -> list[str]:
    """Nodes but for the writer that read an input, itself or a view of it; the last node of the graph, if it is an output or what reads it
    is more than a region."""
    found: list[str] = []
    pending = [value]
    while pending:
        seen = pending.pop()
        if graph.is_output(seen):
            found.append(graph.nodes[-1].name)
        for user in graph.users(seen):
            if is_view(graph, user):
                pending += user.outputs
            elif user.name != writer.name:
                found.append(graph.nodes[-1].name if user.op in ("concat", *CONTROL) else user.name)
    return found
