"""Which types of elements the kernels of an anchor and its epilogue read, compute and store."""

from __future__ import annotations

from sol.ir.graph import Graph, Node
from sol.ir.lanes import NARROW_FLOATS, fits_lanes
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.types import DType

INTEGERS = ("int_linear", "int_matmul", "int_conv")
"""Anchors whose epilogues compute with integers and bytes as well as with floats."""
NARROW_PRODUCTS = ("conv", "linear", "matmul", "weight_only_linear")
"""Products whose kernels also read and write narrower floats; their epilogues may go on, and end, in float32."""


def is_widening(graph: Graph, node: Node) -> bool:
    """Whether a node gives a narrow float as float32."""
    return node.op == "cast" and node.type.dtype is DType.F32 and graph.type_of(node.inputs[0]).dtype in NARROW_FLOATS


def has_few_channels(graph: Graph, anchor: Node) -> bool:
    """Whether a node is a blocked convolution of float32 with as many results as inputs, of which several groups are in a vector.

    Its kernels widen narrow floats that they load, and round what they store."""
    block = anchor.type.layout.block
    if anchor.op != "conv" or not block or anchor.type.dtype is not DType.F32:
        return False
    data, weight = (graph.type_of(v) for v in anchor.inputs[:2])
    group = weight.shape[1]
    few = isinstance(group, int) and group < block and block % group == 0
    return few and data.layout.block == block and data.shape[1] == anchor.type.shape[1]


def reads_image(graph: Graph, anchor: Node) -> bool:
    """Whether a node is a convolution of float32 whose result is blocked and whose input is not. Its kernels round what they store."""
    if anchor.op != "conv" or anchor.type.dtype is not DType.F32:
        return False
    return bool(anchor.type.layout.block) and not graph.type_of(anchor.inputs[0]).layout.block


def floats_of(anchor: Node) -> tuple[DType, ...]:
    """Types of floats that the kernels of an anchor, or of an op before one, read and write."""
    dtype = anchor.type.dtype
    narrow = dtype in NARROW_FLOATS and (anchor.op in NARROW_PRODUCTS or anchor.op in POINTWISE)
    return (DType.F32, dtype) if narrow else (DType.F32,)


def computes_types(graph: Graph, node: Node, anchor: Node) -> bool:
    """Whether an epilogue computes with a node's types: masks and floats, integers only behind an integer anchor."""
    operands = [graph.type_of(v).dtype for v in node.inputs]
    if anchor.op in INTEGERS:
        return fits_lanes(node.op, node.type.dtype, operands)
    if node.type.dtype not in (*_computed(graph, anchor), DType.BOOL):
        return False
    wide = not {node.type.dtype, *operands} & {*NARROW_FLOATS}
    return anchor.type.dtype is DType.F32 and wide or fits_lanes(node.op, node.type.dtype, operands)


def stores_type(graph: Graph, node: Node, anchor: Node) -> bool:
    """Whether an anchor's kernels store results of a node's type."""
    dtype = node.type.dtype
    return dtype is not DType.BOOL if anchor.op in INTEGERS else dtype in _computed(graph, anchor)


def _computed(graph: Graph, anchor: Node) -> tuple[DType, ...]:
    """Types of floats that an anchor's epilogue computes and stores."""
    rounds = has_few_channels(graph, anchor) or reads_image(graph, anchor)
    return (*floats_of(anchor), *NARROW_FLOATS) if rounds else floats_of(anchor)
