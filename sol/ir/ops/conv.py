"""Convolution, its transpose and its gradient for the weights over one to three spatial dimensions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sol.ir.dim import DimLike
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import blocked_layout, need, need_at_least, need_operands, need_shape, same_dtype
from sol.ir.types import TensorType


def conv_size(size: DimLike, kernel: DimLike, stride: int, padding: tuple[int, int], dilation: int) -> DimLike:
    """Output size along one dimension."""
    return (size + padding[0] + padding[1] - dilation * (kernel - 1) - 1) // stride + 1


def conv_transpose_size(
    size: DimLike, kernel: DimLike, stride: int, padding: tuple[int, int], output_padding: int, dilation: int
) -> DimLike:
    """Output size along one dimension."""
    return (size - 1) * stride - padding[0] - padding[1] + dilation * (kernel - 1) + output_padding + 1


def _check(operands: Sequence[TensorType], attrs: Attrs, channel_axis: int, names: Sequence[str]) -> None:
    """Ranks and channels of x, w and b; ``channel_axis`` is where w holds x's channels."""
    need_operands(operands, 2, 3)
    x, w = operands[:2]
    spatial = x.rank - 2
    need(1 <= spatial <= 3, f"{x} needs one to three spatial dimensions after batch and channels")
    need(w.rank == x.rank, f"weight {w} must have the rank of {x}")
    for name in names:
        need(len(attrs[name]) == spatial, f"{name} {attrs[name]} must have {spatial} entries")
    for pair in attrs["padding"]:
        need(isinstance(pair, tuple) and len(pair) == 2, f"padding {attrs['padding']} must hold (low, high) pairs")
    groups = attrs["groups"]
    channels = w.shape[channel_axis] * (groups if channel_axis == 1 else 1)
    need(channels == x.shape[1], f"weight {w} with {groups} groups takes {channels} channels, {x} has {x.shape[1]}")
    need(isinstance(w.shape[0], int) and w.shape[0] % groups == 0, f"weight {w} does not divide into {groups} groups")


def check_conv(operands: Sequence[TensorType], attrs: Attrs) -> None:
    """Shapes and options of x, w and perhaps a bias fit each other."""
    _check(operands, attrs, 1, ("stride", "padding", "dilation"))


def conv_sizes(x: TensorType, w: TensorType, attrs: Attrs) -> tuple[DimLike, ...]:
    """Spatial sizes of a convolution's result."""
    options = zip(x.shape[2:], w.shape[2:], attrs["stride"], attrs["padding"], attrs["dilation"])
    sizes = tuple(conv_size(*o) for o in options)
    for s in sizes:
        need_at_least(s, 0, "an output size")
    return sizes


