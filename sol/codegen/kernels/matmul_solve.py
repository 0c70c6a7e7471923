"""Triangular systems: row after row, for a few vectors of right sides at a time."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.kernels.loop_cost import loop_seconds
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.types import DType

BYTES = 64
"""Of the vectors that the compiler splits where a processor's are shorter."""
RIGHT_SIDES = 4
"""Vectors of right sides that are solved at once."""


@dataclass(frozen=True)
class Systems:
    """Matrices, right sides and results in memory."""

    a: View
    b: View
    out: View

    @property
    def flops(self) -> DimLike:
        """A multiply-add for each known row."""
        return product(self.b.shape) * self.a.shape[-1]

    @property
    def bytes(self) -> DimLike:
        return self.a.dtype.itemsize * (product(self.a.shape) + 2 * product(self.b.shape))


def find_solve(lowering: Lowering) -> Systems:
    """float32 and float64, any strides."""
    anchor = lowering.anchor
    if anchor.type.dtype not in (DType.F32, DType.F64):
        remedy = "cast to float32 before and back after it"
        raise UnsupportedError(f"solve_triangular of {anchor.type.dtype}", origin=str(anchor.origin), remedy=remedy)
    return Systems(lowering.view(anchor.inputs[0]), lowering.view(anchor.inputs[1]), lowering.view(anchor.name))


def lower_solve(lowering: Lowering, found: Systems) -> None:
    """One launch; see templates/matmul_solve.c.j2."""
    a, b, out, attrs = found.a, found.b, found.out, lowering.anchor.attrs
    params: dict[str, DimLike] = {"N": a.shape[-1], "M": b.shape[-1]}
    for name, view in (("a", a), ("b", b), ("out", out)):
        params |= {f"{name}_i": view.strides[-2], f"{name}_j": view.strides[-1]}
    for d, count in enumerate(a.shape[:-2]):
        params |= {f"B{d}": count, **{f"{name}_{d}": view.strides[d] for name, view in (("a", a), ("b", b), ("out", out))}}
    kind = ("upper" if attrs["upper"] else "lower") + ("_unit" if attrs["unit"] else "")
    lowering.emit(
        "matmul_solve.c.j2", f"solve_{kind}_{a.dtype}", reads={"a": a, "b": b}, writes={"out": out}, params=params,
        scratch=RIGHT_SIDES * BYTES * a.shape[-1], flops=found.flops, bytes=found.bytes, T=a.dtype.c, lanes=BYTES // a.dtype.itemsize,
        vectors=RIGHT_SIDES, vector_bytes=BYTES, upper=bool(attrs["upper"]), unit=bool(attrs["unit"]), batch=len(a.shape) - 2,
    )  # fmt: skip


def solve_seconds(found: Systems, target: TargetLike) -> float | None:
    """Multiply-adds against what is moved."""
    return loop_seconds(found.bytes, found.flops, target)


KERNELS = {"solve_triangular": (sole("solve", find_solve, lower_solve, cost=solve_seconds, ranked=False),)}
