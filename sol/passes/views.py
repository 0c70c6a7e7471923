"""Where views land: which nodes move no data, the strides of every view, and the order in which a value is best stored."""

from __future__ import annotations

from collections.abc import Iterator

from sol.ir.dim import DimLike
from sol.ir.graph import Graph, Node
from sol.ir.ops import spec_of
from sol.ir.ops.control import CONTROL
from sol.ir.rewrite import Editor
from sol.ir.strides import contiguous_strides, is_contiguous, view_strides
from sol.ir.types import TensorType

Strides = tuple[DimLike, ...]
Order = tuple[int, ...]

NEVER_VIEWED = ("input", "parameter", "constant", "torch_call", "concat", *CONTROL)
EDGES = ("to_blocks", "from_blocks")
"""Views that show an image as the row-major tensor of its blocks, or the other way round."""
ANY_ORDER_ANCHORS = (
    "sdpa", "sdpa_grad", "sdpa_dropped", "sdpa_dropped_grad", "matmul", "linear", "int_matmul", "int_linear", "weight_only_linear",
)  # fmt: skip
"""Heavy ops whose kernels write a result with permuted strides (innermost stride 1), besides all memory-bound ones."""


def is_view(graph: Graph | Editor, node: Node) -> bool:
    """Whether a node moves no data: a view op, or a reorder of a map of one pixel, whose bytes are the same in both layouts."""
    if node.op == "reorder":
        return is_free_reorder(graph.type_of(node.inputs[0]), node.type)
    return spec_of(node.op).kind == "view"


def is_free_reorder(source: TensorType, result: TensorType) -> bool:
    """Blocked to plain (or plain to blocked with whole blocks) of ``[N, C, 1, 1]`` changes no byte."""
    if any(s != 1 for s in source.shape[2:]) or source.layout == result.layout:
        return False
    block = source.layout.block or result.layout.block
    return bool(source.layout.block) or source.shape[1] % block == 0


def own_strides(type: TensorType, order: Order | None = None) -> Strides:
    """Strides of a value in a buffer of its own.

    order: its dimensions, outermost first, if not row-major. A blocked map of one pixel has those of its plain form; other blocked
    values have none that a plain view could use: ().
    """
    block = type.layout.block
    if block:
        padded = (type.shape[1] + block - 1) // block * block
        return (padded, 1, *(1 for _ in type.shape[2:])) if all(s == 1 for s in type.shape[2:]) else ()
    if order is None:
        return contiguous_strides(type.shape)
    stored = contiguous_strides([type.shape[i] for i in order])
    return tuple(stored[order.index(i)] for i in range(type.rank))


def strides_after(graph: Graph | Editor, node: Node, before: Strides) -> Strides | None:
    """Strides of a view's result, as ``own_strides`` counts; None if the memory cannot be read that way."""
    source = graph.type_of(node.inputs[0])
    if node.op == "reorder":
        return None if node.type.layout.block and before[1] != 1 else before
    if node.op in EDGES:
        return own_strides(node.type)
    if node.type.layout.block:
        return before
    after = view_strides(node.op, node.attrs, source.shape, before, 0)
    return after[0] if after else None


def value_strides(graph: Graph) -> dict[str, Strides | None]:
    """Strides of every value that is not row-major in a buffer of its own: views, and values stored in another order.

    None for a view that strides cannot express.
    """
    orders = storage_orders(graph)
    strides: dict[str, Strides | None] = {v: own_strides(graph.type_of(v), o) for v, o in orders.items()}
    for node in graph.nodes:
        if node.name not in graph.constant_values and node.op != "input" and is_view(graph, node):
            strides[node.name] = strides_after(graph, node, strides_of(graph, strides, node.inputs[0]))
    return strides


def strides_of(graph: Graph | Editor, strides: dict[str, Strides | None], value: str) -> Strides:
    """A value's entry in a table made by ``value_strides``, or what it has in a buffer of its own."""
    found = strides.get(value)
    return own_strides(graph.type_of(value)) if found is None else found


def broken_views(graph: Graph, value: str, strides: Strides) -> Iterator[Node]:
    """Views of a value, direct or through other views, that need a copy if it is stored with these strides."""
    for node in graph.users(value):
        if not is_view(graph, node):
            continue
        after = strides_after(graph, node, strides)
        read_whole = graph.is_output(node.name) or any(u.op in CONTROL for u in graph.users(node.name))
        if after is None or read_whole and not is_contiguous(node.type.shape, after):
            yield node
        else:
            yield from broken_views(graph, node.name, after)


def storage_orders(graph: Graph) -> dict[str, Order]:
    """Values to be stored in an order of dimensions that saves copies.

    The heads of an attention, ``[B, H, L, D]``, are read as ``[B, L, H * D]``: stored in the order (0, 2, 1, 3) that is a view.
    The answer is the same before and after fusion, and before and after the remaining copies are made explicit.
    """
    orders = {}
    for node in graph.nodes:
        for value in node.outputs:
            order = _best_order(graph, value) if _takes_any_order(graph, node, value) else None
            if order is not None:
                orders[value] = order
    return orders


def _takes_any_order(graph: Graph, node: Node, value: str) -> bool:
    if node.op in NEVER_VIEWED or value in graph.constant_values or graph.is_output(value) or graph.type_of(value).layout.block:
        return False
    users = graph.users(value)
    if not any(u.op == "permute" for u in users) or any(u.op in ("concat", "torch_call", *CONTROL) for u in users):
        return False
    op = _computing_op(node, value)
    return op in ANY_ORDER_ANCHORS or spec_of(op).kind in ("pointwise", "reduce")


def _computing_op(node: Node, value: str) -> str:
    if node.op != "region":
        return node.op
    body: Graph = node.attrs["body"]
    return body.producer(body.outputs[node.outputs.index(value)]).op


def _best_order(graph: Graph, value: str) -> Order | None:
    """The order of a permute that reads the value and breaks fewest views; None if row-major breaks as few."""
    type = graph.type_of(value)
    best: Order | None = None
    fewest = len(list(broken_views(graph, value, own_strides(type))))
    for user in graph.users(value):
        if user.op != "permute" or user.attrs["order"][-1] != type.rank - 1:
            continue
        order = user.attrs["order"]
        broken = len(list(broken_views(graph, value, own_strides(type, order))))
        if broken < fewest:
            best, fewest = order, broken
    return best


def root_of(graph: Graph | Editor, value: str) -> str:
    """The value whose memory a view shows."""
    node = producer_of(graph, value)
    while is_view(graph, node):
        value = node.inputs[0]
        node = producer_of(graph, value)
    return value


def producer_of(graph: Graph | Editor, value: str) -> Node:
    node = graph.producer(value)
    assert node is not None  # an Editor gives None only where an op is asked for
    return node
