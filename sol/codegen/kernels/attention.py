"""Scaled dot-product attention: one kernel per region, the scores of a few queries at a time never leave the cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sol.codegen.decision import sole
from sol.codegen.emit import c_float
from sol.codegen.kernels.loop_cost import loop_seconds, steps
from sol.codegen.kernels.matmul_cost import tile_cycles
from sol.codegen.kernels.matmul_rows import broadcast_strides, row_ladder, rows_per_tile
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, ceil_div, product
from sol.ir.graph import Attrs
from sol.ir.types import DType

NV = 2  # vectors per panel: half the packing waste of three, and still not bound by loads
STRETCH = 256  # keys, and vectors of a row of weights, that are added up one after the other: rounding errors grow with their number


@dataclass(frozen=True)
class Heads:
    """What both kernels are told: operands, sizes and strides by their names in the templates.

    context: options of the templates. stem: what of them the kernel's name tells. rows: queries of all heads.
    """

    operands: tuple[tuple[str, View], ...]
    params: tuple[tuple[str, DimLike], ...]
    context: Attrs
    stem: str
    rows: DimLike
    target: TargetLike

    def view(self, name: str) -> View:
        return dict(self.operands)[name]

    def size(self, name: str) -> DimLike:
        return dict(self.params)[name]

    @property
    def bytes(self) -> DimLike:
        """Of all operands and the result."""
        return sum((v.dtype.itemsize * product(v.shape) for _, v in self.operands), start=0)

    def params_without(self, *names: str) -> dict[str, DimLike]:
        return {k: v for k, v in self.params if k not in names}


def find_heads(lowering: Lowering) -> Heads | None:
    """sdpa in f32, any batch dimensions and strides; the result's innermost stride is 1."""
    anchor = lowering.anchor
    if not _is_served(lowering):
        return None
    q, k, v = (lowering.view(x) for x in anchor.inputs[:3])
    out = lowering.view(anchor.name)
    mask = lowering.view(anchor.inputs[3]) if len(anchor.inputs) > 3 else None
    operands = {"Q": q, "K": k, "VALUE": v, "OUT": out} | ({"MASK": mask} if mask else {})
    batch = anchor.type.shape[:-2]
    params: dict[str, DimLike] = {"L": q.shape[-2], "S": k.shape[-2], "E": k.shape[-1], "V": v.shape[-1]}
    params |= {"Q_l": q.strides[-2]} | ({} if q.strides[-1] == 1 else {"Q_e": q.strides[-1]})
    params |= {"K_s": k.strides[-2], "K_e": k.strides[-1]}
    params |= {"VALUE_s": v.strides[-2], "VALUE_e": v.strides[-1], "OUT_l": out.strides[-2]}
    if mask:
        params["MASK_l"], params["MASK_s"] = mask_strides(mask)
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
    stem = "_".join((["causal"] if causal else []) + ([f"{kind}_mask"] if kind else []))
    return Heads(tuple(operands.items()), tuple(params.items()), Attrs(context), stem, product(batch) * q.shape[-2], lowering.target)


def _emit(
    lowering: Lowering, heads: Heads, template: str, stem: str, scratch: DimLike, params: dict[str, DimLike], **context: Any
) -> None:
    q, k, v, out = (heads.view(n) for n in ("Q", "K", "VALUE", "OUT"))
    lowering.emit(
        template,
        stem + (f"_{heads.stem}" if heads.stem else ""),
        reads={n: x for n, x in heads.operands if n != "OUT"},
        writes={"OUT": out},
        params=params,
        scratch=4 * scratch,
        flops=2 * heads.rows * k.shape[-2] * (k.shape[-1] + v.shape[-1]),
        bytes=4 * (product(q.shape) + product(k.shape) + product(v.shape) + product(out.shape)),
        stretch=STRETCH,
        **heads.context,
        **context,
    )


def lower_sdpa(lowering: Lowering, heads: Heads) -> None:
    """Keys in panels, which all queries of a head share."""
    v, target = heads.view("VALUE"), heads.target
    queries, keys, depth, features = map(heads.size, "LSEV")
    width, in_place = NV * target.lanes, v.strides[-1] == 1
    mr = row_ladder(queries, rows_per_tile(target, NV))[0][0]
    params = heads.params_without("VALUE_e") if in_place else heads.params_without()
    key_floats, packed_features = ceil_div(keys, width) * width, width if in_place else ceil_div(features, width) * width
    scratch = key_floats * depth + packed_features * keys + mr * depth + mr * (key_floats + target.lanes)
    _emit(lowering, heads, "attention_sdpa.c.j2", "sdpa", scratch, params, mr=mr, nv=NV, values_in_place=in_place)


