"""Products of unsigned and signed bytes (int_linear, int_matmul): packed panels of four bytes per lane, exact sums in int32.

Matrix tiles (AMX) read the same panels, sixteen groups of four bytes at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.kernels.conv_tiling import MATRIX_ROWS
from sol.codegen.kernels.matmul_product import Product, batch_text, describe, kernel_stem, packed, run_time_arguments
from sol.codegen.kernels.matmul_rows import row_ladder, vectors_per_panel
from sol.codegen.kernels.matmul_tile import MATRIX_STEP, matrix_tile_of, panel_columns, reach, tile_of, tile_signature
from sol.codegen.kernels.packed_steps import BYTES
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike, ceil_div


def rows_per_int_tile(target: TargetLike, vectors: int) -> int:
    """The most rows of a tile where products take two registers per operand and one for themselves, as on targets without instructions for
    them."""
    fitting = (target.registers - 2 * vectors - 3) // vectors
    return next(r for r in (8, 6, 4, 2, 1) if r <= fitting or r == 1)


def rows_per_word_tile(target: TargetLike, vectors: int) -> int:
    """The same where A holds words: even and odd bytes of weights are multiplied one after the other."""
    fitting = (target.registers - vectors - 2) // vectors
    return next(r for r in (8, 6, 4, 2, 1) if r <= fitting or r == 1)


FEWEST_TILES = 4
"""Tiles of rows from which on a panel of bytes is turned into words for all of them."""
FEWEST_COLUMNS = 32
"""Results of a row from which on bytes are worth being turned into words before they are multiplied."""


@dataclass(frozen=True)
class IntPanels:
    """A product of bytes over panels. nv: vectors of a panel. ladder, exact: rows of the tiles. pack_a: whether A is laid out by fours.

    matrix: whether matrix tiles multiply. words: whether bytes of A become numbers of 16 bits where it is laid out, the even ones of four
    before the odd ones, as pairs of them are multiplied.
    """

    product: Product
    nv: int
    ladder: tuple[int, ...]
    exact: bool
    pack_a: bool
    matrix: bool = False
    words: bool = False

    @property
    def widened(self) -> bool:
        """Whether bytes of a panel of B become words, too, before they are multiplied: by the rows of several tiles."""
        rows = self.product.loops.rows
        return self.words and not (isinstance(rows, int) and rows < FEWEST_TILES * self.ladder[0])


def find_int_panels(lowering: Lowering) -> IntPanels:
    """Any strides, any number of rows, any epilogue of 32-bit lanes."""
    p = describe(lowering)
    few_rows = isinstance(p.loops.rows, int) and p.loops.rows <= 4 and p.constant
    if multiplies_byte_matrices(p) and not few_rows:
        nv = 1 if isinstance(p.n, int) and p.n <= p.target.lanes else 2
        return IntPanels(p, nv, *row_ladder(p.loops.rows, 2 * MATRIX_ROWS), False, matrix=True)
    nv = vectors_per_panel(p.n, p.target)
    nv = min(nv, 2) if few_rows else nv
    if p.target.word_dots and not few_rows and not (isinstance(p.n, int) and p.n < FEWEST_COLUMNS):
        return IntPanels(p, nv, *row_ladder(p.loops.rows, rows_per_word_tile(p.target, nv)), True, words=True)
    pack_a = p.a_k != 1 or not (isinstance(p.k, int) and p.k % BYTES == 0)
    return IntPanels(p, nv, *row_ladder(p.loops.rows, rows_per_int_tile(p.target, nv)), pack_a)


def multiplies_byte_matrices(p: Product) -> bool:
    """Whether matrix tiles compute a product: whole steps of them along the reduction, whose bytes lie side by side in A."""
    return p.target.matrix_tiles and isinstance(p.k, int) and p.k > 0 and p.k % (2 * MATRIX_STEP) == 0 and p.a_k == 1


def lower_int_gemm(lowering: Lowering, found: IntPanels) -> None:
    """One launch; see templates/matmul_int.c.j2."""
    p, nv, ladder, pack_a = found.product, found.nv, found.ladder, found.pack_a
    lanes, width = p.target.lanes, nv * p.target.lanes
    full, ragged, ragged_nv = panel_columns(p, nv, lanes)
    shapes = [(rows, nv, False) for rows in ladder if full] + [(rows, ragged_nv, True) for rows in ladder if ragged]
    signature, arguments = tile_signature(p, False, False, False, False)
    reads: dict[str, View] = {"A": p.a, "B": p.b}
    steps = ceil_div(p.k, BYTES)
    packed_size: DimLike = 0
    if p.constant:
        reads["B"] = packed(p.b, "int_panels", width=width, lanes=lanes, transposed=p.transposed)
        packed_size = steps * (ceil_div(p.n, lanes) * lanes)
    reads |= {o.name: o.view for o in p.epilogue.operands}
    lowering.emit(
        "matmul_int.c.j2",
        kernel_stem(p, f"{p.op}_{ladder[0]}x{nv}{'_tiles' if found.matrix else '_words' if found.words else ''}"),
        reads=reads,
        writes={"C": p.out},
        params=run_time_arguments(p, packed_size, False),
        scratch=BYTES * steps * width * ((not p.constant) + 2 * found.widened),
        shared_scratch=p.loops.batch_size * p.loops.rows * steps * BYTES * (1 + found.words) if pack_a else 0,
        flops=p.flops,
        bytes=p.bytes,
        mr=ladder[0], nv=nv, ladder=ladder, exact=found.exact, matrix=found.matrix,
        tiles=tuple((matrix_tile_of if found.matrix else tile_of)(p, *s, nv) for s in shapes),
        full=full, ragged=ragged, pack_a=pack_a, words=found.words, widened=found.widened, ragged_nv=ragged_nv, pack_b=not p.constant,
        grain=p.target.machine.team.grain, batch=len(p.loops.batch), batch_size=batch_text(p),
        tail_ops=p.epilogue.stem, prefetch=p.target.machine.products.prefetch if p.constant else 0,
        signature=signature, arguments=arguments.replace("lda", "pitch"),
        a_k="1" if p.a_k == 1 else "A_k", result=p.out.dtype.c, c_n="" if p.c_n == 1 else " * C_n",
        tile_operands=tuple((o.name, o.lane_stride, o.pointer) for o in p.tiles), reach=reach(p.target),
    )  # fmt: skip


_CANDIDATES = (sole("int_gemm", find_int_panels, lower_int_gemm),)
KERNELS = {"int_linear": _CANDIDATES, "int_matmul": _CANDIDATES}
