"""Seconds of convolutions with few channels per group, and of chains with one in the middle, by the machine's table.

They compute little for what they move, in short rows that nothing fetches ahead: both times add up. None where sizes are not known.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.kernels.conv_tiling import choose_tiling, map_cycles
from sol.codegen.kernels.traffic import balance, byte_seconds, meeting
from sol.codegen.lowering import TargetLike

Tile = tuple[int, int]
"""Rows and columns of a register tile."""


@dataclass(frozen=True)
class Small:
    """A depthwise or narrow grouped convolution and its register tile."""

    tile: Tile
    conv: Conv


def _known(conv: Conv) -> tuple[int, ...] | None:
    """Images, rows and columns of the input, those of the output; None unless all are known and none is 0."""
    sizes = tuple(s for s in (conv.n, conv.h, conv.w, conv.oh, conv.ow) if isinstance(s, int) and s)
    return sizes if len(sizes) == 5 else None


def _vector_cycles(conv: Conv, tile: Tile, oh: int, ow: int, target: TargetLike) -> float:
    """Cycles of one vector of channels of an image: multiply-adds or loads of pixels, and what tiles cost.

    Where several channels of input belong to each of output, units that multiply-adds use also spread them over the lanes.
    """
    (height, width), (R, S), (sy, sx), core = tile, conv.kernel, conv.stride, target.machine.core
    pixels, beside = oh * ow, -(-oh // height) * -(-ow // width) * target.machine.direct.tile / core.multiply_adds
    if conv.group > 1:
        return pixels * R * conv.group * (S + ((width - 1) * sx + S) / width) / core.multiply_adds + beside
    loads = ((height - 1) * sy + R) * ((width - 1) * sx + S) * pixels / (height * width)
    return max(R * S * pixels / core.multiply_adds, loads / core.loads) + beside


def small_seconds(small: Small, target: TargetLike) -> float | None:
    """A depthwise or narrow grouped convolution."""
    conv, sizes = small.conv, _known(small.conv)
    if sizes is None:
        return None
    n, h, w, oh, ow = sizes
    maps = n * -(-conv.k // target.lanes)
    cycles = maps * _vector_cycles(conv, small.tile, oh, ow, target) * balance(maps * -(-oh // small.tile[0]), target.team)
    return _seconds(cycles, 4 * target.lanes * maps * (h * w + oh * ow), target)


def chain_seconds(convs: tuple[Conv, ...], strip: int, target: TargetLike) -> float | None:
    """A depthwise and a 1x1 convolution, perhaps behind another 1x1 one, strip after strip of so many rows.

    Wide rows go through the caches, and a strip reads the weights behind it again.
    """
    *before, depthwise, project = convs
    sizes, first = _known(depthwise), convs[0]
    if sizes is None:
        return None
    n, h, w, oh, ow = sizes
    blocks, (read, between, written) = 4 * target.lanes, (-(-c // target.lanes) for c in (first.c, depthwise.k, project.k))
    strips = n * -(-oh // strip)
    cycles = n * (between * _vector_cycles(depthwise, (1, min(7, ow)), oh, ow, target) + oh * _row_cycles(project, ow, target))
    wide, again = blocks * n * between * oh * ow, strips * project.weight_bytes
    ring = blocks * between * strip * ow + project.weight_bytes
    for expand in before:
        made = n * (h + (target.team - 1) * (depthwise.kernel[0] - depthwise.stride[0]))
        cycles += made * _row_cycles(expand, w, target)
        wide, again = wide + blocks * n * between * h * w, again + made * expand.weight_bytes
        ring += blocks * between * ((strip - 1) * depthwise.stride[0] + depthwise.kernel[0]) * w + expand.weight_bytes
    through = (2 * wide + again * (1 - target.machine.streams.again_once)) / target.team * byte_seconds(ring, target, fastest=True)
    moved = blocks * n * (read * h * w + written * oh * ow)
    return _seconds(cycles * balance(strips, target.team), moved, target) + through


def _row_cycles(conv: Conv, width: int, target: TargetLike) -> float:
    """Cycles of a row of a 1x1 convolution."""
    vectors, direct = -(-conv.k // target.lanes), target.machine.direct
    tiling = choose_tiling(target, vectors, 1, width, flat=False, reduction=conv.reduction)
    cycles = map_cycles(direct, tiling, vectors, 1, width, conv.reduction) * conv.reduction
    return cycles * direct.multiply_adds / target.machine.core.multiply_adds


def _seconds(cycles: float, moved: float, target: TargetLike) -> float:
    """Of so many cycles and bytes that the team shares out."""
    share = moved / target.team
    return cycles / target.machine.core.clock / target.team + share * byte_seconds(share, target) + meeting(target)


__all__ = ["Small", "Tile", "chain_seconds", "small_seconds"]
