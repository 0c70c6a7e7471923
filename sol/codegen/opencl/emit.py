"""Traces pointwise ops into OpenCL C, as `sol.codegen.emit` does in its scalar mode; functions have no suffix for their type there."""

from __future__ import annotations

from sol.codegen.emit import CValue, Emitter
from sol.errors import UnsupportedError
from sol.ir.types import DType

TYPES = {
    DType.F32: "float", DType.F64: "double", DType.I64: "long", DType.I32: "int", DType.I16: "short", DType.I8: "char", DType.U8: "uchar",
    DType.U16: "ushort", DType.U32: "uint", DType.U64: "ulong", DType.BOOL: "uchar",
}  # fmt: skip
"""Element types that kernels compute with → how OpenCL C calls them in memory."""


class OpenCLEmitter(Emitter):
    """The math namespace over values of OpenCL C."""

    def __init__(self) -> None:
        super().__init__(vector=False)

    def ctype(self, dtype: DType) -> str:
        return "int" if dtype is DType.BOOL else type_of(dtype)

    def call(self, name: str, *operands: CValue) -> CValue:
        dtype = operands[0].dtype
        if not dtype.is_float:
            raise UnsupportedError(f"{name} of {dtype} values", remedy="cast to a float type first")
        return self.let(f"{name}({', '.join(o.text for o in operands)})", dtype)

    def cast(self, x: CValue, dtype: DType) -> CValue:
        type_of(dtype)
        return super().cast(x, dtype)

    def bitcast(self, x: CValue, source: DType, dtype: DType) -> CValue:
        if DType.BOOL in (source, dtype):
            raise UnsupportedError(f"the bits of {source} as {dtype} in OpenCL C", remedy="leave that operation to the host")
        return self.let(f"as_{type_of(dtype)}({x.text})", dtype)


def type_of(dtype: DType) -> str:
    """Raises UnsupportedError for types that kernels do not compute with."""
    if dtype not in TYPES:
        raise UnsupportedError(f"{dtype} values in OpenCL C", remedy="leave operations of them to the host")
    return TYPES[dtype]
