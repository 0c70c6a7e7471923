"""The math namespace ``m`` of pointwise ops over numpy arrays, with torch's rules for NaN, signs and integers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sol.ir.minifloat import rounded
from sol.ir.ops import gates
from sol.ir.storage import as_held, as_stored, stored_dtype
from sol.ir.types import THROUGH_I32, DType

# Coefficients of erf and erfc from FreeBSD's msun s_erf.c (Sun Microsystems, 1993), highest power first.
_ERF_X = 1.28379167095512586316e-01
_ERX = 8.45062911510467529297e-01
_PP = (-2.37630166566501626084e-05, -5.77027029648944159157e-03, -2.84817495755985104766e-02,
       -3.25042107247001499370e-01, 1.28379167095512558561e-01)  # fmt: skip
_QQ = (-3.96022827877536812320e-06, 1.32494738004321644526e-04, 5.08130628187576562776e-03,
       6.50222499887672944485e-02, 3.97917223959155352819e-01, 1.0)  # fmt: skip
_PA = (-2.16637559486879084300e-03, 3.54783043256182359371e-02, -1.10894694282396677476e-01, 3.18346619901161753674e-01,
       -3.72207876035701323847e-01, 4.14856118683748331666e-01, -2.36211856075265944077e-03)  # fmt: skip
_QA = (1.19844998467991074170e-02, 1.36370839120290507362e-02, 1.26171219808761642112e-01, 7.18286544141962662868e-02,
       5.40397917702171048937e-01, 1.06420880400844228286e-01, 1.0)  # fmt: skip
_RA = (-9.81432934416914548592e+00, -8.12874355063065934246e+01, -1.84605092906711035994e+02,
       -1.62396669462573470355e+02, -6.23753324503260060396e+01, -1.05586262253232909814e+01,
       -6.93858572707181764372e-01, -9.86494403484714822705e-03)  # fmt: skip
_SA = (-6.04244152148580987438e-02, 6.57024977031928170135e+00, 1.08635005541779435134e+02, 4.29008140027567833386e+02,
       6.45387271733267880336e+02, 4.34565877475229228821e+02, 1.37657754143519042600e+02, 1.96512716674392571292e+01,
       1.0)  # fmt: skip
_RB = (-4.83519191608651397019e+02, -1.02509513161107724954e+03, -6.37566443368389627722e+02,
       -1.60636384855821916062e+02, -1.77579549177547519889e+01, -7.99283237680523006574e-01,
       -9.86494292470009928597e-03)  # fmt: skip
_SB = (-2.24409524465858183362e+01, 4.74528541206955367215e+02, 2.55305040643316442583e+03, 3.19985821950859553908e+03,
       1.53672958608443695994e+03, 3.25792512996573918826e+02, 3.03380607434824582924e+01, 1.0)  # fmt: skip


def _tail(z: np.ndarray, numerator: tuple[float, ...], denominator: tuple[float, ...]) -> np.ndarray:
    """``erfc(z)`` for z >= 1.25 from a rational function of 1/z^2; z is split so that exp(-z*z) keeps all its bits."""
    inverse = 1.0 / (z * z)
    head = z.astype(np.float32).astype(np.float64)
    rational = np.polyval(numerator, inverse) / np.polyval(denominator, inverse)
    return np.exp(-head * head - 0.5625) * np.exp((head - z) * (head + z) + rational) / z


def erf(x: Any) -> np.ndarray:
    """Error function in double precision, below 1 unit in the last place; the result has x's dtype."""
    x = np.asarray(x)
    flat = x.astype(np.float64).ravel()
    size = np.abs(flat)
    out = np.sign(flat)  # |x| >= 6, and NaN
    small, middle = size < 0.84375, (size >= 0.84375) & (size < 1.25)
    near, far = (size >= 1.25) & (size < 1 / 0.35), (size >= 1 / 0.35) & (size < 6.0)
    z = flat[small]
    out[small] = z + z * (np.polyval(_PP, z * z) / np.polyval(_QQ, z * z))
    s = size[middle] - 1.0
    out[middle] *= _ERX + np.polyval(_PA, s) / np.polyval(_QA, s)
    out[near] *= 1.0 - _tail(size[near], _RA, _SA)
    out[far] *= 1.0 - _tail(size[far], _RB, _SB)
    return out.reshape(x.shape).astype(x.dtype)


