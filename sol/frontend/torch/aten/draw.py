"""ATen ops that draw random numbers. torch draws them, ahead of what is compiled where no value that is computed decides them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from sol.frontend.torch.aten import Context, Fallback, converter, dtype_of
from sol.frontend.torch.draws import dropout_mask, memory_order
from sol.frontend.torch.torch_call import TorchCall
from sol.ir.types import DType, TensorType

_RANDOM = "random numbers are drawn by torch"


@converter("feature_dropout.default", "alpha_dropout.default", "feature_alpha_dropout.default")
def no_dropout(ctx: Context, x: str, p: float, train: bool) -> str:
    if train and p:
        raise Fallback(_RANDOM)
    return x


@converter("dropout.default")
def dropout(ctx: Context, x: str, p: float, train: bool) -> str:
    return native_dropout(ctx, x, p, train)[0]


@converter("native_dropout.default")
def native_dropout(ctx: Context, x: str, p: float, train: bool | None = None) -> tuple[str, str]:
    """As ``torch.nn.functional.dropout``, which draws nothing where all or no elements are dropped."""
    if not (train is None or train) or p == 0:
        return x, ctx.filled(True, ctx.shape, DType.BOOL)
    if not 0 < p <= 1 or not ctx.type(x).dtype.is_float:
        raise Fallback(_RANDOM)
    if p == 1:
        return ctx.add("mul", x, ctx.operand(0.0, ctx.dtype)), ctx.filled(False, ctx.shape, DType.BOOL)
    mask = _mask(ctx, 1 - p)
    kept = ctx.add("mul", x, ctx.cast(mask, ctx.dtype))
    return ctx.add("mul", kept, ctx.operand(1 / (1 - p), ctx.dtype)), mask


@converter("bernoulli.p")
def bernoulli(ctx: Context, x: str, p: float, generator: Any = None) -> str:
    if generator is not None:
        raise Fallback(_RANDOM)
    return ctx.cast(_mask(ctx, p), ctx.dtype)


def _mask(ctx: Context, kept: float) -> str:
    """A mask like the node's first operand, drawn in the order in which that lies in memory."""
    tensor = ctx.node.args[0].meta["val"]  # type: ignore[union-attr]
    order = memory_order(tensor)
    if tensor.device.type != "cpu" or order is None:
        raise Fallback(_RANDOM)
    drawn = _drawn(ctx, dropout_mask(), (kept, [ctx.shape[d] for d in order]), DType.BOOL)
    return ctx.permute(drawn, [order.index(d) for d in range(len(order))])


_LIKE = {
    "rand_like": torch.ops.aten.rand.default, "randn_like": torch.ops.aten.randn.default, "randint_like": torch.ops.aten.randint.default,
}  # fmt: skip


@converter("rand_like.default", "randn_like.default", "randint_like.default", "randint_like.low_dtype")
def like(ctx: Context, x: str, *bounds: Any, **_: Any) -> str:
    """As of the sizes alone, which gives the same numbers where they lie in the order of dimensions."""
    tensor = ctx.node.meta["val"]
    if tensor.device.type != "cpu" or not tensor.is_contiguous():
        raise Fallback(_RANDOM)
    operation = torch.ops.aten.randint.low if len(bounds) == 2 else _LIKE[ctx.operation]
    return _drawn(ctx, operation, (*bounds, ctx.shape), dtype_of(tensor.dtype), dtype=tensor.dtype, device=tensor.device)


def _drawn(ctx: Context, operation: Any, args: Sequence[Any], element: DType, **options: Any) -> str:
    """Append the call of an operation that draws a tensor, whose sizes are the last of its arguments."""
    *numbers, sizes = args
    call = TorchCall(str(operation), operation, (*numbers, tuple(sizes)), options, (0,))
    return ctx.call_torch(call, (), [TensorType(element, tuple(sizes))], _RANDOM)[0]
