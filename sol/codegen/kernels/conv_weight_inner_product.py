"""Gradients for the weights of dense convolutions by Winograd's inner product (sol/codegen/kernels/inner_product.py), in sums over pixels.

Both operands are packed, scaled, a chunk of pixels at a time: pixels take the place of input channels, channels of one operand that of
output channels, and those of the other that of pixels. Each channel is scaled by the root of its mean square over the chunk, and products
of a register tile whose data are too sparse are not paired. ``config["conv_max_error"] = 0`` keeps direct products.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels import conv_weight_dense, inner_product
from sol.codegen.kernels.conv_inner_product import max_error
from sol.codegen.kernels.conv_weight_problem import Gradient, read_gradient
from sol.codegen.kernels.inner_product import LANES, LEAST, MOST, step_cost
from sol.codegen.kernels.traffic import byte_seconds, meeting
from sol.codegen.lowering import Lowering, TargetLike
from sol.config import config

CHUNKS = (256, 512, 1024)
"""Pixels that are packed at once: more are scaled together, fewer let sums travel more often."""

MOST_SETS = 16
"""Sets of sums, into which the work of a thread is cut, at most: those of more are small."""
SPARSE = 0.02
"""Product of the mean shares of a tile's channels below which products are not paired. Their errors, root mean square over the weights, are
then up to 2.7 times those of torch (64 channels of either operand, 392 to 50176 pixels, with and without ReLU); at 0.01, 3 times. Sums over
pixels are longer than those over input channels, whose limit (``inner_product.SPARSE``) is higher: torch's errors grow with them.
"""


@dataclass(frozen=True)
class Plan:
    """How a gradient is computed. dense: how its channels are vectors and numbers, a vector per panel, and how they are shared out, in
    chunks of so many ``pixels``, whole steps.
    """

    dense: conv_weight_dense.Plan
    pixels: int

    @property
    def chunks(self) -> int:
        p = self.dense.problem
        return -(-p.n * p.oh * p.ow // self.pixels)

    @property
    def steps(self) -> int:
        """Of a chunk, at most."""
        return self.pixels // LANES

    @property
    def is_alone(self) -> bool:
        """Are all pixels packed at once, at one tap, so that sums go to the result at once?"""
        return self.chunks == 1 and self.dense.problem.kernel == (1, 1)

    @property
    def set_steps(self) -> int:
        """Tiles of numbers of a set, at most."""
        return -(-self.dense.steps // self.dense.step_sets)

    @property
    def panel(self) -> int:
        """Elements of a packed vector of channels, and of what lies behind it."""
        return (self.pixels + 2) * LANES

    @property
    def numbers(self) -> int:
        """Elements of a set's packed numbers, and of what lies behind them: what pairs subtract, factors, shares."""
        return self.set_steps * (self.dense.step * self.pixels + 3 * MOST)


