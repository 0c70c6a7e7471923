"""Gradients for the weights of depthwise convolutions in blocked layout: a vector of channels times another one, a sum for each tap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels.conv_weight_problem import Gradient, read_gradient
from sol.codegen.kernels.traffic import balance, byte_seconds, meeting
from sol.codegen.lowering import Lowering, TargetLike

UNEVEN = 16
"""Threads whose shares differ by less than this part of them share work out evenly."""


@dataclass(frozen=True)
class Plan:
    """blocks: vectors of channels. parts: into how many the images are cut, whose sums are added in the end. height: rows of the filter
    whose sums are in registers at once.
    """

    problem: Gradient
    blocks: int
    parts: int
    height: int


def plan_of(p: Gradient, target: TargetLike) -> Plan:
    """So many parts that threads share them evenly, and as many rows of the filter as registers hold."""
    blocks, (rows, columns) = -(-p.c // target.lanes), p.kernel
    parts = min(range(1, min(p.n, 4 * target.team) + 1), key=lambda parts: (int(UNEVEN * balance(blocks * parts, target.team)), parts))
    return Plan(p, blocks, parts, max(1, min(rows, (target.registers - 2) // columns)))


def depthwise_seconds(plan: Plan, target: TargetLike) -> float:
    """Multiply-adds, each with a load, and what comes from memory: rows are read one after the other, so both times add up."""
    p, core = plan.problem, target.machine.core
    cycles = p.n * plan.blocks * p.oh * (p.ow * p.kernel[0] * (p.kernel[1] + 1) / core.loads + target.machine.weight_gradients.row)
    share = balance(plan.blocks * plan.parts, target.team) / target.team
    read = share * 4 * target.lanes * plan.blocks * p.n * (p.h * p.w + p.oh * p.ow)
    return share * cycles / core.clock + read * byte_seconds(read, target) + 2 * meeting(target)


def _match(lowering: Lowering) -> Iterator[Decision]:
    p = read_gradient(lowering)
    if p is None or p.is_plain or not p.groups == p.c == p.k or p.groups == 1 or p.kernel[1] > lowering.target.registers - 2:
        return
    yield Decision("conv_weight_depthwise", plan_of(p, lowering.target))


def _lower(lowering: Lowering, plan: Plan) -> None:
    """One launch; see templates/conv_weight_depthwise.c.j2."""
    p, lanes = plan.problem, lowering.target.lanes
    params: dict[str, Any] = p.geometry | {"C": p.c, "blocks": plan.blocks, "parts": plan.parts, "out_n": p.out.strides[0]} | p.strides
    del params["S"]
    lowering.emit(
        "conv_weight_depthwise.c.j2", f"conv_weight_grad_depthwise_{p.kernel[0]}x{p.kernel[1]}s{p.stride[1]}",
        reads={"in": p.x, "grad": p.grad}, writes={"out": p.out}, params=params, flops=p.flops, bytes=p.bytes,
        scratch=4 * lanes * p.w, shared_scratch=4 * lanes * p.kernel[0] * p.kernel[1] * plan.blocks * plan.parts,
        S=p.kernel[1], height=plan.height, heights=tuple(h for h in dict.fromkeys((plan.height, p.kernel[0] % plan.height)) if h),
    )  # fmt: skip


CANDIDATES = (Candidate("conv_weight_depthwise", _match, _lower, depthwise_seconds),)
