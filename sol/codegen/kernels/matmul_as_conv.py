"""A matrix product as a 1x1 convolution, so that what multiplies less serves both: its rows are the pixels of a map of one column.

Channels of a row lie one behind the other where those of an image lie in blocks; strides say all of that. Source and sink are then memory,
the columns of the right operand are the filters, and what is fused behind the product is the convolution's pointwise epilogue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from sol.codegen.decision import Candidate, Decision
from sol.codegen.epilogue import Epilogue, EpilogueOperand
from sol.codegen.kernels import conv_direct, conv_inner_product
from sol.codegen.kernels.conv_problem import Problem
from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.kernels.conv_source import Source
from sol.codegen.kernels.matmul_cost import streaming_seconds
from sol.codegen.kernels.matmul_product import Product, float32_product
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.types import Layout


def rows_problem(lowering: Lowering) -> Problem | None:
    """A linear layer as a convolution; None unless its weights are constant and its number of rows is fixed, nor where the last vector of
    inputs or outputs is no whole one and weights change from call to call, in which padded panels would be kept between them. Batches
    whose rows do not lie evenly are the images of a convolution."""
    if lowering.problem is None:
        lowering.problem = (_read(lowering),)
    found: Problem | None = lowering.problem[0]
    return found


def _read(lowering: Lowering) -> Problem | None:
    p, node, lanes = float32_product(lowering), lowering.anchor, lowering.target.lanes
    if p is None or not p.constant or not p.transposed or (p.bias and not p.constant_bias) or p.a_k != 1 or p.c_n != 1:
        return None
    k, n, rows = p.k, p.n, p.loops.rows
    if not (isinstance(k, int) and isinstance(n, int) and isinstance(rows, int)) or 0 in (k, n, rows):
        return None
    if (k % lanes or n % lanes) and p.target.repacks:
        return None
    if len(p.loops.batch) > 1:
        return None
    conv = Conv(node, p.loops.batch_size, k, n, rows, 1, rows, 1, (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), 1)
    out = _map(p, "C", p.out, n, lanes)
    return Problem(conv, Source("rows", (_map(p, "A", p.a, k, lanes),)), None, out, _epilogue(p, lanes), False, lanes)


def _strides(p: Product, name: str, lanes: int, lane: int = 1) -> tuple[DimLike, ...]:
    """Strides of an operand as of a blocked tensor: image, channel block, row, column, lane."""
    batch = p.loops.batch_strides[name][0] if p.loops.batch else 0
    return batch, lanes * lane, p.loops.row_strides[name], lanes, lane


def _map(p: Product, name: str, view: View, channels: int, lanes: int) -> View:
    shape = (p.loops.batch_size, -(-channels // lanes), p.loops.rows, 1, lanes)
    return replace(view, shape=shape, strides=_strides(p, name, lanes), layout=Layout(lanes), channels=channels)


def _epilogue(p: Product, lanes: int) -> Epilogue:
    """The epilogue with its operands' strides as of blocked tensors."""

    def strides(o: EpilogueOperand) -> tuple[DimLike, ...]:
        return _strides(p, o.name, lanes, o.lane_stride) if o.kind == "tile" else (0, lanes * o.lane_stride, 0, 0, o.lane_stride)

    return replace(p.epilogue, operands=tuple(replace(o, strides=strides(o)) for o in p.epilogue.operands))


def _by_rows(candidate: Candidate, weight_passes: Callable[[Any, TargetLike], float]) -> Candidate:
    """A product of convolutions for linear layers, where its predicted time is the shortest.

    weight_passes: how often a team reads all weights.
    """

    def match(lowering: Lowering) -> Iterable[Decision]:
        return candidate.match(lowering) if rows_problem(lowering) else ()

    def seconds(found: Any, target: TargetLike) -> float | None:
        computing = candidate.cost(found, target) if candidate.cost else None
        if computing is None:
            return None
        return max(computing, streaming_seconds(found.problem.conv.weight_bytes, weight_passes(found, target), target))

    return replace(candidate, match=match, cost=seconds, ranked=True)


def _inner_product_passes(way: conv_inner_product.Way, target: TargetLike) -> float:
    """Every block of rows that a thread packs at a time meets all weights, or those that are its share."""
    conv, tiling = way.problem.conv, way.tiling
    assert isinstance(conv.n, int) and isinstance(conv.oh, int)
    _, block = conv_inner_product.packed_block(way.choice, target, conv_direct.shares_tiles(conv, tiling, target) == 1)
    return max(1.0, conv.n * conv.oh / (tiling.tiles[0][0] * block))


CANDIDATES: tuple[Candidate, ...] = (_by_rows(conv_inner_product.CANDIDATES[0], _inner_product_passes),)
