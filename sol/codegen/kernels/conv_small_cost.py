"""Seconds of convolutions with few channels per group, and of chains with one in the middle, by the machine's table.

They compute little for what they move, in short rows that nothing fetches ahead: both times add up.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.kernels.conv_tiling import Tiling, choose_tiling, map_cycles
from sol.codegen.kernels.traffic import balance, byte_seconds, meeting
from sol.codegen.lowering import TargetLike

Tile = tuple[int, int]
"""Rows and columns of a register tile."""


@dataclass(frozen=True)
class Small:
    """A depthwise or narrow grouped convolution and its register tile. conv: None where channels are known only at run time."""

    tile: Tile
    conv: Conv | None


@dataclass(frozen=True)
class _Known:
    """Sizes of a map that are all known: images, vectors of channels, input and output rows and columns."""

    images: int
    vectors: int
    h: int
    w: int
    oh: int
    ow: int

    def moved(self, lanes: int) -> float:
        """Bytes of input and output."""
        return 4 * lanes * self.images * self.vectors * (self.h * self.w + self.oh * self.ow)


def _known(conv: Conv | None, lanes: int) -> _Known | None:
    if conv is None:
        return None
    sizes = [s for s in (conv.n, conv.h, conv.w, conv.oh, conv.ow) if isinstance(s, int)]
    if len(sizes) < 5 or 0 in sizes:
        return None
    n, h, w, oh, ow = sizes
    return _Known(n, -(-conv.k // lanes), h, w, oh, ow)


def _tap_cycles(conv: Conv, tile: Tile, map: _Known, target: TargetLike) -> float:
    """Cycles of one vector of channels of all taps of a depthwise convolution: multiply-adds or loads of pixels, and what tiles cost."""
    (height, width), (R, S), (sy, sx) = tile, conv.kernel, conv.stride
    tiles = -(-map.oh // height) * -(-map.ow // width)
    loads = ((height - 1) * sy + R) * ((width - 1) * sx + S) * map.oh * map.ow / (height * width)
    core = target.machine.core
    return max(R * S * map.oh * map.ow / core.multiply_adds, loads / core.loads) + tiles * target.machine.direct.tile / core.multiply_adds


def depthwise_seconds(small: Small, target: TargetLike) -> float | None:
    """One channel of input for each of output."""
    conv, map = small.conv, _known(small.conv, target.lanes)
    if conv is None or map is None:
        return None
    cycles = map.images * map.vectors * _tap_cycles(conv, small.tile, map, target)
    rows = map.images * map.vectors * -(-map.oh // small.tile[0])
    return _seconds(cycles * balance(rows, target.team), map.moved(target.lanes), target)


def grouped_seconds(small: Small, target: TargetLike) -> float | None:
    """Several channels of input for each of output, which are spread over the lanes in units that multiply-adds use, too."""
    conv, map = small.conv, _known(small.conv, target.lanes)
    if conv is None or map is None:
        return None
    (R, S), width, group = conv.kernel, small.tile[1], conv.c // conv.groups
    pixels = map.images * map.vectors * map.oh * map.ow
    spread = R * group * ((width - 1) * conv.stride[1] + S) / width
    tiles = map.images * map.vectors * map.oh * -(-map.ow // width)
    operations = pixels * (R * S * group + spread) + tiles * target.machine.direct.tile
    cycles = operations / target.machine.core.multiply_adds
    return _seconds(cycles * balance(map.images * map.vectors * map.oh, target.team), map.moved(target.lanes), target)


def chain_seconds(convs: tuple[Conv, ...], strip: int, target: TargetLike) -> float | None:
    """A depthwise and a 1x1 convolution, perhaps behind another 1x1 one, strip after strip of so many rows.

    Wide rows go through the caches, and a strip reads the weights behind it again.
    """
    *before, depthwise, project = convs
    lanes, machine = target.lanes, target.machine
    map, last = _known(depthwise, lanes), _known(project, lanes)
    if map is None or last is None:
        return None
    strips = map.images * -(-map.oh // strip)
    cycles = map.images * (map.vectors * _tap_cycles(depthwise, (1, min(7, map.ow)), map, target) + map.oh * _row_cycles(project, target))
    wide = 4 * lanes * map.images * map.vectors * map.oh * map.ow
    again = strips * project.weight_bytes
    ring = 4 * lanes * map.vectors * strip * map.ow + project.weight_bytes
    first = depthwise
    for expand in before:
        rows = (strip - 1) * depthwise.stride[0] + depthwise.kernel[0]
        made = map.h + (target.team - 1) * (depthwise.kernel[0] - depthwise.stride[0])
        cycles += map.images * made * _row_cycles(expand, target)
        wide += 4 * lanes * map.images * map.vectors * map.h * map.w
        again += map.images * made * expand.weight_bytes
        ring += 4 * lanes * map.vectors * rows * map.w + expand.weight_bytes
        first = expand
    moved = 4 * lanes * map.images * (-(-first.c // lanes) * map.h * map.w + last.vectors * last.oh * last.ow)
    through = (2 * wide + again * (1 - machine.streams.again_once)) / target.team * byte_seconds(ring, target, fastest=True)
    return _seconds(cycles * balance(strips, target.team), moved, target) + through


def _row_cycles(conv: Conv, target: TargetLike) -> float:
    """Cycles of a row of a 1x1 convolution."""
    assert isinstance(conv.ow, int)
    vectors = -(-conv.k // target.lanes)
    tiling: Tiling = choose_tiling(target, vectors, 1, conv.ow, flat=False, reduction=conv.reduction)
    direct = target.machine.direct
    cycles = map_cycles(direct, tiling, vectors, 1, conv.ow, conv.reduction) * conv.reduction
    return cycles * direct.multiply_adds / target.machine.core.multiply_adds


def _seconds(cycles: float, moved: float, target: TargetLike) -> float:
    """Of so many cycles and bytes that the team shares out."""
    share = moved / target.team
    return cycles / target.machine.core.clock / target.team + share * byte_seconds(share, target) + meeting(target)


__all__ = ["Small", "Tile", "chain_seconds", "depthwise_seconds", "grouped_seconds"]
