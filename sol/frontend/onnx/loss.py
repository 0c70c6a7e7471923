"""ONNX losses: negative log-likelihood and cross entropy."""

from __future__ import annotations

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.norm import HALVES
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.ir.types import DType


def _loss(ctx: Context, node: OnnxNode, scores: str, target: str, weight: str | None) -> str:
    """``-scores[n, target[n], …] * weight[target[n]]`` reduced; 0 where the target is ``ignore_index``.

    scores: logarithms of probabilities ``[N, C, …]``. "mean" divides by the sum of the weights.
    """
    dtype, ignored = ctx.type(scores).dtype, node.attr("ignore_index")
    shape = ctx.size(target)
    place = ctx.cast(target, DType.I64)
    keep = None if ignored is None else ctx.add("ne", place, ctx.operand(int(ignored), DType.I64))
    if keep is not None:
        place = ctx.add("where", keep, place, ctx.operand(0, DType.I64))
    column = ctx.reshape(place, (shape[0], 1, *shape[1:]))
    loss = ctx.add("neg", ctx.reshape(ctx.add("gather", scores, column, dim=1, checked=node.op, signed=False), shape))
    weights: str | None = None if weight is None else ctx.add("take", ctx.cast(weight, dtype), place, dim=0)
    if keep is not None:
        zero = ctx.operand(0.0, dtype)
        weights = ctx.add("where", keep, ctx.operand(1.0, dtype) if weights is None else weights, zero)
        loss = ctx.add("where", keep, loss, zero)
    if weights is not None:
        loss = ctx.add("mul", loss, weights)
    reduction, dims = node.attr("reduction", "mean"), tuple(range(len(shape)))
    if reduction == "none":
        return loss
    if reduction == "mean" and weights is None:
        return ctx.add("mean", loss, dims=dims, keepdims=False)
    total = ctx.add("sum", loss, dims=dims, keepdims=False)
    return total if reduction == "sum" or weights is None else ctx.add("div", total, ctx.add("sum", weights, dims=dims, keepdims=False))


@converter("NegativeLogLikelihoodLoss")
def negative_log_likelihood_loss(ctx: Context, node: OnnxNode) -> str:
    x = node.inputs[0]
    dtype = ctx.type(x).dtype
    y = ctx.cast(x, DType.F32) if dtype in HALVES else x
    return ctx.cast(_loss(ctx, node, y, node.inputs[1], node.input(2)), dtype)


@converter("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy_loss(ctx: Context, node: OnnxNode) -> tuple[str, str]:
    """The loss, and the logarithms of the probabilities."""
    x = node.inputs[0]
    dtype = ctx.type(x).dtype
    y = ctx.cast(x, DType.F32) if dtype in HALVES else x
    log_probability = ctx.add("log_softmax", y, dim=1)
    return ctx.cast(_loss(ctx, node, log_probability, node.inputs[1], node.input(2)), dtype), ctx.cast(log_probability, dtype)
