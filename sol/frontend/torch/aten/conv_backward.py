"""Gradients of convolutions: for the input a convolution of the other direction, for the weights an op of its own, for the bias a sum.

A module apart from the convolutions, because these families of kernels read float32 alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.conv import spread
from sol.ir.dim import DimLike
from sol.ir.ops.conv import conv_transpose_size

Ints = Sequence[int]


@converter("convolution_backward.default")
def convolution_backward(
    ctx: Context, grad: str, x: str, w: str, bias_sizes: Any, stride: Ints, padding: Ints, dilation: Ints, transposed: bool,
    output_padding: Ints, groups: int, output_mask: Sequence[bool],
) -> tuple[str | None, ...]:  # fmt: skip
    spatial = ctx.rank(w) - 2
    if ctx.rank(x) != spatial + 2:
        raise Fallback("a convolution without a batch")
    stride, dilation, padding, more = (spread(option, spatial) for option in (stride, dilation, padding, output_padding))
    pairs = tuple((p, p - o if transposed else p) for p, o in zip(padding, more))
    shapes, of_bias = (ctx.size(x), ctx.size(w)), grad
    if spatial == 1:  # as over two dimensions, for which there are kernels
        grad, x, w = (ctx.reshape(v, _with_height(ctx.size(v))) for v in (grad, x, w))
        stride, dilation, pairs = (1, *stride), (1, *dilation), ((0, 0), *pairs)
    options = {"stride": stride, "dilation": dilation, "padding": pairs, "groups": groups}
    build = _of_transposed if transposed else _of_convolution
    of_input, of_weight = build(ctx, grad, x, w, options)
    return (
        ctx.reshape(of_input(), shapes[0]) if output_mask[0] else None,
        ctx.reshape(of_weight(), shapes[1]) if output_mask[1] else None,
        ctx.add("sum", of_bias, dims=(0, *range(2, spatial + 2)), keepdims=False) if output_mask[2] else None,
    )


def _with_height(shape: Sequence[DimLike]) -> tuple[DimLike, ...]:
    return (*shape[:2], 1, *shape[2:])


def _of_convolution(ctx: Context, grad: str, x: str, w: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """What makes the gradients of a convolution's input and of its weights."""
    kernel = ctx.fixed(ctx.size(w)[2:], "the kernel size")
    axes = zip(ctx.size(grad)[2:], kernel, options["stride"], options["padding"], options["dilation"])
    reached = [conv_transpose_size(n, k, s, p, 0, d) for n, k, s, p, d in axes]
    missing = ctx.fixed([size - r for size, r in zip(ctx.size(x)[2:], reached)], "the rows and columns that no result reads")
    return (
        lambda: ctx.add("conv_transpose", grad, w, output_padding=missing, **options),
        lambda: ctx.add("conv_weight_grad", x, grad, kernel=kernel, **options),
    )


def _of_transposed(ctx: Context, grad: str, x: str, w: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """The same of a transposed convolution: one from the gradient to the input, in which the two exchange their parts."""
    kernel = ctx.fixed(ctx.size(w)[2:], "the kernel size")
    return (
        lambda: ctx.add("conv", grad, w, **options),
        lambda: ctx.add("conv_weight_grad", grad, x, kernel=kernel, **options),
    )
