"""Element types of ONNX as those of sol, and tensors of the format as numpy arrays."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from sol.errors import ModelError, UnsupportedError
from sol.ir.types import DType

_NAMES = {
    "FLOAT": "f32", "DOUBLE": "f64", "FLOAT16": "f16", "BFLOAT16": "bf16", "BOOL": "bool",
    "INT64": "i64", "INT32": "i32", "INT16": "i16", "INT8": "i8", "INT4": "i4", "INT2": "i2",
    "UINT64": "u64", "UINT32": "u32", "UINT16": "u16", "UINT8": "u8", "UINT4": "u4", "UINT2": "u2",
    "FLOAT8E4M3FN": "f8e4m3fn", "FLOAT8E4M3FNUZ": "f8e4m3fnuz", "FLOAT8E5M2": "f8e5m2", "FLOAT8E5M2FNUZ": "f8e5m2fnuz",
    "FLOAT8E8M0": "f8e8m0", "FLOAT4E2M1": "f4e2m1",
}  # fmt: skip
_BUILT = {d.value for d in DType}
DTYPES: dict[int, DType] = {
    getattr(TensorProto, name): DType(ours) for name, ours in _NAMES.items() if hasattr(TensorProto, name) and ours in _BUILT
}
ELEMENT_TYPES = {ours: theirs for theirs, ours in DTYPES.items()}
STRING = TensorProto.STRING


def dtype_of(element_type: int) -> DType:
    """sol's dtype for ``TensorProto.DataType``; UnsupportedError for strings and complex numbers, ModelError for no type at all."""
    found = DTYPES.get(element_type)
    if found is not None:
        return found
    if element_type not in TensorProto.DataType.values() or element_type == TensorProto.UNDEFINED:
        raise ModelError(f"{element_type} is no ONNX element type", remedy="export the model again")
    name = TensorProto.DataType.Name(element_type).lower()
    raise UnsupportedError(f"tensors of {name} are not supported", remedy="cast to a float or integer type in the model")


def array_dtype(array: np.ndarray) -> DType:
    """sol's dtype of a numpy array, ml_dtypes included."""
    try:
        return DType.from_numpy(array.dtype)
    except TypeError:
        raise UnsupportedError(f"arrays of numpy {array.dtype} are not supported") from None
