"""ATen pointwise ops: arithmetic with torch's type promotion, comparison, logic, activations."""

from __future__ import annotations

import math
from typing import Any

import torch

from sol.frontend.torch.aten import TORCH_DTYPES, Context, Converter, Fallback, converter, dtype_of
from sol.ir.lanes import NARROW_FLOATS
from sol.ir.types import DType


def _unary(op: str, *targets: str) -> None:
    """Same-typed unary op computed in the dtype of the result."""

    @converter(*(t if "." in t else f"{t}.default" for t in (targets or (op,))))
    def convert(ctx: Context, x: str, *_: Any, **__: Any) -> str:
        return ctx.add(op, ctx.cast(x, ctx.dtype))


for _op in ("abs", "neg", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "reciprocal", "relu", "sigmoid", "tanh", "erf", "sin", "cos",
            "tan", "sign", "square", "silu", "hardswish", "hardsigmoid", "mish"):  # fmt: skip
    _unary(_op)


def _rounding(op: str) -> None:
    @converter(f"{op}.default")
    def convert(ctx: Context, x: str) -> str:
        return ctx.add(op, x) if ctx.type(x).dtype.is_float else x


for _op in ("floor", "ceil", "round", "trunc"):
    _rounding(_op)


@converter("fix.default")
def fix(ctx: Context, x: str) -> str:
    return ctx.add("trunc", x) if ctx.type(x).dtype.is_float else x


@converter("logical_not.default")
def logical_not(ctx: Context, x: str) -> str:
    return ctx.add("logical_not", ctx.cast(x, DType.BOOL))


@converter("bitwise_not.default")
def bitwise_not(ctx: Context, x: str) -> str:
    return ctx.add("logical_not" if ctx.dtype is DType.BOOL else "bitwise_not", x)


def _float_test(op: str) -> Converter:
    @converter(f"{op}.default")
    def convert(ctx: Context, x: str) -> str:
        return ctx.add(op, x) if ctx.type(x).dtype.is_float else ctx.filled(False, ctx.shape, DType.BOOL)

    return convert


_float_test("isnan")
_float_test("isinf")


@converter("isfinite.default")
def isfinite(ctx: Context, x: str) -> str:
    if not ctx.type(x).dtype.is_float:
        return ctx.filled(True, ctx.shape, DType.BOOL)
    return ctx.add("logical_not", ctx.add("logical_or", ctx.add("isnan", x), ctx.add("isinf", x)))


def _binary(op: str, *targets: str, rounds: bool = False) -> None:
    """rounds: whether torch rounds a number beside tensors of 16 bits: a small step of it may be a large one of the result."""
    operand = Context.rounded if rounds else Context.operand

    @converter(*targets)
    def convert(ctx: Context, a: Any, b: Any) -> str:
        return ctx.add(op, operand(ctx, a, ctx.dtype), operand(ctx, b, ctx.dtype))


_binary("mul", "mul.Tensor", "mul.Scalar", "multiply.Tensor", "multiply.Scalar")
_binary("maximum", "maximum.default", "max.other")
_binary("minimum", "minimum.default", "min.other")
_binary("remainder", "remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor", rounds=True)
_binary("fmod", "fmod.Tensor", "fmod.Scalar", rounds=True)
_binary("atan2", "atan2.default", "arctan2.default")
_binary("floor_divide", "floor_divide.default", "floor_divide.Scalar")


@converter("add.Tensor", "add.Scalar")
def add(ctx: Context, a: Any, b: Any, alpha: Any = 1) -> str:
    return _scaled_sum(ctx, "add", a, b, alpha)


@converter("sub.Tensor", "sub.Scalar", "subtract.Tensor")
def sub(ctx: Context, a: Any, b: Any, alpha: Any = 1) -> str:
    return _scaled_sum(ctx, "sub", a, b, alpha)


@converter("rsub.Tensor", "rsub.Scalar")
def rsub(ctx: Context, a: Any, b: Any, alpha: Any = 1) -> str:
    return _scaled_sum(ctx, "sub", b, a, alpha)


def _scaled_sum(ctx: Context, op: str, a: Any, b: Any, alpha: Any) -> str:
    dtype = ctx.dtype
    x, y = ctx.operand(a, dtype), ctx.operand(b, dtype)
    if alpha != 1:
        y = ctx.add("mul", y, ctx.operand(alpha, dtype))
    if dtype is DType.BOOL:
        op = "logical_or"
    return ctx.add(op, x, y)


