"""Grouped convolution by Winograd's inner product (sol/codegen/kernels/pairs.py): the input of some rows is packed, then read at all taps.

A group has few outputs for each of its inputs: packing each input once per tap, as sol/codegen/kernels/conv_paired.py does, would take
too long. ``config["conv_max_error"] = 0`` keeps direct convolution.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels import pairs
from sol.codegen.kernels.conv_cost import team_seconds
from sol.codegen.kernels.conv_paired import max_error, paired_variants, tile_cost, tilings
from sol.codegen.kernels.conv_problem import Problem, emit_conv, float32_problem
from sol.codegen.kernels.conv_shape import Conv, spatial_strides
from sol.codegen.kernels.conv_tiling import Tiling
from sol.codegen.kernels.pairs import LANES
from sol.codegen.kernels.winograd_model import fetch_cost, overlapped
from sol.codegen.lowering import Lowering, TargetLike
from sol.config import config

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
    """Vector multiply-adds of one thread for its share, weights fetched meanwhile."""
    conv, tiling = choice.conv, choice.tiling
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    images = conv.n if isinstance(conv.n, int) else 1
    steps, vectors = conv.reduction // LANES, conv.k // LANES
    costs = target.machine.inner_product
    (th, tw), rest = tiling.tiles[0], tiling.tiles[1:]
    counts = [(conv.oh // th) * (conv.ow // tw), *([conv.ow // tw if tiling.along_y else conv.oh] if rest else [])]
    multiply = sum(n * tile_cost(h * w, steps, target.machine) for n, (h, w) in zip(counts, tiling.tiles)) * vectors
    bands = -(-conv.oh // choice.band)
    pixels = packed_pixels(conv, choice.band) * (bands - 1) + packed_pixels(conv, conv.oh - (bands - 1) * choice.band)
    taps = conv.groups * conv.kernel[0] * conv.kernel[1]
    added = (costs.subtracted if conv.stride[1] <= 2 else costs.subtracted_far) * taps * conv.oh * conv.ow
    units = bands * images * (1 if choice.by_bands else conv.groups)
    share = -(-units // target.team) / units
    compute = (multiply + costs.packed_once * conv.c // LANES * pixels + added) * images * share
    return overlapped(compute, fetch_cost(conv.weight_bytes, target, costs.fetch) / target.team, costs.hidden)


def relative_cost(choice: Choice, target: TargetLike) -> float:
    """Time in units of direct convolution at the processor's peak."""
    conv = choice.conv
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    images = conv.n if isinstance(conv.n, int) else 1
    direct = conv.k // LANES * conv.reduction * images * conv.oh * conv.ow / target.team
    costs = target.machine.inner_product
    return _cost(choice, target) / overlapped(direct, fetch_cost(conv.weight_bytes, target, costs.fetch) / target.team, costs.hidden)


def choose(conv: Conv, target: TargetLike, error: float, by_rows: bool) -> Choice | None:
    """The cheapest tiles; None where it cannot be done or is not exact enough. by_rows: threads shall share out rows, not groups."""
    if conv.groups == 1 or conv.c // conv.groups % LANES or conv.k // conv.groups % LANES or target.lanes != LANES:
        return None
    if max_error(conv.reduction) > error or not (isinstance(conv.oh, int) and isinstance(conv.ow, int)) or conv.oh * conv.ow == 0:
        return None
    return min((_banded(conv, target, t, by_rows) for t in tilings(conv.oh, conv.ow, False)), key=lambda c: _cost(c, target))


@dataclass(frozen=True)
class Way:
    """How the map is computed, and the same if threads may share out what they like, by whose cost it is judged."""

    problem: Problem
    choice: Choice
    free: Choice


def _read(lowering: Lowering) -> Way | None:
    """How a region's convolution can be computed in pairs, if it can."""
    problem, target, error = float32_problem(lowering), lowering.target, config["conv_max_error"]
    if problem is None or problem.source.kind != "memory" or not isinstance(problem.conv.n, int) and problem.pool:
        return None
    free = choose(problem.conv, target, error, False)
    choice = choose(problem.conv, target, error, True) if free and lowering.followed_share(lowering.anchor.inputs[0]) else free
    return None if choice is None or free is None else Way(problem, choice, free)


def _pays(way: Way, target: TargetLike) -> bool:
    return target.adders and relative_cost(way.free, target) < target.machine.inner_product.gain


def _seconds(way: Way, target: TargetLike) -> float | None:
    """``_cost`` is of one thread's share."""
    return team_seconds(_cost(way.choice, target) * target.team, target) if isinstance(way.problem.conv.n, int) else None


def _lower(lowering: Lowering, way: Way) -> None:
    problem, choice, node = way.problem, way.choice, way.problem.conv.node
    conv, tiling, lanes = choice.conv, choice.tiling, problem.lanes
    assert isinstance(conv.ow, int)
    lowering.set_share(choice.by_bands)
    blocks, pixels = conv.c // conv.groups // lanes, packed_pixels(conv, choice.band)
    partial = -(-pixels // 2) * 2 + lanes * conv.stride[1]
    beside = choice.band * -(-conv.ow // lanes) * lanes
    weights = {
        "w": lowering.weight(node.inputs[1], "paired_groups", groups=conv.groups),
        "factors": lowering.weight(node.inputs[1], "pair_scales", groups=conv.groups),
    }  # fmt: skip
    params = {
        "groups": conv.groups, "group_blocks": blocks,
        "group_vectors": conv.k // conv.groups // lanes, "band": choice.band, "by_bands": int(choice.by_bands),
        "R": conv.kernel[0], "S": conv.kernel[1], "stride_y": conv.stride[0],
        "dilation_y": conv.dilation[0], "dilation_x": conv.dilation[1], "partial_size": partial,
        **problem.source.params(conv, "n cb start"), "in_row": spatial_strides(problem.source.view.strides)[2],
    }  # fmt: skip
    pitch, sx = conv.stride[0] * packed_pixels(conv, 1) // _extent(1, 1, conv.kernel[0], conv.dilation[0]), conv.stride[1]
    variants = paired_variants(problem, tiling)
    emit_conv(
        lowering, problem, tiling, "paired_grouped", weights=weights, params=params, stem="paired_groups",
        scratch=4 * (blocks * pixels * lanes + beside + partial) + 8 * (conv.reduction // lanes), pairs=pairs.context(), has_bias=False,
        variants=[v | {"places": _places(h, w, pitch, sx)} for v, (h, w) in zip(variants, tiling.tiles)],
    )  # fmt: skip


def _places(th: int, tw: int, pitch: int, step: int) -> tuple[int, ...]:
    """Where a tile's pixels are in the packed band, in pixels."""
    return tuple(y * pitch + x * step for y in range(th) for x in range(tw))


CANDIDATES: tuple[Candidate, ...] = (sole("paired_groups", _read, _lower, _pays, _seconds, ranked=False),)
