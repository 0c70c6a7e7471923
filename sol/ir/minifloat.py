"""Floats of 8 and fewer bits: their formats, and rounding to them in numpy, bit for bit as the generated C does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from sol.errors import SolError
from sol.ir.types import DType


@dataclass(frozen=True)
class Format:
    """``(-1)^sign * 2^(e - bias) * 1.m``, subnormals for e == 0.

    largest: code of the largest finite value. over: code of what a larger one becomes where nothing saturates. nan: code of NaN,
    -1 if there is none. negative_zero: whether the sign bit alone is a zero (in the fnuz formats it is NaN).
    """

    exponent: int
    mantissa: int
    bias: int
    largest: int
    over: int
    nan: int
    negative_zero: bool = True

    @property
    def sign(self) -> int:
        """The bit of the sign."""
        return 1 << (self.exponent + self.mantissa)


FORMATS = {
    DType.F8E4M3FN: Format(4, 3, 7, 0x7E, 0x7F, 0x7F),
    DType.F8E4M3FNUZ: Format(4, 3, 8, 0x7F, 0x80, 0x80, negative_zero=False),
    DType.F8E5M2: Format(5, 2, 15, 0x7B, 0x7C, 0x7E),
    DType.F8E5M2FNUZ: Format(5, 2, 16, 0x7F, 0x80, 0x80, negative_zero=False),
    DType.F4E2M1: Format(2, 1, 1, 0x7, 0x7, -1),
}
"""All but f8e8m0, which is a power of two without sign: ``2^(code - 127)``, 255 is NaN."""
NAN8 = 255
ROUNDINGS = ("up", "down", "nearest")


@cache
def decoded(dtype: DType) -> np.ndarray:
    """float32[256]: the value of every code (of its low bits, where there are fewer than 8)."""
    codes = np.arange(256)
    if dtype is DType.F8E8M0:
        with np.errstate(over="ignore"):
            return np.where(codes == NAN8, np.nan, np.ldexp(1.0, codes - 127)).astype(np.float32)
    f = FORMATS[dtype]
    low = codes & (f.sign - 1)
    e, m = low >> f.mantissa, low & ((1 << f.mantissa) - 1)
    steps, power = np.where(e == 0, m, m + (1 << f.mantissa)), np.maximum(e, 1) - f.bias - f.mantissa
    values = np.where(codes & f.sign, -1.0, 1.0) * np.ldexp(steps.astype(np.float64), power)
    if f.over != f.largest and f.over != f.nan and f.negative_zero:
        values[low == f.over] *= np.inf
    if f.nan >= 0:
        values[(low > f.largest) & (low != f.over) | (low == f.nan) if f.negative_zero else (codes & 255) == f.nan] = np.nan
    return values.astype(np.float32)


def encode(x: np.ndarray, dtype: DType, *, saturate: bool = False, rounding: str = "up") -> np.ndarray:
    """uint8 codes of float values, rounded to nearest even (f8e8m0: as ``rounding`` says).

    saturate: what is too large, infinities too, becomes the largest finite value; else infinity or NaN.
    """
    x = np.asarray(x, np.float32)
    if dtype is DType.F8E8M0:
        return _encode_power(x, saturate, rounding)
    f = FORMATS[dtype]
    with np.errstate(all="ignore"):
        size = np.abs(x.astype(np.float64))
        finite = np.isfinite(size)
        exponent = np.maximum(np.frexp(np.where(finite & (size > 0), size, 2.0**-99))[1] - 1, 1 - f.bias)
        steps = np.rint(np.ldexp(np.where(finite, size, 0), f.mantissa - exponent))
        code = (((exponent + f.bias - 1) << f.mantissa) + steps).astype(np.int64)
    code = np.where(finite & (code <= f.largest), code, f.largest if saturate else f.over)
    sign = np.where(np.signbit(x), f.sign, 0)
    if not f.negative_zero:
        sign = np.where((code == 0) | (code == f.nan), 0, sign)
    code = code | sign
    if f.nan < 0:
        return np.where(np.isnan(x), f.sign, code).astype(np.uint8)  # as ml_dtypes does: NaN becomes -0
    nan = f.nan | np.where(np.signbit(x), f.sign, 0)
    return np.where(np.isnan(x), nan, code).astype(np.uint8)


def _encode_power(x: np.ndarray, saturate: bool, rounding: str) -> np.ndarray:
    """Codes of f8e8m0. The sign is ignored when saturating; otherwise negative values and zero are NaN."""
    if rounding not in ROUNDINGS:
        raise SolError(f"rounding {rounding!r} is none of {', '.join(ROUNDINGS)}")
    mantissa, exponent = np.frexp(np.abs(x.astype(np.float64)))
    exponent = exponent - 1  # x = 2 mantissa * 2^exponent with 2 mantissa in [1, 2)
    if rounding != "down":
        exponent = exponent + (mantissa > 0.5 if rounding == "up" else mantissa >= 0.75)
    code = exponent + 127
    if saturate:
        code = np.where(np.isinf(x), 254, np.clip(np.where(x == 0, 0, code), 0, 254))
    else:
        code = np.where((x <= 0) | np.isinf(x) | (code > 254) | (code < 0), NAN8, code)
    return np.where(np.isnan(x), NAN8, code).astype(np.uint8)


def rounded(x: np.ndarray, dtype: DType, *, saturate: bool = False, rounding: str = "up") -> np.ndarray:
    """The nearest values of the format, as float32."""
    return decoded(dtype)[encode(x, dtype, saturate=saturate, rounding=rounding)]
