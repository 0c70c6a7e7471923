"""Traces pointwise ops into C: the math namespace that, given C values, writes one statement per step.

Two modes. "vector": every value is ``vf`` (LANES float32, which also bfloat16 is computed in) or ``vi`` (a mask, or integers of up to 32
bits, which ``sol_int.h`` loads and stores); functions are those of sol_simd.h and sol_math.h.
"scalar": every value has the C type of its dtype (half precisions are computed in float); functions are libm's and those of sol_scalar.h.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sol.codegen.element import from_memory, rounded, to_memory
from sol.codegen.emit_special import SpecialFunctions
from sol.errors import UnsupportedError
from sol.ir.lanes import BYTE_LIMITS, FLOAT_LANES, LANE_DTYPES, NARROW_FLOATS
from sol.ir.minifloat import ROUNDINGS
from sol.ir.types import THROUGH_I32, DType


@dataclass(frozen=True, eq=False)
class CValue:
    """A C expression that is a variable, a literal or a load; operators trace further statements."""

    emitter: Emitter
    text: str
    dtype: DType
    literal: float | int | bool | None = None

    def __add__(self, other: Any) -> CValue:
        return self.emitter.infix("+", self, other)

    def __radd__(self, other: Any) -> CValue:
        return self.emitter.infix("+", other, self)

    def __sub__(self, other: Any) -> CValue:
        return self.emitter.infix("-", self, other)

    def __rsub__(self, other: Any) -> CValue:
        return self.emitter.infix("-", other, self)

    def __mul__(self, other: Any) -> CValue:
        return self.emitter.infix("*", self, other)

    def __rmul__(self, other: Any) -> CValue:
        return self.emitter.infix("*", other, self)

    def __truediv__(self, other: Any) -> CValue:
        return self.emitter.infix("/", self, other)

    def __rtruediv__(self, other: Any) -> CValue:
        return self.emitter.infix("/", other, self)

    def __neg__(self) -> CValue:
        return self.emitter.unary("-", self)

    def __lt__(self, other: Any) -> CValue:
        return self.emitter.compare("<", self, other)

    def __le__(self, other: Any) -> CValue:
        return self.emitter.compare("<=", self, other)

    def __gt__(self, other: Any) -> CValue:
        return self.emitter.compare(">", self, other)

    def __ge__(self, other: Any) -> CValue:
        return self.emitter.compare(">=", self, other)


class Emitter(SpecialFunctions):
    """The math namespace over C values. ``lines`` collects the statements; equal statements are written once."""

    def __init__(self, *, vector: bool, prefix: str = "t") -> None:
        self.vector, self.prefix = vector, prefix
        self.lines: list[str] = []
        self._known: dict[str, CValue] = {}
        self._count = 0

    def load(self, text: str, dtype: DType) -> CValue:
        """A value given as C text (a variable or a load)."""
        return CValue(self, text, dtype)

    def apply(self, op: str, attrs: Mapping[str, Any], operands: list[CValue]) -> CValue:
        """Trace one pointwise op of the IR."""
        from sol.ir.ops.pointwise import POINTWISE

        result = POINTWISE[op].function(self, *operands, **attrs)
        return result if isinstance(result, CValue) else self.constant(result, operands[0].dtype)

    def constant(self, value: Any, dtype: DType) -> CValue:
        """A Python number as a value."""
        return self._literal(value, dtype)

    # -- statements --------------------------------------------------------------------------------------------------

    def ctype(self, dtype: DType) -> str:
        """The C type of a temporary."""
        if self.vector:
            return "vf" if dtype in FLOAT_LANES else "vi"
        if dtype is DType.BOOL:
            return "int"
        return "float" if dtype in (DType.F16, DType.BF16) or dtype.is_minifloat else dtype.c

    def let(self, expression: str, dtype: DType) -> CValue:
        """``const T tN = expression;``"""
        key = f"{dtype}:{expression}"
        if key not in self._known:
            name = f"{self.prefix}{self._count}"
            self._count += 1
            self.lines.append(f"const {self.ctype(dtype)} {name} = {expression};")
            self._known[key] = CValue(self, name, dtype)
        return self._known[key]

    def _literal(self, value: Any, dtype: DType) -> CValue:
        return CValue(self, self.literal_text(value, dtype), dtype, literal=value)

    def literal_text(self, value: Any, dtype: DType) -> str:
        """A Python number as a C literal of a dtype."""
        if self.vector:
            if dtype in FLOAT_LANES:
                return f"vf_set({c_float(value)})"
            return f"vi_set({-1 if dtype is DType.BOOL and value else int(value)})"
        if dtype is DType.BOOL:
            return "1" if value else "0"
        if dtype.is_float:
            text = c_double(value) if dtype is DType.F64 else c_float(value)
        else:
            text = c_integer(value, dtype)
        return f"({text})" if text.startswith("-") else text

    def _pair(self, a: Any, b: Any) -> tuple[CValue, CValue]:
        if not isinstance(a, CValue):
            return self._literal(a, b.dtype), b
        if not isinstance(b, CValue):
            return a, self._literal(b, a.dtype)
        if a.dtype is DType.BOOL and b.dtype is not DType.BOOL:
            return self.cast(a, b.dtype), b
        return a, self.cast(b, a.dtype) if b.dtype is DType.BOOL else b

    def infix(self, symbol: str, a: Any, b: Any) -> CValue:
        """Sum and product of bools are "or" and "and", as in torch."""
        a, b = self._pair(a, b)
        if a.dtype is DType.BOOL:
            symbol = {"+": "|", "*": "&"}.get(symbol, symbol)
        if a.dtype.is_int and symbol in "+-*":
            return self.let(wrapping(a.dtype, a.text, symbol, b.text, vector=self.vector), a.dtype)
        return self.let(f"{a.text} {symbol} {b.text}", a.dtype)

    def unary(self, symbol: str, a: CValue) -> CValue:
        if a.dtype.is_int and symbol == "-":
            return self.let(wrapping(a.dtype, "0", symbol, a.text, vector=self.vector), a.dtype)
        return self.let(f"{symbol}{a.text}", a.dtype)

    def compare(self, symbol: str, a: Any, b: Any) -> CValue:
        a, b = self._pair(a, b)
        if self.vector and a.dtype is DType.BOOL:  # a true lane is -1
            a, b = b, a
        return self.let(f"{a.text} {symbol} {b.text}", DType.BOOL)

    def call(self, name: str, *operands: CValue) -> CValue:
        """``vf_name(…)`` in vector mode, libm's ``namef(…)``/``name(…)`` in scalar mode."""
        texts = ", ".join(o.text for o in operands)
        dtype = operands[0].dtype
        if self.vector:
            return self.let(f"vf_{name}({texts})", dtype)
        if not dtype.is_float:
            raise UnsupportedError(f"{name} of {dtype} values", remedy="cast to a float type first")
        return self.let(f"{name}{'' if dtype is DType.F64 else 'f'}({texts})", dtype)

    # -- the math namespace (sol/ir/ops/pointwise.py) ------------------------------------------------------------------

    def dtype_of(self, x: CValue) -> DType:
        return x.dtype

    def exp(self, x: CValue) -> CValue:
        return self.call("exp", x)

    def expm1(self, x: CValue) -> CValue:
        return self.call("expm1", x)

    def log(self, x: CValue) -> CValue:
        return self.call("log", x)

    def log1p(self, x: CValue) -> CValue:
        return self.call("log1p", x)

    def sqrt(self, x: CValue) -> CValue:
        return self.call("sqrt", x)

    def rsqrt(self, x: CValue) -> CValue:
        return self.call("rsqrt", x) if self.vector else 1.0 / self.call("sqrt", x)

    def tanh(self, x: CValue) -> CValue:
        return self.call("tanh", x)

    def erf(self, x: CValue) -> CValue:
        return self.call("erf", x)

    def sin(self, x: CValue) -> CValue:
        return self.call("sin", x)

    def cos(self, x: CValue) -> CValue:
        return self.call("cos", x)

    def tan(self, x: CValue) -> CValue:
        return self.call("tan", x)

    def sigmoid(self, x: CValue) -> CValue:
        return self.call("sigmoid", x) if self.vector else 1.0 / (1.0 + self.exp(-x))

    def softplus(self, x: CValue) -> CValue:
        """log(1 + exp(x))"""
        return self.call("softplus", x) if self.vector else self.maximum(x, 0) + self.log1p(self.exp(-self.abs(x)))

    def normal_cdf(self, x: CValue) -> CValue:
        """(1 + erf(x / sqrt(2))) / 2"""
        if not self.vector:
            return 0.5 * self.call("erfc", x * -math.sqrt(0.5))
        return self.call("normal_cdf_bf16" if x.dtype is DType.BF16 else "normal_cdf", x)

    def gelu(self, x: CValue) -> CValue:
        """x (1 + erf(x / sqrt(2))) / 2"""
        return self.call("gelu", x) if self.vector and x.dtype is not DType.BF16 else x * self.normal_cdf(x)

    def gelu_slope(self, x: CValue) -> CValue:
        """The derivative of gelu."""
        if self.vector and x.dtype is not DType.BF16:
            return self.call("gelu_slope", x)
        return self.normal_cdf(x) + x * self.exp(x * x * -0.5) * math.sqrt(0.5 / math.pi)

    def floor(self, x: CValue) -> CValue:
        return self.call("floor", x) if x.dtype.is_float else x

    def ceil(self, x: CValue) -> CValue:
        return self.call("ceil", x) if x.dtype.is_float else x

    def rint(self, x: CValue) -> CValue:
        return self.call("rint", x) if x.dtype.is_float else x

    def trunc(self, x: CValue) -> CValue:
        return self.call("trunc", x) if x.dtype.is_float else x

    def pow(self, x: Any, y: Any) -> CValue:
        x, y = self._pair(x, y)
        if not x.dtype.is_float:
            return self.let(f"sol_power{_wide(x)}({x.text}, {y.text})", x.dtype)
        if x.literal == 2:
            return self.call("exp2", y)
        return self.call("pow", x, y)

    def atan2(self, y: CValue, x: CValue) -> CValue:
        return self.call("atan2", y, x)

    def fmod(self, x: Any, y: Any) -> CValue:
        x, y = self._pair(x, y)
        return self.call("fmod", x, y) if x.dtype.is_float else self.let(f"sol_modulo{_wide(x)}({x.text}, {y.text})", x.dtype)

    def abs(self, x: CValue) -> CValue:
        if x.dtype is DType.BOOL or x.dtype.is_unsigned:
            return x
        if self.vector:
            return self.let(f"vf_abs({x.text})", x.dtype)
        if x.dtype.is_float:
            return self.call("fabs", x)
        return self.let(f"({x.text} < 0 ? {wrapping(x.dtype, '0', '-', x.text)} : {x.text})", x.dtype)

    def sign(self, x: CValue) -> CValue:
        """-1, 0 or 1; 0 for NaN as in torch."""
        if x.dtype is DType.BOOL:
            return x
        zero, one = self._literal(0, x.dtype), self._literal(1, x.dtype)
        if x.dtype.is_unsigned:
            return self.where(x > zero, one, zero)
        return self.where(x > zero, one, self.where(x < zero, self._literal(-1, x.dtype), zero))

    def maximum(self, a: Any, b: Any) -> CValue:
        return self._extremum("max", ">", a, b)

    def minimum(self, a: Any, b: Any) -> CValue:
        return self._extremum("min", "<", a, b)

    def _extremum(self, name: str, symbol: str, a: Any, b: Any) -> CValue:
        a, b = self._pair(a, b)
        if a.dtype is DType.BOOL:
            return self.let(f"{a.text} {'|' if name == 'max' else '&'} {b.text}", DType.BOOL)
        if self.vector:
            if a.dtype not in FLOAT_LANES:
                return self.let(f"vi_{name}({a.text}, {b.text})", a.dtype)
            if b.literal is not None and b.literal == b.literal:
                return self.let(f"vf_{name}_quiet({b.text}, {a.text})", a.dtype)
            return self.let(f"vf_{name}({a.text}, {b.text})", a.dtype)
        if a.dtype.is_float:
            return self.let(f"({a.text} {symbol} {b.text} || {a.text} != {a.text} ? {a.text} : {b.text})", a.dtype)
        return self.let(f"({a.text} {symbol} {b.text} ? {a.text} : {b.text})", a.dtype)

    def where(self, condition: CValue, a: Any, b: Any) -> CValue:
        a, b = self._pair(a, b)
        if self.vector:
            if a.dtype not in FLOAT_LANES:
                return self.let(f"({condition.text} & {a.text}) | (~{condition.text} & {b.text})", a.dtype)
            return self.let(f"vf_select({condition.text}, {a.text}, {b.text})", a.dtype)
        return self.let(f"{condition.text} ? {a.text} : {b.text}", a.dtype)

    def eq(self, a: Any, b: Any) -> CValue:
        return self.compare("==", *self._pair(a, b))

    def ne(self, a: Any, b: Any) -> CValue:
        return self.compare("!=", *self._pair(a, b))

    def isnan(self, x: CValue) -> CValue:
        return self.compare("!=", x, x) if x.dtype.is_float else self._literal(False, DType.BOOL)

    def isinf(self, x: CValue) -> CValue:
        return self.compare("==", self.abs(x), float("inf")) if x.dtype.is_float else self._literal(False, DType.BOOL)

    def _as_bool(self, x: CValue) -> CValue:
        return x if x.dtype is DType.BOOL else self.compare("!=", x, 0)

    def logical_and(self, a: CValue, b: CValue) -> CValue:
        return self.let(f"{self._as_bool(a).text} & {self._as_bool(b).text}", DType.BOOL)

    def logical_or(self, a: CValue, b: CValue) -> CValue:
        return self.let(f"{self._as_bool(a).text} | {self._as_bool(b).text}", DType.BOOL)

    def logical_xor(self, a: CValue, b: CValue) -> CValue:
        return self.let(f"{self._as_bool(a).text} ^ {self._as_bool(b).text}", DType.BOOL)

    def logical_not(self, a: CValue) -> CValue:
        return self.let(f"{'~' if self.vector else '!'}{self._as_bool(a).text}", DType.BOOL)

    def bitwise_and(self, a: CValue, b: CValue) -> CValue:
        return self.infix("&", a, b)

    def bitwise_or(self, a: CValue, b: CValue) -> CValue:
        return self.infix("|", a, b)

    def bitwise_xor(self, a: CValue, b: CValue) -> CValue:
        return self.infix("^", a, b)

    def bitwise_not(self, a: CValue) -> CValue:
        return self.logical_not(a) if a.dtype is DType.BOOL else self.unary("~", a)

    def remainder(self, a: Any, b: Any) -> CValue:
        """Python's %: the result has the divisor's sign. An integer by zero is 0 (torch raises)."""
        a, b = self._pair(a, b)
        if a.dtype.is_float:
            r = self.fmod(a, b)
            return self.where(self._turns(r, b), r + b, r)
        return self.let(f"sol_remainder{_wide(a)}({a.text}, {b.text})", a.dtype)

    def floor_divide(self, a: Any, b: Any) -> CValue:
        """Python's //, computed from the exact remainder as torch does. An integer by zero is 0 (torch raises)."""
        a, b = self._pair(a, b)
        if not a.dtype.is_float:
            return self.let(f"sol_floor_divide{_wide(a)}({a.text}, {b.text})", a.dtype)
        r = self.fmod(a, b)
        whole = (a - r) / b
        whole = self.where(self._turns(r, b), whole - 1.0, whole)
        down = self.floor(whole)
        down = self.where(whole - down > 0.5, down + 1.0, down)
        return self.where(self.eq(b, 0), a / b, down)

    def trunc_divide(self, a: Any, b: Any) -> CValue:
        """The quotient towards zero. An integer by zero is 0 (torch raises)."""
        a, b = self._pair(a, b)
        if a.dtype.is_float:
            return self.trunc(a / b)
        return self.let(f"sol_divide{_wide(a)}({a.text}, {b.text})", a.dtype)

    def _turns(self, r: CValue, b: CValue) -> CValue:
        """Where a remainder is not zero and differs from the divisor in sign."""
        return self.logical_and(self.ne(r, 0), self.ne(r < 0, b < 0))

    def cast(self, x: CValue, dtype: DType) -> CValue:
        if x.dtype is dtype:
            return x
        if self.vector:
            return self._vector_cast(x, dtype)
        if dtype is DType.BOOL:
            return self.compare("!=", x, 0)
        if dtype is DType.F16:
            return self.let(f"(float)(_Float16){x.text}", dtype)
        if dtype is DType.BF16 or dtype.is_minifloat:
            return self.let(from_memory(dtype, to_memory(dtype, f"(float){x.text}")), dtype)
        if dtype is DType.U64 and x.dtype.is_float:
            return self.let(f"sol_to_u64({x.text})", dtype)
        text = x.text
        if dtype.is_int and x.dtype.is_float:
            text = f"sol_whole({'(int32_t)' if dtype in THROUGH_I32 else '(int64_t)'}{text})"
        if dtype.bits < 8:
            return self.let(f"sol_wrap_{dtype}((uint8_t){text})", dtype)
        return self.let(f"({self.ctype(dtype)}){text}", dtype)

    def _vector_cast(self, x: CValue, dtype: DType) -> CValue:
        if dtype not in LANE_DTYPES:
            raise UnsupportedError(f"a vector cast from {x.dtype} to {dtype}")
        if dtype is DType.BOOL:
            return self.ne(x, 0)
        if dtype in NARROW_FLOATS:
            wide = self._vector_cast(x, DType.F32)
            return self.let(rounded(dtype, wide.text), dtype) if x.dtype is not DType.BOOL else replace(wide, dtype=dtype)
        if x.dtype in FLOAT_LANES and dtype is DType.F32:
            return replace(x, dtype=dtype)
        if x.dtype is DType.BOOL:
            return self.let(f"vf_select({x.text}, vf_set(1.0f), vf_zero())" if dtype is DType.F32 else f"{x.text} & 1", dtype)
        if dtype is DType.F32:
            return self.let(f"vf_of_ints({x.text})", dtype)
        whole = x if x.dtype.is_int else self.let(f"vi_of_floats({x.text})", DType.I32)
        return CValue(self, whole.text, dtype) if dtype is DType.I32 else self.let(f"vi_wrap_{dtype}({whole.text})", dtype)

    def nearest_byte(self, x: CValue, dtype: DType, low: float, high: float) -> CValue:
        """The whole number between limits that is nearest to a vector of float32, to be stored as bytes of ``dtype`` and not read before:
        the store may be what limits it to bytes. The limits are whole numbers of ``dtype``."""
        least, most = BYTE_LIMITS[dtype]
        if dtype is DType.U8:
            x = self.minimum(x, high) if high < most else x
            return self.let(f"vi_nearest_u8({x.text}, {c_float(low)})", dtype)
        x = self.maximum(x, low) if low > least else x
        return self.let(f"vi_nearest_i8({x.text}, {c_float(high)})", dtype)

    def cast_saturated(self, x: CValue, dtype: DType, rounding: str) -> CValue:
        """What an 8-bit float cannot hold becomes its largest value; other types as ``cast``."""
        if not dtype.is_minifloat or dtype is DType.F4E2M1:
            return self.cast(x, dtype)
        text = f"(float){x.text}"
        if dtype is DType.F8E8M0:
            return self.let(f"sol_from_f8e8m0(sol_encode_f8e8m0({text}, 1, {ROUNDINGS.index(rounding)}))", dtype)
        return self.let(f"sol_from_{dtype}(sol_encode_{dtype}({text}, 1))", dtype)

    def cast_rounded(self, x: CValue, dtype: DType, rounding: str) -> CValue:
        """As ``cast``, with the rounding of f8e8m0."""
        if dtype is not DType.F8E8M0:
            return self.cast(x, dtype)
        return self.let(f"sol_from_f8e8m0(sol_encode_f8e8m0((float){x.text}, 0, {ROUNDINGS.index(rounding)}))", dtype)

    def bitcast(self, x: CValue, source: DType, dtype: DType) -> CValue:
        """The bits that memory holds, read as another type of the same size."""
        if self.vector:
            raise UnsupportedError(f"a vector bitcast from {source} to {dtype}")
        bits = f"((union {{ {source.c} a; {dtype.c} b; }}){{{to_memory(source, x.text)}}}).b"
        return self.let(from_memory(dtype, bits) if dtype is not DType.BOOL else f"({bits} != 0)", dtype)


