"""ONNX operators that work element by element: arithmetic, activations, comparisons, logic, casts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.types import dtype_of
from sol.ir.types import DType


def number(ctx: Context, value: Any, like: str) -> str:
    """A number in the dtype of another value."""
    return ctx.constant(value, ctx.type(like).dtype)


def _unary(op: str, name: str) -> None:
    @converter(name)
    def convert(ctx: Context, node: OnnxNode) -> str:
        return ctx.add(op, node.inputs[0])


for _name, _op in {
    "Abs": "abs", "Neg": "neg", "Sign": "sign", "Floor": "floor", "Ceil": "ceil", "Round": "round", "Sqrt": "sqrt", "Exp": "exp",
    "Log": "log", "Sin": "sin", "Cos": "cos", "Tan": "tan", "Erf": "erf", "Relu": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh",
    "Mish": "mish", "Asin": "asin", "Acos": "acos", "Atan": "atan", "Sinh": "sinh", "Cosh": "cosh", "Asinh": "asinh", "Acosh": "acosh",
    "Atanh": "atanh", "Reciprocal": "reciprocal", "IsNaN": "isnan", "Not": "logical_not", "BitwiseNot": "bitwise_not",
    "HardSwish": "hardswish",
}.items():  # fmt: skip
    _unary(_op, _name)


def _binary(op: str, name: str) -> None:
    @converter(name)
    def convert(ctx: Context, node: OnnxNode) -> str:
        if op == "eq" and isinstance(node.inputs[0], np.ndarray):
            return ctx.literal(np.asarray(node.inputs[0] == node.inputs[1], np.bool_))
        return ctx.add(op, *operands(ctx, node))


def operands(ctx: Context, node: OnnxNode) -> tuple[str, str]:
    """Both operands; before opset 7 the second one's dimensions begin at ``axis`` of the first."""
    a, b = node.inputs
    if node.opset < 7 and node.attr("broadcast", 0) and "axis" in node.attrs:
        after = ctx.rank(a) - ctx.axis(node.attrs["axis"], ctx.rank(a)) - ctx.rank(b)
        b = ctx.reshape(b, (*ctx.size(b), *(1,) * after))
    return a, b


for _name, _op in {
    "Add": "add", "Sub": "sub", "Mul": "mul", "Equal": "eq", "Less": "lt", "LessOrEqual": "le", "Greater": "gt", "GreaterOrEqual": "ge",
    "And": "logical_and", "Or": "logical_or", "Xor": "logical_xor", "BitwiseAnd": "bitwise_and", "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
}.items():  # fmt: skip
    _binary(_op, _name)


def _variadic(op: str, name: str) -> None:
    @converter(name)
    def convert(ctx: Context, node: OnnxNode) -> str:
        result, *rest = node.inputs
        for other in rest:
            result = ctx.add(op, result, other)
        if name == "Mean":
            result = ctx.add("mul", result, number(ctx, 1.0 / len(node.inputs), result))
        return result


for _name, _op in {"Max": "maximum", "Min": "minimum", "Sum": "add", "Mean": "add"}.items():
    _variadic(_op, _name)


@converter("Div")
def div(ctx: Context, node: OnnxNode) -> str:
    """Integers are rounded towards zero: ``(a - fmod(a, b)) // b``."""
    a, b = operands(ctx, node)
    dtype = ctx.type(a).dtype
    if dtype.is_float:
        return ctx.add("div", a, b)
    if not dtype.is_unsigned:
        a = ctx.add("sub", a, ctx.add("fmod", a, b))
    return ctx.add("floor_divide", a, b)


@converter("Mod")
def mod(ctx: Context, node: OnnxNode) -> str:
    return ctx.add("fmod" if node.attr("fmod", 0) else "remainder", *node.inputs)


@converter("BitShift")
def bit_shift(ctx: Context, node: OnnxNode) -> str:
    return ctx.add("shift_left" if node.attrs["direction"] == "LEFT" else "shift_right", *node.inputs)


@converter("Pow")
def pow_(ctx: Context, node: OnnxNode) -> str:
    x, exponent = node.inputs
    dtype, other = ctx.type(x).dtype, ctx.type(exponent).dtype
    known = ctx.known(exponent)
    if known is not None and known.size == 1 and len(ctx.size(exponent)) <= len(ctx.size(x)):
        simple = _power(ctx, x, float(known.reshape(())))
        if simple is not None:
            return simple
    if dtype.is_int and other.is_float:
        return ctx.cast(ctx.add("pow", ctx.cast(x, DType.F64), ctx.cast(exponent, DType.F64)), dtype)
    return ctx.add("pow", x, ctx.cast(exponent, dtype))


