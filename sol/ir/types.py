"""Types of values: element type, shape, and how the elements lie in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from sol.ir.dim import Dim, DimLike, dim_text, product


class DType(Enum):
    """Element types. The value is the name in IR text."""

    F64 = "f64"
    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    I64 = "i64"
    I32 = "i32"
    I16 = "i16"
    I8 = "i8"
    U8 = "u8"
    BOOL = "bool"

    @property
    def is_float(self) -> bool:
        return self in (DType.F64, DType.F32, DType.F16, DType.BF16)

    @property
    def is_int(self) -> bool:
        return not self.is_float and self is not DType.BOOL

    @property
    def itemsize(self) -> int:
        return _ITEMSIZE[self]

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype that stores it; bfloat16 has none and is held as float32 in references."""
        return _NUMPY[self]

    @property
    def c(self) -> str:
        """The C type that stores one element."""
        return _C[self]

    @staticmethod
    def from_numpy(dtype: np.dtype) -> DType:
        for ours in (DType.F64, DType.F32, DType.F16, DType.I64, DType.I32, DType.I16, DType.I8, DType.U8, DType.BOOL):
            if ours.numpy == dtype:
                return ours
        raise TypeError(f"no sol dtype for numpy {dtype}")

    def __str__(self) -> str:
        return self.value


_ITEMSIZE = {
    DType.F64: 8, DType.F32: 4, DType.F16: 2, DType.BF16: 2, DType.I64: 8,
    DType.I32: 4, DType.I16: 2, DType.I8: 1, DType.U8: 1, DType.BOOL: 1,
}  # fmt: skip
_NUMPY: dict[DType, np.dtype[Any]] = {
    DType.F64: np.dtype(np.float64), DType.F32: np.dtype(np.float32), DType.F16: np.dtype(np.float16),
    DType.BF16: np.dtype(np.float32), DType.I64: np.dtype(np.int64), DType.I32: np.dtype(np.int32),
    DType.I16: np.dtype(np.int16), DType.I8: np.dtype(np.int8), DType.U8: np.dtype(np.uint8),
    DType.BOOL: np.dtype(np.bool_),
}  # fmt: skip
_C = {
    DType.F64: "double", DType.F32: "float", DType.F16: "_Float16", DType.BF16: "uint16_t", DType.I64: "int64_t",
    DType.I32: "int32_t", DType.I16: "int16_t", DType.I8: "int8_t", DType.U8: "uint8_t", DType.BOOL: "uint8_t",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """Order of elements in memory.

    block == 0: row-major in the logical order of dimensions.
    block == c: dimension 1 is split: ``[N, ceil(C/c), *spatial, c]`` (NCHWc);
        lanes beyond C hold zero or any finite value.
    """

    block: int = 0

    def __str__(self) -> str:
        return f"{{c{self.block}}}" if self.block else ""


PLAIN = Layout()


@dataclass(frozen=True, slots=True)
class TensorType:
    """dtype, logical shape (always in the framework's order, NCHW for images) and layout."""

    dtype: DType
    shape: tuple[DimLike, ...]
    layout: Layout = PLAIN

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> DimLike:
        """Number of logical elements."""
        return product(self.shape)

    @property
    def is_static(self) -> bool:
        return not any(isinstance(d, Dim) for d in self.shape)

    def with_shape(self, shape: tuple[DimLike, ...]) -> TensorType:
        return replace(self, shape=tuple(shape))

    def with_dtype(self, dtype: DType) -> TensorType:
        return replace(self, dtype=dtype)

    def with_layout(self, layout: Layout) -> TensorType:
        return replace(self, layout=layout)

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(dim_text(d) for d in self.shape)}]{self.layout}"
