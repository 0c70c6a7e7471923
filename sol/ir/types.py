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
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    BOOL = "bool"
    F8E4M3FN = "f8e4m3fn"
    F8E4M3FNUZ = "f8e4m3fnuz"
    F8E5M2 = "f8e5m2"
    F8E5M2FNUZ = "f8e5m2fnuz"
    F8E8M0 = "f8e8m0"
    F4E2M1 = "f4e2m1"
    I4 = "i4"
    U4 = "u4"
    I2 = "i2"
    U2 = "u2"
    C32 = "c32"
    C64 = "c64"
    C128 = "c128"
    QI8 = "qi8"
    QU8 = "qu8"
    QI32 = "qi32"

    @property
    def is_float(self) -> bool:
        return self.value[0] == "f" or self is DType.BF16

    @property
    def is_int(self) -> bool:
        return self.value[0] in "iu"

    @property
    def is_unsigned(self) -> bool:
        return self.value[0] == "u"

    @property
    def is_minifloat(self) -> bool:
        """Floats of 8 and fewer bits (sol/ir/minifloat.py): one byte each in memory, float32 where computed with."""
        return self in (DType.F8E4M3FN, DType.F8E4M3FNUZ, DType.F8E5M2, DType.F8E5M2FNUZ, DType.F8E8M0, DType.F4E2M1)

    @property
    def is_opaque(self) -> bool:
        """Complex and quantized elements: no kernel reads them, values of these types pass between torch calls."""
        return self.value[0] in "cq"

    @property
    def bits(self) -> int:
        """Bits of information; those of fewer than 8 take a byte each inside of sol and are packed at its edges."""
        return _BITS.get(self, 8 * self.itemsize)

    @property
    def itemsize(self) -> int:
        return _ITEMSIZE[self]

    @property
    def numpy(self) -> np.dtype[Any]:
        """The numpy dtype that holds it in references: float32 for bfloat16 and smaller floats, a byte for smaller integers."""
        return _NUMPY[self]

    @property
    def c(self) -> str:
        """The C type that stores one element."""
        return _C[self]

    @staticmethod
    def from_numpy(dtype: np.dtype) -> DType:
        """The dtype of a numpy array, those of the ml_dtypes package included; TypeError for others."""
        try:
            return _BY_NUMPY_NAME[np.dtype(dtype).name]
        except KeyError:
            raise TypeError(f"no sol dtype for numpy {dtype}") from None

    def __str__(self) -> str:
        return self.value


THROUGH_I32 = (DType.I8, DType.I16, DType.U16, DType.I32)
"""Integers that a float becomes by way of int32, as in torch on x86: of NaN and what int32 does not hold its smallest number is taken.
Others go through int64 likewise (torch's vectorized code goes another way for uint32 than its scalar one, which is followed)."""


_BITS = {DType.F4E2M1: 4, DType.I4: 4, DType.U4: 4, DType.I2: 2, DType.U2: 2}
_ITEMSIZE = {
    DType.F64: 8, DType.F32: 4, DType.F16: 2, DType.BF16: 2, DType.I64: 8, DType.I32: 4, DType.I16: 2, DType.I8: 1,
    DType.U64: 8, DType.U32: 4, DType.U16: 2, DType.U8: 1, DType.BOOL: 1,
    **{d: 1 for d in DType if d.is_minifloat or d in _BITS},
    DType.C32: 4, DType.C64: 8, DType.C128: 16, DType.QI8: 1, DType.QU8: 1, DType.QI32: 4,
}  # fmt: skip
_NUMPY: dict[DType, np.dtype[Any]] = {
    DType.F64: np.dtype(np.float64), DType.F32: np.dtype(np.float32), DType.F16: np.dtype(np.float16),
    DType.BF16: np.dtype(np.float32), DType.I64: np.dtype(np.int64), DType.I32: np.dtype(np.int32),
    DType.I16: np.dtype(np.int16), DType.I8: np.dtype(np.int8), DType.U8: np.dtype(np.uint8),
    DType.U16: np.dtype(np.uint16), DType.U32: np.dtype(np.uint32), DType.U64: np.dtype(np.uint64),
    DType.I4: np.dtype(np.int8), DType.I2: np.dtype(np.int8), DType.U4: np.dtype(np.uint8), DType.U2: np.dtype(np.uint8),
    DType.BOOL: np.dtype(np.bool_),
    **{d: np.dtype(np.float32) for d in DType if d.is_minifloat},
}  # fmt: skip
_C = {
    DType.F64: "double", DType.F32: "float", DType.F16: "_Float16", DType.BF16: "uint16_t", DType.I64: "int64_t",
    DType.I32: "int32_t", DType.I16: "int16_t", DType.I8: "int8_t", DType.U8: "uint8_t", DType.BOOL: "uint8_t",
    DType.U64: "uint64_t", DType.U32: "uint32_t", DType.U16: "uint16_t",
    DType.I4: "int8_t", DType.I2: "int8_t", DType.U4: "uint8_t", DType.U2: "uint8_t",
    **{d: "uint8_t" for d in DType if d.is_minifloat},
}  # fmt: skip
ML_DTYPES = {
    DType.BF16: "bfloat16", DType.F8E4M3FN: "float8_e4m3fn", DType.F8E4M3FNUZ: "float8_e4m3fnuz", DType.F8E5M2: "float8_e5m2",
    DType.F8E5M2FNUZ: "float8_e5m2fnuz", DType.F8E8M0: "float8_e8m0fnu", DType.F4E2M1: "float4_e2m1fn",
    DType.I4: "int4", DType.U4: "uint4", DType.I2: "int2", DType.U2: "uint2",
}  # fmt: skip
"""Names in the ml_dtypes package of the dtypes that numpy itself has not."""
_BY_NUMPY_NAME = {**{_NUMPY[d].name: d for d in _NUMPY if d not in ML_DTYPES}, **{name: d for d, name in ML_DTYPES.items()}}


HOST = "host"
"""The memory space in which callers give inputs and get outputs. Others are named by the targets whose kernels address them."""


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
