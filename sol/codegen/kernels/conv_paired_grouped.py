"""Grouped convolution by Winograd's inner product (sol/codegen/kernels/pairs.py): the input of some rows is packed, then read at all taps.

A group has few outputs for each of its inputs: packing each input once per tap, as sol/codegen/kernels/conv_paired.py does, would take
too long. ``config["conv_max_error"] = 0`` keeps direct convolution.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.epilogue import make_epilogue
from sol.codegen.kernels import pairs
from sol.codegen.kernels.conv_direct import (
    Conv,
    check_border,
    is_pointwise_tail,
    operand_context,
    operand_params,
    read_conv,
    serves_blocked_input,
    spatial_strides,
    stem_of,
    traffic,
)
from sol.codegen.kernels.conv_paired import GAIN, HIDDEN, max_error, paired_variant, tile_cost, tilings
from sol.codegen.kernels.conv_tiling import Tiling
from sol.codegen.kernels.pairs import LANES
from sol.codegen.kernels.winograd_model import fetch_cost, overlapped
from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.config import config

PACKED = 7.0
"""Cycles in which a vector of input is packed."""
ADDED = 0.4
"""Cycles per tap and output pixel of a group, to add up what is subtracted."""
UNEVEN = 1 / 16
"""Excess of the largest share up to which threads share out bands, as in the template."""


@dataclass(frozen=True)
class Choice:
    """A convolution, the tiles of its map and the rows of a band."""

    conv: Conv
    tiling: Tiling
    band: int
    by_bands: bool


def _extent(outputs: int, stride: int, kernel: int, dilation: int) -> int:
    """Inputs that so many outputs read."""
    return (outputs - 1) * stride + (kernel - 1) * dilation + 1


def packed_pixels(conv: Conv, rows: int) -> int:
    """Input pixels of a band of so many output rows."""
    assert isinstance(conv.ow, int)
    height, width = (_extent(n, conv.stride[a], conv.kernel[a], conv.dilation[a]) for a, n in enumerate((rows, conv.ow)))
    return height * width


def _banded(conv: Conv, target: TargetLike, tiling: Tiling, by_rows: bool) -> Choice:
    """Bands whose packed input of a group stays in the first-level cache; if ``by_rows``, equally many for each thread, if that can be."""
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    th, blocks = tiling.tiles[0][0], conv.c // conv.groups // LANES
    units = -(-conv.oh // th)
    fits = [u for u in range(1, units + 1) if 4 * LANES * blocks * packed_pixels(conv, u * th) <= target.l1]
    count = -(-units // max(fits, default=1))
    images = conv.n if isinstance(conv.n, int) else target.team
    even = (k for k in range(count, min(units, 2 * count) + 1) if _even(images * -(-units // -(-units // k)), target.team))
    shared = next(even, 0) if by_rows else 0
    return Choice(conv, tiling, -(-units // (shared or count)) * th, shared > 0)


def _even(count: int, team: int) -> bool:
    return -count % team <= UNEVEN * count


def _cost(choice: Choice, target: TargetLike) -> float:
    """Cycles of one thread for its share, weights fetched meanwhile."""
    conv, tiling = choice.conv, choice.tiling
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    images = conv.n if isinstance(conv.n, int) else 1
    steps, vectors = conv.reduction // LANES, conv.k // LANES
    (th, tw), rest = tiling.tiles[0], tiling.tiles[1:]
    counts = [(conv.oh // th) * (conv.ow // tw), *([conv.ow // tw if tiling.along_y else conv.oh] if rest else [])]
    multiply = sum(n * tile_cost(h * w, steps) for n, (h, w) in zip(counts, tiling.tiles)) * vectors
    bands = -(-conv.oh // choice.band)
    pixels = packed_pixels(conv, choice.band) * (bands - 1) + packed_pixels(conv, conv.oh - (bands - 1) * choice.band)
    added = ADDED * (1 if conv.stride[1] <= 2 else 8) * conv.groups * conv.kernel[0] * conv.kernel[1] * conv.oh * conv.ow
    units = bands * images * (1 if choice.by_bands else conv.groups)
    share = -(-units // target.team) / units
    compute = (multiply + PACKED * conv.c // LANES * pixels + added) * images * share
    return overlapped(compute, fetch_cost(conv.weight_bytes, target) / target.team, HIDDEN)


def relative_cost(choice: Choice, target: TargetLike) -> float:
    """Time in units of direct convolution at the processor's peak."""
    conv = choice.conv
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    images = conv.n if isinstance(conv.n, int) else 1
    direct = conv.k // LANES * conv.reduction * images * conv.oh * conv.ow / target.team
    return _cost(choice, target) / overlapped(direct, fetch_cost(conv.weight_bytes, target) / target.team, HIDDEN)


