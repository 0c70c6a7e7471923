"""Determinants: a plain kernel."""

from __future__ import annotations

from sol.codegen.decision import sole
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.types import DType


def find_det(lowering: Lowering) -> tuple[View, View]:
    """Matrices and results: float32 and float64, any strides."""
    anchor = lowering.anchor
    if anchor.type.dtype not in (DType.F32, DType.F64):
        raise UnsupportedError(f"det of {anchor.type.dtype}", origin=str(anchor.origin), remedy="cast to float32 before and back after it")
    return lowering.view(anchor.inputs[0]), lowering.view(anchor.name)


def lower_det(lowering: Lowering, found: tuple[View, View]) -> None:
    """One launch; see templates/matmul_det.c.j2."""
    a, out = found
    batch, size = a.shape[:-2], a.shape[-1]
    params: dict[str, DimLike] = {"N": size, "in_i": a.strides[-2], "in_j": a.strides[-1]}
    for d, count in enumerate(batch):
        params |= {f"B{d}": count, f"in_{d}": a.strides[d], f"out_{d}": out.strides[d]}
    lowering.emit(
        "matmul_det.c.j2",
        f"det_{a.dtype}",
        reads={"in": a},
        writes={"out": out},
        params=params,
        scratch=a.dtype.itemsize * size * size,
        flops=product(batch) * size * size * size,
        bytes=a.dtype.itemsize * product(a.shape),
        T=a.dtype.c, batch=len(batch),
    )  # fmt: skip


KERNELS = {"det": (sole("det", find_det, lower_det),)}
