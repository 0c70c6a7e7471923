"""How arrays change hands: as references hold them, as C stores them, and as numpy users give and get them."""

from __future__ import annotations

import numpy as np

from sol.errors import SolError
from sol.ir.minifloat import decoded, encode
from sol.ir.types import ML_DTYPES, DType


def as_stored(array: np.ndarray, dtype: DType) -> np.ndarray:
    """Held values → the elements that C reads: bits of bfloat16 as uint16, codes of smaller floats as uint8, else the array itself."""
    if dtype.is_minifloat and array.dtype.kind == "f":
        return encode(array, dtype)
    if dtype is not DType.BF16 or array.dtype != np.float32:
        return array
    bits = np.ascontiguousarray(array).view(np.uint32)
    rounded = ((bits + np.uint32(0x7FFF) + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), np.uint16(0x7FC0), rounded)


def as_held(stored: np.ndarray, dtype: DType) -> np.ndarray:
    """Elements that C wrote → values as references hold them (``dtype.numpy``)."""
    if dtype.is_minifloat:
        return decoded(dtype)[stored]
    if dtype is DType.BF16:
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return stored


def is_representable(value: float, dtype: DType) -> bool:
    """Whether a finite number is one of a dtype's own, so that storing it rounds nothing."""
    held = as_held(as_stored(np.array(value, dtype.numpy), dtype), dtype)
    return bool(held.item() == value)


def stored_dtype(dtype: DType) -> np.dtype:
    """The numpy dtype of the elements that C reads and writes."""
    if dtype.is_minifloat:
        return np.dtype(np.uint8)
    return np.dtype(np.uint16) if dtype is DType.BF16 else dtype.numpy


def edge_dtype(dtype: DType) -> np.dtype:
    """The dtype of numpy arrays that users give and get; SolError if the ml_dtypes package is needed and not installed."""
    if dtype not in ML_DTYPES:
        return dtype.numpy
    try:
        import ml_dtypes
    except ImportError:
        raise SolError(f"numpy has no {ML_DTYPES[dtype]}", remedy="pip install ml_dtypes (it comes with sol[onnx])") from None
    return np.dtype(getattr(ml_dtypes, ML_DTYPES[dtype]))


def from_edge(array: np.ndarray, dtype: DType) -> np.ndarray:
    """A user's array of dtype ``edge_dtype(dtype)`` → C-contiguous elements that C reads (shared memory where nothing changes)."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    if dtype in ML_DTYPES:
        return array.astype(dtype.numpy) if dtype.is_int else array.view(stored_dtype(dtype))
    return array


def to_edge(stored: np.ndarray, dtype: DType) -> np.ndarray:
    """Elements that C wrote → the array that users get."""
    if dtype in ML_DTYPES:
        return stored.astype(edge_dtype(dtype)) if dtype.is_int else stored.view(edge_dtype(dtype))
    return stored


def held_from_edge(array: np.ndarray) -> np.ndarray:
    """An array of any supported numpy or ml_dtypes dtype → values as references hold them."""
    return np.asarray(array).astype(DType.from_numpy(array.dtype).numpy, copy=False)


def packed_size(count: int, dtype: DType) -> int:
    """Bytes of ``count`` elements packed as ONNX and C interfaces have them."""
    return -(-count * dtype.bits // 8)


def pack(stored: np.ndarray, dtype: DType) -> np.ndarray:
    """Elements of a byte each → uint8[packed_size]: 4- and 2-bit elements lie side by side, the first in the low bits."""
    if dtype.bits >= 8:
        return np.ascontiguousarray(stored).reshape(-1).view(np.uint8)
    per = 8 // dtype.bits
    flat = stored.reshape(-1).astype(np.uint8) & ((1 << dtype.bits) - 1)
    padded = np.zeros(-(-flat.size // per) * per, np.uint8)
    padded[: flat.size] = flat
    parts = padded.reshape(-1, per) << (dtype.bits * np.arange(per, dtype=np.uint8))
    return np.bitwise_or.reduce(parts, axis=1, dtype=np.uint8)


def unpack(packed: np.ndarray, dtype: DType, count: int) -> np.ndarray:
    """uint8[packed_size] → ``count`` elements as C reads them, signed ones with their sign."""
    if dtype.bits >= 8:
        return packed.view(stored_dtype(dtype))[:count]
    per, mask = 8 // dtype.bits, (1 << dtype.bits) - 1
    flat = ((packed.reshape(-1, 1) >> (dtype.bits * np.arange(per, dtype=np.uint8))) & mask).reshape(-1)[:count]
    if dtype.is_int and not dtype.is_unsigned:
        return np.where(flat > mask // 2, flat.astype(np.int16) - mask - 1, flat).astype(np.int8)
    return flat.astype(np.uint8)