def choose(conv: Conv, target: TargetLike, error: float, by_rows: bool) -> Choice | None:
    """The cheapest tiles; None where it cannot be done or is not exact enough. by_rows: threads shall share out rows, not groups."""
    if conv.groups == 1 or conv.c // conv.groups % LANES or conv.k // conv.groups % LANES or target.lanes != LANES:
        return None
    if max_error(conv.reduction) > error or not (isinstance(conv.oh, int) and isinstance(conv.ow, int)) or conv.oh * conv.ow == 0:
        return None
    return min((_banded(conv, target, t, by_rows) for t in tilings(conv.oh, conv.ow, False)), key=lambda c: _cost(c, target))


def read_choice(lowering: Lowering, by_rows: bool = False) -> Choice | None:
    """How the region's convolution can be computed in pairs, if it can."""
    conv, lanes = read_conv(lowering), lowering.target.lanes
    if conv is None or not serves_blocked_input(lowering) or not is_pointwise_tail(lowering, lowering.output, lanes):
        return None
    if spatial_strides(lowering.view(lowering.output).strides)[3:] != (lanes, 1):
        return None
    return choose(conv, lowering.target, config["conv_max_error"], by_rows)


def _serves(lowering: Lowering) -> bool:
    if not lowering.target.adders:
        return False
    choice = read_choice(lowering)
    return choice is not None and relative_cost(choice, lowering.target) < GAIN


def _can(lowering: Lowering) -> bool:
    return read_choice(lowering) is not None


def _lower(lowering: Lowering) -> None:
    choice = read_choice(lowering, lowering.follow_share(lowering.anchor.inputs[0]) == 1)
    assert choice is not None
    conv, tiling = choice.conv, choice.tiling
    assert isinstance(conv.ow, int)
    node, lanes = conv.node, lowering.target.lanes
    source, out = lowering.view(node.inputs[0]), lowering.view(lowering.output)
    check_border(lowering, conv, source)
    epilogue = make_epilogue(lowering, node.name, channel_axis=1, block=lanes)
    lowering.set_share(choice.by_bands)
    blocks, pixels = conv.c // conv.groups // lanes, packed_pixels(conv, choice.band)
    partial = -(-pixels // 2) * 2 + lanes * conv.stride[1]
    beside = choice.band * -(-conv.ow // lanes) * lanes
    reads = {
        "in": source, "w": lowering.weight(node.inputs[1], "paired_groups", groups=conv.groups),
        "factors": lowering.weight(node.inputs[1], "pair_scales", groups=conv.groups),
    }  # fmt: skip
    if len(node.inputs) == 3:
        reads["bias"] = lowering.weight(node.inputs[2], "channels", block=lanes)
    reads |= {e.name: e.view for e in epilogue.operands}
    n, cb, row, column, _ = spatial_strides(source.strides)
    out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
    params = {
        "N": conv.n, "OH": conv.oh, "OW": conv.ow, "groups": conv.groups, "group_blocks": blocks,
        "group_vectors": conv.k // conv.groups // lanes, "band": choice.band, "by_bands": int(choice.by_bands),
        "R": conv.kernel[0], "S": conv.kernel[1], "stride_y": conv.stride[0],
        "dilation_y": conv.dilation[0], "dilation_x": conv.dilation[1],
        "in_n": n, "in_cb": cb, "in_row": row, "in_start": -(row * conv.padding[0] + column * conv.padding[1]),
        "out_n": out_n, "out_cb": out_cb, "out_row": out_row, "partial_size": partial, **operand_params(epilogue),
    }  # fmt: skip
    pitch, sx = conv.stride[0] * packed_pixels(conv, 1) // _extent(1, 1, conv.kernel[0], conv.dilation[0]), conv.stride[1]
    lowering.emit(
        "conv_paired_grouped.c.j2", stem_of(conv, tiling, epilogue, "conv_paired_groups"),
        reads=reads, writes={"out": out}, params=params,
        scratch=4 * (blocks * pixels * lanes + beside + partial) + 8 * (conv.reduction // lanes),
        flops=conv.flops, bytes=traffic(conv, [source, out, *(e.view for e in epilogue.operands)]),
        pairs=pairs.context(),
        tiles=tiling.tiles, along_y=tiling.along_y, sx=conv.stride[1], sink="out", has_bias=False,
        biased="bias" in reads, masked=False, operands=operand_context(epilogue), tail=epilogue.stem,
        passed="".join(f", {e.name}" for e in epilogue.operands),
        variants=[paired_variant(epilogue, h, w) | {"places": _places(h, w, pitch, sx)} for h, w in tiling.tiles],
    )  # fmt: skip


def _places(th: int, tw: int, pitch: int, step: int) -> tuple[int, ...]:
    """Where a tile's pixels are in the packed band, in pixels."""
    return tuple(y * pitch + x * step for y in range(th) for x in range(tw))


CANDIDATES: tuple[Candidate, ...] = (Candidate("paired_groups", _serves, _lower, _can),)
