"""Gradients of convolutions: for the input a convolution of the other direction, for the weights an op of its own, for the bias a sum.

A module apart from the convolutions, because these families of kernels read float32 alone.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.conv import spread
from sol.ir.dim import DimLike
from sol.ir.ops.conv import conv_transpose_size
from sol.ir.ops.move import DEPTH_FIRST, MOST_STACKED

Ints = Sequence[int]
WIDEST = 16
"""Lanes of the widest vectors: groups of channels that fill them, or of which they hold several, have fast kernels."""
WORTH = 2.0
"""Multiply-adds for each one that is needed, up to which groups are filled up with zeros."""
MOST_SELECTED = 4
"""Results for each input of a group up to which their gradients are selected and added; more are summed up in the plain layout."""


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
    if spatial <= 2 and not transposed and filled_groups(ctx.size(w), groups):
        build = _of_filled
    if spatial == 3 and gradients_by_slices(ctx.size(grad), ctx.size(x), ctx.size(w), stride, transposed, groups):
        build = _of_transposed_volumes if transposed else _of_volumes
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


# -- groups without kernels: filled up with channels of zeros, and taken as groups that have one result for each input ---------------------

def has_kernels(inputs: int, results: int) -> bool:
    """Whether there are kernels for gradients of convolutions whose groups have so many channels."""
    return inputs % WIDEST == 0 == results % WIDEST or inputs == results and WIDEST % inputs == 0


def filled_groups(w: Sequence[Any], groups: int) -> tuple[int, int] | None:
    """How many inputs and results each group of a convolution is filled up to, so that kernels can compute its gradients.

    w: shape of the weight. None where there are kernels for the groups as they are, or filling them up would cost too much.
    """
    results, inputs = w[0] // groups, w[1]
    if not isinstance(results, int) or not isinstance(inputs, int) or groups == 1 or has_kernels(inputs, results):
        return None
    wide = next(n for n in (1, 2, 4, 8, -(-inputs // WIDEST) * WIDEST) if n >= inputs)
    many = -(-results // min(wide, WIDEST)) * min(wide, WIDEST)
    return (wide, many) if wide * many <= WORTH * inputs * results else None


def _of_filled(ctx: Context, grad: str, x: str, w: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """The same of a convolution in groups for which there are no kernels: of larger groups, to which channels of zeros are added."""
    groups, (all_results, inputs) = options["groups"], ctx.fixed(ctx.size(w)[:2], "the channels of a weight")
    results = all_results // groups
    wide, many = filled_groups((all_results, inputs), groups) or (inputs, results)

    def channels(v: str, count: int) -> str:
        """As many channels in each group."""
        n, c, *rest = ctx.size(v)
        if c == groups * count:
            return v
        apart = ctx.reshape(v, (n * groups, c // groups, *rest))
        filled = ctx.add("pad", apart, pads=((0, 0), (0, count - c // groups), *[(0, 0)] * len(rest)))
        return ctx.reshape(filled, (n, groups * count, *rest))

    def filters(v: str, rows: int, columns: int) -> str:
        """As many results and inputs in each group of a weight."""
        r, c, *kernel = ctx.size(v)
        if (r, c) == (groups * rows, columns):
            return v
        apart = ctx.reshape(v, (groups, r // groups, c, *kernel))
        pads = ((0, 0), (0, rows - r // groups), (0, columns - c), *[(0, 0)] * len(kernel))
        return ctx.reshape(ctx.add("pad", apart, pads=pads), (groups * rows, columns, *kernel))

    build = _of_convolution if has_kernels(wide, many) else _of_repeated
    of_input, of_weight = build(ctx, channels(grad, many), channels(x, wide), filters(w, many, wide), options)
    return lambda: channels(of_input(), inputs), lambda: filters(of_weight(), results, inputs)


def _of_repeated(ctx: Context, grad: str, x: str, w: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """The same where a group has several results for each input: of as many groups with one result for each, which read the same inputs.

    The weights of both are the same numbers in the same order.
    """
    groups, (results, inputs) = options["groups"], ctx.fixed(ctx.size(w)[:2], "the channels of a weight")
    times = results // groups // inputs
    more = options | {"groups": groups * times}
    first = range(0, groups * inputs, inputs)
    again = [c + i for c in first for _ in range(times) for i in range(inputs)]
    repeated = ctx.add("channel_select", x, index=tuple(again))
    of_input, of_weight = _of_convolution(ctx, grad, repeated, w, more)

    def summed() -> str:
        parts = of_input()
        if times > MOST_SELECTED:
            n, _, *maps = ctx.size(parts)
            apart = ctx.reshape(parts, (n, groups, times, inputs, *maps))
            return ctx.reshape(ctx.add("sum", apart, dims=(2,), keepdims=False), (n, groups * inputs, *maps))
        each = [[times * c + j * inputs + i for c in first for i in range(inputs)] for j in range(times)]
        found = [ctx.add("channel_select", parts, index=tuple(index)) for index in each]
        return functools.reduce(lambda a, b: ctx.add("add", a, b), found)

    return summed, of_weight


# -- volumes: as convolutions over slices, of which those that taps along the depth read are channels (sol/passes/flatten_volumes.py) ------

def gradients_by_slices(
    grad: Sequence[Any], x: Sequence[Any], w: Sequence[Any], stride: Sequence[int], transposed: bool, groups: int
) -> bool:
    """Whether the gradients of a convolution over volumes of these shapes are computed over slices."""
    if groups != 1 or not all(isinstance(size, int) for size in (*grad, *x, *w)) or not transposed and x[2] % stride[0]:
        return False
    return w[2] * max(math.prod(x), math.prod(grad)) <= MOST_STACKED


def _slices(ctx: Context, volume: str) -> str:
    n, c, d, h, w = ctx.size(volume)
    return ctx.reshape(ctx.permute(volume, DEPTH_FIRST), (n * d, c, h, w))


def _of_transposed_volumes(ctx: Context, grad: str, x: str, w: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """The same of a transposed convolution, in whose gradient for the weights the input and the gradient exchange their parts."""
    return _of_transposed(ctx, grad, x, w, options)[0], _of_volumes(ctx, x, grad, w, options)[1]


def _of_volumes(ctx: Context, grad: str, x: str, w: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """The gradients of a convolution over volumes of known sizes, in one group."""
    (n, _, depth, *sizes), (_, _, size, *results), (kernels, channels, taps, *filter) = (
        ctx.fixed(ctx.size(v), "the sizes of volumes") for v in (x, grad, w)
    )
    stride, dilation, (before, _) = (options[k][0] for k in ("stride", "dilation", "padding"))
    maps = {k: options[k][1:] for k in ("stride", "dilation", "padding")}
    axes = zip(results, filter, maps["stride"], maps["padding"], maps["dilation"])
    missing = tuple(s - conv_transpose_size(g, k, st, p, 0, d) for s, (g, k, st, p, d) in zip(sizes, axes))

    def of_weight() -> str:
        read = ctx.add(
            "stack_slices", _slices(ctx, x), depth=depth, size=size, taps=taps, stride=stride, dilation=dilation, start=-before
        )
        found = ctx.add("conv_weight_grad", read, _slices(ctx, grad), kernel=tuple(filter), groups=1, **maps)
        return ctx.permute(ctx.reshape(found, (kernels, taps, channels, *filter)), DEPTH_FIRST)

    def of_input() -> str:
        grads, parts = _slices(ctx, grad), []
        for place in range(stride):
            parts.append(ctx.reshape(of_slices(grads, place), (n, -(-(depth - place) // stride), 1, channels, *sizes)))
        merged = parts[0] if stride == 1 else ctx.add("concat", *parts, dim=2)
        return ctx.permute(ctx.reshape(merged, (n, depth, channels, *sizes)), DEPTH_FIRST)

    def of_slices(grads: str, place: int) -> str:
        """The gradient of slices ``place``, ``place + stride``, …: each tap that reads one of them comes from one result."""
        those = [t for t in range(taps - 1, -1, -1) if (place + before - t * dilation) % stride == 0]
        count = -(-(depth - place) // stride)
        if not those:
            return ctx.filled(0.0, (n * count, channels, *sizes), ctx.type(grad).dtype)
        start = (place + before - those[0] * dilation) // stride
        step = (those[0] - those[-1]) * dilation // stride // max(len(those) - 1, 1) or 1
        read = ctx.add("stack_slices", grads, depth=size, size=count, taps=len(those), stride=1, dilation=step, start=start)
        some = w
        if len(those) < taps:
            between = those[0] - those[1] if len(those) > 1 else 1
            some = ctx.add("slice", some, dim=2, start=those[-1], stop=those[0] + 1, step=between)
        if len(those) > 1:
            some = ctx.add("flip", some, dims=(2,))
        turned = ctx.reshape(ctx.permute(some, (2, 0, 1, 3, 4)), (len(those) * kernels, channels, *filter))
        return ctx.add("conv_transpose", read, turned, output_padding=missing, groups=1, **maps)

    return of_input, of_weight
