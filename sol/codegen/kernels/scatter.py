"""Scatter: a copy of the data, over which each thread then writes the updates of its own lines, in order."""

from __future__ import annotations

from sol.codegen.emit import Emitter
from sol.codegen.kernels.dfp_pointwise import Part, emit_pointwise
from sol.codegen.kernels.dfp_space import Axis, Pointer, Space, make_axes, merge
from sol.codegen.kernels.dfp_terms import load_text, store_text
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.ir.dim import DimLike, product
from sol.ir.graph import Node
from sol.ir.ops.scatter import REDUCTIONS
from sol.ir.types import DType


def lower_scatter(lowering: Lowering, node: Node, out: View) -> None:
    """Two launches: the copy, and the updates."""
    data, index, updates = node.inputs
    dim = node.attrs["dim"]
    emit_pointwise(lowering, Part(node.type, {node.name: lowering.view(data)}))
    at, new = lowering.view(index), lowering.view(updates)
    pointers = [
        Pointer("index", index, at, at.strides),
        Pointer("updates", updates, new, new.strides),
        Pointer("out0", node.name, out, tuple(0 if i == dim else s for i, s in enumerate(out.strides)), True),
    ]
    axes = make_axes(at.shape, (dim,), pointers)
    lines = merge([a for a in axes if not a.reduced])
    along = [a for a in axes if a.reduced] or [Axis(1, True, {p.name: 0 for p in pointers})]
    space = Space([*lines, *along])
    outer, last = list(range(len(lines))), len(lines)
    params: dict[str, DimLike] = {"count": out.shape[dim], "along": out.strides[dim]}
    space.params.update(params)
    reduction = node.attrs["reduction"]
    lowering.emit(
        "dfp_scatter.c.j2",
        "dfp_scatter" + ("" if reduction == "none" else f"_{reduction}"),
        reads={p.name: p.view for p in pointers[:2]},
        writes={"out0": out},
        outer=[(i, space.size(i)) for i in outer],
        rows=space.product(outer),
        length=space.size(last),
        ctype=out.dtype.c,
        bases={p.name: space.offset(p.name, outer) for p in pointers},
        steps={p.name: space.stride(p.name, last) for p in pointers},
        body=_update(out.dtype, REDUCTIONS[reduction]),
        bytes=3 * out.dtype.itemsize * product(at.shape),
        params=space.params,
    )


def _update(dtype: DType, op: str) -> list[str]:
    """C statements that bring ``*from`` into ``*to``."""
    if not op:
        return ["*to = *from;"]
    emitter = Emitter(vector=False)
    old, new = (emitter.let(load_text(dtype, p, vector=False), dtype) for p in ("to", "from"))
    result = emitter.apply(op, {}, [old, new])
    return [*emitter.lines, store_text(dtype, "to", result.text, vector=False)]
