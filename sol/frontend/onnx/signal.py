"""ONNX signal processing: Fourier transforms as products with constant matrices, windows, and the matrix of the mel scale."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.ngrams import tfidf_vectorizer
from sol.frontend.onnx.registry import OnnxNode, converter
from sol.frontend.onnx.types import dtype_of
from sol.frontend.onnx.windows import computed
from sol.ir.types import DType

LONGEST = 4096  # points of a transform, above which its matrix is too large

converter("TfIdfVectorizer", since=9)(tfidf_vectorizer)


def fourier_matrix(taken: int, length: int, parts: int, *, inverse: bool, onesided: bool) -> np.ndarray:
    """[rows of the result * 2, taken * parts]: the transform of ``length`` points of which only the first ``taken`` are not zero.

    Points and results are (real, imaginary) pairs, or real numbers alone for parts = 1 and for the result of an inverse onesided
    transform, whose points are those of the lower half of a symmetric spectrum.
    """
    to_real = inverse and onesided
    rows = length if to_real or not onesided else length // 2 + 1
    angle = 2 * np.pi * (np.outer(np.arange(rows), np.arange(taken)) % length) / length
    scale = np.full(taken, 1.0 / length if inverse else 1.0)
    if to_real:
        twice = (np.arange(taken) > 0) & (np.arange(taken) * 2 != length)
        scale = np.where(twice, 2 * scale, scale) * (np.arange(taken) <= length // 2)
    sign = 1.0 if inverse else -1.0
    cos, sin = np.cos(angle) * scale, sign * np.sin(angle) * scale
    whole = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], 1)  # [rows, re/im, taken, re/im]
    if to_real:
        whole = whole[:, :1]
    return whole[..., :parts].reshape(rows * whole.shape[1], taken * parts)


def _transformed(ctx: Context, x: str, length: int, *, inverse: bool, onesided: bool) -> str:
    """The transform of x[..., points, parts] along its last dimension but one."""
    if not 0 < length <= LONGEST:
        ctx.fail(f"a Fourier transform of {length} points", f"up to {LONGEST} are built")
    *lead, points, parts = ctx.size(x)
    points, parts = ctx.fixed((points, parts), "the length of a Fourier transform")
    taken = min(points, length)
    x = ctx.slice(x, len(lead), 0, taken)
    matrix = fourier_matrix(taken, length, parts, inverse=inverse, onesided=onesided)
    dtype = computed(ctx.type(x).dtype)
    y = ctx.add("linear", ctx.reshape(ctx.cast(x, dtype), (*lead, taken * parts)), ctx.constant(matrix, dtype))
    parts = 1 if inverse and onesided else 2
    return ctx.cast(ctx.reshape(y, (*lead, matrix.shape[0] // parts, parts)), ctx.type(x).dtype)


@converter("DFT", since=17)
def dft(ctx: Context, node: OnnxNode) -> str:
    x, stated, rank = node.inputs[0], node.input(1), ctx.rank(node.inputs[0])
    if node.opset < 20:
        axis = node.attr("axis", 1)
    else:
        axis = -2 if node.input(2) is None else int(ctx.number(node.input(2), "the axis of the transform"))
    axis = ctx.axis(axis, rank)
    if axis == rank - 1:
        ctx.fail("a Fourier transform along the dimension of real and imaginary parts")
    inverse, onesided = bool(node.attr("inverse", 0)), bool(node.attr("onesided", 0))
    order = [*(i for i in range(rank - 1) if i != axis), axis, rank - 1]
    x = ctx.permute(x, order)
    if stated is not None:
        length = int(ctx.number(stated, "the length of the transform"))
    else:
        (points,) = ctx.fixed(ctx.size(x)[-2:-1], "the length of a Fourier transform")
        length = 2 * (points - 1) if inverse and onesided else points
    y = _transformed(ctx, x, length, inverse=inverse, onesided=onesided)
    return ctx.permute(y, [order.index(i) for i in range(rank)])


@converter("STFT", since=17)
def stft(ctx: Context, node: OnnxNode) -> str:
    """The transform of overlapping frames, each times the window: [batch, frames, frequencies, 2]."""
    signal, step_value, window, length_value = (node.input(i) for i in range(4))
    step = int(ctx.number(step_value, "the step between frames"))
    if length_value is not None:
        length = int(ctx.number(length_value, "the length of a frame"))
    elif window is not None:
        (length,) = ctx.fixed(ctx.size(window), "the length of the window")
    else:
        (length,) = ctx.fixed(ctx.size(signal)[1:2], "the length of a frame")
    if step < 1 or length < 1:
        ctx.fail(f"frames of {length} elements, {step} apart")
    frames = (ctx.size(signal)[1] - length) // step + 1
    starts = ctx.reshape(ctx.add("iota", size=frames, start=0, step=step, dtype=DType.I64), (frames, 1))
    index = ctx.add("add", starts, ctx.constant(np.arange(length), DType.I64))
    x = ctx.add("take", signal, index, dim=1)
    if window is not None:
        x = ctx.add("mul", x, ctx.reshape(window, (length, 1)))
    return _transformed(ctx, x, length, inverse=False, onesided=bool(node.attr("onesided", 1)))


def _window(name: str, formula: Callable[[np.ndarray], np.ndarray]) -> None:
    """A window operator: its values over the fraction of a period."""

    @converter(name, since=17)
    def convert(ctx: Context, node: OnnxNode) -> str:
        size = int(ctx.number(node.inputs[0], "the size of the window"))
        period = size if node.attr("periodic", 1) else size - 1
        dtype = dtype_of(node.attr("output_datatype", 1))
        values = formula(np.arange(size) / period) if period else np.ones(size)
        return ctx.cast(ctx.constant(values, dtype if dtype.is_float else DType.F64), dtype)


_window("HannWindow", lambda t: np.sin(np.pi * t) ** 2)
_window("HammingWindow", lambda t: 25 / 46 - 21 / 46 * np.cos(2 * np.pi * t))
_window("BlackmanWindow", lambda t: 0.42 - 0.5 * np.cos(2 * np.pi * t) + 0.08 * np.cos(4 * np.pi * t))


@converter("MelWeightMatrix", since=17)
def mel_weight_matrix(ctx: Context, node: OnnxNode) -> str:
    """[dft_length / 2 + 1, bins]: triangles whose corners are evenly spaced on the mel scale."""
    bins, length, rate, low, high = (ctx.number(v, "an option of the mel scale") for v in node.inputs)
    mel_low, mel_high = (2595 * np.log10(1 + f / 700) for f in (low, high))
    mels = np.arange(bins + 2) * ((mel_high - mel_low) / (bins + 2)) + mel_low
    corners = np.floor((length + 1) * (700 * (10 ** (mels / 2595) - 1)) / rate).astype(np.int64)
    rows = np.arange(length // 2 + 1)[:, None]
    left, centre, right = corners[:-2], corners[1:-1], corners[2:]
    with np.errstate(all="ignore"):
        rising = np.where((rows >= left) & (rows <= centre) & (centre > left), (rows - left) / (centre - left), 0.0)
        falling = np.where((rows >= centre) & (rows < right), (right - rows) / (right - centre), 0.0)
    matrix = np.where((rows >= centre) & (right > centre), falling, rising)
    matrix = np.where((rows == centre) & (centre == left), 1.0, matrix)
    dtype = dtype_of(node.attr("output_datatype", 1))
    return ctx.cast(ctx.constant(matrix, dtype if dtype.is_float else DType.F64), dtype)
