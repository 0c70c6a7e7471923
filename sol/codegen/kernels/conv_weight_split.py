"""Gradients for the weights of 1x1 convolutions by matrix tiles (AMX), see split_product.py: products over the pixels of all images."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels import conv_weight_dense
from sol.codegen.kernels.conv_weight_problem import Gradient, read_gradient
from sol.codegen.kernels.matmul_blocks import ceil_div
from sol.codegen.kernels.split_product import GROUPS, MOST_AHEAD, SIDE, SLICE, WIDTH, Sizes, Split, Stream, fits_whole, split_of
from sol.codegen.kernels.traffic import meeting
from sol.codegen.lowering import Lowering, TargetLike


@dataclass(frozen=True)
class Plan:
    """A gradient, and how its product goes on: over ``parts`` parts of ``part`` pixels each, the last of which may have fewer."""

    problem: Gradient
    split: Split
    parts: int
    part: int


def plan_of(p: Gradient, target: TargetLike) -> Plan:
    """Parts of the pixels for each thread where a thread's cache holds all sums; else threads share out rows and columns."""
    pixels = p.n * p.oh * p.ow
    sizes = Sizes(1, p.k, p.c, pixels)
    whole = fits_whole(sizes, target)
    if whole is None:
        return Plan(p, split_of(sizes, False, target), 1, pixels)
    part = min(ceil_div(ceil_div(pixels, target.team), SLICE) * SLICE, pixels)
    return Plan(p, replace(whole, sizes=replace(sizes, k=part)), ceil_div(pixels, part), part)


def find_split(lowering: Lowering) -> Plan | None:
    """A 1x1 convolution without groups of blocked operands on a processor with matrix tiles."""
    target = lowering.target
    p = read_gradient(lowering) if target.matrix_tiles and target.lanes == SIDE else None
    if p is None or p.is_plain or p.groups != 1 or p.kernel != (1, 1) or p.padding != (0, 0):
        return None
    return plan_of(p, target)


def lower_split(lowering: Lowering, plan: Plan) -> None:
    """One launch; see templates/conv_weight_split.c.j2."""
    p, split, (sy, sx) = plan.problem, plan.split, plan.problem.stride
    blocks = ceil_div(split.high, WIDTH)
    streams = tuple(
        Stream(name, what, min(MOST_AHEAD, ceil_div(2 * SLICE, GROUPS * calls)), SLICE)
        for name, what, calls in (("of_grad", "the gradient's next pixels", split.wide), ("of_in", "the input's", blocks))
    )
    params: dict[str, Any] = {
        "N": p.n, "M": p.k, "C": p.c, "OH": p.oh, "OW": p.ow, "sy": sy, "sx": sx, "parts": plan.parts, "part": plan.part,
        "out_n": p.out.strides[0], "out_c": p.out.strides[1], **p.strides, **split.params,
    }  # fmt: skip
    kept = 4 * plan.parts * p.k * ceil_div(p.c, WIDTH) * WIDTH if plan.parts > 1 else 0
    lowering.emit(
        "conv_weight_split.c.j2", "conv_weight_grad_split", reads={"in": p.x, "grad": p.grad}, writes={"out": p.out}, params=params,
        flops=p.flops, bytes=p.bytes, scratch=split.scratch, shared_scratch=kept, streams=streams, **split.context(lowering.target),
    )  # fmt: skip


def pays(plan: Plan, target: TargetLike) -> bool:
    """Whether the tiles take less time than register tiles of vectors."""
    dense = conv_weight_dense.dense_seconds(conv_weight_dense.plan_of(plan.problem, target), target)
    return seconds(plan, target) < target.machine.tiles.gain * dense


def seconds(plan: Plan, target: TargetLike) -> float:
    """Products of tiles and splitting, shared out by the team, and the sums of parts."""
    p, machine = plan.problem, target.machine
    whole = replace(plan.split, sizes=Sizes(1, p.k, p.c, p.n * p.oh * p.ow))
    cycles = whole.cycles(target, machine.tiles.pixel, machine.tiles.pixel) + plan.parts * p.k * p.c * machine.tiles.result
    return cycles / machine.core.clock / target.team + meeting(target) * (1 + (plan.parts > 1))


CANDIDATES: tuple[Candidate, ...] = (sole("conv_weight_split", find_split, lower_split, pays, seconds),)
