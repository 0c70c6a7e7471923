"""Gradients of products of groups of rows for the matrices: in each group, the product of its rows turned with the gradient's rows."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.epilogue import make_epilogue
from sol.codegen.kernels.matmul_product import STRETCH, Product
from sol.codegen.kernels.matmul_rows import collapse_rows, row_ladder, rows_per_tile, vectors_per_panel
from sol.codegen.kernels.matmul_tile import Types, panel_columns, tile_of, tile_signature
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, bounds
from sol.ir.types import DType


@dataclass(frozen=True)
class Outer:
    """``product`` of one group, whose reduction is over all rows at most. x, grad: rows of all groups. ends: where the row after the last
    one of each group is told."""

    product: Product
    x: View
    grad: View
    ends: View
    nv: int


def find_outer(lowering: Lowering) -> Outer | None:
    """float32, any strides of operands."""
    anchor, target = lowering.anchor, lowering.target
    out = lowering.view(anchor.name)
    if lowering.body.outputs != (anchor.name,) or (anchor.type.shape[2] != 1 and out.strides[2] != 1):
        return None
    if anchor.type.dtype is not DType.F32:
        raise UnsupportedError(f"{anchor.op} of {anchor.type.dtype}", origin=str(anchor.origin), remedy="cast the operands to float32")
    x, grad, ends = map(lowering.view, anchor.inputs)
    _, m, n = anchor.type.shape
    strides = {"A": (x.strides[1],), "B": (0,), "C": (out.strides[1],)}
    product = Product(
        anchor.op, target, x, grad, None, out, n, x.shape[0], False, make_epilogue(lowering, anchor.name, channel_axis=2),
        collapse_rows((m,), strides, "B"), x.strides[0], 1, False, False, frozenset(),
        4 * (x.shape[0] * (m + n) + ends.shape[0] * m * n),
    )  # fmt: skip
    return Outer(product, x, grad, ends, vectors_per_panel(n, target))


def lower_outer(lowering: Lowering, found: Outer) -> None:
    """One launch; see templates/matmul_grouped_grad.c.j2."""
    p, nv, out = found.product, found.nv, found.product.out
    ladder, exact = row_ladder(p.loops.rows, rows_per_tile(p.target, nv))
    mr = ladder[0]
    full, ragged, ragged_nv = panel_columns(p, nv, p.target.lanes)
    shapes = [(rows, nv, False) for rows in ladder if full] + [(rows, ragged_nv, True) for rows in ladder if ragged]
    parameters, arguments = tile_signature(p, False, True, False, False)
    params: dict[str, DimLike] = {"rows": p.k, "M": p.loops.rows, "N": p.n, "groups": found.ends.shape[0]}
    params |= {"A_r": found.x.strides[0], "A_m": found.x.strides[1], "B_r": found.grad.strides[0], "B_n": found.grad.strides[1]}
    params |= {"ldc": out.strides[1], "C_e": out.strides[0], "ends_n": found.ends.strides[0]}
    lowering.emit(
        "matmul_grouped_grad.c.j2",
        f"grouped_matmul_grad_{mr}x{nv}",
        reads={"A": found.x, "ends": found.ends, "B": found.grad},
        writes={"C": out},
        params=params,
        scratch=4 * p.k * nv * p.target.lanes,
        shared_scratch=4 * p.k * p.loops.rows,
        flops=2 * p.k * p.loops.rows * p.n,
        bytes=p.bytes,
        mr=mr, nv=nv, ladder=ladder, exact=exact, tiles=tuple(tile_of(p, *s, nv) for s in shapes), full=full, ragged=ragged,
        k_block=0, in_place=False, stretch=STRETCH if bounds(p.k)[1] > 2 * STRETCH else 0, grain=p.target.machine.team.grain,
        prefetch=0, signature=parameters, arguments=arguments, ends_type=found.ends.dtype.c, types=Types(),
    )  # fmt: skip


KERNELS = {"grouped_matmul_grad": (sole("outer", find_outer, lower_outer),)}
