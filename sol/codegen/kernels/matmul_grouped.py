"""Products of groups of rows, each with a matrix of its own (mixtures of experts): packed panels. Data says where a group ends."""

from __future__ import annotations

from dataclasses import replace

from sol.codegen.kernels.matmul import panel_columns, tile_of, tile_signature
from sol.codegen.kernels.matmul_product import STRETCH, Product, bytes_moved, describe, kernel_stem
from sol.codegen.kernels.matmul_rows import row_ladder, rows_per_tile, vectors_per_panel
from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import Dim, DimLike, bounds
from sol.ir.types import DType

UNKNOWN = Dim.symbol("rows")
"""The number of rows of a group."""


def lower_grouped(lowering: Lowering) -> None:
    """One launch; see templates/matmul_grouped.c.j2. float32, any strides."""
    anchor = lowering.anchor
    if anchor.type.dtype is not DType.F32:
        raise UnsupportedError(f"{anchor.op} of {anchor.type.dtype}", origin=str(anchor.origin), remedy="cast the operands to float32")
    p = replace(describe(lowering), bias="", transposed=bool(anchor.attrs["transposed"]))
    target, lanes = lowering.target, lowering.target.lanes
    nv = vectors_per_panel(p.n, lanes)
    mr = rows_per_tile(target, nv)
    ladder, _ = row_ladder(UNKNOWN, mr)
    full, tail, tail_nv = panel_columns(p, nv, lanes)
    shapes = [(rows, nv, False) for rows in ladder if full] + [(rows, tail_nv, True) for rows in ladder if tail]
    tiles = tuple(tile_of(p, r, v, t, False, nv) for r, v, t in shapes)
    pack_a, pack_b = p.a_k != 1, not p.constant
    parameters, arguments = tile_signature(p, False, pack_a, False, False)
    reads, params = _operands(p, nv * lanes)
    lowering.emit(
        "matmul_grouped.c.j2",
        kernel_stem(p, f"grouped_matmul_{mr}x{nv}"),
        reads=reads,
        writes={"C": lowering.view(p.out)},
        params=params,
        scratch=4 * p.k * nv * lanes if pack_b else 0,
        common=4 * p.loops.rows * p.k if pack_a else 0,
        flops=2 * p.loops.rows * p.n * p.k,
        bytes=bytes_moved(p),
        mr=mr, nv=nv, ladder=ladder, tiles=tiles, full=full, tail=tail, k_block=0, pack_a=pack_a, pack_b=pack_b, in_place=False,
        stretch=STRETCH if bounds(p.k)[1] > 2 * STRETCH else 0, grain=target.machine.team.grain, tail_ops=p.epilogue.stem,
        prefetch=target.machine.products.prefetch if p.constant else 0,
        signature=parameters, arguments=arguments, ends_type=reads["ends"].dtype.c,
        tile_operands=tuple((o.name, o.lane_stride) for o in p.epilogue.operands if o.kind == "tile"),
    )  # fmt: skip


def _operands(p: Product, width: int) -> tuple[dict[str, View], dict[str, DimLike]]:
    """What the kernel reads; sizes and strides in the order of its arguments."""
    lowering, lanes = p.lowering, p.lowering.target.lanes
    reads = {"A": lowering.view(p.a), "ends": lowering.view(lowering.anchor.inputs[2])}
    steps = p.loops.row_strides
    groups = lowering.type_of(p.b).shape[0]
    params: dict[str, DimLike] = {"M": p.loops.rows, "N": p.n, "K": p.k, "groups": groups, "lda": steps["A"], "ldc": steps["C"]}
    params["ends_n"] = reads["ends"].strides[0]
    if p.a_k != 1:
        params["A_k"] = p.a_k
    if p.c_n != 1:
        params["C_n"] = p.c_n
    if p.constant:
        reads["B"] = lowering.weight(p.b, "gemm_panels", width=width, lanes=lanes, transposed=p.transposed)
        params["B_e"] = p.k * ((p.n + lanes - 1) // lanes * lanes)
    else:
        reads["B"] = lowering.view(p.b)
        params["B_e"], *inner = reads["B"].strides
        params["B_k"], params["B_n"] = reversed(inner) if p.transposed else inner
    reads |= {o.name: o.view for o in p.epilogue.operands}
    params |= {f"{o.name}_m": steps[o.name] for o in p.epilogue.operands if o.kind == "tile"}
    return reads, params


KERNELS = {"grouped_matmul": (Candidate("panels", lambda lowering: True, lower_grouped),)}
