"""Products of two large operands that change from call to call: blocks of both are packed where a core's caches hold them.

Weights in training and their gradients: what is packed is used at once and never goes to memory.
K. Goto and R. A. van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34, 2008.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import Candidate, sole
from sol.codegen.element import element
from sol.codegen.kernels.matmul_cost import fixed
from sol.codegen.kernels.matmul_product import Product, batch_text, float32_product, kernel_stem, run_time_arguments
from sol.codegen.kernels.matmul_rows import panel_vectors, row_ladder, rows_per_tile
from sol.codegen.kernels.matmul_tile import Step, Tile, Types, panel_columns, tile_of, tile_signature
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.types import DType

FEWEST_ROWS = 16
"""Rows from which packing a block of the right operand costs little beside using it."""
MANY_ROWS = 256
"""Rows from which whole panels of the right operand are packed at as little cost."""
LONGEST = 192
"""Steps of a slice at most: rounding errors grow with the length of a sum. Of 128, 192 and 320, this was mostly the fastest on Zen 4."""
SLICED_ARGUMENTS = 7
"""Arguments of a tile's call up to ``last``, as ``tile_signature`` gives them."""
SHARES = 0.34, 0.3, 0.2
"""Shares of the second-level cache for what is packed of the right operand, for partial sums and for the left operand."""