def _power(ctx: Context, x: str, exponent: float) -> str | None:
    """A small whole or half power without pow(); None for others."""
    if exponent == 1:
        return x
    if exponent == 2:
        return ctx.add("square", x)
    if exponent == 3:
        return ctx.add("mul", ctx.add("square", x), x)
    if not ctx.type(x).dtype.is_float:
        return None
    if exponent == 0.5:
        return ctx.add("sqrt", x)
    if exponent == -0.5:
        return ctx.add("rsqrt", x)
    return ctx.add("reciprocal", x) if exponent == -1 else None


# Activations


@converter("LeakyRelu")
def leaky_relu(ctx: Context, node: OnnxNode) -> str:
    return ctx.add("leaky_relu", node.inputs[0], slope=float(node.attr("alpha", 0.01)))


@converter("PRelu")
def prelu(ctx: Context, node: OnnxNode) -> str:
    x, slope = node.inputs
    if node.opset < 7 and ctx.rank(slope) == 1 and ctx.size(slope) != (1,):
        slope = ctx.reshape(slope, (*ctx.size(slope), *(1,) * (ctx.rank(x) - 2)))
    zero = number(ctx, 0, x)
    return ctx.add("where", ctx.add("lt", x, zero), ctx.add("mul", x, slope), x)


@converter("Elu")
def elu(ctx: Context, node: OnnxNode) -> str:
    return ctx.add("elu", node.inputs[0], alpha=float(node.attr("alpha", 1.0)))


@converter("Celu")
def celu(ctx: Context, node: OnnxNode) -> str:
    (x,), alpha = node.inputs, float(node.attr("alpha", 1.0))
    if alpha == 1.0:
        return ctx.add("elu", x, alpha=1.0)
    low = ctx.add("expm1", ctx.add("mul", x, number(ctx, 1.0 / alpha, x)))
    return ctx.add("where", ctx.add("gt", x, number(ctx, 0.0, x)), x, ctx.add("mul", low, number(ctx, alpha, x)))


@converter("Selu")
def selu(ctx: Context, node: OnnxNode) -> str:
    (x,) = node.inputs
    y = ctx.add("elu", x, alpha=float(node.attr("alpha", 1.67326319217681884765625)))
    return ctx.add("mul", y, number(ctx, float(node.attr("gamma", 1.05070102214813232421875)), x))


@converter("HardSigmoid")
def hard_sigmoid(ctx: Context, node: OnnxNode) -> str:
    (x,), alpha, beta = node.inputs, float(node.attr("alpha", 0.2)), float(node.attr("beta", 0.5))
    if math.isclose(alpha, 1 / 6, rel_tol=1e-6) and beta == 0.5:
        return ctx.add("hardsigmoid", x)
    line = ctx.add("add", ctx.add("mul", x, number(ctx, alpha, x)), number(ctx, beta, x))
    return ctx.add("clamp", line, low=0.0, high=1.0)


@converter("Softplus")
def softplus(ctx: Context, node: OnnxNode) -> str:
    return ctx.add("softplus", node.inputs[0])


@converter("Softsign")
def softsign(ctx: Context, node: OnnxNode) -> str:
    (x,) = node.inputs
    return ctx.add("div", x, ctx.add("add", ctx.add("abs", x), number(ctx, 1.0, x)))


@converter("ThresholdedRelu")
def thresholded_relu(ctx: Context, node: OnnxNode) -> str:
    (x,) = node.inputs
    return ctx.add("where", ctx.add("gt", x, number(ctx, float(node.attr("alpha", 1.0)), x)), x, number(ctx, 0.0, x))


@converter("Shrink")
def shrink(ctx: Context, node: OnnxNode) -> str:
    (x,), bias, limit = node.inputs, node.attr("bias", 0.0), node.attr("lambd", 0.5)
    bias_value, zero = number(ctx, bias, x), number(ctx, 0, x)
    if ctx.type(x).dtype.is_float:
        below, above = ctx.add("lt", x, number(ctx, -limit, x)), ctx.add("gt", x, number(ctx, limit, x))
    else:  # whole numbers beyond a limit that need not be one
        below, above = ctx.add("lt", x, number(ctx, math.ceil(-limit), x)), ctx.add("gt", x, number(ctx, math.floor(limit), x))
    return ctx.add("where", below, ctx.add("add", x, bias_value), ctx.add("where", above, ctx.add("sub", x, bias_value), zero))


@converter("Gelu")
def gelu(ctx: Context, node: OnnxNode) -> str:
    return ctx.add("gelu", node.inputs[0], approximate=node.attr("approximate", "none"))


