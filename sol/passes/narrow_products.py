"""Products with weights in 16 bits where the user asks for it (``sol.optimize(…, dtype=…)``); never by itself.

Linear layers and convolutions take rounded operands, add up in float32 and round their results. Convolutions of few channels do so only
where they read an image and the processor has matrix tiles. What products read and what poolings and depthwise convolutions read of them is
kept in 16 bits in memory, and so is what moves such values; attention of such values reads and writes them
so. Norms, softmax and other pointwise operations compute in float32. Weights
stay parameters of float32: they are rounded when they are packed, after norms have been folded into them.
"""

from __future__ import annotations

from collections.abc import Iterable

from sol.ir.graph import Graph, Node
from sol.ir.lanes import NARROW_FLOATS
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.fold_batchnorm import fold_batchnorm
from sol.passes.remove_identities import remove_identities

PRODUCTS = ("conv", "conv_transpose", "linear", "matmul")
MOVES = ("reshape", "permute", "expand", "slice", "flip", "copy", "pad")
"""Ops of one operand whose elements they move: a rounded operand gives a rounded result."""
FEWEST_CHANNELS = 16
"""Input channels of a group from which on convolutions of 16 bits are worth it: depthwise ones have no kernels, and images of three
channels are read faster in float32, but by matrix tiles."""
MOST_AXES = 2
"""Spatial dimensions of convolutions that kernels of 16 bits compute."""
MOST_DEPTH = 128
"""Features of queries and keys that attention by matrix tiles multiplies at most (kernels/attention_tiles.py)."""
POOLINGS = ("max_pool", "adaptive_max_pool", "avg_pool", "adaptive_avg_pool")


def narrow_products(graph: Graph, dtype: DType, matrix_tiles: bool = False) -> Graph:
    """The graph with every product of a float32 value and constant float32 weights computed in ``dtype``, BF16 or F16.

    Inputs and outputs keep their dtypes. Bodies of control flow stay as they are. matrix_tiles: whether it is for processors that have
    them: they also multiply images of few channels (kernels/conv_im2col.py), and in attention, in bfloat16.
    """
    tiles = matrix_tiles and dtype is DType.BF16
    graph = fold_batchnorm(remove_identities(graph))
    constants = graph.constant_values

    @rule(*PRODUCTS)
    def product_of_rounded(g: Editor, node: Node) -> str | None:
        """conv(x, w, b) -> cast(conv(cast(x), cast(w), cast(b))) of float32 with constant weights"""
        if node.type.dtype is not DType.F32 or node.inputs[0] in constants or not constants.issuperset(node.inputs[1:]):
            return None
        if node.op == "conv" and _has_few_channels(g, node) and not (tiles and _is_of_image(g, node)):
            return None
        rounded = [g.add("cast", [v], dtype=dtype, origin=node.origin) for v in node.inputs]
        return _widened(g, g.add(node.op, rounded, origin=node.origin, **node.attrs), node)

    @rule("sdpa")
    def rounded_attention(g: Editor, node: Node) -> str | None:
        """sdpa(q, k, v) -> cast(sdpa(cast(q), cast(k), cast(v))) where matrix tiles multiply bfloat16; masks stay"""
        depth = g.type_of(node.inputs[1]).shape[-1]
        if not tiles or node.type.dtype is not DType.F32 or not isinstance(depth, int) or depth > MOST_DEPTH:
            return None
        rounded = [g.add("cast", [v], dtype=dtype, origin=node.origin) for v in node.inputs[:3]]
        return _widened(g, g.add("sdpa", [*rounded, *node.inputs[3:]], origin=node.origin, **node.attrs), node)

    graph = apply_rules(graph, (product_of_rounded, rounded_attention))
    graph = _read_rounded(graph, dtype)

    @rule("cast")
    def round_trip(g: Editor, node: Node) -> str | None:
        """cast(cast(x)) -> x of x in 16 bits, widened and rounded again"""
        inner = g.producer(node.inputs[0], op="cast") if node.type.dtype is dtype else None
        return inner.inputs[0] if inner is not None and g.type_of(inner.inputs[0]) == node.type else None

    @rule("cast")
    def rounded_before_it_moves(g: Editor, node: Node) -> str | None:
        """cast(move(x)) -> move(cast(x)) to 16 bits, so that padding stands before its convolution"""
        move = g.producer(node.inputs[0]) if node.type.dtype is dtype else None
        if move is None or move.op not in (*MOVES, "concat") or move.type.dtype is not DType.F32 or constants.issuperset(move.inputs):
            return None
        rounded = [g.add("cast", [v], dtype=dtype, origin=node.origin) for v in move.inputs]
        return str(g.add(move.op, rounded, origin=move.origin, **move.attrs))

    @rule(*MOVES)
    def moved_narrow(g: Editor, node: Node) -> str | None:
        """move(cast(x)) -> cast(move(x)) of x in 16 bits"""
        inner = _rounded_of(g, node.inputs[0], dtype)
        return inner and _widened(g, g.add(node.op, [inner], origin=node.origin, **node.attrs), node)

    @rule("sdpa")
    def attention_of_rounded(g: Editor, node: Node) -> str | None:
        """sdpa(cast(q), cast(k), cast(v)) -> cast(sdpa(q, k, v)) of bfloat16, on every processor; masks stay"""
        found = [v for v in (_rounded_of(g, v, DType.BF16) for v in node.inputs[:3]) if v is not None]
        if len(found) < 3:
            return None
        return _widened(g, g.add("sdpa", [*found, *node.inputs[3:]], origin=node.origin, **node.attrs), node)

    @rule("concat")
    def joined_narrow(g: Editor, node: Node) -> str | None:
        """concat(cast(x), y) -> cast(concat(x, cast(y))) of x in 16 bits"""
        found = [_rounded_of(g, v, dtype) for v in node.inputs]
        if not any(found):
            return None
        rounded = [v or g.add("cast", [wide], dtype=dtype, origin=node.origin) for v, wide in zip(found, node.inputs)]
        return _widened(g, g.add("concat", rounded, origin=node.origin, **node.attrs), node)

    return apply_rules(graph, (round_trip, rounded_before_it_moves, moved_narrow, joined_narrow, attention_of_rounded))


