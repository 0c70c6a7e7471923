"""ATen's windows of images as columns (im2col, ``F.unfold``), and columns that make up an image again (col2im, ``F.fold``)."""

from __future__ import annotations

from typing import Any

from sol.frontend.torch.aten import Context, Fallback, converter
from sol.frontend.torch.aten.conv import spread
from sol.ir.dim import DimLike

MOST = 128
"""Elements of a window up to which every one of them is a copy of its own."""


@converter("im2col.default")
def im2col(ctx: Context, x: str, kernel: Any, dilation: Any, padding: Any, stride: Any) -> str:
    """``[N, C, H, W]`` → ``[N, C * taps, windows]``: for each element of the windows what all of them have there, one after another."""
    kernel, dilation, padding, stride = (spread(v, 2) for v in (kernel, dilation, padding, stride))
    shape = ctx.shape
    if ctx.rank(x) == 3:
        x = ctx.reshape(x, (1, *ctx.size(x)))
    n, c, *sizes = ctx.size(x)
    counts = [(s + 2 * p - d * (k - 1) - 1) // t + 1 for s, p, d, k, t in zip(sizes, padding, dilation, kernel, stride)]
    if _are_apart(kernel, dilation, padding, stride) and all(a * k == s for a, k, s in zip(counts, kernel, sizes)):
        tiles = ctx.reshape(x, (n, c, counts[0], kernel[0], counts[1], kernel[1]))
        return ctx.reshape(ctx.permute(tiles, (0, 1, 3, 5, 2, 4)), shape)
    if kernel[0] * kernel[1] > MOST:
        raise Fallback(f"windows of {kernel[0]} x {kernel[1]} elements")
    if any(padding):
        x = ctx.add("pad", x, pads=((0, 0), (0, 0), *((p, p) for p in padding)), value=0)
    taps = [
        ctx.reshape(_tap(ctx, x, (i * dilation[0], j * dilation[1]), stride, counts), (n, c, 1, *counts))
        for i in range(kernel[0]) for j in range(kernel[1])
    ]  # fmt: skip
    return ctx.reshape(ctx.concat(taps, 2), shape)


def _are_apart(kernel: Any, dilation: Any, padding: Any, stride: Any) -> bool:
    """Whether windows lie side by side."""
    return kernel == stride and tuple(dilation) == (1, 1) and not any(padding)


def _tap(ctx: Context, x: str, start: tuple[int, int], stride: tuple[int, ...], counts: list[DimLike]) -> str:
    """What all windows have at one place: ``x[:, :, start :: stride]``."""
    for axis, (first, step, count) in enumerate(zip(start, stride, counts), 2):
        x = ctx.slice(x, axis, first, first + (count - 1) * step + 1, step)
    return x


@converter("col2im.default")
def col2im(ctx: Context, x: str, output_size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> str:
    """``[N, C * taps, windows]`` → ``[N, C, H, W]`` where windows lie side by side; others overlap and add up."""
    kernel, dilation, padding, stride = (spread(v, 2) for v in (kernel, dilation, padding, stride))
    height, width = output_size
    if not _are_apart(kernel, dilation, padding, stride) or height % kernel[0] or width % kernel[1]:
        raise Fallback("windows that overlap")  # which torch's own decomposition adds up
    lead, channels = ctx.shape[:-3], ctx.shape[-3]
    rows, columns, at = height // kernel[0], width // kernel[1], len(lead)
    tiles = ctx.reshape(x, (*lead, channels, *kernel, rows, columns))
    order = (*range(at + 1), at + 3, at + 1, at + 4, at + 2)
    return ctx.reshape(ctx.permute(tiles, order), ctx.shape)