def ceil_div(n: int, parts: int) -> int:
    return -(-n // parts)


def _rounded(n: int, step: int) -> int:
    return ceil_div(n, step) * step


@dataclass(frozen=True)
class Blocks:
    """A product in blocks.

    nv, mr, ladder: of its tiles. slice: steps of the reduction. high, wide: how many blocks lie above and beside each other, all about
    equal. by_rows: threads share out the former, else all blocks in their order. stream: whether results are too many for caches.
    """

    product: Product
    nv: int
    mr: int
    ladder: tuple[int, ...]
    slice: int
    high: int
    wide: int
    by_rows: bool
    stream: bool

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Batches, rows, columns, steps."""
        p = self.product
        found = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
        assert found is not None
        return found  # type: ignore[return-value]

    @property
    def width(self) -> int:
        return self.nv * self.product.target.lanes

    @property
    def rows(self) -> int:
        """The most rows of a block, in units of ``mr``."""
        return ceil_div(ceil_div(self.sizes[1], self.mr), self.high)

    @property
    def panels(self) -> int:
        """The most panels of a block."""
        return ceil_div(ceil_div(self.sizes[2], self.width), self.wide)


def find_blocks(lowering: Lowering) -> Blocks | None:
    """float32 operands of known sizes, the right one no constant, which no core's cache holds, or the left one turned."""
    p = float32_product(lowering)
    if p is None or p.constant or p.c_n != 1:
        return None
    sizes = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
    if sizes is None or not _is_large(p, *sizes):
        return None
    batch, rows, n, k = sizes
    target, lanes = p.target, p.target.lanes
    nv = panel_vectors(n, rows, target)
    mr = rows_per_tile(target, nv)
    ladder, _ = row_ladder(rows, mr)
    width, mr = nv * lanes, ladder[0]
    slices = ceil_div(k, LONGEST)
    step = _rounded(ceil_div(k, slices), lanes)
    right, sums, left = (int(share * target.l2) // 4 for share in SHARES)
    panels, blocks = ceil_div(n, width), ceil_div(rows, mr)
    by_rows = _shares_rows(blocks, panels, rows > n, target.team)
    wide = ceil_div(panels, max(1, right // (step * width)))
    if not by_rows:
        wide = min(_rounded(wide, target.team), panels)
    most = left // (step * mr)
    if k > step:
        most = min(most, sums // (ceil_div(panels, wide) * width * mr))
    high = ceil_div(blocks, max(1, most))
    if by_rows:
        high = min(_rounded(high, target.team), blocks)
    return Blocks(p, nv, mr, ladder, step, high, wide, by_rows, is_streamed(batch * rows * n, target))


def _shares_rows(blocks: int, panels: int, is_tall: bool, team: int) -> bool:
    """Whether a team shares out blocks of rows: they can be shared more evenly than panels by a tenth, or as evenly, and are more."""
    uneven = [round(ceil_div(count, team) * team / count, 1) for count in (blocks, panels)]
    return uneven[0] < uneven[1] or (uneven[0] == uneven[1] and is_tall)


def _is_large(p: Product, batch: int, rows: int, n: int, k: int) -> bool:
    if rows < FEWEST_ROWS or k < FEWEST_ROWS or n < p.target.lanes:
        return False
    turned = p.a_k != 1 and 4 * rows * k > p.target.l1
    return turned or (rows < MANY_ROWS and 4 * k * n > p.target.l2)


def lower_blocks(lowering: Lowering, found: Blocks) -> None:
    """See templates/matmul_blocks.c.j2."""
    p, width = found.product, found.width
    head = ("packed_a + (i - r) * MR * depth", "depth", "panel", "kc", "part", "k0", "last")
    launch = tiles_of(found, head, ("sol_ahead *next", "&next"))
    whole = found.rows * found.mr
    emit_blocks(
        lowering, found, "blocks", launch | {"ahead": True, "rows_outside": found.slice >= p.k, "nv": found.nv},
        4 * ((found.panels * width + whole) * found.slice + whole * found.panels * width) + 64,
    )  # fmt: skip


def tiles_of(found: Blocks, head: tuple[str, ...], last: tuple[str, str] | None = None) -> dict[str, Any]:
    """Context of matmul_tile.c.j2. head: arguments of a tile's call up to ``last``, whether the slice is the last one; last: one more
    parameter, and what it is given."""
    p = found.product
    full, ragged, ragged_nv = panel_columns(p, found.nv, p.target.lanes)
    widths = [(found.nv, False)] * full + [(ragged_nv, True)] * ragged
    tiles = tuple(tile_of(p, rows, nv, cut, found.nv) for nv, cut in widths for rows in found.ladder)
    parameters, arguments = tile_signature(p, True, True, False, False)
    more = [*([last] if last else []), *[("int stream", "stream")] * found.stream]
    signature = parameters + "".join(f", {parameter}" for parameter, _ in more)
    passed = [*head, *arguments.split(", ")[SLICED_ARGUMENTS:], *(argument for _, argument in more)]
    return {
        "tiles": tuple(map(streamed, tiles)) if found.stream else tiles, "full": full, "ragged": ragged, "ragged_nv": ragged_nv,
        "signature": signature, "arguments": ", ".join(passed),
    }  # fmt: skip


def emit_blocks(
    lowering: Lowering, found: Blocks, words: str, context: dict[str, Any], scratch: int, shared_scratch: int = 0, stretch: int = 0
) -> None:  # fmt: skip
    """One launch of the template matmul_<words>.c.j2."""
    p = found.product
    reads: dict[str, View] = {"A": p.a, "B": p.b}
    if p.bias:
        reads["bias"] = p.bias
    reads |= {o.name: o.view for o in p.epilogue.operands}
    lowering.emit(
        f"matmul_{words}.c.j2",
        kernel_stem(p, f"{p.op}_{words}_{found.mr}x{found.nv}{'_stream' if found.stream else ''}"),
        reads=reads,
        writes={"C": p.out},
        params=run_time_arguments(p, 0, False),
        scratch=scratch,
        shared_scratch=shared_scratch,
        flops=p.flops,
        bytes=p.bytes,
        mr=found.mr, ladder=found.ladder, k_block=1, in_place=False, stretch=stretch, prefetch=0, sliced=True,
        slice=found.slice, chunk_rows=found.rows, chunk_panels=found.panels, high=found.high, wide=found.wide, by_rows=found.by_rows,
        stream=found.stream, grain=p.target.machine.team.grain,
        batch=len(p.loops.batch), batch_size=batch_text(p), bias=bool(p.bias), tail_ops=p.epilogue.stem,
        a_k="A_k" if p.a_k != 1 else "1", tile_operands=tuple((o.name, o.lane_stride, o.pointer) for o in p.tiles),
        types=Types(element(DType.F32), element(DType.F32), element(DType.F32), element(p.out.dtype)), **context,
    )  # fmt: skip


def is_streamed(results: int, target: TargetLike) -> bool:
    """Whether so many results go past the caches: they are more than four times as large as the second-level ones of the team."""
    return 4 * results > 4 * target.team * target.l2


def streamed(tile: Tile) -> Tile:
    """The tile with stores past the caches, where whole vectors are stored and lie on borders of vectors."""
    if tile.masked:
        return replace(tile, first=(*tile.first, "(void)stream;"))
    return replace(tile, finish=tuple(Step(s.lines, s.store.replace("vf_store(", "STORE(")) for s in tile.finish))


CANDIDATE: Candidate = sole("blocks", find_blocks, lower_blocks)
