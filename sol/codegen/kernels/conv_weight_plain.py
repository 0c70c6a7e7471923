"""Gradients of convolutions for their weights over one to three dimensions, whatever the shape: one weight after the other."""

from __future__ import annotations

from sol.codegen.decision import sole
from sol.codegen.kernels.blocked import spatial3
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.types import DType


def find_plain(lowering: Lowering) -> tuple[View, View, View] | None:
    """Input, gradient and result: row-major float32 and float64, any strides."""
    anchor = lowering.anchor
    views = lowering.view(anchor.inputs[0]), lowering.view(anchor.inputs[1]), lowering.view(anchor.name)
    if any(v.layout.block for v in views):
        return None
    for view in views:
        if view.dtype not in (DType.F32, DType.F64):
            raise UnsupportedError(f"{anchor.op} of {view.dtype} values", origin=str(anchor.origin), remedy="give it float32 values")
    return views


def lower_plain(lowering: Lowering, found: tuple[View, View, View]) -> None:
    """One launch; see templates/conv_weight_plain.c.j2."""
    x, grad, out = found
    attrs = lowering.anchor.attrs
    params: dict[str, DimLike] = {"N": x.shape[0], "G": attrs["groups"], "K": out.shape[0], "C": out.shape[1]}
    sizes = {"ID IH IW": x.shape[2:], "D H W": grad.shape[2:], "KD R S": out.shape[2:]}
    sizes |= {"sz sy sx": attrs["stride"], "dz dy dx": attrs["dilation"]}
    for names, values in sizes.items():
        params |= dict(zip(names.split(), spatial3(values, 1)))
    params |= dict(zip(("lo_z", "lo_y", "lo_x"), spatial3([lo for lo, _ in attrs["padding"]], 0)))
    for name, view in (("in", x), ("grad", grad), ("out", out)):
        params |= dict(zip((f"{name}_{a}" for a in "nczyx"), (*view.strides[:2], *spatial3(view.strides[2:], 0))))
    lowering.emit(
        "conv_weight_plain.c.j2",
        f"conv_weight_grad_plain_{x.dtype}",
        reads={"in": x, "grad": grad},
        writes={"out": out},
        params=params,
        flops=2 * product(out.shape[1:]) * product(grad.shape),
        bytes=x.dtype.itemsize * (product(x.shape) + product(grad.shape) + product(out.shape)),
        T=x.dtype.c,
    )  # fmt: skip


CANDIDATES = (sole("conv_weight_plain", find_plain, lower_plain),)
