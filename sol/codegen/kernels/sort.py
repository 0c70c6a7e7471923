"""Kernels that order lines along a dimension: sorting, the best few, one place of the order, the most frequent element, binary search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sol.codegen.decision import sole
from sol.codegen.element import from_memory
from sol.codegen.emit import Emitter
from sol.codegen.kernels.dfp_space import Axis, Pointer, Space, make_axes, merge
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View
from sol.ir.dim import DimLike, product
from sol.ir.graph import Node
from sol.ir.types import DType

WORD = 8  # bytes of an index
FEW = 16
"""Of how many elements at least one may be among the best for a heap of these to be faster than sorting all."""


@dataclass(frozen=True)
class Found:
    """An op: where its operands lie, in order, and the results that somebody reads, by their names in the template."""

    node: Node
    operands: tuple[View, ...]
    written: tuple[tuple[str, View], ...]

    @property
    def x(self) -> View:
        return self.operands[0]

    @property
    def results(self) -> dict[str, View]:
        return dict(self.written)


def finder(*names: str) -> Callable[[Lowering], Found]:
    """What finds an op whose results have these names in its template: any dtype, any strides."""

    def find(lowering: Lowering) -> Found:
        node = lowering.anchor
        written = tuple((name, lowering.view(v)) for name, v in zip(names, node.outputs) if v in lowering.body.outputs)
        return Found(node, tuple(map(lowering.view, node.inputs)), written)

    return find


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


def _emit_items(lowering: Lowering, found: Found, template: str, name: str, buffers: int, drops: bool, **context: Any) -> None:
    """One launch of a kernel that works on (key, place) items of a line; scratch holds so many buffers of them."""
    x, dim, results = found.x, found.node.attrs["dim"], found.results
    bits, key = _key(x.dtype)
    space, walk = lines_along(x, found.node.inputs[0], dim, results, drops)
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


def lower_sort(lowering: Lowering, found: Found) -> None:
    """Every line by the digits of its keys."""
    node = found.node
    down = bool(node.attrs["largest"] if node.op == "topk" else node.attrs["descending"])
    count: dict[str, DimLike] = {"k": node.attrs["k"]} if node.op == "topk" else {}
    ordered = node.op == "sort" or bool(node.attrs["ordered"])
    name = f"{node.op}{'_descending' if down else ''}_{found.x.dtype}"
    _emit_items(
        lowering, found, "sort_lines.c.j2", name, 2, False, down=down, count="k" if count else "length", params=count,
        open=node.op == "topk" and _is_open(found), ordered=ordered,
    )  # fmt: skip


def lower_order_statistic(lowering: Lowering, found: Found) -> None:
    x, rank = found.x, found.node.attrs["rank"]
    params: dict[str, DimLike] = {"k": found.node.attrs["k"]} if rank == "kth" else {}
    _emit_items(lowering, found, "sort_select.c.j2", f"{rank}_{x.dtype}", 1, True, rank=rank, is_float=x.dtype.is_float, params=params)


def lower_mode(lowering: Lowering, found: Found) -> None:
    dtype = found.x.dtype
    _emit_items(lowering, found, "sort_mode.c.j2", f"mode_{dtype}", 2, True, is_float=dtype.is_float)


def _is_open(found: Found) -> bool:
    """Whether somebody sees which of equal elements are taken, or in which order, and torch's choice is wanted."""
    attrs = found.node.attrs
    return not attrs["ordered"] or (attrs["ties"] == "open" and "indices" in found.results)


def lower_topk(lowering: Lowering, found: Found) -> None:
    """A heap of the best; scratch holds them with their places."""
    node, x, results = found.node, found.x, found.results
    dim, k, largest = node.attrs["dim"], node.attrs["k"], bool(node.attrs["largest"])
    space, walk = lines_along(x, node.inputs[0], dim, results)
    bits, key = _key(x.dtype)
    open = _is_open(found)
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


def _keeps_few(found: Found, target: TargetLike) -> bool:
    """Whether few of a line's elements are wanted."""
    k, size = found.node.attrs["k"], found.x.shape[found.node.attrs["dim"]]
    return isinstance(k, int) and (k <= FEW or isinstance(size, int) and k * FEW <= size)


def find_ordered(lowering: Lowering) -> Found | None:
    """The best few in order."""
    return find_lines(lowering) if lowering.anchor.attrs["ordered"] else None


def lower_searchsorted(lowering: Lowering, found: Found) -> None:
    """A binary search per value; see templates/sort_search.c.j2."""
    node, (line, v), out = found.node, found.operands, found.results["out0"]
    (source, values), dtype = node.inputs, line.dtype
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


def lower_running(lowering: Lowering, found: Found) -> None:
    """One launch; see templates/sort_running.c.j2."""
    node, x, results = found.node, found.x, found.results
    largest = bool(node.attrs["largest"])
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


find_lines = finder("values", "indices")

KERNELS = {
    "sort": (sole("digits", find_lines, lower_sort),),
    "topk": (sole("heap", find_ordered, lower_topk, _keeps_few), sole("digits", find_lines, lower_sort)),
    "order_statistic": (sole("select", find_lines, lower_order_statistic),),
    "mode": (sole("digits", find_lines, lower_mode),),
    "running_extremum": (sole("walk", find_lines, lower_running),),
    "searchsorted": (sole("halves", finder("out0"), lower_searchsorted),),
}
