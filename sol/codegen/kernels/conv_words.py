"""Convolutions of bytes in blocks of channels with fewer multiplications: Winograd's tiles in whole numbers, exact (winograd_words.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels.conv_bytes import BYTES, ByteConv, byte_conv, common_context, read_views, tile_target
from sol.codegen.kernels.conv_cost import winograd_seconds
from sol.codegen.kernels.conv_epilogues import LONGEST_OF_BYTES, hoisted_loads, is_heavy, operand_at, operand_params
from sol.codegen.kernels.conv_problem import stem_of
from sol.codegen.kernels.conv_shape import Conv, spatial_strides
from sol.codegen.kernels.conv_source import Source
from sol.codegen.kernels.conv_tiling import Tiling
from sol.codegen.kernels.conv_winograd import PLACE, transformed_elements
from sol.codegen.kernels.packed_steps import WORD_STEP
from sol.codegen.kernels.winograd_model import Grid, Organisation, direct_cost, exact_grids, organise, register_tiles, winograd_cost
from sol.codegen.kernels.winograd_words import WholeWinograd, word_texts
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.dim import DimLike
from sol.ir.lanes import FLOAT_LANES

LINE = 32
"""Words between the end of one frequency and the start of the next."""
CACHE_LINE = 64
"""Bytes."""
VARIANTS = 3
"""Tiles beside the cheapest that are offered to measurements."""


@dataclass(frozen=True)
class Way:
    """Tiles and how they are organised."""

    found: ByteConv
    grid: Grid
    how: Organisation


@cache
def _grids(conv: Conv, target: TargetLike) -> tuple[Grid, ...]:
    """Tiles that are exact for such a convolution, the cheapest first."""
    return tuple(sorted(exact_grids(conv), key=lambda g: winograd_cost(conv, target, g)))


def find_grids(conv: Conv, target: TargetLike) -> Sequence[Grid]:
    """The same where it is neither strided, dilated nor grouped and has several taps."""
    if (conv.stride, conv.dilation, conv.groups) != ((1, 1), (1, 1), 1) or conv.kernel == (1, 1):
        return ()
    return _grids(replace(conv, node=None), target)  # type: ignore[arg-type]  # equal for layers of equal shape


def _match(lowering: Lowering) -> Iterator[Decision]:
    """Variants are ``f4``, ``f2x4``: the output tile."""
    found = byte_conv(lowering)
    target = tile_target(lowering.target, words=True)
    grids = find_grids(found.conv, target) if found is not None else ()
    if found is None or not grids:
        return
    together, gain = BYTES if target.byte_dots else BYTES // 2, target.machine.winograd.words_gain
    cheaper = winograd_cost(found.conv, target, grids[0]) < gain * direct_cost(found.conv, target, together)
    pays = cheaper and not target.matrix_tiles  # these multiply more than Winograd's algorithm saves
    for grid in grids[: 1 + VARIANTS]:
        variant = "" if grid is grids[0] else grid.name
        yield Decision("words", Way(found, grid, organise(found.conv, target, grid)), variant, pays)


def _seconds(way: Way, target: TargetLike) -> float | None:
    return winograd_seconds(way.found.conv, way.grid, way.how, tile_target(target, words=True))


def _parts(grid: Grid, start: str) -> list[dict[str, object]]:
    """Tiles of all kinds with their transforms, as the template wants them."""
    return [
        {"kind": 2 * i + j, **word_texts(fy, fx, grid.x.whole.n, start)}
        for i, fy in enumerate(grid.y.parts) for j, fx in enumerate(grid.x.parts)
        if isinstance(fy, WholeWinograd) and isinstance(fx, WholeWinograd)
    ]  # fmt: skip


def _lower(lowering: Lowering, way: Way) -> None:
    """One launch; see templates/conv_winograd.c.j2."""
    found, grid, how, lanes = way.found, way.grid, way.how, lowering.target.lanes
    conv, epilogue, blocks = found.conv, found.epilogue, -(-found.conv.c // lanes)
    tile = register_tiles(conv, tile_target(lowering.target, words=True), grid, how.block)
    w = lowering.weight(conv.node.inputs[1], "winograd_words", lanes=lanes, vectors=tile.ocb, my=grid.y.m, mx=grid.x.m)
    lowering.set_share(not how.split_channels or grid.tiles >= how.split_channels * lowering.target.team)
    last = conv.c - (blocks - 1) * lanes
    out_n, out_cb, out_row = spatial_strides(found.out.strides)[:3]
    params: dict[str, DimLike] = {
        "N": conv.n, "OH": conv.oh, "OW": conv.ow, "vectors": found.vectors, "split_channels": how.split_channels, "block": how.block,
        "in_blocks": blocks, "in_last": -(-last // WORD_STEP) * WORD_STEP,
        **Source("memory", (found.source,)).params(conv, "n cb row start"),
        "out_n": out_n, "out_cb": out_cb, "out_row": out_row, **operand_params(epilogue),
        **({"start_cb": found.start.strides[1]} if found.start else {}),
    }  # fmt: skip
    v, shared = (transformed_elements(grid, blocks, n, lanes, tile.slack, 0, LINE) for n in (how.block, grid.tiles))
    m = grid.products * ((how.block + tile.slack) * tile.ocb * lanes + LINE)
    edges = not (grid.y.divided and grid.x.divided)
    patch = -(-grid.y.whole.size * grid.x.whole.size * lanes // CACHE_LINE) * CACHE_LINE if edges else 0
    steps, result = ([], "a") if epilogue.is_identity else epilogue.trace("a", lambda e: e.name, "t")
    operands = [[", ".join(["", *(operand_at(e, 0, y, x) for e in epilogue.operands)]) for x in range(grid.x.m)] for y in range(grid.y.m)]
    tiling = Tiling(tile.ocb, ((1, tile.widths[0]),))
    lowering.emit(
        "conv_winograd.c.j2", f"int_conv_{found.out.dtype}_{stem_of(conv, tiling, epilogue, f'words_{grid.name}')}", params=params,
        reads=read_views(found, w), **common_context(lowering, found), words=True, prepared="int16_t",
        scratch=4 * m + patch + 2 * v + PLACE * max(how.block, grid.tiles if how.split_channels else 0),
        shared_scratch=2 * shared if how.split_channels else 0, vectors=[e.vector for e in epilogue.operands],
        finished="vf" if found.out.dtype in FLOAT_LANES else "vi",
        start_vector=found.start.load("c->start + kb * c->start_cb") if found.start else "",
        my=grid.y.m, mx=grid.x.m, ry=conv.kernel[0], rx=conv.kernel[1], iy=grid.y.whole.size, ix=grid.x.whole.size,
        frequencies=grid.products, kinds=grid.kinds, parts=_parts(grid, f" {found.sign or '+'} start" if found.start else ""),
        divided=(grid.y.rest is not None, grid.x.rest is not None), edges=edges, patched=edges, always_patched=False, line=LINE,
        ocb=tile.ocb, widths=tile.widths, first=tile.first, slack=tile.slack, unroll=WORD_STEP, stretch=0,
        stores=[[f"y{x}" if epilogue.is_identity else f"finish(y{x}{text})" for x, text in enumerate(row)] for row in operands],
        heavy=is_heavy(epilogue, LONGEST_OF_BYTES), epilogue_loads=hoisted_loads(epilogue, 1), epilogue_lines=steps, epilogue_result=result,
        by_inner_product=False, beside=0, inner_product={}, pool="", stored=True, prologue="", prologue_loads=(), source="memory",
        sums=(), sums_before=(), sums_after=(),
    )  # fmt: skip


CANDIDATES = (Candidate("words", _match, _lower, _seconds, ranked=False),)
