"""Gradients for the weights of dense convolutions by Winograd's algorithm, in which taps are the results and pixels the filter.

Tiles of the gradient and the input under them are transformed; the products of a frequency are added up over all tiles, and the sums are
transformed back once. ``config["conv_max_error"] = 0`` keeps direct products.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import prod, sqrt
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.emit import c_float
from sol.codegen.kernels import conv_weight_dense
from sol.codegen.kernels.conv_weight_problem import Gradient, read_gradient
from sol.codegen.kernels.traffic import byte_seconds, meeting
from sol.codegen.kernels.winograd_matrices import MODULI, Winograd, amplification, winograd
from sol.codegen.kernels.winograd_model import ERROR, MOST
from sol.codegen.kernels.winograd_transforms import input_lines, operations, output_columns, output_row
from sol.codegen.lowering import Lowering, TargetLike
from sol.config import config

LARGEST = 8
"""Rows and columns of a tile of the gradient, at most."""
LOSS = 8.0
"""How many times larger than for independent numbers sums at frequencies may be beside results: error grows as much."""


@dataclass(frozen=True)
class Plan:
    """How a gradient is computed. dense: how its channels are vectors and numbers, and how they are shared out; its sums are those of taps.
    y, x: F(taps, pixels) along the axes. held: tiles that are transformed at once.
    """

    dense: conv_weight_dense.Plan
    y: Winograd
    x: Winograd
    held: int

    @property
    def frequencies(self) -> int:
        return self.y.n * self.x.n

    @property
    def tiles(self) -> int:
        p = self.dense.problem
        return p.n * -(-p.oh // self.y.r) * -(-p.ow // self.x.r)

    @property
    def chunks(self) -> int:
        return -(-self.tiles // self.held)

    @property
    def is_alone(self) -> bool:
        """Are all tiles held at once, so that sums go to the result at once?"""
        return self.chunks == 1

    def tile(self, lanes: int) -> int:
        """Sums of a panel and a step."""
        return self.frequencies * self.dense.step * self.dense.widths[-1] * lanes

    def blocks(self, lanes: int) -> tuple[int, int]:
        """Blocks of channels that a set transforms, at most: those of vectors, and those of numbers."""
        d = self.dense
        panels, steps = -(-d.units // d.unit_sets), -(-d.steps // d.step_sets)
        return min(d.vectors, panels * d.widths[-1]), min(-(-d.numbers // lanes), -(-steps * d.step // lanes) + 1)

    def transformed(self, lanes: int) -> int:
        """Elements of a block of channels of the tiles that are held."""
        return self.frequencies * (self.held + 1) * lanes


def _pairs(p: Gradient, error: float) -> Iterator[tuple[Winograd, Winograd]]:
    """Tiles that are exact enough, square where the filter is.

    Results are sums over many tiles, so that it does not matter how exact a tile is which holds a single number.
    """
    rows, columns = p.kernel
    for size in range(2, LARGEST + 1):
        high, wide = (size if rows > 1 else 1), (size if columns > 1 else 1)
        if all(taps + n - 1 in MODULI for taps, n in ((rows, high), (columns, wide))):
            y, x = winograd(rows, high), winograd(columns, wide)
            alike = amplification(y) * amplification(x)
            if alike <= MOST and alike * (ERROR[0] + ERROR[1] * (high * wide) ** 0.5) <= error:
                yield y, x


def _plans(p: Gradient, target: TargetLike, error: float) -> Iterator[Plan]:
    for way in conv_weight_dense.orientations(p, target):
        for y, x in _pairs(p, error):
            whole = Plan(way, y, x, 1)
            for held in sorted({min(n, whole.tiles) for n in (64, 128)}):
                plan = replace(whole, held=held)
                for shared in conv_weight_dense.shared_out(way, target, plan.chunks):
                    yield replace(plan, dense=shared)


def plan_of(p: Gradient, target: TargetLike) -> Plan | None:
    """The way of least predicted time whose error is within bounds."""
    found = _best(p.anywhere, target, config["conv_max_error"])
    return found and replace(found, dense=replace(found.dense, problem=p))


@cache
def _best(p: Gradient, target: TargetLike, error: float) -> Plan | None:
    return min(_plans(p, target, error), key=lambda plan: winograd_seconds(plan, target), default=None)


def winograd_seconds(plan: Plan, target: TargetLike) -> float:
    """Products, calls and transforms, and what is read again from the caches meanwhile."""
    d, lanes, team = plan.dense, target.lanes, target.team
    products = plan.frequencies * (d.products(target, plan.tiles) + plan.chunks * d.calls(target))
    per_input, per_gradient, per_sum = (
        plan.frequencies * target.machine.winograd.moved + target.machine.winograd.operation * n
        for n in _operations(plan.y.m, plan.x.m, plan.y.r, plan.x.r)
    )
    per_vector, per_number = (per_input, per_gradient) if d.by_input else (per_gradient, per_input)
    sums, sets = d.units * d.steps * plan.tile(lanes), d.unit_sets * d.step_sets
    transforms = plan.tiles * (per_vector * d.vectors * d.step_sets + per_number * -(-d.numbers // lanes) * d.unit_sets)
    share = d.share(team, plan.chunks)
    compute = share * (products / target.machine.core.clock + target.machine.seconds(transforms))
    compute += target.machine.seconds(sums / plan.frequencies / lanes * per_sum) / team
    added = 4 * sums * 2 * (d.parts - 1) / team * byte_seconds(float(4 * sums), target)
    return compute + share * sets * plan.chunks * _moved_seconds(plan, target) + added + meeting(target) * (1 + (d.parts > 1))


def _moved_seconds(plan: Plan, target: TargetLike) -> float:
    """What a chunk of a set takes longer than from the second-level cache: operands that are transformed and read again, and sums."""
    d, lanes = plan.dense, target.lanes
    vectors, numbers = (4 * count * plan.transformed(lanes) for count in plan.blocks(lanes))
    panels, block = -(-d.units // d.unit_sets), 4 * plan.transformed(lanes)
    sums = 0.0 if plan.is_alone and d.parts == 1 else 4 * d.units * d.steps * plan.tile(lanes) / (d.unit_sets * d.step_sets)
    panel = vectors / panels
    everything = float(vectors + numbers + sums)
    near = byte_seconds(0.0, target)
    moved = (2 * (vectors + numbers) + 2 * sums) * (byte_seconds(everything, target) - near)
    again = panels * numbers * (byte_seconds(float(numbers + panel), target) - near)
    return moved + again + vectors * -(-d.steps // d.step_sets) * (byte_seconds(float(panel + block), target) - near)


@cache
def _operations(rows: int, columns: int, high: int, wide: int) -> tuple[int, int, int]:
    """Vector operations of the transforms of a tile of the input and of the gradient, and of sums."""
    y, x = winograd(rows, high), winograd(columns, wide)
    there, back = operations(y, x)
    return there, operations(_of_gradient(y), _of_gradient(x))[0], back


def _of_gradient(f: Winograd) -> Winograd:
    """As if a tile of the gradient were an input: G in place of B^T."""
    return replace(f, m=1, bt=f.g)


def usual_loss(y: Winograd, x: Winograd) -> float:
    """Magnitudes of sums at all frequencies together, over those of results, for independent numbers of equal variance."""
    sums = [sum(sqrt(_square(g) * _square(b)) for g, b in zip(f.g, f.bt)) for f in (y, x)]
    return prod(sums) / (y.m * x.m * sqrt(y.r * x.r))


def _square(row: Sequence[Fraction]) -> float:
    return sum(float(n) ** 2 for n in row)


def _match(lowering: Lowering) -> Iterator[Decision]:
    p = read_gradient(lowering)
    if p is None or p.is_plain or p.groups > 1 or (p.stride, p.dilation) != ((1, 1), (1, 1)) or p.kernel == (1, 1):
        return
    plan = plan_of(p, lowering.target)
    if plan is not None:
        target = lowering.target
        pays = target.machine.winograd.gain * _direct_seconds(p, target) > winograd_seconds(plan, target)
        yield Decision("conv_weight_winograd", plan, pays=pays)


def _direct_seconds(p: Gradient, target: TargetLike) -> float:
    return conv_weight_dense.dense_seconds(conv_weight_dense.plan_of(p, target), target)


def _lower(lowering: Lowering, plan: Plan) -> None:
    """One launch; see templates/conv_weight_winograd.c.j2."""
    d, lanes = plan.dense, lowering.target.lanes
    p, columns = d.problem, plan.x.n
    params: dict[str, Any] = {name: p.geometry[name] for name in ("N", "H", "W", "OH", "OW", "py", "px")} | p.strides | {
        "group_vectors": d.vectors, "group_numbers": d.numbers, "panels": d.panels, "unit_sets": d.unit_sets, "step_sets": d.step_sets,
        "parts": d.parts, "held": plan.held, "most_vectors": plan.blocks(lanes)[0], "most_numbers": plan.blocks(lanes)[1],
        "group_kernels": p.k, "out_n": p.out.strides[0], "out_c": p.out.strides[1],
    }  # fmt: skip
    params |= {"group_channels": p.c} if d.by_input else {}
    taps = p.kernel[0] * p.kernel[1] * d.step * d.widths[-1] * lanes
    every = d.units * d.steps * plan.tile(lanes)
    of_set = -(-d.units // d.unit_sets) * -(-d.steps // d.step_sets) * plan.tile(lanes)
    patch = max(plan.y.size * plan.x.size, plan.y.r * plan.x.r) * lanes
    own = 0 if d.parts > 1 else plan.tile(lanes) if plan.is_alone else of_set
    gy, gx = _of_gradient(plan.y), _of_gradient(plan.x)
    lowering.emit(
        "conv_weight_winograd.c.j2",
        f"conv_weight_grad_winograd{plan.y.r}x{plan.x.r}_by_{'input' if d.by_input else 'result'}_{d.widths[-1]}x{d.step}",
        reads={"in": p.x, "grad": p.grad}, writes={"out": p.out}, params=params, flops=p.flops, bytes=p.bytes,
        scratch=64 + 4 * (own + taps + patch + sum(plan.blocks(lanes)) * plan.transformed(lanes)),
        shared_scratch=4 * every * d.parts if d.parts > 1 else 0,
        widths=d.widths, step=d.step, piece=conv_weight_dense.PIECE, by_input=d.by_input, copied=False, narrow=0, fresh=True,
        alone=plan.is_alone, taps=p.kernel[0] * p.kernel[1], rows=plan.y.m, columns=plan.x.m,
        frequencies=plan.frequencies, nx=columns, ty=plan.y.r, tx=plan.x.r, iy=plan.y.size, ix=plan.x.size, patch=patch // lanes,
        transforms={"in": tuple(input_lines(plan.y, plan.x, columns, False)), "grad": tuple(input_lines(gy, gx, columns, False))},
        back=tuple(output_columns(plan.y, plan.x, columns, "m_frequency", "sums")), most=c_float(LOSS * usual_loss(plan.y, plan.x)),
        back_rows=tuple(tuple(output_row(plan.x, y, False, False)) for y in range(plan.y.m)),
    )  # fmt: skip


CANDIDATES = (Candidate("conv_weight_winograd", _match, _lower, winograd_seconds),)
