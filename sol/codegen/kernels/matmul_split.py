"""Products of float32 by matrix tiles (AMX), which multiply bfloat16: each number is the sum of three, and the six largest products count.

Errors are no larger than those of multiply-adds of float32, and six products of tiles take less time.
G. Henry, P. T. P. Tang and A. Heinecke, Leveraging the bfloat16 artificial intelligence datatype for higher-precision computations, 2019.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels.matmul_blocks import ceil_div
from sol.codegen.kernels.matmul_cost import fixed, product_seconds
from sol.codegen.kernels.matmul_product import (
    Product,
    batch_text,
    float32_product,
    kernel_stem,
    packed,
    right_strides,
    run_time_arguments,
)
from sol.codegen.kernels.matmul_tile import Tile, matrix_tile_of, tile_signature
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View

SIDE, WIDTH, STEP = 16, 32, 32
"""Rows and columns of a tile and of a block of sums, and steps of the reduction that one product of tiles takes."""
PARTS = ((2, 0), (1, 0), (1, 1), (0, 1), (0, 2)), ((0, 0),)
"""The products of parts that count, small ones first, in an order that spares loads."""
PRODUCTS = sum(map(len, PARTS))
NUMBER = 6
"""Bytes of a number's parts."""
STEPS = 4
"""Products of tiles of a slice of the reduction at most: blocks of both operands then fit the first-level cache."""
SLICE = STEPS * STEP
SHARE = 0.75
"""Of the second-level cache, for what is split of both operands and for partial sums."""
WIDEST = 384
"""Columns of a unit of few rows: what is split next has to lie in the cache, too."""
LINE = 64
"""Bytes of a cache line."""
MOST_AHEAD = 4
"""Lines that are asked for at once: more would wait for each other."""
FEW_UNITS = 4
"""Units of work for each thread from which on they are shared out evenly enough."""


def _rounded(n: int) -> int:
    return ceil_div(n, WIDTH) * WIDTH


