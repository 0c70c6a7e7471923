"""Seconds of loops that are bound by memory or by simple steps: pooling, attention, pointwise chains, reductions, moves."""

from __future__ import annotations

from sol.codegen.kernels.traffic import byte_seconds, meeting
from sol.codegen.lowering import TargetLike
from sol.ir.dim import DimLike


def loop_seconds(moved: DimLike, operations: DimLike, target: TargetLike, *, lanes: int = 0, launches: int = 1) -> float | None:
    """Of so many bytes, which the team shares out and reads while it computes, and so many steps; None where sizes are known at run time.

    operations: of numbers, ``lanes`` at a time (0: as many as a vector has). The longer one of both counts, and what is not hidden of the
    other. What is moved lies where as much as it fits: the region before wrote it.
    """
    if not isinstance(moved, int) or not isinstance(operations, int):
        return None
    machine = target.machine
    computing = operations / (lanes or target.lanes) / machine.core.loads / machine.core.clock / target.team
    share = moved / target.team
    reading = share * byte_seconds(share, target)
    rest = (1 - machine.streams.again_once) * min(computing, reading)
    return max(computing, reading) + rest + launches * meeting(target)


def steps(simple: int, elementary: int, target: TargetLike) -> int:
    """Simple steps in the time of so many simple and elementary ones."""
    return simple + round(elementary * target.machine.streams.elementary)


__all__ = ["loop_seconds", "steps"]
