"""Operations of quantized networks: what torch's PT2E export writes (``quantized_decomposed``), torchao's affine ones, products of bytes.

They become the arithmetic that they are, ``(q - zero) * scale`` and ``saturate(round(x / scale) + zero)``, in which passes find integer
products. Torch multiplies with reciprocals of scales, and so do the converters. Scales that an operation states in float64 are those of
float32 that it computed, and are read as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from sol.frontend.torch.aten import Context, Fallback, converter, dtype_of
from sol.ir.dim import DimLike, product
from sol.ir.types import DType

PT2E, TORCHAO = "quantized_decomposed", "torchao"
BYTES = (DType.U8, DType.I8)
FLOATS = (DType.F32, DType.BF16, DType.F16)
TOKEN_EPSILON = 1e-5
"""Least largest magnitude of a token that ``choose_qparams_per_token`` takes for its scale."""


# values and numbers


def _real(ctx: Context, value: Any) -> str:
    """A scale or zero point as float32: of one that was widened, what it was before."""
    if not isinstance(value, str):
        return ctx.constant(float(value), DType.F32)
    node = ctx.builder.node(value)
    while node.op == "cast" and _widens(ctx.type(node.inputs[0]).dtype, ctx.type(value).dtype):
        value = node.inputs[0]
        node = ctx.builder.node(value)
    return ctx.cast(value, DType.F32)


def _widens(narrow: DType, wide: DType) -> bool:
    return (narrow is DType.F32 and wide is DType.F64) or (narrow.is_int and wide.is_int and narrow.bits < wide.bits)


def _known(ctx: Context, zero: Any) -> bool:
    """Whether a zero point is 0: a literal, or a tensor of the module, which the import then relies on."""
    if zero is None or not isinstance(zero, str):
        return not zero
    node = ctx.builder.node(zero)
    while node.op in ("cast", "reshape", "expand"):
        node = ctx.builder.node(node.inputs[0])
    if node.op == "constant":
        return not np.any(node.attrs["value"].value)
    return node.op == "parameter" and ctx.relies_on_zeros(node.attrs["target"])


def _zero(ctx: Context, zero: Any, shape: Sequence[DimLike]) -> str | None:
    """A zero point as float32 of a shape; None for 0."""
    return None if _known(ctx, zero) else ctx.reshape(_real(ctx, zero), shape if isinstance(zero, str) else ())


def _one(ctx: Context, value: Any) -> Any:
    """What one number of a tensor is as a scalar, as ``item`` reads it."""
    return ctx.reshape(_real(ctx, value), ()) if isinstance(value, str) else value


def _inverse(ctx: Context, scale: Any) -> str:
    if not isinstance(scale, str):
        return ctx.constant(1.0 / scale, DType.F32)
    return ctx.add("div", ctx.constant(1.0, DType.F32), scale)


def _quantized(ctx: Context, x: str, inverse: str, zero: str | None, low: int, high: int, *, zero_first: bool = False) -> str:
    """``saturate(round(x * inverse) + zero)`` in the type that torch states; zero_first: rounded after the zero point was added."""
    dtype = ctx.dtype
    if ctx.type(x).dtype not in FLOATS or not dtype.is_int or dtype.bits > 16:
        raise Fallback(f"quantization of {ctx.type(x).dtype} to {dtype}")
    y = ctx.add("mul", ctx.cast(x, DType.F32), inverse)
    if zero_first and zero is not None:
        y, zero = ctx.add("add", y, zero), None
    y = ctx.add("round", y)
    if zero is not None:
        y = ctx.add("add", y, zero)
    return ctx.cast(ctx.add("clamp", y, low=float(low), high=float(high)), dtype)


def _dequantized(ctx: Context, q: str, scale: str, zero: str | None) -> str:
    """``(q - zero) * scale`` in the type that torch states."""
    if not ctx.type(q).dtype.is_int or ctx.type(q).dtype.bits > 16:
        raise Fallback(f"dequantization of {ctx.type(q).dtype}")
    y = ctx.cast(q, DType.F32)
    if zero is not None:
        y = ctx.add("sub", y, zero)
    return ctx.cast(ctx.add("mul", y, scale), ctx.dtype)


# one scale for a tensor


@converter("quantize_per_tensor.default", "quantize_per_tensor.tensor", "quantize_per_tensor.tensor2", namespace=PT2E)
def quantize_per_tensor(ctx: Context, x: str, scale: Any, zero_point: Any, low: Any, high: Any, dtype: Any) -> str:
    if isinstance(low, str) or isinstance(high, str):
        raise Fallback("limits of a quantized type that are tensors")
    return _quantized(ctx, x, _inverse(ctx, _one(ctx, scale)), _zero(ctx, zero_point, ()), low, high)


@converter("dequantize_per_tensor.default", "dequantize_per_tensor.tensor", "dequantize_per_tensor.tensor2", namespace=PT2E)
def dequantize_per_tensor(ctx: Context, q: str, scale: Any, zero_point: Any, *_: Any, out_dtype: Any = None) -> str:
    return _dequantized(ctx, q, _real(ctx, _one(ctx, scale)), _zero(ctx, zero_point, ()))


@converter("choose_qparams.tensor", namespace=PT2E)
def choose_qparams(ctx: Context, x: str, low: int, high: int, eps: float, dtype: Any) -> tuple[str, str]:
    scale, zero = _asymmetric(ctx, *_range(ctx, x, tuple(range(ctx.rank(x)))), low, high, eps)
    return _stated(ctx, ctx.reshape(scale, (1,)), ctx.reshape(ctx.cast(zero, dtype_of(dtype)), (1,)))


@converter("choose_qparams_symmetric.tensor", namespace=PT2E)
def choose_qparams_symmetric(ctx: Context, x: str, low: int, high: int, eps: float, dtype: Any) -> tuple[str, str]:
    scale = _symmetric(ctx, *_range(ctx, x, tuple(range(ctx.rank(x)))), (high - low) / 2, eps)
    zero = 128 if dtype_of(dtype) is DType.U8 else 0
    return _stated(ctx, ctx.reshape(scale, (1,)), ctx.filled(zero, (1,), DType.I64))


def _range(ctx: Context, x: str, dims: tuple[int, ...]) -> tuple[str, str]:
    """The smallest and the largest number along dimensions, which stay, in float32; 0 is among the numbers."""
    nothing = ctx.constant(0.0, DType.F32)
    if ctx.type(x).dtype not in FLOATS:
        raise Fallback(f"ranges of {ctx.type(x).dtype}")
    x = ctx.cast(x, DType.F32)
    low, high = (ctx.add(op, x, dims=dims, keepdims=True) if dims else x for op in ("min", "max"))
    return ctx.add("minimum", low, nothing), ctx.add("maximum", high, nothing)


def _symmetric(ctx: Context, low: str, high: str, steps: float, eps: float) -> str:
    largest = ctx.add("maximum", ctx.add("neg", low), high)
    return _at_least(ctx, ctx.add("div", largest, ctx.constant(steps, DType.F32)), eps)


def _asymmetric(ctx: Context, smallest: str, largest: str, low: int, high: int, eps: float) -> tuple[str, str]:
    span = ctx.add("div", ctx.add("sub", largest, smallest), ctx.constant(float(high - low), DType.F32))
    scale = _at_least(ctx, span, eps)
    zero = ctx.add("sub", ctx.constant(float(low), DType.F32), ctx.add("round", ctx.add("div", smallest, scale)))
    return scale, ctx.add("clamp", zero, low=float(low), high=float(high))


def _at_least(ctx: Context, value: str, least: float) -> str:
    return ctx.add("maximum", value, ctx.constant(least, DType.F32))


def _stated(ctx: Context, scale: str, zero: str) -> tuple[str, str]:
    """Scale and zero point in the types that torch states."""
    return ctx.cast(scale, ctx.result(0).dtype), ctx.cast(zero, ctx.result(1).dtype)


# one scale for each channel, token or group of channels


def _along(ctx: Context, x: str, values: str, axis: int) -> tuple[DimLike, ...]:
    axis = ctx.axis(axis, ctx.rank(x))
    return tuple([ctx.size(values)[0] if d == axis else 1 for d in range(ctx.rank(x))])


@converter("quantize_per_channel.default", namespace=PT2E)
def quantize_per_channel(ctx: Context, x: str, scales: str, zeros: str, axis: int, low: int, high: int, dtype: Any) -> str:
    shape = _along(ctx, x, scales, axis)
    return _quantized(ctx, x, _inverse(ctx, ctx.reshape(_real(ctx, scales), shape)), _zero(ctx, zeros, shape), low, high)


@converter("dequantize_per_channel.default", namespace=PT2E)
def dequantize_per_channel(ctx: Context, q: str, scales: str, zeros: str | None, axis: int, *_: Any, out_dtype: Any = None) -> str:
    shape = _along(ctx, q, scales, axis)
    return _dequantized(ctx, q, ctx.reshape(_real(ctx, scales), shape), _zero(ctx, zeros, shape))


@converter("choose_qparams_per_token.default", namespace=PT2E)
def choose_qparams_per_token(ctx: Context, x: str, dtype: Any) -> tuple[str, str]:
    if dtype_of(dtype) is not DType.I8 or ctx.type(x).dtype is not DType.F32:
        raise Fallback(f"tokens of {ctx.type(x).dtype} as {dtype}")
    largest = ctx.add("max", ctx.add("abs", x), dims=(ctx.rank(x) - 1,), keepdims=True)
    scale = ctx.add("div", _at_least(ctx, largest, TOKEN_EPSILON), ctx.constant(127.0, DType.F32))
    return _stated(ctx, scale, ctx.filled(0, ctx.size(scale), DType.I64))


@converter("choose_qparams_per_token_asymmetric.default", "_choose_qparams_per_token_asymmetric_impl.default", namespace=PT2E)
def choose_qparams_per_token_asymmetric(ctx: Context, x: str, dtype: Any) -> tuple[str, str]:
    low, high = (ctx.constant(v, DType.F32) for v in (-128.0, 127.0))
    smallest, largest = _range(ctx, x, (ctx.rank(x) - 1,))
    scale = ctx.add("div", ctx.add("sub", largest, smallest), ctx.constant(255.0, DType.F32))
    scale = _at_least(ctx, scale, torch.finfo(torch.float32).eps)
    from_low, from_high = ctx.add("div", smallest, scale), ctx.add("div", largest, scale)
    errors = ctx.add("add", ctx.add("add", low, from_low), ctx.add("add", high, from_high))
    below = ctx.add("gt", errors, ctx.constant(0.0, DType.F32))
    zero = ctx.add("where", below, ctx.add("sub", low, from_low), ctx.add("sub", high, from_high))
    zero = ctx.add("round", ctx.add("clamp", zero, low=-128.0, high=127.0))
    return _stated(ctx, scale, ctx.cast(zero, DType.I8))


@converter("quantize_per_token.default", namespace=PT2E)
def quantize_per_token(ctx: Context, x: str, scales: str, zeros: str, low: int, high: int, dtype: Any) -> str:
    shape = (*ctx.size(x)[:-1], 1)
    scale = ctx.reshape(_real(ctx, scales), shape)
    return _quantized(ctx, x, _inverse(ctx, scale), _zero(ctx, zeros, shape), low, high, zero_first=True)


@converter("dequantize_per_token.default", namespace=PT2E)
def dequantize_per_token(ctx: Context, q: str, scales: str, zeros: str, *_: Any, output_dtype: Any = None) -> str:
    shape = (*ctx.size(q)[:-1], 1)
    return _dequantized(ctx, q, ctx.reshape(_real(ctx, scales), shape), _zero(ctx, zeros, shape))


@converter("quantize_per_channel_group.default", namespace=PT2E)
def quantize_per_group(ctx: Context, x: str, scales: str, zeros: str, low: int, high: int, dtype: Any, group: int = 128) -> str:
    shape, each = _groups(ctx, x, scales, group)
    grouped, scale = ctx.reshape(x, shape), ctx.reshape(_real(ctx, scales), each)
    y = _quantized(ctx, grouped, _inverse(ctx, scale), _zero(ctx, zeros, each), low, high, zero_first=True)
    return ctx.reshape(y, ctx.size(x))


@converter("dequantize_per_channel_group.default", namespace=PT2E)
def dequantize_per_group(ctx: Context, q: str, scales: str, zeros: str | None, low: int, high: int, dtype: Any, group: int = 128,
                         output_dtype: Any = None) -> str:  # fmt: skip
    shape, each = _groups(ctx, q, scales, group)
    y = _dequantized(ctx, ctx.reshape(q, shape), ctx.reshape(_real(ctx, scales), each), _zero(ctx, zeros, each))
    return ctx.reshape(y, ctx.size(q))


def _groups(ctx: Context, x: str, scales: str, group: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """A matrix [rows, groups, channels of one], and what its scales are beside that."""
    rows, depth = ctx.fixed(ctx.size(x), "the sizes of a weight that is quantized in groups")
    if group > depth and ctx.size(scales)[-1] == 1:
        group = depth
    return (rows, depth // group, group), (rows, depth // group, 1)


# torchao: one scale for each block


def _blocks(ctx: Context, x: str, block: Sequence[DimLike]) -> tuple[list[DimLike], list[DimLike], list[int]]:
    """x with a dimension for places in blocks where these are not whole ones; its shape with one element for a block; the dimensions of
    blocks."""
    shape: list[DimLike] = []
    dims: list[int] = []
    for size, step in zip(ctx.size(x), block):
        if step not in (1, size):
            shape += [size // step, step]  # type: ignore[operator]
            dims.append(len(shape) - 1)
        else:
            shape.append(size)
            if step != 1:
                dims.append(len(shape) - 1)
    return shape, [1 if i in dims else size for i, size in enumerate(shape)], dims


@converter("choose_qparams_affine.default", namespace=TORCHAO)
def choose_qparams_affine(
    ctx: Context, x: str, mapping: str, block: Sequence[DimLike], target: Any, low: Any = None, high: Any = None, eps: float | None = None,
    scale_dtype: Any = None, zero_dtype: Any = None, keepdim: bool = False,
) -> tuple[str, str]:  # fmt: skip
    if ctx.type(x).dtype is not DType.F32 or ctx.result(0).dtype is not DType.F32:
        raise Fallback(f"scales of {ctx.type(x).dtype} as {ctx.result(0).dtype}")
    low, high = _limits(target, low, high)
    eps = torch.finfo(torch.float32).smallest_normal if eps is None else eps
    shape, _, dims = _blocks(ctx, x, block)
    smallest, largest = _range(ctx, ctx.reshape(x, shape), tuple(dims))
    middle = (high + low + 1) // 2
    if mapping == "ASYMMETRIC":
        scale, zero = _asymmetric(ctx, smallest, largest, low, high, eps)
    elif mapping == "SYMMETRIC":
        scale, zero = _symmetric(ctx, smallest, largest, (high - low) / 2, eps), ""
    else:
        steps = [ctx.add("div", v, ctx.constant(float(n), DType.F32)) for v, n in ((smallest, low), (largest, high))]
        scale, zero = _at_least(ctx, ctx.add("maximum", *steps), eps), ""
    sizes, kind = ctx.result(0).shape, dtype_of(target)
    if zero and kind in BYTES:
        zero = ctx.cast(zero, kind)
    zero = ctx.reshape(zero, sizes) if zero else ctx.filled(middle, sizes, ctx.result(1).dtype)
    return _stated(ctx, ctx.reshape(scale, sizes), zero)


def _limits(target: Any, low: Any, high: Any) -> tuple[int, int]:
    if dtype_of(target) not in BYTES and (low is None or high is None):
        raise Fallback(f"quantization to {target} without limits")
    found = torch.iinfo(target)
    return found.min if low is None else int(low), found.max if high is None else int(high)


@converter("quantize_affine.default", namespace=TORCHAO)
def quantize_affine(ctx: Context, x: str, block: Sequence[DimLike], scale: str, zero: str | None, dtype: Any, low: Any = None,
                    high: Any = None) -> str:  # fmt: skip
    low, high = _limits(dtype, low, high)
    shape, each, _ = _blocks(ctx, x, block)
    if ctx.type(x).dtype is not DType.F32:
        raise Fallback(f"quantization of {ctx.type(x).dtype}")
    inverse = _inverse(ctx, ctx.reshape(_real(ctx, scale), each))
    return ctx.reshape(_quantized(ctx, ctx.reshape(x, shape), inverse, _block_zero(ctx, zero, each), low, high), ctx.size(x))


@converter("dequantize_affine.default", namespace=TORCHAO)
def dequantize_affine(ctx: Context, q: str, block: Sequence[DimLike], scale: str, zero: str | None, *_: Any, **__: Any) -> str:
    shape, each, _dims = _blocks(ctx, q, block)
    if ctx.dtype is not DType.F32:
        raise Fallback(f"dequantization to {ctx.dtype}")
    y = _dequantized(ctx, ctx.reshape(q, shape), ctx.reshape(_real(ctx, scale), each), _block_zero(ctx, zero, each))
    return ctx.reshape(y, ctx.size(q))


def _block_zero(ctx: Context, zero: str | None, shape: Sequence[DimLike]) -> str | None:
    """A zero point for each block; torchao takes an empty tensor for none."""
    return None if zero is None or product(ctx.size(zero)) == 0 else _zero(ctx, zero, shape)


# products of bytes


@converter("_int_mm.default")
def int_mm(ctx: Context, a: str, b: str) -> str:
    """The product of matrices of bytes, exact in int32."""
    return ctx.add("matmul", ctx.cast(a, DType.I32), ctx.cast(b, DType.I32))
