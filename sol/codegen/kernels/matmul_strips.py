"""Products of few rows with a right operand that no cache holds: rows of it are read as they lie, some at a time from end to end.

Gradients of linear layers for their inputs, in training with few samples. A panel of columns would be read in pieces of a few cache lines,
each in a page of its own; here as many streams go on as there are rows, and sums wait in the cache instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import Candidate, sole
from sol.codegen.element import element
from sol.codegen.kernels.matmul_blocks import LONGEST, ceil_div
from sol.codegen.kernels.matmul_cost import fits_caches, fixed, product_seconds, tile_cycles
from sol.codegen.kernels.matmul_dot import MOST_ROWS
from sol.codegen.kernels.matmul_product import Product, float32_product, kernel_stem, right_strides, run_time_arguments
from sol.codegen.kernels.matmul_rows import row_counts, row_ladder, rows_per_tile, vectors_per_panel
from sol.codegen.kernels.matmul_tile import Types, panel_columns, tile_of, tile_signature
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.types import DType

STEPS = 16
"""Rows of the right operand that are read at a time; sums are loaded and stored once for so many."""
AHEAD = 256
"""Numbers of the same rows that are asked for ahead: processors do not look behind the ends of pages."""
SHARE = 0.5
"""Of the second-level cache, for sums and their totals."""


@dataclass(frozen=True)
class Strips:
    """A product by strips. rows, n, k: its sizes. nv, mr, ladder: of its tiles. panels: whose sums the cache holds, at most."""

    product: Product
    rows: int
    n: int
    k: int
    nv: int
    mr: int
    ladder: tuple[int, ...]
    panels: int

    @property
    def width(self) -> int:
        return self.nv * self.product.target.lanes


def find_strips(lowering: Lowering) -> Strips | None:
    """float32 operands of known sizes; columns of the right one, which is no constant, are neighbours in memory."""
    p = float32_product(lowering)
    if p is None or p.constant or p.loops.batch or p.a_k != 1 or p.c_n != 1 or right_strides(p)[1] != 1:
        return None
    sizes = fixed(p.loops.rows, p.n, p.k)
    if sizes is None:
        return None
    rows, n, k = sizes
    target = p.target
    if not 0 < rows <= MOST_ROWS or fits_caches(n * k, target) or k < 2 * STEPS or n < target.team * target.lanes:
        return None
    nv = vectors_per_panel(n, target)
    ladder, _ = row_ladder(rows, rows_per_tile(target, nv))
    panel = 2 * 4 * ceil_div(rows, ladder[0]) * ladder[0] * nv * target.lanes
    most = max(1, int(SHARE * target.l2) // panel)
    return Strips(p, rows, n, k, nv, ladder[0], ladder, min(most, ceil_div(ceil_div(n, nv * target.lanes), target.team)))


def strips_seconds(found: Strips, target: TargetLike) -> float | None:
    """Tiles, whose sums are loaded and stored after so many steps, against reading from main memory."""
    moved = 2 * found.rows * found.nv / target.machine.core.loads / STEPS
    step = sum(count * tile_cycles(target, size, found.nv) for size, count in row_counts(found.ladder, found.rows)) + moved
    return product_seconds(found.product, step * found.k * ceil_div(found.n, found.width), found.rows * found.n * found.k)


def lower_strips(lowering: Lowering, found: Strips) -> None:
    """See templates/matmul_strips.c.j2."""
    p = found.product
    full, ragged, ragged_nv = panel_columns(p, found.nv, p.target.lanes)
    shapes = [(found.nv, False)] * full + [(ragged_nv, True)] * ragged
    tiles = tuple(tile_of(p, rows, nv, cut, found.nv) for nv, cut in shapes for rows in found.ladder)
    parameters, arguments = tile_signature(p, True, False, False, True)
    head = ("A + m * lda + k2", "lda", "panel", "kc", "B_k", "part", "k0", "last")
    reads: dict[str, View] = {"A": p.a, "B": p.b}
    if p.bias:
        reads["bias"] = p.bias
    reads |= {o.name: o.view for o in p.epilogue.operands}
    params = run_time_arguments(p, 0, False)
    del params["B_n"]
    f32 = element(DType.F32)
    lowering.emit(
        "matmul_strips.c.j2",
        kernel_stem(p, f"{p.op}_strips_{found.mr}x{found.nv}"),
        reads=reads,
        writes={"C": p.out},
        params=params,
        scratch=2 * 4 * found.panels * found.width * ceil_div(found.rows, found.mr) * found.mr,
        flops=p.flops,
        bytes=p.bytes,
        mr=found.mr, nv=found.nv, ladder=found.ladder, tiles=tiles, full=full, ragged=ragged, panels=found.panels,
        steps=STEPS, longest=LONGEST, along=AHEAD, k_block=1, in_place=True, sliced=True, stretch=0, prefetch=0, signature=parameters,
        arguments=", ".join([*head, *arguments.split(", ")[len(head):]]), grain=p.target.machine.team.grain,
        bias=bool(p.bias), tail_ops=p.epilogue.stem, tile_operands=tuple((o.name, o.lane_stride, o.pointer) for o in p.tiles),
        types=Types(f32, f32, f32, element(p.out.dtype)),
    )  # fmt: skip


CANDIDATE: Candidate = sole("strips", find_strips, lower_strips, cost=strips_seconds, ranked=False)
