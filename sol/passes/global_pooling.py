"""Which convolutions keep the pooling over their whole map to themselves: their results never reach memory."""

from __future__ import annotations

from sol.ir.dim import product
from sol.ir.graph import Graph, Node
from sol.ir.lanes import FLOAT_LANES
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.types import TensorType

SMALLEST_POOLED_GROUPS = 4  # channel blocks: fewer would leave threads idle
LARGEST_POOLED_MAP = 1024  # pixels
POOLS = ("mean", "max")


def is_pooled(pool: Node, result: TensorType, block: int) -> bool:
    """Whether ``pool`` reduces a convolution's result over the whole map, and both are of a size for one kernel."""
    if pool.op not in POOLS or pool.attrs["dims"] != (2, 3) or not pool.attrs["keepdims"]:
        return False
    size, channels = product(result.shape[2:]), result.shape[1]
    return isinstance(size, int) and size <= LARGEST_POOLED_MAP and isinstance(channels, int) and channels >= SMALLEST_POOLED_GROUPS * block


def is_pointwise_conv(conv: Node, weight: TensorType) -> bool:
    """1x1, every pixel read once."""
    attrs = conv.attrs
    steps = all(s == 1 for s in (*weight.shape[2:], *attrs["stride"])) and all(p == (0, 0) for p in attrs["padding"])
    return steps and attrs["groups"] == 1


def pools_whole_map(graph: Graph, conv: Node, block: int) -> bool:
    """Whether nothing but pointwise ops with constants lies between a convolution and the pooling over its map."""
    node = conv
    while True:
        users = graph.users(node.name)
        if len(users) != 1 or graph.is_output(node.name):
            return False
        user = users[0]
        if user.op not in POINTWISE:
            return is_pooled(user, conv.type, block)
        if user.type != conv.type or conv.type.dtype not in FLOAT_LANES:
            return False
        if not all(i == node.name or _is_per_channel(graph, i, conv.type.rank) for i in user.inputs):
            return False
        node = user


def _is_per_channel(graph: Graph, value: str, rank: int) -> bool:
    type = graph.type_of(value)
    logical = (1,) * (rank - type.rank) + type.shape
    return value in graph.constant_values and type.dtype in FLOAT_LANES and all(s == 1 for i, s in enumerate(logical) if i != 1)
