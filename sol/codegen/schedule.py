"""Fused graph → Plan: a kernel for each region, launches in order, buffers in one arena, barriers only where data crosses threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sol.codegen.arena import arena_interval, arena_offsets
from sol.codegen.control import Part, PlannedControl, plan_control
from sol.codegen.in_place_reuse import reuse_operands
from sol.codegen.kernels.families import lower_region
from sol.codegen.lent_memory import may_be_lent, place_lent, places_of
from sol.codegen.lowering import KernelLibrary, Lowering, TargetLike
from sol.codegen.memory import LINE, assign_offsets, by_maps, keeps_maps_apart
from sol.codegen.packing_in_calls import Packed, pack_in_calls, read_in_place
from sol.codegen.placement import GraphPlacement
from sol.codegen.plan import Buffer, BufferRef, Control, Kernel, Launch, Plan, Port, Step
from sol.errors import SolError, UnsupportedError
from sol.ir import dim
from sol.ir.data_sizes import anchor_of, definitions, symbol_of, upper
from sol.ir.dim import DimLike, dim_max
from sol.ir.graph import Graph, Node
from sol.ir.ops.control import CONTROL
from sol.ir.text import symbols_of
from sol.ir.types import DType
from sol.passes.choices import Choose, first


def make_plan(
    graph: Graph, target: TargetLike, choose: Choose = first, decided: Callable[[Kernel], None] = lambda kernel: None
) -> Plan:
    """Decide everything about a fused graph (sol/passes/pipeline.py).

    choose: who decides between alternative kernels. decided: is told each kernel of the plan when it is known.
    """
    planner = _Planner(target, choose, decided)
    part = planner.part(graph, "")
    placement, library, limits = part.placement, planner.library, planner.limits
    launches, buffers = part.launches, part.buffers
    symbols = tuple(s for s in _symbols(graph) if s not in limits)
    if limits:
        _check_order(part.steps, launches, set(limits))
        launches, buffers = _bounded(launches, buffers, limits)
    weights = list(library.weights.values())
    packed = Packed(list(launches), list(buffers), weights)
    if target.repacks and not planner.controls:
        packed = pack_in_calls(graph, launches, buffers, weights, target.machine.memory.l3.bytes)
    elif target.keeps_parameters and not planner.controls:
        packed = read_in_place(graph, launches, buffers, weights)
    launches, buffers = packed.launches, packed.buffers
    arena: DimLike = 0
    steps: Sequence[Step] = part.steps if planner.controls else range(len(launches))
    lasting: list[Launch] = []
    if not symbols:
        in_arena = [b for b in buffers if b.kind == "arena"]
        pooled = keeps_maps_apart([arena_interval(b, {}) for b in in_arena], target.team, target.machine.team.apart)
        lends = target.repacks and not (planner.controls or limits) and may_be_lent(buffers)
        if lends and places_of(graph):
            pooled = False
        buffers, arena = _placed(buffers, *arena_offsets(in_arena, {}, by_maps if pooled else assign_offsets))
        if lends:
            buffers, arena = place_lent(graph, launches, buffers, arena if pooled else 0)
        if pooled and not planner.controls:
            lasting, launches, buffers = _lasting_borders(launches, buffers)
            steps = range(len(launches))
    launches = lasting + _with_barriers(steps, launches, {b.name: b for b in buffers}, not symbols)
    lent = {b.name: b.offset for b in buffers if b.lent}
    return Plan(
        target=target.name,
        kernels=tuple(library.kernels.values()),
        launches=tuple(launches),
        buffers=tuple(buffers),
        weights=tuple(packed.weights),
        inputs=tuple(_port(graph, v, v, lent) for v in graph.inputs),
        outputs=tuple(_port(graph, v, placement.root(v), lent) for v in graph.outputs),
        symbols=symbols,
        arena=arena,
        scratch=apart(_largest([k.scratch for k in launches])),
        shared_scratch=_largest([k.shared_scratch for k in launches]),
        defined=tuple((name, limits[name]) for name in definitions(graph)),
        checks=tuple(library.checks),
        given=tuple(packed.given.values()),
        packers=tuple(packed.packers.values()),
        steps=tuple(part.steps) if planner.controls else (),
    )


class _Planner:
    """Plans a graph and the bodies in it. limits: largest values of all sizes that data decides."""

    def __init__(self, target: TargetLike, choose: Choose, decided: Callable[[Kernel], None]) -> None:
        self.target, self.choose = target, choose
        self.library = KernelLibrary(decided)
        self.limits: dict[str, DimLike] = {}
        self.controls = 0

    def part(self, graph: Graph, path: str) -> Part:
        """Launches, buffers and steps of one graph, bodies included. path: where it lies."""
        self.library.path = path
        for name, definition in definitions(graph).items():
            self.limits[name] = upper(definition.bound, self.limits)
        part = Part(GraphPlacement(graph, self.target.space))
        controls: list[PlannedControl] = []
        bordered: set[str] = set()
        for node in graph.nodes:
            at = len(part.launches)
            if node.op == "torch_call":
                raise UnsupportedError(f"{node.attrs['key']} cannot be compiled: {node.attrs['reason']}", origin=str(node.origin))
            if node.op == "region":
                part.launches += self._region(node, part.placement, bordered)
                part.steps += range(at, len(part.launches))
            elif node.op in CONTROL and not part.placement.is_constant(node.name):
                planned = plan_control(self, node, part.placement, path, at)
                part.launches += planned.launches
                part.steps.append(planned.control)
                controls.append(planned)
        self._finish(graph, part, controls)
        return part

    def _region(self, node: Node, placement: GraphPlacement, bordered: set[str]) -> list[Launch]:
        lowering = Lowering(node, placement, self.library, self.target)
        lower_region(lowering, self.choose)
        placement.by_rows |= lowering.shares
        launches = lower_borders(node, placement, self.library, bordered)
        return launches + _defining(node, lowering.launches, placement)

    @staticmethod
    def _finish(graph: Graph, part: Part, controls: Sequence[PlannedControl]) -> None:
        """Buffers and how long they live; results over operands that die, except where control flow touches them."""
        uses = [(name, c.first, c.last) for c in controls for name in sorted(c.touched)]
        buffers = _buffers(graph, part.placement, part.launches, uses)
        touched = {name for name, _, _ in uses}
        free = [b for b in buffers if b.name not in touched]
        part.launches, free = reuse_operands(graph, part.placement, part.launches, free)
        left = {b.name: b for b in free}
        part.buffers = [left.get(b.name, b) for b in buffers if b.name in touched or b.name in left]
        part.buffers += [b for c in controls for b in c.buffers]


def _bounded(launches: Sequence[Launch], buffers: Sequence[Buffer], limits: Mapping[str, DimLike]) -> tuple[list[Launch], list[Buffer]]:
    """Memory and work for the largest sizes that data may decide. What states a size lives to the end: threads read it when they like."""
    states = {ref.buffer for launch in launches for _, ref in launch.defines}
    fields = ("scratch", "shared_scratch", "flops", "bytes")
    return (
        [replace(x, **{f: upper(getattr(x, f), limits) for f in fields}) for x in launches],  # type: ignore[arg-type]
        [replace(b, size=upper(b.size, limits), last=len(launches) if b.name in states else b.last) for b in buffers],
    )


def _check_order(steps: Sequence[Step], launches: Sequence[Launch], unknown: set[str]) -> None:
    """Arguments mention only sizes that are known by then. unknown: those that data has not yet decided; they become fewer."""
    for step in steps:
        if isinstance(step, Control):
            for block in step.blocks:
                _check_order(block, launches, unknown)
            unknown.discard(step.symbol)
            continue
        launch = launches[step]
        sizes = (*launch.args, *(ref.offset for ref in launch.buffers))
        early = {s.name for d in sizes for s in dim.symbols(d)} & unknown
        if early:
            raise SolError(f"region {launch.region} needs {', '.join(sorted(early))} before data decides it", origin=str(launch.origin))
        unknown -= {name for name, _ in launch.defines}


def _port(graph: Graph, value: str, buffer: str, lent: Mapping[str, DimLike]) -> Port:
    type, place = graph.type_of(value), lent.get(buffer)
    return Port(value, type.dtype, type.shape, buffer, place if isinstance(place, int) else None)


def _symbols(graph: Graph) -> tuple[str, ...]:
    found = set(symbols_of(graph))
    return tuple(sorted(found))


APART = 16 << 10
"""Bytes between the scratch memory of two threads: caches fetch beyond what one of them reads, which would take lines from the other."""


def apart(scratch: DimLike) -> DimLike:
    """Bytes per thread for kernels that ask for ``scratch``."""
    return 0 if isinstance(scratch, int) and scratch == 0 else scratch + APART


def _largest(sizes: Sequence[DimLike]) -> DimLike:
    total: DimLike = 0
    for size in sizes:
        total = dim_max(total, (size + LINE - 1) // LINE * LINE)
    return total


def lower_borders(region: Node, placement: GraphPlacement, library: KernelLibrary, done: set[str]) -> list[Launch]:
    """What fills the borders around the region's results, unless it is ``done`` already."""
    launches = []
    for value in region.outputs:
        root = placement.root(value)
        if root not in done and any(p != (0, 0) for p in placement.borders.get(root, ())):
            done.add(root)
            launches.append(_zero_border(placement, root, library, region.name))
    return launches


