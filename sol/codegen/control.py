"""Plans control flow: bodies become launches among those around them, and loops move pointers instead of data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol

from sol.codegen.lowering import KernelLibrary, operand_view
from sol.codegen.placement import GraphPlacement
from sol.codegen.plan import Buffer, BufferRef, Control, Launch, State, Step, Walk
from sol.ir.data_sizes import symbol_of
from sol.ir.dim import DimLike, product
from sol.ir.graph import Graph, Node
from sol.ir.types import TensorType

POINTER = "pointer"


@dataclass
class Part:
    """A graph on its way to a plan. launches: those of bodies too, in the order of the text. steps: how they are nested.

    buffers: of all kinds; first and last count ``launches``.
    """

    placement: GraphPlacement
    launches: list[Launch] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


class Planner(Protocol):
    """What plans the bodies (codegen/schedule.py)."""

    library: KernelLibrary
    controls: int

    def part(self, graph: Graph, path: str) -> Part: ...


@dataclass
class PlannedControl:
    """A control node's step, its launches (counted from ``at``), the buffers of its bodies, and what it touches outside of them."""

    control: Control
    launches: list[Launch]
    buffers: list[Buffer]
    touched: set[str]
    first: int
    last: int


def plan_control(planner: Planner, node: Node, placement: GraphPlacement, path: str, at: int) -> PlannedControl:
    """Plan a node whose bodies run under a condition or again and again. at: launches before it."""
    return _ControlPlan(planner, node, placement, path, at).result()


class _ControlPlan:
    def __init__(self, planner: Planner, node: Node, placement: GraphPlacement, path: str, at: int) -> None:
        self.planner, self.node, self.placement, self.path, self.at = planner, node, placement, path, at
        self.name = f"c{planner.controls}"
        planner.controls += 1
        self.launches: list[Launch] = []
        self.buffers: list[Buffer] = []
        self.touched: set[str] = set()
        self.operands = [self._outside(v) for v in node.inputs]
        self.results = [self._outside(v) for v in node.outputs]

    def result(self) -> PlannedControl:
        control = self._if() if self.node.op == "if" else self._loop()
        last = max(self.at, self.at + len(self.launches) - 1)
        buffers = [replace(b, first=self.at, last=last) if b.first < 0 else b for b in self.buffers]
        return PlannedControl(control, self.launches, buffers, self.touched, self.at, last)

    def _outside(self, value: str) -> BufferRef:
        """Where a value of the graph around lies."""
        view = self.planner.library.placed(operand_view(self.placement, value))
        self.touched.add(view.buffer)
        return BufferRef(view.buffer, view.offset * view.dtype.itemsize)

    def _pointer(self, role: str, size: DimLike) -> BufferRef:
        """Memory that a C variable of the loop points to."""
        name = f"@{self.name}.{role}"
        self.buffers.append(Buffer(name, POINTER, size))
        return BufferRef(name, 0)

    def _if(self) -> Control:
        blocks = []
        for key in ("then_body", "else_body"):
            body: Graph = self.node.attrs[key]
            inputs = dict(zip(body.inputs, self.operands[1:]))
            blocks.append(self._body(key, inputs, dict(zip(body.outputs, self.results)))[0])
        return Control(self.name, "if", self.node.name, self.node.origin, self.operands[0], tuple(blocks))

    def _loop(self) -> Control:
        node, attrs = self.node, self.node.attrs
        body: Graph = attrs["body"]
        carried, scanned = attrs["carried"], attrs["scanned"]
        types = [body.type_of(v) for v in body.inputs]
        inputs = [self._pointer("round", 8), self._pointer("flag", 1)]
        outputs: list[BufferRef | None] = [None] if attrs["conditional"] else []
        states, slices, stacked = [], [], []
        for k in range(carried):
            size = _bytes(types[2 + k])
            read, write = self._pointer(f"state{k}", size), self._pointer(f"next{k}", size)
            spare = Buffer(f"@{self.name}.spare{k}", "arena", size, -1, -1)
            self.buffers.append(spare)
            states.append(State(read.buffer, write.buffer, self.operands[2 + k], BufferRef(spare.name, 0), self.results[k], size))
            inputs.append(read)
            outputs.append(write)
        for k in range(scanned):
            size = _bytes(types[2 + carried + k])
            inputs.append(self._pointer(f"slice{k}", size))
            slices.append(Walk(inputs[-1].buffer, self.operands[2 + carried + k], size))
        for k, value in enumerate(body.outputs[len(outputs) :]):
            size = _bytes(body.type_of(value))
            outputs.append(self._pointer(f"out{k}", size))
            stacked.append(Walk(f"@{self.name}.out{k}", self.results[carried + k], size))
        inputs += self.operands[2 + carried + scanned :]
        symbol = symbol_of(node)
        given = {v: ref for v, ref in zip(body.outputs, outputs) if ref is not None}
        block, own = self._body("body", dict(zip(body.inputs, inputs)), given, rounds=attrs["trips"])
        exact = attrs["trips"] if symbol is None and not attrs["conditional"] else None
        return Control(
            self.name, "loop", node.name, node.origin, self.operands[1], (block,), limit=self.operands[0], trips=exact,
            going=own[body.outputs[0]] if attrs["conditional"] else None, states=tuple(states), scanned=tuple(slices),
            stacked=tuple(stacked), symbol=symbol.name if symbol else "", count=self.results[-1] if symbol else None,
        )  # fmt: skip

    def _body(
        self, key: str, inputs: dict[str, BufferRef], outputs: dict[str, BufferRef], rounds: DimLike | None = None
    ) -> tuple[tuple[Step, ...], dict[str, BufferRef]]:
        """Plan a body whose inputs and outputs lie elsewhere; its steps, and where its other outputs lie.

        rounds: how often it runs, for the work of its launches.
        """
        graph: Graph = self.node.attrs[key]
        path = f"{self.path}{self.node.name}/{key}/"
        part = self.planner.part(graph, path)
        self.planner.library.path = self.path
        alias = dict(inputs)
        for value, ref in outputs.items():
            alias[part.placement.root(value)] = ref

        def moved(ref: BufferRef) -> BufferRef:
            name = ref.buffer
            if name in alias:
                return replace(ref, buffer=alias[name].buffer, offset=alias[name].offset + ref.offset)
            return ref if _is_global(name) else replace(ref, buffer=path + name)

        shift = self.at + len(self.launches)
        for launch in part.launches:
            often: DimLike = 1 if rounds is None else rounds
            refs = tuple(moved(r) for r in launch.buffers)
            defines = tuple((name, moved(r)) for name, r in launch.defines)
            region = path + _local(launch.region)
            work = launch.flops * often, launch.bytes * often
            self.launches.append(replace(launch, buffers=refs, defines=defines, region=region, flops=work[0], bytes=work[1]))
        for buffer in part.buffers:
            if buffer.name in alias:
                continue
            name = buffer.name if _is_global(buffer.name) else path + buffer.name
            whole = buffer.kind == "output"  # a condition: read when the round is over
            if buffer.kind == POINTER:
                self.buffers.append(buffer)
            elif whole or buffer.kind == "arena":
                first, last = (-1, -1) if whole else (buffer.first + shift, buffer.last + shift)
                self.buffers.append(Buffer(name, "arena", buffer.size, first, last))
        own = {v: moved(BufferRef(part.placement.root(v), 0)) for v in graph.outputs if v not in outputs}
        return tuple(shifted(s, shift, moved) for s in part.steps), own


