"""ATen's functions beyond arithmetic and activations (`ir/ops/special.py`): inverse and hyperbolic functions, logarithms, shifts, signs."""

from __future__ import annotations

import math
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.types import DType


def _function(op: str, *targets: str) -> None:
    """An op of one or more operands, computed in the result's dtype."""

    @converter(*targets)
    def convert(ctx: Context, *operands: Any) -> str:
        return ctx.add(op, *(ctx.operand(x, ctx.dtype) for x in operands))


for _op in ("atan", "asin", "acos", "sinh", "cosh", "asinh", "acosh", "atanh", "erfc", "exp2", "log2", "log10", "sinc", "logaddexp",
            "logaddexp2", "hypot", "nextafter", "fmax", "fmin"):  # fmt: skip
    _function(_op, f"{_op}.default")
_function("copysign", "copysign.Tensor", "copysign.Scalar")
_function("xlogy", "xlogy.Tensor", "xlogy.Scalar_Self", "xlogy.Scalar_Other")
_function("xlog1py", "special_xlog1py.default", "special_xlog1py.self_scalar", "special_xlog1py.other_scalar")
for _op, _way in (("shift_left", "left"), ("shift_right", "right")):
    _function(_op, *(f"bitwise_{_way}_shift.{o}" for o in ("Tensor", "Tensor_Scalar", "Scalar_Tensor")))


def _integer_shift(way: str, op: str) -> None:
    @converter(f"__{way}__.Tensor", f"__{way}__.Scalar")
    def convert(ctx: Context, x: str, n: Any) -> str:
        """Of integers; torch multiplies floats by a power of two."""
        if ctx.dtype.is_float:
            raise Fallback(f"{way} of {ctx.dtype} values")
        return ctx.add(op, ctx.operand(x, ctx.dtype), ctx.operand(n, ctx.dtype))


_integer_shift("lshift", "shift_left")
_integer_shift("rshift", "shift_right")


_function("gcd", "gcd.default")
for _op in ("lgamma", "digamma", "erfinv", "i0"):
    _function(_op, f"{_op}.default")


@converter("lcm.default")
def lcm(ctx: Context, x: str, y: str) -> str:
    """``|x / gcd(x, y) y|``, as in C of at least 32 bits; 0 where both are."""
    wide = DType.I32 if ctx.dtype.bits < 32 else ctx.dtype
    x, y = ctx.operand(x, wide), ctx.operand(y, wide)
    common = ctx.add("gcd", x, y)  # integers by zero give 0
    return ctx.cast(ctx.add("abs", ctx.add("mul", ctx.add("trunc_divide", x, common), y)), ctx.dtype)


@converter("signbit.default")
def signbit(ctx: Context, x: str) -> str:
    return ctx.add("signbit", x)


@converter("frac.default")
def frac(ctx: Context, x: str) -> str:
    return ctx.add("frac", x)


@converter("angle.default")
def angle(ctx: Context, x: str) -> str:
    """pi of negative numbers, NaN of NaN, else 0."""
    x = ctx.cast(x, ctx.dtype)
    zero = ctx.operand(0.0, ctx.dtype)
    turned = ctx.add("where", ctx.add("lt", x, zero), ctx.operand(math.pi, ctx.dtype), zero)
    return ctx.add("where", ctx.add("isnan", x), x, turned)


@converter("sgn.default")
def sgn(ctx: Context, x: str) -> str:
    return ctx.add("sign", x)


@converter("isreal.default")
def isreal(ctx: Context, x: str) -> str:
    return ctx.filled(True, ctx.shape, DType.BOOL)


@converter("real.default", "conj_physical.default", "conj.default", "_conj.default")
def real(ctx: Context, x: str) -> str:
    """What a real number is of itself."""
    return x


@converter("round.decimals")
def round_decimals(ctx: Context, x: str, decimals: int = 0) -> str:
    """Of x times a power of ten, which is then taken back."""
    if not ctx.dtype.is_float or not decimals:
        return ctx.add("round", x) if ctx.dtype.is_float else x
    ten = ctx.operand(10.0 ** abs(decimals), ctx.dtype)
    scale, back = ("mul", "div") if decimals > 0 else ("div", "mul")
    return ctx.add(back, ctx.add("round", ctx.add(scale, x, ten)), ten)
