"""Attention by matrix tiles (AMX): operands of bfloat16, or numbers of float32 as three of bfloat16 (split_product.py).

Scores of 32 queries and a slice of the keys at a time never leave the first caches, however many keys there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sol.codegen.decision import sole
from sol.codegen.kernels.attention_heads import Heads, emit_attention, find_heads
from sol.codegen.kernels.loop_cost import loop_seconds, steps
from sol.codegen.kernels.matmul_blocks import ceil_div as whole_pieces
from sol.codegen.kernels.split_product import (
    FEW_UNITS,
    NUMBER,
    PARTS,
    PRODUCTS,
    SHARE,
    SIDE,
    SLICE,
    STEP,
    STEPS,
    WIDTH,
    part_loads,
)
from sol.codegen.lowering import Lowering, TargetLike
from sol.ir.dim import ceil_div
from sol.ir.types import DType

WHOLE = (((0, 0),),)
"""The products of numbers that are bfloat16."""
HALF = 2
"""Bytes of such a number."""
MOST_ROWS = 128
"""Queries of a unit at most: keys and values that no second-level cache holds come from far for each unit."""


@dataclass(frozen=True)
class Tiled:
    """Attention of ``high`` queries of a head at a time, depth and features of which are known."""

    heads: Heads
    depth: int
    features: int
    high: int

    @property
    def is_narrow(self) -> bool:
        return self.heads.view("Q").dtype is DType.BF16

    @property
    def number(self) -> int:
        """Bytes of a number as tiles take it."""
        return HALF if self.is_narrow else NUMBER


def find_tiled(lowering: Lowering) -> Tiled | None:
    """bfloat16 or float32 of up to 128 features that are multiplied, on a processor with matrix tiles."""
    target = lowering.target
    if not target.matrix_tiles or target.lanes != SIDE:
        return None
    heads = find_heads(lowering)
    if heads is None:
        return None
    depth, features = heads.size("E"), heads.size("V")
    if not isinstance(depth, int) or not isinstance(features, int) or not 0 < depth <= SLICE or not features:
        return None
    found = Tiled(heads, depth, features, WIDTH)
    return replace(found, high=_queries_of_unit(found, target))


def _queries_of_unit(found: Tiled, target: TargetLike) -> int:
    """A multiple of 32: more than 32 where keys and values of a head do not fit the second-level cache."""
    queries, keys = found.heads.size("L"), found.heads.size("S")
    if not isinstance(queries, int) or not isinstance(keys, int):
        return WIDTH
    if keys * (found.depth + found.features) * found.number <= SHARE * target.l2:
        return WIDTH
    heads = found.heads.rows // max(1, queries)
    high = MOST_ROWS
    while high > WIDTH and isinstance(heads, int) and heads * ceil_div(queries, high) < FEW_UNITS * target.team:
        high -= WIDTH
    return high


def lower_tiled(lowering: Lowering, found: Tiled) -> None:
    """See templates/attention_tiles.c.j2."""
    heads, high = found.heads, found.high
    tiles, panels, key_steps = ceil_div(found.features, SIDE), ceil_div(found.features, WIDTH), ceil_div(heads.size("S"), STEP)
    depths, side = ceil_div(found.depth, STEP), WIDTH // SIDE
    floats = (STEPS + 1 + high // WIDTH * panels) * WIDTH * WIDTH + high // WIDTH * 3 * WIDTH
    in_tiles = STEPS * side + high // SIDE * depths + key_steps * (side * depths + tiles)
    phases = WHOLE if found.is_narrow else PARTS
    emit_attention(
        lowering,
        heads,
        "attention_tiles.c.j2",
        "bf16_sdpa_tiles" if found.is_narrow else "sdpa_split",
        4 * floats + in_tiles * SIDE * STEP * found.number,
        {**heads.params_without("E", "V"), "high": high},
        depth=found.depth, features=found.features,
        parts=tuple(map(part_loads, phases)), steps=STEPS, on_the_way=False, turned=False, streams=(),
    )  # fmt: skip


def pays(found: Tiled, target: TargetLike) -> bool:
    """Whether the tiles take less time than multiply-adds of vectors; of bfloat16 they always do."""
    queries, keys = found.heads.size("L"), found.heads.size("S")
    if found.is_narrow:
        return True
    if not isinstance(queries, int) or not isinstance(keys, int) or not isinstance(found.heads.rows, int):
        return False
    return _cycles(found, queries, keys, target) < _vector_cycles(found, queries, keys, target)


def _cycles(found: Tiled, queries: int, keys: int, target: TargetLike) -> float:
    """Of a head's products, and of laying operands and weights out."""
    tiles, products = target.machine.tiles, 1 if found.is_narrow else PRODUCTS
    scores = whole_pieces(keys, SIDE) * whole_pieces(found.depth, STEP)
    results = whole_pieces(found.features, SIDE) * whole_pieces(keys, STEP)
    dots = whole_pieces(queries, SIDE) * (scores + results)
    right, left = keys * (found.depth + found.features), queries * (found.depth + keys)
    return dots * products * tiles.dot + right * tiles.right + left * tiles.left


def _vector_cycles(found: Tiled, queries: int, keys: int, target: TargetLike) -> float:
    return queries * keys * (found.depth + found.features) / target.lanes / target.machine.core.multiply_adds


def tiled_seconds(found: Tiled, target: TargetLike) -> float | None:
    """Products of tiles, and the softmax of all scores by vectors."""
    heads = found.heads
    queries, keys = heads.size("L"), heads.size("S")
    if not isinstance(queries, int) or not isinstance(keys, int) or not isinstance(heads.rows, int) or not queries:
        return None
    core, scores = target.machine.core, heads.rows * keys
    tiles = heads.rows // queries * _cycles(found, queries, keys, target) * target.lanes * core.loads
    return loop_seconds(heads.bytes, round(tiles) + steps(scores, scores, target), target)


CANDIDATE = sole("tiles", find_tiled, lower_tiled, pays, tiled_seconds, ranked=False)
