"""Options that convolutions and poolings share: kernel, strides, dilations and padding per spatial dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode
from sol.ir.dim import DimLike
from sol.ir.types import DType

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Windows:
    """Options of one node, one entry per spatial dimension; padding as (before, after)."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    padding: Pairs


def windows_of(ctx: Context, node: OnnxNode, sizes: Sequence[DimLike], kernel: Sequence[DimLike] | None = None) -> Windows:
    """The windows over a map of these sizes. kernel: that of the weights, where the node does not state it."""
    count = len(sizes)
    shape = ctx.fixed(kernel, "the kernel size") if kernel is not None else tuple(node.attr("kernel_shape", ()))
    stride = tuple(node.attr("strides") or (1,) * count)
    dilation = tuple(node.attr("dilations") or (1,) * count)
    if not len(shape) == len(stride) == len(dilation) == count:
        ctx.fail(f"kernel {shape}, strides {stride} and dilations {dilation} do not fit {count} spatial dimensions")
    return Windows(shape, stride, dilation, _padding(ctx, node, sizes, shape, stride, dilation))


def pairs(ctx: Context, node: OnnxNode, count: int) -> Pairs:
    """The attribute ``pads`` (all befores, then all afters) as pairs."""
    pads = tuple(node.attr("pads") or (0,) * 2 * count)
    if len(pads) != 2 * count:
        ctx.fail(f"pads {pads} do not fit {count} spatial dimensions")
    return tuple(zip(pads[:count], pads[count:]))


def _padding(
    ctx: Context, node: OnnxNode, sizes: Sequence[DimLike], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> Pairs:
    mode = node.attr("auto_pad", "NOTSET")
    if mode == "NOTSET":
        return pairs(ctx, node, len(sizes))
    if mode == "VALID":
        return ((0, 0),) * len(sizes)
    return tuple(split(_same(ctx, *options), mode) for options in zip(sizes, kernel, stride, dilation))


def _same(ctx: Context, size: DimLike, kernel: int, stride: int, dilation: int) -> int:
    """Padding with which there are ``ceil(size / stride)`` windows."""
    if stride == 1:
        return dilation * (kernel - 1)
    (size,) = ctx.fixed((size,), "padding to the same size")
    return max((-(-size // stride) - 1) * stride + dilation * (kernel - 1) + 1 - size, 0)


def split(total: int, mode: str) -> tuple[int, int]:
    """Padding before and after; the odd one goes after for SAME_UPPER."""
    return (total // 2, total - total // 2) if mode == "SAME_UPPER" else (total - total // 2, total // 2)


def computed(dtype: DType) -> DType:
    """The float type in which kernels compute a value: float64 stays, all else is float32."""
    return DType.F64 if dtype is DType.F64 else DType.F32


def exact_float(terms: DimLike, largest: int) -> DType:
    """A float type in which a sum of ``terms`` integers up to ``largest`` is exact."""
    return DType.F32 if isinstance(terms, int) and terms * largest < 1 << 24 else DType.F64
