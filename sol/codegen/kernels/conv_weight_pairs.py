"""Gradients for the weights of dense convolutions of bfloat16 by sums of pairs of products (AVX-512 BF16), kept in float32.

Pairs are of neighbouring pixels, along which the sums run, so that both operands are packed first, with lines of equal length for all taps.
The register tiles and how they are shared out are those of ``conv_weight_dense``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels import conv_weight_dense
from sol.codegen.kernels.conv_weight_lines import Lines, lines_of
from sol.codegen.kernels.conv_weight_problem import Gradient, read_gradient
from sol.codegen.kernels.traffic import byte_seconds, meeting
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.types import DType

LANES = 16
"""Channels of a block: a vector holds two pixels of them."""


@dataclass(frozen=True)
class Plan:
    """How a gradient is computed. dense: how its channels are vectors and numbers, how they are shared out, and the images and rows of a
    chunk. packed: how its pixels are packed."""

    dense: conv_weight_dense.Plan
    packed: Lines

    @property
    def lines(self) -> int:
        """Of an image of a chunk."""
        return self.packed.lines if self.dense.rows == self.dense.problem.oh else self.dense.rows + self.packed.further

    @property
    def pixels(self) -> int:
        """Of the gradient in a chunk, as they are packed."""
        pixels = self.dense.images * self.lines * self.packed.pitch
        return pixels + pixels % 2

    @property
    def room(self) -> int:
        """Pixels of a block of channels of an operand: as many, what the last tap reads beyond, and a line that keeps blocks apart."""
        return self.pixels + 2 * self.packed.furthest + 2

    @property
    def is_alone(self) -> bool:
        """Are all pixels packed at once, so that sums go to the result at once?"""
        return self.dense.chunks == 1

    @property
    def blocks(self) -> tuple[int, int]:
        """Copies of blocks of channels that a thread packs: those of a panel, and those of a set's numbers, at most."""
        d, planes = self.dense, len(self.packed.planes)
        steps = -(-d.steps // d.step_sets)
        vectors, numbers = d.widths[-1], min(-(-d.numbers // LANES), -(-steps * d.step // LANES) + 1)
        return (planes * vectors, numbers) if d.by_input else (vectors, planes * numbers)

    @property
    def block(self) -> int:
        """Bytes of a copy of a block of channels."""
        return 2 * LANES * self.room

    @property
    def held(self) -> int:
        """Bytes that a thread needs in its cache: what it packs, and what it fetches ahead."""
        panel, numbers = self.blocks
        return self.block * (2 * panel + numbers * (1 if self.is_alone else 2))

    @property
    def sums(self) -> int:
        """Bytes of the sums of a set."""
        return 4 * (self.dense.tile(LANES) if self.is_alone else self.dense.set_size(LANES))


def plan_of(p: Gradient, target: TargetLike) -> Plan:
    """The way of least predicted time."""
    found = _best(p.anywhere, target)
    return replace(found, dense=replace(found.dense, problem=p))


@cache
def _best(p: Gradient, target: TargetLike) -> Plan:
    plans = list(_plans(p, target))
    near = [plan for plan in plans if 4 * plan.held <= 3 * target.l2]
    return min(near or plans, key=lambda plan: pairs_seconds(plan, target))


def _plans(p: Gradient, target: TargetLike) -> Iterator[Plan]:
    packed = lines_of(p)
    image = packed.lines * packed.pitch
    for way in conv_weight_dense.orientations(p, target):
        found = set()
        for pixels in (target.machine.weight_gradients.pixels // n for n in (1, 2, 4)):
            if image <= pixels:
                found.add((min(p.n, pixels // image), p.oh))
            else:
                found.add((1, min(p.oh, max(1, pixels // packed.pitch - packed.further))))
        for images, rows in sorted(found):
            chunk = replace(way, images=images, rows=rows)
            for shared in conv_weight_dense.shared_out(chunk, target, chunk.chunks):
                yield Plan(shared, packed)


def pairs_seconds(plan: Plan, target: TargetLike) -> float:
    """Products, calls and packing, and what comes from the caches and from memory meanwhile: half of the shorter one is hidden."""
    d, core, team = plan.dense, target.machine.core, target.team
    p, taps, planes = d.problem, len(plan.packed.taps), len(plan.packed.planes)
    dots = target.machine.products.dots
    cycles = [max(w * d.step / dots, (w + d.step) / core.loads) for w in d.widths]
    a_chunk = d.units * d.steps * plan.pixels / 2 * sum(cycles) / len(cycles) + d.calls(target)
    of_vectors, of_numbers = (planes, 1) if d.by_input else (1, planes)
    copies = d.vectors * of_vectors * d.step_sets + -(-d.numbers // LANES) * of_numbers * d.unit_sets
    packing = target.machine.winograd.moved * copies * plan.pixels / 2
    share = d.share(team, d.chunks)
    compute = share * (taps * d.chunks * a_chunk / core.clock + d.chunks * target.machine.seconds(packing))
    shape = p.n * p.h * p.w, p.n * p.oh * p.ow
    vectors, numbers = shape if d.by_input else shape[::-1]
    read = 2 * LANES * d.vectors * vectors * d.step_sets + 2 * d.numbers * numbers * d.unit_sets
    every, sets = 4 * d.units * d.steps * d.tile(LANES), d.unit_sets * d.step_sets
    again = 0.0 if plan.is_alone else byte_seconds(2.0 * plan.sums + plan.held, target) * 2 * plan.sums * sets * d.chunks * share
    written = every * (1 + 2 * (d.parts - 1)) / team * byte_seconds(float(4 * every), target)
    moved = share * read * byte_seconds(float(read) / sets, target) + again + written
    return max(compute, moved) + 0.5 * min(compute, moved) + meeting(target) * (1 + (d.parts > 1))


def _match(lowering: Lowering) -> Iterator[Decision]:
    target = lowering.target
    p = read_gradient(lowering, DType.BF16) if target.multiplies_pairs and target.lanes == LANES else None
    if p is not None and not p.is_plain and p.groups == 1:
        yield Decision("conv_weight_pairs", plan_of(p, target))


def _lower(lowering: Lowering, plan: Plan) -> None:
    """One launch; see templates/conv_weight_pairs.c.j2."""
    d, packed = plan.dense, plan.packed
    p, geometry = d.problem, d.problem.geometry
    params: dict[str, Any] = {name: geometry[name] for name in ("N", "H", "W", "OH", "OW", "sy", "sx", "py", "px")} | p.strides | {
        "group_vectors": d.vectors, "group_numbers": d.numbers, "panels": d.panels, "unit_sets": d.unit_sets, "step_sets": d.step_sets,
        "parts": d.parts, "images": d.images, "rows": d.rows, "lines": plan.lines, "pitch": packed.pitch, "room": plan.room,
        "most_numbers": plan.blocks[1], "planes": len(packed.planes), "taps": len(packed.taps),
        "group_kernels": p.k, "out_n": p.out.strides[0], "out_c": p.out.strides[1],
    }  # fmt: skip
    params |= {"group_channels": p.c} if d.by_input else {}
    every = d.units * d.steps * d.tile(LANES)
    lowering.emit(
        "conv_weight_pairs.c.j2", f"conv_weight_grad_pairs_by_{'input' if d.by_input else 'result'}_{d.widths[-1]}x{d.step}",
        reads={"in": p.x, "grad": p.grad}, writes={"out": p.out}, params=params, flops=p.flops, bytes=p.bytes,
        scratch=64 + plan.block * sum(plan.blocks) + (plan.sums if d.parts == 1 else 0),
        shared_scratch=4 * every * d.parts if d.parts > 1 else 0, widths=d.widths, step=d.step, by_input=d.by_input, copied=False,
        narrow=0, alone=plan.is_alone, table=[number for row in (*packed.planes, *packed.taps) for number in row], named=len(params),
    )  # fmt: skip


CANDIDATES = (Candidate("conv_weight_pairs", _match, _lower, pairs_seconds),)