def _infer_conv(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    check_conv(operands, attrs)
    x, w = operands[:2]
    same_dtype(operands)
    if len(operands) == 3:
        need_shape(operands[2], (w.shape[0],), "the bias")
    return TensorType(x.dtype, (x.shape[0], w.shape[0], *conv_sizes(x, w, attrs)), blocked_layout(operands))


def _infer_conv_transpose(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    _check(operands, attrs, 0, ("stride", "padding", "output_padding", "dilation"))
    same_dtype(operands)
    x, w = operands[:2]
    channels = w.shape[1] * attrs["groups"]
    if len(operands) == 3:
        need_shape(operands[2], (channels,), "the bias")
    options = zip(
        x.shape[2:], w.shape[2:], attrs["stride"], attrs["padding"], attrs["output_padding"], attrs["dilation"]
    )
    sizes = tuple(conv_transpose_size(*o) for o in options)
    for s in sizes:
        need_at_least(s, 0, "an output size")
    return TensorType(x.dtype, (x.shape[0], channels, *sizes), blocked_layout(operands))


def _infer_weight_grad(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 2)
    x, grad = operands
    need(x.rank == grad.rank, f"gradient {grad} must have the rank of {x}")
    groups, channels, kernels = attrs["groups"], x.shape[1], grad.shape[1]
    need(isinstance(channels, int) and channels % groups == 0, f"{x} does not divide into {groups} groups")
    weight = TensorType(x.dtype, (kernels, channels // groups, *attrs["kernel"]))
    _check((x, weight), attrs, 1, ("stride", "padding", "dilation", "kernel"))
    need_shape(grad, (x.shape[0], kernels, *conv_sizes(x, weight, attrs)), "the gradient")
    return TensorType(attrs["dtype"] or same_dtype(operands), weight.shape)


def _padded(x: np.ndarray, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """Zeros around the spatial dimensions; negative counts crop."""
    kept: tuple[Any, ...] = (..., *(slice(max(-lo, 0), n - max(-hi, 0)) for n, (lo, hi) in zip(x.shape[2:], pairs)))
    return np.pad(x[kept], ((0, 0), (0, 0), *((max(lo, 0), max(hi, 0)) for lo, hi in pairs)))


def _with_bias(y: np.ndarray, bias: tuple[np.ndarray, ...]) -> np.ndarray:
    return y + bias[0].reshape((1, -1) + (1,) * (y.ndim - 2)) if bias else y


@op("conv", "dnn", _infer_conv, stride=REQUIRED, padding=REQUIRED, dilation=REQUIRED, groups=1)
def conv(attrs: Attrs, x: np.ndarray, w: np.ndarray, *bias: np.ndarray) -> np.ndarray:
    """Cross-correlation of x[N,C,*spatial] with w[K,C/groups,*kernel], plus bias[K]."""
    return _with_bias(convolved(attrs, x, w), bias)


def convolved(attrs: Attrs, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """A convolution without bias: one matrix product per group."""
    stride, dilation, groups = attrs["stride"], attrs["dilation"], attrs["groups"]
    x = _padded(x, attrs["padding"])
    kernel, spatial = w.shape[2:], x.ndim - 2
    sizes = tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation))
    out = np.zeros((x.shape[0], groups, w.shape[0] // groups, *sizes), x.dtype)
    rows = w.reshape(groups, w.shape[0] // groups, -1)
    if out.size and rows.shape[2]:
        strides = x.strides[2:]
        for n in range(x.shape[0]):
            windows = np.lib.stride_tricks.as_strided(
                x[n],
                (x.shape[1], *kernel, *sizes),
                (x.strides[1], *(b * d for b, d in zip(strides, dilation)), *(b * s for b, s in zip(strides, stride))),
                writeable=False,
            )
            columns = windows.reshape(groups, rows.shape[2], -1)
            np.matmul(rows, columns, out=out[n].reshape(groups, rows.shape[1], -1))
    return out.reshape(x.shape[0], w.shape[0], *out.shape[-spatial:])


@op("conv_weight_grad", "dnn", _infer_weight_grad, stride=REQUIRED, padding=REQUIRED, dilation=REQUIRED, kernel=REQUIRED, groups=1,
    dtype=None)  # fmt: skip
def conv_weight_grad(attrs: Attrs, x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """The gradient of conv for its weights, [K,C/groups,*kernel], from its input x[N,C,*spatial] and the gradient of its result.

    dtype: of the result, where it is wider than that of the operands; None: theirs.
    """
    stride, dilation, groups = attrs["stride"], attrs["dilation"], attrs["groups"]
    x, spatial = _padded(x, attrs["padding"]), grad.shape[2:]
    channels, kernels = x.shape[1] // groups, grad.shape[1] // groups
    found = np.zeros((groups, kernels, channels, *attrs["kernel"]), x.dtype)
    rows = grad.reshape(grad.shape[0], groups, kernels, math.prod(spatial))
    if not rows.size:
        return found.reshape(groups * kernels, channels, *attrs["kernel"])
    for tap in itertools.product(*(range(k) for k in attrs["kernel"])):
        steps = (slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilation, spatial, stride))
        read: tuple[Any, ...] = (..., *steps)
        columns = x[read].reshape(x.shape[0], groups, channels, rows.shape[3])
        here: tuple[Any, ...] = (..., *tap)
        found[here] = np.matmul(rows, columns.swapaxes(2, 3)).sum(0)
    return found.reshape(groups * kernels, channels, *attrs["kernel"])


@op("conv_transpose", "dnn", _infer_conv_transpose, stride=REQUIRED, padding=REQUIRED, output_padding=REQUIRED,
    dilation=REQUIRED, groups=1)  # fmt: skip
def conv_transpose(attrs: Attrs, x: np.ndarray, w: np.ndarray, *bias: np.ndarray) -> np.ndarray:
    """Adjoint of conv: every element of x[N,C,*spatial] adds w[C,K/groups,*kernel] times itself into the output."""
    stride, dilation, groups = attrs["stride"], attrs["dilation"], attrs["groups"]
    batch, channels, *spatial = x.shape
    kernel = w.shape[2:]
    full = [(n - 1) * s + d * (k - 1) + 1 for n, s, d, k in zip(spatial, stride, dilation, kernel)]
    grown = [max(f, f + o - hi) for f, o, (_, hi) in zip(full, attrs["output_padding"], attrs["padding"])]
    out = np.zeros((batch, groups, w.shape[1], *grown), x.dtype)
    grouped = x.reshape(batch, groups, channels // groups, -1)
    taps = w.reshape(groups, channels // groups, w.shape[1], *kernel)
    for tap in itertools.product(*(range(k) for k in kernel)):
        here: tuple[Any, ...] = (..., *tap)
        part = np.matmul(taps[here].swapaxes(1, 2), grouped).reshape(batch, groups, w.shape[1], *spatial)
        steps = (slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilation, spatial, stride))
        there: tuple[Any, ...] = (..., *steps)
        out[there] += part
    merged = out.reshape(batch, groups * w.shape[1], *grown)
    crops = [
        (-lo, (f + o - hi) - g) for (lo, hi), f, o, g in zip(attrs["padding"], full, attrs["output_padding"], grown)
    ]
    return _with_bias(_padded(merged, crops), bias)
