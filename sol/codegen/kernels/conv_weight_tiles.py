"""Gradients for the weights of dense convolutions of bfloat16 by matrix tiles (AMX): sums over pixels of products, kept in float32.

A product of matrix tiles adds up over 32 pixels, so that both operands are packed first, with rows of equal length for all taps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sol.codegen.decision import Candidate, Decision
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
class Axis:
    """One axis of a problem: results, filter, steps, padding before the first, pixels of the input."""

    size: int
    taps: int
    stride: int
    dilation: int
    padding: int
    pixels: int

    @property
    def places(self) -> list[tuple[int, int]]:
        """Of each tap: the first pixel of those that it reads in steps of the stride, and how many steps later it begins."""
        return [((t * self.dilation) % self.stride, t * self.dilation // self.stride) for t in range(self.taps)]

    @property
    def furthest(self) -> int:
        """The largest number of steps."""
        return max(step for _, step in self.places)

    def pitch(self) -> int:
        """Pixels from one line of results to the next, so that what is read beyond a line is zero there and in the next line."""
        return next(n for n in range(self.size, self.size + self.furthest + 1) if self._fits(n))

    def _fits(self, pitch: int) -> bool:
        if pitch >= self.size + self.furthest:
            return True
        for first, steps in self.places:
            before = -(-(self.padding - first) // self.stride)  # pixels of a line that are zeros before the input
            reached = self.size + steps
            exist = -(-(self.pixels + self.padding - first) // self.stride)
            if reached > pitch and (exist > pitch or reached - pitch > before):
                return False
        return True


@dataclass(frozen=True)
class Plan:
    """How a gradient is computed.

    images, rows: results of a chunk. lines, pitch: rows and pixels from one image, or one row, to the next as they are packed.
    planes: (first row, first column, first pixel of the pairs) of the copies of the input. taps: (plane, pairs to skip) of each.
    """

    problem: Gradient
    images: int
    rows: int
    lines: int
    pitch: int
    planes: tuple[tuple[int, int, int], ...]
    taps: tuple[tuple[int, int], ...]

    @property
    def pixels(self) -> int:
        """Of the gradient in a chunk, in whole steps."""
        return -(-self.images * self.lines * self.pitch // STEP) * STEP

    @property
    def reach(self) -> int:
        """Pixels of a plane in a chunk: as many, and what the last tap reads beyond."""
        return self.pixels + 2 * max(pairs for _, pairs in self.taps) + 2

    @property
    def chunks(self) -> int:
        return -(-self.problem.n // self.images) * -(-self.problem.oh // self.rows)


def plan_of(p: Gradient, target: TargetLike) -> Plan:
    """Chunks whose packed operands take at most half of the second-level cache."""
    (sy, sx), (dy, dx), (py, px) = p.stride, p.dilation, p.padding
    down, along = Axis(p.oh, p.kernel[0], sy, dy, py, p.h), Axis(p.ow, p.kernel[1], sx, dx, px, p.w)
    pitch = -(-along.pitch() // 2) * 2
    places = [(b, a, off % 2, rows, off // 2) for b, rows in down.places for a, off in along.places]
    planes = _distinct((b, a, odd) for b, a, odd, _, _ in places)
    taps = tuple([(planes.index((b, a, odd)), rows * pitch // 2 + pairs) for b, a, odd, rows, pairs in places])
    blocks = -(-p.k // BLOCK) + len(planes) * -(-p.c // BLOCK)
    held = max(target.l2 // 2 // (2 * BLOCK * blocks), STEP)
    image = down.pitch() * pitch
    if image <= held:
        return Plan(p, min(p.n, held // image), p.oh, down.pitch(), pitch, planes, taps)
    rows = min(p.oh, max(1, held // pitch - down.furthest))
    return Plan(p, 1, rows, rows + down.furthest, pitch, planes, taps)


def _distinct(items: Iterable[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    return tuple(dict.fromkeys(items))


def _match(lowering: Lowering) -> Iterator[Decision]:
    target = lowering.target
    p = read_gradient(lowering, DType.BF16) if target.matrix_tiles and target.lanes == BLOCK else None
    if p is not None and not p.is_plain and p.groups == 1:
        yield Decision("conv_weight_tiles", plan_of(p, target))


def _lower(lowering: Lowering, plan: Plan) -> None:
    """One launch; see templates/conv_weight_tiles.c.j2."""
    p, geometry = plan.problem, plan.problem.geometry
    params: dict[str, Any] = {name: geometry[name] for name in ("N", "H", "W", "OH", "OW", "sy", "sx", "py", "px")} | p.strides | {
        "K": p.k, "C": p.c, "images": plan.images, "rows": plan.rows, "lines": plan.lines, "pitch": plan.pitch, "most": plan.pixels,
        "reach": plan.reach, "planes": len(plan.planes), "taps": len(plan.taps), "out_n": p.out.strides[0], "out_c": p.out.strides[1],
    }  # fmt: skip
    k_blocks, c_blocks = -(-p.k // BLOCK), -(-p.c // BLOCK)
    packed = 2 * BLOCK * (k_blocks * plan.pixels + len(plan.planes) * c_blocks * plan.reach)
    units = -(-k_blocks // 2) * -(-c_blocks // 2)
    lowering.emit(
        "conv_weight_tiles.c.j2", "conv_weight_grad_tiles", reads={"in": p.x, "grad": p.grad}, writes={"out": p.out}, params=params,
        flops=p.flops, bytes=p.bytes, scratch=SUMS * len(plan.taps) if plan.chunks == 1 else 0,
        shared_scratch=packed + (SUMS * len(plan.taps) * units if plan.chunks > 1 else 0),
        table=[number for row in (*plan.planes, *plan.taps) for number in row], named=len(params),
    )  # fmt: skip


CANDIDATES = (Candidate("conv_weight_tiles", _match, _lower),)
