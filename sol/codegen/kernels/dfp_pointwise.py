"""Pointwise regions: one pass over the result's elements, all intermediates in registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sol.codegen.emit import CValue, Emitter
from sol.codegen.epilogue import storage_shape
from sol.codegen.kernels.dfp_space import FEW, Axis, Pointer, Space, locate, make_axes, merge, order_by, result_strides
from sol.codegen.kernels.dfp_terms import APART, EXPENSIVE, Term, Terms, cost_of, lanes_pay, load_text, needed, store_text, trace
from sol.codegen.kernels.dfp_turned import TurnedWriter, is_moved, turned_axis
from sol.codegen.lowering import Lowering, operand_strides
from sol.codegen.plan import View
from sol.ir.dim import DimLike, ceil_div, product
from sol.ir.graph import Graph
from sol.ir.lanes import FLOAT_LANES
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.types import DType, TensorType

FEWEST_MAPS = 12
"""Operations of a lane from which on looking a result up in a table of all bytes is faster than computing it."""
TABULATED = 16 * 256
"""Elements that are worth a table of 256."""
LOOKED_UP = 4
"""Work of an element that is looked up, in operations of a lane."""


def stem_of(body: Graph, limit: int = 5) -> str:
    """Kernel name: its first and last ops."""
    ops = [n.op for n in body.nodes if n.op not in ("input", "constant")]
    return "dfp_" + "_".join(ops if len(ops) <= limit else [*ops[: limit - 2], f"and{len(ops) - limit + 1}", ops[-1]])


@dataclass(frozen=True)
class Loop:
    """How the innermost loop walks. ``lane_axis``: it steps over whole vectors of an axis that is exactly LANES long."""

    vector: bool
    lane_axis: bool
    step_axis: int

    @property
    def outer(self) -> range:
        return range(self.step_axis)


@dataclass(frozen=True)
class Part:
    """A slab of a region's result that one launch computes.

    type: logical type of the whole result. sources: computed values (of a move op) and the memory that holds them in this slab.
    slab: (start, step, size) by logical dimension, everything along others (``start`` in whole blocks for channels).
    """

    type: TensorType
    sources: Mapping[str, View] = field(default_factory=dict)
    slab: Mapping[int, tuple[DimLike, int, DimLike]] = field(default_factory=dict)


@dataclass(frozen=True)
class Sweep:
    """One pass over the elements of a result, or of a slab of it, in one launch.

    results: where terms are written. wanted: terms in order. axes: of the walk. loop: the innermost one; across: the axis along which
    operands are contiguous that are transposed in registers, -1 for none. channels: of a blocked result whose last lanes must be zero.
    """

    stem: str
    title: str
    reads: tuple[Pointer, ...]
    results: tuple[tuple[Pointer, Term], ...]
    wanted: tuple[Term, ...]
    shape: tuple[DimLike, ...]
    axes: tuple[Axis, ...]
    loop: Loop
    across: int
    channels: DimLike | None

    @property
    def writes(self) -> tuple[Pointer, ...]:
        return tuple(p for p, _ in self.results)

    @property
    def pointers(self) -> tuple[Pointer, ...]:
        return (*self.reads, *self.writes)

    @property
    def bytes(self) -> DimLike:
        """Of all tensors."""
        return sum((p.view.dtype.itemsize * product(p.view.shape) for p in self.pointers), start=0)

    def emit(self, lowering: Lowering) -> None:
        """The launch."""
        space, turned = Space(self.axes), self.across >= 0
        soon = lowering.target.machine.streams.soon
        writer: Any = TurnedWriter(space, self.across, self.reads, self.results, self.wanted) if turned else _Writer(space, self, soon)
        context = writer.context()
        lowering.emit(
            "dfp_turned.c.j2" if turned else "dfp_pointwise.c.j2",
            self.stem + ("_turned" if turned else ""),
            reads={p.name: p.view for p in self.reads},
            writes={p.name: p.view for p in self.writes},
            params=space.params,
            flops=product(self.shape) * sum(t.kind == "map" for t in self.wanted),
            bytes=self.bytes,
            title=self.title,
            bytes_each=self.writes[0].view.dtype.itemsize,
            **context,
        )


def find_pointwise(lowering: Lowering) -> Sweep:
    """One launch for the whole region."""
    return find_sweep(lowering, Part(lowering.type_of(lowering.body.outputs[0])))


def lower_pointwise(lowering: Lowering, found: Sweep) -> None:
    """The launch."""
    found.emit(lowering)


def find_sweep(lowering: Lowering, part: Part) -> Sweep:
    """The pass over a slab of the result."""
    body, block = lowering.body, part.type.layout.block
    whole = storage_shape(lowering, body.outputs[0])
    slab = {d: (at // block, step, ceil_div(n, block)) if block and d == 1 else (at, step, n) for d, (at, step, n) in part.slab.items()}
    shape = tuple(slab[i][2] if i in slab else s for i, s in enumerate(whole))
    terms = Terms(body, (), lambda v: True, part.sources)
    wanted = needed(terms.of(o) for o in body.outputs)

    def window(pointer: Pointer) -> Pointer:
        offset, strides = pointer.view.offset, list(pointer.strides)
        for dim, (start, step, _) in slab.items():
            offset, strides[dim] = offset + start * strides[dim], step * strides[dim]
        return replace(pointer, view=replace(pointer.view, offset=offset), strides=tuple(strides))

    reads = []
    for i, value in enumerate(dict.fromkeys(t.value for t in wanted if t.kind == "leaf")):
        if value in part.sources:
            view = part.sources[value]
            reads.append(Pointer(f"in{i}", value, view, operand_strides(view, shape, block)))
        else:
            reads.append(window(locate(lowering, f"in{i}", value, part.type, whole, block)))
    writes = [
        window(Pointer(f"out{i}", v, lowering.view(v), result_strides(lowering.view(v), part.type, whole, block), True))
        for i, v in enumerate(body.outputs)
    ]
    pointers = [*reads, *writes]
    masked = bool(block) and not _padding_is_harmless(lowering, block)
    axes = make_axes(shape, (), pointers, masked)
    if not block:
        axes = order_by(axes, [p.name for p in reversed(pointers)])
    axes = merge(axes) or [Axis(1, False, {p.name: 0 for p in pointers})]
    loop = _plan(axes, wanted, reads, writes, lowering.target.lanes)
    return Sweep(
        stem=stem_of(body),
        title=" ".join(n.op for n in body.nodes if n.op not in ("input", "constant")),
        reads=tuple(reads),
        results=tuple((p, terms.of(p.value)) for p in writes),
        wanted=tuple(wanted),
        shape=shape,
        axes=tuple(axes),
        loop=loop,
        across=-1 if block else turned_axis(axes, reads, writes, wanted),
        channels=lowering.type_of(body.outputs[0]).shape[1] if masked and loop.vector else None,
    )


def _padding_is_harmless(lowering: Lowering, block: int) -> bool:
    """No lane beyond C exists, or zeros there stay finite."""
    channels = lowering.type_of(lowering.body.outputs[0]).shape[1]
    if isinstance(channels, int) and channels % block == 0:
        return True
    return all(POINTWISE[n.op].zero_safe for n in lowering.body.nodes if n.op in POINTWISE)


def _plan(axes: Sequence[Axis], wanted: Sequence[Term], reads: Sequence[Pointer], writes: Sequence[Pointer], lanes: int) -> Loop:
    last = len(axes) - 1
    inner = axes[last]
    vector = lanes_pay(wanted) and all(_is(inner.stride(p.name), 1) for p in writes)
    vector = vector and all(_loads(p, inner, moved=is_moved(wanted)) for p in reads)
    lane_axis = vector and inner.is_unit and isinstance(inner.size, int) and inner.size == lanes and last > 0
    return Loop(vector, lane_axis, last - 1 if lane_axis else last)


def _loads(pointer: Pointer, inner: Axis, moved: bool) -> bool:
    """Whether vectors of an operand are loaded along the innermost axis: far strides only pay where something is computed."""
    stride = inner.stride(pointer.name)
    if _is(stride, 0) or _is(stride, 1):
        return True
    dtype = pointer.view.dtype
    return dtype is DType.F32 and isinstance(stride, int) and -1 <= stride <= FEW if moved else dtype in APART


def _is(value: DimLike, number: int) -> bool:
    return isinstance(value, int) and value == number


@dataclass(frozen=True)
class _Table:
    """Results of all bytes.

    read, written: names of the operand and the result. source, result: their C types. bases: pointers with which it is filled.
    """

    read: str
    written: str
    source: str
    result: str
    bases: tuple[str, ...]


class _Writer:
    """The C text of one pointwise kernel. soon: bytes ahead of which a long loop asks for its operands."""

    def __init__(self, space: Space, sweep: Sweep, soon: int) -> None:
        self.space, self.sweep, self.loop, self.wanted = space, sweep, sweep.loop, sweep.wanted
        self.soon = soon if self.loop.vector and any(t.op in EXPENSIVE for t in self.wanted) else 0
        self.by_value = {p.value: p for p in sweep.reads}

    def context(self) -> dict[str, Any]:
        space, loop = self.space, self.loop
        bases = [
            f"{'' if p.writes else 'const '}{p.view.dtype.c} *p_{p.name} = {p.name} + {space.offset(p.name, loop.outer)};"
            for p in self.sweep.pointers
        ]
        if self.sweep.channels is not None:
            space.params["channels"] = self.sweep.channels
            bases.append(f"const vi live = vi_first(channels - ({space.offset('channel', loop.outer)}));")
        hoisted, known = self._hoist()
        table = self._table()
        if table is not None:
            bases = [b for p, b in zip(self.sweep.pointers, bases) if p.name in (table.read, table.written)]
        return {
            "tabulated": table,
            "apart": loop.vector and any(self._lane(p.name) not in ("0", "1") for p in self.sweep.reads),
            "vector": loop.vector,
            "lane_axis": loop.lane_axis,
            "cost": LOOKED_UP if table else max(1, cost_of(self.wanted)) * (1 if loop.vector else 4),
            "rows": space.product(loop.outer),
            "length": space.size(loop.step_axis),
            "width": "LANES" if loop.lane_axis else "1",
            "outer": [(i, space.size(i)) for i in loop.outer],
            "bases": bases,
            "hoisted": hoisted,
            "inside": [] if table else hoisted,
            "filling": [*table.bases, *hoisted] if table else [],
            "body": self._body(dict(known), ""),
            "rest": self._body(dict(known), "left") if loop.vector and not loop.lane_axis else [],
        }

    def _table(self) -> _Table | None:
        """What the template is told where each result is a function of one byte, and there are many: it is computed once for each byte."""
        sweep, loop = self.sweep, self.loop
        moving = [p for p in sweep.reads if any(not _is(axis.stride(p.name), 0) for axis in self.space.axes)]
        if len(moving) != 1 or len(sweep.results) != 1 or loop.lane_axis or sweep.channels is not None:
            return None
        read, written = moving[0], sweep.writes[0]
        if any(p.view.dtype not in (DType.U8, DType.I8) or self._step(p.name) != "1" for p in (read, written)):
            return None
        elements = product(sweep.shape)
        if cost_of(self.wanted) < FEWEST_MAPS or not isinstance(elements, int) or elements < TABULATED:
            return None
        bases = [f"const {p.view.dtype.c} *p_{p.name} = {p.name};" for p in sweep.reads if p is not read]
        source, result = read.view.dtype.c, written.view.dtype.c
        bases += [f"const {source} *p_{read.name} = numbers;", f"{result} *p_{written.name} = table;"]
        return _Table(read.name, written.name, source, result, tuple(bases))

    def _step(self, name: str) -> str:
        """Stride of a tensor in the innermost loop, "0" if it stays."""
        if self.loop.step_axis == len(self.space.axes) - 1:
            return self.space.lane_stride(name)
        return self.space.stride(name, self.loop.step_axis)

    def _lane(self, name: str) -> str:
        return self.space.lane_stride(name)

    def _hoist(self) -> tuple[list[str], dict[Term, CValue]]:
        """Loads of what does not move in the innermost loop, and what is computed from these alone."""
        emitter = Emitter(vector=self.loop.vector, prefix="h")
        known: dict[Term, CValue] = {}
        still = [t for t in self.wanted if self._is_still(t)]

        def leaf(term: Term) -> CValue:
            name = self.by_value[term.value].name
            return emitter.let(load_text(term.dtype, f"p_{name}", vector=self.loop.vector, stride=self._lane(name)), term.dtype)

        trace(emitter, still, known, leaf)
        return emitter.lines, known

    def _is_still(self, term: Term) -> bool:
        """Every leaf behind it has one address in the innermost loop; whole vectors may stay only where the loop steps over vectors."""
        loop = self.loop
        names = [self.by_value[t.value].name for t in needed([term]) if t.kind == "leaf"]
        return all(self._step(n) == "0" and (loop.lane_axis or not loop.vector or self._lane(n) == "0") for n in names)

    def _address(self, name: str) -> str:
        step = self._step(name)
        return f"p_{name}" if step == "0" else f"p_{name} + i" if step == "1" else f"p_{name} + i * {step}"

    def _fetches(self) -> list[str]:
        """What long iterations ask for ahead of those that read it."""
        if not self.soon:
            return []
        axes = self.space.axes
        whole = axes[-1].size if self.loop.lane_axis else 1
        moving = [p for p in self.sweep.reads if axes[self.loop.step_axis].stride(p.name) == whole]
        return [f"__builtin_prefetch({self._address(p.name)} + {self.soon // p.view.dtype.itemsize});" for p in moving]

    def _body(self, known: dict[Term, CValue], left: str) -> list[str]:
        vector = self.loop.vector
        emitter = Emitter(vector=vector)

        def leaf(term: Term) -> CValue:
            name = self.by_value[term.value].name
            return emitter.let(load_text(term.dtype, self._address(name), vector=vector, stride=self._lane(name), left=left), term.dtype)

        trace(emitter, self.wanted, known, leaf)
        lines = [*([] if left else self._fetches()), *emitter.lines]
        for pointer, term in self.sweep.results:
            text = known[term].text
            if self.sweep.channels is not None:
                text = f"vf_select(live, {text}, vf_zero())" if term.dtype in FLOAT_LANES else f"live & ({text})"
            lines.append(store_text(term.dtype, self._address(pointer.name), text, vector=vector, left=left))
        return lines
