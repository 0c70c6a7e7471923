"""ATen convolutions, in their functional and core spellings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter

Ints = int | Sequence[int]


def spread(value: Any, count: int) -> tuple[int, ...]:
    """An option per spatial dimension: ATen allows one number for all."""
    if isinstance(value, int):
        return (value,) * count
    return tuple(value) * count if len(value) == 1 else tuple(value)


@converter("conv1d.default", "conv2d.default", "conv3d.default", "conv1d.padding", "conv2d.padding", "conv3d.padding")
def conv(ctx: Context, x: str, w: str, b: str | None = None, stride: Ints = 1, padding: Any = 0, dilation: Ints = 1,
         groups: int = 1) -> str:  # fmt: skip
    spatial = ctx.rank(w) - 2
    dilation = spread(dilation, spatial)
    pads = _pads(ctx, w, padding, dilation)
    return _batched(ctx, x, spatial, lambda y: ctx.add(
        "conv", y, w, *_bias(b), stride=spread(stride, spatial), padding=pads, dilation=dilation, groups=groups
    ))  # fmt: skip


def _pads(ctx: Context, w: str, padding: Any, dilation: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    kernel = ctx.size(w)[2:]
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding == "same":
        totals = [d * (k - 1) for d, k in zip(dilation, ctx.fixed(kernel, "the kernel size"))]
        return tuple((t // 2, t - t // 2) for t in totals)
    return tuple((p, p) for p in spread(padding, len(kernel)))


def _bias(b: str | None) -> tuple[str, ...]:
    return () if b is None else (b,)


def _batched(ctx: Context, x: str, spatial: int, build: Any) -> str:
    """Run on a batch of one where the input has none."""
    if ctx.rank(x) == spatial + 2:
        return build(x)
    return ctx.reshape(build(ctx.reshape(x, (1, *ctx.size(x)))), ctx.shape)


@converter("conv_transpose1d.default", "conv_transpose2d.input", "conv_transpose3d.input")
def conv_transpose(ctx: Context, x: str, w: str, b: str | None = None, stride: Ints = 1, padding: Ints = 0, output_padding: Ints = 0,
                   groups: int = 1, dilation: Ints = 1) -> str:  # fmt: skip
    spatial = ctx.rank(w) - 2
    pads = tuple((p, p) for p in spread(padding, spatial))
    steps, dilations, more = spread(stride, spatial), spread(dilation, spatial), spread(output_padding, spatial)
    if any(m >= max(s, d) for m, s, d in zip(more, steps, dilations)):
        raise Fallback("torch refuses an output padding that is not smaller than stride or dilation")
    return _batched(ctx, x, spatial, lambda y: ctx.add(
        "conv_transpose", y, w, *_bias(b), stride=steps, padding=pads, output_padding=more, dilation=dilations, groups=groups,
    ))  # fmt: skip


@converter("convolution.default", "_convolution.default", "mkldnn_convolution.default")
def convolution(ctx: Context, x: str, w: str, b: str | None, stride: Ints, padding: Ints, dilation: Ints, transposed: bool = False,
                output_padding: Ints = 0, groups: int = 1, *_: Any) -> str:  # fmt: skip
    if str(ctx.node.target).startswith("aten.mkldnn"):
        raise Fallback("oneDNN's own operation")
    if transposed:
        return conv_transpose(ctx, x, w, b, stride, padding, output_padding, groups, dilation)
    return conv(ctx, x, w, b, stride, padding, dilation, groups)
