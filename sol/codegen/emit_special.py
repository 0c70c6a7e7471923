"""The part of the tracer that names functions (`emit.py` has arithmetic, comparison, choice and casts)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sol.ir.ops import gates
from sol.ir.types import DType

if TYPE_CHECKING:
    from sol.codegen.emit import CValue


class SpecialFunctions:
    """Functions of the math namespace that ``vf_<name>`` of sol_special.h and sol_math.h serves for vectors, and libm for numbers."""

    vector: bool

    if TYPE_CHECKING:

        def call(self, name: str, *operands: CValue) -> CValue: ...
        def let(self, expression: str, dtype: DType) -> CValue: ...
        def sigmoid(self, x: CValue) -> CValue: ...

    def atan(self, x: CValue) -> CValue:
        return self.call("atan", x)

    def asin(self, x: CValue) -> CValue:
        return self.call("asin", x)

    def acos(self, x: CValue) -> CValue:
        return self.call("acos", x)

    def sinh(self, x: CValue) -> CValue:
        return self.call("sinh", x)

    def cosh(self, x: CValue) -> CValue:
        return self.call("cosh", x)

    def asinh(self, x: CValue) -> CValue:
        return self.call("asinh", x)

    def acosh(self, x: CValue) -> CValue:
        return self.call("acosh", x)

    def atanh(self, x: CValue) -> CValue:
        return self.call("atanh", x)

    def silu(self, x: CValue) -> CValue:
        return self.call("silu", x) if self.vector else x * self.sigmoid(x)

    def gelu_tanh(self, x: CValue) -> CValue:
        return self.call("gelu_tanh", x) if self.vector else gates.gelu_tanh(self, x)

    def gelu_tanh_slope(self, x: CValue) -> CValue:
        return self.call("gelu_tanh_slope", x) if self.vector else gates.gelu_tanh_slope(self, x)

    def erfc(self, x: CValue) -> CValue:
        return self.call("erfc", x)

    def lgamma(self, x: CValue) -> CValue:
        return self.call("lgamma", x)

    def exp2(self, x: CValue) -> CValue:
        return self.call("exp2", x)

    def log2(self, x: CValue) -> CValue:
        return self.call("log2", x)

    def log10(self, x: CValue) -> CValue:
        return self.call("log10", x)

    def nextafter(self, x: CValue, y: CValue) -> CValue:
        return self.call("nextafter", x, y)

    def signbit(self, x: CValue) -> CValue:
        if x.dtype is DType.BOOL or x.dtype.is_unsigned:
            return self.let("vi_set(0)" if self.vector else "0", DType.BOOL)
        if self.vector:
            return self.let(f"(vi){x.text} < 0", DType.BOOL)
        return self.let(f"signbit({x.text}) != 0" if x.dtype.is_float else f"{x.text} < 0", DType.BOOL)

    def shift_left(self, x: CValue, n: CValue) -> CValue:
        return self._shift("left", x, n)

    def shift_right(self, x: CValue, n: CValue) -> CValue:
        return self._shift("right", x, n)

    def gcd(self, x: CValue, y: CValue) -> CValue:
        return self.let(f"({x.dtype.c})sol_gcd{'_u64' if x.dtype is DType.U64 else ''}({x.text}, {y.text})", x.dtype)

    def _shift(self, way: str, x: CValue, n: Any) -> CValue:
        wide = "_u64" if x.dtype is DType.U64 else ""
        return self.let(f"({x.dtype.c})sol_shift_{way}{wide}({x.text}, {n.text}, {x.dtype.bits})", x.dtype)
