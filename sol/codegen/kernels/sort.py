"""Kernels that order lines along a dimension: sorting, the best few, one place of the order, the most frequent element, binary search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sol.codegen.emit import Emitter, from_memory
from sol.codegen.kernels.dfp_space import Axis, Pointer, Space, make_axes, merge
from sol.codegen.lowering import Candidate, Lowering
from sol.codegen.plan import View
from sol.ir.dim import DimLike, product
from sol.ir.graph import Node
from sol.ir.types import DType

WORD = 8  # bytes of an index
FEW = 16
"""Of how many elements at least one may be among the best for a heap of these to be faster than sorting all."""


def results_of(lowering: Lowering, node: Node, names: tuple[str, ...]) -> dict[str, View]:
    """Views of the results that somebody reads, by name."""
    return {name: lowering.view(v) for name, v in zip(names, node.outputs) if v in lowering.body.outputs}


def compute_type(dtype: DType) -> str:
    """The C type in which elements are compared."""
    return Emitter(vector=False).ctype(dtype)


def load(dtype: DType, address: str) -> str:
    return from_memory(dtype, f"*({address})")


def lines_along(x: View, source: str, dim: int, results: Mapping[str, View], drops: bool = False) -> tuple[Space, dict[str, Any]]:
    """The space of the lines of ``x`` along a dimension, and what templates/dfp_walk.c.j2 and its users need to walk them.

    results: what is written, by name. drops: the results lack the dimension.
    """

    def strides(view: View) -> tuple[DimLike, ...]:
        return (*view.strides[:dim], 0, *view.strides[dim:]) if drops else tuple(view.strides)

    pointers = [Pointer("in0", source, x, x.strides), *(Pointer(n, n, v, strides(v), True) for n, v in results.items())]
    axes = make_axes(x.shape, (dim,), pointers)
    lines = merge([a for a in axes if not a.reduced])
    line = [a for a in axes if a.reduced] or [Axis(1, True, {p.name: 0 for p in pointers})]
    space = Space([*lines, *line])
    outer, last = list(range(len(lines))), len(lines)
    return space, {
        "outer": [(i, space.size(i)) for i in outer],
        "rows": space.product(outer),
        "length": space.size(last),
        "bases": {p.name: space.offset(p.name, outer) for p in pointers},
        "steps": {p.name: space.stride(p.name, last) for p in pointers},
        "ctype": x.dtype.c,
        "load_n": load(x.dtype, f"x + n * {space.stride('in0', last)}"),
    }


def _key(dtype: DType) -> tuple[int, str]:
    """Bits of a key, and the function that makes it (include/sol_sort.h)."""
    if dtype.is_float:
        return (64, "f64") if dtype is DType.F64 else (32, "f32")
    if dtype in (DType.I64, DType.U64):
        return 64, str(dtype)
    return 32, "u32" if dtype is DType.BOOL or dtype.is_unsigned else "i32"


def _item_size(bits: int) -> int:
    return WORD if bits == 32 else 2 * WORD


def _emit_items(
    lowering: Lowering, template: str, name: str, results: Mapping[str, View], buffers: int, drops: bool, **context: Any
) -> None:
    """One launch of a kernel that works on (key, place) items of a line; scratch holds so many buffers of them."""
    node = lowering.anchor
    x, dim = lowering.view(node.inputs[0]), node.attrs["dim"]
    bits, key = _key(x.dtype)
    space, walk = lines_along(x, node.inputs[0], dim, results, drops)
    params = context.pop("params", {})
    lowering.emit(
        template,
        name,
        reads={"in0": x},
        writes=results,
        bits=bits,
        key=key,
        scratch=buffers * x.shape[dim] * _item_size(bits),
        bytes=x.dtype.itemsize * product(x.shape),
        params=space.params | params,
        **walk,
        **context,
    )


def lower_sort(lowering: Lowering) -> None:
    """Every line by the digits of its keys."""
    node = lowering.anchor
    results = results_of(lowering, node, ("values", "indices"))
    down = bool(node.attrs["largest"] if node.op == "topk" else node.attrs["descending"])
    count: dict[str, DimLike] = {"k": node.attrs["k"]} if node.op == "topk" else {}
    ordered = node.op == "sort" or bool(node.attrs["ordered"])
    name = f"{node.op}{'_descending' if down else ''}_{lowering.type_of(node.inputs[0]).dtype}"
    _emit_items(
        lowering, "sort_lines.c.j2", name, results, 2, False, down=down, count="k" if count else "length", params=count,
        open=node.op == "topk" and _is_open(node, results), ordered=ordered,
    )  # fmt: skip


def lower_order_statistic(lowering: Lowering) -> None:
    node = lowering.anchor
    x, rank = lowering.type_of(node.inputs[0]), node.attrs["rank"]
    results = results_of(lowering, node, ("values", "indices"))
    params: dict[str, DimLike] = {"k": node.attrs["k"]} if rank == "kth" else {}
    _emit_items(
        lowering, "sort_select.c.j2", f"{rank}_{x.dtype}", results, 1, True, rank=rank, is_float=x.dtype.is_float, params=params
    )  # fmt: skip


def lower_mode(lowering: Lowering) -> None:
    node = lowering.anchor
    x, results = lowering.type_of(node.inputs[0]), results_of(lowering, node, ("values", "indices"))
    _emit_items(lowering, "sort_mode.c.j2", f"mode_{x.dtype}", results, 2, True, is_float=x.dtype.is_float)


def _is_open(node: Node, results: Mapping[str, View]) -> bool:
    """Whether somebody sees which of equal elements are taken, or in which order, and torch's choice is wanted."""
    return not node.attrs["ordered"] or (node.attrs["ties"] == "open" and "indices" in results)


