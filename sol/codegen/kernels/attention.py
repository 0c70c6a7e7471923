"""Scaled dot-product attention: one kernel per region, the scores of a few queries at a time never leave the cache."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.decision import sole
from sol.codegen.kernels import attention_tiles
from sol.codegen.kernels.attention_heads import Heads, emit_attention, find_heads
from sol.codegen.kernels.loop_cost import loop_seconds, steps
from sol.codegen.kernels.matmul_cost import tile_cycles
from sol.codegen.kernels.matmul_narrow import LANES
from sol.codegen.kernels.matmul_rows import row_ladder, rows_per_tile
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.dim import DimLike, ceil_div
from sol.ir.types import DType

BYTES = 4
BLOCK = 8
"""Numbers of bfloat16 that fill a quarter of a vector."""
NV = 2  # vectors per panel: half the packing waste of three, and still not bound by loads


def lower_sdpa(lowering: Lowering, heads: Heads) -> None:
    """Keys in panels, which all queries of a head share."""
    v, target = heads.view("VALUE"), heads.target
    queries, keys, depth, features = map(heads.size, "LSEV")
    width, mr = NV * target.lanes, row_ladder(queries, rows_per_tile(target, NV))[0][0]
    most = target.machine.products.values_in_place
    often = most and isinstance(queries, int) and queries > most * mr
    in_place = v.strides[-1] == 1 and v.dtype is DType.F32 and not often
    pairs = multiplies_pairs(heads)
    params = heads.params_without(*(["VALUE_e"] if in_place or pairs else []), *(["K_e"] if pairs else []))
    key_floats, packed_features = ceil_div(keys, width) * width, width if in_place else ceil_div(features, width) * width
    scratch = key_floats * depth + packed_features * keys + mr * depth + mr * (key_floats + target.lanes)
    name = f"{heads.prefix}sdpa{'_pairs' if pairs else ''}"
    emit_attention(lowering, heads, "attention_sdpa.c.j2", name, 4 * scratch, params, mr=mr, nv=NV, values_in_place=in_place, pairs=pairs)


def multiplies_pairs(heads: Heads) -> bool:
    """Whether pairs of bfloat16 are multiplied and added up at once: neighbours in keys and values, keys of whole pairs."""
    k, v = heads.view("K"), heads.view("VALUE")
    whole = all(isinstance(size, int) and size % 2 == 0 for size in (k.shape[-1], k.strides[-2]))
    takes = heads.target.multiplies_pairs and heads.target.lanes == LANES
    return takes and k.dtype is DType.BF16 and k.strides[-1] == 1 == v.strides[-1] and whole


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
    heads, rows, costs = found.heads, found.rows, found.heads.target.machine.products
    lanes, budget = heads.target.lanes, heads.target.registers // 2
    nv = max(1, min(4, budget // rows))
    scratch = rows * (ceil_div(heads.size("E"), lanes) + ceil_div(heads.size("S"), lanes) + 1) * lanes
    group = 4 if rows * 4 <= budget else 2
    blocks = _in_blocks(heads, rows)
    group = 2 * group if blocks else group
    parts = 2 if rows * nv < budget else 1
    params = heads.params_without("L", "K_e", "VALUE_e")
    name = f"{heads.prefix}sdpa_few{rows}{'_blocks' if blocks else ''}"
    emit_attention(
        lowering, heads, "attention_few.c.j2", name, 4 * scratch, params, rows=rows, group=group, nv=nv, parts=parts,
        ahead=heads.target.l2 // 2, near=0 if costs.asked_twice else BYTES * costs.prefetch, blocks=blocks,
    )  # fmt: skip


def _in_blocks(heads: Heads, rows: int) -> int:
    """How many numbers of each key are multiplied at a time, each query having a quarter of a vector's lanes; 0 for other ways."""
    k = heads.view("K")
    depth = k.shape[-1]
    whole = isinstance(depth, int) and depth % BLOCK == 0
    return BLOCK if whole and k.dtype is DType.BF16 and rows == 4 and heads.target.lanes == 16 else 0


def few_seconds(found: Few, target: TargetLike) -> float | None:
    """Every key and value is read once for all queries of a head; each query takes a load and a multiply-add of it."""
    heads = found.heads
    products = heads.rows * heads.size("S") * (heads.size("E") + heads.size("V"))
    return loop_seconds(heads.bytes, _steps(heads, products, target), target)


def sdpa_seconds(heads: Heads, target: TargetLike) -> float | None:
    """Register tiles of queries and keys, which are packed once for a head: as many multiply-adds as a core starts, half of pairs."""
    queries, keys, depth, features = map(heads.size, "LSEV")
    products = heads.rows * keys * (depth + features)
    if not isinstance(products, int) or not isinstance(queries, int) or not queries:
        return None
    packed = heads.rows // queries * keys * depth
    core = target.machine.core
    rows = row_ladder(queries, rows_per_tile(target, NV))[0][0]
    cycles = tile_cycles(target, rows, NV) * core.loads / (rows * NV * (2 if multiplies_pairs(heads) else 1))
    return loop_seconds(heads.bytes, _steps(heads, round(products * cycles) + packed, target), target)


def _steps(heads: Heads, products: DimLike, target: TargetLike) -> DimLike:
    """Those of the products and of the softmax of all scores."""
    scores = heads.rows * heads.size("S")
    return products + steps(scores, scores, target) if isinstance(products, int) and isinstance(scores, int) else products


KERNELS = {
    "sdpa": (
        sole("few", find_few, lower_few, cost=few_seconds, ranked=False),
        attention_tiles.CANDIDATE,
        sole("sdpa", find_heads, lower_sdpa, cost=sdpa_seconds, ranked=False),
    ),
    "sdpa_dropped": (sole("sdpa", find_heads, lower_sdpa, cost=sdpa_seconds, ranked=False),),
}