def _is_global(name: str) -> bool:
    """Whether a buffer's name means the same in all graphs: pointers of loops, weights, values of bodies."""
    return name.startswith("@") or "/" in name


def _local(region: str) -> str:
    """A region's name in its own graph."""
    return region.rpartition("/")[2]


def _bytes(type_: TensorType) -> DimLike:
    return product(type_.shape) * type_.dtype.itemsize


def shifted(step: Step, by: int, moved: Callable[[BufferRef], BufferRef]) -> Step:
    """A step of a body as one of the graph around it."""
    if isinstance(step, int):
        return step + by
    changes: dict[str, Any] = {"blocks": tuple(tuple(shifted(s, by, moved) for s in b) for b in step.blocks)}
    for f in fields(step):
        value = getattr(step, f.name)
        if isinstance(value, BufferRef):
            changes[f.name] = moved(value)
        elif f.name in ("states", "scanned", "stacked"):
            changes[f.name] = tuple(_moved_fields(x, moved) for x in value)
    return replace(step, **changes)


def _moved_fields(item: Any, moved: Callable[[BufferRef], BufferRef]) -> Any:
    refs = {f.name: getattr(item, f.name) for f in fields(item)}
    return replace(item, **{k: moved(v) for k, v in refs.items() if isinstance(v, BufferRef)})


def controls_of(steps: Sequence[Step]) -> Iterator[Control]:
    """All control steps, those within others behind them."""
    for step in steps:
        if isinstance(step, Control):
            yield step
            for block in step.blocks:
                yield from controls_of(block)
