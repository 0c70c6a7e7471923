"""Reads an ONNX model from a file, bytes or a ModelProto and checks it before anything is made of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import FunctionProto, GraphProto, ModelProto, SparseTensorProto, TensorProto, TensorShapeProto, ValueInfoProto

from sol.errors import ModelError
from sol.frontend.onnx.checks import LARGEST_TENSOR, check_structure, content_bytes, without_weights
from sol.frontend.onnx.contributed import rename_contributed
from sol.frontend.onnx.external import ExternalFiles, mapped
from sol.frontend.onnx.types import STRING, dtype_of
from sol.frontend.onnx.wire import take_apart
from sol.ir.dim import Dim, DimLike
from sol.ir.storage import edge_dtype, unpack

Source = Union[str, "os.PathLike[str]", bytes, ModelProto]  # noqa: UP007
LARGEST_SKELETON = 512 << 20
"""Bytes of a model without its weights."""


class LoadedModel:
    """A checked model: its graph with inferred types, opsets, functions, and its tensors as arrays.

    payloads: bytes of those initializers (by position) that ``proto`` has without their content.
    """

    def __init__(self, proto: ModelProto, folder: Path | None = None, payloads: Mapping[int, memoryview] | None = None) -> None:
        self.proto, self.folder = proto, folder
        self.opsets: Mapping[str, int] = {("" if o.domain == "ai.onnx" else o.domain): o.version for o in proto.opset_import}
        self.functions: Mapping[tuple[str, str, str], FunctionProto] = {
            ("" if f.domain == "ai.onnx" else f.domain, f.name, f.overload): f for f in proto.functions
        }
        self._payloads = {proto.graph.initializer[i].name: p for i, p in (payloads or {}).items()}
        self._files = ExternalFiles(folder)

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: weights that are mapped from files become bytes."""
        state = dict(self.__dict__)
        state["_payloads"] = {k: bytes(v) for k, v in self._payloads.items()}
        external = [t for t in self.graph.initializer if t.data_location == TensorProto.EXTERNAL]
        state["_payloads"].update({t.name: self._files.content(t, content_bytes(t)).tobytes() for t in external})
        state["_files"] = ExternalFiles(self.folder)
        return state

    @property
    def graph(self) -> GraphProto:
        return self.proto.graph

    @property
    def inputs(self) -> tuple[ValueInfoProto, ...]:
        """Inputs that a caller gives: those that no initializer stands for."""
        given = {t.name for t in self.graph.initializer}
        return tuple(i for i in self.graph.input if i.name not in given)

    def numpy_dtype(self, element_type: int) -> np.dtype | None:
        """The dtype of numpy arrays of an input or output; None for strings and where the model does not say."""
        return None if element_type in (STRING, TensorProto.UNDEFINED) else edge_dtype(dtype_of(element_type))

    def array(self, tensor: TensorProto) -> np.ndarray:
        """The content of a tensor, not copied where it can be mapped; ml_dtypes for types that numpy lacks, objects for strings."""
        if tensor.data_type == STRING:
            texts = [s.decode("utf-8", "surrogateescape") for s in tensor.string_data]
            return _shaped(np.array([*texts, None], object)[:-1], tensor)
        size = content_bytes(tensor)
        payload: Any = self._payloads.get(tensor.name)
        if payload is not None and len(payload) != size:
            raise _wrong_size(tensor, len(payload), size)
        if payload is None and tensor.data_location == TensorProto.EXTERNAL:
            payload = self._files.content(tensor, size)
        if payload is None:
            try:
                return _shaped(onnx.numpy_helper.to_array(tensor).reshape(-1), tensor)
            except (ValueError, TypeError, OverflowError) as error:
                raise ModelError(f"tensor {tensor.name!r} has content that does not fit its type: {error}",
                                 remedy="export the model again") from error  # fmt: skip
        dtype = dtype_of(tensor.data_type)
        flat = np.frombuffer(payload, np.uint8)
        if dtype.bits < 8:
            stored = unpack(flat, dtype, int(np.prod(tensor.dims, dtype=object)))
            return _shaped(stored.astype(edge_dtype(dtype)) if dtype.is_int else stored.view(edge_dtype(dtype)), tensor)
        return _shaped(flat.view(edge_dtype(dtype)), tensor)

    def dense(self, sparse: SparseTensorProto) -> np.ndarray:
        """A sparse tensor as a dense array."""
        values, indices, shape = self.array(sparse.values), self.array(sparse.indices), tuple(sparse.dims)
        if any(d < 0 for d in shape) or _count(shape) > LARGEST_TENSOR // 256:
            raise ModelError(f"the sparse tensor {sparse.values.name!r} has the shape {list(shape)}", remedy="make it smaller")
        result = np.zeros(shape, values.dtype)
        try:
            if indices.ndim == 2:
                result[tuple(indices.T)] = values
            else:
                result.reshape(-1)[indices] = values
        except (IndexError, ValueError) as error:
            raise ModelError(f"the sparse tensor {sparse.values.name!r} has indices outside of {list(shape)}") from error
        return result

    def shape(self, shape: TensorShapeProto, owner: str, smallest: int = 2) -> tuple[DimLike, ...]:
        """A stated shape; each named size is one symbol, each unknown (or negative) one a symbol of its own, at least ``smallest``."""
        return tuple(
            d.dim_value
            if d.HasField("dim_value") and d.dim_value >= 0
            else Dim.symbol(_symbol_name(d.dim_param, f"{owner}_{i}"), smallest)
            for i, d in enumerate(shape.dim)
        )


