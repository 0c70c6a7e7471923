"""ATen ops that make a tensor from nothing: ranges, fills, and tables that torch computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.fx import Node

from sol.frontend.torch.aten import DTYPES, Context, Fallback, converter
from sol.ir.dim import Dim
from sol.ir.types import DType


@converter("arange.default", "arange.start", "arange.start_step")
def arange(ctx: Context, *bounds: Any, **_: Any) -> str:
    start, step = (0, 1) if len(bounds) == 1 else (bounds[0], bounds[2] if len(bounds) > 2 else 1)
    return ramp(ctx, ctx.shape[0], start, step, ctx.dtype)


def ramp(ctx: Context, size: Any, start: Any, step: Any, dtype: DType) -> str:
    """``start + step * i`` for ``i < size``; whole numbers are counted exactly."""
    if any(isinstance(v, float) and not v.is_integer() for v in (start, step)):
        count = ctx.cast(ctx.add("iota", size=size, start=0, step=1, dtype=DType.I64), DType.F64)
        scaled = ctx.add("mul", count, ctx.operand(float(step), DType.F64))
        return ctx.cast(ctx.add("add", scaled, ctx.operand(float(start), DType.F64)), dtype)
    start = start if isinstance(start, Dim) else int(start)
    step = step if isinstance(step, Dim) else int(step)
    return ctx.cast(ctx.add("iota", size=size, start=start, step=step, dtype=DType.I64), dtype)


@converter("linspace.default")
def linspace(ctx: Context, start: Any, end: Any, steps: Any, **_: Any) -> str:
    (size,) = ctx.fixed(ctx.shape, "the length of linspace")
    return ctx.constant(np.linspace(float(start), float(end), size), ctx.dtype)


def is_table(node: Node) -> bool:
    """Whether numbers alone decide what an operation gives: windows of signals, frequencies, places in triangles.

    Of torch's own operations only: one that a user registered may give something else at every call.
    """
    target, meta = node.target, node.meta.get("val")
    if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten" or node.all_input_nodes:
        return False
    if not isinstance(meta, torch.Tensor):
        return False
    return torch.Tag.nondeterministic_seeded not in target.tags and meta.dtype in DTYPES and not DTYPES[meta.dtype].is_opaque


def table(ctx: Context, *_: Any, **__: Any) -> str:
    """Torch computes it once, while importing."""
    if ctx.node.all_input_nodes or any(isinstance(n, Dim) for n in ctx.shape):
        raise Fallback("a table of open size, or made of another one")
    with torch.no_grad():
        value = ctx.node.target(*ctx.node.args, **ctx.node.kwargs).clone()  # type: ignore[operator]  # zeros may have no memory
    return ctx.constant((value.float() if value.dtype is torch.bfloat16 else value).numpy(), ctx.dtype)


@converter("full.default", "new_full.default", "full_like.default")
def full(ctx: Context, _like: Any, *rest: Any, **__: Any) -> str:
    return ctx.filled(rest[-1], ctx.shape, ctx.dtype)


@converter("zeros.default", "zeros_like.default", "new_zeros.default", "empty.memory_format", "empty_like.default", "new_empty.default",
           "empty.default", "empty_permuted.default", "new_empty_strided.default", "empty_strided.default")  # fmt: skip
def zeros(ctx: Context, *_: Any, **__: Any) -> str:
    return ctx.filled(0, ctx.shape, ctx.dtype)


@converter("ones.default", "ones_like.default", "new_ones.default")
def ones(ctx: Context, *_: Any, **__: Any) -> str:
    return ctx.filled(1, ctx.shape, ctx.dtype)


@converter("scalar_tensor.default")
def scalar_tensor(ctx: Context, value: Any, **_: Any) -> str:
    return ctx.operand(value, ctx.dtype)


@converter("fill.Scalar", "fill.Tensor")
def fill(ctx: Context, _x: str, value: Any) -> str:
    return ctx.filled(value, ctx.shape, ctx.dtype)


@converter("zero.default")
def zero(ctx: Context, _x: str) -> str:
    return ctx.filled(0, ctx.shape, ctx.dtype)


@converter("copy.default")
def copy(ctx: Context, _x: str, source: str, non_blocking: bool = False) -> str:
    return ctx.expand(ctx.cast(source, ctx.dtype), ctx.shape)


@converter("eye.default", "eye.m")
def eye(ctx: Context, *_: Any, **__: Any) -> str:
    rows, columns = ctx.shape
    return ctx.cast(ctx.add("eq", *grid(ctx, rows, columns)), ctx.dtype)


def grid(ctx: Context, rows: Any, columns: Any) -> tuple[str, str]:
    """Row numbers ``[rows, 1]`` and column numbers ``[1, columns]``."""
    i = ctx.add("iota", size=rows, start=0, step=1, dtype=DType.I64)
    j = ctx.add("iota", size=columns, start=0, step=1, dtype=DType.I64)
    return ctx.reshape(i, (rows, 1)), ctx.reshape(j, (1, columns))


@converter("triu.default")
def triu(ctx: Context, x: str, diagonal: int = 0) -> str:
    return _triangle(ctx, "ge", x, diagonal)


@converter("tril.default")
def tril(ctx: Context, x: str, diagonal: int = 0) -> str:
    return _triangle(ctx, "le", x, diagonal)


def _triangle(ctx: Context, comparison: str, x: str, diagonal: int) -> str:
    rows, columns = ctx.size(x)[-2:]
    i, j = grid(ctx, rows, columns)
    if not isinstance(diagonal, int):
        raise Fallback("a diagonal that depends on the input size")
    if diagonal:
        i = ctx.add("add", i, ctx.operand(diagonal, DType.I64))
    keep = ctx.add(comparison, j, i)
    return ctx.add("where", keep, x, ctx.operand(0, ctx.dtype))
