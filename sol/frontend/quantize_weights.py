"""Quantizes the weights of linear layers to 8 or 4 bits, where the user asks for it (``sol.optimize(…, weights=…)``); never by itself.

The weight stays a parameter: codes, scales and zero points are constants that are computed from it when weights are packed.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.errors import ConfigError, UnsupportedError
from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType

SMALL = 1 << 14
"""Weights of fewer numbers stay as they are: they take little memory, and often much depends on them."""
BITS = {"int8": 8, "int4": 4}
"""Bits of a weight by the name of its format."""
LEAST_GROUP = 16
"""Input channels of the smallest group: with fewer, scales and zero points would take as much memory as weights of 4 bits."""


@dataclass(frozen=True)
class WeightFormat:
    """How weights are quantized. name: "int8" or "int4". group: input channels that share a scale and a zero point.

    Raises ConfigError for another name or a group that is no multiple of 8.
    """

    name: str
    group: int

    def __post_init__(self) -> None:
        if self.name not in BITS:
            formats = " or ".join(map(repr, BITS))
            raise ConfigError(f"weights={self.name!r} is not built", remedy=f"use {formats}, or None to leave weights as they are")
        if isinstance(self.group, bool) or not isinstance(self.group, int) or self.group < LEAST_GROUP or self.group % 8:
            raise ConfigError(f"group={self.group!r} is not built", remedy=f"use a multiple of 8 input channels from {LEAST_GROUP} on")

    @property
    def bits(self) -> int:
        return BITS[self.name]


def quantize_weights(graph: Graph, format: WeightFormat) -> Graph:
    """The graph with every large constant weight of a linear layer, or of a product of matrices, quantized.

    Bodies of control flow stay as they are. Raises ConfigError where a group does not divide a layer's input channels, UnsupportedError
    where there is no such weight.
    """
    constants = graph.constant_values

    def is_taken(g: Editor, w: str) -> bool:
        type = g.type_of(w)
        floats = (DType.F32, DType.BF16, DType.F16)
        return w in constants and type.rank == 2 and type.is_static and type.size >= SMALL and type.dtype in floats  # type: ignore[operator]

    @rule("linear")
    def linear_to_weight_only(g: Editor, node: Node) -> str | None:
        """linear(x, w, b) -> weight_only_linear(x, quantize_weight(w)) + b"""
        x, w, *bias = node.inputs
        if not is_taken(g, w):
            return None
        y = _quantized(g, node, x, w, format)
        return g.add("add", [y, *bias], origin=node.origin) if bias else y

    @rule("matmul")
    def product_to_weight_only(g: Editor, node: Node) -> str | None:
        """matmul(x, w) -> weight_only_linear(x, quantize_weight(transpose(w)))"""
        x, w = node.inputs
        if x in constants or not is_taken(g, w):
            return None
        turned = g.producer(w, op="permute")
        rows = turned.inputs[0] if turned is not None else g.add("permute", [w], order=(1, 0), origin=node.origin)
        return _quantized(g, node, x, rows, format)

    found = apply_rules(graph, (linear_to_weight_only, product_to_weight_only))
    if not any(n.op == "quantize_weight" for n in found.nodes):
        raise UnsupportedError(
            f"no weight of this model is rounded to {format.bits} bits: it has no compiled linear layer of float32 or bfloat16 "
            f"with at least {SMALL} weights",
            remedy="leave weights= out, or give the model in float32 or bfloat16",
        )
    return found


def _quantized(g: Editor, node: Node, x: str, w: str, format: WeightFormat) -> str:
    """The product of x and the transpose of w[out, in]."""
    depth, at = g.type_of(w).shape[1], node.origin
    if depth % format.group:  # type: ignore[operator]
        raise ConfigError(
            f"groups of {format.group} do not divide the {depth} input channels of a linear layer",
            origin=str(at),
            remedy="give sol.optimize a group that divides the input channels of all layers",
        )
    parts = g.add("quantize_weight", [w], bits=format.bits, group=format.group, origin=at)
    return g.add("weight_only_linear", [x, *parts], group=format.group, origin=at)
