"""Scatter: a copy of the data, over which each thread then writes the updates of its own lines, rows or places, in order.

Data that lies where the result does is not copied.
"""

from __future__ import annotations

from sol.codegen.emit import Emitter
from sol.codegen.kernels.dfp_pointwise import Part, Sweep, find_sweep
from sol.codegen.kernels.dfp_request import Request, request
from sol.codegen.kernels.dfp_space import Axis, Pointer, Space, make_axes, merge
from sol.codegen.kernels.dfp_terms import load_text, store_text
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.ir.dim import product
from sol.ir.graph import Node
from sol.ir.ops.scatter import REDUCTIONS
from sol.ir.types import DType


def find_scatter(lowering: Lowering, node: Node, out: View) -> tuple[Sweep | Request, ...]:
    """Two launches: the copy, unless the data lies where the result does, and the updates."""
    data, index, updates = node.inputs
    dim = node.attrs["dim"]
    base = lowering.filled_view(data)
    lies_there = (base.buffer, base.offset, base.strides) == (out.buffer, out.offset, out.strides)
    copy = () if lies_there else (find_sweep(lowering, Part(node.type, {node.name: base})),)
    at, new = lowering.view(index), lowering.view(updates)
    pointers = [
        Pointer("index", index, at, at.strides),
        Pointer("updates", updates, new, new.strides),
        Pointer("out0", node.name, out, tuple(0 if i == dim else s for i, s in enumerate(out.strides)), True),
    ]
    axes = make_axes(at.shape, (dim,), pointers)
    lines = merge([a for a in axes if not a.reduced])
    along = [a for a in axes if a.reduced] or [Axis(1, True, {p.name: 0 for p in pointers})]
    by_rows = bool(lines) and all(lines[-1].stride(n) in (0, 1) for n in ("index", "updates")) and lines[-1].stride("out0") == 1
    own = by_rows and lines[-1].stride("index") == 1
    space = Space([*lines, *along])
    outer, last = list(range(len(lines) - by_rows)), len(lines)
    unit = out.strides[dim] == 1
    space.params["count"] = out.shape[dim]
    if not unit:
        space.params["along"] = out.strides[dim]
    if node.attrs["checked"]:
        space.params["check"] = 0
    reduction = node.attrs["reduction"]
    step = space.stride("updates", last - 1) if by_rows else ""
    return *copy, request(
        "dfp_scatter.c.j2",
        "dfp_scatter" + ("_elements" if own else "_rows" if by_rows else "") + ("" if reduction == "none" else f"_{reduction}"),
        reads={p.name: p.view for p in pointers[:2]},
        writes={"out0": out},
        outer=[(i, space.size(i)) for i in outer],
        rows=space.product(outer),
        length=space.size(last),
        width=space.size(last - 1) if by_rows else "",
        ctype=out.dtype.c,
        bases={p.name: space.offset(p.name, outer) for p in pointers},
        steps={p.name: space.stride(p.name, last) for p in pointers},
        own=own,
        check=node if node.attrs["checked"] else None,
        checked=bool(node.attrs["checked"]),
        signed=node.attrs["signed"],
        unit=unit,
        vector=_update(out.dtype, REDUCTIONS[reduction], step, True) if by_rows and not own and out.dtype is DType.F32 else [],
        body=_update(out.dtype, REDUCTIONS[reduction], step),
        bytes=3 * out.dtype.itemsize * product(at.shape),
        params=space.params,
    )


def _update(dtype: DType, op: str, step: str = "", vector: bool = False) -> list[str]:
    """C statements that bring ``*from`` into ``*to``, or element j of rows; step: stride of the updates in a row, "" for no rows."""
    to, source = ("to + j", "from + j" if step == "1" else "from") if step else ("to", "from")
    emitter = Emitter(vector=vector)
    new = emitter.let(load_text(dtype, source, vector=vector, stride=step or "1"), dtype)
    if op:
        old = emitter.let(load_text(dtype, to, vector=vector), dtype)
        new = emitter.apply(op, {}, [old, new])
    return [*emitter.lines, store_text(dtype, to, new.text, vector=vector)]
