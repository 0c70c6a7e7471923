"""Gradients of convolutions: for the input a convolution of the other direction, for the weights an op of its own, for the bias a sum.

A module apart from the convolutions, because these families of kernels read float32 alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.conv import spread
from sol.ir.ops.conv import conv_transpose_size

Ints = Sequence[int]


@converter("convolution_backward.default")
def convolution_backward(ctx: Context, grad: str, x: str, w: str, bias_sizes: Any, stride: Ints, padding: Ints, dilation: Ints,
                         transposed: bool, output_padding: Ints, groups: int, output_mask: Sequence[bool]) -> tuple[str | None, ...]:  # fmt: skip
    spatial = ctx.rank(w) - 2
    if ctx.rank(x) != spatial + 2:
        raise Fallback("a convolution without a batch")
    sizes = {"stride": spread(stride, spatial), "dilation": spread(dilation, spatial)}
    kernel = ctx.fixed(ctx.size(w)[2:], "the kernel size")
    padding, more = spread(padding, spatial), spread(output_padding, spatial)
    build = _of_transposed if transposed else _of_convolution
    pairs = tuple((p, p - o if transposed else p) for p, o in zip(padding, more))
    options = {**sizes, "padding": pairs, "groups": groups}
    of_input, of_weight = build(ctx, grad, x, w, kernel, options)
    return (
        of_input() if output_mask[0] else None,
        of_weight() if output_mask[1] else None,
        ctx.add("sum", grad, dims=(0, *range(2, spatial + 2)), keepdims=False) if output_mask[2] else None,
    )


def _of_convolution(ctx: Context, grad: str, x: str, w: str, kernel: tuple[int, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    """What makes the gradients of a convolution's input and of its weights."""
    axes = zip(ctx.size(grad)[2:], kernel, options["stride"], options["padding"], options["dilation"])
    reached = [conv_transpose_size(n, k, s, p, 0, d) for n, k, s, p, d in axes]
    missing = ctx.fixed([size - r for size, r in zip(ctx.size(x)[2:], reached)], "the rows and columns that no result reads")
    return (
        lambda: ctx.add("conv_transpose", grad, w, output_padding=missing, **options),
        lambda: ctx.add("conv_weight_grad", x, grad, kernel=kernel, **options),
    )


def _of_transposed(ctx: Context, grad: str, x: str, w: str, kernel: tuple[int, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    """The same of a transposed convolution: one from the gradient to the input, in which the two exchange their parts."""
    return (
        lambda: ctx.add("conv", grad, w, **options),
        lambda: ctx.add("conv_weight_grad", grad, x, kernel=kernel, **options),
    )