@converter("div.Tensor", "div.Scalar", "true_divide.Tensor", "true_divide.Scalar", "divide.Tensor")
def div(ctx: Context, a: Any, b: Any) -> str:
    return ctx.add("div", ctx.operand(a, ctx.dtype), ctx.operand(b, ctx.dtype))


@converter("div.Tensor_mode", "div.Scalar_mode", "divide.Tensor_mode")
def div_mode(ctx: Context, a: Any, b: Any, rounding_mode: str | None = None) -> str:
    op = {"floor": "floor_divide", "trunc": "trunc_divide", None: "div"}[rounding_mode]
    return ctx.add(op, ctx.operand(a, ctx.dtype), ctx.operand(b, ctx.dtype))


def _comparison(op: str, *names: str) -> None:
    @converter(*(f"{n}.{o}" for n in (op, *names) for o in ("Tensor", "Scalar")))
    def convert(ctx: Context, a: Any, b: Any) -> str:
        dtype = ctx.promoted(a, b)
        return ctx.add(op, ctx.rounded(a, dtype), ctx.rounded(b, dtype))


for _op, _long in (("eq", ""), ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal")):
    _comparison(_op, *([_long] if _long else []))


def _logical(op: str) -> None:
    @converter(f"{op}.default")
    def convert(ctx: Context, a: Any, b: Any) -> str:
        return ctx.add(op, _truth(ctx, a), _truth(ctx, b))


def _truth(ctx: Context, x: Any) -> str:
    return ctx.cast(x, DType.BOOL) if isinstance(x, str) else ctx.constant(bool(x), DType.BOOL)


for _op in ("logical_and", "logical_or", "logical_xor"):
    _logical(_op)


def _bitwise(op: str, dunder: str) -> None:
    @converter(f"bitwise_{op}.Tensor", f"bitwise_{op}.Scalar", f"bitwise_{op}.Scalar_Tensor", f"{dunder}.Tensor", f"{dunder}.Scalar")
    def convert(ctx: Context, a: Any, b: Any) -> str:
        kind = "logical" if ctx.dtype is DType.BOOL else "bitwise"
        return ctx.add(f"{kind}_{op}", ctx.operand(a, ctx.dtype), ctx.operand(b, ctx.dtype))


for _op in ("and", "or", "xor"):
    _bitwise(_op, f"__{_op}__")


@converter("pow.Tensor_Scalar")
def pow_scalar(ctx: Context, x: str, exponent: Any) -> str:
    """Small exponents become what torch's own kernel computes for them."""
    dtype = ctx.dtype
    x = ctx.cast(x, dtype)
    if exponent == 1:
        return x
    if exponent == 2:
        return ctx.add("square", x)
    if exponent == 3:
        return ctx.add("mul", ctx.add("square", x), x)
    if dtype.is_float:
        if exponent == 0.5:
            return ctx.add("sqrt", x)
        if exponent == -0.5:
            return ctx.add("rsqrt", x)
        if exponent == -1:
            return ctx.add("reciprocal", x)
        if exponent == -2:
            return ctx.add("reciprocal", ctx.add("square", x))
    return ctx.add("pow", x, ctx.operand(exponent, dtype))


@converter("pow.Tensor_Tensor", "pow.Scalar")
def pow_tensor(ctx: Context, a: Any, b: Any) -> str:
    return ctx.add("pow", ctx.operand(a, ctx.dtype), ctx.operand(b, ctx.dtype))


@converter("float_power.Tensor_Scalar", "float_power.Tensor_Tensor", "float_power.Scalar")
def float_power(ctx: Context, a: Any, b: Any) -> str:
    return ctx.add("pow", ctx.operand(a, DType.F64), ctx.operand(b, DType.F64))


@converter("where.self", "where.ScalarSelf", "where.ScalarOther", "where.Scalar")
def where(ctx: Context, condition: str, a: Any, b: Any) -> str:
    return ctx.add("where", ctx.cast(condition, DType.BOOL), ctx.rounded(a, ctx.dtype), ctx.rounded(b, ctx.dtype))


@converter("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(ctx: Context, x: str, mask: str, value: Any) -> str:
    return ctx.add("where", ctx.cast(mask, DType.BOOL), ctx.rounded(value, ctx.dtype), ctx.cast(x, ctx.dtype))


@converter("clamp.default", "clip.default")
def clamp(ctx: Context, x: str, min: Any = None, max: Any = None) -> str:
    if any(v is not None and not isinstance(v, (int, float)) for v in (min, max)):
        return clamp_tensor(ctx, x, min, max)
    if min is None and max is None:
        raise Fallback("clamp without bounds")
    return ctx.add("clamp", ctx.cast(x, ctx.dtype), low=_number(min, ctx.dtype), high=_number(max, ctx.dtype))


def _number(value: Any, dtype: DType) -> float | int | None:
    """A bound in the type of what it bounds: an int64 is more than a float holds, and below zero unsigned bounds wrap around."""
    if value is None or dtype.is_float:
        return value if value is None else float(value)
    return int(value) % 2**dtype.bits if dtype.is_unsigned else int(value)


@converter("clamp.Tensor", "clip.Tensor")
def clamp_tensor(ctx: Context, x: str, min: Any = None, max: Any = None) -> str:
    y = ctx.cast(x, ctx.dtype)
    if min is not None:
        y = ctx.add("maximum", y, ctx.operand(min, ctx.dtype))
    return y if max is None else ctx.add("minimum", y, ctx.operand(max, ctx.dtype))


@converter("clamp_min.default", "clamp_min.Tensor")
def clamp_min(ctx: Context, x: str, min: Any) -> str:
    return clamp(ctx, x, min=min)


@converter("clamp_max.default", "clamp_max.Tensor")
def clamp_max(ctx: Context, x: str, max: Any) -> str:
    return clamp(ctx, x, max=max)


@converter("hardtanh.default")
def hardtanh(ctx: Context, x: str, min_val: Any = -1.0, max_val: Any = 1.0) -> str:
    return ctx.add("clamp", x, low=float(min_val), high=float(max_val))


@converter("relu6.default")
def relu6(ctx: Context, x: str) -> str:
    return ctx.add("clamp", x, low=0.0, high=6.0)


@converter("gelu.default")
def gelu(ctx: Context, x: str, approximate: str = "none") -> str:
    return ctx.add("gelu", x, approximate=approximate)


@converter("gelu_backward.default")
def gelu_backward(ctx: Context, grad: str, x: str, approximate: str = "none") -> str:
    """Narrow floats are multiplied in float32: the slope is not rounded on its own."""
    dtype = ctx.type(x).dtype
    wide = DType.F32 if dtype in NARROW_FLOATS else dtype
    slope = ctx.add("gelu_slope", ctx.cast(x, wide), approximate=approximate)
    return ctx.cast(ctx.add("mul", ctx.cast(grad, wide), slope), dtype)


@converter("leaky_relu.default")
def leaky_relu(ctx: Context, x: str, negative_slope: Any = 0.01) -> str:
    return ctx.add("leaky_relu", x, slope=float(negative_slope))


@converter("elu.default", "celu.default")
def elu(ctx: Context, x: str, alpha: Any = 1.0, scale: Any = 1, input_scale: Any = 1) -> str:
    """``scale * (x if x > 0 else alpha * expm1(input_scale * x))``; celu is elu of ``x / alpha``, scaled back."""
    if str(ctx.node.target).startswith("aten.celu"):
        input_scale = 1.0 / alpha
    if input_scale != 1:
        low = ctx.add("expm1", ctx.add("mul", x, ctx.operand(float(input_scale), ctx.dtype)))
        low = ctx.add("mul", low, ctx.operand(float(alpha), ctx.dtype))
        y = ctx.add("where", ctx.add("gt", x, ctx.operand(0, ctx.dtype)), x, low)
    else:
        y = ctx.add("elu", x, alpha=float(alpha))
    return y if scale == 1 else ctx.add("mul", y, ctx.operand(float(scale), ctx.dtype))


@converter("selu.default")
def selu(ctx: Context, x: str) -> str:
    y = ctx.add("elu", x, alpha=1.6732632423543772848170429916717)
    return ctx.add("mul", y, ctx.operand(1.0507009873554804934193349852946, ctx.dtype))


@converter("softplus.default")
def softplus(ctx: Context, x: str, beta: Any = 1, threshold: Any = 20) -> str:
    return ctx.add("softplus", x, beta=float(beta), threshold=float(threshold))


@converter("log_sigmoid.default")
def log_sigmoid(ctx: Context, x: str) -> str:
    """``min(x, 0) - log1p(exp(-|x|))``"""
    return _log_sigmoid(ctx, x)


@converter("log_sigmoid_forward.default")
def log_sigmoid_forward(ctx: Context, x: str) -> tuple[str, None]:
    return _log_sigmoid(ctx, x), None


def _log_sigmoid(ctx: Context, x: str) -> str:
    tail = ctx.add("log1p", ctx.add("exp", ctx.add("neg", ctx.add("abs", x))))
    return ctx.add("sub", ctx.add("minimum", x, ctx.operand(0.0, ctx.type(x).dtype)), tail)


@converter("prelu.default", "_prelu_kernel.default")
def prelu(ctx: Context, x: str, weight: str) -> str:
    """``x if x > 0 else weight * x`` with one weight, or one per channel."""
    rank, size = ctx.rank(x), ctx.size(weight)
    if len(size) != rank:
        weight = ctx.reshape(weight, () if size == (1,) or not size else (1, size[0], *(1,) * (rank - 2)))
    return ctx.add("where", ctx.add("gt", x, ctx.operand(0.0, ctx.dtype)), x, ctx.add("mul", x, weight))


@converter("glu.default")
def glu(ctx: Context, x: str, dim: int = -1) -> str:
    axis = ctx.axis(dim, ctx.rank(x))
    size = ctx.size(x)[axis]
    a, b = ctx.slice(x, axis, 0, size // 2), ctx.slice(x, axis, size // 2, size)
    return ctx.add("mul", a, ctx.add("sigmoid", b))


@converter("threshold.default")
def threshold(ctx: Context, x: str, threshold: Any, value: Any) -> str:
    return ctx.add("where", ctx.add("le", x, ctx.operand(threshold, ctx.dtype)), ctx.operand(value, ctx.dtype), x)


@converter("hardshrink.default")
def hardshrink(ctx: Context, x: str, lambd: Any = 0.5) -> str:
    inside = ctx.add("le", ctx.add("abs", x), ctx.rounded(float(lambd), ctx.dtype))
    return ctx.add("where", inside, ctx.operand(0.0, ctx.dtype), x)


@converter("softshrink.default")
def softshrink(ctx: Context, x: str, lambd: Any = 0.5) -> str:
    """``x - clamp(x, -lambd, lambd)``, NaN included."""
    return ctx.add("sub", x, ctx.add("clamp", x, low=-float(lambd), high=float(lambd)))


def _fused_product(op: str, target: str) -> None:
    @converter(f"{target}.default")
    def convert(ctx: Context, x: str, a: str, b: str, value: Any = 1) -> str:
        term = ctx.add(op, ctx.cast(a, ctx.dtype), ctx.cast(b, ctx.dtype))
        if value != 1:
            term = ctx.add("mul", term, ctx.operand(value, ctx.dtype))
        return ctx.add("add", ctx.cast(x, ctx.dtype), term)


_fused_product("mul", "addcmul")
_fused_product("div", "addcdiv")


@converter("lerp.Scalar", "lerp.Tensor")
def lerp(ctx: Context, start: str, end: str, weight: Any) -> str:
    return ctx.add("add", start, ctx.add("mul", ctx.operand(weight, ctx.dtype), ctx.add("sub", end, start)))


@converter("nan_to_num.default")
def nan_to_num(ctx: Context, x: str, nan: Any = None, posinf: Any = None, neginf: Any = None) -> str:
    dtype = ctx.dtype
    if not dtype.is_float:
        return x
    limits = torch.finfo(TORCH_DTYPES[dtype])
    high = limits.max if posinf is None else posinf
    low = limits.min if neginf is None else neginf
    y = ctx.add("where", ctx.add("isnan", x), ctx.operand(float(nan or 0.0), dtype), x)
    y = ctx.add("where", ctx.add("eq", x, ctx.operand(math.inf, dtype)), ctx.operand(float(high), dtype), y)
    return ctx.add("where", ctx.add("eq", x, ctx.operand(-math.inf, dtype)), ctx.operand(float(low), dtype), y)


@converter("to.dtype", "to.dtype_layout", "to.device", "to.other", "to.prim_Device", "_to_copy.default", "type_as.default", "float.default",
           "double.default", "half.default", "bfloat16.default", "int.default", "long.default", "bool.default",
           "prims.convert_element_type.default")  # fmt: skip
def to(ctx: Context, x: str, *_: Any, **__: Any) -> str:
    value = ctx.node.meta["val"]
    source = ctx.node.args[0].meta["val"]  # type: ignore[union-attr]
    if value.device != source.device:
        raise Fallback(f"copies from {source.device} to {value.device}")
    return ctx.cast(x, dtype_of(value.dtype))


@converter("detach.default", "alias.default", "lift_fresh.default", "lift_fresh_copy.default", "clone.default", "contiguous.default",
           "detach_copy.default", "alias_copy.default", "positive.default", "resolve_conj.default", "resolve_neg.default")  # fmt: skip
def identity(ctx: Context, x: str, *_: Any, **__: Any) -> str:
    return x
