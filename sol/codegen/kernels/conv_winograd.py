"""Convolution with fewer multiplications: Winograd's minimal filtering, transformed tile by tile within the cache.

Filters of any rectangular size, not strided; an axis on which the filter has one tap is not transformed.

Not a number, infinity: an infinite or NaN input makes every output of the tiles that read it NaN, where direct
convolution has infinities and NaN in the outputs that read it only. ``config["conv_max_error"] = 0`` keeps direct
convolution.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels import conv_paired, pairs
from sol.codegen.kernels.conv_direct import (
    Conv,
    check_border,
    is_heavy,
    is_pointwise_tail,
    needs_mask,
    operand_params,
    operand_step,
    read_conv,
    serves_blocked_input,
    spatial_strides,
    traffic,
)
from sol.codegen.kernels.conv_pooled import Pool, output_params, read_pool
from sol.codegen.kernels.winograd_model import (
    GAIN,
    LINE,
    UNROLL,
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
from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.plan import View
from sol.config import config
from sol.ir.dim import DimLike

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
            return f"y{x}"
        operands = [
            e.load(f"{e.name} + {y} * c->{e.name}_row + {x} * {operand_step(e)}") if e.kind == "tile" else e.name for e in epilogue.operands
        ]
        result = f"finish({', '.join([f'y{x}', *operands])})"
        return f"keep({result}, c->K - kb * LANES)" if masked else result

    return [[value(y, x) for x in range(grid.x.m)] for y in range(grid.y.m)]


def _operand_context(epilogue: Epilogue) -> list[dict[str, Any]]:
    """Operands as the template wants them; ``load``: what is hoisted out of the tile."""
    return [
        {"name": e.name, "kind": e.kind, "step": operand_step(e),
         "load": e.load(f"c->{e.name} + p->n * c->{e.name}_n + kb * c->{e.name}_cb")}
        for e in epilogue.operands
    ]  # fmt: skip


def _parts(grid: Grid, bias: bool) -> list[dict[str, Any]]:
    """Tiles of all kinds with their transforms, as the template wants them."""
    columns = grid.x.whole.n
    return [
        {"kind": 2 * i + j, **transform_texts(fy, fx, columns, bias, grid.paired)}
        for i, fy in enumerate(grid.y.parts) for j, fx in enumerate(grid.x.parts) if fy and fx
    ]  # fmt: skip


def is_candidate(conv: Conv) -> bool:
    """Dense, neither strided nor dilated, more than one tap."""
    return (conv.stride, conv.dilation, conv.groups) == ((1, 1), (1, 1), 1) and conv.kernel != (1, 1)


def _pool(lowering: Lowering, conv: Conv) -> Pool | None:
    """The global pooling that ends the region, if its map's size is known."""
    known = all(isinstance(size, int) and size > 0 for size in (conv.n, conv.oh, conv.ow))
    return read_pool(lowering, conv) if known else None


def _can(lowering: Lowering) -> bool:
    lanes = lowering.target.lanes
    if not serves_blocked_input(lowering):
        return False
    conv = read_conv(lowering)
    assert conv is not None
    if not is_candidate(conv):
        return False
    pool = _pool(lowering, conv)
    if not is_pointwise_tail(lowering, pool.source if pool else lowering.output, lanes):
        return False
    if not pool and spatial_strides(lowering.view(lowering.output).strides)[3:] != (lanes, 1):
        return False
    return bool(allowed_grids(conv, lowering.target, config["conv_max_error"]))


def _serves(lowering: Lowering) -> bool:
    if not _can(lowering):
        return False
    conv, target = read_conv(lowering), lowering.target
    assert conv is not None
    grid = choose_grid(conv, target, config["conv_max_error"])
    if grid is None or not target.adders:
        return grid is not None
    other = conv_paired.read_choice(lowering)
    if other is None:
        return True
    return winograd_cost(conv, target, grid) < GAIN * conv_paired.relative_cost(conv, target, other.tiling) * direct_cost(conv, target)


def _variants(lowering: Lowering) -> list[str]:
    """``f4``, ``f1x4``, ``f4p``, ``f4b28``: the output tile, the same in pairs, and with blocks of 28 tiles."""
    conv, target = read_conv(lowering), lowering.target
    assert conv is not None
    best, *others = allowed_grids(conv, target, config["conv_max_error"])
    block, widest = organise(conv, target, best).block, register_tiles(conv, target, best, 1).widths[0]
    blocks = [n for n in (widest, 2 * widest, 4 * widest) if n != block and n <= best.tiles]
    return [*(grid.name for grid in others[:3]), *(f"{best.name}b{n}" for n in blocks)]


def _wanted(lowering: Lowering, conv: Conv) -> tuple[Grid, Organisation]:
    """Tiles and their organisation as the variant names them, else the cheapest."""
    if not lowering.variant:
        grid = allowed_grids(conv, lowering.target, config["conv_max_error"])[0]
        return grid, organise(conv, lowering.target, grid)
    sides, _, block = lowering.variant.removeprefix("f").partition("b")
    my, _, mx = sides.removesuffix("p").partition("x")
    grid = make_grid(conv, int(my), int(mx or my), sides.endswith("p"))
    how = organise(conv, lowering.target, grid)
    return grid, replace(how, block=int(block)) if block else how


