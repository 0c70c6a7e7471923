"""ATen losses that are not made of others: the negative log likelihood of given classes (`decompose.py` serves the rest)."""

from __future__ import annotations

from sol.frontend.torch.aten import Context, converter
from sol.ir.types import DType

NONE, MEAN = 0, 1


@converter("nll_loss_forward.default", "nll_loss2d_forward.default")
def nll_loss(ctx: Context, x: str, target: str, weight: str | None, reduction: int, ignore_index: int) -> tuple[str, str | None]:
    """``-weight[t] x[t]`` of each row (dimension 1 of several), 0 where t is ``ignore_index``; the sum, or that over the weights' sum."""
    dtype, axis = ctx.type(x).dtype, min(ctx.rank(x), 2) - 1
    shape = ctx.size(target)
    ignored = ctx.add("eq", target, ctx.operand(ignore_index, ctx.type(target).dtype))
    place = ctx.add("where", ignored, ctx.operand(0, DType.I64), ctx.cast(target, DType.I64))
    column = (*shape[:axis], 1, *shape[axis:])
    picked = ctx.reshape(ctx.add("gather", x, ctx.reshape(place, column), dim=axis, checked="nll_loss", signed=False), shape)
    scale = ctx.add("take", weight, place, dim=0) if weight is not None else ctx.filled(1.0, shape, dtype)
    zero = ctx.operand(0.0, dtype)
    scale = ctx.add("where", ignored, zero, scale)
    loss = ctx.add("where", ignored, zero, ctx.add("mul", ctx.add("neg", picked), scale))
    if reduction == NONE:
        return loss, ctx.filled(0.0, (), dtype) if ctx.is_used(1) else None
    dims = tuple(range(len(shape)))
    total, weights = (ctx.add("sum", v, dims=dims, keepdims=False) for v in (loss, scale))
    return ctx.add("div", total, weights) if reduction == MEAN else total, weights
