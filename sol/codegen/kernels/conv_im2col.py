"""Convolutions of few channels of bfloat16 by matrix tiles (AMX): the first ones of image networks, which read a row-major image.

A row of a matrix tile takes what a pixel of the result adds up, all taps of all channels one behind the other (im2col). So tiles are full
that channels alone would fill to a tenth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels.conv_cost import direct_seconds
from sol.codegen.kernels.conv_direct import multiplies_matrices
from sol.codegen.kernels.conv_epilogues import tile_variants
from sol.codegen.kernels.conv_problem import Problem, emit_conv, problem_of
from sol.codegen.kernels.conv_shape import Conv, static_size
from sol.codegen.kernels.conv_tiles import BYTES, tiling_of, with_runs
from sol.codegen.kernels.conv_tiling import Tiling, panels_of
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.dim import DimLike

SHARE = 0.2
"""Of the second-level cache, for rows of pixels that tiles read. On Granite Rapids, strips as
small as the first-level cache are slower by a tenth."""
MOST_PLANES = 4
"""Channels of a row-major image up to which vectors of them are shuffled into pixels."""


@dataclass(frozen=True)
class Way:
    """A convolution and its tiles. strip: how many a thread lays out at a time."""

    problem: Problem
    tiling: Tiling
    strip: int


def _step(conv: Conv) -> int:
    return BYTES // conv.dtype.itemsize


def _pixel(conv: Conv) -> int:
    """Elements of a pixel's row: whole rows of matrix tiles."""
    return -(-conv.reduction // _step(conv)) * _step(conv)


def _match(lowering: Lowering) -> Iterator[Decision]:
    problem, target = problem_of(lowering), lowering.target
    if problem is not None and problem.source.kind == "plain" and multiplies_matrices(problem, target):
        conv, tiling = problem.conv, tiling_of(problem.conv, problem.vectors, False)
        size, tiles = _patch(conv, tiling), conv.n * tiling.count(conv.oh, conv.ow)
        strip = max(1, int(SHARE * target.l2) // (conv.dtype.itemsize * size))
        yield Decision("im2col", Way(problem, tiling, min(strip, tiles) if isinstance(tiles, int) else strip))


def _patch(conv: Conv, tiling: Tiling) -> int:
    (th, tw), *_ = tiling.tiles
    return th * tw * _pixel(conv)


def _lower(lowering: Lowering, way: Way) -> None:
    """One launch; see templates/conv_im2col_tiles.c.j2."""
    problem, tiling, conv, lanes = way.problem, way.tiling, way.problem.conv, way.problem.lanes
    step, ocb = _step(conv), tiling.ocb
    rows = static_size(conv.reach(0, tiling.tiles[0][0]))
    ring = 1 << (rows - 1).bit_length()
    columns: DimLike = conv.w + conv.padding[1] + conv.after[1]
    line = (conv.c * columns + 2 * step - 1) // step * step
    source = problem.source.view
    strides = source.strides if len(source.strides) == 4 else (*source.strides[:2], 0, source.strides[2])
    merges = _merges(conv.c, step) if 1 < conv.c <= MOST_PLANES else ()
    widths = panels_of(lowering.target, problem.vectors * lanes, ocb)
    params: dict[str, DimLike] = {
        "vectors": problem.vectors, "C": conv.c, "H": conv.h, "W": conv.w, "pad_y": conv.padding[0], "pad_x": conv.padding[1],
        "stride_y": conv.stride[0], "dilation_y": conv.dilation[0], "line": line, "strip": way.strip,
        **dict(zip(("source_n", "source_c", "source_h", "source_w"), strides)),
    }  # fmt: skip
    lowering.set_share(True)
    emit_conv(
        lowering, problem, tiling, "im2col_tiles", params=params,
        weights={"w": lowering.weight(conv.node.inputs[1], "conv_windows", lanes=lanes, vectors=ocb, block=step)},
        scratch=conv.dtype.itemsize * (step + ring * line + way.strip * _patch(conv, tiling)), stem="im2col_tiles",
        ocb=ocb, group=2, quads=False, start=False, fetches=False, pointwise=True, source="windows", pitch="PIXEL", sx=1,
        step=step, pixel=_pixel(conv), steps=_steps(conv), ring=ring, sx_image=conv.stride[1],
        rows_of_filter=conv.kernel[0], planes=conv.c if merges else 0, merges=merges, panels=widths,
        has_bias=len(conv.node.inputs) == 3,
        variants=with_runs(tile_variants(
            problem.epilogue, widths, tiling, problem.masked, by_pixel=True, stored=problem.stored, pitch=problem.pitch,
        )),
    )  # fmt: skip


def _steps(conv: Conv) -> tuple[tuple[tuple[int, int, tuple[int, ...]], ...], ...]:
    """What each step of a pixel's row is made of: rows of the filter, where in that of the image a vector begins, and its elements' masks.

    Neighbouring taps of a filter's row read one run of the image's row where they are not dilated.
    """
    step, (rows, taps), dilation = _step(conv), conv.kernel, conv.dilation[1]
    run, starts = (conv.c * taps, (0,)) if dilation == 1 else (conv.c, tuple(dilation * conv.c * s for s in range(taps)))
    runs = [(r, start) for r in range(rows) for start in starts]
    ones = (1 << 8 * conv.dtype.itemsize) - 1
    found = []
    for first in range(0, _pixel(conv), step):
        parts = [
            (r, start + first - i * run, tuple(ones * (i * run <= k < (i + 1) * run) for k in range(first, first + step)))
            for i, (r, start) in enumerate(runs) if i * run < first + step and first < (i + 1) * run
        ]  # fmt: skip
        found.append(tuple(parts))
    return tuple(found)


def _merges(planes: int, wide: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """How vectors of ``wide`` neighbouring numbers, one of each of so many channels, become as many vectors of whole pixels: for each of
    them the elements of shuffles, each of the result of the one before and another channel's vector."""
    found = []
    for first in range(0, planes * wide, wide):
        pixel, channel = zip(*(divmod(i, planes) for i in range(first, first + wide)))
        lines = []
        for k in range(1, planes):
            have = range(wide) if k > 1 else pixel
            lines.append(tuple(wide + p if c == k else h for p, c, h in zip(pixel, channel, have)))
        found.append(tuple(lines))
    return tuple(found)


def _seconds(way: Way, target: TargetLike) -> float | None:
    return direct_seconds(way.problem.conv, way.tiling, target, True, way.problem.source.inputs)


CANDIDATES: tuple[Candidate, ...] = (Candidate("im2col", _match, _lower, _seconds, ranked=False),)
