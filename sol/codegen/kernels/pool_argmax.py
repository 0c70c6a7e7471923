"""Positions of the largest elements of pooling windows: a kernel that compares rows tap by tap."""

from __future__ import annotations

from sol.codegen.kernels.blocked import spatial3
from sol.codegen.kernels.pool import COMPUTED
from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, bounds, product

WORD = 8
"""Bytes that hold any element and any place."""


def lower_argmax(lowering: Lowering) -> None:
    """One launch; see templates/pool_argmax.c.j2. One or two dimensions before the spatial ones; any dtype of COMPUTED."""
    pool = lowering.anchor
    x, out, attrs = lowering.view(pool.inputs[0]), lowering.view(pool.name), pool.attrs
    spatial = len(attrs["kernel"])
    if x.dtype not in COMPUTED or len(x.shape) - spatial > 2:
        raise UnsupportedError(
            f"{pool.op} of {lowering.type_of(pool.inputs[0])}", origin=str(pool.origin),
            remedy="cast to float32, and reshape the leading dimensions into one",
        )  # fmt: skip
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


KERNELS = {"argmax_pool": (Candidate("argmax_pool", lambda lowering: True, lower_argmax),)}