def _plans(p: Gradient, target: TargetLike) -> Iterator[Plan]:
    pixels = p.n * p.oh * p.ow
    whole = -(-pixels // LANES) * LANES
    for way in conv_weight_dense.orientations(p, target):
        fewest = -(-way.numbers // MOST)
        sizes = {min(MOST, max(LEAST, -(-way.numbers // (fewest + more)))) for more in range(3)}
        step = min(sorted(sizes), key=lambda n: -(-way.numbers // n) * step_cost(n, target.machine))
        for size in sorted({min(size, whole) for size in CHUNKS}):
            plan = Plan(replace(way, panels=way.vectors, step=step), -(-pixels // -(-pixels // size) // LANES) * LANES)
            for shared in conv_weight_dense.shared_out(plan.dense, target, plan.chunks):
                if shared.unit_sets * shared.step_sets <= max(MOST_SETS, target.team):
                    yield replace(plan, dense=shared)


def plan_of(p: Gradient, target: TargetLike) -> Plan:
    """The way of least predicted time."""
    found = _best(p.anywhere, target)
    return replace(found, dense=replace(found.dense, problem=p))


@cache
def _best(p: Gradient, target: TargetLike) -> Plan:
    return min(_plans(p, target), key=lambda plan: inner_product_seconds(plan, target))


def inner_product_seconds(plan: Plan, target: TargetLike) -> float:
    """Products, packing, and what comes from the caches and from memory meanwhile: half of the shorter one is hidden."""
    d, machine, team = plan.dense, target.machine, target.team
    p, costs = d.problem, machine.inner_product
    pixels = p.n * p.oh * p.ow
    steps, per_tap = -(-pixels // LANES), p.kernel[0] * p.kernel[1]
    of_tile = steps * step_cost(d.step, machine) + plan.chunks * (costs.tile + costs.pixel * d.step)
    of_vectors = costs.line * d.vectors * d.step_sets * per_tap
    of_numbers = costs.turned * -(-d.numbers // LANES) * d.unit_sets * (1 if d.by_input else per_tap)
    work = per_tap * d.units * d.steps * of_tile + (of_vectors + of_numbers) * LANES * steps
    sets = d.unit_sets * d.step_sets
    share = d.share(team, plan.chunks)
    compute = machine.seconds(share * work)
    shape = p.n * p.h * p.w, pixels
    vectors, numbers = shape if d.by_input else shape[::-1]
    read = 4 * LANES * d.vectors * vectors * d.step_sets + 4 * d.numbers * numbers * d.unit_sets
    near = byte_seconds(0.0, target)
    held = 4 * (plan.numbers + plan.panel)
    again = 4 * plan.numbers * per_tap * d.units / d.unit_sets * (byte_seconds(float(held), target) - near)
    every = 4 * d.units * d.steps * d.tile(LANES)
    kept = 0.0 if plan.is_alone and d.parts == 1 else 2.0 * every / sets * byte_seconds(2.0 * every / sets, target)
    written = every * (1 + 2 * (d.parts - 1)) / team * byte_seconds(float(4 * every), target)
    moved = share * (read * byte_seconds(float(read) / sets, target) + sets * plan.chunks * (again + kept)) + written
    return max(compute, moved) + 0.5 * min(compute, moved) + meeting(target) * (1 + (d.parts > 1))


def _match(lowering: Lowering) -> Iterator[Decision]:
    p, target = read_gradient(lowering), lowering.target
    if p is None or p.is_plain or p.groups > 1 or target.lanes != LANES:
        return
    if max_error(max(CHUNKS)) > config["conv_max_error"]:
        return
    plan = plan_of(p, target)
    direct = conv_weight_dense.dense_seconds(conv_weight_dense.plan_of(p, target), target)
    pays = target.independent_adders and inner_product_seconds(plan, target) < target.machine.inner_product.gain * direct
    yield Decision("conv_weight_inner_product", plan, pays=pays)


def _lower(lowering: Lowering, plan: Plan) -> None:
    """One launch; see templates/conv_weight_inner_product.c.j2."""
    d = plan.dense
    p = d.problem
    params: dict[str, Any] = p.geometry | p.strides | {"in_x": LANES, "grad_x": LANES}
    contiguous = p.kernel == (1, 1) == p.stride and p.padding == (0, 0)
    if contiguous and all(v.strides[2] == p.ow * LANES for v in (p.x, p.grad)):
        params |= {name: 1 for name in ("H", "OH")} | {name: p.oh * p.ow for name in ("W", "OW")}
    params |= {
        "group_vectors": d.vectors, "group_numbers": d.numbers, "panels": d.panels, "unit_sets": d.unit_sets, "step_sets": d.step_sets,
        "parts": d.parts, "pixels": plan.pixels, "set_steps": plan.set_steps, "group_kernels": p.k,
        "out_n": p.out.strides[0], "out_c": p.out.strides[1],
    }  # fmt: skip
    params |= {"group_channels": p.c} if d.by_input else {}
    every = d.units * d.steps * d.tile(LANES)
    own = 0 if d.parts > 1 else d.tile(LANES) if plan.is_alone else d.set_size(LANES)
    lowering.emit(
        "conv_weight_inner_product.c.j2",
        f"conv_weight_grad_inner_product_by_{'input' if d.by_input else 'result'}_{d.step}",
        reads={"in": p.x, "grad": p.grad}, writes={"out": p.out}, params=params, flops=p.flops, bytes=p.bytes,
        scratch=64 + 4 * (own + plan.panel + plan.numbers), shared_scratch=4 * every * d.parts if d.parts > 1 else 0,
        widths=(1,), step=d.step, by_input=d.by_input, copied=False, narrow=0, alone=plan.is_alone,
        inner_product=inner_product.context() | {"left": []}, sparse=SPARSE,
    )  # fmt: skip


CANDIDATES = (Candidate("conv_weight_inner_product", _match, _lower, inner_product_seconds),)
