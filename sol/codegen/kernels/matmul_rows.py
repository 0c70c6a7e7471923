"""What all matrix products share: which dimensions are rows, which are batches, and how wide tiles are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sol.codegen.lowering import TargetLike
from sol.ir.dim import DimLike, product


@dataclass(frozen=True)
class RowLoops:
    """Loops over the rows of a product: ``rows`` all meet the same right operand, ``batch`` are the loops around them.

    row_strides, batch_strides: pointer name → elements per step, one per loop.
    """

    rows: DimLike
    batch: tuple[DimLike, ...]
    row_strides: Mapping[str, DimLike]
    batch_strides: Mapping[str, tuple[DimLike, ...]]

    @property
    def batch_size(self) -> DimLike:
        return product(self.batch)


def collapse_rows(shape: Sequence[DimLike], strides: Mapping[str, Sequence[DimLike]], right: str) -> RowLoops:
    """Merge adjacent dimensions wherever all strides allow.

    shape: all result dimensions but the last. strides: pointer name → stride per dimension. A dimension along which
    ``right``, the right operand, moves never becomes rows.
    """
    if not shape:
        return RowLoops(1, (), {n: 0 for n in strides}, {n: () for n in strides})
    loops: list[tuple[DimLike, dict[str, DimLike]]] = [(shape[-1], {n: s[-1] for n, s in strides.items()})]
    for axis in range(len(shape) - 2, -1, -1):
        size, steps = shape[axis], {n: s[axis] for n, s in strides.items()}
        inner_size, inner = loops[-1]
        if size == 1:
            continue
        if inner_size == 1 and (len(loops) > 1 or steps[right] == 0):
            loops[-1] = (size, steps)
        elif all(steps[n] == inner[n] * inner_size for n in strides) and (len(loops) > 1 or steps[right] == 0):
            loops[-1] = (size * inner_size, inner)
        else:
            loops.append((size, steps))
    (rows, row_steps), outer = loops[0], loops[:0:-1]
    return RowLoops(rows, tuple(s for s, _ in outer), row_steps, {n: tuple(st[n] for _, st in outer) for n in strides})


def broadcast_strides(shape: Sequence[DimLike], strides: Sequence[DimLike], rank: int) -> tuple[DimLike, ...]:
    """Strides of leading dimensions aligned to ``rank``; 0 where the size is 1 or the dimension is missing."""
    own = [0 if s == 1 else st for s, st in zip(shape, strides)]
    return (*[0] * (rank - len(own)), *own)


FEW_REGISTERS = 16
"""Registers up to which two vectors by six rows leave one to spare for compilers, where three by four leave none."""


def vectors_per_panel(columns: DimLike, target: TargetLike) -> int:
    """How many vectors wide a panel is: 3 unless 2 or 1 fit the number of columns better, or registers are few."""
    if not isinstance(columns, int):
        return 2
    vectors = -(-columns // target.lanes)
    if vectors in (1, 2, 4) or target.registers <= FEW_REGISTERS:
        return min(vectors, 2)
    return 3


def panel_vectors(columns: DimLike, rows: DimLike, target: TargetLike) -> int:
    """``vectors_per_panel``, or four where panels then hold fewer vectors in all, rows fill a tile, and registers hold as many sums."""
    usual, wide = vectors_per_panel(columns, target), 4
    tile = rows_per_tile(target, wide)
    if not isinstance(columns, int) or not isinstance(rows, int) or rows < tile or tile * wide < rows_per_tile(target, usual) * usual:
        return usual
    return min((usual, wide), key=lambda nv: -(-columns // (nv * target.lanes)) * nv)


def rows_per_tile(target: TargetLike, vectors: int, limit: int = 8) -> int:
    """The most rows of a tile so that accumulators, one row of B and one broadcast fit the registers."""
    fitting = (target.registers - vectors - 1) // vectors
    return next(r for r in (8, 6, 4, 2, 1) if r <= min(fitting, max(limit, 1)) or r == 1)


def wide_panel(columns: DimLike, rows: DimLike, target: TargetLike) -> int:
    """Vectors of a panel that is read in place: as wide as accumulators allow, since every step along the reduction begins new lines."""
    if not isinstance(rows, int) or rows > 4:
        return vectors_per_panel(columns, target)
    fitting = {1: 8, 2: 6, 3: 6, 4: 4}[max(rows, 1)] * target.registers // 32
    return max(1, min(fitting, -(-columns // target.lanes) if isinstance(columns, int) else fitting))


def row_ladder(rows: DimLike, tile: int) -> tuple[tuple[int, ...], bool]:
    """Row counts of the tiles that cover ``rows``, largest first; True if the second is the remainder of a fixed size."""
    if isinstance(rows, int):
        first = -(-rows // -(-rows // tile)) if rows else 1
        rest = rows % first
        return ((first, rest) if rest else (first,)), True
    steps = [tile]
    part = 1 << ((tile - 1).bit_length() - 1) if tile > 1 else 0
    while part:
        steps.append(part)
        part //= 2
    return tuple(steps), False


def row_counts(ladder: Sequence[int], rows: int) -> list[tuple[int, int]]:
    """How many tiles of each size of a ladder cover so many rows."""
    found, left = [], rows
    for size in ladder:
        found.append((size, left // size))
        left %= size
    return found
