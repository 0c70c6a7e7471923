"""Direct convolution in NCHWc: a register tile of channel vectors x pixels takes the whole reduction.

Its input may lie in memory, blocked or row-major, be selected channels of several tensors, or be made on the way: a strip of the map at a
time in the thread's scratch, or the whole map in the team's shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels.conv_cost import direct_seconds
from sol.codegen.kernels.conv_epilogues import is_heavy, tile_variants
from sol.codegen.kernels.conv_problem import Problem, emit_conv, problem_of
from sol.codegen.kernels.conv_shape import Conv, is_pointwise, static_size
from sol.codegen.kernels.conv_source import STEP, Source, band_params, line_params
from sol.codegen.kernels.conv_tiling import (
    Tiling,
    choose_tiling,
    named_tiling,
    panels_of,
    pixels_per_tile,
    tiling_names,
    width_tiles,
)
from sol.codegen.kernels.packed_steps import DIRECT_STEP
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.types import DType

STRETCH = 256
"""Multiply-adds per output that are added up one after the other: rounding errors grow with the length of such a sum."""
FEW_TILES = 64
"""Maps of at most so many tiles may not divide evenly among the threads."""
UNROLLED_TAPS = 12
"""Rows of a filter up to this length are unrolled over a row-major input."""
POINTER = 8
"""Bytes of an address or a stride in the thread's scratch."""
SHARES = ("vectors", "tiles")
"""What the threads share out, where that is not left to ``shares_tiles``."""


def shares_tiles(conv: Conv, tiling: Tiling, target: TargetLike) -> int:
    """1 if the team shares out the tiles of the map, 0 if the output channels, -1 if that depends on sizes that are not known.

    Tiles: every thread reads all weights. Channels: every thread reads the whole input, of which others wrote a part.
    """
    if not all(isinstance(size, int) for size in (conv.n, conv.oh, conv.ow)):
        return -1
    (th, tw), tiles = tiling.tiles[0], static_size(conv.n * tiling.count(conv.oh, conv.ow))
    in_bytes = tiles * conv.c * th * tw * conv.stride[0] * conv.stride[1] * conv.dtype.itemsize
    uneven = -tiles % target.team * 16 > tiles
    return int(target.machine.team.remote * in_bytes >= conv.weight_bytes and not uneven)


def panels(lowering: Lowering, conv: Conv, ocb: int) -> View:
    """Packed weights, panels of ``ocb`` vectors of output channels."""
    return lowering.weight(conv.node.inputs[1], "conv_panels", lanes=lowering.target.lanes, vectors=ocb, groups=conv.groups)


def even_last(channels: int, lanes: int) -> int:
    """Channels of the last block, padded to whole steps of the reduction."""
    last = (channels - 1) % lanes + 1
    return last + last % DIRECT_STEP


def is_long(conv: Conv) -> bool:
    """Is the reduction so long that it is added up in stretches?"""
    return conv.reduction > 2 * STRETCH


@dataclass(frozen=True)
class Way:
    """The tiles, and whether threads share out these (1), output vectors (0), or what depends on sizes that are not known (-1).

    shared_scratch: bytes of the team's shared memory in which a larger team makes the input; 0 if no team ever makes it at once.
    """

    problem: Problem
    tiling: Tiling
    by_tiles: int
    shared_scratch: DimLike

    @property
    def can_share_vectors(self) -> bool:
        return bool(self.shared_scratch) or self.problem.source.kind in ("memory", "selected")


def _way(problem: Problem, target: TargetLike, tiling: Tiling) -> Way:
    shared_scratch = _map_bytes(problem.conv, tiling, problem.lanes) if problem.source.prologue else 0
    way = Way(problem, tiling, 1, shared_scratch)
    return replace(way, by_tiles=shares_tiles(problem.conv, tiling, target)) if way.can_share_vectors else way


def multiplies_matrices(problem: Problem, target: TargetLike) -> bool:
    """Whether matrix tiles compute the convolution: of bfloat16, with its input in blocks (kernels/conv_tiles.py), or of few channels of a
    row-major one that is not cropped by negative padding (kernels/conv_im2col.py)."""
    conv, kind = problem.conv, problem.source.kind
    whole = all(p >= 0 for p in (*conv.padding, *conv.after))
    fits = kind == "memory" or kind == "plain" and conv.c < problem.lanes and whole
    return target.matrix_tiles and conv.dtype is DType.BF16 and fits


def multiplies_pairs(problem: Problem, target: TargetLike) -> bool:
    """Whether pairs of its bfloat16 channels are multiplied and added up at once."""
    narrow = problem.conv.dtype is DType.BF16 and problem.source.kind == "memory"
    return target.multiplies_pairs and narrow and not multiplies_matrices(problem, target)


