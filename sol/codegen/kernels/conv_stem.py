"""First layers: convolution of a plain input into a blocked output, through zero-padded copies of what a band of rows reads."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels.conv_cost import direct_seconds
from sol.codegen.kernels.conv_problem import Problem, emit_conv, problem_of
from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.kernels.conv_tails import tile_variants
from sol.codegen.kernels.conv_tiling import Tiling, panels_of, pixels_per_tile, width_tiles
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.dim import DimLike

UNROLLED_TAPS = 12
"""Filter rows up to this length are unrolled."""
LINE_UNIT = 16
"""Elements of a cache line, of which the lines of a copy are multiples."""


def choose_tiling(target: TargetLike, vectors: int, ow: DimLike, flat: bool = False) -> Tiling:
    """One row of pixels per tile; flat: the map is one long row."""
    ocb = min(2, vectors)
    return Tiling(ocb, width_tiles(pixels_per_tile(target, ocb), ow), flat)


def _read(lowering: Lowering) -> Problem | None:
    problem = problem_of(lowering)
    return problem if problem is not None and problem.source.kind == "plain" else None


@dataclass(frozen=True)
class Band:
    """What a thread computes from one copy of the input: rows x tile columns of the output, and the copy's lines and elements per line."""

    rows: int
    columns: int
    lines: int
    line: int


def choose_band(conv: Conv, target: TargetLike, width: int) -> Band:
    """As many whole rows as have room for their copy in the first cache, or as many tiles of ``width`` pixels of one row; at least one."""
    room = target.l1 // (conv.dtype.itemsize * conv.c)

    def reach(axis: int, outputs: int) -> int:
        return (outputs - 1) * conv.stride[axis] + (conv.kernel[axis] - 1) * conv.dilation[axis] + 1

    lines = reach(0, 1)
    columns = max(1, ((room // lines - reach(1, 1)) // conv.stride[1] + 1) // width)
    if isinstance(conv.ow, int):
        columns = min(columns, -(-conv.ow // width))
    line = -(-(reach(1, columns * width) + target.lanes - 1) // LINE_UNIT) * LINE_UNIT
    rows = max(1, (room // line - lines) // conv.stride[0] + 1)
    if isinstance(conv.oh, int):
        rows = max(1, min(rows, conv.oh))
    return Band(rows, columns, reach(0, rows), line)


def _seconds(problem: Problem, target: TargetLike) -> float | None:
    conv = problem.conv
    return direct_seconds(conv, choose_tiling(target, problem.vectors, conv.ow, problem.flat), target)


def _lower(lowering: Lowering, problem: Problem) -> None:
    conv, target, lanes = problem.conv, lowering.target, problem.lanes
    if problem.flat:
        conv = replace(conv, h=1, w=conv.h * conv.w, oh=1, ow=conv.oh * conv.ow)
    strides = problem.source.view.strides
    source_n, source_c, source_h, source_w = strides if len(strides) == 4 else (*strides[:2], 0, strides[2])
    tiling = choose_tiling(target, problem.vectors, conv.ow, problem.flat)
    panels = panels_of(target, conv.k, tiling.ocb)
    rolled = conv.kernel[1] > UNROLLED_TAPS
    band = choose_band(conv, target, tiling.tiles[0][1])
    params = {
        "C": conv.c, "H": conv.h, "W": conv.w, "LINES": band.lines, "LINE": band.line,
        "band_rows": band.rows, "band_columns": band.columns,
        "R": conv.kernel[0], "S": conv.kernel[1], "pad_y": conv.padding[0], "pad_x": conv.padding[1],
        "stride_y": conv.stride[0], "dilation_y": conv.dilation[0], "vectors": problem.vectors,
        "source_n": source_n, "source_c": source_c, "source_h": source_h, "source_w": source_w,
    }  # fmt: skip
    emit_conv(
        lowering, problem, tiling, "stem", stem=f"stem_{'n' if rolled else conv.kernel[1]}",
        weights={"w": lowering.weight(conv.node.inputs[1], "conv_stem", lanes=lanes, vectors=tiling.ocb)}, params=params,
        scratch=conv.dtype.itemsize * conv.c * band.lines * band.line,
        ocb=tiling.ocb, panels=panels, dx=conv.dilation[1], fetches_below=conv.c <= lowering.target.machine.direct.stem_ahead,
        taps=1 if rolled else conv.kernel[1], rolled=rolled, pitch="1", has_bias=len(conv.node.inputs) == 3,
        variants=tile_variants(problem.epilogue, panels, tiling, problem.masked, stored=problem.stored),
    )  # fmt: skip


CANDIDATES: tuple[Candidate, ...] = (sole("stem", _read, _lower, cost=_seconds, ranked=False),)
