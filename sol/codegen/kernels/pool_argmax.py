"""Positions of the largest elements of pooling windows: a kernel that compares rows tap by tap."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.kernels.blocked import spatial3
from sol.codegen.kernels.pool import COMPUTED
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, bounds, product
from sol.ir.graph import Attrs

WORD = 8
"""Bytes that hold any element and any place."""


@dataclass(frozen=True)
class Argmax:
    """Windows over ``x``. attrs: of the op."""

    x: View
    out: View
    attrs: Attrs


def find_argmax(lowering: Lowering) -> Argmax:
    """One or two dimensions before the spatial ones; any dtype of COMPUTED."""
    pool = lowering.anchor
    found = Argmax(lowering.view(pool.inputs[0]), lowering.view(pool.name), pool.attrs)
    if found.x.dtype not in COMPUTED or len(found.x.shape) - len(pool.attrs["kernel"]) > 2:
        raise UnsupportedError(
            f"{pool.op} of {lowering.type_of(pool.inputs[0])}", origin=str(pool.origin),
            remedy="cast to float32, and reshape the leading dimensions into one",
        )  # fmt: skip
    return found


def lower_argmax(lowering: Lowering, found: Argmax) -> None:
    """One launch; see templates/pool_argmax.c.j2."""
    x, out, attrs = found.x, found.out, found.attrs
    spatial = len(attrs["kernel"])
    lead = (1, *x.shape[: len(x.shape) - spatial])[-2:]
    params: dict[str, DimLike] = {"N": lead[0], "C": lead[1]}
    params |= dict(zip(("ID", "IH", "IW"), spatial3(x.shape[-spatial:], 1))) | dict(zip("DHW", spatial3(out.shape[-spatial:], 1)))
    for names, attr in ((("KD", "R", "S"), "kernel"), (("sz", "sy", "sx"), "stride"), (("dz", "dy", "dx"), "dilation")):
        params |= dict(zip(names, spatial3(attrs[attr], 1)))
    params |= dict(zip(("lo_z", "lo_y", "lo_x"), spatial3([lo for lo, _ in attrs["padding"]], 0)))
    params |= _strides("in", x, spatial) | _strides("out", out, spatial)
    place = "int32_t" if bounds(product(x.shape[-spatial:]))[1] < 2**31 else "int64_t"
    lowering.emit(
        "pool_argmax.c.j2",
        f"argmax_pool_{x.dtype}",
        reads={"in": x},
        writes={"out": out},
        params=params,
        flops=product(attrs["kernel"]) * product(out.shape),
        bytes=x.dtype.itemsize * product(x.shape) + 8 * product(out.shape),
        scratch=2 * WORD * out.shape[-1], places=f"{WORD} * W",
        T=x.dtype.c, A=COMPUTED[x.dtype][0], P=place, is_float=x.dtype.is_float, column_major=bool(attrs["column_major"]),
    )  # fmt: skip


def _strides(prefix: str, view: View, spatial: int) -> dict[str, DimLike]:
    lead = (0, *view.strides[: len(view.strides) - spatial])[-2:]
    return dict(zip((f"{prefix}_{a}" for a in "nczyx"), (*lead, *spatial3(view.strides[-spatial:], 0))))


KERNELS = {"argmax_pool": (sole("argmax_pool", find_argmax, lower_argmax),)}
