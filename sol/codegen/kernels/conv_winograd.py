"""Convolution with fewer multiplications: Winograd's minimal filtering, transformed tile by tile within the cache.

Filters of any rectangular size, not strided; an axis on which the filter has one tap is not transformed.

Not a number, infinity: an infinite or NaN input makes every output of the tiles that read it NaN, where direct
convolution has infinities and NaN in the outputs that read it only. ``config["conv_max_error"] = 0`` keeps direct
convolution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.epilogue import Epilogue
from sol.codegen.kernels import conv_inner_product, inner_product
from sol.codegen.kernels.conv_cost import winograd_seconds
from sol.codegen.kernels.conv_epilogues import hoisted_loads, is_heavy, operand_at
from sol.codegen.kernels.conv_problem import Problem, emit_conv, widened_problem
from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.kernels.conv_sums import added_to_sums, kept_sums, sum_declarations
from sol.codegen.kernels.conv_tiling import Tiling
from sol.codegen.kernels.packed_steps import WINOGRAD_STEP
from sol.codegen.kernels.winograd_model import (
    LINE,
    Grid,
    Organisation,
    allowed_grids,
    choose_grid,
    direct_cost,
    make_grid,
    organise,
    register_tiles,
    winograd_cost,
)
from sol.codegen.kernels.winograd_transforms import transform_texts
from sol.codegen.lowering import Lowering, TargetLike
from sol.config import config
from sol.ir.dim import DimLike
from sol.ir.types import DType

STRETCH, SHORT = 64, 16
"""Input channels that are added up one after the other: rounding errors grow with the length of such a sum. Shorter sums take longer."""
AMPLIFIED = 2.8
"""``amplification`` above which sums are short."""
PLACE = 32
"""Bytes of the template's ``place``."""


def _stores(epilogue: Epilogue, grid: Grid, masked: bool) -> list[list[str]]:
    """C text of what is stored at (y, x)."""

    def value(y: int, x: int) -> str:
        if epilogue.is_identity:
            return "".join(f"summed{i} = " for i in range(len(epilogue.sums))) + f"y{x}"
        operands = [operand_at(e, 0, y, x) for e in epilogue.operands]
        operands += [f"&summed{i}" for i in range(len(epilogue.sums))]
        result = f"finish({', '.join([f'y{x}', *operands])})"
        return f"keep({result}, c->K - kb * LANES)" if masked else result

    return [[value(y, x) for x in range(grid.x.m)] for y in range(grid.y.m)]


def _sums(epilogue: Epilogue) -> dict[str, Any]:
    """Statements that add up a tile's pixels of what is summed, ``summed<i>``: ahead of all, of the first pixel, of others, behind all."""
    summed = [f"summed{i}" for i in range(len(epilogue.sums))]
    added = [added_to_sums(epilogue.sums, 0, summed, first) for first in (True, False)]
    kept = kept_sums(epilogue.sums, 1, "(double)pixels")
    return {"sums_before": sum_declarations(epilogue.sums, 1), "sums_added": added, "sums_after": kept}


def _parts(grid: Grid, bias: bool) -> list[dict[str, Any]]:
    """Tiles of all kinds with their transforms, as the template wants them."""
    columns = grid.x.whole.n
    return [
        {"kind": 2 * i + j, **transform_texts(fy, fx, columns, bias, grid.by_inner_product)}
        for i, fy in enumerate(grid.y.parts) for j, fx in enumerate(grid.x.parts) if fy and fx
    ]  # fmt: skip


@dataclass(frozen=True)
class Way:
    """Tiles and how they are organised."""

    problem: Problem
    grid: Grid
    how: Organisation


