"""Gradients for the weights of dense convolutions of bfloat16 by matrix tiles (AMX): sums over pixels of products, kept in float32.

A product of matrix tiles adds up over 32 pixels, so that both operands are packed first, with rows of equal length for all taps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.kernels.conv_weight_lines import Lines, lines_of
from sol.codegen.kernels.conv_weight_problem import Gradient, read_gradient
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.types import DType

STEP = 32
"""Pixels that a product of matrix tiles adds up."""
BLOCK = 16
"""Channels of a block, and rows of a matrix tile."""
SUMS = 4 * 4 * BLOCK * BLOCK
"""Bytes of the sums of two blocks of either operand."""


@dataclass(frozen=True)
class Plan:
    """How a gradient is computed. images, rows: results of a chunk. packed: how its pixels are packed. lines: of an image of a chunk."""

    problem: Gradient
    images: int
    rows: int
    packed: Lines
    lines: int

    @property
    def pixels(self) -> int:
        """Of the gradient in a chunk, in whole steps."""
        return -(-self.images * self.lines * self.packed.pitch // STEP) * STEP

    @property
    def reach(self) -> int:
        """Pixels of a plane in a chunk: as many, and what the last tap reads beyond."""
        return self.pixels + 2 * self.packed.furthest + 2

    @property
    def chunks(self) -> int:
        return -(-self.problem.n // self.images) * -(-self.problem.oh // self.rows)


def plan_of(p: Gradient, target: TargetLike) -> Plan:
    """Chunks whose packed operands take at most half of the second-level cache."""
    packed = lines_of(p)
    blocks = -(-p.k // BLOCK) + len(packed.planes) * -(-p.c // BLOCK)
    held = max(target.l2 // 2 // (2 * BLOCK * blocks), STEP)
    image = packed.lines * packed.pitch
    if image <= held:
        return Plan(p, min(p.n, held // image), p.oh, packed, packed.lines)
    rows = min(p.oh, max(1, held // packed.pitch - packed.further))
    return Plan(p, 1, rows, packed, rows + packed.further)


def _match(lowering: Lowering) -> Iterator[Decision]:
    target = lowering.target
    p = read_gradient(lowering, DType.BF16) if target.matrix_tiles and target.lanes == BLOCK else None
    if p is not None and not p.is_plain and p.groups == 1:
        yield Decision("conv_weight_tiles", plan_of(p, target))


def _lower(lowering: Lowering, plan: Plan) -> None:
    """One launch; see templates/conv_weight_tiles.c.j2."""
    p, geometry, packed = plan.problem, plan.problem.geometry, plan.packed
    params: dict[str, Any] = {name: geometry[name] for name in ("N", "H", "W", "OH", "OW", "sy", "sx", "py", "px")} | p.strides | {
        "K": p.k, "C": p.c, "images": plan.images, "rows": plan.rows, "lines": plan.lines, "pitch": packed.pitch, "most": plan.pixels,
        "reach": plan.reach, "planes": len(packed.planes), "taps": len(packed.taps), "out_n": p.out.strides[0], "out_c": p.out.strides[1],
    }  # fmt: skip
    k_blocks, c_blocks = -(-p.k // BLOCK), -(-p.c // BLOCK)
    operands = 2 * BLOCK * (k_blocks * plan.pixels + len(packed.planes) * c_blocks * plan.reach)
    units = -(-k_blocks // 2) * -(-c_blocks // 2)
    lowering.emit(
        "conv_weight_tiles.c.j2", "conv_weight_grad_tiles", reads={"in": p.x, "grad": p.grad}, writes={"out": p.out}, params=params,
        flops=p.flops, bytes=p.bytes, scratch=SUMS * len(packed.taps) if plan.chunks == 1 else 0,
        shared_scratch=operands + (SUMS * len(packed.taps) * units if plan.chunks > 1 else 0),
        table=[number for row in (*packed.planes, *packed.taps) for number in row], named=len(params),
    )  # fmt: skip


CANDIDATES = (Candidate("conv_weight_tiles", _match, _lower),)
