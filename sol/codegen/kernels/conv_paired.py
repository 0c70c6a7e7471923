"""Convolution by Winograd's inner product (sol/codegen/kernels/pairs.py): the input of a tile is packed, scaled, before it is multiplied.

``config["conv_max_error"] = 0`` keeps direct convolution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels import pairs
from sol.codegen.kernels.conv_direct import (
    Conv,
    check_border,
    is_flat,
    is_heavy,
    is_pointwise_tail,
    needs_mask,
    operand_context,
    operand_params,
    read_conv,
    serves_blocked_input,
    shares_tiles,
    spatial_strides,
    stem_of,
    store,
    tail_lines,
    tail_steps,
    traffic,
)
from sol.codegen.kernels.conv_pooled import Pool, output_params, read_pool
from sol.codegen.kernels.conv_prologue import Prologue, chain_loads, chain_value, read_prologue
from sol.codegen.kernels.conv_tiling import Tiling
from sol.codegen.kernels.pairs import LANES, LEAST, MOST, step_cycles
from sol.codegen.kernels.winograd_model import fetch_cost, overlapped
from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.codegen.plan import View
from sol.config import config
from sol.ir.dim import DimLike

ERROR = (4e-7, 5e-8)
"""Bound a + b * sqrt(multiply-adds per output) of the error against float64, in units of the largest output.

Measured on normally distributed data with and without ReLU, 16 … 4096 multiply-adds, dense and grouped: at most 0.79 of the bound, and
2.3 times the error of direct convolution (on average 1.2 without, 1.3 with ReLU).
"""
GAIN = 0.95
"""Share of direct convolution's cost below which it is worth while."""
TILE = 30.0
"""Cycles that a tile costs beside its blocks, and per pixel two more."""
PACKED = 8.0
"""Cycles in which a vector of input is packed."""
MADE = 6.0
"""Cycles more in which it is made on the way, for each input of a window."""
HIDDEN = 0.9
"""The part of computing or of fetching weights, the shorter one, that is hidden: the next panel's weights come meanwhile."""
ALONE = 4
"""Threads up to which each packs, or sums, for itself: cheaper than to wait for each other and to fetch from another core."""


def max_error(reduction: int) -> float:
    """Bound on the error over so many multiply-adds per output, in units of the largest output."""
    return ERROR[0] + ERROR[1] * sqrt(reduction)


def tile_cost(pixels: int, steps: int) -> float:
    """Cycles of a tile of one output vector over so many blocks of channels."""
    return steps * step_cycles(pixels) + TILE + 2 * pixels


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