def lower_topk(lowering: Lowering) -> None:
    """A heap of the best; scratch holds them with their places."""
    node = lowering.anchor
    dim, k, largest = node.attrs["dim"], node.attrs["k"], bool(node.attrs["largest"])
    x, results = lowering.view(node.inputs[0]), results_of(lowering, node, ("values", "indices"))
    space, walk = lines_along(x, node.inputs[0], dim, results)
    bits, key = _key(x.dtype)
    open = _is_open(node, results)
    lowering.emit(
        "select_topk.c.j2",
        "topk" if largest else "topk_smallest",
        reads={"in0": x},
        writes=results,
        compute=compute_type(x.dtype),
        is_float=x.dtype.is_float,
        largest=largest,
        vector=x.dtype is DType.F32 and walk["steps"]["in0"] == "1",
        open=open,
        bits=bits,
        key=key,
        scratch=2 * WORD * k + (x.shape[dim] * _item_size(bits) if open else 0),
        bytes=x.dtype.itemsize * product(x.shape),
        params=space.params | {"k": k},
        **walk,
    )


def _keeps_few(lowering: Lowering) -> bool:
    """Whether few of a line's elements are wanted."""
    k, size = lowering.anchor.attrs["k"], lowering.type_of(lowering.anchor.inputs[0]).shape[lowering.anchor.attrs["dim"]]
    return _is_ordered(lowering) and isinstance(k, int) and (k <= FEW or isinstance(size, int) and k * FEW <= size)


def lower_searchsorted(lowering: Lowering) -> None:
    """A binary search per value; see templates/sort_search.c.j2."""
    node = lowering.anchor
    (source, values), dtype = node.inputs, lowering.type_of(node.inputs[0]).dtype
    line, v, out = lowering.view(source), lowering.view(values), lowering.view(node.name)
    one = len(line.shape) == 1
    strides = ((0,) * len(v.shape)) if one else (*line.strides[:-1], 0)
    pointers = [
        Pointer("line", source, line, strides), Pointer("values", values, v, v.strides), Pointer("out0", node.name, out, out.strides, True),
    ]  # fmt: skip
    space = Space(merge(make_axes(v.shape, (), pointers)) or [Axis(1, False, {p.name: 0 for p in pointers})])
    last = len(space.axes) - 1
    outer = list(range(last))
    params: dict[str, DimLike] = {"count": line.shape[-1], "step": line.strides[-1]}
    lowering.emit(
        "sort_search.c.j2",
        "searchsorted_right" if node.attrs["right"] else "searchsorted",
        reads={"line": line, "values": v},
        writes={"out0": out},
        outer=[(i, space.size(i)) for i in outer],
        rows=space.product(outer),
        length=space.size(last),
        bases={p.name: space.offset(p.name, outer) for p in pointers},
        steps={p.name: space.stride(p.name, last) for p in pointers},
        ctype=dtype.c,
        compute=compute_type(dtype),
        load_value=load(dtype, f"v + i * {space.stride('values', last)}"),
        load_middle=load(dtype, "x + (at + half - 1) * step"),
        right=bool(node.attrs["right"]),
        bytes=(v.dtype.itemsize + WORD) * product(v.shape),
        params=space.params | params,
    )


def lower_running(lowering: Lowering) -> None:
    """One launch; see templates/sort_running.c.j2."""
    node = lowering.anchor
    largest, x = bool(node.attrs["largest"]), lowering.view(node.inputs[0])
    results = results_of(lowering, node, ("values", "indices"))
    space, walk = lines_along(x, node.inputs[0], node.attrs["dim"], results)
    lowering.emit(
        "sort_running.c.j2",
        f"running_{'max' if largest else 'min'}_{x.dtype}",
        reads={"in0": x},
        writes=results,
        compute=compute_type(x.dtype),
        is_float=x.dtype.is_float,
        largest=largest,
        load_first=load(x.dtype, "x"),
        bytes=(2 * x.dtype.itemsize + WORD) * product(x.shape),
        params=space.params,
        **walk,
    )


def _is_ordered(lowering: Lowering) -> bool:
    return bool(lowering.anchor.attrs["ordered"])


def _always(lowering: Lowering) -> bool:
    return True


KERNELS = {
    "sort": (Candidate("digits", _always, lower_sort),),
    "topk": (Candidate("heap", _keeps_few, lower_topk, can=_is_ordered), Candidate("digits", _always, lower_sort)),
    "order_statistic": (Candidate("select", _always, lower_order_statistic),),
    "mode": (Candidate("digits", _always, lower_mode),),
    "running_extremum": (Candidate("walk", _always, lower_running),),
    "searchsorted": (Candidate("halves", _always, lower_searchsorted),),
}
