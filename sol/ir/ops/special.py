"""Pointwise ops beyond arithmetic and activations: inverse and hyperbolic functions, the error function's complement, shifts, NaN-ignoring
extrema, functions of signs and of the floating-point format."""

from __future__ import annotations

import math

from sol.ir.ops.pointwise import Math, Value, pointwise
from sol.ir.types import DType

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


@pointwise("lgamma", operands="float", zero_safe=False)
def lgamma(m: Math, x: Value) -> Value:
    """``log |gamma(x)|``"""
    return m.lgamma(x)


@pointwise("digamma", operands="float", zero_safe=False)
def digamma(m: Math, x: Value) -> Value:
    """The derivative of ``log gamma``: by reflection of negative numbers, ten steps up, and the series for large ones."""
    negative = x < 0
    y = m.where(negative, 1.0 - x, x)
    steps = y * 0.0
    for _ in range(SHIFTED):
        below = y < SHIFTED
        steps = m.where(below, steps - 1.0 / y, steps)
        y = m.where(below, y + 1.0, y)
    z = 1.0 / (y * y)
    series = z * 0.0
    for coefficient in DIGAMMA:
        series = z * (series + coefficient)
    value = m.log(y) - 0.5 / y - series + steps
    fraction = x - m.rint(x)
    reflected = m.where(m.eq(fraction, 0), math.nan, value - math.pi / m.tan(fraction * math.pi))
    value = m.where(m.eq(y, math.inf), y, value)
    return m.where(negative, reflected, value)


SHIFTED = 10
"""From here on the series of digamma is exact to double precision."""
DIGAMMA = (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)
"""Coefficients of 1/x^14 … 1/x^2: Bernoulli numbers over their index."""


@pointwise("erfinv", operands="float")
def erfinv(m: Math, x: Value) -> Value:
    """Whose error function x is: Giles' polynomials (2010) in single precision, of doubles two steps of Newton's method more."""
    w = -m.log((1.0 - x) * (1.0 + x))
    p = _horner(w - 2.5, ERFINV)
    q = _horner(m.sqrt(w) - 3.0, ERFINV_TAIL)
    y = m.where(w < 5, p, q) * x
    if m.dtype_of(x) is DType.F64:
        a, size = m.abs(x), m.abs(y)
        for _ in range(2):
            beyond = m.where(a > 0.5, (1.0 - a) - m.erfc(size), m.erf(size) - a)
            size = size - beyond / (m.exp(-(size * size)) * (2.0 / math.sqrt(math.pi)))
        y = m.where(x < 0, -size, size)
    return m.where(m.eq(m.abs(x), 1), x * math.inf, y)


def _horner(x: Value, coefficients: tuple[float, ...]) -> Value:
    """A polynomial, its highest coefficient first."""
    first, *rest = coefficients
    y = x * 0.0 + first
    for c in rest:
        y = y * x + c
    return y


ERFINV = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727,
          1.50140941)  # fmt: skip
ERFINV_TAIL = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406,
               2.83297682)  # fmt: skip


@pointwise("i0", operands="float")
def i0(m: Math, x: Value) -> Value:
    """The modified Bessel function of order 0: its power series up to 16, beyond that for large arguments; e^x in two halves.

    Of infinity NaN, as torch has it.
    """
    a = m.abs(x)
    q = m.minimum(a, 16.0) * m.minimum(a, 16.0) * 0.25
    near = q * 0.0 + 1.0
    for k in range(45, 0, -1):
        near = near * q * (1.0 / (k * k)) + 1.0
    z = 0.125 / m.maximum(a, 16.0)
    far = z * 0.0 + 1.0
    for k in range(28, 0, -1):
        far = far * z * ((2 * k - 1) ** 2 / k) + 1.0
    half = m.exp(a * 0.5)
    far = half * (half / m.sqrt(a) * far * (1.0 / math.sqrt(2.0 * math.pi)))
    return m.where(a <= 16, near, far)


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


@pointwise("gcd", operands="integer")
def gcd(m: Math, x: Value, y: Value) -> Value:
    """The greatest common divisor, which is not negative; 0 of two zeros."""
    return m.gcd(x, y)


@pointwise("shift_left", operands="integer")
def shift_left(m: Math, x: Value, n: Value) -> Value:
    """Bits moved n places up; 0 where n is negative or not below the number of bits."""
    return m.shift_left(x, n)


@pointwise("shift_right", operands="integer")
def shift_right(m: Math, x: Value, n: Value) -> Value:
    """Bits moved n places down, the sign kept; the sign alone where n is negative or not below the number of bits."""
    return m.shift_right(x, n)
