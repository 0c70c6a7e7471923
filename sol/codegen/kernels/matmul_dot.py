"""Products as dot products along the reduction: few columns, or few rows and a right operand that is contiguous along the reduction."""

from __future__ import annotations

from sol.codegen.kernels.matmul_product import (
    Product,
    batch_text,
    bytes_moved,
    describe,
    is_f32,
    kernel_stem,
    right_strides,
    run_time_arguments,
)
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.ir.dim import DimLike, bounds

STRETCH = 128  # vectors of a dot product that are added up before they join a compensated sum


def fits_dot(lowering: Lowering) -> bool:
    """Where a panel would be mostly padding, or where making it would cost more than using it."""
    if not is_f32(lowering):
        return False
    product = describe(lowering)
    if product.a_k != 1:
        return False
    costs = lowering.target.machine.products
    rows = product.loops.rows if isinstance(product.loops.rows, int) else costs.dot_rows
    long = not isinstance(product.k, int) or product.k >= costs.dot_length
    lanes = lowering.target.lanes
    if product.constant:
        if not isinstance(product.n, int) or lowering.type_of(product.b).rank != 2:
            return False
        return (long or rows <= 2) and (product.n * 4 <= lanes or (rows <= 4 and product.n < lanes))
    if right_strides(product)[0] != 1:
        return False
    few_columns = isinstance(product.n, int) and product.n * 4 <= lanes
    return rows <= 2 or (long and (few_columns or rows < costs.dot_rows))


def _block(product: Product) -> tuple[int, int, int]:
    """Rows and columns of a block, and vectors along the reduction that have accumulators of their own."""
    budget = product.lowering.target.registers // 2
    group = min(4, product.n) if isinstance(product.n, int) and product.n else 4
    rows = product.loops.rows if isinstance(product.loops.rows, int) else 4
    block = next(r for r in (4, 2, 1) if r * group <= budget and (r <= rows or r == 1))
    return block, group, max(1, min(4, budget // (block * group)))


def lower_dot(lowering: Lowering) -> None:
    """Every result is a dot product along K of a row of A with a row of the right operand as [N][K]."""
    p = describe(lowering)
    packed = lowering.weight(p.b, "gemm_rows", transposed=p.transposed) if p.constant else lowering.view(p.b)
    reads: dict[str, View] = {"A": lowering.view(p.a), "B": packed}
    loads: dict[str, str] = {}
    hoisted = []
    if p.bias:
        reads["bias"] = lowering.view(p.bias)
        hoisted.append("const vf y = s + sol_load_strided(bias + n * bias_n, bias_n, count);")
    for o in p.epilogue.operands:
        reads[o.name] = o.view
        base = f"{o.name}_q + m * {o.name}_m" if o.kind == "tile" else o.name
        loads[o.name] = o.load_n(f"{base} + n" if o.lane_stride else base, "count")
    lines, result = p.epilogue.trace("y" if p.bias else "s", lambda o: loads[o.name], "t")
    params: dict[str, DimLike] = run_time_arguments(p, 0, False)
    params["ldb"] = p.k if p.constant else params.pop("B_n")
    params.pop("B_k", None)
    rows, group, parts = _block(p)
    lowering.emit(
        "matmul_dot.c.j2",
        kernel_stem(p, f"{lowering.anchor.op}_dot{rows}x{group}"),
        reads=reads,
        writes={"C": lowering.view(p.out)},
        params=params,
        flops=2 * p.loops.batch_size * p.loops.rows * p.n * p.k,
        bytes=bytes_moved(p),
        lines=(*hoisted, *lines), result=result, batch=len(p.loops.batch), batch_size=batch_text(p),
        grain=lowering.target.machine.team.grain,
        bias=bool(p.bias), tail_ops=p.epilogue.stem, rows=rows, group=group, parts=parts, padded=group + (group == 3),
        stretch=STRETCH if bounds(p.k)[1] > 2 * STRETCH * p.lowering.target.lanes else 0,
        tile_operands=tuple(o.name for o in p.epilogue.operands if o.kind == "tile"),
    )  # fmt: skip