@dataclass(frozen=True)
class Split:
    """How a product goes on. slice: steps of the reduction. high, chunk: rows of a unit of work, and of those that are split at a time.
    wide: panels of a unit.
    """

    product: Product
    slice: int
    high: int
    chunk: int
    wide: int

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Batches, rows, columns, steps."""
        p = self.product
        found = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
        assert found is not None
        return found  # type: ignore[return-value]


def find_split(lowering: Lowering) -> Split | None:
    """float32 operands of known sizes on a processor with matrix tiles; the right one a constant matrix, or of any strides."""
    target = lowering.target
    if not target.matrix_tiles or target.lanes != SIDE:
        return None
    p = float32_product(lowering)
    if p is None or p.c_n != 1 or (p.constant and len(p.b.shape) != 2):
        return None
    sizes = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
    if sizes is None or 0 in sizes:
        return None
    return _shared_out(p, *sizes)


def _shared_out(p: Product, batch: int, rows: int, n: int, k: int) -> Split:
    """Units of rows and columns as even as caches allow, so that either operand is split seldom."""
    team, held = p.target.team, int(SHARE * p.target.l2)
    step = min(_rounded(k), SLICE)
    side = WIDTH
    while _held(side + WIDTH, side + WIDTH, step, k) <= held:
        side += WIDTH
    high, wide = min(_rounded(rows), side), min(_rounded(n), side)
    if wide < side:
        high = next(h for h in range(_rounded(rows), 0, -WIDTH) if h <= side or _held(h, wide, step, k) <= held)
    elif high < side:
        wide = next(w for w in range(_rounded(n), 0, -WIDTH) if w <= side or _held(high, w, step, k) <= held)
    wide = min(wide, max(WIDEST, high * 3 // 2))
    down, across = ceil_div(rows, high), ceil_div(n, wide)
    if batch * down * across < FEW_UNITS * team and batch * down * across % team:
        if n >= rows:
            across = ceil_div(across, team) * team
        else:
            down = ceil_div(down, team) * team
    high = _rounded(ceil_div(rows, down))
    return Split(p, step, high, min(high, STEPS * WIDTH) if step < k else high, ceil_div(ceil_div(n, across), WIDTH))


def _held(high: int, wide: int, step: int, k: int) -> int:
    """Bytes of a unit: rows that are split at a time, columns, and sums."""
    return NUMBER * step * (min(high, STEPS * WIDTH) + wide) + (4 * high * wide if step < k else 0)


def lower_split(lowering: Lowering, found: Split) -> None:
    """See templates/matmul_split.c.j2."""
    p, (_, _, n, k) = found.product, found.sizes
    parameters, arguments = tile_signature(p, False, False, p.constant_bias, False)
    arguments = ", ".join(["sums", "rows", *arguments.split(", ")[4:]])
    right = packed(p.b, "gemm_panels", width=WIDTH, lanes=SIDE, transposed=p.transposed) if p.constant else p.b
    reads: dict[str, View] = {"A": p.a, "B": right}
    if p.bias:
        reads["bias"] = packed(p.bias, "channels", block=p.target.lanes) if p.constant_bias else p.bias
    reads |= {o.name: o.view for o in p.epilogue.operands}
    along = _is_along(p)
    whole, rest = divmod(n, WIDTH)
    widths = [WIDTH] * (whole > 0) + [rest] * (rest > 0)
    tiles = tuple(_finish(p, columns) for columns in widths)
    blocks = 1 + (found.wide * ceil_div(found.high, WIDTH) if found.slice < k else 0)
    splits = _rounded(found.chunk) + found.wide * WIDTH
    lowering.emit(
        "matmul_split.c.j2",
        kernel_stem(p, f"{p.op}_split"),
        reads=reads,
        writes={"C": p.out},
        params=run_time_arguments(p, 0, p.constant_bias) | {"high": found.high, "chunk": found.chunk, "wide": found.wide},
        scratch=4 * WIDTH * WIDTH * blocks + NUMBER * found.slice * splits,
        flops=p.flops,
        bytes=p.bytes,
        constant=p.constant, column="1" if p.constant else "B_n", tiles=tiles, full=whole > 0, ragged=rest > 0,
        parts=tuple(map(_loads, PARTS)), steps=STEPS, ahead=_ahead(found), along=along,
        lines=2 if along and not p.constant else 8,
        signature=parameters, arguments=arguments, grain=p.target.machine.team.grain,
        batch=len(p.loops.batch), batch_size=batch_text(p), bias=bool(p.bias), tail_ops=p.epilogue.stem,
        a_k="A_k" if p.a_k != 1 else "1", tile_operands=tuple((o.name, o.lane_stride, o.pointer) for o in p.tiles),
    )  # fmt: skip


def _finish(p: Product, columns: int) -> Tile:
    """What becomes of a block of sums of so many columns."""
    vectors = ceil_div(columns, SIDE)
    tile = matrix_tile_of(p, WIDTH, vectors, columns < WIDTH, vectors)
    return replace(tile, name="finish_ragged" if columns < WIDTH else "finish")


def _is_along(p: Product) -> bool:
    """Whether neighbours in a row of the right operand are neighbours in memory, so that they need not be transposed."""
    return p.constant or right_strides(p)[1] == 1


def _ahead(found: Split) -> int:
    """Cache lines of the right operand to be asked for beside each product of parts, so that all of a panel's slice are."""
    lines = SLICE * WIDTH * 4 // LINE
    return min(MOST_AHEAD, ceil_div(lines, STEPS * PRODUCTS * ceil_div(found.high, WIDTH)))


def _loads(products: tuple[tuple[int, int], ...]) -> tuple[tuple[bool, bool, int, int], ...]:
    """For each product of parts whether tiles of the left and of the right operand are loaded, and of which parts."""
    before = ((-1, -1), *products)
    return tuple((a != x, b != y, a, b) for (x, y), (a, b) in zip(before, products))


def pays(found: Split, target: TargetLike) -> bool:
    """Whether the tiles take less time than multiply-adds of vectors would at best."""
    batch, rows, n, k = found.sizes
    core = target.machine.core
    vectors = batch * rows * ceil_div(n, target.lanes) * k / core.multiply_adds
    return _cycles(found) < vectors


def _cycles(found: Split) -> float:
    """Of one thread: products of tiles, splitting, and partial sums."""
    batch, rows, n, k = found.sizes
    p = found.product
    tiles = p.target.machine.tiles
    dots = ceil_div(rows, SIDE) * ceil_div(n, SIDE) * ceil_div(k, STEP) * PRODUCTS
    panels = ceil_div(n, WIDTH)
    down, across = ceil_div(rows, found.high), ceil_div(panels, found.wide)
    left = rows * k * across * tiles.left
    right = n * k * (down if found.slice < k else min(down, p.target.team)) * tiles.right
    if _is_along(p):
        right *= 1 - min(1.0, found.high / (STEPS * WIDTH)) * (1 - 1 / found.wide)  # the rest is taken apart while tiles are multiplied
    return batch * (dots * tiles.dot + left + right + rows * n * ceil_div(k, found.slice) * tiles.sum)


def split_seconds(found: Split, target: TargetLike) -> float | None:
    """Products of tiles and splitting, against reading from main memory."""
    batch, rows, n, k = found.sizes
    return product_seconds(found.product, _cycles(found), batch * rows * n * k)


CANDIDATE: Candidate = sole("split", find_split, lower_split, pays, split_seconds)
