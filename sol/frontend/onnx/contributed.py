"""Operators that onnxruntime writes in the specification's domain although the specification lacks them: moved to com.microsoft."""

from __future__ import annotations

from collections.abc import Iterable

from onnx import AttributeProto, ModelProto, NodeProto, helper

DOMAIN = "com.microsoft"
FIRST_SPECIFIED = {"SimplifiedLayerNormalization": 1 << 30, "LayerNormalization": 17}
"""Operator → the opset from which on the specification has it."""


def rename_contributed(proto: ModelProto) -> None:
    """Give such nodes, also those in subgraphs and functions, the domain where converters look for them."""
    opsets = {o.domain: o.version for o in proto.opset_import}
    opset = opsets.get("", opsets.get("ai.onnx", 0))
    moved = _rename(proto.graph.node, opset)
    for function in proto.functions:
        own = {o.domain: o.version for o in function.opset_import}
        if _rename(function.node, own.get("", opset)):
            moved = True
            if DOMAIN not in own:
                function.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    if moved and DOMAIN not in opsets:
        proto.opset_import.append(helper.make_opsetid(DOMAIN, 1))


def _rename(nodes: Iterable[NodeProto], opset: int) -> bool:
    moved = False
    for node in nodes:
        if node.domain in ("", "ai.onnx") and FIRST_SPECIFIED.get(node.op_type, 0) > opset:
            node.domain, moved = DOMAIN, True
        for attribute in node.attribute:
            graphs = attribute.graphs if attribute.type == AttributeProto.GRAPHS else [attribute.g]
            if attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS):
                moved = any([_rename(g.node, opset) for g in graphs]) or moved
    return moved
