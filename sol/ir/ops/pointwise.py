"""Pointwise ops: one small function each, which evaluates on arrays and emits C on traced expressions.

``fn(m, *xs, **attrs)``: ``m`` is a math namespace (``numpy_math.NUMPY`` here), ``xs`` are arrays or expressions that
support ``+ - * /`` and ``< <= > >=`` with each other and with Python numbers. Equality is ``m.eq`` and ``m.ne``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, OpSpec, register
from sol.ir.ops.infer import blocked_layout, broadcast, need, need_float, need_int, need_operands, same_dtype
from sol.ir.ops.numpy_math import NUMPY as NUMPY
from sol.ir.types import DType, TensorType

Math = Any
Value = Any


@dataclass(frozen=True)
class Pointwise:
    """One pointwise op.

    function: ``fn(m, *xs, **attrs)``.
    arity: number of operands.
    result: "same" (dtype of the operands), "bool", or "cast" (attribute ``dtype``).
    zero_safe: finite when all operands are zero, so that padding lanes that hold zeros stay harmless.
    operands: "any", "number" (not bool), "float" or "integer" (bool too).
    condition: the first operand is a bool that takes no part in the result's dtype.
    attrs: attribute defaults; REQUIRED where there is none.
    """

    name: str
    function: Callable[..., Any]
    arity: int
    result: str
    zero_safe: bool
    operands: str
    condition: bool
    attrs: Mapping[str, Any]

    def infer(self, operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
        need_operands(operands, self.arity)
        values = operands[1:] if self.condition else operands
        if self.condition:
            need(operands[0].dtype is DType.BOOL, f"the condition must be bool, got {operands[0]}")
        dtype = same_dtype(values)
        need(
            dtype.bits >= 8 or self.result == "cast" or self.name in MOVING,
            f"{dtype} values are only stored, not computed with: cast them to i8, u8 or f32 first",
        )
        if self.operands == "float":
            need_float(*values)
        elif self.operands == "number":
            need(dtype is not DType.BOOL, f"takes numbers, got {values[0]}")
        elif self.operands == "integer" and dtype is not DType.BOOL:
            need_int(*values)
        if self.result == "bool":
            dtype = DType.BOOL
        elif self.result == "cast":
            dtype = attrs["dtype"]
        return TensorType(dtype, broadcast([t.shape for t in operands]), blocked_layout(operands))

    def reference(self, attrs: Attrs, *arrays: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            result = np.asarray(self.function(NUMPY, *arrays, **attrs))
        if self.result == "same" and result.dtype != arrays[-1].dtype:
            return result.astype(arrays[-1].dtype)
        return result


POINTWISE: dict[str, Pointwise] = {}
MOVING = ("where", "eq", "ne")
"""Ops that leave the bits of their operands as they are."""


def pointwise(
    name: str, *, result: str = "same", zero_safe: bool = True, operands: str = "any", condition: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: register ``fn(m, *xs, **attrs)``; keyword-only parameters are the attributes with their defaults."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(function).parameters.values())
        keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        attrs = {p.name: REQUIRED if p.default is p.empty else p.default for p in keywords}
        arity = len(parameters) - len(keywords) - 1
        row = Pointwise(name, function, arity, result, zero_safe, operands, condition, attrs)
        POINTWISE[name] = row
        register(OpSpec(name, "pointwise", attrs, row.infer, row.reference))
        return function

    return add


# Arithmetic of one operand


@pointwise("neg", operands="number")
def neg(m: Math, x: Value) -> Value:
    return -x


@pointwise("abs")
def abs_(m: Math, x: Value) -> Value:
    return m.abs(x)


@pointwise("sign")
def sign(m: Math, x: Value) -> Value:
    return m.sign(x)


@pointwise("square", operands="number")
def square(m: Math, x: Value) -> Value:
    return x * x


@pointwise("reciprocal", operands="float", zero_safe=False)
def reciprocal(m: Math, x: Value) -> Value:
    return 1.0 / x


@pointwise("sqrt", operands="float")
def sqrt(m: Math, x: Value) -> Value:
    return m.sqrt(x)


@pointwise("rsqrt", operands="float", zero_safe=False)
def rsqrt(m: Math, x: Value) -> Value:
    return m.rsqrt(x)


@pointwise("exp", operands="float")
def exp(m: Math, x: Value) -> Value:
    return m.exp(x)


@pointwise("expm1", operands="float")
def expm1(m: Math, x: Value) -> Value:
    return m.expm1(x)


@pointwise("log", operands="float", zero_safe=False)
def log(m: Math, x: Value) -> Value:
    return m.log(x)


@pointwise("log1p", operands="float")
def log1p(m: Math, x: Value) -> Value:
    return m.log1p(x)


@pointwise("sin", operands="float")
def sin(m: Math, x: Value) -> Value:
    return m.sin(x)


@pointwise("cos", operands="float")
def cos(m: Math, x: Value) -> Value:
    return m.cos(x)


@pointwise("tan", operands="float")
def tan(m: Math, x: Value) -> Value:
    return m.tan(x)


@pointwise("erf", operands="float")
def erf(m: Math, x: Value) -> Value:
    return m.erf(x)


@pointwise("floor", operands="number")
def floor(m: Math, x: Value) -> Value:
    return m.floor(x)


@pointwise("ceil", operands="number")
def ceil(m: Math, x: Value) -> Value:
    return m.ceil(x)


@pointwise("round", operands="number")
def round_(m: Math, x: Value) -> Value:
    """Halves go to the even neighbour, as in torch."""
    return m.rint(x)


@pointwise("trunc", operands="number")
def trunc(m: Math, x: Value) -> Value:
    return m.trunc(x)


@pointwise("cast", result="cast")
def cast(m: Math, x: Value, *, dtype: DType) -> Value:
    return m.cast(x, dtype)


@pointwise("cast_rounded", result="cast")
def cast_rounded(m: Math, x: Value, *, dtype: DType, rounding: str = "up") -> Value:
    """As cast; to f8e8m0 it rounds "up" (away from zero), "down" or to the "nearest" power of two."""
    return m.cast_rounded(x, dtype, rounding)


@pointwise("cast_saturated", result="cast")
def cast_saturated(m: Math, x: Value, *, dtype: DType, rounding: str = "up") -> Value:
    """As cast_rounded; what a float of 8 bits cannot hold, infinities too, becomes its largest value."""
    return m.cast_saturated(x, dtype, rounding)


@pointwise("bitcast", result="cast")
def bitcast(m: Math, x: Value, *, source: DType, dtype: DType) -> Value:
    """The stored bits of x, which is of type ``source``, read as another type of the same size."""
    return m.bitcast(x, source, dtype)


@pointwise("clamp", operands="number")
def clamp(m: Math, x: Value, *, low: float | int | None = None, high: float | int | None = None) -> Value:
    if low is not None:
        x = m.maximum(x, low)
    if high is not None:
        x = m.minimum(x, high)
    return x


# Activations


@pointwise("relu", operands="number")
def relu(m: Math, x: Value) -> Value:
    return m.maximum(x, 0)


@pointwise("leaky_relu", operands="float")
def leaky_relu(m: Math, x: Value, *, slope: float = 0.01) -> Value:
    return m.where(x > 0, x, x * slope)


@pointwise("elu", operands="float")
def elu(m: Math, x: Value, *, alpha: float = 1.0) -> Value:
    return m.where(x > 0, x, alpha * m.expm1(x))


@pointwise("sigmoid", operands="float")
def sigmoid(m: Math, x: Value) -> Value:
    return m.sigmoid(x)


@pointwise("tanh", operands="float")
def tanh(m: Math, x: Value) -> Value:
    return m.tanh(x)


@pointwise("silu", operands="float")
def silu(m: Math, x: Value) -> Value:
    return m.silu(x)


@pointwise("gelu", operands="float")
def gelu(m: Math, x: Value, *, approximate: str = "none") -> Value:
    """Hendrycks & Gimpel 2016: ``x * Phi(x)``, or its tanh approximation."""
    return m.gelu_tanh(x) if approximate == "tanh" else m.gelu(x)


@pointwise("gelu_slope", operands="float")
def gelu_slope(m: Math, x: Value, *, approximate: str = "none") -> Value:
    """The derivative of gelu by x."""
    return m.gelu_tanh_slope(x) if approximate == "tanh" else m.gelu_slope(x)


@pointwise("hardsigmoid", operands="float")
def hardsigmoid(m: Math, x: Value) -> Value:
    return m.minimum(m.maximum(x + 3.0, 0.0), 6.0) * (1.0 / 6.0)


@pointwise("hardswish", operands="float")
def hardswish(m: Math, x: Value) -> Value:
    return x * m.minimum(m.maximum(x + 3.0, 0.0), 6.0) * (1.0 / 6.0)


@pointwise("softplus", operands="float")
def softplus(m: Math, x: Value, *, beta: float = 1.0, threshold: float = 20.0) -> Value:
    """``log(1 + exp(beta x)) / beta``, and x itself above the threshold."""
    return m.where(x * beta > threshold, x, m.softplus(x * beta) * (1.0 / beta))


@pointwise("mish", operands="float")
def mish(m: Math, x: Value) -> Value:
    """``x tanh(log(1 + e^x))`` as a quotient of polynomials in e^x, which is 1 above 20."""
    e = m.exp(m.minimum(x, 20.0))
    n = e * (e + 2.0)
    return x * (n / (n + 2.0))


# Two operands


@pointwise("add")
def add(m: Math, x: Value, y: Value) -> Value:
    return x + y


@pointwise("sub", operands="number")
def sub(m: Math, x: Value, y: Value) -> Value:
    return x - y


@pointwise("mul")
def mul(m: Math, x: Value, y: Value) -> Value:
    return x * y


@pointwise("div", operands="float", zero_safe=False)
def div(m: Math, x: Value, y: Value) -> Value:
    return x / y


@pointwise("pow", operands="number")
def pow_(m: Math, x: Value, y: Value) -> Value:
    return m.pow(x, y)


@pointwise("maximum")
def maximum(m: Math, x: Value, y: Value) -> Value:
    return m.maximum(x, y)


@pointwise("minimum")
def minimum(m: Math, x: Value, y: Value) -> Value:
    return m.minimum(x, y)


@pointwise("floor_divide", operands="number", zero_safe=False)
def floor_divide(m: Math, x: Value, y: Value) -> Value:
    """Rounds towards minus infinity."""
    return m.floor_divide(x, y)


@pointwise("trunc_divide", operands="number", zero_safe=False)
def trunc_divide(m: Math, x: Value, y: Value) -> Value:
    """Rounds towards zero."""
    return m.trunc_divide(x, y)


@pointwise("remainder", operands="number", zero_safe=False)
def remainder(m: Math, x: Value, y: Value) -> Value:
    """Has the sign of the divisor."""
    return m.remainder(x, y)


@pointwise("fmod", operands="number", zero_safe=False)
def fmod(m: Math, x: Value, y: Value) -> Value:
    """Has the sign of the dividend."""
    return m.fmod(x, y)


@pointwise("atan2", operands="float")
def atan2(m: Math, x: Value, y: Value) -> Value:
    return m.atan2(x, y)


# Comparison and logic


@pointwise("eq", result="bool")
def eq(m: Math, x: Value, y: Value) -> Value:
    return m.eq(x, y)


@pointwise("ne", result="bool")
def ne(m: Math, x: Value, y: Value) -> Value:
    return m.ne(x, y)


@pointwise("lt", result="bool")
def lt(m: Math, x: Value, y: Value) -> Value:
    return x < y


@pointwise("le", result="bool")
def le(m: Math, x: Value, y: Value) -> Value:
    return x <= y


@pointwise("gt", result="bool")
def gt(m: Math, x: Value, y: Value) -> Value:
    return x > y


@pointwise("ge", result="bool")
def ge(m: Math, x: Value, y: Value) -> Value:
    return x >= y


@pointwise("isnan", result="bool")
def isnan(m: Math, x: Value) -> Value:
    return m.isnan(x)


@pointwise("isinf", result="bool")
def isinf(m: Math, x: Value) -> Value:
    return m.isinf(x)


@pointwise("logical_not", result="bool")
def logical_not(m: Math, x: Value) -> Value:
    return m.logical_not(x)


@pointwise("logical_and", result="bool")
def logical_and(m: Math, x: Value, y: Value) -> Value:
    return m.logical_and(x, y)


@pointwise("logical_or", result="bool")
def logical_or(m: Math, x: Value, y: Value) -> Value:
    return m.logical_or(x, y)


@pointwise("logical_xor", result="bool")
def logical_xor(m: Math, x: Value, y: Value) -> Value:
    return m.logical_xor(x, y)


@pointwise("bitwise_not", operands="integer")
def bitwise_not(m: Math, x: Value) -> Value:
    return m.bitwise_not(x)


@pointwise("bitwise_and", operands="integer")
def bitwise_and(m: Math, x: Value, y: Value) -> Value:
    return m.bitwise_and(x, y)


@pointwise("bitwise_or", operands="integer")
def bitwise_or(m: Math, x: Value, y: Value) -> Value:
    return m.bitwise_or(x, y)


@pointwise("bitwise_xor", operands="integer")
def bitwise_xor(m: Math, x: Value, y: Value) -> Value:
    return m.bitwise_xor(x, y)


@pointwise("where", condition=True)
def where(m: Math, condition: Value, x: Value, y: Value) -> Value:
    return m.where(condition, x, y)
