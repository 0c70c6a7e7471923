"""Seconds that the products of a convolution take by their models, for explanations: each model decides on a scale of its own.

What a source makes and a sink adds is left out where the model of the product leaves it out. None where sizes are known only at run time.
"""

from __future__ import annotations

from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.kernels.conv_tiling import Tiling, map_cycles
from sol.codegen.kernels.winograd_model import fetch_cost, overlapped
from sol.codegen.lowering import TargetLike


def direct_seconds(conv: Conv, tiling: Tiling, target: TargetLike) -> float | None:
    """Register tiles, shared out evenly, while weights are fetched."""
    n, oh, ow = conv.n, conv.oh, conv.ow
    if not (isinstance(n, int) and isinstance(oh, int) and isinstance(ow, int)):
        return None
    rows, columns = (1, oh * ow) if tiling.flat else (oh, ow)
    machine = target.machine
    vectors = -(-(conv.k // conv.groups) // target.lanes)
    cycles = map_cycles(machine.direct, tiling, vectors, rows, columns, conv.reduction)
    multiply_adds = n * conv.groups * conv.reduction * cycles * machine.direct.multiply_adds
    return team_seconds(overlapped(multiply_adds, fetch_cost(conv.weight_bytes, target, machine.winograd.fetch),
                                   machine.winograd.hidden_direct), target)  # fmt: skip


def team_seconds(multiply_adds: float, target: TargetLike) -> float:
    """Seconds of so many vector multiply-adds that the team shares out, and of meeting afterwards."""
    machine = target.machine
    return machine.seconds(multiply_adds / target.team) + machine.team.barrier * (target.team > 1)