def _defining(region: Node, launches: list[Launch], placement: GraphPlacement) -> list[Launch]:
    """The launches of a region, the last of which defines the size that the region's data decides."""
    symbol = symbol_of(region)
    if symbol is None:
        return launches
    view = placement.view(region.outputs[region.attrs["body"].outputs.index(anchor_of(region).outputs[-1])])
    ref = BufferRef(view.buffer, view.offset * view.dtype.itemsize)
    return [*launches[:-1], replace(launches[-1], defines=((symbol.name, ref),))]


BORDER = "zero_border"
"""What the names of kernels that zero borders begin with."""
FILLED = "_filled"
"""What those contain that write other bytes."""


def _zero_border(placement: GraphPlacement, root: str, library: KernelLibrary, region: str) -> Launch:
    view = placement.view(root)
    (top, bottom), (left, right) = view.border
    params = {
        "N": view.shape[0], "CB": view.shape[1], "by_rows": int(placement.by_rows.get(root, True)),
        "image_stride": view.strides[0], "map_stride": view.strides[1], "H": view.shape[2], "W": view.shape[3],
        "row": view.strides[2], "lanes": view.shape[4], "top": top, "bottom": bottom, "left": left, "right": right,
    }  # fmt: skip
    fill = placement.fills.get(root, 0)
    if fill:
        params["fill"] = fill
    stem = BORDER + ("" if view.dtype is DType.F32 else f"_{view.dtype}") + (FILLED if fill else "")
    name = library.kernel(stem, "zero_border.c.j2", [("x", view.dtype.c)], list(params), {"c": view.dtype.c, "filled": bool(fill)})
    ref = BufferRef(view.buffer, 0, True)
    return Launch(name, (ref,), tuple(params.values()), region, placement.graph.producer(root).origin, space=view.space)