def _shaped(flat: np.ndarray, tensor: TensorProto) -> np.ndarray:
    if flat.size != _count(tuple(tensor.dims)):
        raise ModelError(f"tensor {tensor.name!r} has {flat.size} elements, its shape is {list(tensor.dims)}",
                         remedy="export the model again")  # fmt: skip
    return flat.reshape(tuple(tensor.dims))


def _wrong_size(tensor: TensorProto, given: int, needed: int) -> ModelError:
    return ModelError(f"tensor {tensor.name!r} has {given} bytes, its type and shape {list(tensor.dims)} need {needed}",
                      remedy="export the model again")  # fmt: skip


def _count(shape: tuple[int, ...]) -> int:
    total = 1
    for d in shape:
        total *= d
    return total


def _symbol_name(text: str, place: str) -> str:
    """A C identifier for a named size, or for the one at ``place`` if it has no name; another for each text."""
    prefix, text = ("s", str(text)) if text else ("d", place)  # protobuf gives bytes for what is no UTF-8
    name = "".join(c if c.isascii() and c.isalnum() else "_" for c in text)
    if len(name) > 32 or name != text:
        name = f"{name[:16]}_{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return f"{prefix}_{name}"


def not_text(error: UnicodeDecodeError) -> ModelError:
    """protobuf decodes names when they are read."""
    return ModelError(f"the model has a name that is no text: {error.object[:40]!r}", remedy="export or download it again")


def load_model(source: Source) -> LoadedModel:
    """Read and check a model. Raises ModelError for a file that is damaged, contradicts the specification or reaches out of its folder.

    Weights in raw form are not read but mapped.
    """
    try:
        return _load(source)
    except UnicodeDecodeError as error:
        raise not_text(error) from error
    except MemoryError as error:
        raise ModelError("the model needs more memory than there is", remedy="is the file damaged? else use a larger machine") from error


def _load(source: Source) -> LoadedModel:
    folder: Path | None = None
    payloads: dict[int, memoryview] = {}
    if isinstance(source, ModelProto):
        proto = source
    else:
        if isinstance(source, (bytes, bytearray, memoryview)):
            data = memoryview(source)
        elif isinstance(source, (str, os.PathLike)):
            path = Path(source)
            folder, data = path.parent, mapped(path, "the model")
        else:
            raise ModelError(f"a model cannot be read from a {type(source).__name__}",
                             remedy="give a path, bytes, or an onnx.ModelProto")  # fmt: skip
        skeleton = take_apart(data)
        if len(skeleton.data) > LARGEST_SKELETON:
            raise ModelError(f"the model has {len(skeleton.data) >> 20} MiB besides its weights, at most {LARGEST_SKELETON >> 20} are read",
                             remedy="store its constants as initializers with raw data")  # fmt: skip
        try:
            proto = ModelProto.FromString(skeleton.data)
        except DecodeError as error:
            raise ModelError("the file is no ONNX model, or is truncated", remedy="export or download it again") from error
        payloads = {i: data[offset : offset + length] for i, (offset, length) in skeleton.payloads.items()}
    check_structure(proto, payloads)
    return LoadedModel(_inferred(proto), folder, payloads)


def _inferred(proto: ModelProto) -> ModelProto:
    """The model with the types of all values, as far as the onnx package's checker and shape inference take it."""
    light = without_weights(proto)
    rename_contributed(light)
    shapeless = [v.type.tensor_type for v in (*light.graph.input, *light.graph.output) if _lacks_shape(v)]
    for type_ in shapeless:  # the checker insists on a rank, which the specification and other runtimes do not
        type_.shape.SetInParent()
    try:
        onnx.checker.check_model(light)
    except (onnx.checker.ValidationError, RuntimeError, ValueError) as error:
        raise ModelError(f"the model does not pass onnx.checker: {_first_line(error)}", remedy="export it again") from error
    for type_ in shapeless:
        type_.ClearField("shape")
    try:
        found = onnx.shape_inference.infer_shapes(light, check_type=False, strict_mode=False)
    except (onnx.shape_inference.InferenceError, RuntimeError, ValueError) as error:
        raise ModelError(f"types and shapes of the model contradict each other: {_first_line(error)}", remedy="export it again") from error
    found.graph.ClearField("initializer")
    found.graph.initializer.extend(proto.graph.initializer)
    found.graph.ClearField("input")
    found.graph.input.extend(proto.graph.input)
    return found


def _lacks_shape(info: ValueInfoProto) -> bool:
    return info.type.WhichOneof("value") == "tensor_type" and not info.type.tensor_type.HasField("shape")


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).strip().splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__
