"""Products of two large matrices of bfloat16 that change from call to call by sums of pairs of products (AVX-512 BF16), kept in float32.

Gradients of linear layers for their weights. Pairs run along the reduction, so that both operands are packed first, whichever way they
lie. How work is shared out is that of the gradient of a 1x1 convolution for its weights (``conv_weight_dense``): the reduction are its
pixels, columns the channels of its input, and rows those of its result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels import conv_weight_dense
from sol.codegen.kernels.conv_weight_problem import Gradient
from sol.codegen.kernels.matmul_blocks import is_streamed
from sol.codegen.kernels.matmul_cost import fixed
from sol.codegen.kernels.matmul_product import Product, describe, kernel_stem, right_strides
from sol.codegen.kernels.traffic import byte_seconds, meeting
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.dim import DimLike
from sol.ir.types import DType

LANES = 16
"""Rows or columns of a block: a vector holds pairs of them."""
DEPTHS = 256, 512, 1024
"""Steps of a chunk of the reduction."""
MORE_SETS = 32, 64, 128
"""Into how many sets rows may be cut beside what a convolution's channels may: a vocabulary has tens of thousands."""


@dataclass(frozen=True)
class Plan:
    """How a product of some sizes is computed. dense: how columns are vectors and rows numbers, and how they are shared out; its pixels are
    the reduction, its rows those of a chunk."""

    dense: conv_weight_dense.Plan

    @property
    def depth(self) -> int:
        """Steps of a chunk."""
        return self.dense.rows

    @property
    def is_alone(self) -> bool:
        """Is all of the reduction packed at once, so that sums go to the result at once?"""
        return self.dense.chunks == 1

    @property
    def room(self) -> int:
        """Elements from one block to the next, a line more than a block has."""
        return (self.depth + self.depth % 2 + 2) * LANES

    @property
    def blocks(self) -> tuple[int, int]:
        """Blocks of columns and of rows of a set, at most."""
        d = self.dense
        panels, steps = -(-d.units // d.unit_sets), -(-d.steps // d.step_sets)
        return min(d.vectors, panels * d.widths[-1]), min(-(-d.numbers // LANES), -(-steps * d.step // LANES) + 1)

    @property
    def held(self) -> int:
        """Bytes of what a set packs."""
        return 2 * self.room * sum(self.blocks)

    @property
    def sums(self) -> int:
        """Bytes of the sums of a set."""
        return 4 * (self.dense.tile(LANES) if self.is_alone else self.dense.set_size(LANES))


@dataclass(frozen=True)
class Narrow:
    """A product, and how it is computed."""

    product: Product
    plan: Plan


def find_narrow(lowering: Lowering) -> Narrow | None:
    """Matrices of bfloat16 of known sizes, however they lie, the right one no constant. The result may be widened to float32, and nothing
    else be fused."""
    target, anchor, out = lowering.target, lowering.anchor, lowering.output
    kinds = {lowering.type_of(v).dtype for v in anchor.inputs}
    if not target.multiplies_pairs or target.lanes != LANES or kinds != {DType.BF16} or len(anchor.inputs) != 2:
        return None
    p = describe(lowering)
    sizes = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
    if p.constant or p.c_n != 1 or p.epilogue.stem not in ("", "cast") or p.loops.batch or sizes is None or min(sizes) < 1:
        return None
    if lowering.type_of(out).dtype not in (DType.BF16, DType.F32):
        return None
    _, rows, n, k = sizes
    return Narrow(p, _best(rows, n, k, target))


@cache
def _best(rows: int, n: int, k: int, target: TargetLike) -> Plan:
    """Of what stays in the second-level cache, the way of least predicted time."""
    plans = list(_plans(rows, n, k, target))
    near = [plan for plan in plans if 4 * plan.held <= 3 * target.l2]
    return min(near or plans, key=lambda plan: plan_seconds(plan, target))


def _plans(rows: int, n: int, k: int, target: TargetLike) -> Iterator[Plan]:
    view: None = None
    gradient = Gradient(1, n, rows, k, 1, k, 1, (1, 1), (1, 1), (1, 1), (0, 0), 1, False, view, view, view)  # type: ignore[arg-type]
    way = next(conv_weight_dense.orientations(gradient, target))
    for chunks in sorted({-(-k // depth) for depth in DEPTHS} | {1}):
        chunk = replace(way, images=1, rows=-(-k // chunks))
        for shared in conv_weight_dense.shared_out(chunk, target, chunk.chunks):
            yield Plan(shared)
            more = MORE_SETS if shared.parts == 1 and shared.step_sets == conv_weight_dense.CUTS[-1] else ()
            yield from (Plan(replace(shared, step_sets=n)) for n in more if n <= shared.steps)


def narrow_seconds(found: Narrow, target: TargetLike) -> float:
    """See ``plan_seconds``."""
    return plan_seconds(found.plan, target)


def plan_seconds(plan: Plan, target: TargetLike) -> float:
    """Products, calls and packing, and what comes from the caches and from memory meanwhile: half of the shorter one is hidden."""
    d, core, team = plan.dense, target.machine.core, target.team
    pairs, dots = -(-plan.depth // 2), target.machine.products.dots
    cycles = [max(w * d.step / dots, (w + d.step) / core.loads) for w in d.widths]
    a_chunk = d.units * d.steps * pairs * sum(cycles) / len(cycles) + d.calls(target)
    copies = d.vectors * d.step_sets + -(-d.numbers // LANES) * d.unit_sets
    share = d.share(team, d.chunks)
    compute = share * d.chunks * (a_chunk / core.clock + target.machine.seconds(target.machine.winograd.moved * copies * pairs))
    sets, steps = d.unit_sets * d.step_sets, d.problem.h
    read = 2 * LANES * copies * steps
    again = 0.0 if plan.is_alone else byte_seconds(2.0 * plan.sums + plan.held, target) * 2 * plan.sums * sets * d.chunks * share
    every = 4 * d.units * d.steps * d.tile(LANES)
    written = every * (1 + 2 * (d.parts - 1)) / team * byte_seconds(float(4 * every), target)
    moved = share * read * byte_seconds(float(read) / sets, target) + again + written
    return max(compute, moved) + 0.5 * min(compute, moved) + meeting(target) * (1 + (d.parts > 1))


def lower_narrow(lowering: Lowering, found: Narrow) -> None:
    """One launch; see templates/matmul_narrow.c.j2."""
    p, plan, d = found.product, found.plan, found.plan.dense
    (b_k, b_n), narrow = right_strides(p), p.out.dtype is DType.BF16
    params = {
        "M": p.loops.rows, "N": p.n, "K": p.k, "A_m": p.loops.row_strides["A"], "A_k": p.a_k, "B_k": b_k, "B_n": b_n,
        "ldc": p.loops.row_strides["C"], "group_vectors": d.vectors, "panels": d.panels, "unit_sets": d.unit_sets, "step_sets": d.step_sets,
        "parts": d.parts, "depth": plan.depth, "room": plan.room, "most_vectors": plan.blocks[0], "most_numbers": plan.blocks[1],
    }  # fmt: skip
    every = 4 * d.units * d.steps * d.tile(LANES)
    lowering.emit(
        "matmul_narrow.c.j2", kernel_stem(p, f"matmul_{d.step}x{d.widths[-1]}"), reads={"A": p.a, "B": p.b}, writes={"C": p.out},
        params=params, flops=p.flops, bytes=p.bytes, scratch=64 + plan.held + (plan.sums if d.parts == 1 else 0),
        shared_scratch=every * d.parts if d.parts > 1 else 0, widths=d.widths, step=d.step, a_way=_way(p.loops.row_strides["A"], p.a_k),
        b_way=_way(b_n, b_k), alone=plan.is_alone, narrow=narrow, c=p.out.dtype.c, lanes=LANES,
        stream=not narrow and d.parts == 1 and is_streamed(d.problem.k * d.problem.c, lowering.target),
    )  # fmt: skip


def _way(across: DimLike, along: DimLike) -> str:
    """How an operand lies, by its strides across and along the reduction."""
    return "lines" if across == 1 else "turned" if along == 1 else "apart"


CANDIDATE: Candidate = sole("narrow", find_narrow, lower_narrow, cost=narrow_seconds, ranked=False)
