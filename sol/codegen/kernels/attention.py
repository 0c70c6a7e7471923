"""Scaled dot-product attention: one kernel per region, the scores of a few queries at a time never leave the cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sol.codegen.emit import c_float
from sol.codegen.kernels.matmul_rows import broadcast_strides, row_ladder, rows_per_tile
from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, ceil_div, product
from sol.ir.types import DType

NV = 2  # vectors per panel: half the packing waste of three, and still not bound by loads
STRETCH = 256  # keys, and vectors of a row of weights, that are added up one after the other: rounding errors grow with their number


@dataclass(frozen=True)
class _Heads:
    """What both kernels are told: operands, sizes and strides, and the options of their templates."""

    operands: dict[str, View]
    params: dict[str, DimLike]
    context: dict[str, Any]
    stem: str

    def view(self, name: str) -> View:
        return self.operands[name]


def _describe(lowering: Lowering) -> _Heads:
    """sdpa in f32, any batch dimensions and strides; the result's innermost stride is 1."""
    anchor = lowering.anchor
    _check(lowering)
    q, k, v = (lowering.view(x) for x in anchor.inputs[:3])
    out = lowering.view(anchor.name)
    mask = lowering.view(anchor.inputs[3]) if len(anchor.inputs) > 3 else None
    operands = {"Q": q, "K": k, "VALUE": v, "OUT": out} | ({"MASK": mask} if mask else {})
    batch = anchor.type.shape[:-2]
    params: dict[str, DimLike] = {"L": q.shape[-2], "S": k.shape[-2], "E": k.shape[-1], "V": v.shape[-1]}
    params |= {"Q_l": q.strides[-2], "Q_e": q.strides[-1], "K_s": k.strides[-2], "K_e": k.strides[-1]}
    params |= {"VALUE_s": v.strides[-2], "VALUE_e": v.strides[-1], "OUT_l": out.strides[-2]}
    if mask:
        params["MASK_l"], params["MASK_s"] = _mask_strides(mask)
    for d, size in enumerate(batch):
        params[f"B{d}"] = size
        for name, view in operands.items():
            params[f"{name}_{d}"] = broadcast_strides(view.shape[:-2], view.strides[: len(view.shape) - 2], len(batch))[d]
    kind = {None: "", DType.BOOL: "bool", DType.F32: "float"}[mask.dtype if mask else None]
    causal = bool(anchor.attrs["causal"])
    context = {
        "mask": kind, "causal": causal, "scale": c_float(anchor.attrs["scale"]), "batch": len(batch),
        "grain": lowering.target.machine.team.grain,
        "batch_size": " * ".join(f"B{d}" for d in range(len(batch))) or "1", "q_step": "1" if q.strides[-1] == 1 else "Q_e",
    }  # fmt: skip
    if context["q_step"] == "1":
        del params["Q_e"]
    return _Heads(operands, params, context, "_".join((["causal"] if causal else []) + ([f"{kind}_mask"] if kind else [])))


def _emit(lowering: Lowering, heads: _Heads, template: str, stem: str, scratch: DimLike, **context: Any) -> None:
    q, k, v, out = (heads.view(n) for n in ("Q", "K", "VALUE", "OUT"))
    rows = product(lowering.anchor.type.shape[:-2]) * q.shape[-2]
    lowering.emit(
        template,
        stem + (f"_{heads.stem}" if heads.stem else ""),
        reads={n: x for n, x in heads.operands.items() if n != "OUT"},
        writes={"OUT": out},
        params=heads.params,
        scratch=4 * scratch,
        flops=2 * rows * k.shape[-2] * (k.shape[-1] + v.shape[-1]),
        bytes=4 * (product(q.shape) + product(k.shape) + product(v.shape) + product(out.shape)),
        stretch=STRETCH,
        **heads.context,
        **context,
    )


def lower_sdpa(lowering: Lowering) -> None:
    """Keys in panels, which all queries of a head share."""
    heads = _describe(lowering)
    v, target = heads.view("VALUE"), lowering.target
    queries, keys, depth, features = (heads.params[n] for n in "LSEV")
    width, in_place = NV * target.lanes, v.strides[-1] == 1
    mr = row_ladder(queries, rows_per_tile(target, NV))[0][0]
    if in_place:
        del heads.params["VALUE_e"]
    key_floats, packed_features = ceil_div(keys, width) * width, width if in_place else ceil_div(features, width) * width
    scratch = key_floats * depth + packed_features * keys + mr * depth + mr * (key_floats + target.lanes)
    _emit(lowering, heads, "attention_sdpa.c.j2", "sdpa", scratch, mr=mr, nv=NV, values_in_place=in_place)


def has_few_queries(lowering: Lowering) -> bool:
    """So few queries per head that keys are read too seldom for panels of them to pay."""
    q, k, v = lowering.anchor.inputs[:3]
    queries = lowering.type_of(q).shape[-2]
    along = all(lowering.view(x).strides[-1] == 1 for x in (k, v))
    few = lowering.target.machine.products.queries
    return lowering.type_of(q).dtype is DType.F32 and along and isinstance(queries, int) and 1 <= queries <= few


def lower_few(lowering: Lowering) -> None:
    """Keys and values where they lie."""
    heads = _describe(lowering)
    target = lowering.target
    rows = lowering.type_of(lowering.anchor.inputs[0]).shape[-2]
    assert isinstance(rows, int)  # has_few_queries asks for it
    for name in ("L", "K_e", "VALUE_e"):
        del heads.params[name]
    lanes, budget = target.lanes, target.registers // 2
    nv = max(1, min(4, budget // rows))
    scratch = rows * (ceil_div(heads.params["E"], lanes) + ceil_div(heads.params["S"], lanes) + 1) * lanes
    group = 4 if rows * 4 <= budget else 2
    parts = 2 if rows * nv < budget else 1
    _emit(lowering, heads, "attention_few.c.j2", f"sdpa_few{rows}", scratch, rows=rows, group=group, nv=nv, parts=parts)


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


KERNELS = {"sdpa": (Candidate("few", has_few_queries, lower_few), Candidate("sdpa", lambda lowering: True, lower_sdpa))}