def erfc(x: Any) -> np.ndarray:
    """``1 - erf(x)`` in double precision, relative error of few units in the last place; the result has x's dtype."""
    x = np.asarray(x)
    flat = x.astype(np.float64).ravel()
    out = 1.0 - erf(flat)
    near, far = (flat >= 1.25) & (flat < 1 / 0.35), (flat >= 1 / 0.35) & (flat < 28.0)
    out[near] = _tail(flat[near], _RA, _SA)
    out[far] = _tail(flat[far], _RB, _SB)
    return out.reshape(x.shape).astype(x.dtype)


def _log_gamma(x: float) -> float:
    """log |gamma(x)|; infinite at 0 and the negative whole numbers."""
    return math.inf if math.isinf(x) or x <= 0 and x == math.floor(x) else math.lgamma(x)


def lgamma(x: Any) -> np.ndarray:
    """log |gamma(x)| in double precision; the result has x's dtype."""
    x = np.asarray(x)
    return np.array([_log_gamma(float(v)) for v in x.ravel()]).reshape(x.shape).astype(x.dtype)


def _shift(x: Any, n: Any, left: bool) -> np.ndarray:
    """Bits moved by n places; beyond the number all zeros, or to the right all copies of the sign."""
    x, n = np.asarray(x), np.asarray(n)
    bits = 8 * x.dtype.itemsize
    inside = (n >= 0) & (n < bits)
    places = np.where(inside, n, 0).astype(x.dtype)
    if left:
        return np.where(inside, np.left_shift(x, places), 0).astype(x.dtype)
    return np.where(inside, np.right_shift(x, places), np.where(x < 0, -1, 0)).astype(x.dtype)


def _whole(x: np.ndarray, dtype: DType) -> np.ndarray:
    """Floats as int32 or int64, of which the smallest number stands for NaN and what they do not hold."""
    bound = 2.0 ** (dtype.bits - 1)
    held = (x > -bound - 1) & (x < bound)
    return np.where(held, np.where(held, x, 0).astype(dtype.numpy), np.iinfo(dtype.numpy).min)


def _wrapped(x: np.ndarray, dtype: DType) -> np.ndarray:
    """The low bits of integers (of the whole parts of floats), read as 4- or 2-bit numbers."""
    bits = np.trunc(x).astype(np.int64) if x.dtype.kind == "f" else x.astype(np.int64)
    low = bits & ((1 << dtype.bits) - 1)
    if not dtype.is_unsigned:
        low = np.where(low >> (dtype.bits - 1), low - (1 << dtype.bits), low)
    return low.astype(dtype.numpy)


