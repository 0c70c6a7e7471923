"""Convolutions of bfloat16, and of bytes (conv_bytes.py), by matrix tiles (AMX).

A row of these takes 64 bytes of channels of a pixel: those of several blocks of the input. What register tiles read is laid out so first:
that takes a fraction of the time that tiles would take of which a half or a quarter is filled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels.conv_cost import direct_seconds
from sol.codegen.kernels.conv_direct import multiplies_matrices, shares_tiles
from sol.codegen.kernels.conv_epilogues import tile_variants
from sol.codegen.kernels.conv_problem import Problem, emit_conv, problem_of
from sol.codegen.kernels.conv_shape import Conv, spatial_strides
from sol.codegen.kernels.conv_tiling import MATRIX_ROWS, Tiling, covering, matrix_runs, panels_of, width_tiles
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.types import DType

BYTES = 64
"""Of a row of a matrix tile: channels of a pixel."""
SHARE = 0.5
"""Of the second-level cache, for patches of a strip of tiles: weights and results pass through it as well."""
FEWEST_CHANNELS = 13
"""Of bytes from which on matrix tiles are faster: a step takes as long for one channel as for 64."""
MOST_THIN = 32
"""Channels of bytes up to which a row of a matrix tile takes several neighbouring pixels, those of as many filter taps."""
FEWEST_COLUMNS = 12
"""Pixels of a matrix tile from which on rows are cut into such tiles, two of which lie below each other: they share rows of the input."""
FEW_TILES = 64
"""Maps of at most so many tiles may be laid out by the whole team at once."""


@dataclass(frozen=True)
class Axis:
    """Rows or columns of a patch. size: their number. result, tap: how many lie between neighbouring results and between filter taps.
    stored: how many of the input lie between two of them.
    """

    size: int
    result: int
    tap: int
    stored: int


def _axis(conv: Conv, axis: int, results: int) -> Axis:
    """A filter with one tap reads every ``stride``-th pixel alone, so that others are left out."""
    if conv.kernel[axis] == 1:
        return Axis(results, 1, 1, conv.stride[axis])
    stride, dilation = conv.stride[axis], conv.dilation[axis]
    return Axis((results - 1) * stride + (conv.kernel[axis] - 1) * dilation + 1, stride, dilation, 1)


@dataclass(frozen=True)
class Patches:
    """What register tiles read, and how they are walked through. step: elements of a row of a matrix tile. pixel: elements between
    neighbouring pixels, ``step`` but where the row takes several of them. taps: steps of a row of the filter. blocks: of channels of a
    group. strip: tiles whose patches a thread lays out at a time. together: bytes of all patches in the team's shared memory, 0 if the team
    never lays them out together. by_tiles: as ``shares_tiles`` says.
    """

    tiling: Tiling
    y: Axis
    x: Axis
    step: int
    pixel: int
    taps: int
    blocks: int
    strip: int
    together: DimLike
    by_tiles: int

    @property
    def thin(self) -> bool:
        """Whether a row of a matrix tile takes several pixels."""
        return self.pixel < self.step

    @property
    def line(self) -> int:
        """Elements of a row of a patch: up to the last one that matrix tiles read."""
        last = (self.tiling.tiles[0][1] - 1) * self.x.result * self.pixel
        return last + self.taps * self.step if self.thin else self.x.size * self.pixel

    @property
    def block_size(self) -> int:
        """Elements of a block of a patch."""
        return self.y.size * self.line

    def scratch(self, conv: Conv) -> int:
        """Bytes of each thread."""
        return conv.dtype.itemsize * self.strip * conv.groups * self.blocks * self.block_size

    def params(self, conv: Conv, view: View, lanes: int) -> dict[str, DimLike]:
        """Run-time arguments of templates/conv_tiles.c.j2."""
        n, cb, row, column, _ = spatial_strides(view.strides)
        (th, tw), line = self.tiling.tiles[0], self.line
        return {
            "groups": conv.groups, "by_tiles": self.by_tiles, "in_blocks": self.blocks, "from_blocks": -(-conv.group // lanes),
            "R": conv.kernel[0], "S": self.taps, "height": self.y.size, "width": self.x.size, "down": self.y.result, "line": line,
            "in_cb": self.block_size, "in_row": self.y.result * line, "in_r": self.y.tap * line, "strip": self.strip,
            "in_s": self.step if self.thin else self.x.tap * self.pixel,
            "from_n": n, "from_cb": cb, "from_row": row * self.y.stored, "from_column": column * self.x.stored,
            "from_start": -(row * conv.padding[0] + column * conv.padding[1]),
            "tile_y": th * conv.stride[0] * row, "tile_x": tw * conv.stride[1] * column,
        }  # fmt: skip


def patches_of(conv: Conv, vectors: int, flat: bool, target: TargetLike) -> Patches:
    """Patches of a convolution, ``vectors`` output vectors of each group."""
    tiling, step, pixel, taps = tiling_of(conv, vectors, flat), BYTES // conv.dtype.itemsize, *_thin(conv)
    (th, tw), tiles = tiling.tiles[0], conv.n * tiling.count(conv.oh, conv.ow)
    y, x, blocks = _axis(conv, 0, th), _axis(conv, 1, tw), -(-conv.group // step)
    found = Patches(tiling, y, x, step, pixel or step, taps, blocks, 1, 0, shares_tiles(conv, tiling, target))
    size = found.scratch(conv)
    strip = max(1, int(SHARE * target.l2) // size)
    if not isinstance(tiles, int):
        return replace(found, strip=strip)
    fits = tiles <= FEW_TILES and size * tiles <= target.team * target.l2
    whole = size * tiles if fits or 2 * size * tiles < conv.weight_bytes else 0
    return replace(found, strip=max(1, min(strip, tiles)), together=whole)


def _thin(conv: Conv) -> tuple[int, int]:
    """Elements of a pixel where a row of a matrix tile takes those of several taps, else 0; steps of a row of the filter.

    What lies beyond the taps is multiplied by zeros: that is exact for bytes, but not for infinities.
    """
    if conv.dtype is not DType.U8 or conv.group > MOST_THIN or conv.groups > 1 or conv.kernel[1] == 1 or conv.dilation[1] > 1:
        return 0, conv.kernel[1]
    pixel = max(4, 1 << (conv.group - 1).bit_length())
    return pixel, -(-conv.kernel[1] * pixel // BYTES)


def fills_tiles(conv: Conv) -> bool:
    """Whether a convolution of bytes has enough channels for matrix tiles, or a row of these takes several of its pixels."""
    return conv.group >= FEWEST_CHANNELS or _thin(conv)[0] > 0


def tiling_of(conv: Conv, vectors: int, flat: bool) -> Tiling:
    """Tiles of four matrix tiles of sums: of four rows that fit one each, and one vector; else of two vectors and two matrix tiles of
    pixels, of one row, or below each other where taps read several rows.
    """
    ocb, (rows, columns) = min(2, vectors), (1, conv.oh * conv.ow) if flat else (conv.oh, conv.ow)
    if not isinstance(columns, int) or isinstance(rows, int) and rows < 2:
        return Tiling(ocb, width_tiles(2 * MATRIX_ROWS, columns), flat)
    if columns <= MATRIX_ROWS and isinstance(rows, int):
        return covering(1, min(4, rows), columns, rows, columns, flat) if rows > 2 else covering(ocb, rows, columns, rows, columns, flat)
    if columns <= MATRIX_ROWS:
        return Tiling(ocb, ((2, columns), (1, columns)), flat)
    if conv.kernel[0] > 1 and isinstance(rows, int) and rows % 2 == 0:
        even = next((w for w in range(MATRIX_ROWS, FEWEST_COLUMNS - 1, -1) if columns % w == 0), 0)
        if even:
            return covering(ocb, 2, even, rows, even, flat)
    return Tiling(ocb, width_tiles(2 * MATRIX_ROWS, columns), flat)


@dataclass(frozen=True)
class Way:
    """A convolution and the patches of its tiles."""

    problem: Problem
    patches: Patches


def _match(lowering: Lowering) -> Iterator[Decision]:
    problem, target = problem_of(lowering), lowering.target
    if problem is not None and problem.source.kind == "memory" and multiplies_matrices(problem, target):
        yield Decision("tiles", Way(problem, patches_of(problem.conv, problem.vectors, problem.flat, target)))


def _lower(lowering: Lowering, way: Way) -> None:
    """One launch; see templates/conv_tiles.c.j2."""
    problem, patches, conv = way.problem, way.patches, way.problem.conv
    lowering.set_share(patches.by_tiles != 0)
    ocb = patches.tiling.ocb
    w = lowering.weight(conv.node.inputs[1], "conv_pairs", lanes=problem.lanes, vectors=ocb, groups=conv.groups, block=patches.step)
    widths = panels_of(lowering.target, problem.vectors * problem.lanes, ocb)
    emit_conv(
        lowering, problem, patches.tiling, "tiles", weights={"w": w},
        params={"group_vectors": problem.vectors, **patches.params(conv, problem.source.view, problem.lanes)}, group=2, quads=False,
        scratch=patches.scratch(conv), shared_scratch=patches.together, start=False,
        stem="tiles1x1" if conv.kernel == (1, 1) else "tiles", panels=widths, has_bias=len(conv.node.inputs) == 3,
        **tile_context(lowering.target, conv, patches),
        variants=with_runs(tile_variants(
            problem.epilogue, widths, patches.tiling, problem.masked, by_pixel=True, stored=problem.stored, pitch=problem.pitch,
        )),
    )  # fmt: skip


def tile_context(target: TargetLike, conv: Conv, patches: Patches) -> dict[str, Any]:
    """What templates/conv_tiles.c.j2 takes, whatever is multiplied."""
    team = target.machine.team
    return {
        "ocb": patches.tiling.ocb, "pointwise": conv.kernel == (1, 1), "sx": patches.x.result, "pitch": "PIXEL", "step": patches.step,
        "pixel": patches.pixel, "shared": bool(patches.together), "fetches": True, "remote": team.remote, "alone": team.alone,
        "prepared": conv.dtype.c,
    }  # fmt: skip


def with_runs(variants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tile functions with the rows of their matrix tiles."""
    return [variant | {"runs": matrix_runs(variant["th"], variant["tw"])} for variant in variants]


def _seconds(way: Way, target: TargetLike) -> float | None:
    problem, patches = way.problem, way.patches
    return direct_seconds(problem.conv, patches.tiling, target, patches.by_tiles != 0, problem.source.inputs)


CANDIDATES: tuple[Candidate, ...] = (Candidate("tiles", _match, _lower, _seconds, ranked=False),)
