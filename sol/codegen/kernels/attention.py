"""Scaled dot-product attention: one kernel per region, the scores of a few queries at a time never leave the cache."""

from __future__ import annotations

from sol.codegen.emit import c_float
from sol.codegen.kernels.matmul_rows import broadcast_strides, rows_per_tile
from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, ceil_div, product
from sol.ir.types import DType

NV = 2  # vectors per panel: half the packing waste of three, and still not bound by loads
GRAIN = 32768  # multiply-adds worth waking one more thread


def lower_sdpa(lowering: Lowering) -> None:
    """sdpa in f32, any batch dimensions and strides; the result's innermost stride is 1."""
    anchor = lowering.anchor
    _check(lowering)
    q, k, v = (lowering.view(x) for x in anchor.inputs[:3])
    out = lowering.view(anchor.name)
    mask = lowering.view(anchor.inputs[3]) if len(anchor.inputs) > 3 else None
    queries, features = q.shape[-2], v.shape[-1]
    keys, depth = k.shape[-2], k.shape[-1]
    target = lowering.target
    width = NV * target.lanes
    mr = rows_per_tile(target, NV, queries if isinstance(queries, int) else 8)
    operands = {"Q": q, "K": k, "VALUE": v, "OUT": out} | ({"MASK": mask} if mask else {})
    batch = anchor.type.shape[:-2]
    params: dict[str, DimLike] = {"L": queries, "S": keys, "E": depth, "V": features}
    params |= {"Q_l": q.strides[-2], "Q_e": q.strides[-1], "K_s": k.strides[-2], "K_e": k.strides[-1]}
    params |= {"VALUE_s": v.strides[-2], "VALUE_e": v.strides[-1], "OUT_l": out.strides[-2]}
    if mask:
        params["MASK_l"], params["MASK_s"] = _mask_strides(mask)
    for d, size in enumerate(batch):
        params[f"B{d}"] = size
        for name, view in operands.items():
            params[f"{name}_{d}"] = broadcast_strides(view.shape[:-2], view.strides[: len(view.shape) - 2], len(batch))[d]
    key_floats = ceil_div(keys, width) * width
    scratch = key_floats * depth + ceil_div(features, width) * width * keys + mr * depth + mr * (key_floats + target.lanes)
    kind = {None: "", DType.BOOL: "bool", DType.F32: "float"}[mask.dtype if mask else None]
    causal = bool(anchor.attrs["causal"])
    lowering.emit(
        "attention_sdpa.c.j2",
        "_".join(["sdpa"] + (["causal"] if causal else []) + ([f"{kind}_mask"] if kind else [])),
        reads={n: x for n, x in operands.items() if n != "OUT"},
        writes={"OUT": out},
        params=params,
        scratch=4 * scratch,
        flops=2 * product(batch) * queries * keys * (depth + features),
        bytes=4 * (product(q.shape) + product(k.shape) + product(v.shape) + product(out.shape)),
        mr=mr, nv=NV, mask=kind, causal=causal, scale=c_float(anchor.attrs["scale"]), batch=len(batch), grain=GRAIN,
        batch_size=" * ".join(f"B{d}" for d in range(len(batch))) or "1",
    )  # fmt: skip


def _mask_strides(mask: View) -> tuple[DimLike, DimLike]:
    """Element strides along queries and keys; 0 where the mask is broadcast."""
    rank = len(mask.shape)
    keys = 0 if rank < 1 or mask.shape[-1] == 1 else mask.strides[-1]
    queries = 0 if rank < 2 or mask.shape[-2] == 1 else mask.strides[-2]
    return queries, keys


def _check(lowering: Lowering) -> None:
    anchor = lowering.anchor
    origin = str(lowering.region.origin)
    if anchor.type.dtype is not DType.F32:
        raise UnsupportedError(f"sdpa of {anchor.type.dtype}", origin=origin, remedy="run the attention in float32")
    if lowering.output != anchor.name:
        raise UnsupportedError("sdpa with fused pointwise ops", origin=origin, remedy="keep them in a region of their own")
    if anchor.type.shape[-1] != 1 and lowering.view(anchor.name).strides[-1] != 1:
        raise UnsupportedError("sdpa into a result whose features lie apart", origin=origin, remedy="copy the result")


KERNELS = {"sdpa": (Candidate("sdpa", lambda lowering: True, lower_sdpa),)}
