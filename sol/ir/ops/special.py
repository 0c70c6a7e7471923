"""Pointwise ops beyond arithmetic and activations: inverse and hyperbolic functions, the error function's complement, shifts, NaN-ignoring
extrema, functions of signs and of the floating-point format."""

from __future__ import annotations

import math

from sol.ir.ops.pointwise import Math, Value, pointwise

# One operand


@pointwise("atan", operands="float")
def atan(m: Math, x: Value) -> Value:
    return m.atan(x)


@pointwise("asin", operands="float")
def asin(m: Math, x: Value) -> Value:
    return m.asin(x)


@pointwise("acos", operands="float")
def acos(m: Math, x: Value) -> Value:
    return m.acos(x)


@pointwise("sinh", operands="float")
def sinh(m: Math, x: Value) -> Value:
    return m.sinh(x)


@pointwise("cosh", operands="float")
def cosh(m: Math, x: Value) -> Value:
    return m.cosh(x)


@pointwise("asinh", operands="float")
def asinh(m: Math, x: Value) -> Value:
    return m.asinh(x)


@pointwise("acosh", operands="float", zero_safe=False)
def acosh(m: Math, x: Value) -> Value:
    return m.acosh(x)


@pointwise("atanh", operands="float")
def atanh(m: Math, x: Value) -> Value:
    return m.atanh(x)


@pointwise("erfc", operands="float")
def erfc(m: Math, x: Value) -> Value:
    """``1 - erf(x)`` without cancellation."""
    return m.erfc(x)


@pointwise("exp2", operands="float")
def exp2(m: Math, x: Value) -> Value:
    return m.exp2(x)


@pointwise("log2", operands="float", zero_safe=False)
def log2(m: Math, x: Value) -> Value:
    return m.log2(x)


@pointwise("log10", operands="float", zero_safe=False)
def log10(m: Math, x: Value) -> Value:
    return m.log10(x)


@pointwise("signbit", result="bool")
def signbit(m: Math, x: Value) -> Value:
    """Whether the sign says negative, of -0.0 and NaN too."""
    return m.signbit(x)


@pointwise("frac", operands="float")
def frac(m: Math, x: Value) -> Value:
    return x - m.trunc(x)


@pointwise("sinc", operands="float")
def sinc(m: Math, x: Value) -> Value:
    """``sin(pi x) / (pi x)``, 1 at 0."""
    turned = x * math.pi
    return m.where(m.eq(x, 0), 1.0, m.sin(turned) / turned)


# Two operands


@pointwise("fmax")
def fmax(m: Math, x: Value, y: Value) -> Value:
    """The larger operand; NaN only if both are."""
    return m.where(m.isnan(y), x, m.where(m.isnan(x), y, m.maximum(x, y)))


@pointwise("fmin")
def fmin(m: Math, x: Value, y: Value) -> Value:
    """The smaller operand; NaN only if both are."""
    return m.where(m.isnan(y), x, m.where(m.isnan(x), y, m.minimum(x, y)))


@pointwise("copysign", operands="float")
def copysign(m: Math, x: Value, y: Value) -> Value:
    """The size of x with the sign of y."""
    size = m.abs(x)
    return m.where(m.signbit(y), -size, size)


@pointwise("hypot", operands="float")
def hypot(m: Math, x: Value, y: Value) -> Value:
    """``sqrt(x^2 + y^2)`` without overflow on the way; infinite if one operand is, even beside NaN."""
    a, b = m.abs(x), m.abs(y)
    large, small = m.maximum(a, b), m.minimum(a, b)
    ratio = m.where(m.eq(large, 0), 0.0, small / large)
    length = large * m.sqrt(ratio * ratio + 1.0)
    return m.where(m.logical_or(m.isinf(x), m.isinf(y)), math.inf, length)


@pointwise("logaddexp", operands="float")
def logaddexp(m: Math, x: Value, y: Value) -> Value:
    """``log(e^x + e^y)``"""
    top = m.maximum(x, y)
    tail = m.log1p(m.exp(-m.abs(x - y)))
    return m.where(m.logical_and(m.isinf(x), m.eq(x, y)), x, top + tail)


@pointwise("logaddexp2", operands="float")
def logaddexp2(m: Math, x: Value, y: Value) -> Value:
    """``log2(2^x + 2^y)``"""
    top = m.maximum(x, y)
    tail = m.log1p(m.exp2(-m.abs(x - y))) * (1.0 / math.log(2.0))
    return m.where(m.logical_and(m.isinf(x), m.eq(x, y)), x, top + tail)


@pointwise("xlogy", operands="float")
def xlogy(m: Math, x: Value, y: Value) -> Value:
    """``x log(y)``; 0 where x is 0 and y is not NaN."""
    return m.where(m.logical_and(m.eq(x, 0), m.logical_not(m.isnan(y))), 0.0, x * m.log(y))


@pointwise("xlog1py", operands="float")
def xlog1py(m: Math, x: Value, y: Value) -> Value:
    """``x log1p(y)``; 0 where x is 0 and y is not NaN."""
    return m.where(m.logical_and(m.eq(x, 0), m.logical_not(m.isnan(y))), 0.0, x * m.log1p(y))


@pointwise("nextafter", operands="float")
def nextafter(m: Math, x: Value, y: Value) -> Value:
    """The float beside x in the direction of y."""
    return m.nextafter(x, y)


@pointwise("shift_left", operands="integer")
def shift_left(m: Math, x: Value, n: Value) -> Value:
    """Bits moved n places up; 0 where n is negative or not below the number of bits."""
    return m.shift_left(x, n)


@pointwise("shift_right", operands="integer")
def shift_right(m: Math, x: Value, n: Value) -> Value:
    """Bits moved n places down, the sign kept; the sign alone where n is negative or not below the number of bits."""
    return m.shift_right(x, n)
