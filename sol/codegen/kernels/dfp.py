"""Memory-bound regions: which of the dfp kernels serves one."""

from __future__ import annotations

from sol.codegen.kernels.dfp_pointwise import lower_pointwise
from sol.codegen.lowering import Lowering
from sol.errors import SolError, UnsupportedError
from sol.ir.ops import spec_of


def lower_dfp(lowering: Lowering) -> None:
    """Launches of a region without anchor: a pointwise DAG, the same with reductions, or one move op with a pointwise tail."""
    nodes = [n for n in lowering.body.nodes if n.op not in ("input", "constant")]
    kinds = {spec_of(n.op).kind for n in nodes}
    if kinds == {"pointwise"}:
        lower_pointwise(lowering)
    elif {"move", "reduce"} <= kinds:
        raise UnsupportedError(
            f"region {lowering.region.name} moves and reduces",
            origin=str(lowering.region.origin),
            remedy="report this: a pass must part the move from the reduction",
        )
    elif "move" in kinds:
        from sol.codegen.kernels.dfp_move import lower_move

        lower_move(lowering)
    elif kinds <= {"pointwise", "reduce"}:
        from sol.codegen.kernels.dfp_rows import lower_rows

        lower_rows(lowering)
    else:
        raise SolError(f"region {lowering.region.name} mixes {', '.join(sorted(kinds))}", origin=str(lowering.region.origin))
