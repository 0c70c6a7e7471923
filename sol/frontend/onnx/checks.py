"""Checks of a model that onnx.checker does not make, or that must come before it: sizes, names, and functions that call each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized

from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, helper

from sol.errors import ModelError
from sol.frontend.onnx.types import STRING, dtype_of

LARGEST_TENSOR = 2**36
"""Elements that a tensor may have at most: more than any machine holds."""

MOST_NODES = 200_000
"""Nodes after functions are inlined: calls within calls grow exponentially."""

_AGAIN = "export the model again"


def check_structure(proto: ModelProto, payloads: Mapping[int, Sized]) -> None:
    """Names, sizes and functions of a model; raises ModelError. ``payloads``: content of initializers that ``proto`` has without it."""
    if not proto.HasField("graph"):
        raise ModelError("the file has no graph", remedy="is it an ONNX model? export or download it again")
    seen: set[str] = set()
    for index, tensor in enumerate(proto.graph.initializer):
        if tensor.name in seen:
            raise ModelError(f"two initializers are called {tensor.name!r}", remedy=_AGAIN)
        seen.add(tensor.name)
        _check_tensor(tensor, len(payloads[index]) if index in payloads else None)
    if _expanded_nodes(proto) > MOST_NODES:
        raise ModelError(f"the model has more than {MOST_NODES} nodes once its functions are inlined",
                         remedy="do its functions call each other too often?")  # fmt: skip


def content_bytes(tensor: TensorProto) -> int:
    """Bytes of a tensor's content in raw form, by its type and shape; ModelError if they make no sense."""
    dtype = dtype_of(tensor.data_type)
    count = 1
    for d in tensor.dims:
        if d < 0:
            raise ModelError(f"tensor {tensor.name!r} has the shape {list(tensor.dims)}", remedy=_AGAIN)
        count *= d
    if count > LARGEST_TENSOR:
        raise ModelError(f"tensor {tensor.name!r} has the shape {list(tensor.dims)}, which no machine holds", remedy=_AGAIN)
    return -(-count * dtype.bits // 8)


def _check_tensor(tensor: TensorProto, payload: int | None) -> None:
    if tensor.data_type == STRING:
        return
    size = content_bytes(tensor)
    given = payload if payload is not None else len(tensor.raw_data) if tensor.HasField("raw_data") else None
    if given is not None and given != size and tensor.data_location != TensorProto.EXTERNAL:
        raise ModelError(f"tensor {tensor.name!r} has {given} bytes, its type and shape {list(tensor.dims)} need {size}", remedy=_AGAIN)


def _expanded_nodes(proto: ModelProto) -> int:
    """Nodes of the graph with functions inlined; ModelError for a function that calls itself."""
    functions = {(f.domain, f.name): f for f in proto.functions}
    sizes: dict[tuple[str, str], int] = {}
    under_way: set[tuple[str, str]] = set()

    def count(nodes: Iterable[NodeProto]) -> int:
        total = 0
        for node in nodes:
            key = (node.domain, node.op_type)
            total += 1
            if key in functions:
                total += size_of(key)
            for graph in _subgraphs(node):
                total += count(graph)
        return total

    def size_of(key: tuple[str, str]) -> int:
        if key in under_way or len(under_way) > 200:
            raise ModelError(f"function {key[1]!r} calls itself", remedy="inline it in the model")
        if key not in sizes:
            under_way.add(key)
            sizes[key] = count(functions[key].node)
            under_way.discard(key)
        return sizes[key]

    return count(proto.graph.node) + sum(size_of(k) for k in functions)


def _subgraphs(node: NodeProto) -> Iterable[Iterable[NodeProto]]:
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield attribute.g.node
        elif attribute.type == AttributeProto.GRAPHS:
            yield from (g.node for g in attribute.graphs)


SMALL = 1024
"""Elements up to which the onnx package sees an initializer's content."""


def without_weights(proto: ModelProto) -> ModelProto:
    """A copy in which large initializers are inputs: the onnx package's checks are written in C++ and would copy them."""
    light = ModelProto()
    for field, value in proto.ListFields():
        if field.name == "graph":
            continue
        target = getattr(light, field.name)
        if hasattr(target, "extend"):
            target.extend(value)
        elif hasattr(target, "CopyFrom"):
            target.CopyFrom(value)
        else:
            setattr(light, field.name, value)
    graph = light.graph
    inputs = {i.name for i in proto.graph.input}
    for field, value in proto.graph.ListFields():
        if field.name != "initializer":
            target = getattr(graph, field.name)
            if hasattr(target, "extend"):
                target.extend(value)
            else:
                setattr(graph, field.name, value)
    graph.SetInParent()
    for tensor in proto.graph.initializer:
        if _is_light(tensor):
            graph.initializer.append(tensor)
        elif tensor.name not in inputs:
            graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))
    return light


def _is_light(tensor: TensorProto) -> bool:
    count = 1
    for d in tensor.dims:
        count *= d
    return count <= SMALL and tensor.data_location != TensorProto.EXTERNAL
