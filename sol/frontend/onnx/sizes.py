"""Sizes that an ONNX model leaves open, fixed or named by the user: the same size everywhere in the model where the model says it is."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Union

from onnx import GraphProto, ModelProto, TensorShapeProto, TypeProto, ValueInfoProto

from sol.errors import InputError
from sol.frontend.onnx.loader import LoadedModel

Size = Union[int, str]  # noqa: UP007  (evaluated)
LARGEST = 1 << 40
EXAMPLE = 64
"""What is proposed for a size that is no batch."""


def with_sizes(model: LoadedModel, shapes: Mapping[str, Sequence[Size]]) -> LoadedModel:
    """The model with the given shapes of inputs: a number fixes a size, a name leaves it open and calls it so, "?" leaves it as it is.

    A size that the model names is fixed or renamed wherever it occurs. Sizes of the same new name are one size. Raises InputError for an
    input that the model does not have, a number of dimensions or a size that contradicts the model, and two values of one size.
    """
    if not shapes:
        return model
    changed = copy.copy(model)
    changed.proto = ModelProto()
    changed.proto.CopyFrom(model.proto)
    inputs = {i.name: i for i in changed.inputs}
    named: dict[str, tuple[Size, str]] = {}
    for name, shape in shapes.items():
        if name not in inputs or inputs[name].type.WhichOneof("value") != "tensor_type":
            raise InputError(f"the model has no tensor input {name!r}", remedy=f"its inputs are {', '.join(inputs)}")
        _enter(inputs[name], shape, named)
    for stated in _shapes_in(changed.proto.graph):
        for dim in stated.dim:
            if dim.dim_param in named:
                _set(dim, named[dim.dim_param][0])
    return changed


def _enter(info: ValueInfoProto, shape: Sequence[Size], named: dict[str, tuple[Size, str]]) -> None:
    """Write a shape to an input, and note what it says of sizes with a name."""
    stated = info.type.tensor_type
    if not stated.HasField("shape"):
        for _ in shape:
            stated.shape.dim.add()
        stated.shape.SetInParent()
    said = shape_text([d.dim_param or (d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else "?") for d in stated.shape.dim])
    if len(stated.shape.dim) != len(shape):
        raise InputError(f"the shape {shape_text(shape)} is given for input {info.name}, the model takes {said}")
    for dim, size in zip(stated.shape.dim, shape):
        if isinstance(size, int) and not 0 <= size <= LARGEST:
            raise InputError(f"the shape {shape_text(shape)} of input {info.name} has the size {size}")
        if size == "?":
            continue
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            if isinstance(size, int) and size != dim.dim_value:
                raise InputError(f"the shape {shape_text(shape)} is given for input {info.name}, the model takes {said}")
        elif dim.dim_param:
            before, where = named.setdefault(dim.dim_param, (size, info.name))
            if before != size:
                raise InputError(f"the size {dim.dim_param} is {before} in the shape of {where} and {size} in that of {info.name}",
                                 remedy="give the same size to both")  # fmt: skip
        else:
            _set(dim, size)


def _set(dim: TensorShapeProto.Dimension, size: Size) -> None:
    if isinstance(size, int):
        dim.dim_value = size
    else:
        dim.dim_param = size


def _shapes_in(graph: GraphProto) -> Iterator[TensorShapeProto]:
    """All shapes that a graph and the graphs inside of its nodes state."""
    for info in (*graph.input, *graph.value_info, *graph.output):
        yield from _shapes_of(info.type)
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _shapes_in(inner)


def _shapes_of(stated: TypeProto) -> Iterator[TensorShapeProto]:
    kind = stated.WhichOneof("value")
    if kind == "tensor_type":
        yield stated.tensor_type.shape
    elif kind in ("sequence_type", "optional_type"):
        yield from _shapes_of(getattr(stated, kind).elem_type)


def size_names(model: LoadedModel) -> dict[tuple[str, int], str]:
    """Input and dimension → the name that the model gives this open size."""
    found = {}
    for info in model.inputs:
        if info.type.WhichOneof("value") == "tensor_type":
            found.update({(info.name, i): d.dim_param for i, d in enumerate(info.type.tensor_type.shape.dim) if d.dim_param})
    return found


def shape_text(shape: Sequence[Size]) -> str:
    """``[batch, 3, 224, 224]``."""
    return f"[{', '.join(map(str, shape))}]"


@dataclass(frozen=True)
class OpenSize:
    """A size that a model leaves open.

    label: how people call it. example: a shape of ``input`` that fixes it, with names for other open ones.
    """

    label: str
    input: str
    example: tuple[Size, ...]


def open_sizes(model: LoadedModel) -> dict[str, OpenSize]:
    """The open sizes by the name of their symbol in imported graphs."""
    found: dict[str, OpenSize] = {}
    for info in model.inputs:
        if info.type.WhichOneof("value") != "tensor_type":
            continue
        stated = info.type.tensor_type.shape.dim
        shape = model.shape(info.type.tensor_type.shape, info.name)
        pairs = list(zip(shape, stated))
        texts: list[Size] = [size if isinstance(size, int) else dim.dim_param or f"n{i}" for i, (size, dim) in enumerate(pairs)]
        for i, (size, dim) in enumerate(pairs):
            if not isinstance(size, int):
                label = dim.dim_param or f"size {i} of {info.name}"
                example = (*texts[:i], 1 if i == 0 else EXAMPLE, *texts[i + 1 :])
                found.setdefault(str(size), OpenSize(label, info.name, example))
    return found
