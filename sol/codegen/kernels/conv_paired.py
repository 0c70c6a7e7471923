"""Convolution by Winograd's inner product (sol/codegen/kernels/pairs.py): the input of a tile is packed, scaled, before it is multiplied.

``config["conv_max_error"] = 0`` keeps direct convolution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels import pairs
from sol.codegen.kernels.conv_direct import (
    Conv,
    check_border,
    is_flat,
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
from sol.codegen.kernels.conv_tiling import Tiling
from sol.codegen.kernels.pairs import LANES, LEAST, MOST, step_cycles
from sol.codegen.kernels.winograd_model import fetch_cost, overlapped
from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.codegen.packing import packer
from sol.codegen.plan import View
from sol.config import config

ERROR = (4e-7, 5e-8)
"""Bound a + b * sqrt(multiply-adds per output) of the error against float64, in units of the largest output."""
GAIN = 0.95
"""Share of direct convolution's cost below which it is worth while."""
TILE = 30.0
"""Cycles that a tile costs beside its blocks, and per pixel two more."""
PACKED = 8.0
"""Cycles in which a vector of input is packed."""
HIDDEN = 0.9
"""The part of computing or of fetching weights, the shorter one, that is hidden."""
ALONE = 4
"""Threads up to which each packs for itself: cheaper than to wait for each other and to fetch from another core."""


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