@converter("Swish")
def swish(ctx: Context, node: OnnxNode) -> str:
    (x,), alpha = node.inputs, float(node.attr("alpha", 1.0))
    if alpha == 1.0:
        return ctx.add("silu", x)
    return ctx.add("mul", x, ctx.add("sigmoid", ctx.add("mul", x, number(ctx, alpha, x))))


# Limits, tests, choice


@converter("Clip", since=6)
def clip_attributes(ctx: Context, node: OnnxNode) -> str:
    return clamped(ctx, node.inputs[0], node.attr("min"), node.attr("max"))


@converter("Clip", since=11)
def clip(ctx: Context, node: OnnxNode) -> str:
    """``min(max(x, low), high)``: the upper limit wins."""
    x, low, high = node.inputs[0], node.input(1), node.input(2)
    limits = [None if v is None else ctx.known(v) for v in (low, high)]
    if all(v is None or (k is not None and k.size == 1) for v, k in zip((low, high), limits)):
        return clamped(ctx, x, *(None if k is None else k.reshape(()).item() for k in limits))
    if low is not None:
        x = ctx.add("maximum", x, ctx.reshape(low, ()))
    return x if high is None else ctx.add("minimum", x, ctx.reshape(high, ()))


def clamped(ctx: Context, x: str, low: float | None, high: float | None) -> str:
    """A clamp with limits that say something."""
    dtype = ctx.type(x).dtype
    if dtype.is_float:
        limits = np.finfo(np.float32 if dtype is DType.BF16 else dtype.numpy)
        if dtype is not DType.BF16:
            low = None if low is not None and low <= limits.min else low
            high = None if high is not None and high >= limits.max else high
        if low is None and high is None:
            return x
        if low == 0 and high is None:
            return ctx.add("relu", x)
        return ctx.add("clamp", x, low=None if low is None else float(low), high=None if high is None else float(high))
    if low is not None:
        x = ctx.add("maximum", x, ctx.constant(int(low), dtype))
    return x if high is None else ctx.add("minimum", x, ctx.constant(int(high), dtype))


@converter("IsInf")
def is_inf(ctx: Context, node: OnnxNode) -> str:
    (x,), negative, positive = node.inputs, node.attr("detect_negative", 1), node.attr("detect_positive", 1)
    found = ctx.add("isinf", x)
    if negative and positive:
        return found
    zero = number(ctx, 0.0, x)
    side = ctx.add("lt", x, zero) if negative else ctx.add("gt", x, zero)
    if not negative and not positive:
        side = ctx.constant(False, DType.BOOL)
    return ctx.add("logical_and", found, side)


@converter("Where")
def where(ctx: Context, node: OnnxNode) -> str:
    return ctx.add("where", *node.inputs)


# Types


@converter("Cast")
def cast(ctx: Context, node: OnnxNode) -> Any:
    return convert_to(ctx, node.inputs[0], int(node.attrs["to"]), node)


@converter("CastLike")
def cast_like(ctx: Context, node: OnnxNode) -> Any:
    x, like = node.inputs
    if isinstance(like, np.ndarray):
        return convert_to(ctx, x, _STRING, node)
    return _convert(ctx, x, ctx.type(like).dtype, node)


_STRING = 8


def convert_to(ctx: Context, x: Any, element_type: int, node: OnnxNode) -> Any:
    """Cast to an ONNX element type; to and from strings where the content is known."""
    if element_type == _STRING:
        return x if isinstance(x, np.ndarray) else text_of(ctx.need(x, "text made of numbers"))
    return _convert(ctx, x, dtype_of(element_type), node)


def _convert(ctx: Context, x: Any, dtype: DType, node: OnnxNode) -> str:
    if isinstance(x, np.ndarray):
        kind = np.float64 if dtype.is_float or dtype is DType.BOOL else np.int64
        return ctx.literal(np.array([kind(str(t)) for t in x.ravel()], kind).reshape(x.shape).astype(dtype.numpy), dtype)
    rounding = node.attr("round_mode", "up")
    if dtype is ctx.type(x).dtype:
        return x
    if dtype.is_minifloat and node.attr("saturate", 1):
        return ctx.add("cast_saturated", x, dtype=dtype, rounding=rounding)
    if dtype is DType.F8E8M0:
        return ctx.add("cast_rounded", x, dtype=dtype, rounding=rounding)
    return ctx.cast(x, dtype)


def text_of(array: np.ndarray) -> np.ndarray:
    """Numbers as strings, floats in the shortest form that reads back the same."""
    found = np.empty(array.shape, object)
    for index, value in np.ndenumerate(array):
        found[index] = _number_text(value)
    return found


def _number_text(value: Any) -> str:
    if isinstance(value, np.floating):
        return "NaN" if np.isnan(value) else ("INF" if value > 0 else "-INF") if np.isinf(value) else str(value)
    return str(int(value))
