"""Convolutions of bfloat16, and of bytes (conv_bytes.py), by matrix tiles (AMX), which take 64 bytes of channels of a pixel: those of several blocks of the input.

What register tiles read is laid out so first: that takes a fraction of the time of half-filled matrix tiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
SHARE = 0.25
"""Of the second-level cache, for patches of a strip of tiles: weights and results pass through it as well."""
FEWEST_CHANNELS = 13
"""Of bytes from which on matrix tiles are faster: a step takes as long for one channel as for 64."""
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
    """What register tiles read, and how they are walked through. step: channels of a block of a patch. blocks: of a group. tiles: of all
    images. strip: tiles whose patches a thread lays out at a time. together: bytes of all patches in the team's shared memory, 0 if the
    team never lays them out together. by_tiles: as ``shares_tiles`` says.
    """

    tiling: Tiling
    y: Axis
    x: Axis
    step: int
    blocks: int
    strip: int
    together: DimLike
    by_tiles: int

    @property
    def block_size(self) -> int:
        """Elements of a block of a patch."""
        return self.y.size * self.x.size * self.step

    def scratch(self, conv: Conv) -> int:
        """Bytes of each thread."""
        return conv.dtype.itemsize * self.strip * conv.groups * self.blocks * self.block_size

    def params(self, conv: Conv, view: View, lanes: int) -> dict[str, DimLike]:
        """Run-time arguments of templates/conv_tiles.c.j2."""
        n, cb, row, column, _ = spatial_strides(view.strides)
        (th, tw), width = self.tiling.tiles[0], self.x.size * self.step
        return {
            "groups": conv.groups, "by_tiles": self.by_tiles, "in_blocks": self.blocks, "from_blocks": -(-conv.group // lanes),
            "R": conv.kernel[0], "S": conv.kernel[1], "height": self.y.size, "width": self.x.size, "down": self.y.result, "strip": self.strip,
            "in_cb": self.block_size, "in_row": self.y.result * width, "in_r": self.y.tap * width, "in_s": self.x.tap * self.step,
            "from_n": n, "from_cb": cb, "from_row": row * self.y.stored, "from_column": column * self.x.stored,
            "from_start": -(row * conv.padding[0] + column * conv.padding[1]),
            "tile_y": th * conv.stride[0] * row, "tile_x": tw * conv.stride[1] * column,
        }  # fmt: skip


def patches_of(conv: Conv, vectors: int, flat: bool, target: TargetLike) -> Patches:
    """Patches of a convolution, ``vectors`` output vectors of each group."""
    tiling = tiling_of(conv, vectors, flat)
    (th, tw), step = tiling.tiles[0], BYTES // conv.dtype.itemsize
    y, x, blocks = _axis(conv, 0, th), _axis(conv, 1, tw), -(-conv.group // step)
    size = BYTES * y.size * x.size * blocks * conv.groups
    tiles = conv.n * tiling.count(conv.oh, conv.ow)
    strip = max(1, int(SHARE * target.l2) // size)
    whole = size * tiles if isinstance(tiles, int) and (tiles <= FEW_TILES or 2 * size * tiles < conv.weight_bytes) else 0
    strip = max(1, min(strip, tiles)) if isinstance(tiles, int) else strip
    return Patches(tiling, y, x, step, blocks, strip, whole, shares_tiles(conv, tiling, target))


def tiling_of(conv: Conv, vectors: int, flat: bool) -> Tiling:
    """Tiles of two vectors and two matrix tiles of pixels: of one row, or below each other where rows are short or taps read several."""
    ocb, (rows, columns) = min(2, vectors), (1, conv.oh * conv.ow) if flat else (conv.oh, conv.ow)
    if not isinstance(columns, int) or isinstance(rows, int) and rows < 2:
        return Tiling(ocb, width_tiles(2 * MATRIX_ROWS, columns), flat)
    if columns <= MATRIX_ROWS:
        return covering(ocb, 2, columns, rows, columns, flat) if isinstance(rows, int) else Tiling(ocb, ((2, columns), (1, columns)), flat)
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
    if problem is not None and multiplies_matrices(problem, target):
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
        params={"group_vectors": problem.vectors, **patches.params(conv, problem.source.view, problem.lanes)},
        scratch=patches.scratch(conv), shared_scratch=patches.together,
        stem="tiles1x1" if conv.kernel == (1, 1) else "tiles", panels=widths, has_bias=len(conv.node.inputs) == 3, group=2, quads=False, start=False,
        **tile_context(lowering.target, conv, patches),
        variants=with_runs(tile_variants(
            problem.epilogue, widths, patches.tiling, problem.masked, by_pixel=True, stored=problem.stored, pitch=problem.pitch,
        )),
    )  # fmt: skip


def tile_context(target: TargetLike, conv: Conv, patches: Patches) -> dict[str, Any]:
    """What templates/conv_tiles.c.j2 takes, whatever is multiplied."""
    team = target.machine.team
    return {
        "ocb": patches.tiling.ocb, "pointwise": conv.kernel == (1, 1), "sx": patches.x.result, "pitch": "STEP", "step": patches.step,
        "shared": bool(patches.together), "fetches": True, "remote": team.remote, "alone": team.alone, "prepared": conv.dtype.c,
    }  # fmt: skip


def with_runs(variants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tile functions with the rows of their matrix tiles."""
    return [variant | {"runs": matrix_runs(variant["th"], variant["tw"])} for variant in variants]


def _seconds(way: Way, target: TargetLike) -> float | None:
    problem, patches = way.problem, way.patches
    return direct_seconds(problem.conv, patches.tiling, target, patches.by_tiles != 0, problem.source.inputs)


CANDIDATES: tuple[Candidate, ...] = (Candidate("tiles", _match, _lower, _seconds, ranked=False),)
