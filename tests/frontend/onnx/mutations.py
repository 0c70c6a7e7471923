"""A seeded mutator of ONNX files: damage as it happens to files, and models as an attacker would write them."""

from __future__ import annotations

import random

from onnx import AttributeProto, ModelProto, TensorProto

from tests.frontend.onnx.models import MODELS

EXTREMES = (-(2**63), -(2**31), -7, -1, 0, 1, 2, 3, 255, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1)
OPS = ("Reshape", "Conv", "MatMul", "Gather", "Concat", "Expand", "Tile", "Pad", "Slice", "Softmax", "Resize", "Loop", "Range", "OneHot",
       "ConstantOfShape", "TopK", "Einsum", "Cast", "LSTM", "Split", "Nonsense")  # fmt: skip


def mutated(seed: int) -> bytes:
    """The file of this number; the same number gives the same bytes."""
    draw = random.Random(seed)
    names = sorted(MODELS)
    model = MODELS[names[seed % len(names)]]()
    if draw.random() < 0.35:
        return _damaged(draw, model.SerializeToString(deterministic=True))
    for _ in range(draw.choice((1, 1, 2, 3))):
        draw.choice(CHANGES)(draw, model)
    return model.SerializeToString(deterministic=True)


def _damaged(draw: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    kind = draw.randrange(4)
    if kind == 0:
        return bytes(found[: draw.randrange(len(found))])
    for _ in range(draw.choice((1, 3, 20))):
        at = draw.randrange(len(found))
        if kind == 1:
            found[at] = draw.randrange(256)
        elif kind == 2:
            found[at : at + 8] = b"\xff" * len(found[at : at + 8])
        else:
            found[at:at] = bytes(draw.randrange(256) for _ in range(draw.randrange(1, 9)))
    return bytes(found)


def _change_node(draw: random.Random, model: ModelProto) -> None:
    if not model.graph.node:
        return
    node = draw.choice(model.graph.node)
    kind = draw.randrange(5)
    if kind == 0:
        node.op_type = draw.choice(OPS)
    elif kind == 1 and node.input:
        every = [*node.output, *(i.name for i in model.graph.input), *(t.name for t in model.graph.initializer), "", "missing"]
        node.input[draw.randrange(len(node.input))] = draw.choice(every)
    elif kind == 2:
        node.domain = draw.choice(("ai.onnx.ml", "com.microsoft", "nowhere"))
    elif kind == 3 and node.input:
        node.input.append(node.input[0])
    else:
        del node.input[:1]


def _change_order(draw: random.Random, model: ModelProto) -> None:
    nodes = list(model.graph.node)
    if not nodes:
        return
    draw.shuffle(nodes)
    if draw.random() < 0.5:
        nodes.pop()
    else:
        nodes.extend(nodes[:1])
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _change_attribute(draw: random.Random, model: ModelProto) -> None:
    attributes = [a for n in model.graph.node for a in n.attribute]
    if not attributes:
        return
    attribute = draw.choice(attributes)
    if attribute.type == AttributeProto.INT:
        attribute.i = draw.choice(EXTREMES)
    elif attribute.type == AttributeProto.INTS and attribute.ints:
        attribute.ints[draw.randrange(len(attribute.ints))] = draw.choice(EXTREMES)
    elif attribute.type == AttributeProto.GRAPH:
        del attribute.g.node[:]
    else:
        attribute.type = draw.choice((AttributeProto.INT, AttributeProto.FLOAT, AttributeProto.STRING, AttributeProto.TENSOR))


def _change_tensor(draw: random.Random, model: ModelProto) -> None:
    if not model.graph.initializer:
        return
    at = draw.randrange(len(model.graph.initializer))
    tensor = model.graph.initializer[at]
    kind = draw.randrange(6)
    if kind == 0 and tensor.dims:
        tensor.dims[draw.randrange(len(tensor.dims))] = draw.choice(EXTREMES)
    elif kind == 1:
        tensor.data_type = draw.choice((*TensorProto.DataType.values(), 99))
    elif kind == 2:
        tensor.raw_data = tensor.raw_data[: draw.randrange(len(tensor.raw_data) + 1)]
    elif kind == 3:
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=draw.choice(("/etc/passwd", "../x", "x", "", "a\0b")))
    elif kind == 4 and tensor.data_type == TensorProto.INT64:
        tensor.raw_data = b"".join(draw.choice(EXTREMES).to_bytes(8, "little", signed=True) for _ in range(len(tensor.raw_data) // 8))
    else:
        del model.graph.initializer[at]


def _change_input(draw: random.Random, model: ModelProto) -> None:
    kind = model.graph.input[0].type.tensor_type
    if draw.random() < 0.3:
        kind.elem_type = draw.choice((*TensorProto.DataType.values(), 99))
    elif kind.shape.dim:
        kind.shape.dim[draw.randrange(len(kind.shape.dim))].dim_value = draw.choice(EXTREMES)


def _change_opset(draw: random.Random, model: ModelProto) -> None:
    model.opset_import[0].version = draw.choice((1, 5, 7, 11, 13, 21, 27, 99, 2**40))


CHANGES = (_change_node, _change_node, _change_order, _change_attribute, _change_attribute, _change_tensor, _change_tensor, _change_input,
           _change_opset)  # fmt: skip