def find_grids(problem: Problem | None, target: TargetLike) -> Sequence[Grid]:
    """Tiles with which a convolution of several taps, neither strided, dilated nor grouped, can be computed, the cheapest first."""
    conv = problem.conv if problem is not None and problem.source.kind in ("memory", "prologue") else None
    if conv is None or (conv.stride, conv.dilation, conv.groups) != ((1, 1), (1, 1), 1) or conv.kernel == (1, 1):
        return []
    if problem and problem.pool and not all(isinstance(size, int) for size in (conv.n, conv.oh, conv.ow)):
        return []
    return allowed_grids(conv, target, config["conv_max_error"])


def _pays(lowering: Lowering, conv: Conv) -> bool:
    target = lowering.target
    grid = choose_grid(conv, target, config["conv_max_error"])
    if grid is None:
        return False
    if conv.dtype is DType.BF16 and target.multiplies_pairs:
        rate = 2 * target.machine.products.dots / target.machine.core.multiply_adds
        return winograd_cost(conv, target, grid) * rate < target.machine.winograd.gain * direct_cost(conv, target)
    if not target.pair_vectors:
        return True
    other = conv_inner_product.read_way(lowering)
    return other is None or winograd_cost(conv, target, grid) < target.machine.winograd.gain * other.cost * direct_cost(conv, target)


def _match(lowering: Lowering) -> Iterator[Decision]:
    """Variants are ``f4``, ``f1x4``, ``f4p``, ``f4b28``: the output tile, the same in pairs, and with blocks of 28 tiles."""
    problem, target = widened_problem(lowering), lowering.target
    if problem is not None and not problem.is_float32 and target.matrix_tiles:
        return  # which multiply bfloat16 several times as fast
    grids = find_grids(problem, target)
    if problem is None or not grids:
        return
    conv, best, pays = problem.conv, grids[0], _pays(lowering, problem.conv)
    how, widest = organise(conv, target, best), register_tiles(conv, target, best, 1).widths[0]
    sizes = [n for n in (widest, 2 * widest, 4 * widest) if n <= best.tiles]
    block = _block(conv, target, best, how, sizes)
    yield Decision("winograd", Way(problem, best, replace(how, block=block)), pays=pays)
    blocks = [n for n in sizes if n != block]
    for name in [*(grid.name for grid in grids[1:4]), *(f"{best.name}b{n}" for n in blocks)]:
        yield Decision("winograd", named_way(problem, target, name), name, pays)


def _block(conv: Conv, target: TargetLike, grid: Grid, how: Organisation, sizes: Sequence[int]) -> int:
    """Tiles that a thread holds at a time: as many as are predicted to take least time, by a rule where the rates of caches are unknown."""
    if grid.by_inner_product or not target.machine.memory.is_known:
        return how.block
    found = {n: winograd_seconds(conv, grid, replace(how, block=n), target) for n in (how.block, *sizes)}
    known = {n: seconds for n, seconds in found.items() if seconds is not None}
    return min(known, key=known.__getitem__, default=how.block)


def _seconds(way: Way, target: TargetLike) -> float | None:
    return winograd_seconds(way.problem.conv, way.grid, way.how, target)


def named_way(problem: Problem, target: TargetLike, name: str) -> Way:
    """Tiles and their organisation as a variant names them."""
    sides, _, block = name.removeprefix("f").partition("b")
    my, _, mx = sides.removesuffix("p").partition("x")
    grid = make_grid(problem.conv, int(my), int(mx or my), sides.endswith("p"))
    how = organise(problem.conv, target, grid)
    return Way(problem, grid, replace(how, block=int(block)) if block else how)


