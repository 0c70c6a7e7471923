"""Products of unsigned and signed bytes (int_linear, int_matmul): packed panels of four bytes per lane, exact sums in int32."""

from __future__ import annotations

from sol.codegen.kernels.matmul import PREFETCH, panel_columns, tile_of, tile_signature
from sol.codegen.kernels.matmul_product import GRAIN, batch_text, describe, kernel_stem, run_time_arguments
from sol.codegen.kernels.matmul_rows import row_ladder, vectors_per_panel
from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike, ceil_div

BYTES = 4
"""Bytes of the reduction in one lane."""


def rows_per_int_tile(target: TargetLike, vectors: int) -> int:
    """The most rows of a tile where products take two registers per operand, as they do on targets without instructions for them."""
    fitting = (target.registers - 2 * vectors - 2) // vectors
    return next(r for r in (8, 6, 4, 2, 1) if r <= fitting or r == 1)


def lower_int_gemm(lowering: Lowering) -> None:
    """Any strides, any number of rows, any tail of 32-bit lanes."""
    p = describe(lowering)
    target, lanes, epilogue = lowering.target, lowering.target.lanes, p.epilogue
    few_rows = isinstance(p.loops.rows, int) and p.loops.rows <= 4 and p.constant
    nv = vectors_per_panel(p.n, lanes)
    nv = min(nv, 2) if few_rows else nv
    width = nv * lanes
    ladder, exact = row_ladder(p.loops.rows, rows_per_int_tile(target, nv))
    full, tail, tail_nv = panel_columns(p, nv, lanes)
    pack_a = p.a_k != 1 or not (isinstance(p.k, int) and p.k % BYTES == 0)
    shapes = [(rows, nv, False) for rows in ladder if full] + [(rows, tail_nv, True) for rows in ladder if tail]
    signature, arguments = tile_signature(p, False, False, False, False)
    reads: dict[str, View] = {"A": lowering.view(p.a)}
    steps = ceil_div(p.k, BYTES)
    packed_size: DimLike = 0
    if p.constant:
        reads["B"] = lowering.weight(p.b, "int_panels", width=width, lanes=lanes, transposed=p.transposed)
        packed_size = steps * (ceil_div(p.n, lanes) * lanes)
    else:
        reads["B"] = lowering.view(p.b)
    reads |= {o.name: o.view for o in epilogue.operands}
    out = lowering.type_of(p.out)
    batch, batches = p.loops.batch, p.loops.batch_size
    lowering.emit(
        "matmul_int.c.j2",
        kernel_stem(p, f"{lowering.anchor.op}_{ladder[0]}x{nv}"),
        reads=reads,
        writes={"C": lowering.view(p.out)},
        params=run_time_arguments(p, packed_size, False),
        scratch=0 if p.constant else BYTES * steps * width,
        common=batches * p.loops.rows * steps * BYTES if pack_a else 0,
        flops=2 * batches * p.loops.rows * p.n * p.k,
        bytes=lowering.type_of(p.a).size + lowering.type_of(p.b).size + out.size * out.dtype.itemsize,
        mr=ladder[0], nv=nv, ladder=ladder, exact=exact, tiles=tuple(tile_of(p, r, v, t, False, nv) for r, v, t in shapes),
        full=full, tail=tail, pack_a=pack_a, pack_b=not p.constant, grain=GRAIN, batch=len(batch), batch_size=batch_text(p),
        tail_ops=epilogue.stem, prefetch=PREFETCH if p.constant else 0, signature=signature, arguments=arguments.replace("lda", "pitch"),
        a_k="1" if p.a_k == 1 else "A_k", result=out.dtype.c, c_n="" if p.c_n == 1 else " * C_n",
        tile_operands=tuple((o.name, o.lane_stride, o.pointer) for o in epilogue.operands if o.kind == "tile"),
    )  # fmt: skip


_CANDIDATES = (Candidate("int_gemm", lambda lowering: True, lower_int_gemm),)
KERNELS = {"int_linear": _CANDIDATES, "int_matmul": _CANDIDATES}
