"""Convolution by Winograd's inner product (sol/codegen/kernels/inner_product.py): the input is packed, scaled, before it is multiplied.

A dense convolution packs the input of each tile, tap by tap; that of many channels in chunks, so that the input of a block of tiles and a
panel's weights stay in the caches, and adds up what each chunk gives. A group has few outputs for each of its inputs, for which that would
take too long: there the input of a band of rows is packed once, and read at all taps. ``config["conv_max_error"] = 0`` keeps direct
convolution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod, sqrt
from typing import Any

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels import inner_product
from sol.codegen.kernels.conv_cost import team_seconds
from sol.codegen.kernels.conv_direct import shares_tiles
from sol.codegen.kernels.conv_epilogues import tile_variants
from sol.codegen.kernels.conv_problem import Problem, emit_conv, float32_problem
from sol.codegen.kernels.conv_shape import Conv, is_pointwise, spatial_strides, static_size
from sol.codegen.kernels.conv_source import vectors_table
from sol.codegen.kernels.conv_tiling import Panel, Tiling, covering
from sol.codegen.kernels.inner_product import LANES, pixels_of, step_cost
from sol.codegen.kernels.winograd_model import fetch_cost, overlapped
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.machines import Machine
from sol.codegen.plan import View
from sol.config import config
from sol.ir.dim import DimLike

ERROR = (4e-7, 5e-8)
"""Bound a + b * sqrt(multiply-adds per output) of the error against float64, in units of the largest output.

