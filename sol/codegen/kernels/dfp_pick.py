"""Picks: elements at literal places, whole vectors permuted where the places of a vector lie close together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sol.codegen.kernels.dfp_request import Request, request
from sol.codegen.kernels.dfp_space import Axis, Space
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, product
from sol.ir.graph import Node

WORD = 8  # bytes of a table entry


def find_pick(lowering: Lowering, node: Node, out: View) -> Request:
    """See templates/dfp_pick.c.j2."""
    x = lowering.view(node.inputs[0])
    if x.layout.block or out.layout.block:
        raise UnsupportedError("pick in the blocked layout", origin=str(node.origin), remedy="use the plain layout")
    axes = _axes(node, x, out)
    last = len(axes) - 1
    space = Space([Axis(a.size, False, {"in0": 0 if a.places else a.source, "out0": a.target}) for a in axes])
    table: list[int] = []
    source = [space.offset("in0", range(last))]
    for i, axis in enumerate(axes[:last]):
        if axis.places:
            space.params[f"along{i}"] = axis.source
            source.append(f"table[{len(table)} + i{i}] * along{i}")
            table += axis.places
    inner, at = axes[last], len(table)
    table += inner.places
    groups = bool(inner.places) and out.dtype.itemsize == 4 and _is(inner.source, 1) and _is(inner.target, 1)
    if groups:
        table += group_table(inner.places, inner.bound, lowering.target.lanes)
    elif inner.places:
        space.params["along"] = inner.source
    return request(
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
        in_step=space.stride("in0", last),
        out_step=space.stride("out0", last),
        ctype=out.dtype.c,
        picked=bool(inner.places),
        groups=groups,
        short=inner.bound if groups and inner.bound < lowering.target.lanes else 0,
        first=at,
        params=space.params,
        named=len(space.params),
        table=table,
    )


@dataclass(frozen=True)
class _Along:
    """A dimension of the result: size, strides of the operand and the result, and the places below ``bound`` that are picked, if any."""

    size: DimLike
    source: DimLike
    target: DimLike
    places: tuple[int, ...] = ()
    bound: int = 0


def _axes(node: Node, x: View, out: View) -> list[_Along]:
    """Dimensions of more than one element; whole ones are merged where memory allows."""
    picked = dict(zip(node.attrs["dims"], node.attrs["index"]))
    axes: list[_Along] = []
    for dim, (size, source, target) in enumerate(zip(out.shape, x.strides, out.strides)):
        if dim in picked:
            bound = x.shape[dim]
            assert isinstance(bound, int)  # the op asks for it
            axes.append(_Along(size, source, target, picked[dim], bound))
            continue
        before = axes[-1] if axes else None
        if before and not before.places and (before.source, before.target) == (source * size, target * size):
            axes[-1] = _Along(before.size * size, source, target)
        elif not _is(size, 1):
            axes.append(_Along(size, source, target))
    return axes or [_Along(1, 1, 1)]


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