class NumpyMath:
    """Evaluates a pointwise function on numpy arrays. Results have the operands' dtype; comparisons give bool."""

    exp, expm1, log, log1p, sqrt = np.exp, np.expm1, np.log, np.log1p, np.sqrt
    tanh, sin, cos, tan = np.tanh, np.sin, np.cos, np.tan
    floor, ceil, trunc, abs = np.floor, np.ceil, np.trunc, np.abs
    maximum, minimum, atan2 = np.maximum, np.minimum, np.arctan2
    where = staticmethod(np.where)
    fmod, remainder, floor_divide = np.fmod, np.remainder, np.floor_divide
    isnan, isinf, eq, ne = np.isnan, np.isinf, np.equal, np.not_equal
    logical_and, logical_or = np.logical_and, np.logical_or
    logical_not, logical_xor = np.logical_not, np.logical_xor
    bitwise_and, bitwise_or = np.bitwise_and, np.bitwise_or
    bitwise_xor, bitwise_not = np.bitwise_xor, np.bitwise_not
    erf, erfc = staticmethod(erf), staticmethod(erfc)
    atan, asin, acos = np.arctan, np.arcsin, np.arccos
    sinh, cosh, asinh, acosh, atanh = np.sinh, np.cosh, np.arcsinh, np.arccosh, np.arctanh
    lgamma = staticmethod(lgamma)
    exp2, log2, log10, nextafter = np.exp2, np.log2, np.log10, np.nextafter

    @staticmethod
    def gcd(x: Any, y: Any) -> Any:
        return np.gcd(x, y) if np.asarray(x).dtype.kind != "b" else np.logical_or(x, y)

    @staticmethod
    def signbit(x: Any) -> Any:
        return np.asarray(x) < 0 if np.asarray(x).dtype.kind in "iub" else np.signbit(x)

    @staticmethod
    def shift_left(x: Any, n: Any) -> Any:
        return _shift(x, n, True)

    @staticmethod
    def shift_right(x: Any, n: Any) -> Any:
        return _shift(x, n, False)

    @staticmethod
    def trunc_divide(x: Any, y: Any) -> Any:
        if np.result_type(x, y).kind == "f":
            return np.trunc(np.divide(x, y))
        down = np.floor_divide(x, y)
        return down + ((down < 0) & (down * y != x)).astype(down.dtype)

    @staticmethod
    def rint(x: Any) -> Any:
        return x if np.asarray(x).dtype.kind in "iu" else np.rint(x)

    @staticmethod
    def rsqrt(x: Any) -> Any:
        return 1.0 / np.sqrt(x)

    @staticmethod
    def sigmoid(x: Any) -> Any:
        return 1.0 / (1.0 + np.exp(-x))

    @staticmethod
    def softplus(x: Any) -> Any:
        """log(1 + exp(x))"""
        return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))

    @staticmethod
    def normal_cdf(x: Any) -> Any:
        """(1 + erf(x / sqrt(2))) / 2"""
        return 0.5 * (1.0 + erf(x * math.sqrt(0.5)))

    @staticmethod
    def gelu(x: Any) -> Any:
        """x (1 + erf(x / sqrt(2))) / 2"""
        return x * NumpyMath.normal_cdf(x)

    @staticmethod
    def gelu_slope(x: Any) -> Any:
        """The derivative of gelu."""
        return NumpyMath.normal_cdf(x) + x * np.exp(x * x * -0.5) * math.sqrt(0.5 / math.pi)

    @staticmethod
    def gelu_tanh(x: Any) -> Any:
        return gates.gelu_tanh(NumpyMath, x)

    @staticmethod
    def gelu_tanh_slope(x: Any) -> Any:
        return gates.gelu_tanh_slope(NumpyMath, x)

    @staticmethod
    def silu(x: Any) -> Any:
        """x / (1 + exp(-x))"""
        return x * NumpyMath.sigmoid(x)

    @staticmethod
    def sign(x: Any) -> Any:
        """-1, 0 or 1; 0 for NaN as in torch."""
        if np.asarray(x).dtype == np.bool_:
            return x
        return np.subtract(x > 0, x < 0, dtype=np.asarray(x).dtype)

    @staticmethod
    def pow(x: Any, y: Any) -> Any:
        """``x ** y``; an integer to a negative power is 0 unless x is 1 or -1, as in torch."""
        if np.issubdtype(np.result_type(x, y), np.signedinteger):
            inverse = np.where(np.abs(x) == 1, np.power(x, np.abs(y)), 0)
            return np.where(y < 0, inverse, np.power(x, np.maximum(y, 0)))
        return np.power(x, y)

    @staticmethod
    def cast(x: Any, dtype: DType) -> np.ndarray:
        """Convert as C does. A double stays a double for every float type: that is the precision asked for."""
        x = np.asarray(x)
        if dtype.is_minifloat:
            return rounded(x, dtype).astype(x.dtype if x.dtype == np.float64 else np.float32)
        if dtype.bits < 8:
            return _wrapped(x, dtype)
        if dtype is DType.U64 and x.dtype.kind == "f":
            upper = _whole(np.where(x >= 2.0**63, x - 2.0**63, 0), DType.I64).astype(np.uint64) ^ np.uint64(2**63)
            return np.where(x >= 2.0**63, upper, _whole(x, DType.I64).astype(np.uint64))
        if dtype.is_float:
            return x if x.dtype == np.float64 else x.astype(np.float64 if x.dtype.kind in "iub" else dtype.numpy)
        if dtype.is_int and x.dtype.kind == "f":
            return _whole(x, DType.I32 if dtype in THROUGH_I32 else DType.I64).astype(dtype.numpy)
        return x.astype(dtype.numpy)

    @staticmethod
    def cast_rounded(x: Any, dtype: DType, rounding: str) -> np.ndarray:
        if dtype is not DType.F8E8M0:
            return NumpyMath.cast(x, dtype)
        return rounded(x, dtype, rounding=rounding)

    @staticmethod
    def cast_saturated(x: Any, dtype: DType, rounding: str) -> np.ndarray:
        if not dtype.is_minifloat:
            return NumpyMath.cast(x, dtype)
        return rounded(x, dtype, saturate=True, rounding=rounding)

    @staticmethod
    def bitcast(x: Any, source: DType, dtype: DType) -> np.ndarray:
        stored = np.ascontiguousarray(as_stored(np.asarray(x).astype(source.numpy), source)).reshape(np.shape(x))
        return as_held(stored.view(stored_dtype(dtype)), dtype)

    @staticmethod
    def dtype_of(x: Any) -> DType:
        return DType.from_numpy(np.asarray(x).dtype)


NUMPY = NumpyMath()