def _wide(x: CValue) -> str:
    """Suffix of the integer functions for what does not fit into int64_t."""
    return "_u64" if x.dtype is DType.U64 else ""


def wrapping(dtype: DType, a: str, symbol: str, b: str, *, vector: bool = False) -> str:
    """C text of a sum, difference or product of integers that wraps around: in C only that of unsigned ones does."""
    if vector:
        return f"(vi)((vu){a} {symbol} (vu){b})" if a != "0" else f"(vi)({symbol}(vu){b})"
    wide = "uint64_t" if dtype.bits == 64 else "uint32_t"
    return f"({dtype.c})(({wide}){a} {symbol} ({wide}){b})"


def c_float(value: float | int | bool) -> str:
    """A float32 literal that reads back exactly."""
    with np.errstate(over="ignore"):
        single = float(np.float32(value))
    return _special(single) or _with_point(f"{single:.9g}") + "f"


def c_double(value: float | int | bool) -> str:
    """A float64 literal that reads back exactly."""
    return _special(value) or _with_point(repr(float(value)))


def c_integer(value: float | int | bool, dtype: DType) -> str:
    """An integer literal; what the dtype cannot hold becomes its nearest bound."""
    limits = np.iinfo(dtype.numpy)
    number = int(min(max(value, int(limits.min)), int(limits.max)))
    if dtype in (DType.U32, DType.U64):
        return f"{number}u" if dtype is DType.U32 else f"UINT64_C({number})"
    if dtype is not DType.I64:
        return str(number)
    return "INT64_MIN" if number == int(limits.min) else f"INT64_C({number})"


def _special(value: float | int | bool) -> str:
    v = float(value)
    if v != v:
        return "NAN"
    if v in (float("inf"), float("-inf")):
        return "INFINITY" if v > 0 else "-INFINITY"
    return ""


def _with_point(text: str) -> str:
    return text if any(c in text for c in ".en") else text + ".0"