def _lower(lowering: Lowering, way: Way) -> None:
    problem, grid, how, target, lanes = way.problem, way.grid, way.how, lowering.target, lowering.target.lanes
    conv, epilogue = problem.conv, problem.epilogue
    blocks, prologue = -(-conv.c // lanes), problem.source.prologue
    tile = register_tiles(conv, target, grid, how.block)
    usual = {"kind": "winograd_panels", "lanes": lanes, "vectors": tile.ocb}
    packing = {"kind": "winograd_inner_product"} if grid.by_inner_product else usual
    weights = {"w": lowering.wide_weight(conv.node.inputs[1], **packing, my=grid.y.m, mx=grid.x.m)}
    if grid.by_inner_product:
        weights["factors"] = lowering.wide_weight(conv.node.inputs[1], "inner_product_scales")
    last = conv.c - (blocks - 1) * lanes
    lowering.set_share(not how.split_channels or grid.tiles >= how.split_channels * target.team)
    beside = ((grid.products + 1) // lanes + 1) * lanes if grid.by_inner_product else 0
    shared = transformed_elements(grid, blocks, grid.tiles, lanes, tile.slack, beside) if how.split_channels else 0
    params: dict[str, DimLike] = {
        "vectors": problem.vectors, "split_channels": how.split_channels, "block": how.block,
        "in_blocks": blocks, "in_last": -(-last // WINOGRAD_STEP) * WINOGRAD_STEP,
        **problem.source.params(conv, "n cb row" if prologue else "n cb row start"),
    }  # fmt: skip
    if prologue:  # beyond the rows and columns of what is made there are zeros
        params |= {"H": conv.h, "W": conv.w, "pad_y": conv.padding[0], "pad_x": conv.padding[1]}
    v = transformed_elements(grid, blocks, how.block, lanes, tile.slack, beside)
    m = grid.products * ((how.block + tile.slack) * tile.ocb * lanes + LINE)
    edges = not (grid.y.divided and grid.x.divided)
    narrow = problem.source.view.dtype is not DType.F32
    patched = bool(prologue or edges or narrow)
    patch = (blocks if grid.by_inner_product else 1) * grid.y.whole.size * grid.x.whole.size * lanes if patched else 0
    steps, (result, *summed) = ([], ["a"]) if epilogue.is_identity else epilogue.trace_all("a", lambda e: e.name, "t")
    emit_conv(
        lowering, problem, Tiling(tile.ocb, ((1, tile.widths[0]),)), "winograd", widens=True, weights=weights, params=params,
        stem=grid.name + ("" if conv.kernel == (3, 3) else f"_{conv.kernel[0]}x{conv.kernel[1]}"),
        scratch=4 * (m + v + patch) + PLACE * max(how.block, grid.tiles if how.split_channels else 0), shared_scratch=4 * shared,
        my=grid.y.m, mx=grid.x.m, ry=conv.kernel[0], rx=conv.kernel[1], iy=grid.y.whole.size, ix=grid.x.whole.size,
        frequencies=grid.products, kinds=grid.kinds,
        parts=_parts(grid, len(conv.node.inputs) == 3), divided=(grid.y.rest is not None, grid.x.rest is not None),
        edges=edges, patched=patched, always_patched=bool(prologue or narrow), line=LINE,
        ocb=tile.ocb, widths=tile.widths, first=tile.first, slack=tile.slack, unroll=WINOGRAD_STEP,
        stretch=max(1, (SHORT if grid.amplification > AMPLIFIED else STRETCH) // lanes),
        stores=_stores(epilogue, grid, problem.masked), has_bias=len(conv.node.inputs) == 3, heavy=is_heavy(epilogue),
        epilogue_loads=hoisted_loads(epilogue, 1), epilogue_lines=steps, epilogue_result=result,
        epilogue_summed=summed, **_sums(epilogue), words=False,
        by_inner_product=grid.by_inner_product, beside=beside, inner_product=inner_product.context() if grid.by_inner_product else {},
    )  # fmt: skip


def transformed_elements(grid: Grid, blocks: int, tiles: int, lanes: int, slack: int, beside: int, line: int = LINE) -> int:
    """Elements of so many transformed tiles, of which frequencies lie ``line`` elements apart, and of what lies beside each."""
    return grid.products * (blocks * tiles * lanes + line) + slack * lanes + (tiles + slack) * beside


CANDIDATES: tuple[Candidate, ...] = (Candidate("winograd", _match, _lower, _seconds, ranked=False),)