@dataclass(frozen=True)
class Few:
    """Attention of ``rows`` queries per head."""

    heads: Heads
    rows: int


def find_few(lowering: Lowering) -> Few | None:
    """So few queries per head that keys are read too seldom for panels of them to pay."""
    heads = find_heads(lowering)
    if heads is None or any(heads.view(n).strides[-1] != 1 for n in ("K", "VALUE")):
        return None
    queries, few = heads.size("L"), lowering.target.machine.products.queries
    return Few(heads, queries) if isinstance(queries, int) and 1 <= queries <= few else None


def lower_few(lowering: Lowering, found: Few) -> None:
    """Keys and values where they lie."""
    heads, rows = found.heads, found.rows
    lanes, budget = heads.target.lanes, heads.target.registers // 2
    nv = max(1, min(4, budget // rows))
    scratch = rows * (ceil_div(heads.size("E"), lanes) + ceil_div(heads.size("S"), lanes) + 1) * lanes
    group = 4 if rows * 4 <= budget else 2
    parts = 2 if rows * nv < budget else 1
    params = heads.params_without("L", "K_e", "VALUE_e")
    _emit(lowering, heads, "attention_few.c.j2", f"sdpa_few{rows}", scratch, params, rows=rows, group=group, nv=nv, parts=parts)


def mask_strides(mask: View) -> tuple[DimLike, DimLike]:
    """Element strides along queries and keys; 0 where the mask is broadcast."""
    rank = len(mask.shape)
    keys = 0 if rank < 1 or mask.shape[-1] == 1 else mask.strides[-1]
    queries = 0 if rank < 2 or mask.shape[-2] == 1 else mask.strides[-2]
    return queries, keys


def _is_served(lowering: Lowering) -> bool:
    """Whether nothing is fused; UnsupportedError for what even an attention alone must not be."""
    anchor = lowering.anchor
    origin = str(lowering.region.origin)
    if anchor.type.dtype is not DType.F32:
        raise UnsupportedError(f"sdpa of {anchor.type.dtype}", origin=origin, remedy="run the attention in float32")
    if anchor.type.shape[-1] != 1 and lowering.view(anchor.name).strides[-1] != 1:
        raise UnsupportedError("sdpa into a result whose features lie apart", origin=origin, remedy="copy the result")
    return lowering.output == anchor.name


def few_seconds(found: Few, target: TargetLike) -> float | None:
    """Every key and value is read once for all queries of a head; each query takes a load and a multiply-add of it."""
    heads = found.heads
    products = heads.rows * heads.size("S") * (heads.size("E") + heads.size("V"))
    return loop_seconds(heads.bytes, _steps(heads, products, target), target)


def sdpa_seconds(heads: Heads, target: TargetLike) -> float | None:
    """Register tiles of queries and keys, which are packed once for a head: as many multiply-adds as a core starts."""
    queries, keys, depth, features = map(heads.size, "LSEV")
    products = heads.rows * keys * (depth + features)
    if not isinstance(products, int) or not isinstance(queries, int) or not queries:
        return None
    packed = heads.rows // queries * keys * depth
    core = target.machine.core
    rows = row_ladder(queries, rows_per_tile(target, NV))[0][0]
    cycles = tile_cycles(target, rows, NV) * core.loads / (rows * NV)
    return loop_seconds(heads.bytes, _steps(heads, round(products * cycles) + packed, target), target)


def _steps(heads: Heads, products: DimLike, target: TargetLike) -> DimLike:
    """Those of the products and of the softmax of all scores."""
    scores = heads.rows * heads.size("S")
    return products + steps(scores, scores, target) if isinstance(products, int) and isinstance(scores, int) else products


KERNELS = {
    "sdpa": (
        sole("few", find_few, lower_few, cost=few_seconds, ranked=False),
        sole("sdpa", find_heads, lower_sdpa, cost=sdpa_seconds, ranked=False),
    )
}