def _buffers(
    graph: Graph, placement: GraphPlacement, launches: Sequence[Launch], uses: Sequence[tuple[str, int, int]] = ()
) -> list[Buffer]:
    """All buffers of a graph. uses: buffers that are in use from one launch to another although no launch says so."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for i, launch in enumerate(launches):
        for ref in launch.buffers:
            first.setdefault(ref.buffer, i)
            last[ref.buffer] = i
    for name, begin, end in uses:
        first[name], last[name] = min(first.get(name, begin), begin), max(last.get(name, end), end)
    buffers = [Buffer(v, "input", placement.size(v)) for v in graph.inputs]
    owned = {placement.root(v) for v in graph.outputs}
    if len(owned) != len(graph.outputs):
        raise SolError("two outputs share one buffer")
    buffers += [Buffer(r, "output", placement.size(r)) for r in map(placement.root, graph.outputs) if r not in graph.inputs]
    known = {b.name for b in buffers}
    for node in graph.nodes:
        if node.op not in ("region", "concat", *CONTROL) or node.name in placement.constants:
            continue
        for value in node.outputs:
            root = placement.root(value)
            if root not in known and root in first:
                known.add(root)
                shape, pixel, border = placement.map(root)
                buffers.append(
                    Buffer(root, "arena", placement.size(root), first[root], last[root], map_shape=shape, pixel=pixel, border=border,
                           space=placement.view(root).space, fill=placement.fills.get(root, 0))
                )
    return buffers


def _placed(buffers: Sequence[Buffer], offsets: Sequence[int], total: int) -> tuple[list[Buffer], int]:
    where = dict(zip((b.name for b in buffers if b.kind == "arena"), offsets))
    return [replace(b, offset=where[b.name]) if b.kind == "arena" else b for b in buffers], total


def _lasting_borders(launches: Sequence[Launch], buffers: Sequence[Buffer]) -> tuple[list[Launch], list[Launch], list[Buffer]]:
    """Launches that zero borders in the arena, which nothing else writes; the other launches; buffers, whose lifetimes count them all."""
    arena = {b.name for b in buffers if b.kind == "arena"}
    lasts = [x.kernel.startswith(BORDER) and FILLED not in x.kernel and x.buffers[0].buffer in arena for x in launches]
    found = [replace(x, once=True, barrier=False) for x, lasting in zip(launches, lasts) if lasting]
    at = [len(found) + i - sum(lasts[:i]) for i in range(len(launches) + 1)]  # a border's lifetime begins with what comes next
    moved = [replace(b, first=at[b.first], last=at[b.last]) if b.kind == "arena" else b for b in buffers]
    return found, [x for x, lasting in zip(launches, lasts) if not lasting], moved


# -- barriers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Access:
    """What a launch does to a buffer. span: its bytes in the arena, None where they are known only at run time or it lies elsewhere."""

    buffer: Buffer
    writes: bool
    border: bool
    span: tuple[int, int] | None

    def conflicts(self, other: _Access) -> bool:
        """Whether one writes what the other touches. Zeroed borders and the interior of a buffer are disjoint."""
        if not (self.writes or other.writes):
            return False
        if self.buffer.name == other.buffer.name:
            return not ((self.border or other.border) and self.writes and other.writes)
        if not (self.buffer.in_arena and other.buffer.in_arena):
            return False
        if self.span is None or other.span is None:  # buffers that do not live at the same time may share memory
            return self.buffer.last < other.buffer.first or other.buffer.last < self.buffer.first
        return self.span[0] < other.span[1] and other.span[0] < self.span[1]


def _with_barriers(steps: Sequence[Step], launches: Sequence[Launch], buffers: dict[str, Buffer], static: bool) -> list[Launch]:
    """A launch waits for the others only if it touches what one of them wrote, or writes what one of them read.

    All threads wait where control flow begins, where a round of it ends, and where it ends.
    """
    out: list[Launch] = []
    straight: list[Launch] = []
    for step in steps:
        if not isinstance(step, Control):
            straight.append(launches[step])
            continue
        out += _straight_barriers(straight, buffers, static)
        straight = []
        for block in step.blocks:
            out += _with_barriers(block, launches, buffers, static)
    return out + _straight_barriers(straight, buffers, static)


def _straight_barriers(launches: Sequence[Launch], buffers: dict[str, Buffer], static: bool) -> list[Launch]:
    """Barriers of launches one after the other, before the first of which all threads have waited."""
    pending: list[_Access] = []
    busy_shared = False
    out: list[Launch] = []
    for launch in launches:
        border = launch.kernel.startswith(BORDER)
        accesses = [_access(buffers[r.buffer], r.writes, border, static) for r in launch.buffers if r.buffer in buffers]
        wait = any(a.conflicts(p) for a in accesses for p in pending) or (busy_shared and launch.shared_scratch != 0)
        if wait:
            pending, busy_shared = [], False
        pending += accesses
        busy_shared = busy_shared or launch.shared_scratch != 0
        if launch.defines:  # all threads wait before they read the size
            pending, busy_shared = [], False
        out.append(replace(launch, barrier=wait))
    return out


def _access(buffer: Buffer, writes: bool, border: bool, static: bool) -> _Access:
    span = None
    if static and buffer.in_arena and isinstance(buffer.offset, int) and isinstance(buffer.size, int):
        span = buffer.offset, buffer.offset + buffer.size
    return _Access(buffer, writes, border, span)