def _cost(conv: Conv, target: TargetLike, tiling: Tiling) -> float:
    """Cycles of one thread for its share, weights fetched meanwhile."""
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    steps, vectors, team = _steps(conv), -(-conv.k // LANES), target.team
    images = conv.n if isinstance(conv.n, int) else 1
    rows, columns = (1, conv.oh * conv.ow) if tiling.flat else (conv.oh, conv.ow)
    th, tw = tiling.tiles[0]
    counts = [(rows // th) * (columns // tw) * images]
    if len(tiling.tiles) > 1:
        counts.append((columns // tw if tiling.along_y else rows) * images)
    multiply = sum(n * tile_cost(h * w, steps) for n, (h, w) in zip(counts, tiling.tiles)) * vectors
    packed = PACKED * steps * rows * columns * images
    tiles = sum(counts)
    by_tiles = shares_tiles(replace(conv, n=images), tiling, target, tiling.flat) == 1
    compute = (multiply + packed) * -(-tiles // team) / tiles if by_tiles else multiply / team + packed * (1 if team <= ALONE else 1 / team)
    return overlapped(compute, fetch_cost(conv.weight_bytes, target) / team, HIDDEN)


def relative_cost(conv: Conv, target: TargetLike, tiling: Tiling) -> float:
    """Time in units of direct convolution at the processor's peak."""
    images = conv.n if isinstance(conv.n, int) else 1
    assert isinstance(conv.oh, int) and isinstance(conv.ow, int)
    direct = -(-conv.k // LANES) * conv.reduction * images * conv.oh * conv.ow / target.team
    return _cost(conv, target, tiling) / overlapped(direct, fetch_cost(conv.weight_bytes, target) / target.team, HIDDEN)


def choose(conv: Conv, target: TargetLike, error: float, flat: bool) -> Tiling | None:
    """The cheapest tiles; None where it cannot be done or is not exact enough."""
    if conv.groups != 1 or target.lanes != LANES or max_error(conv.reduction) > error:
        return None
    if not (isinstance(conv.oh, int) and isinstance(conv.ow, int)) or conv.oh * conv.ow == 0:
        return None
    return min(tilings(conv.oh, conv.ow, flat), key=lambda t: _cost(conv, target, t))


@dataclass(frozen=True)
class Choice:
    """A convolution and the tiles of its map."""

    conv: Conv
    tiling: Tiling


def read_choice(lowering: Lowering) -> Choice | None:
    """How the region's convolution can be computed in pairs."""
    conv, lanes = read_conv(lowering), lowering.target.lanes
    if conv is None or not serves_blocked_input(lowering) or not is_pointwise_tail(lowering, lowering.output, lanes):
        return None
    out = lowering.view(lowering.output)
    if spatial_strides(out.strides)[3:] != (lanes, 1):
        return None
    epilogue = make_epilogue(lowering, conv.node.name, channel_axis=1, block=lanes)
    tiles = [e.strides for e in epilogue.operands if e.kind == "tile"]
    flat = is_flat(conv, [lowering.view(conv.node.inputs[0]).strides, out.strides, *tiles])
    tiling = choose(conv, lowering.target, config["conv_max_error"], flat)
    return None if tiling is None else Choice(conv, tiling)


def _serves(lowering: Lowering) -> bool:
    if not lowering.target.adders:
        return False
    choice = read_choice(lowering)
    return choice is not None and relative_cost(choice.conv, lowering.target, choice.tiling) < GAIN


def _can(lowering: Lowering) -> bool:
    return read_choice(lowering) is not None


def packed_block(conv: Conv, target: TargetLike, tiling: Tiling, by_tiles: bool) -> tuple[int, int]:
    """Elements of a tile's packed input; tiles that a thread packs at a time, which have half of the second-level cache."""
    (th, tw), steps = tiling.tiles[0], _steps(conv)
    packed = (steps * th * tw + 2 * -(-th * tw // LANES)) * LANES
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
    conv, tiling = choice.conv, choice.tiling
    target, lanes, node = lowering.target, lowering.target.lanes, conv.node
    source, out = lowering.view(node.inputs[0]), lowering.view(lowering.output)
    check_border(lowering, conv, source)
    epilogue = make_epilogue(lowering, node.name, channel_axis=1, block=lanes)
    masked = needs_mask(epilogue, conv.k, lanes)
    by_tiles = shares_tiles(conv, tiling, target, tiling.flat)
    lowering.set_share(by_tiles != 0)
    th, tw = tiling.tiles[0]
    rows, columns = (1, conv.oh * conv.ow) if tiling.flat else (conv.oh, conv.ow)
    tiles = conv.n * -(-rows // th) * -(-columns // tw)
    packed, block = packed_block(conv, target, tiling, by_tiles != 0)
    reads = {"in": source, **paired_weights(lowering, conv)}
    reads |= {e.name: e.view for e in epilogue.operands}
    n, cb, row, column, _ = spatial_strides(source.strides)
    out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
    params = {
        "N": conv.n, "OH": rows, "OW": columns, "vectors": -(-conv.k // lanes), "block": block, "by_tiles": int(by_tiles != 0),
        "in_blocks": -(-conv.c // lanes), "R": conv.kernel[0], "S": conv.kernel[1],
        "in_n": n, "in_cb": cb, "in_row": row * conv.stride[0], "in_r": row * conv.dilation[0], "in_s": column * conv.dilation[1],
        "in_start": -(row * conv.padding[0] + column * conv.padding[1]),
        "out_n": out_n, "out_cb": out_cb, "out_row": out_row, "packed_size": packed, **operand_params(epilogue),
        **({"K": conv.k} if masked else {}),
    }  # fmt: skip
    lowering.emit(
        "conv_paired.c.j2", stem_of(conv, tiling, epilogue, "conv_paired"),
        reads=reads, writes={"out": out}, params=params, scratch=4 * block * packed,
        common=0 if by_tiles else 4 * tiles * packed,
        flops=conv.flops, bytes=traffic(conv, [source, out, *(e.view for e in epilogue.operands)]),
        pairs=pairs.context(pairs.last_channels(conv.c)), alone=ALONE,
        tiles=tiling.tiles, along_y=tiling.along_y, sx=conv.stride[1], pitch="LANES", sink="out", has_bias=False,
        biased="bias" in reads, masked=masked, operands=operand_context(epilogue), tail=epilogue.stem,
        passed="".join(f", {e.name}" for e in epilogue.operands),
        variants=[paired_variant(epilogue, h, w, masked) for h, w in tiling.tiles],
    )  # fmt: skip


def paired_variant(epilogue: Epilogue, th: int, tw: int, masked: bool = False) -> dict[str, object]:
    """Template context of a tile's functions."""
    steps = tail_steps(epilogue, 1, th, tw, masked)
    return {"th": th, "tw": tw, "steps": steps, "tail": [] if steps else tail_lines(epilogue, 1, th, tw, store, masked)}


def paired_weights(lowering: Lowering, conv: Conv, ocb: int = 1) -> dict[str, View]:
    """Packed weights and bias as the kernel's pointers."""
    reads = {"w": lowering.weight(conv.node.inputs[1], "paired_panels")}
    if len(conv.node.inputs) == 3:
        reads["bias"] = lowering.weight(conv.node.inputs[2], "channels", block=LANES)
    return reads


def packed_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    depth = -(-shape[1] // LANES) * LANES * int(np.prod(shape[2:]))
    return -(-shape[0] // LANES), (depth + 2) * LANES


@packer("paired_panels", shape=packed_shape)
def pack_paired(array: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """w[K, C, *kernel] -> [panel][input channel block][r][s][channel][LANES] as pairs.pack gives; C and K padded with zeros."""
    k, c = array.shape[:2]
    if k % LANES or c % LANES:
        array = np.pad(array, ((0, -k % LANES), (0, -c % LANES), *((0, 0),) * (array.ndim - 2)))
        k, c = array.shape[:2]
    taps = int(np.prod(array.shape[2:]))
    if out is None:
        out = np.zeros(packed_shape(array.shape), np.float32)
    for panel, rows in zip(out, array.reshape(k // LANES, LANES, c // LANES, LANES, taps)):
        pairs.pack(rows.transpose(0, 1, 3, 2).reshape(LANES, -1, LANES), panel)
    return out


CANDIDATES: tuple[Candidate, ...] = (Candidate("paired", _serves, _lower, _can),)
