"""Seconds of memory-bound regions by the machine's table: what is moved, against the steps of each element."""

from __future__ import annotations

from sol.codegen.kernels.dfp_move import Moves
from sol.codegen.kernels.dfp_pointwise import Sweep
from sol.codegen.kernels.dfp_request import Request
from sol.codegen.kernels.dfp_rows_plan import RowsPlan
from sol.codegen.kernels.dfp_terms import cost_of
from sol.codegen.kernels.loop_cost import loop_seconds
from sol.codegen.lowering import TargetLike
from sol.ir.dim import product


def sweep_seconds(sweep: Sweep, target: TargetLike) -> float | None:
    """One pass over elements; one by one where vectors do not serve and nothing is transposed."""
    lanes = target.lanes if sweep.loop.vector or sweep.across >= 0 else 1
    return loop_seconds(sweep.bytes, product(sweep.shape) * max(1, cost_of(sweep.wanted)), target, lanes=lanes)


def rows_seconds(plan: RowsPlan, target: TargetLike) -> float | None:
    """Passes over rows, of which only the first reads memory."""
    passes = sum(not stage.is_empty for stage in plan.stages)
    return loop_seconds(plan.bytes, product(plan.shape) * (plan.cost + passes), target, lanes=1 if plan.mode == "scalar" else 0)


def move_seconds(found: Moves, target: TargetLike) -> float | None:
    """Launches one after the other."""
    parts = [_launch_seconds(launch, target) for launch in found.launches]
    known = [p for p in parts if p is not None]
    return sum(known) if len(known) == len(parts) else None


def _launch_seconds(launch: Request | Sweep, target: TargetLike) -> float | None:
    return sweep_seconds(launch, target) if isinstance(launch, Sweep) else loop_seconds(launch.bytes, 0, target)


__all__ = ["move_seconds", "rows_seconds", "sweep_seconds"]
