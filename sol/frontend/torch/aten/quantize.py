"""ATen's rounding to the values that quantized numbers could have (fake quantization)."""

from __future__ import annotations

import math
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.types import DType

LIMIT = 2.0**63
"""From here on torch, which rounds channels to int64, has the smallest number, whatever the sign."""


@converter("fake_quantize_per_tensor_affine.default", "fake_quantize_per_tensor_affine.tensor_qparams")
def per_tensor(ctx: Context, x: str, scale: Any, zero_point: Any, low: int, high: int) -> str:
    if isinstance(scale, float):
        return _rounded(ctx, x, ctx.operand(scale, DType.F32), ctx.operand(float(zero_point), DType.F32), low, high, math.inf)
    scale, zero_point = (ctx.reshape(ctx.operand(v, DType.F32), ()) for v in (scale, zero_point))
    return _rounded(ctx, x, scale, zero_point, low, high, math.inf)


@converter("fake_quantize_per_channel_affine.default")
def per_channel(ctx: Context, x: str, scale: str, zero_point: str, axis: int, low: int, high: int) -> str:
    shape = [n if d == ctx.axis(axis, ctx.rank(x)) else 1 for d, n in enumerate(ctx.size(x))]
    scale, zero_point = (ctx.reshape(ctx.cast(v, DType.F32), shape) for v in (scale, zero_point))
    return _rounded(ctx, x, scale, zero_point, low, high, LIMIT)


def _rounded(ctx: Context, x: str, scale: str, zero_point: str, low: int, high: int, limit: float) -> str:
    """``(clamp(round(x / scale) + zero_point) - zero_point) * scale``, of NaN and what is beyond the limit the smallest value."""
    if ctx.dtype is not DType.F32:
        raise Fallback(f"fake quantization of {ctx.dtype}")
    inverse = ctx.add("div", ctx.operand(1.0, DType.F32), scale)
    step = ctx.add("add", ctx.add("round", ctx.add("mul", x, inverse)), zero_point)
    lowest, highest = ctx.operand(float(low), DType.F32), ctx.operand(float(high), DType.F32)
    held = ctx.add("le" if math.isinf(limit) else "lt", ctx.add("abs", step), ctx.operand(limit, DType.F32))
    kept = ctx.add("where", held, ctx.add("minimum", ctx.add("maximum", step, lowest), highest), lowest)
    return ctx.add("mul", ctx.add("sub", kept, zero_point), scale)
