"""Linear layers whose weights alone are quantized: integers of 8 or 4 bits, a scale and a zero point for each group of input channels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.dim import dim_text
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_float, need_operands
from sol.ir.types import DType, TensorType

ROWS_AT_ONCE = 1 << 22
"""Weights that are quantized at a time, so that what is computed on the way stays small beside the weights."""


def groups_of(depth: int, group: int) -> int:
    """How many groups the input channels of a layer have; the last one may be smaller."""
    return -(-depth // group)


def _infer_linear(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 3, 4)
    x, codes, scales = operands[:3]
    group = attrs["group"]
    need_float(x)
    need(x.rank >= 1 and codes.rank == 2, f"takes x[..., in] and codes[out, in] or [out, in / 2], got {x} and {codes}")
    need(codes.dtype in (DType.I8, DType.U8), f"codes must be i8, or u8 that hold two of 4 bits each, got {codes}")
    depth, features = x.shape[-1], codes.shape[0]
    need(isinstance(depth, int) and isinstance(features, int), f"the sizes of a quantized weight must be fixed, got {codes}")
    assert isinstance(depth, int)
    taken = depth if codes.dtype is DType.I8 else -(-depth // 2)
    need(codes.shape[1] == taken, f"x has {depth} features, the codes are {dim_text(codes.shape[1])} bytes of {taken}")
    need(isinstance(group, int) and group > 0, f"a group is a positive number of input channels, got {group}")
    need(group >= depth or group % 8 == 0, f"a group must be a multiple of 8 input channels, got {group}")
    for what, given, kinds in zip(("scales", "zero points"), operands[2:], ((DType.F32, DType.BF16), (DType.I8, DType.F32))):
        need(given.dtype in kinds, f"the {what} must be {' or '.join(map(str, kinds))}, got {given}")
        need(given.shape == (features, groups_of(depth, group)), f"the {what} must be [{features},{groups_of(depth, group)}], got {given}")
    return TensorType(x.dtype, (*x.shape[:-1], features))


def numbers_of(codes: np.ndarray, depth: int) -> np.ndarray:
    """The integers [out, in] of codes: bytes as they are; of 4 bits, the even channel's in the low half of a byte, each less 8."""
    if codes.dtype == np.int8:
        return codes
    halves = np.stack((codes & 15, codes >> 4), axis=-1).astype(np.int8) - np.int8(8)
    return halves.reshape(len(codes), -1)[:, :depth]


def dequantized(codes: np.ndarray, scales: np.ndarray, zeros: np.ndarray | None, depth: int, group: int) -> np.ndarray:
    """The weights [out, in] in the type of the scales: ``(number - zero point) * scale``, both of the channel's group."""
    numbers = numbers_of(codes, depth).astype(scales.dtype)
    group_of = np.arange(depth) // group
    if zeros is not None:
        numbers -= zeros.astype(scales.dtype)[:, group_of]
    return numbers * scales[:, group_of]


@op("weight_only_linear", "dnn", _infer_linear, group=REQUIRED)
def weight_only_linear(attrs: Attrs, x: np.ndarray, codes: np.ndarray, scales: np.ndarray, *zeros: np.ndarray) -> np.ndarray:
    """``x[..., in] @ w[out, in]^T`` with ``w = (number - zero point) * scale``, one scale and zero point for each ``group`` of channels."""
    w = dequantized(codes, scales.astype(x.dtype), zeros[0] if zeros else None, x.shape[-1], attrs["group"])
    return np.matmul(x.reshape(-1, x.shape[-1]), w.T).reshape(*x.shape[:-1], len(codes))


def _infer_quantize(operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    need_operands(operands, 1)
    w, bits, group = operands[0], attrs["bits"], attrs["group"]
    need_float(w)
    need(w.rank == 2 and w.is_static, f"takes a weight [out, in] of fixed sizes, got {w}")
    features, depth = (int(s) for s in w.shape)  # type: ignore[arg-type]
    need(bits in (4, 8), f"weights have 4 or 8 bits, got {bits}")
    need(depth % group == 0 and (bits == 8 or depth % 2 == 0), f"groups of {group} do not divide {depth} input channels")
    codes = TensorType(DType.I8, (features, depth)) if bits == 8 else TensorType(DType.U8, (features, depth // 2))
    return codes, TensorType(DType.BF16, (features, depth // group)), TensorType(DType.I8, (features, depth // group))


@op("quantize_weight", "move", _infer_quantize, bits=REQUIRED, group=REQUIRED)
def quantize_weight(attrs: Attrs, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes, scales and zero points of ``w[out, in]``, each number rounded to the nearest one of its group.

    The range of a group, with zero in it, is divided into ``2^bits - 1`` steps of equal size; a step is rounded up to bfloat16. Computed in
    float32 whatever the type of the array, because another rounding would give other codes. A group that is not finite has a scale of NaN.
    """
    bits, group = attrs["bits"], attrs["group"]
    rows = max(1, ROWS_AT_ONCE // max(1, w.shape[1]))
    parts = [_quantized(w[i : i + rows].astype(np.float32), bits, group) for i in range(0, len(w), rows)]
    codes, scales, zeros = (np.concatenate(found) for found in zip(*parts))
    return codes, scales.astype(w.dtype), zeros


def _quantized(w: np.ndarray, bits: int, group: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    features, depth = w.shape
    grouped = w.reshape(features, -1, group)
    low, high = np.minimum(grouped.min(2), 0), np.maximum(grouped.max(2), 0)
    finite = np.isfinite(low) & np.isfinite(high)
    low, high = np.where(finite, low, 0), np.where(finite, high, 0)
    least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    scales = _rounded_up((high / 2 - low / 2) * np.float32(2 / (most - least)))  # halves: the range may exceed the largest float32
    divisors = np.where(scales > 0, scales, np.float32(1))
    zeros = np.clip(np.rint(least - low / divisors), least, most)
    numbers = np.where(finite[..., None], grouped, 0) / divisors[..., None]
    numbers = np.clip(np.rint(numbers) + zeros[..., None], least, most).astype(np.int8).reshape(features, depth)
    scales = np.where(finite, scales, np.float32(np.nan))
    if bits == 8:
        return numbers, scales, zeros.astype(np.int8)
    halves = (numbers + 8).astype(np.uint8)
    return halves[:, ::2] | halves[:, 1::2] << 4, scales, zeros.astype(np.int8)


def _rounded_up(x: np.ndarray) -> np.ndarray:
    """Positive float32 as the next bfloat16 that is not smaller, as float32."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + np.uint32(0xFFFF)) & np.uint32(0xFFFF0000)).view(np.float32)