def _match(lowering: Lowering) -> Iterator[Decision]:
    problem, target = problem_of(lowering), lowering.target
    if problem is None or multiplies_matrices(problem, target) or problem.source.prologue and not is_pointwise(problem.conv):
        return
    conv, flat = problem.conv, problem.flat
    if problem.source.kind == "plain":
        ocb = min(2, problem.vectors)
        tiles = width_tiles(pixels_per_tile(target, ocb), conv.oh * conv.ow if flat else conv.ow)
        yield Decision("direct", _way(problem, target, Tiling(ocb, tiles, flat)))
        return
    best = _way(problem, target, choose_tiling(target, problem.vectors, conv.oh, conv.ow, flat=flat, reduction=conv.reduction))
    yield Decision("direct", best)
    names = tiling_names(target, problem.vectors, conv.oh, conv.ow, flat=flat)
    for name in [*names[:2], *(SHARES if best.can_share_vectors else ()), *names[2:]]:
        if name in SHARES:
            yield Decision("direct", replace(best, by_tiles=SHARES.index(name)), name)
        else:
            size = static_size(conv.oh), static_size(conv.ow)
            yield Decision("direct", _way(problem, target, named_tiling(name, *size, flat)), name)


def strip_tiles(target: TargetLike, conv: Conv, tiling: Tiling) -> int:
    """Tiles of a strip: what fills half of the second-level cache, no more than there are."""
    th, tw = tiling.tiles[0]
    fitting = max(1, target.l2 // 2 // (-(-conv.c // target.lanes) * th * tw * target.lanes * 4))
    tiles = conv.n * tiling.count(conv.oh, conv.ow)
    return min(fitting, max(1, tiles)) if isinstance(tiles, int) else fitting


def _map_bytes(conv: Conv, tiling: Tiling, lanes: int) -> DimLike:
    """The whole made map in tiles; 0 if no team ever makes it at once."""
    tiles, (th, tw) = conv.n * tiling.count(conv.oh, conv.ow), tiling.tiles[0]
    size = -(-conv.c // lanes) * 4 * lanes * (tiles * th * tw + 1)
    if not isinstance(tiles, int) or not isinstance(size, int):
        return 0
    return size if tiles <= FEW_TILES or 2 * size < conv.weight_bytes else 0


def _stored(lowering: Lowering, problem: Problem, tiling: Tiling) -> dict[str, Any]:
    """What a source adds to a launch: arguments of ``emit_conv``."""
    conv, source = problem.conv, problem.source
    params = {
        **_blocks(conv, problem.lanes), "R": conv.kernel[0], "S": conv.kernel[1], "stride_y": conv.stride[0], **source.params(conv),
    }  # fmt: skip
    if multiplies_pairs(problem, lowering.target):
        lanes, groups = problem.lanes, conv.groups
        pairs = lowering.weight(conv.node.inputs[1], "conv_pairs", lanes=lanes, vectors=tiling.ocb, groups=groups, block=lanes)
        return {"weights": {"w": pairs}, "params": params | {"in_last": problem.lanes}}
    return {"weights": {"w": panels(lowering, conv, tiling.ocb)}, "params": params}


def _selected(lowering: Lowering, problem: Problem, tiling: Tiling) -> dict[str, Any]:
    conv, source = problem.conv, problem.source
    by_row = conv.oh != 1 and len({v.strides[-3] for v in source.views}) > 1
    w = lowering.weight(conv.node.inputs[1], "conv_selected", lanes=problem.lanes, vectors=tiling.ocb, order=source.order)
    return {
        "weights": {"w": w}, "params": {"C": conv.c, **source.tensor_params(by_row)},
        "scratch": conv.n * conv.c * (2 if by_row else 1) * POINTER, "by_row": by_row, "odd": conv.c % 2 == 1,
    }  # fmt: skip


def _prologue(lowering: Lowering, problem: Problem, tiling: Tiling) -> dict[str, Any]:
    conv, source, lanes, (th, tw), prologue = problem.conv, problem.source, problem.lanes, tiling.tiles[0], problem.source.prologue
    assert prologue is not None
    lines, strip = line_params(conv, source, tiling.tiles[0], tiling.flat), strip_tiles(lowering.target, conv, tiling)
    by_rows = "line_pixels" not in lines
    params = {
        **_blocks(conv, lanes), "strip": strip, **lines,
        **source.params(conv, "n cb row" if by_rows else "n cb", "src"), **source.params(conv, "r"),
    }  # fmt: skip
    return {
        "weights": {"w": panels(lowering, conv, tiling.ocb)}, "params": params,
        "scratch": 4 * -(-conv.c // lanes) * lanes * (strip * th * tw + 1), "by_rows": by_rows, "sx": 1,
        "alone": lowering.target.machine.team.alone, "step_x": conv.stride[1] * source.step[1],
        "unroll": 1 if prologue.pools or is_heavy(prologue.chain) else STEP,
    }  # fmt: skip


def _plain(lowering: Lowering, problem: Problem, tiling: Tiling) -> dict[str, Any]:
    conv, taps, source, target = problem.conv, problem.conv.kernel[1], problem.source.view, lowering.target
    if tiling.flat:
        conv = replace(conv, h=1, w=conv.h * conv.w, oh=1, ow=conv.oh * conv.ow)
    band, rolled = band_params(conv, target, tiling.tiles[0][1]), taps > UNROLLED_TAPS
    strides = source.strides if len(source.strides) == 4 else (*source.strides[:2], 0, source.strides[2])
    params = {
        "C": conv.c, "H": conv.h, "W": conv.w, **band, "R": conv.kernel[0], "S": taps, "pad_y": conv.padding[0], "pad_x": conv.padding[1],
        "stride_y": conv.stride[0], "dilation_y": conv.dilation[0], **dict(zip(("source_n", "source_c", "source_h", "source_w"), strides)),
    }  # fmt: skip
    return {
        "weights": {"w": lowering.weight(conv.node.inputs[1], "conv_stem", lanes=problem.lanes, vectors=tiling.ocb)}, "params": params,
        "scratch": conv.dtype.itemsize * (conv.c * band["LINES"] * band["LINE"] + problem.lanes), "pitch": "1", "rolled": rolled,
        "taps": 1 if rolled else taps, "dx": conv.dilation[1], "fetches_below": conv.c <= target.machine.direct.stem_ahead,
    }  # fmt: skip


def _streams(way: Way, target: TargetLike) -> bool:
    """Whether each tile fetches the input of the next one: in pointwise convolutions whose input does not fit the second-level caches.

    Tiles read short runs of many blocks of channels, of which hardware fetches too little ahead.
    """
    conv, source = way.problem.conv, way.problem.source
    pixels = conv.n * conv.oh * conv.ow
    if source.kind != "memory" or not way.tiling.flat or way.tiling.tiles[0][0] > 1 or conv.kernel != (1, 1) or conv.stride != (1, 1):
        return False
    if not isinstance(pixels, int):
        return False
    return conv.dtype.itemsize * conv.c * pixels > target.team * target.l2


_INPUTS = {"memory": _stored, "selected": _selected, "prologue": _prologue, "plain": _plain}


def _blocks(conv: Conv, lanes: int) -> dict[str, DimLike]:
    channels = conv.c // conv.groups
    return {"in_blocks": -(-channels // lanes), "in_last": even_last(channels, lanes)}


def _lower(lowering: Lowering, way: Way) -> None:
    problem, tiling, target, shared = way.problem, way.tiling, lowering.target, way.can_share_vectors
    conv, source = problem.conv, problem.source
    lowering.set_share(way.by_tiles != 0)
    given, pointwise = _INPUTS[source.kind](lowering, problem, tiling), conv.kernel == (1, 1)
    given["params"] = {
        "groups": conv.groups, "group_vectors": problem.vectors, **({"by_tiles": way.by_tiles} if shared else {}), **given["params"],
    }  # fmt: skip
    pairs = multiplies_pairs(problem, target)
    widths = panels_of(target, problem.vectors * problem.lanes if pairs else conv.k // conv.groups, tiling.ocb)
    by_pixel = not pairs and pointwise and source.kind != "plain" and (conv.c > 1 or not source.table)
    emit_conv(
        lowering, problem, tiling, "direct", shared_scratch=way.shared_scratch, **given,
        table=[channel * source.tensors + tensor for tensor, channel in sorted(source.table)],
        stem=_name(conv, source) + ("_pairs" if pairs else ""),
        ocb=tiling.ocb, panels=widths, has_bias=len(conv.node.inputs) == 3, pointwise=pointwise,
        fetches=source.kind != "plain" and (source.kind != "memory" or conv.reduction > target.machine.direct.fetched_from),
        streams=_streams(way, target), shared=shared,
        relieved=is_long(conv), stretch=STRETCH, l2=target.l2, remote=target.machine.team.remote,
        dots=pairs, quads=False, start=False,
        variants=tile_variants(
            problem.epilogue, widths, tiling, problem.masked, by_pixel=by_pixel, stored=problem.stored, pitch=problem.pitch,
        ),
    )  # fmt: skip


def _name(conv: Conv, source: Source) -> str:
    if source.kind == "plain":
        return f"stem_{conv.kernel[1] if conv.kernel[1] <= UNROLLED_TAPS else 'n'}"
    return f"selected{source.tensors}" if source.table else "direct1x1" if conv.kernel == (1, 1) and not source.prologue else "direct"


def _seconds(way: Way, target: TargetLike) -> float | None:
    return direct_seconds(way.problem.conv, way.tiling, target, way.by_tiles != 0, way.problem.source.inputs)


CANDIDATES: tuple[Candidate, ...] = (Candidate("direct", _match, _lower, _seconds, ranked=False),)
