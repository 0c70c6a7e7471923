"""Which outputs of an ONNX model are quantized, and how large a quantization step is: errors are judged in such steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx

_MOVES = frozenset(
    "Cast Concat Expand Flatten Gather GatherElements GatherND GlobalMaxPool Identity MaxPool Pad Relu Reshape Slice Split Squeeze Tile "
    "Transpose Unsqueeze Clip DepthToSpace SpaceToDepth ReduceMax ReduceMin TopK".split()
)
"""Operators that pass on values as they are, or choose among them."""
_SCALES = {"QuantizeLinear": None, "DequantizeLinear": 1, "QLinearConv": None, "QLinearMatMul": None}
"""Operator → the input that holds the step of its results; None where they are integers of that step."""


def is_quantized(graph: onnx.GraphProto) -> bool:
    """Whether any node rounds to a quantized type."""
    kinds = {n.op_type for n in graph.node}
    return any("Quantize" in kind or kind.startswith("QLinear") or kind in ("MatMulInteger", "ConvInteger") for kind in kinds)


def steps_of(proto: onnx.ModelProto, values: Callable[[], Mapping[str, Any]]) -> dict[str, float]:
    """Output → its quantization step in its own unit, for outputs that are quantized, or dequantized and moved since.

    values: arrays by name, asked for where a scale is no initializer.
    """
    if not is_quantized(proto.graph):
        return {}
    makers = {name: node for node in proto.graph.node for name in node.output}
    scales = {t.name: t for t in proto.graph.initializer}

    def scale_of(name: str) -> float:
        if name not in scales:
            found = values().get(name)
            return float(np.abs(found).max()) if isinstance(found, np.ndarray) and found.size else 0.0
        return float(np.abs(onnx.numpy_helper.to_array(scales[name]).astype(np.float64)).max(initial=0.0))

    def step(name: str, depth: int = 0) -> float:
        node = makers.get(name)
        if node is None or depth > len(makers):
            return 0.0
        if node.op_type in _SCALES or node.op_type.startswith("QLinear") or node.op_type == "QGemm":
            place = _SCALES.get(node.op_type)
            return 1.0 if place is None else scale_of(node.input[place])
        if node.op_type in _MOVES:
            operands = node.input if node.op_type == "Concat" else node.input[:1]
            return max((step(n, depth + 1) for n in operands), default=0.0)
        return 0.0

    found = {o.name: step(o.name) for o in proto.graph.output}
    return {name: size for name, size in found.items() if size > 0}
