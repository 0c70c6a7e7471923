"""Memory-bound regions: a pointwise DAG, the same with reductions, or one op that moves elements with a pointwise epilogue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sol.codegen.decision import Candidate, Decision, sole
from sol.codegen.kernels.dfp_cost import move_seconds, rows_seconds, sweep_seconds
from sol.codegen.kernels.dfp_move import Moves, find_move, lower_move
from sol.codegen.kernels.dfp_pixels import fits_pixels, lower_pixels
from sol.codegen.kernels.dfp_pointwise import find_pointwise, lower_pointwise
from sol.codegen.kernels.dfp_rows import find_rows, lower_rows
from sol.codegen.kernels.dfp_rows_plan import RowsPlan
from sol.codegen.lowering import Lowering
from sol.errors import UnsupportedError
from sol.ir.ops import spec_of


def _kinds(lowering: Lowering) -> set[str]:
    return {spec_of(n.op).kind for n in lowering.body.nodes if n.op not in ("input", "constant")}


def _pointwise(lowering: Lowering) -> Iterator[Decision]:
    """Operands that are contiguous along another axis are transposed in registers; the variant reads them where they lie."""
    if _kinds(lowering) != {"pointwise"}:
        return
    found = find_pointwise(lowering)
    yield Decision("pointwise", found)
    if found.across >= 0:
        yield Decision("pointwise", replace(found, across=-1), "straight")


def _rows(lowering: Lowering) -> RowsPlan | None:
    return find_rows(lowering) if "reduce" in (kinds := _kinds(lowering)) and kinds <= {"pointwise", "reduce"} else None


def _lower_rows(lowering: Lowering, plan: RowsPlan) -> None:
    """Rows that are channels in whole vectors have a kernel of their own."""
    (lower_pixels if fits_pixels(plan, lowering.target) else lower_rows)(lowering, plan)


def _move(lowering: Lowering) -> Moves | None:
    kinds = _kinds(lowering)
    if {"move", "reduce"} <= kinds:
        raise UnsupportedError(
            f"region {lowering.region.name} moves and reduces",
            origin=str(lowering.region.origin),
            remedy="report this: a pass must part the move from the reduction",
        )
    return find_move(lowering) if "move" in kinds else None


KERNELS: dict[str, tuple[Candidate, ...]] = {
    "": (
        Candidate("pointwise", _pointwise, lower_pointwise, sweep_seconds, ranked=False),
        sole("rows", _rows, _lower_rows, cost=rows_seconds, ranked=False),
        sole("move", _move, lower_move, cost=move_seconds, ranked=False),
    )
}