Measured on normally distributed data with and without ReLU, 16 … 4096 multiply-adds, dense and grouped: at most 0.79 of the bound, and
2.3 times the error of direct convolution (on average 1.2 without, 1.3 with ReLU).
"""
ORIGIN = 128
"""Bytes of what tells where the channels of a vector go."""
UNEVEN = 1 / 16
"""Excess of the largest share up to which threads share out bands, as in the template."""


def max_error(reduction: int) -> float:
    """Bound on the error over so many multiply-adds per output, in units of the largest output."""
    return ERROR[0] + ERROR[1] * sqrt(reduction)


def tile_cost(pixels: int, steps: int, machine: Machine, width: int = 1) -> float:
    """Vector multiply-adds in the time of an output vector, one of ``width`` of a tile, over so many blocks of channels."""
    costs = machine.inner_product
    return steps * step_cost(pixels, machine, width) + costs.tile + costs.pixel * pixels


def panels_cost(pixels: int, steps: int, machine: Machine, vectors: int, width: int) -> float:
    """The same of so many output vectors, ``width`` at a time as long as there are."""
    last = vectors % width
    return (vectors - last) * tile_cost(pixels, steps, machine, width) + (last and last * tile_cost(pixels, steps, machine, last))


def whole_panels(vectors: int, width: int) -> list[Panel]:
    """Output vectors that are taken at once, and those that are left."""
    return [Panel(n) for n in dict.fromkeys((width, vectors % width)) if 0 < n <= vectors]


def tilings(oh: int, ow: int, flat: bool, width: int = 1) -> Iterator[Tiling]:
    """Tiles that cover a map, about equally large ones, of ``width`` output vectors."""
    rows, columns = (1, oh * ow) if flat else (oh, ow)
    least, most = pixels_of(width)
    fewest = -(-columns // most)
    for count in range(fewest, max(fewest, columns // least) + 1):
        yield covering(width, 1, -(-columns // count), rows, columns, flat)
    for height in range(2, min(rows, most // columns) + 1):
        yield covering(width, height, columns, rows, columns, flat)


def chunks_of(conv: Conv, target: TargetLike) -> int:
    """Parts of the reduction that are multiplied one after the other, of equally many blocks of channels."""
    longest, blocks = target.machine.inner_product.longest, conv.c // LANES
    if not longest or conv.groups > 1 or conv.c % LANES or _steps(conv) <= longest:
        return 1
    fewest = min(blocks, -(-_steps(conv) // longest))
    return next((count for count in range(fewest, 2 * fewest) if blocks % count == 0), 1)


def row_tiling(conv: Conv, target: TargetLike) -> Tiling:
    """About equal tiles of one row, as few as there can be."""
    assert isinstance(conv.ow, int)
    return next(t for t in tilings(1, conv.ow, False, _width(conv, target)))


def row_cost(conv: Conv, target: TargetLike, tiling: Tiling) -> float:
    """Time of a 1x1 convolution row by row in units of direct convolution at the processor's peak, packing included."""
    assert isinstance(conv.ow, int)
    steps, vectors = -(-conv.reduction // LANES), -(-conv.k // LANES)
    multiply = sum(panels_cost(pixels, steps, target.machine, vectors, tiling.ocb) * n for n, pixels in tiling.counts(1, conv.ow))
    return (multiply + target.machine.inner_product.packed * steps * conv.ow) / (vectors * conv.reduction * conv.ow)


@dataclass(frozen=True)
class Choice:
    """A convolution, the tiles of its map, and the rows of a band that is packed at once; 0 where each tile is.

    by_bands: whether the threads get about equally many bands. chunks: parts of the reduction, one after the other.
    """

    conv: Conv
    tiling: Tiling
    band: int = 0
    by_bands: bool = False
    chunks: int = 1

    @property
    def steps(self) -> int:
        """Steps of a chunk."""
        return _steps(self.conv) // self.chunks

    def pixels(self, rows: int) -> tuple[int, int]:
        """Rows and columns of the input that so many rows of results read."""
        return static_size(self.conv.reach(0, rows)), static_size(self.conv.reach(1, self.conv.ow))


def _banded(conv: Conv, target: TargetLike, tiling: Tiling, by_rows: bool) -> Choice:
    """Bands whose packed input of a group stays in the first-level cache; if ``by_rows``, equally many for each thread, if that can be."""
    assert isinstance(conv.oh, int)
    th, of = tiling.tiles[0][0], Choice(conv, tiling)
    units = -(-conv.oh // th)
    fits = [u for u in range(1, units + 1) if 4 * conv.c // conv.groups * prod(of.pixels(u * th)) <= target.l1]
    count = -(-units // max(fits, default=1))
    images = conv.n if isinstance(conv.n, int) else target.team
    shares = ((k, images * -(-units // -(-units // k))) for k in range(count, min(units, 2 * count) + 1))
    shared = next((k for k, bands in shares if -bands % target.team <= UNEVEN * bands), 0) if by_rows else 0
    return Choice(conv, tiling, -(-units // (shared or count)) * th, shared > 0)


def _cost(choice: Choice, target: TargetLike, made: int = 0) -> float:
    """Multiply-adds of vectors in the time of one thread's share, weights fetched meanwhile. made: inputs of the prologue for one."""
    conv, tiling, team, costs = choice.conv, choice.tiling, target.team, target.machine.inner_product
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    images = conv.n if isinstance(conv.n, int) else 1
    counts, steps, vectors = tiling.counts(conv.oh, conv.ow), _steps(conv), -(-conv.k // conv.groups // LANES)
    of_tiles = sum(n * images * panels_cost(pixels, choice.steps, target.machine, vectors, tiling.ocb) for n, pixels in counts)
    multiply = of_tiles * choice.chunks * conv.groups
    if choice.band:
        return overlapped(_of_bands(choice, target, multiply), fetch_cost(conv.weight_bytes, target, costs.fetch) / team, costs.hidden)
    packed, tiles = (costs.packed + costs.made * made) * steps * conv.oh * conv.ow * images, images * sum(n for n, _ in counts)
    by_tiles = shares_tiles(replace(conv, n=images), tiling, target) == 1
    alone = team <= target.machine.team.alone
    compute = (multiply + packed) * -(-tiles // team) / tiles if by_tiles else multiply / team + packed * (1 if alone else 1 / team)
    if costs.again and conv.weight_bytes > target.l2:
        _, block = packed_block(replace(choice, conv=replace(conv, n=images)), target, by_tiles)
        passes = -(-(-(-tiles // team) if by_tiles else tiles) // block)
        compute += costs.again * conv.weight_bytes / (1 if by_tiles else team) * (passes - 1)
    return overlapped(compute, fetch_cost(conv.weight_bytes, target, costs.fetch) / team, costs.hidden)


def _of_bands(choice: Choice, target: TargetLike, multiply: float) -> float:
    """One thread's share of so many multiply-adds and of packing bands."""
    conv, costs = choice.conv, target.machine.inner_product
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    images = conv.n if isinstance(conv.n, int) else 1
    bands = -(-conv.oh // choice.band)
    pixels = (bands - 1) * prod(choice.pixels(choice.band)) + prod(choice.pixels(conv.oh - (bands - 1) * choice.band))
    taps = conv.groups * conv.kernel[0] * conv.kernel[1]
    added = (costs.subtracted if conv.stride[1] <= 2 else costs.subtracted_far) * taps * conv.oh * conv.ow
    units = bands * images * (1 if choice.by_bands else conv.groups)
    return (multiply + (costs.packed_once * conv.c // LANES * pixels + added) * images) * -(-units // target.team) / units


def relative_cost(choice: Choice, target: TargetLike, made: int = 0) -> float:
    """Time in units of direct convolution at the processor's peak."""
    conv, costs = choice.conv, target.machine.inner_product
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    images = conv.n if isinstance(conv.n, int) else 1
    vectors = -(-conv.k // LANES) * conv.reduction + costs.made / 2 * made * (conv.c // LANES)
    direct = vectors * images * conv.oh * conv.ow / target.team
    fetch = fetch_cost(conv.weight_bytes, target, costs.fetch) / target.team
    return _cost(choice, target, made) / overlapped(direct, fetch, costs.hidden)


def _width(conv: Conv, target: TargetLike) -> int:
    """Output vectors of a register tile."""
    return min(target.pair_vectors or 1, -(-conv.k // conv.groups // LANES))


def choose(conv: Conv, target: TargetLike, error: float, flat: bool = False, by_rows: bool = False, chunks: int = 1) -> Choice | None:
    """The cheapest tiles; None where it cannot be done or is not exact enough. Groups are whole vectors.

    flat: the map is one long row; by_rows: threads that work on bands shall share out these, not groups; chunks: of a dense convolution.
    """
    whole = conv.c // conv.groups % LANES == 0 and conv.k // conv.groups % LANES == 0
    if target.lanes != LANES or max_error(conv.reduction) > error or conv.groups > 1 and not whole:
        return None
    if not (isinstance(conv.oh, int) and isinstance(conv.ow, int)) or conv.oh * conv.ow == 0:
        return None
    width = _width(conv, target)
    found = (Choice(conv, t, chunks=chunks) if conv.groups == 1 else _banded(conv, target, t, by_rows)
             for t in tilings(conv.oh, conv.ow, flat and conv.groups == 1, width))  # fmt: skip
    return min(found, key=lambda c: _cost(c, target))


@dataclass(frozen=True)
class Way:
    """How a region's map is computed. cost: time in units of direct convolution at the processor's peak; of the cheapest bands, where
    others are taken so that threads read what they wrote.
    """

    problem: Problem
    choice: Choice
    cost: float

    @property
    def tiling(self) -> Tiling:
        return self.choice.tiling


def read_way(lowering: Lowering) -> Way | None:
    """How a region's convolution can be computed in pairs; None if it cannot."""
    problem, target, error = float32_problem(lowering), lowering.target, config["conv_max_error"]
    if problem is None or problem.source.kind == "plain" or not problem.source.is_light:
        return None
    conv, source = problem.conv, problem.source
    if problem.pool and not isinstance(conv.n, int):
        return None
    if source.prologue and not is_pointwise(conv) or len(set(source.table)) < len(source.table):
        return None
    chunks = 1 if source.table or source.prologue else chunks_of(conv, target)
    choice = choose(conv, target, error, problem.flat, chunks=chunks)
    if choice is None:
        return None
    cost = _gathered(problem, target) * relative_cost(choice, target, source.inputs)
    if choice.band and lowering.followed_share(lowering.anchor.inputs[0]):
        choice = choose(conv, target, error, by_rows=True) or choice
    return Way(problem, choice, cost)


def _gathered(problem: Problem, target: TargetLike) -> float:
    return target.machine.inner_product.gathered if problem.source.table else 1


def _pays(way: Way, target: TargetLike) -> bool:
    return target.pair_vectors > 0 and way.cost < target.machine.inner_product.gain


def _seconds(way: Way, target: TargetLike) -> float | None:
    """``_cost`` is of one thread's share."""
    cost = _gathered(way.problem, target) * _cost(way.choice, target, way.problem.source.inputs)
    return team_seconds(cost * target.team, target) if isinstance(way.problem.conv.n, int) else None


def packed_block(choice: Choice, target: TargetLike, by_tiles: bool) -> tuple[int, int]:
    """Elements of a tile's packed input; tiles that a thread packs at a time, which have half of the second-level cache."""
    conv, tiling = choice.conv, choice.tiling
    th, tw = tiling.tiles[0]
    packed = (choice.steps * th * tw + 2 * -(-th * tw // LANES) + 1) * LANES
    tiles = conv.n * tiling.count(conv.oh, conv.ow)
    block = max(1, target.l2 // 2 // (4 * packed))
    if isinstance(tiles, int):
        share = max(1, -(-tiles // target.team) if by_tiles else tiles)
        block = -(-share // -(-share // block))
    return packed, block


def _steps(conv: Conv) -> int:
    """Steps of the reduction: taps of a block of channels."""
    return -(-(conv.c // conv.groups) // LANES) * conv.kernel[0] * conv.kernel[1]


def _by_tiles(lowering: Lowering, way: Way) -> dict[str, Any]:
    """What ``emit_conv`` gets where the input of each tile is packed."""
    problem, tiling, choice, target = way.problem, way.tiling, way.choice, lowering.target
    conv, source = problem.conv, problem.source
    (th, tw), by_tiles = tiling.tiles[0], shares_tiles(conv, tiling, target) != 0
    lowering.set_share(by_tiles)
    packed, block = packed_block(choice, target, by_tiles)
    params: dict[str, DimLike] = {"vectors": problem.vectors, "block": block, "by_tiles": int(by_tiles), "packed_size": packed}
    tiles = conv.n * tiling.count(conv.oh, conv.ow)
    if not source.table:
        chunked = {"chunks": choice.chunks} if choice.chunks > 1 else {}
        sums = th * tw * LANES * problem.vectors if chunked else 0
        weights = inner_product_weights(lowering, conv, chunks=choice.chunks)
        return {
            "weights": weights, "params": params | source.params(conv) | chunked, "scratch": 4 * block * (packed + sums),
            "shared_scratch": 0 if by_tiles else 4 * tiles * (packed + sums),
        }  # fmt: skip
    table, pitch = vectors_table(source.table, source.tensors, LANES), (_steps(conv) + 1 | 1) * LANES
    params |= {"C": conv.c, "pitch": pitch, "origin_count": len(table) // 2, **source.tensor_params(True)}
    weights = inner_product_weights(lowering, conv, "inner_product_selected", order=source.order)
    gathered = conv.n * (len(table) // 2) * ORIGIN + 4 * (th * tw * pitch + LANES)
    stem = f"selected{source.tensors}_inner_product"
    scratch, shared_scratch = 4 * block * packed + gathered, 0 if by_tiles else 4 * tiles * packed
    return {"weights": weights, "params": params, "scratch": scratch, "shared_scratch": shared_scratch, "table": table, "stem": stem}


def _by_bands(lowering: Lowering, way: Way) -> dict[str, Any]:
    """The same where that of some rows is, a group at a time."""
    conv, source, choice = way.problem.conv, way.problem.source, way.choice
    assert isinstance(conv.ow, int)
    lowering.set_share(choice.by_bands)
    (th, tw), pixels, steps = way.tiling.tiles[0], prod(choice.pixels(choice.band)), _steps(conv)
    partial = -(-pixels // 2) * 2 + LANES * conv.stride[1]
    weights = inner_product_weights(lowering, conv, "inner_product_groups", groups=conv.groups)
    params = {
        "groups": conv.groups, "group_vectors": way.problem.vectors, "band": choice.band, "by_bands": int(choice.by_bands),
        "stride_y": conv.stride[0], "dilation_y": conv.dilation[0], "dilation_x": conv.dilation[1], "partial_size": partial,
        **source.params(conv, "n cb start"), "in_row": spatial_strides(source.view.strides)[2],
    }  # fmt: skip
    beside = (-(-th * tw // LANES) + 1) * LANES + choice.band * conv.ow + LANES
    scratch = 4 * (conv.c // conv.groups * pixels + beside + partial) + 8 * -(-steps // 8) * 8
    return {"weights": weights, "params": params, "scratch": scratch, "stem": "inner_product_groups"}


def _lower(lowering: Lowering, way: Way) -> None:
    problem, choice = way.problem, way.choice
    conv, launch = problem.conv, (_by_bands if choice.band else _by_tiles)(lowering, way)
    panels = whole_panels(problem.vectors, choice.tiling.ocb)
    variants = tile_variants(
        problem.epilogue, panels, choice.tiling, problem.masked, by_pixel=True, pitch=problem.pitch, partial=problem.partial
    )
    launch["params"] |= {"in_blocks": -(-conv.c // conv.groups // LANES) // choice.chunks, "R": conv.kernel[0], "S": conv.kernel[1]}
    emit_conv(
        lowering, problem, choice.tiling, "inner_product", **launch, banded=choice.band > 0, chunked=choice.chunks > 1, has_bias=False,
        panels=[panel.width for panel in panels],
        inner_product=inner_product.context(inner_product.last_channels(conv.c // conv.groups), _tiles(choice)),
        alone=lowering.target.machine.team.alone,
        variants=[v | {"places": _places(choice, v["th"], v["tw"])} for v in variants],
    )  # fmt: skip


def _tiles(choice: Choice) -> int:
    """Tiles that read a panel's weights, 0 if that is not known or they are many."""
    tiles = choice.conv.n * choice.tiling.count(choice.conv.oh, choice.conv.ow)
    return 0 if choice.band or not isinstance(tiles, int) else tiles


def _places(choice: Choice, th: int, tw: int) -> tuple[int, ...]:
    """Where a tile's pixels are in a packed band, in pixels; nothing where a tile is packed by itself."""
    (sy, sx), pitch = choice.conv.stride, choice.pixels(1)[1]
    return tuple(y * sy * pitch + x * sx for y in range(th) for x in range(tw)) if choice.band else ()


def inner_product_weights(
    lowering: Lowering, conv: Conv, packer: str = "inner_product_panels", chunks: int = 1, **attrs: Any
) -> dict[str, View]:
    """Packed weights and what inputs are multiplied by (at each tap, unless ``attrs`` say otherwise), as the kernel's pointers."""
    w, scaled = conv.node.inputs[1], attrs or {"taps": prod(conv.kernel)}
    if chunks > 1:
        attrs, scaled = attrs | {"chunks": chunks}, scaled | {"chunks": chunks}
    return {"w": lowering.weight(w, packer, **attrs), "factors": lowering.weight(w, "inner_product_scales", **scaled)}


CANDIDATES: tuple[Candidate, ...] = (sole("inner_product", read_way, _lower, _pays, _seconds, ranked=False),)
