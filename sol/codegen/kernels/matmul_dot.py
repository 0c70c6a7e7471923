"""Products as dot products along the reduction: few columns, or few rows and a right operand that is contiguous along the reduction."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.kernels.matmul_cost import fits_caches, fixed, product_seconds
from sol.codegen.kernels.matmul_product import (
    Product,
    batch_text,
    float32_product,
    kernel_stem,
    packed,
    right_strides,
    run_time_arguments,
)
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike, bounds

STRETCH = 128  # vectors of a dot product that are added up before they join a compensated sum
MOST_ROWS = 24
"""Rows up to which all of them meet a few columns before others are read."""
TOGETHER = 2
"""Groups of columns that meet a block of rows before the next one is read."""
SHORT_ROW, AHEAD = 4096, 512
"""Length of rows of a weight up to which the next block's are asked for ahead; numbers of the same rows that are where they are longer."""


@dataclass(frozen=True)
class Dot:
    """A product by dot products.

    rows, group: rows and columns of a block. parts: vectors along the reduction that have accumulators of their own. ahead: how far ahead
    numbers of columns are asked for, as C text; "" where caches hold them. stretch: vectors along the reduction after which other rows meet
    the same columns, and sums join compensated ones; 0 where each block goes through the whole reduction at once.
    """

    product: Product
    rows: int
    group: int
    parts: int
    ahead: str
    stretch: int = 0


def find_columns(lowering: Lowering) -> Dot | None:
    """Where the right operand is contiguous along the reduction, no cache holds it, and rows are so few that memory bounds the product."""
    p = float32_product(lowering)
    if p is None or p.constant or p.a_k != 1 or right_strides(p)[0] != 1:
        return None
    sizes = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
    if sizes is None:
        return None
    batch, rows, n, k = sizes
    target, lanes = p.target, p.target.lanes
    block, group, parts = _block(p)
    stretch = target.l1 // (4 * lanes * (2 * TOGETHER * group + block)) // parts * parts
    if batch != 1 or not block < rows <= MOST_ROWS or fits_caches(n * k, target) or k < stretch * lanes:
        return None
    return Dot(p, block, group, parts, str(stretch * lanes), stretch)


def find_dot(lowering: Lowering) -> Dot | None:
    """Where a panel would be mostly padding, or where making it would cost more than using it."""
    p = float32_product(lowering)
    if p is None or not _fits(p):
        return None
    ahead = ("GROUP * ldb" if isinstance(p.k, int) and p.k <= SHORT_ROW else str(AHEAD)) if p.constant and _is_read_once(p) else ""
    return Dot(p, *_block(p), ahead)


def _fits(p: Product) -> bool:
    if p.a_k != 1:
        return False
    costs = p.target.machine.products
    rows = p.loops.rows if isinstance(p.loops.rows, int) else costs.dot_rows
    long = not isinstance(p.k, int) or p.k >= costs.dot_length
    lanes = p.target.lanes
    if p.constant:
        if not isinstance(p.n, int) or len(p.b.shape) != 2:
            return False
        return _is_read_once(p) or (long or rows <= 2) and (p.n * 4 <= lanes or (rows <= 4 and p.n < lanes))
    if right_strides(p)[0] != 1:
        return False
    few_columns = isinstance(p.n, int) and p.n * 4 <= lanes
    return rows <= 2 or (long and (few_columns or rows < costs.dot_rows))


def _is_read_once(p: Product) -> bool:
    """Whether no cache holds a weight ``[N, K]`` and all rows meet it at once: memory bounds the product, and packing may gain nothing."""
    sizes = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
    if sizes is None or not p.transposed:
        return False
    batch, rows, n, k = sizes
    return 4 * n * k > p.target.l2 and batch == 1 and rows <= min(_block(p)[0], p.target.machine.products.weight_rows)


def _block(p: Product) -> tuple[int, int, int]:
    """``rows``, ``group`` and ``parts`` of a Dot."""
    budget = p.target.registers // 2
    group = min(4, p.n) if isinstance(p.n, int) and p.n else 4
    rows = p.loops.rows if isinstance(p.loops.rows, int) else 4
    block = next(r for r in (4, 3, 2, 1) if r * group <= budget and (r <= rows or r == 1))
    return block, group, max(1, min(4, budget // (block * group)))


def dot_seconds(found: Dot, target: TargetLike) -> float | None:
    """Blocks of rows and columns along the reduction, and adding up the lanes of every result."""
    p = found.product
    sizes = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
    if sizes is None:
        return None
    batch, rows, n, k = sizes
    core = target.machine.core
    block = max(found.rows * found.group / core.multiply_adds, (found.rows + found.group) / core.loads)
    blocks = batch * -(-rows // found.rows) * -(-n // found.group)
    added = batch * rows * n * target.lanes.bit_length() / core.multiply_adds
    return product_seconds(p, blocks * block * -(-k // target.lanes) + added, batch * rows * n * k)


def lower_dot(lowering: Lowering, found: Dot) -> None:
    """Every result is a dot product along K of a row of A with a row of the right operand as [N][K]."""
    p, rows, group = found.product, found.rows, found.group
    reads: dict[str, View] = {"A": p.a, "B": p.b}
    if p.constant:
        reads["B"] = packed(p.b, "plain") if p.transposed else packed(p.b, "gemm_rows")
    loads: dict[str, str] = {}
    hoisted = []
    if p.bias:
        reads["bias"] = p.bias
        hoisted.append("const vf y = s + sol_load_strided(bias + n * bias_n, bias_n, count);")
    for o in p.epilogue.operands:
        reads[o.name] = o.view
        base = f"{o.name}_q + m * {o.name}_m" if o.kind == "tile" else o.name
        loads[o.name] = o.load_n(f"{base} + n" if o.lane_stride else base, "count")
    lines, result = p.epilogue.trace("y" if p.bias else "s", lambda o: loads[o.name], "t")
    params: dict[str, DimLike] = run_time_arguments(p, 0, False)
    params["ldb"] = p.k if p.constant else params.pop("B_n")
    params.pop("B_k", None)
    words = "columns" if found.stretch else "dot"
    long = bounds(p.k)[1] > 2 * STRETCH * p.target.lanes
    lowering.emit(
        "matmul_dot.c.j2",
        kernel_stem(p, f"{p.op}_{words}{rows}x{group}"),
        reads=reads,
        writes={"C": p.out},
        params=params,
        flops=p.flops,
        bytes=p.bytes,
        lines=(*hoisted, *lines), result=result, batch=len(p.loops.batch), batch_size=batch_text(p),
        grain=p.target.machine.team.grain,
        bias=bool(p.bias), tail_ops=p.epilogue.stem, rows=rows, group=group, parts=found.parts, padded=group + (group == 3),
        ahead=found.ahead, columns=TOGETHER * bool(found.stretch), most_rows=MOST_ROWS,
        stretch=found.stretch or STRETCH * long, tile_operands=tuple(o.name for o in p.tiles),
    )  # fmt: skip
