"""Regions around one op that moves elements. Copies, concatenations and flips are pointwise launches over other strides; the rest has
a kernel each, after which a pointwise epilogue runs in place over the result."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.element import from_memory, to_memory
from sol.codegen.emit import Emitter, c_float
from sol.codegen.kernels.dfp_channels import find_channel_select, find_reorder, find_space_to_depth, find_stack_slices
from sol.codegen.kernels.dfp_pick import find_pick
from sol.codegen.kernels.dfp_pointwise import Part, Sweep, find_sweep
from sol.codegen.kernels.dfp_request import Request, request
from sol.codegen.kernels.dfp_space import Axis, Pointer, Space, make_axes, merge, order_by
from sol.codegen.kernels.random import find_random
from sol.codegen.kernels.scatter import find_scatter
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View, interleaved
from sol.errors import UnsupportedError
from sol.ir.dim import DimLike, ceil_div, product
from sol.ir.graph import Node
from sol.ir.ops import spec_of
from sol.ir.types import DType


@dataclass(frozen=True)
class Moves:
    """What computes a region in order: launches of kernels that move, and passes over elements."""

    launches: tuple[Request | Sweep, ...]


def find_move(lowering: Lowering) -> Moves:
    """The move op, and the pointwise nodes that follow it."""
    nodes = [n for n in lowering.body.nodes if spec_of(n.op).kind == "move"]
    if len(nodes) != 1:
        raise UnsupportedError(
            f"{len(nodes)} moves in region {lowering.region.name}",
            origin=str(lowering.region.origin),
            remedy="report this: a pass formed a wrong region",
        )
    node = nodes[0]
    if node.op in PARTS:
        return Moves(tuple(find_sweep(lowering, part) for part in PARTS[node.op](lowering, node)))
    view = _result_view(lowering, node)
    found = KERNELS[node.op](lowering, node, view)
    launches = found if isinstance(found, tuple) else (found,)
    if tuple(lowering.body.outputs) != (node.name,):
        launches += (find_sweep(lowering, Part(node.type, {node.name: view})),)
    return Moves(launches)


def lower_move(lowering: Lowering, found: Moves) -> None:
    """The launches in order."""
    for launch in found.launches:
        launch.emit(lowering)


def _result_view(lowering: Lowering, node: Node) -> View:
    """Where the moved value goes: its own output, or the first one of its type, over which the epilogue then works in place."""
    body = lowering.body
    alike = [o for o in body.outputs if body.type_of(o) == node.type]
    if node.name in alike:
        return lowering.view(node.name)
    if not alike:
        raise UnsupportedError(f"{node.op} followed by a change of type", origin=str(node.origin), remedy="end the region at the move")
    return lowering.view(alike[0])


# Moves that are copies with other strides


def _copy(lowering: Lowering, node: Node) -> list[Part]:
    return [Part(node.type, {node.name: lowering.view(node.inputs[0])})]


def _flip(lowering: Lowering, node: Node) -> list[Part]:
    view = lowering.view(node.inputs[0])
    strides = list(view.strides)
    offset = view.offset
    for dim in node.attrs["dims"]:
        axis = _storage_axis(node, view, dim)
        offset = offset + (view.shape[axis] - 1) * strides[axis]
        strides[axis] = -strides[axis]
    return [Part(node.type, {node.name: replace(view, strides=tuple(strides), offset=offset)})]


def _concat(lowering: Lowering, node: Node) -> list[Part]:
    dim, block = node.attrs["dim"], node.type.layout.block
    parts: list[Part] = []
    start: DimLike = 0
    for value in node.inputs:
        size = lowering.type_of(value).shape[dim]
        if block and dim == 1 and not _divides(start, block):
            raise UnsupportedError(
                f"a blocked concatenation at channel {start}", origin=str(node.origin), remedy="use channel_select or the plain layout"
            )
        parts.append(Part(node.type, {node.name: lowering.view(value)}, {dim: (start, 1, size)}))
        start = start + size
    return parts


def _interleave(lowering: Lowering, node: Node) -> list[Part]:
    """A part for each operand that has pixels and does not lie in its place already."""
    steps, size, parts = node.attrs["steps"], node.attrs["size"], list[Part]()
    whole = lowering.view(node.name) if node.name in lowering.body.outputs else None
    for place, value in zip(itertools.product(*map(range, steps)), node.inputs):
        sizes = [ceil_div(n - at, step) for n, at, step in zip(size, place, steps)]
        view = lowering.view(value)
        if 0 not in sizes and (whole is None or view != interleaved(whole, steps, place, sizes)):
            slab = {2 + d: found for d, found in enumerate(zip(place, steps, sizes))}
            parts.append(Part(node.type, {node.name: view}, slab))
    return parts


PARTS: dict[str, Callable[[Lowering, Node], list[Part]]] = {
    "copy": _copy, "transfer": _copy, "flip": _flip, "concat": _concat, "interleave": _interleave,
}  # fmt: skip


def _divides(size: DimLike, block: int) -> bool:
    return isinstance(size, int) and size % block == 0


def _storage_axis(node: Node, view: View, dim: int) -> int:
    if view.layout.block and dim == 1:
        raise UnsupportedError(f"{node.op} along blocked channels", origin=str(node.origin), remedy="use the plain layout")
    return dim


def _fill(dtype: DType, value: float | int | bool) -> str:
    """A constant in the type that memory holds."""
    if dtype is DType.BF16 or dtype.is_minifloat:
        return to_memory(dtype, c_float(value))
    text = Emitter(vector=False).literal_text(value, dtype)
    return f"(_Float16){text}" if dtype is DType.F16 else text


def _invalid(dtype: DType) -> str:
    """What an index out of range gives."""
    return _fill(dtype, float("nan")) if dtype.is_float else "0"


def _space(shape: Sequence[DimLike], pointers: Sequence[Pointer], *, ordered: bool = False) -> Space:
    axes = make_axes(shape, (), pointers)
    if ordered:
        axes = order_by(axes, [p.name for p in reversed(pointers)])
    return Space(merge(axes) or [Axis(1, False, {p.name: 0 for p in pointers})])


def _request(node: Node, space: Space, reads: Sequence[Pointer], write: Pointer, outer: Sequence[int], **context: Any) -> Request:
    ctype = write.view.dtype.c
    size = product(write.view.shape)
    return request(
        f"dfp_{context.pop('template', node.op)}.c.j2",
        f"dfp_{node.op}",
        reads={p.name: p.view for p in reads},
        writes={write.name: write.view},
        outer=[(i, space.size(i)) for i in outer],
        rows=space.product(outer),
        ctype=ctype,
        bytes=2 * write.view.dtype.itemsize * size,
        **context,
        params=space.params,
    )


# Moves with a kernel of their own


def _pad(lowering: Lowering, node: Node, out: View) -> Request:
    """Outer indices inside of the input copy a run of the innermost axis, others only fill."""
    x, pads = lowering.view(node.inputs[0]), list(node.attrs["pads"])
    shape = out.shape
    if out.layout.block:
        if pads[1] != (0, 0):
            _storage_axis(node, out, 1)
        pads.append((0, 0))
    reads, write = Pointer("in0", node.inputs[0], x, x.strides), Pointer("out0", node.name, out, out.strides, True)
    axes = [Axis(s, False, {"in0": a, "out0": b}) for s, a, b in zip(shape, x.strides, out.strides)] or [
        Axis(1, False, {"in0": 0, "out0": 0})
    ]
    pads = pads or [(0, 0)]
    space = Space(axes)
    last = len(axes) - 1
    for i, (size, (before, _)) in enumerate(zip(x.shape or (1,), pads)):
        if i == last or pads[i] != (0, 0):
            space.params[f"m{i}"] = size
        space.params[f"b{i}"] = before
    outer = list(range(last))
    inside = " && ".join(f"i{i} >= b{i} && i{i} < b{i} + m{i}" for i in outer if pads[i] != (0, 0)) or "1"
    shifts = " + ".join(f"(i{i} - b{i}) * {space.stride('in0', i)}" for i in outer) or "0"
    return _request(
        node,
        space,
        [reads],
        write,
        outer,
        length=space.size(last),
        inside=inside,
        source=shifts,
        last=last,
        target=space.offset("out0", outer),
        in_step=space.stride("in0", last),
        out_step=space.stride("out0", last),
        value=_fill(out.dtype, node.attrs["value"]),
        words=out.dtype.itemsize == 4 and space.stride("in0", last) == "1" and space.stride("out0", last) == "1",
    )


def _indexed(lowering: Lowering, node: Node, out: View) -> Request:
    """take and gather: the position along one dimension of x comes from the index."""
    dim, (source, index) = node.attrs["dim"], node.inputs
    x, at = lowering.view(source), lowering.view(index)
    if x.layout.block or out.layout.block or at.layout.block:
        raise UnsupportedError(f"{node.op} in the blocked layout", origin=str(node.origin), remedy="use the plain layout")
    rank = len(at.shape)
    if node.op == "take":
        x_strides = (*x.strides[:dim], *([0] * rank), *x.strides[dim + 1 :])
        at_strides = (*([0] * dim), *at.strides, *([0] * (len(x.shape) - dim - 1)))
    else:
        x_strides = tuple(0 if i == dim else s for i, s in enumerate(x.strides))
        at_strides = at.strides
    pointers = [
        Pointer("in0", source, x, x_strides),
        Pointer("index", index, at, at_strides),
        Pointer("out0", node.name, out, out.strides, True),
    ]
    space = _space(out.shape, pointers)
    last = len(space.axes) - 1
    outer = list(range(last))
    space.params["count"] = x.shape[dim] if x.shape else 1
    space.params["along"] = x.strides[dim] if x.strides else 0
    if node.attrs["checked"]:
        space.params["check"] = 0
    return _request(
        node,
        space,
        pointers[:2],
        pointers[2],
        outer,
        template="take",
        check=node if node.attrs["checked"] else None,
        checked=bool(node.attrs["checked"]),
        signed=node.attrs["signed"],
        length=space.size(last),
        last=last,
        bases={p.name: space.offset(p.name, outer) for p in pointers},
        steps={p.name: space.stride(p.name, last) for p in pointers},
        invalid=_invalid(out.dtype),
    )


RUNNING = {
    "cumsum": ("sums", "0", "%(total)s += %(value)s"),
    "cumprod": ("products", "1", "%(total)s *= %(value)s"),
    "logcumsumexp": ("logarithms of sums of powers", "-INFINITY", "%(total)s = sol_log_add(%(total)s, %(value)s)"),
}
"""Op → what it runs over, what it starts with, and how the next value enters the total."""


def _cumulative(lowering: Lowering, node: Node, out: View) -> Request:
    """What ``RUNNING`` has: a line along the dimension is walked from end to end; neighbouring ones side by side, or a few in turn."""
    dim, x = node.attrs["dim"], lowering.view(node.inputs[0])
    if out.layout.block:
        _storage_axis(node, out, dim)
    pointers = [Pointer("in0", node.inputs[0], x, x.strides), Pointer("out0", node.name, out, out.strides, True)]
    axes = make_axes(out.shape, (dim,), pointers)
    outer_axes = merge([a for a in axes if not a.reduced])
    line = [a for a in axes if a.reduced] or [Axis(1, True, {"in0": 0, "out0": 0})]
    columns = bool(outer_axes) and all(s == 1 for s in outer_axes[-1].strides.values())
    space = Space([*outer_axes, *line])
    last = len(outer_axes)
    outer = list(range(last - 1 if columns else last))
    emitter = Emitter(vector=False)
    half = out.dtype is DType.BF16 or out.dtype.is_minifloat
    word, first, step = RUNNING[node.op]
    load = from_memory(out.dtype, "%s")
    store = "(_Float16)%s" if out.dtype is DType.F16 else to_memory(out.dtype, "(float)%s" if half else "%s")
    return _request(
        node,
        space,
        pointers[:1],
        pointers[1],
        outer,
        length=space.size(last),
        columns=columns,
        together=4 if out.dtype.is_float else 1,
        lines=space.size(last - 1) if columns else "1",
        bases={p.name: space.offset(p.name, outer) for p in pointers},
        steps={p.name: space.stride(p.name, last) for p in pointers},
        template="cumsum",
        word=word,
        step=step,
        first=first,
        total="double" if out.dtype.is_float else emitter.ctype(out.dtype),
        load=load,
        store=store,
    )


def _iota(lowering: Lowering, node: Node, out: View) -> Request:
    space = _space(out.shape, [Pointer("out0", node.name, out, out.strides, True)])
    attrs, floats = node.attrs, out.dtype.is_float
    context: dict[str, Any] = {"start": "start", "step": "step"}
    for name in ("start", "step"):
        value = attrs[name]
        if isinstance(value, float):
            context[name] = repr(value)
        else:
            space.params[name] = value
    half = out.dtype is DType.BF16 or out.dtype.is_minifloat
    convert = f"sol_to_{out.dtype}" if half else "(_Float16)" if out.dtype is DType.F16 else ""
    return _request(
        node,
        space,
        [],
        Pointer("out0", node.name, out, out.strides, True),
        [],
        length=space.size(0),
        out_step=space.stride("out0", 0),
        total="double" if floats or any(isinstance(attrs[k], float) for k in ("start", "step")) else "int64_t",
        convert=convert,
        **context,
    )


KERNELS: dict[str, Callable[[Lowering, Node, View], Request | Sweep | tuple[Request | Sweep, ...]]] = {
    "pad": _pad,
    "pick": find_pick,
    "take": _indexed,
    "gather": _indexed,
    "cumsum": _cumulative,
    "cumprod": _cumulative,
    "logcumsumexp": _cumulative,
    "scatter": find_scatter,
    "random": find_random,
    "iota": _iota,
    "reorder": find_reorder,
    "channel_select": find_channel_select,
    "space_to_depth": find_space_to_depth,
    "stack_slices": find_stack_slices,
}
