"""Products of groups of rows, each with a matrix of its own (mixtures of experts): packed panels. Data says where a group ends."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.kernels.matmul_product import STRETCH, Product, describe, kernel_stem, packed, right_strides
from sol.codegen.kernels.matmul_rows import row_ladder, rows_per_tile, vectors_per_panel
from sol.codegen.kernels.matmul_tile import Types, panel_columns, tile_of, tile_signature
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import Dim, DimLike, bounds
from sol.ir.types import DType

UNKNOWN = Dim.symbol("rows")
"""The number of rows of a group."""


@dataclass(frozen=True)
class Groups:
    """A product in groups. ends: where the row after the last one of each group is told. matrices: how many groups there are."""

    product: Product
    ends: View
    matrices: DimLike
    nv: int
    mr: int


def find_groups(lowering: Lowering) -> Groups:
    """float32, any strides."""
    anchor = lowering.anchor
    if anchor.type.dtype is not DType.F32:
        raise UnsupportedError(f"{anchor.op} of {anchor.type.dtype}", origin=str(anchor.origin), remedy="cast the operands to float32")
    p = describe(lowering)
    nv = vectors_per_panel(p.n, p.target)
    return Groups(p, lowering.view(anchor.inputs[2]), lowering.type_of(anchor.inputs[1]).shape[0], nv, rows_per_tile(p.target, nv))


def lower_grouped(lowering: Lowering, found: Groups) -> None:
    """One launch; see templates/matmul_grouped.c.j2."""
    p, nv, mr = found.product, found.nv, found.mr
    lanes = p.target.lanes
    ladder, _ = row_ladder(UNKNOWN, mr)
    full, ragged, ragged_nv = panel_columns(p, nv, lanes)
    shapes = [(rows, nv, False) for rows in ladder if full] + [(rows, ragged_nv, True) for rows in ladder if ragged]
    pack_a, pack_b = p.a_k != 1, not p.constant
    parameters, arguments = tile_signature(p, False, pack_a, False, False)
    reads, params = _operands(found)
    lowering.emit(
        "matmul_grouped.c.j2",
        kernel_stem(p, f"grouped_matmul_{mr}x{nv}"),
        reads=reads,
        writes={"C": p.out},
        params=params,
        scratch=4 * p.k * nv * lanes if pack_b else 0,
        shared_scratch=4 * p.loops.rows * p.k if pack_a else 0,
        flops=2 * p.loops.rows * p.n * p.k,
        bytes=p.bytes,
        mr=mr, nv=nv, ladder=ladder, tiles=tuple(tile_of(p, *s, nv) for s in shapes), full=full, ragged=ragged, k_block=0,
        pack_a=pack_a, pack_b=pack_b, in_place=False,
        stretch=STRETCH if bounds(p.k)[1] > 2 * STRETCH else 0, grain=p.target.machine.team.grain, tail_ops=p.epilogue.stem,
        prefetch=p.target.machine.products.prefetch if p.constant else 0,
        signature=parameters, arguments=arguments, ends_type=found.ends.dtype.c,
        tile_operands=tuple((o.name, o.lane_stride) for o in p.tiles), types=Types(),
    )  # fmt: skip


def _operands(found: Groups) -> tuple[dict[str, View], dict[str, DimLike]]:
    """What the kernel reads; sizes and strides in the order of its arguments."""
    p, lanes = found.product, found.product.target.lanes
    reads = {"A": p.a, "ends": found.ends, "B": p.b}
    steps = p.loops.row_strides
    params: dict[str, DimLike] = {"M": p.loops.rows, "N": p.n, "K": p.k, "groups": found.matrices, "lda": steps["A"], "ldc": steps["C"]}
    params["ends_n"] = found.ends.strides[0]
    if p.a_k != 1:
        params["A_k"] = p.a_k
    if p.c_n != 1:
        params["C_n"] = p.c_n
    if p.constant:
        reads["B"] = packed(p.b, "gemm_panels", width=found.nv * lanes, lanes=lanes, transposed=p.transposed)
        params["B_e"] = p.k * ((p.n + lanes - 1) // lanes * lanes)
    else:
        params["B_e"] = p.b.strides[0]
        params["B_k"], params["B_n"] = right_strides(p)
    reads |= {o.name: o.view for o in p.epilogue.operands}
    params |= {f"{o.name}_m": steps[o.name] for o in p.tiles}
    return reads, params


KERNELS = {"grouped_matmul": (sole("panels", find_groups, lower_grouped),)}