def _has_few_channels(g: Editor, conv: Node) -> bool:
    return bool(g.type_of(conv.inputs[1]).shape[1] < FEWEST_CHANNELS)  # type: ignore[operator]


def _is_of_image(g: Editor, conv: Node) -> bool:
    """Whether a convolution of all channels reads several pixels at once of what came into the program, which is row-major."""
    data = g.producer(conv.inputs[0])
    while data.op in (*MOVES, "concat") or data.op in POINTWISE and data.inputs:
        data = g.producer(next((v for v in data.inputs if g.type_of(v).rank == data.type.rank), data.inputs[0]))
    taps = g.type_of(conv.inputs[1]).shape[2:]
    return conv.attrs["groups"] == 1 and len(taps) <= MOST_AXES and any(t != 1 for t in taps) and data.op == "input"


def _widened(g: Editor, value: str, node: Node) -> str:
    return str(g.add("cast", [value], dtype=DType.F32, origin=node.origin))


def _rounded_of(g: Editor, value: str, dtype: DType) -> str | None:
    """The value of 16 bits of which a value of float32 is the widening."""
    cast = g.producer(value, op="cast")
    return cast.inputs[0] if cast is not None and cast.type.dtype is DType.F32 and g.type_of(cast.inputs[0]).dtype is dtype else None


def _read_rounded(graph: Graph, dtype: DType) -> Graph:
    """The graph where values that products read rounded, and what poolings and depthwise convolutions read of products, are read rounded
    by all.

    Inputs and outputs are not: they are in memory as the caller has them.
    """
    g = Editor(graph)
    kept = {*graph.inputs, *graph.outputs, *graph.constant_values}
    near = _near_products(graph.nodes, dtype)
    for node in graph.nodes:
        for value in node.outputs:
            if value in kept or g.type_of(value).dtype is not DType.F32:
                continue
            users = g.users(value)
            narrow_reader = dtype in NARROW_FLOATS and any(_is_depthwise_of(g, u, value) for u in users)
            pooled = value in near and (narrow_reader or any(u.op in POOLINGS for u in users))
            pooling = node.op in POOLINGS and any(_rounded_of(g, v, dtype) for v in g.producer(value).inputs)
            if pooled or pooling or any(u.op == "cast" and u.type.dtype is dtype for u in users):
                narrow = g.add("cast", [value], dtype=dtype, origin=node.origin)
                wide = g.add("cast", [narrow], dtype=DType.F32, origin=node.origin)
                for user in users:
                    g.update(user, inputs=tuple(wide if v == value else v for v in user.inputs))
    return g.finish()


def _is_depthwise_of(g: Editor, node: Node, value: str) -> bool:
    """Whether a node is a depthwise convolution of a value over one or two dimensions, whose kernel reads 16 bits."""
    if node.op != "conv" or node.inputs[0] != value:
        return False
    data, weight = (g.type_of(v).shape for v in node.inputs[:2])
    return len(data) <= 4 and weight[1] == 1 and weight[0] == data[1]


def _near_products(nodes: Iterable[Node], dtype: DType) -> set[str]:
    """Values that pointwise ops make of results of products alone and of what is broadcast."""
    found: set[str] = set()
    for node in nodes:
        made = node.op == "cast" and node.inputs[0].partition("#")[0] in found
        if node.op in PRODUCTS and node.type.dtype is dtype or made or node.op in POINTWISE and not found.isdisjoint(node.inputs):
            found.update(node.outputs)
    return found
