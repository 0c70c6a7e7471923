"""Max pooling: of bytes over sliding windows, row-major, by whole vectors of bytes; else as other poolings (pool.py)."""

from __future__ import annotations

from sol.codegen.kernels.pool import FAMILY, pool_sizes, pool_stem, pool_strides, pool_work, windows_of
from sol.codegen.lowering import Candidate, Lowering
from sol.ir.types import DType


def is_of_bytes(lowering: Lowering) -> bool:
    """Bytes in and out as they are, adjacent columns, at most two dimensions before the spatial ones."""
    pool = lowering.anchor
    x, kernel = lowering.type_of(pool.inputs[0]), pool.attrs["kernel"]
    if x.dtype not in (DType.U8, DType.I8) or lowering.output != pool.name or x.rank - len(kernel) > 2 or x.layout.block:
        return False
    return all(lowering.view(v).strides[-1] == 1 for v in (pool.inputs[0], pool.name))


def lower_bytes(lowering: Lowering) -> None:
    """One launch; see templates/pool_bytes.c.j2."""
    windows, pool = windows_of(lowering), lowering.anchor
    x, spatial = lowering.type_of(pool.inputs[0]), len(pool.attrs["kernel"])
    views = {"in": lowering.view(pool.inputs[0]), "out": lowering.view(pool.name)}
    strides = {k: v for name, view in views.items() for k, v in pool_strides(name, view, spatial).items() if not k.endswith("_x")}
    lead = (1, *x.shape[: x.rank - spatial])[-2:]
    length = windows.out[2] * windows.stride[2] + windows.kernel[2] * windows.dilation[2]
    lowering.emit(
        "pool_bytes.c.j2",
        f"{pool_stem(windows, False)}_{x.dtype}",
        reads={"in": views["in"]},
        writes={"out": views["out"]},
        params={"N": lead[0], "C": lead[1], **pool_sizes(windows), **strides},
        scratch=2 * length + 16 * lowering.target.lanes,
        **pool_work(lowering, windows),
        T=x.dtype.c,
        signed=x.dtype is DType.I8,
        lowest="0x80" if x.dtype is DType.I8 else "0",
    )


KERNELS = {"max_pool": (Candidate("pool_bytes", is_of_bytes, lower_bytes), *FAMILY)}
