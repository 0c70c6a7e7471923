"""ATen's products with quantized weights, which torchao and torch's own quantization of weights come to."""

from __future__ import annotations

import functools

import torch

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.types import DType

LEAST = 1e-20
"""What stands for a scale of zero, whose group is given by its zero point alone."""


@converter("_weight_int8pack_mm.default")
def int8(ctx: Context, x: str, codes: str, scales: str) -> str:
    """``x @ (codes * scales)^T`` with bytes [out, in] and a scale for each row of them."""
    features, depth = ctx.fixed(ctx.size(codes), "the sizes of a quantized weight")
    scales = ctx.reshape(ctx.cast(scales, DType.F32), (features, 1))
    return _product(ctx, x, [codes, scales], depth)


@converter("_weight_int4pack_mm_for_cpu.default")
def int4(ctx: Context, x: str, packed: str, group: int, scales_and_zeros: str) -> str:
    """``x @ w^T`` with ``w = (number - 8) * scale + zero``; scales and zeros are [in / group, out, 2]."""
    features, half = ctx.fixed(ctx.size(packed), "the sizes of a quantized weight")
    depth = 2 * half
    if group % 8 or features % 16:
        raise Fallback(f"a weight of 4 bits with {features} rows in groups of {group}")
    groups = depth // group
    both = ctx.permute(ctx.cast(scales_and_zeros, DType.F32), (1, 0, 2))
    scales, zeros = (ctx.reshape(ctx.slice(both, 2, i, i + 1), (features, groups)) for i in range(2))
    least = ctx.constant(LEAST, DType.F32)
    scales = ctx.add("where", ctx.add("eq", scales, ctx.constant(0.0, DType.F32)), least, scales)
    points = ctx.add("neg", ctx.add("div", zeros, scales))
    return _product(ctx, x, [_by_rows(ctx, packed, features, depth), scales, points], group)


def _product(ctx: Context, x: str, quantized: list[str], group: int) -> str:
    return ctx.add("weight_only_linear", x, *quantized, group=group)


@functools.cache
def panel_rows() -> int:
    """Rows of a weight whose numbers torch interleaves in its packed form on this machine; 0 where only neighbours share a byte.

    A byte holds row d and row d + panel / 2 of a panel of so many rows.
    """
    rows = torch.arange(64, dtype=torch.int32)[:, None].expand(64, 2)
    parts = [torch.ops.aten._convert_weight_to_int4pack_for_cpu((rows >> shift & 15).contiguous(), 1) for shift in (0, 4)]
    first = [int(p.reshape(-1)[0]) >> 4 for p in parts]
    step = first[0] + 16 * first[1]
    return 2 * step if step > 1 else 0


def _by_rows(ctx: Context, packed: str, features: int, depth: int) -> str:
    """Codes [out, in / 2] whose bytes hold two numbers of a row, of those in torch's packed form, whose bytes hold two of a column."""
    panel = panel_rows()
    whole = features // panel * panel if panel else 0
    flat = ctx.reshape(packed, (features * depth // 2,))
    parts = []
    if whole:
        panels = ctx.reshape(ctx.slice(flat, 0, 0, whole * depth // 2), (whole // panel, depth, panel // 2))
        both = ctx.concat(list(_halves(ctx, panels)), 2)  # [panel, in, row]
        parts.append(ctx.reshape(ctx.permute(both, (0, 2, 1)), (whole, depth)))
    if features > whole:
        rest = features - whole
        panels = ctx.reshape(ctx.slice(flat, 0, whole * depth // 2, features * depth // 2), (depth, rest // 2))
        both = ctx.concat([ctx.reshape(v, (depth, rest // 2, 1)) for v in _halves(ctx, panels)], 2)  # [in, pair, row]
        parts.append(ctx.permute(ctx.reshape(both, (depth, rest)), (1, 0)))
    numbers = parts[0] if len(parts) == 1 else ctx.concat(parts, 0)
    even, odd = (ctx.slice(numbers, 1, i, depth, 2) for i in range(2))
    return ctx.add("bitwise_or", even, ctx.add("mul", odd, ctx.constant(16, DType.U8)))


def _halves(ctx: Context, x: str) -> tuple[str, str]:
    """The numbers in the low and in the high half of each byte."""
    return ctx.add("bitwise_and", x, ctx.constant(15, DType.U8)), ctx.add("floor_divide", x, ctx.constant(16, DType.U8))
