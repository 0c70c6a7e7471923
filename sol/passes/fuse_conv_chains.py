"""Finds inverted residuals: [1x1 convolution,] depthwise, 1x1 convolution, whose wide maps one kernel keeps in the cache."""

from __future__ import annotations

from sol.ir.dim import DimLike, product
from sol.ir.graph import Graph, Node
from sol.ir.types import DType
from sol.passes.choices import Choose, first, nodes_text
from sol.passes.sizes import GraphSizes

ANCHOR = "conv_chain"
ACTIVATIONS = frozenset("relu clamp sigmoid tanh hardsigmoid hardswish silu gelu mish leaky_relu elu softplus".split())
"""Ops on one operand that stay finite: lanes without a channel may go through them."""
LARGEST_KERNEL = 9
MARGIN = 4
"""How far beyond the sizes of a machine a chain is still worth a measurement."""


def conv_chain(
    graph: Graph, project: Node, constants: set[str] | frozenset[str], sizes: GraphSizes, choose: Choose = first
) -> list[Node]:
    """The nodes before a 1x1 convolution that its kernel can compute row by row, in order; empty if none or not worth it.

    choose: picks "expand" (all three), "start" (from the depthwise convolution on) or "none".
    """
    if not _is_dense(graph, project, constants):
        return []
    found = _before(graph, project)
    if not found or not _is_depthwise(graph, found[0], constants):
        return []
    depthwise = found[0]
    wider = _before(graph, depthwise)
    if not (wider and _is_dense(graph, wider[0], constants)):
        wider = []
    chains = {"expand": [*wider, *found], "start": found, "none": []}

    def paying(margin: int) -> list[str]:
        expand = bool(wider) and _pays_to_expand(graph, wider[0], project, sizes, margin)
        return [*(["expand"] if expand else []), *(["start"] if _pays_to_start(graph, depthwise, project, sizes, margin) else []), "none"]

    options = list(dict.fromkeys([*paying(1), *paying(MARGIN)])) if choose is not first else paying(1)
    if len(options) == 1 or choose is first:
        return chains[options[0]]
    default = paying(1)[0]
    nodes = [*wider, *found, project]
    ordered = (default, *(o for o in options if o != default))
    return chains[choose(f"chain {nodes_text(graph, nodes)}", ordered, [n.name for n in nodes])]


def _pays_to_expand(graph: Graph, expand: Node, project: Node, sizes: GraphSizes, margin: int) -> bool:
    """Whether the kernel should make the depthwise convolution's input itself."""
    channels, wide = graph.type_of(expand.inputs[0]).shape[1], expand.type.shape[1]
    size = _batch_bytes(expand) * margin
    weights = sum(_bytes(graph.type_of(n.inputs[1]).shape) for n in (expand, project))
    large = size >= sizes.chain_large_map or (size >= sizes.chain_map and wide >= sizes.chain_expansion * channels)
    return large and weights <= sizes.chain_weights * margin


def _pays_to_start(graph: Graph, depthwise: Node, project: Node, sizes: GraphSizes, margin: int) -> bool:
    """Whether a chain should begin with the depthwise convolution."""
    _, channels, rows, width = depthwise.type.shape
    weights = _bytes(graph.type_of(project.inputs[1]).shape)
    shared = isinstance(rows, int) and rows * margin >= sizes.chain_rows and weights <= sizes.chain_shared_weights * margin
    return (shared or _batch_bytes(depthwise) * margin >= sizes.chain_map) and _bytes((channels, width)) <= sizes.chain_row * margin


def _batch_bytes(node: Node) -> int:
    """Bytes of a result; those of one image if the batch is known only at run time."""
    batch, *sizes = node.type.shape
    return _bytes((batch if isinstance(batch, int) else 1, *sizes))


def _bytes(sizes: tuple[DimLike, ...]) -> int:
    """Bytes of so many float32 numbers; the sizes are known."""
    size = product(sizes)
    assert isinstance(size, int)
    return 4 * size


def _before(graph: Graph, conv: Node) -> list[Node]:
    """The convolution that makes the data of ``conv``, and the activations between, if nothing else reads any of it."""
    nodes: list[Node] = []
    value, user = conv.inputs[0], conv
    while True:
        node = graph.producer(value)
        if graph.is_output(value) or graph.users(value) != (user,) or node.type.layout != conv.type.layout:
            return []
        nodes.insert(0, node)
        if node.op == "conv":
            return nodes
        if node.op not in ACTIVATIONS or node.type.dtype is not DType.F32:
            return []
        value, user = node.inputs[0], node


def _is_blocked(graph: Graph, conv: Node, constants: set[str] | frozenset[str]) -> bool:
    """A convolution over float32 images in blocks of channels, of known sizes and with constant weights."""
    if conv.op != "conv" or conv.type.rank != 4 or conv.type.dtype is not DType.F32 or not conv.type.layout.block:
        return False
    data = graph.type_of(conv.inputs[0])
    known = all(isinstance(s, int) and s > 0 for s in (*data.shape[1:], *conv.type.shape[1:]))
    return data.layout == conv.type.layout and known and all(v in constants for v in conv.inputs[1:])


def _is_dense(graph: Graph, conv: Node, constants: set[str] | frozenset[str]) -> bool:
    """1x1, one group, stride 1, no padding."""
    if not _is_blocked(graph, conv, constants) or conv.attrs["groups"] != 1 or conv.attrs["stride"] != (1, 1):
        return False
    return graph.type_of(conv.inputs[1]).shape[2:] == (1, 1) and all(p == (0, 0) for p in conv.attrs["padding"])


def _is_depthwise(graph: Graph, conv: Node, constants: set[str] | frozenset[str]) -> bool:
    """As many groups as input and output channels; windows that touch or overlap."""
    if not _is_blocked(graph, conv, constants) or conv.attrs["dilation"] != (1, 1):
        return False
    channels, kernel = graph.type_of(conv.inputs[0]).shape[1], graph.type_of(conv.inputs[1]).shape[2:]
    fits = all(s <= k <= LARGEST_KERNEL for s, k in zip(conv.attrs["stride"], kernel))
    return bool(fits and conv.attrs["groups"] == channels == conv.type.shape[1])


__all__ = ["ANCHOR", "conv_chain"]
