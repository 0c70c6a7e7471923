"""Strides of views: where a reshape, permute, expand or slice lands in memory without moving data."""

from __future__ import annotations

from collections.abc import Sequence

from sol.errors import SolError
from sol.ir.dim import DimLike, product
from sol.ir.graph import Attrs

Strides = tuple[DimLike, ...]


def contiguous_strides(shape: Sequence[DimLike]) -> Strides:
    """Row-major strides in elements."""
    strides: list[DimLike] = []
    step: DimLike = 1
    for size in reversed(shape):
        strides.append(step)
        step = step * size
    return tuple(reversed(strides))


def _is_one(size: DimLike) -> bool:
    return isinstance(size, int) and size == 1


def _runs(shape: Sequence[DimLike], strides: Strides) -> list[tuple[DimLike, DimLike]]:
    """Maximal runs of dimensions contiguous among themselves, as (elements, innermost stride); sizes 1 drop out."""
    runs: list[tuple[DimLike, DimLike]] = []
    outer: DimLike | None = None  # stride that the next dimension outwards needs to join the run
    for size, stride in zip(reversed(shape), reversed(strides)):
        if _is_one(size):
            continue
        if runs and stride == outer:
            count, inner = runs[-1]
            runs[-1] = (count * size, inner)
        else:
            runs.append((size, stride))
        outer = stride * size
    return runs[::-1]


def reshape_strides(shape: Sequence[DimLike], strides: Strides, new: Sequence[DimLike]) -> Strides | None:
    """Strides of ``new`` over the same memory, or None if that needs a copy (or only run time can tell)."""
    if any(isinstance(d, int) and d == 0 for d in shape):
        return contiguous_strides(new)
    runs = _runs(shape, strides)
    result: list[DimLike] = []
    count: DimLike = 1
    step: DimLike = 1
    left: DimLike = 1  # elements of the current run not yet covered by new dimensions
    for size in reversed(new):
        if _is_one(size):
            result.append(step)
            continue
        if left == count:
            if not runs:
                return None
            (left, step), count = runs.pop(), 1
        result.append(step)
        count, step = count * size, step * size
    if runs or left != count:
        return None
    return tuple(reversed(result))


def view_strides(
    op: str, attrs: Attrs, shape: Sequence[DimLike], strides: Strides, offset: DimLike
) -> tuple[Strides, DimLike] | None:
    """Strides and offset (both in elements) of a view op's result over its operand's memory.

    None when a reshape cannot be a view. Raises SolError for an op that is not a view.
    """
    if op == "reshape":
        found = reshape_strides(shape, strides, attrs["shape"])
        return None if found is None else (found, offset)
    if op == "permute":
        return tuple(strides[i] for i in attrs["order"]), offset
    if op == "expand":
        new = tuple(attrs["shape"])
        lead = len(new) - len(shape)
        kept = (0 if size != want else step for size, want, step in zip(shape, new[lead:], strides))
        return (0,) * lead + tuple(kept), offset
    if op == "slice":
        dim = attrs["dim"]
        changed = (*strides[:dim], strides[dim] * attrs["step"], *strides[dim + 1 :])
        return changed, offset + attrs["start"] * strides[dim]
    raise SolError(f"{op} is not a view")


def is_contiguous(shape: Sequence[DimLike], strides: Strides) -> bool:
    """True if the elements lie in row-major order without gaps (strides of sizes 1 do not matter)."""
    runs = _runs(shape, strides)
    return not runs or (len(runs) == 1 and runs[0][1] == 1 and runs[0][0] == product(shape))
