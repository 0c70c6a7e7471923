"""Max pooling: of bytes over sliding windows, row-major, by whole vectors of bytes; else as other poolings (pool.py)."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.kernels.conv_shape import is_blocked
from sol.codegen.kernels.loop_cost import loop_seconds
from sol.codegen.kernels.pool import FAMILY, Windows, pool_sizes, pool_stem, pool_strides, pool_work, windows_of
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.types import DType

UNROLLED_TAPS = 12
"""Columns of a window up to this many are unrolled."""
LOWEST = {DType.I8: "0x80", DType.U8: "0"}
"""The lowest byte, as memset takes it."""


@dataclass(frozen=True)
class Bytes:
    """Windows over bytes. strides: by their names in the template. lead: sizes of the two dimensions before the spatial ones."""

    windows: Windows
    source: View
    out: View
    strides: tuple[tuple[str, DimLike], ...]
    lead: tuple[DimLike, ...]
    flops: DimLike
    bytes: DimLike


def find_bytes(lowering: Lowering) -> Bytes | None:
    """Bytes in and out as they are, adjacent columns, at most two dimensions before the spatial ones."""
    pool = lowering.anchor
    x, spatial = lowering.type_of(pool.inputs[0]), len(pool.attrs["kernel"])
    if x.dtype not in (DType.U8, DType.I8) or lowering.output != pool.name or x.rank - spatial > 2 or x.layout.block:
        return None
    source, out = (lowering.view(v) for v in (pool.inputs[0], pool.name))
    if source.strides[-1] != 1 or out.strides[-1] != 1:
        return None
    strides = pool_strides("in", source, spatial) | pool_strides("out", out, spatial)
    windows, lead = windows_of(lowering), (1, *x.shape[: x.rank - spatial])[-2:]
    rows = tuple((k, v) for k, v in strides.items() if not k.endswith("_x"))
    return Bytes(windows, source, out, rows, lead, **pool_work(lowering, windows))


def _length(windows: Windows) -> DimLike:
    """Columns that a row of windows covers, or a few more."""
    return windows.out[2] * windows.stride[2] + windows.kernel[2] * windows.dilation[2]


def bytes_seconds(found: Bytes, target: TargetLike) -> float | None:
    """Steps of vectors of bytes, against what is moved."""
    return loop_seconds(found.bytes, found.flops, target, lanes=4 * target.lanes)


def lower_bytes(lowering: Lowering, found: Bytes) -> None:
    """One launch; see templates/pool_bytes.c.j2."""
    windows, dtype = found.windows, found.source.dtype
    length = _length(windows)
    lowering.emit(
        "pool_bytes.c.j2",
        f"{pool_stem(windows, False)}_{dtype}",
        reads={"in": found.source},
        writes={"out": found.out},
        params={"N": found.lead[0], "C": found.lead[1], **pool_sizes(windows), **dict(found.strides)},
        scratch=2 * length + 16 * lowering.target.lanes,
        flops=found.flops,
        bytes=found.bytes,
        T=dtype.c,
        signed=dtype is DType.I8,
        lowest=LOWEST[dtype],
    )


@dataclass(frozen=True)
class Blocks:
    """Windows over bytes in blocks of channels."""

    windows: Windows
    source: View
    out: View
    flops: DimLike
    bytes: DimLike


def find_blocks(lowering: Lowering) -> Blocks | None:
    """Bytes in and out as they are, in blocks of two-dimensional maps."""
    pool, lanes = lowering.anchor, lowering.target.lanes
    x = lowering.type_of(pool.inputs[0])
    if x.dtype not in (DType.U8, DType.I8) or lowering.output != pool.name or x.rank != 4 or not x.layout.block:
        return None
    source, out = (lowering.view(v) for v in (pool.inputs[0], pool.name))
    if not is_blocked(source, lanes) or not is_blocked(out, lanes):
        return None
    windows = windows_of(lowering)
    return Blocks(windows, source, out, **pool_work(lowering, windows))


def lower_blocks(lowering: Lowering, found: Blocks) -> None:
    """One launch; see templates/pool_bytes_blocked.c.j2."""
    windows, dtype = found.windows, found.source.dtype
    sizes = {k: v for k, v in pool_sizes(windows).items() if not k.endswith(("D", "z"))}
    strides = {f"{name}_{a}": s for name, v in (("in", found.source), ("out", found.out)) for a, s in zip("ncy", v.strides)}
    taps = windows.kernel[2] if isinstance(windows.kernel[2], int) and windows.kernel[2] <= UNROLLED_TAPS else 0
    lowering.set_share(True)
    lowering.emit(
        "pool_bytes_blocked.c.j2",
        f"{pool_stem(windows, False)}_{dtype}_blocks{taps or ''}",
        reads={"in": found.source},
        writes={"out": found.out},
        params={"N": found.out.shape[0], "CB": found.out.shape[1], **sizes, **strides},
        scratch=_length(windows) * lowering.target.lanes,
        flops=found.flops,
        bytes=found.bytes,
        T=dtype.c,
        signed=dtype is DType.I8,
        lowest=LOWEST[dtype],
        taps=taps,
    )


KERNELS = {"max_pool": (
    sole("pool_byte_blocks", find_blocks, lower_blocks),
    sole("pool_bytes", find_bytes, lower_bytes, cost=bytes_seconds, ranked=False),
    *FAMILY,
)}  # fmt: skip
