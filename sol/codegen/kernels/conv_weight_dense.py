"""Gradients for the weights of dense and grouped convolutions: register tiles of vectors of one operand times channels of the other.

Either operand gives the vectors: the input (lanes are input channels) or the gradient of the result. Groups narrower than a vector
are computed as blocks of as many lanes, of which the diagonal is kept. A first convolution of few channels reads a row-major input, from
which threads copy rows, channels together: to the tile, the taps of a row and their channels are channels of one pixel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels.conv_weight_problem import Gradient, read_gradient
from sol.codegen.kernels.traffic import byte_seconds, meeting
from sol.codegen.lowering import Lowering, TargetLike

PIECE = 256
"""Pixels that a tile adds up one after the other before it adds them to sums in memory: rounding errors grow with the length of a sum."""

CUTS = 1, 2, 3, 4, 6, 8, 16
"""Into how many sets panels and steps may be cut, beside the threads of a team."""


@dataclass(frozen=True)
class Plan:
    """How a gradient is computed.

    by_input: whether lanes are input channels. groups: blocks of channels that do not meet. vectors, numbers: vectors of one operand and
    channels of the other in a group. panels: of vectors in a group. step: channels of a tile. copied: whether rows of a row-major
    input are copied. narrow: channels of a group of which lanes hold several, else 0. images, rows: of a chunk. unit_sets, step_sets: into
    how many sets panels and steps are cut. parts: into how many the chunks are cut, whose sums are added in the end.
    """

    problem: Gradient
    by_input: bool
    groups: int
    vectors: int
    numbers: int
    panels: int
    step: int
    copied: bool
    narrow: int
    images: int
    rows: int
    unit_sets: int = 1
    step_sets: int = 1
    parts: int = 1

    @property
    def taps(self) -> int:
        """Places of the filter that are not channels to the tile."""
        return self.problem.kernel[0] * (1 if self.copied else self.problem.kernel[1])

    @property
    def steps(self) -> int:
        """Of a group."""
        return -(-self.numbers // self.step)

    @property
    def units(self) -> int:
        """Panels of all groups."""
        return self.groups * self.panels

    @property
    def widths(self) -> tuple[int, ...]:
        """Vectors of the panels of a group, each size once."""
        return tuple(sorted({(i + 1) * self.vectors // self.panels - i * self.vectors // self.panels for i in range(self.panels)}))

    def tile(self, lanes: int) -> int:
        """Sums of a panel and a step."""
        return self.taps * self.step * self.widths[-1] * lanes

    def set_size(self, lanes: int) -> int:
        """Sums of a set."""
        return -(-self.units // self.unit_sets) * -(-self.steps // self.step_sets) * self.tile(lanes)

    @property
    def chunks(self) -> int:
        return -(-self.problem.n // self.images) * -(-self.problem.oh // self.rows)

    def share(self, team: int, chunks: int) -> float:
        """The largest share of the work that a thread of the team gets, where there are so many chunks."""
        return _largest_share(self.groups, self.vectors, self.panels, self.steps, self.unit_sets, self.step_sets, self.parts, team, chunks)

    def products(self, target: TargetLike, pixels: int) -> float:
        """Cycles of the multiply-adds, or of the loads, of all channels at so many pixels and one tap."""
        core = target.machine.core
        cycles = [max(w * self.step / core.multiply_adds, (w + self.step) / core.loads) for w in self.widths]
        return self.units * self.steps * pixels * sum(cycles) / len(cycles)

    def calls(self, target: TargetLike) -> float:
        """Cycles of a call of each tile beside its multiply-adds."""
        costs = target.machine.weight_gradients
        return self.units * self.steps * (costs.call + costs.added * self.step * self.widths[-1])


@cache
def _largest_share(
    groups: int, vectors: int, panels: int, steps: int, unit_sets: int, step_sets: int, parts: int, team: int, chunks: int
) -> float:
    """Plan.share: threads take sets and parts in the order of the templates, each of them in whole."""
    units, jobs = groups * panels, unit_sets * step_sets * parts

    def vectors_before(us: int) -> int:
        """Of this set of units."""
        group, panel = divmod(units * us // unit_sets, panels)
        return group * vectors + panel * vectors // panels

    def work_before(job: int) -> int:
        (ts, us), part = divmod(job // parts, unit_sets), job % parts
        first, last, begin, end = steps * ts // step_sets, steps * (ts + 1) // step_sets, vectors_before(us), vectors_before(us + 1)
        inside = begin * chunks + (end - begin) * (chunks * part // parts)
        return first * groups * vectors * chunks + (last - first) * inside

    ends = [work_before(jobs * i // team) for i in range(team + 1)]
    return max(end - begin for begin, end in zip(ends, ends[1:])) / ends[-1]


def _most_vectors(target: TargetLike, step: int) -> int:
    """Vectors of a tile: registers hold their sums, themselves and one number; generic ones leave half of them to the compiler."""
    registers = target.registers if target.name != "generic" else 12
    return max(1, min(4, (registers - 1) // (step + 1)))


def orientations(p: Gradient, target: TargetLike) -> Iterator[Plan]:
    """The ways in which channels become vectors and numbers, before work is shared out."""
    lanes = target.lanes
    pixels = min(target.machine.weight_gradients.pixels, p.n * p.oh * p.ow)
    images, rows = (min(p.n, -(-pixels // (p.oh * p.ow))), p.oh) if p.oh * p.ow < pixels else (1, min(p.oh, -(-pixels // p.ow)))
    group, kernels = p.group, p.k // p.groups
    narrow = group if p.groups > 1 and group < lanes else 0
    groups = p.groups if not narrow else -(-p.c // lanes)
    c, k = (lanes, lanes) if narrow else (group, kernels)
    step = min(lanes, 8) if lanes > 8 else 4
    if p.is_plain:
        numbers = p.c * p.kernel[1]
        for width in range(4, 9):
            if (most := _most_vectors(target, width)) >= 2 or width == 4:
                vectors = -(-p.k // lanes)
                yield Plan(p, False, 1, vectors, numbers, -(-vectors // most), width, True, 0, 1, rows)
        return
    most = _most_vectors(target, step)
    for by_input, lanes_of, numbers in ((True, c, k), (False, k, c)):
        vectors = -(-lanes_of // lanes)
        if by_input or not narrow:
            yield Plan(p, by_input, groups, vectors, numbers, -(-vectors // most), step, False, narrow, images, rows)


def shared_out(plan: Plan, target: TargetLike, chunks: int) -> Iterator[Plan]:
    """The plan with its work, so many chunks, cut into sets and parts; also with more panels than it needs, where sets are then alike."""
    cuts = sorted({*CUTS, target.team})
    for units in (n for n in cuts if n <= plan.units):
        alike = next((n for n in range(plan.panels, plan.vectors + 1) if plan.groups * n % units == 0), plan.panels)
        for panels in {plan.panels, alike}:
            for steps in (n for n in cuts if n <= plan.steps):
                for parts in {1, target.team, 2 * target.team}:
                    if parts <= chunks:
                        yield replace(plan, panels=panels, unit_sets=units, step_sets=steps, parts=parts)


def plan_of(p: Gradient, target: TargetLike) -> Plan:
    """The way of least predicted time."""
    return replace(_best(p.anywhere, target), problem=p)


@cache
def _best(p: Gradient, target: TargetLike) -> Plan:
    plans = (plan for way in orientations(p, target) for plan in shared_out(way, target, way.chunks))
    return min(plans, key=lambda plan: dense_seconds(plan, target))


def dense_seconds(plan: Plan, target: TargetLike) -> float:
    """Multiply-adds and calls of tiles, and what comes from the caches and from memory meanwhile: half of the shorter one is hidden."""
    p, lanes, core, team = plan.problem, target.lanes, target.machine.core, target.team
    pixels = p.n * p.oh * p.ow
    work = plan.taps * (plan.products(target, pixels) + plan.chunks * plan.calls(target))
    sets = plan.unit_sets * plan.step_sets
    share = plan.share(team, plan.chunks)
    compute = share * work / core.clock
    sums = 4 * plan.set_size(lanes)
    shape = p.n * p.h * p.w, pixels
    vectors, numbers = shape if plan.by_input else shape[::-1]
    read = 4 * plan.groups * lanes * plan.vectors * vectors * plan.step_sets + 4 * plan.groups * plan.numbers * numbers * plan.unit_sets
    every = 4 * plan.units * plan.steps * plan.tile(lanes)
    again = byte_seconds(2.0 * sums, target) * 2 * sums * sets * plan.chunks * share
    written = every * (1 + 2 * (plan.parts - 1)) / team * byte_seconds(float(4 * every), target)
    moved = share * read * byte_seconds(float(read) / sets, target) + again + written
    return max(compute, moved) + 0.5 * min(compute, moved) + meeting(target) * (1 + (plan.parts > 1))


def _match(lowering: Lowering) -> Iterator[Decision]:
    p, lanes = read_gradient(lowering), lowering.target.lanes
    if p is None:
        return
    if p.is_plain and (p.groups > 1 or p.c >= lanes or p.dilation[1] > 1 or p.x.strides[3] != 1):
        return
    group, kernels = p.group, p.k // p.groups
    whole = p.groups == 1 or group % lanes == 0 == kernels % lanes
    if whole or group == kernels and lanes % group == 0:
        yield Decision("conv_weight_dense", plan_of(p, lowering.target))


def _lower(lowering: Lowering, plan: Plan) -> None:
    """One launch; see templates/conv_weight_dense.c.j2."""
    p, lanes = plan.problem, lowering.target.lanes
    x, grad, out = p.x, p.grad, p.out
    line = ((p.ow - 1) * p.stride[1] + p.kernel[1]) * p.c + 8 if plan.copied else 0
    lines = (plan.rows - 1) * p.stride[0] + (p.kernel[0] - 1) * p.dilation[0] + 1
    params: dict[str, Any] = p.geometry | {
        "G": plan.groups, "group_vectors": plan.vectors, "group_numbers": plan.numbers, "panels": plan.panels, "images": plan.images,
        "rows": plan.rows, "unit_sets": plan.unit_sets, "step_sets": plan.step_sets, "parts": plan.parts,
        "out_n": out.strides[0], "out_c": out.strides[1],
    }  # fmt: skip
    params |= p.strides
    params |= {"C": p.c, "line": line, "lines": lines} if plan.copied else {}
    params |= {"K": p.k} if plan.narrow else {"group_kernels": p.k // p.groups}
    params |= {"group_channels": p.group} if plan.by_input and not plan.narrow else {}
    contiguous = p.kernel == (1, 1) == p.stride and p.padding == (0, 0)
    flat = contiguous and not plan.copied and all(v.strides[2] == p.ow * lanes for v in (x, grad))
    every = plan.units * plan.steps * plan.tile(lanes)
    lowering.emit(
        "conv_weight_dense.c.j2",
        f"conv_weight_grad_{'stem' if plan.copied else 'dense'}_by_{'input' if plan.by_input else 'result'}_{plan.widths[-1]}x{plan.step}",
        reads={"in": x, "grad": grad}, writes={"out": out}, params=params, flops=p.flops, bytes=p.bytes,
        scratch=64 + 8 * p.kernel[1] * 2 + 4 * ((plan.set_size(lanes) if plan.parts == 1 else 0) + (line * lines if plan.copied else 0)),
        shared_scratch=4 * every * plan.parts if plan.parts > 1 else 0,
        widths=plan.widths, step=plan.step, piece=PIECE, by_input=plan.by_input, copied=plan.copied, narrow=plan.narrow, flat=flat,
        fresh=False,
    )  # fmt: skip


CANDIDATES = (Candidate("conv_weight_dense", _match, _lower, dense_seconds),)