def row_cost(conv: Conv, tiling: Tiling) -> float:
    """Time of a 1x1 convolution row by row in units of direct convolution at the processor's peak, packing included."""
    assert isinstance(conv.ow, int)
    steps, vectors = -(-conv.reduction // LANES), -(-conv.k // LANES)
    multiply = sum(tile_cost(w, steps) * n for (_, w), n in zip(tiling.tiles, (conv.ow // tiling.tiles[0][1], 1)))
    return (multiply * vectors + PACKED * steps * conv.ow) / (vectors * conv.reduction * conv.ow)


def _cost(conv: Conv, target: TargetLike, tiling: Tiling, made: int = 0) -> float:
    """Cycles of one thread for its share, weights fetched meanwhile. made: inputs of the prologue for each of the convolution."""
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    steps, vectors, team = _steps(conv), -(-conv.k // LANES), target.team
    images = conv.n if isinstance(conv.n, int) else 1
    rows, columns = (1, conv.oh * conv.ow) if tiling.flat else (conv.oh, conv.ow)
    th, tw = tiling.tiles[0]
    counts = [(rows // th) * (columns // tw) * images]
    if len(tiling.tiles) > 1:
        counts.append((columns // tw if tiling.along_y else rows) * images)
    multiply = sum(n * tile_cost(h * w, steps) for n, (h, w) in zip(counts, tiling.tiles)) * vectors
    packed = (PACKED + MADE * made) * steps * rows * columns * images
    tiles = sum(counts)
    by_tiles = shares_tiles(replace(conv, n=images), tiling, target, tiling.flat) == 1
    compute = (multiply + packed) * -(-tiles // team) / tiles if by_tiles else multiply / team + packed * (1 if team <= ALONE else 1 / team)
    return overlapped(compute, fetch_cost(conv.weight_bytes, target) / team, HIDDEN)


def relative_cost(conv: Conv, target: TargetLike, tiling: Tiling, made: int = 0) -> float:
    """Time in units of direct convolution at the processor's peak."""
    images = conv.n if isinstance(conv.n, int) else 1
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    vectors = -(-conv.k // LANES) * conv.reduction + MADE / 2 * made * (conv.c // LANES)
    direct = vectors * images * conv.oh * conv.ow / target.team
    return _cost(conv, target, tiling, made) / overlapped(direct, fetch_cost(conv.weight_bytes, target) / target.team, HIDDEN)


def choose(conv: Conv, target: TargetLike, error: float, flat: bool) -> Tiling | None:
    """The cheapest tiles; None where it cannot be done or is not exact enough."""
    if conv.groups != 1 or target.lanes != LANES or max_error(conv.reduction) > error:
        return None
    if not (isinstance(conv.oh, int) and isinstance(conv.ow, int)) or conv.oh * conv.ow == 0:
        return None
    return min(tilings(conv.oh, conv.ow, flat), key=lambda t: _cost(conv, target, t))


@dataclass(frozen=True)
class Choice:
    """A convolution, the tiles of its map, what makes its input and what global pooling follows, if any."""

    conv: Conv
    tiling: Tiling
    prologue: Prologue | None
    pool: Pool | None

    @property
    def made(self) -> int:
        """Inputs of the prologue for each of the convolution."""
        return self.prologue.window[0] * self.prologue.window[1] if self.prologue else 0


def read_choice(lowering: Lowering) -> Choice | None:
    """How the region's convolution can be computed in pairs."""
    conv, lanes = read_conv(lowering), lowering.target.lanes
    if conv is None or not all(isinstance(size, int) and size > 0 for size in (conv.oh, conv.ow)):
        return None
    prologue = None
    if conv.node.inputs[0] not in lowering.body.inputs:
        prologue = _light_prologue(lowering, conv)
        if prologue is None:
            return None
    elif not serves_blocked_input(lowering):
        return None
    pool = read_pool(lowering, conv) if isinstance(conv.n, int) and prologue is None else None
    if not is_pointwise_tail(lowering, pool.source if pool else lowering.output, lanes):
        return None
    source, out = lowering.view(prologue.source if prologue else conv.node.inputs[0]), lowering.view(lowering.output)
    if not pool and spatial_strides(out.strides)[3:] != (lanes, 1):
        return None
    epilogue = make_epilogue(lowering, conv.node.name, pool.source if pool else lowering.output, channel_axis=1, block=lanes)
    written = [] if pool else [out.strides]
    flat = is_flat(conv, [source.strides, *written, *(e.strides for e in epilogue.operands if e.kind == "tile")])
    flat = flat and not (prologue and prologue.pools)
    tiling = choose(conv, lowering.target, config["conv_max_error"], flat)
    return None if tiling is None else Choice(conv, tiling, prologue, pool)


def _light_prologue(lowering: Lowering, conv: Conv) -> Prologue | None:
    """What makes the input of a 1x1 convolution, if that is a few steps for each pixel."""
    lanes = lowering.target.lanes
    if conv.c % lanes or conv.kernel != (1, 1) or conv.padding != (0, 0) or conv.after != (0, 0):
        return None
    prologue = read_prologue(lowering)
    if prologue is None or is_heavy(prologue.chain):
        return None
    view = lowering.view(prologue.source)
    return prologue if view.layout.block == lanes and spatial_strides(view.strides)[3:] == (lanes, 1) else None


def _serves(lowering: Lowering) -> bool:
    if not lowering.target.adders:
        return False
    choice = read_choice(lowering)
    return choice is not None and relative_cost(choice.conv, lowering.target, choice.tiling, choice.made) < GAIN


def _can(lowering: Lowering) -> bool:
    return read_choice(lowering) is not None


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


def _lower(lowering: Lowering) -> None:
    choice = read_choice(lowering)
    assert choice is not None
    conv, tiling, prologue, pool = choice.conv, choice.tiling, choice.prologue, choice.pool
    target, lanes, node = lowering.target, lowering.target.lanes, conv.node
    source, out = lowering.view(prologue.source if prologue else node.inputs[0]), lowering.view(lowering.output)
    if prologue is None:
        check_border(lowering, conv, source)
    epilogue = make_epilogue(lowering, node.name, pool.source if pool else lowering.output, channel_axis=1, block=lanes)
    masked = needs_mask(epilogue, conv.k, lanes)
    by_tiles = shares_tiles(conv, tiling, target, tiling.flat)
    lowering.set_share(by_tiles != 0)
    th, tw = tiling.tiles[0]
    rows, columns = (1, conv.oh * conv.ow) if tiling.flat else (conv.oh, conv.ow)
    tiles = conv.n * -(-rows // th) * -(-columns // tw)
    packed, block = packed_block(conv, target, tiling, by_tiles != 0)
    made = prologue.chain.operands if prologue else ()
    reads = {"in": source, **paired_weights(lowering, conv), **{p.name: p.view for p in made}}
    reads |= {e.name: e.view for e in epilogue.operands}
    n, cb, row, column, _ = spatial_strides(source.strides)
    step = prologue.step if prologue else (1, 1)
    shared = 0 if by_tiles else tiles * packed
    params = {
        "N": conv.n, "OH": rows, "OW": columns, "vectors": -(-conv.k // lanes), "block": block, "by_tiles": int(by_tiles != 0),
        "in_blocks": -(-conv.c // lanes), "R": conv.kernel[0], "S": conv.kernel[1],
        "in_n": n, "in_cb": cb, "in_row": row * conv.stride[0] * step[0],
        "in_r": row * conv.dilation[0], "in_s": column * conv.dilation[1],
        "in_start": -(row * conv.padding[0] + column * conv.padding[1]),
        **_sink_params(conv, out, pool, lanes, shared), "packed_size": packed, **operand_params(epilogue),
        **({"K": conv.k} if masked else {}),
    }  # fmt: skip
    for p in made:
        params |= {f"{p.name}_n": p.strides[0], f"{p.name}_cb": p.strides[1]}
    pooled = conv.n * -(-conv.k // lanes) * lanes * conv.oh * conv.ow if pool else 0
    stem = stem_of(conv, tiling, epilogue, "conv_paired") + (f"_{pool.kind}_pool" if pool else "")
    lowering.emit(
        "conv_paired.c.j2", f"conv_{prologue.stem}_then_{stem}" if prologue else stem,
        reads=reads, writes={"out": out}, params=params, scratch=4 * block * packed, common=4 * (shared + pooled),
        flops=conv.flops, bytes=traffic(conv, [source, out, *(e.view for e in epilogue.operands)]),
        pairs=pairs.context(pairs.last_channels(conv.c)), alone=ALONE,
        tiles=tiling.tiles, along_y=tiling.along_y, sx=conv.stride[1] * step[1], pitch="LANES", sink="out", has_bias=False,
        biased="bias" in reads, masked=masked, operands=operand_context(epilogue), tail=epilogue.stem,
        passed="".join(f", {e.name}" for e in epilogue.operands),
        variants=[paired_variant(epilogue, h, w, masked) for h, w in tiling.tiles],
        pool=pool.kind if pool else "", **_made_context(prologue),
    )  # fmt: skip


def _sink_params(conv: Conv, out: View, pool: Pool | None, lanes: int, map_start: DimLike) -> dict[str, DimLike]:
    """Where results go: strides of the map, or those of the pooled values and where the map lies in common memory."""
    if pool is None:
        out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
        return {"out_n": out_n, "out_cb": out_cb, "out_row": out_row}
    count = {} if pool.kind == "max" else {"count": pool.count}
    return {**output_params(out, conv, lanes), "map_start": map_start, **count}


def _made_context(prologue: Prologue | None) -> dict[str, Any]:
    """Template context of what makes the input."""
    if prologue is None:
        return {"made": "", "made_operands": (), "made_loads": (), "made_lines": (), "made_value": ""}
    lines, value = chain_value(prologue, "c->in_r")
    return {
        "made": prologue.stem.replace("_", " "), "made_operands": [p.name for p in prologue.chain.operands],
        "made_loads": chain_loads(prologue, "block"), "made_lines": lines, "made_value": value,
    }  # fmt: skip


def paired_variant(epilogue: Epilogue, th: int, tw: int, masked: bool = False) -> dict[str, object]:
    """Template context of a tile's functions."""
    steps = tail_steps(epilogue, 1, th, tw, masked)
    return {"th": th, "tw": tw, "steps": steps, "tail": [] if steps else tail_lines(epilogue, 1, th, tw, store, masked)}


def paired_weights(lowering: Lowering, conv: Conv, ocb: int = 1) -> dict[str, View]:
    """Packed weights, what inputs are multiplied by, and bias as the kernel's pointers."""
    w = conv.node.inputs[1]
    reads = {"w": lowering.weight(w, "paired_panels"), "factors": lowering.weight(w, "pair_scales", taps=conv.kernel[0] * conv.kernel[1])}
    if len(conv.node.inputs) == 3:
        reads["bias"] = lowering.weight(conv.node.inputs[2], "channels", block=LANES)
    return reads


def _candidate(name: str, holds: Callable[[Lowering], bool]) -> Candidate:
    return Candidate(name, lambda x: holds(x) and _serves(x), _lower, lambda x: holds(x) and _can(x))


def _makes_input(lowering: Lowering) -> bool:
    return lowering.anchor.inputs[0] not in lowering.body.inputs


def _pools(lowering: Lowering) -> bool:
    return lowering.type_of(lowering.output).shape != lowering.anchor.type.shape


CANDIDATES: tuple[Candidate, ...] = (_candidate("paired", lambda x: not _makes_input(x) and not _pools(x)),)
POOLED_CANDIDATES: tuple[Candidate, ...] = (_candidate("paired_pooled", lambda x: not _makes_input(x) and _pools(x)),)
PROLOGUE_CANDIDATES: tuple[Candidate, ...] = (_candidate("paired_prologue", _makes_input),)
