"""Fused graph → Plan: a kernel for each region, launches in order, buffers in one arena, barriers only where data crosses threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sol.codegen.kernels import lower_region
from sol.codegen.lowering import KernelLibrary, Lowering, TargetLike
from sol.codegen.memory import LINE, Interval, assign_offsets
from sol.codegen.placement import GraphPlacement
from sol.codegen.plan import Buffer, BufferRef, Launch, Plan, Port
from sol.codegen.takeover import take_over_operands
from sol.errors import SolError, UnsupportedError
from sol.ir import dim
from sol.ir.dim import DimLike, dim_max, evaluate
from sol.ir.graph import Graph


def make_plan(graph: Graph, target: TargetLike) -> Plan:
    """Decide everything about a fused graph (sol/passes/pipeline.py)."""
    placement = GraphPlacement(graph)
    library = KernelLibrary()
    launches = _lower(graph, placement, library, target)
    launches, buffers = take_over_operands(graph, placement, launches, _buffers(graph, placement, launches))
    symbols = _symbols(graph)
    arena: DimLike = 0
    if not symbols:
        buffers, arena = _placed(buffers)
    launches = _with_barriers(launches, {b.name: b for b in buffers}, not symbols)
    return Plan(
        target=target.name,
        kernels=tuple(library.kernels.values()),
        launches=tuple(launches),
        buffers=tuple(buffers),
        weights=tuple(library.weights.values()),
        inputs=tuple(_port(graph, v, v) for v in graph.inputs),
        outputs=tuple(_port(graph, v, placement.root(v)) for v in graph.outputs),
        symbols=symbols,
        arena=arena,
        scratch=_largest([k.scratch for k in launches]),
        common=_largest([k.common for k in launches]),
    )


def _port(graph: Graph, value: str, buffer: str) -> Port:
    type = graph.type_of(value)
    return Port(value, type.dtype, type.shape, buffer)


def _symbols(graph: Graph) -> tuple[str, ...]:
    found = {s.name for n in graph.nodes for t in n.types for d in t.shape for s in dim.symbols(d)}
    return tuple(sorted(found))


def _largest(sizes: Sequence[DimLike]) -> DimLike:
    total: DimLike = 0
    for size in sizes:
        total = dim_max(total, (size + LINE - 1) // LINE * LINE)
    return total


def _lower(graph: Graph, placement: GraphPlacement, library: KernelLibrary, target: TargetLike) -> list[Launch]:
    launches: list[Launch] = []
    bordered: set[str] = set()
    for node in graph.nodes:
        if node.op == "torch_call":
            raise UnsupportedError(f"{node.attrs['key']} cannot be compiled: {node.attrs['reason']}", origin=str(node.origin))
        if node.op != "region":
            continue
        for value in node.outputs:
            root = placement.root(value)
            if root not in bordered and any(p != (0, 0) for p in placement.borders.get(root, ())):
                bordered.add(root)
                launches.append(_zero_border(placement, root, library, node.name))
        lowering = Lowering(node, placement, library, target)
        lower_region(lowering)
        launches += lowering.launches
    return launches


BORDER = "zero_border"


def _zero_border(placement: GraphPlacement, root: str, library: KernelLibrary, region: str) -> Launch:
    view = placement.view(root)
    (top, bottom), (left, right) = view.border
    params = {
        "maps": view.shape[0] * view.shape[1], "map_stride": view.strides[1], "H": view.shape[2], "W": view.shape[3],
        "row": view.strides[2], "lanes": view.shape[4], "top": top, "bottom": bottom, "left": left, "right": right,
    }  # fmt: skip
    name = library.kernel(BORDER, "zero_border.c.j2", [("x", view.dtype.c)], list(params), {})
    ref = BufferRef(view.buffer, 0, True)
    return Launch(name, (ref,), tuple(params.values()), region, placement.graph.producer(root).origin)


def _buffers(graph: Graph, placement: GraphPlacement, launches: Sequence[Launch]) -> list[Buffer]:
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for i, launch in enumerate(launches):
        for ref in launch.buffers:
            first.setdefault(ref.buffer, i)
            last[ref.buffer] = i
    buffers = [Buffer(v, "input", placement.size(v)) for v in graph.inputs]
    owned = {placement.root(v) for v in graph.outputs}
    if len(owned) != len(graph.outputs):
        raise SolError("two outputs share one buffer")
    buffers += [Buffer(placement.root(v), "output", placement.size(placement.root(v))) for v in graph.outputs]
    known = {b.name for b in buffers}
    for node in graph.nodes:
        if node.op not in ("region", "concat") or node.name in placement.constants:
            continue
        for value in node.outputs:
            root = placement.root(value)
            if root not in known and root in first:
                known.add(root)
                buffers.append(Buffer(root, "arena", placement.size(root), first[root], last[root]))
    return buffers


def _placed(buffers: list[Buffer]) -> tuple[list[Buffer], int]:
    arena = [b for b in buffers if b.kind == "arena"]
    offsets, total = assign_offsets([arena_interval(b, {}) for b in arena])
    where = {b.name: offset for b, offset in zip(arena, offsets)}
    return [replace(b, offset=where[b.name]) if b.kind == "arena" else b for b in buffers], total


def arena_interval(buffer: Buffer, env: dict[str, int]) -> Interval:
    """Lifetime and size of an arena buffer for given symbol values."""
    return Interval(buffer.first, buffer.last, max(evaluate(buffer.size, env), 1))


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
        if self.buffer.kind != "arena" or other.buffer.kind != "arena":
            return False
        if self.span is None or other.span is None:  # buffers that do not live at the same time may share memory
            return self.buffer.last < other.buffer.first or other.buffer.last < self.buffer.first
        return self.span[0] < other.span[1] and other.span[0] < self.span[1]


def _with_barriers(launches: Sequence[Launch], buffers: dict[str, Buffer], static: bool) -> list[Launch]:
    """A launch waits for the others only if it touches what one of them wrote, or writes what one of them read."""
    pending: list[_Access] = []
    busy_common = False
    out: list[Launch] = []
    for launch in launches:
        accesses = [_access(buffers[r.buffer], r.writes, launch.kernel == BORDER, static) for r in launch.buffers if r.buffer in buffers]
        wait = any(a.conflicts(p) for a in accesses for p in pending) or (busy_common and launch.common != 0)
        if wait:
            pending, busy_common = [], False
        pending += accesses
        busy_common = busy_common or launch.common != 0
        out.append(replace(launch, barrier=wait))
    return out


def _access(buffer: Buffer, writes: bool, border: bool, static: bool) -> _Access:
    span = None
    if static and buffer.kind == "arena" and isinstance(buffer.offset, int) and isinstance(buffer.size, int):
        span = buffer.offset, buffer.offset + buffer.size
    return _Access(buffer, writes, border, span)
