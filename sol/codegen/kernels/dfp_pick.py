"""Picks: elements at literal places, whole vectors permuted where the places of a vector lie close together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.codegen.kernels.dfp_space import Axis, Space
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.graph import Node

WORD = 8  # bytes of a table entry


def lower_pick(lowering: Lowering, node: Node, out: View) -> None:
    """One launch; see templates/dfp_pick.c.j2."""
    x = lowering.view(node.inputs[0])
    if x.layout.block or out.layout.block:
        raise UnsupportedError("pick in the blocked layout", origin=str(node.origin), remedy="use the plain layout")
    picked = dict(zip(node.attrs["dims"], node.attrs["index"]))
    last = len(out.shape) - 1
    space = Space([Axis(n, False, {"in0": 0 if i in picked else x.strides[i], "out0": out.strides[i]}) for i, n in enumerate(out.shape)])
    table: list[int] = []
    source = [space.offset("in0", range(last))]
    for dim in sorted(set(picked) - {last}):
        space.params[f"along{dim}"] = x.strides[dim]
        source.append(f"table[{len(table)} + i{dim}] * along{dim}")
        table += picked[dim]
    groups, at, size = False, len(table), 0
    if last in picked:
        table += picked[last]
        size = _fixed(x.shape[last])
        groups = out.dtype.itemsize == 4 and _is(x.strides[last], 1) and _is(out.strides[last], 1)
        if groups:
            table += group_table(picked[last], size, lowering.target.lanes)
        else:
            space.params["along"] = x.strides[last]
    lowering.emit(
        "dfp_pick.c.j2",
        "dfp_pick",
        reads={"in0": x},
        writes={"out0": out},
        bytes=2 * out.dtype.itemsize * product(out.shape),
        outer=[(i, space.size(i)) for i in range(last)],
        rows=space.product(range(last)),
        length=space.size(last),
        source=" + ".join(t for t in source if t != "0") or "0",
        target=space.offset("out0", range(last)),
        in_step="0" if last in picked else space.stride("in0", last),
        out_step=space.stride("out0", last),
        ctype=out.dtype.c,
        picked=last in picked,
        groups=groups,
        short=size if groups and size < lowering.target.lanes else 0,
        first=at,
        params=space.params,
        named=len(space.params),
        table=table,
    )


def _fixed(size: DimLike) -> int:
    """The size of a picked dimension, which is fixed."""
    assert isinstance(size, int)
    return size


def _is(value: DimLike, number: int) -> bool:
    return isinstance(value, int) and value == number


def group_table(places: Sequence[int], size: int, lanes: int) -> list[int]:
    """For every vector of the result: where the vector begins that holds its elements, and LANES bytes with their lanes in it.

    -1 where no vector holds them all.
    """
    entries: list[int] = []
    for start in range(0, len(places), lanes):
        wanted = list(places[start : start + lanes])
        base = max(0, min(min(wanted), size - lanes))
        close = max(wanted) - base < lanes
        at = np.zeros(max(lanes, WORD), np.uint8)
        at[: len(wanted)] = [p - base for p in wanted] if close else 0
        entries += [base if close else -1, *at.view("<i8").tolist()]
    return entries
