"""Convolution by Winograd's inner product (sol/codegen/kernels/pairs.py): the input of a tile is packed, scaled, before it is multiplied.

``config["conv_max_error"] = 0`` keeps direct convolution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels import pairs
from sol.codegen.kernels.conv_cost import team_seconds
from sol.codegen.kernels.conv_direct import shares_tiles
from sol.codegen.kernels.conv_problem import Problem, emit_conv, float32_problem
from sol.codegen.kernels.conv_shape import Conv, is_pointwise
from sol.codegen.kernels.conv_source import vectors_table
from sol.codegen.kernels.conv_tails import tile_variants
from sol.codegen.kernels.conv_tiling import Panel, Tiling
from sol.codegen.kernels.pairs import LANES, LEAST, MOST, step_cost
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


def max_error(reduction: int) -> float:
    """Bound on the error over so many multiply-adds per output, in units of the largest output."""
    return ERROR[0] + ERROR[1] * sqrt(reduction)


def tile_cost(pixels: int, steps: int, machine: Machine) -> float:
    """Vector multiply-adds in the time of a tile of one output vector over so many blocks of channels."""
    costs = machine.inner_product
    return steps * step_cost(pixels, machine) + costs.tile + costs.pixel * pixels


def tilings(oh: int, ow: int, flat: bool) -> Iterator[Tiling]:
    """Tiles that cover a map, about equally large ones."""
    rows, columns = (1, oh * ow) if flat else (oh, ow)
    for count in range(-(-columns // MOST), max(1, columns // LEAST) + 1):
        width = -(-columns // count)
        yield Tiling(1, ((1, width), *(((1, columns % width),) if columns % width else ())), flat)
    for height in range(2, min(rows, MOST // columns) + 1):
        yield Tiling(1, ((height, columns), *(((rows % height, columns),) if rows % height else ())), flat)


def row_tiling(width: int) -> Tiling:
    """About equal tiles of one row, as few as there can be."""
    return next(t for t in tilings(1, width, False))


def row_cost(conv: Conv, target: TargetLike, tiling: Tiling) -> float:
    """Time of a 1x1 convolution row by row in units of direct convolution at the processor's peak, packing included."""
    assert isinstance(conv.ow, int)
    steps, vectors = -(-conv.reduction // LANES), -(-conv.k // LANES)
    multiply = sum(tile_cost(w, steps, target.machine) * n for (_, w), n in zip(tiling.tiles, (conv.ow // tiling.tiles[0][1], 1)))
    return (multiply * vectors + target.machine.inner_product.packed * steps * conv.ow) / (vectors * conv.reduction * conv.ow)


def _cost(conv: Conv, target: TargetLike, tiling: Tiling, made: int = 0) -> float:
    """Multiply-adds of vectors in the time of one thread's share, weights fetched meanwhile. made: inputs of the prologue for one."""
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    steps, vectors, team = _steps(conv), -(-conv.k // LANES), target.team
    images = conv.n if isinstance(conv.n, int) else 1
    rows, columns = (1, conv.oh * conv.ow) if tiling.flat else (conv.oh, conv.ow)
    th, tw = tiling.tiles[0]
    counts = [(rows // th) * (columns // tw) * images]
    if len(tiling.tiles) > 1:
        counts.append((columns // tw if tiling.along_y else rows) * images)
    costs, alone = target.machine.inner_product, target.machine.team.alone
    multiply = sum(n * tile_cost(h * w, steps, target.machine) for n, (h, w) in zip(counts, tiling.tiles)) * vectors
    packed = (costs.packed + costs.made * made) * steps * rows * columns * images
    tiles = sum(counts)
    by_tiles = shares_tiles(replace(conv, n=images), tiling, target, tiling.flat) == 1
    compute = (multiply + packed) * -(-tiles // team) / tiles if by_tiles else multiply / team + packed * (1 if team <= alone else 1 / team)
    return overlapped(compute, fetch_cost(conv.weight_bytes, target, costs.fetch) / team, costs.hidden)


def relative_cost(conv: Conv, target: TargetLike, tiling: Tiling, made: int = 0) -> float:
    """Time in units of direct convolution at the processor's peak."""
    images = conv.n if isinstance(conv.n, int) else 1
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    costs = target.machine.inner_product
    vectors = -(-conv.k // LANES) * conv.reduction + costs.made / 2 * made * (conv.c // LANES)
    direct = vectors * images * conv.oh * conv.ow / target.team
    fetch = fetch_cost(conv.weight_bytes, target, costs.fetch) / target.team
    return _cost(conv, target, tiling, made) / overlapped(direct, fetch, costs.hidden)


def choose(conv: Conv, target: TargetLike, error: float, flat: bool) -> Tiling | None:
    """The cheapest tiles; None where it cannot be done or is not exact enough."""
    if conv.groups != 1 or target.lanes != LANES or max_error(conv.reduction) > error:
        return None
    if not (isinstance(conv.oh, int) and isinstance(conv.ow, int)) or conv.oh * conv.ow == 0:
        return None
    return min(tilings(conv.oh, conv.ow, flat), key=lambda t: _cost(conv, target, t))


@dataclass(frozen=True)
class Way:
    """The tiles of a region's map. cost: time in units of direct convolution at the processor's peak."""

    problem: Problem
    tiling: Tiling
    cost: float


def read_way(lowering: Lowering) -> Way | None:
    """How a region's convolution can be computed in pairs; None if it cannot."""
    problem, target = float32_problem(lowering), lowering.target
    if problem is None or problem.source.kind == "plain" or not problem.source.is_light:
        return None
    conv, source = problem.conv, problem.source
    if problem.pool and not isinstance(conv.n, int):
        return None
    if source.prologue and (conv.c % LANES or not is_pointwise(conv)) or len(set(source.table)) < len(source.table):
        return None
    tiling = choose(conv, target, config["conv_max_error"], problem.flat)
    if tiling is None:
        return None
    gathered = target.machine.inner_product.gathered if source.table else 1
    return Way(problem, tiling, gathered * relative_cost(conv, target, tiling, source.inputs))


def other_cost(lowering: Lowering) -> float:
    """What other algorithms are compared with: time in pairs in units of direct convolution at the peak; 1 where that is not to be had."""
    way = read_way(lowering) if lowering.target.adders else None
    return way.cost if way else 1.0


def _pays(way: Way, target: TargetLike) -> bool:
    return target.adders and way.cost < target.machine.inner_product.gain


def _seconds(way: Way, target: TargetLike) -> float | None:
    """``_cost`` is of one thread's share."""
    gathered = target.machine.inner_product.gathered if way.problem.source.table else 1
    cost = gathered * _cost(way.problem.conv, target, way.tiling, way.problem.source.inputs)
    return team_seconds(cost * target.team, target) if isinstance(way.problem.conv.n, int) else None


def packed_block(conv: Conv, target: TargetLike, tiling: Tiling, by_tiles: bool) -> tuple[int, int]:
    """Elements of a tile's packed input; tiles that a thread packs at a time, which have half of the second-level cache."""
    (th, tw), steps = tiling.tiles[0], _steps(conv)
    packed = (steps * th * tw + 2 * -(-th * tw // LANES) + 1) * LANES
    rows, columns = (1, conv.oh * conv.ow) if tiling.flat else (conv.oh, conv.ow)
    tiles = conv.n * -(-rows // th) * -(-columns // tw)
    block = max(1, target.l2 // 2 // (4 * packed))
    if isinstance(tiles, int):
        share = max(1, -(-tiles // target.team) if by_tiles else tiles)
        block = -(-share // -(-share // block))
    return packed, block


def _steps(conv: Conv) -> int:
    """Steps of the reduction: taps of a block of channels."""
    return -(-(conv.c // conv.groups) // LANES) * conv.kernel[0] * conv.kernel[1]


def _lower(lowering: Lowering, way: Way) -> None:
    problem, tiling, target = way.problem, way.tiling, lowering.target
    conv, source, node = problem.conv, problem.source, problem.conv.node
    by_tiles = shares_tiles(conv, tiling, target, tiling.flat) != 0
    lowering.set_share(by_tiles)
    th, tw = tiling.tiles[0]
    rows, columns = problem.size(tiling)
    tiles = conv.n * -(-rows // th) * -(-columns // tw)
    packed, block = packed_block(conv, target, tiling, by_tiles)
    params: dict[str, DimLike] = {
        "vectors": problem.vectors, "block": block, "by_tiles": int(by_tiles), "packed_size": packed,
        "in_blocks": -(-conv.c // LANES), "R": conv.kernel[0], "S": conv.kernel[1],
    }  # fmt: skip
    scratch: DimLike = 4 * block * packed
    table: list[int] = []
    weights = paired_weights(lowering, conv)
    if source.table:
        table, pitch = vectors_table(source.table, source.tensors, LANES), (_steps(conv) + 1 | 1) * LANES
        params |= {"C": conv.c, "pitch": pitch, "origin_count": len(table) // 2, **source.tensor_params(True)}
        scratch += conv.n * (len(table) // 2) * ORIGIN + 4 * (th * tw * pitch + LANES)
        weights = {
            "w": lowering.weight(node.inputs[1], "paired_selected", order=source.order),
            "factors": lowering.weight(node.inputs[1], "pair_scales", order=source.order),
        }  # fmt: skip
    else:
        params |= source.params(conv)
    lines, value = source.prologue.value("c->in_r") if source.prologue else ([], "")
    emit_conv(
        lowering, problem, tiling, "paired", weights=weights, params=params, scratch=scratch, table=table,
        common=0 if by_tiles else 4 * tiles * packed, stem=f"selected{source.tensors}_paired" if source.table else "paired",
        pairs=pairs.context(pairs.last_channels(conv.c)), alone=target.machine.team.alone,
        has_bias=False, variants=paired_variants(problem, tiling),
        made_loads=source.prologue.loads("block") if source.prologue else (), made_lines=lines, made_value=value,
    )  # fmt: skip


def paired_variants(problem: Problem, tiling: Tiling) -> list[dict[str, object]]:
    """Template context of the functions of all tiles, of one output vector each."""
    return tile_variants(problem.epilogue, [Panel(1)], tiling, problem.masked, by_pixel=True)


def paired_weights(lowering: Lowering, conv: Conv) -> dict[str, View]:
    """Packed weights and what inputs are multiplied by, as the kernel's pointers."""
    w = conv.node.inputs[1]
    return {"w": lowering.weight(w, "paired_panels"), "factors": lowering.weight(w, "pair_scales", taps=conv.kernel[0] * conv.kernel[1])}


CANDIDATES: tuple[Candidate, ...] = (sole("paired", read_way, _lower, _pays, _seconds, ranked=False),)
