"""Products of two operands that change, the left one turned and larger than a core's second-level cache: gradients of weights.

The team packs the right operand once; each thread packs chunks of rows that its cache holds, and goes through all panels for each of them.
K. Goto and R. A. van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34, 2008.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels.matmul_blocks import Blocks, ceil_div, emit_blocks, is_streamed, tiles_of
from sol.codegen.kernels.matmul_cost import fixed
from sol.codegen.kernels.matmul_product import STRETCH, float32_product
from sol.codegen.kernels.matmul_rows import panel_vectors, row_ladder, rows_per_tile
from sol.codegen.lowering import Lowering, TargetLike

LONGEST_SLAB = 1024
"""Steps of the reduction of a chunk at most: with more, few rows would fit the cache."""
LARGEST_RIGHT = 12
"""Second-level caches of the team that the packed right operand may fill: it is read from the third level for each chunk."""
FEWEST, FEWEST_STEPS = 64, 256
"""Rows and columns from which packing costs little beside multiplying; steps of the reduction from which writing results does."""
LINE = 16
"""Numbers of a cache line."""


@dataclass(frozen=True)
class Chunks:
    """A product in chunks. blocks: its tiles, and into how many chunks rows are divided (``high``). slab: steps of a chunk's reduction."""

    blocks: Blocks
    slab: int

    @property
    def kept(self) -> int:
        """Partial sums that wait for the next slab, or those of a panel where there is one slab."""
        blocks = self.blocks
        panels = ceil_div(blocks.sizes[2], blocks.width) if self.slab < blocks.sizes[3] else 1
        return blocks.rows * blocks.mr * blocks.width * panels

    @property
    def depth(self) -> int:
        """Numbers from one packed row to the next, an odd number of cache lines: rows that lie pages apart share few places in caches."""
        return (ceil_div(self.slab, LINE) | 1) * LINE


def find_chunks(lowering: Lowering) -> Chunks | None:
    """Two float32 matrices of known sizes, the right one no constant, the left one turned and too large for a core's cache."""
    p, share = float32_product(lowering), share_of(lowering.target)
    if p is None or not share or p.constant or p.c_n != 1 or p.a_k == 1 or p.loops.batch:
        return None
    sizes = fixed(p.loops.rows, p.n, p.k)
    if sizes is None or min(sizes[:2]) < FEWEST or sizes[2] < FEWEST_STEPS:
        return None
    rows, n, k = sizes
    target = p.target
    if not _is_large(4 * rows * k, 4 * k * n, target):
        return None
    nv = panel_vectors(n, rows, target)
    ladder, _ = row_ladder(rows, rows_per_tile(target, nv))
    slab = min(k, ceil_div(ceil_div(k, ceil_div(k, LONGEST_SLAB)), target.lanes) * target.lanes)
    high = ceil_div(ceil_div(rows, ladder[0]), max(1, int(share * target.l2) // (4 * slab * ladder[0])))
    stream = is_streamed(rows * n, target)
    return Chunks(Blocks(p, nv, ladder[0], ladder, slab, high, 1, False, stream), slab)


def share_of(target: TargetLike) -> float:
    """Of the second-level cache, for a chunk of the left operand; 0 where chunks are not known to pay."""
    return target.machine.products.chunks


def _is_large(left: int, right: int, target: TargetLike) -> bool:
    """Whether no core's cache holds so many bytes of the left operand, and a larger one may hold those of the right one."""
    return left > target.l2 and right <= LARGEST_RIGHT * target.team * target.l2


def lower_chunks(lowering: Lowering, found: Chunks) -> None:
    """See templates/matmul_chunks.c.j2."""
    blocks, slab = found.blocks, found.slab
    _, _, n, k = blocks.sizes
    head = ("packed_a + (i - r) * MR * DEPTH", "DEPTH", "panel", "kc", "part", "k0", "last")
    context = tiles_of(blocks, head) | {"nv": blocks.nv, "slabs": slab < k, "kept": found.kept, "depth": found.depth}
    packed = blocks.rows * blocks.mr * found.depth
    emit_blocks(
        lowering, blocks, "chunks", context, 4 * (found.kept + packed), shared_scratch=4 * ceil_div(n, blocks.width) * blocks.width * k,
        stretch=STRETCH if slab > 2 * STRETCH else 0,
    )  # fmt: skip


CANDIDATE: Candidate = sole("chunks", find_chunks, lower_chunks)