def _name(conv: Conv, grid: Grid) -> str:
    taps = "" if conv.kernel == (3, 3) else f"_{conv.kernel[0]}x{conv.kernel[1]}"
    return f"conv_{grid.name}{taps}"


def _lower(lowering: Lowering) -> None:
    conv, target, lanes = read_conv(lowering), lowering.target, lowering.target.lanes
    assert conv is not None
    grid, how = _wanted(lowering, conv)
    pool = _pool(lowering, conv)
    source, out = lowering.view(conv.node.inputs[0]), lowering.view(lowering.output)
    check_border(lowering, conv, source)
    epilogue = make_epilogue(lowering, conv.node.name, pool.source if pool else lowering.output, channel_axis=1, block=lanes)
    masked = needs_mask(epilogue, conv.k, lanes)
    vectors, blocks = -(-conv.k // lanes), -(-conv.c // lanes)
    tile = register_tiles(conv, target, grid, how.block)
    packing = {"kind": "winograd_pairs"} if grid.paired else {"kind": "winograd_panels", "lanes": lanes, "vectors": tile.ocb}
    reads: dict[str, View] = {"in": source, "w": lowering.weight(conv.node.inputs[1], **packing, my=grid.y.m, mx=grid.x.m)}
    if grid.paired:
        reads["factors"] = lowering.weight(conv.node.inputs[1], "pair_scales")
    if len(conv.node.inputs) == 3:
        reads["bias"] = lowering.weight(conv.node.inputs[2], "channels", block=lanes)
    in_n, in_cb, in_row, in_column, _ = spatial_strides(source.strides)
    last = conv.c - (blocks - 1) * lanes
    lowering.set_share(not how.split_channels or grid.tiles >= how.split_channels * target.team)
    beside = ((grid.products + 1) // lanes + 1) * lanes if grid.paired else 0
    shared = _transformed(grid, blocks, grid.tiles, lanes, tile.slack, beside) if how.split_channels else 0
    params = {
        "N": conv.n, "OH": conv.oh, "OW": conv.ow, "vectors": vectors,
        "split_channels": how.split_channels, "block": how.block,
        "in_blocks": blocks, "in_last": -(-last // UNROLL) * UNROLL, "in_n": in_n, "in_cb": in_cb, "in_row": in_row,
        "in_start": -(in_row * conv.padding[0] + in_column * conv.padding[1]),
        **_sink_params(conv, out, pool, lanes, shared), **operand_params(epilogue), **({"K": conv.k} if masked else {}),
    }  # fmt: skip
    v = _transformed(grid, blocks, how.block, lanes, tile.slack, beside)
    m = grid.products * ((how.block + tile.slack) * tile.ocb * lanes + LINE)
    pooled = conv.n * conv.oh * conv.ow * vectors * lanes if pool else 0
    steps, result = ([], "a") if epilogue.is_identity else epilogue.trace("a", lambda e: e.name, "t")
    parts = [s for s in (f"{_name(conv, grid)}_{tile.ocb}x{tile.widths[0]}", epilogue.stem, pool and f"{pool.kind}_pool") if s]
    lowering.emit(
        "conv_winograd.c.j2", "_".join(parts),
        reads=reads | {e.name: e.view for e in epilogue.operands}, writes={"out": out}, params=params,
        scratch=4 * (m + v) + PLACE * max(how.block, grid.tiles if how.split_channels else 0),
        common=4 * (shared + pooled),
        flops=conv.flops, bytes=traffic(conv, [source, out, *(e.view for e in epilogue.operands)]),
        my=grid.y.m, mx=grid.x.m, ry=conv.kernel[0], rx=conv.kernel[1], iy=grid.y.whole.size, ix=grid.x.whole.size,
        frequencies=grid.products, kinds=grid.kinds,
        parts=_parts(grid, "bias" in reads), divided=(grid.y.rest is not None, grid.x.rest is not None),
        edges=not (grid.y.divided and grid.x.divided), line=LINE,
        ocb=tile.ocb, widths=tile.widths, first=tile.first, slack=tile.slack, unroll=UNROLL,
        stretch=max(1, (SHORT if grid.amplification > AMPLIFIED else STRETCH) // lanes),
        stores=_stores(epilogue, grid, masked), has_bias="bias" in reads, masked=masked, heavy=is_heavy(epilogue),
        operands=_operand_context(epilogue), tail=epilogue.stem, tail_lines=steps, tail_result=result,
        pool=pool.kind if pool else "", paired=grid.paired, beside=beside, pairs=pairs.context() if grid.paired else {},
    )  # fmt: skip


def _transformed(grid: Grid, blocks: int, tiles: int, lanes: int, slack: int, beside: int) -> int:
    """Elements of so many transformed tiles and of what lies beside each."""
    return grid.products * (blocks * tiles * lanes + LINE) + slack * lanes + (tiles + slack) * beside


def _sink_params(conv: Conv, out: View, pool: Pool | None, lanes: int, map_start: int) -> dict[str, DimLike]:
    """Where results go: strides of the map, or those of the pooled values and where the map lies in common memory."""
    if pool is None:
        out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
        return {"out_n": out_n, "out_cb": out_cb, "out_row": out_row}
    count = {} if pool.kind == "max" else {"count": pool.count}
    return {**output_params(out, conv, lanes), "map_start": map_start, **count}


CANDIDATES: tuple[Candidate, ...] = (Candidate("winograd", _serves, _lower, _can, _variants),)
