"""The Plan: everything decided, nothing rendered. Kernels, their launches in order, and the buffers they work on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sol.ir.data_sizes import upper
from sol.ir.dim import DimLike, product
from sol.ir.graph import Attrs, Origin
from sol.ir.types import HOST, PLAIN, DType, Layout


@dataclass(frozen=True, slots=True)
class Pack:
    """How a constant value is laid out for a kernel: the name of a packer (sol/codegen/packing.py) and its arguments."""

    kind: str
    attrs: Attrs = field(default_factory=Attrs)


@dataclass(frozen=True, slots=True)
class View:
    """How a kernel sees a value in memory.

    shape, strides: storage dimensions, in elements. Plain layout: the logical dimensions. Blocked layout: ``(N, ceil(C/c), *spatial, c)``.
    offset: elements from the buffer's start to element (0, …, 0).
    channels: logical C of a blocked value (lanes beyond it are padding), else 0.
    border: zeroed elements that physically surround the spatial dimensions, ``((before, after), …)``; a kernel may read that far outside.
    pack: how a constant value is laid out for the kernel; ``buffer`` is then the value's name, and what is emitted names the packed weight.
    space: the memory space that it lies in.
    """

    buffer: str
    dtype: DType
    shape: tuple[DimLike, ...]
    strides: tuple[DimLike, ...]
    offset: DimLike = 0
    layout: Layout = PLAIN
    channels: DimLike = 0
    border: tuple[tuple[int, int], ...] = ()
    pack: Pack | None = None
    space: str = HOST


def interleaved(view: View, steps: Sequence[int], place: Sequence[int], size: Sequence[DimLike]) -> View:
    """The pixels of a map that lie at ``place`` modulo ``steps``; size: how many there are along each spatial dimension."""
    offset, shape, strides = view.offset, list(view.shape), list(view.strides)
    for dim, (step, at, n) in enumerate(zip(steps, place, size), 2):
        offset, shape[dim], strides[dim] = offset + at * strides[dim], n, step * strides[dim]
    return replace(view, shape=tuple(shape), strides=tuple(strides), offset=offset, border=())


@dataclass(frozen=True, slots=True)
class Weight:
    """A constant value of the graph, packed; derived data that the runtime rebuilds when a parameter changes.

    space: the memory space in which kernels read it.
    """

    name: str
    value: str
    pack: Pack
    space: str = HOST


NULL = ""
"""The name of no buffer: kernels are handed a null pointer."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a call finds behind the packed weights, where it packs weights itself (codegen/packing_in_calls.py).

    kind: "parameter" (the memory of the parameter ``item``, row-major), "table" (numbers called ``item`` that packing ``weight`` takes) or
    "packer" (the function of that kernel).
    """

    name: str
    kind: str
    item: str
    weight: Weight | None = None


@dataclass(frozen=True, slots=True)
class Kernel:
    """One C function ``void name(const sol_team *, void *const *buf, const int64_t *arg)``.

    template, context: what its text is made of (``codegen.program.kernel_source``). buffers: name and C type of what buf[i] points to;
    params: names of arg[i], in order.
    """

    name: str
    template: str
    context: Attrs
    buffers: tuple[tuple[str, str], ...]
    params: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BufferRef:
    """A pointer handed to a kernel: buffer plus offset in bytes. ``extent``: bytes reachable from it, for dependence analysis."""

    buffer: str
    offset: DimLike
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Launch:
    """One call of a kernel.

    scratch: bytes private to each thread; shared_scratch: bytes shared by the team (both only during the launch).
    flops, bytes: work and compulsory memory traffic, for profiles.
    barrier: all threads wait before it starts, because it reads or overwrites what an earlier launch touched.
    defines: sizes that data decides and that are read when all threads are done, with the int64 that states them.
    once: it writes zeros that stay: skipped by calls whose memory was zero at first. Such launches come first.
    space: the memory space of the target whose kernel it is; only a transfer also reads or writes another one.
    """

    kernel: str
    buffers: tuple[BufferRef, ...]
    args: tuple[DimLike, ...]
    region: str
    origin: Origin
    scratch: DimLike = 0
    shared_scratch: DimLike = 0
    flops: DimLike = 0
    bytes: DimLike = 0
    barrier: bool = True
    defines: tuple[tuple[str, BufferRef], ...] = ()
    once: bool = False
    space: str = HOST


@dataclass(frozen=True, slots=True)
class Walk:
    """A pointer that moves by ``step`` bytes in each round of a loop: a slice of what is scanned or stacked. name: its buffer."""

    name: str
    start: BufferRef
    step: DimLike


@dataclass(frozen=True, slots=True)
class State:
    """What a loop carries from round to round.

    A round reads the buffer ``reads`` and writes ``writes``: first start → spare, then spare → result, result → spare, …;
    what comes last is copied to ``result`` if it is not there. size: bytes.
    """

    reads: str
    writes: str
    start: BufferRef
    spare: BufferRef
    result: BufferRef
    size: DimLike


@dataclass(frozen=True, slots=True)
class Control:
    """Launches under a condition ("if": one block each way) or again and again ("loop": one block).

    name: unique, a C identifier. condition: bool that is read first. limit: most rounds (i64); trips: their number where it is known
    before. going: bool that a round writes, whether there is another. symbol: size that the number of rounds defines; count: where it is
    written. The buffers ``@<name>.round`` and ``@<name>.flag`` hold the number of the round (i64) and the condition.
    """

    name: str
    op: str
    region: str
    origin: Origin
    condition: BufferRef
    blocks: tuple[tuple[int | Control, ...], ...]
    limit: BufferRef | None = None
    trips: DimLike | None = None
    going: BufferRef | None = None
    states: tuple[State, ...] = ()
    scanned: tuple[Walk, ...] = ()
    stacked: tuple[Walk, ...] = ()
    symbol: str = ""
    count: BufferRef | None = None


Step = int | Control
"""A launch by its number, or control flow around further steps."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """A piece of memory.

    kind: "input" (given by the caller), "output" (given by the caller), "weight" (packed constant), "arena" (intermediate) or "pointer"
    (where a variable of a loop points to).
    size: bytes. first, last: launch indices between which an arena buffer lives. offset: bytes from the arena's start.
    map_shape: pixels of one of the maps that a blocked buffer consists of, zero borders included; empty for others. pixel: bytes of
    one; border: those zeros, or bytes ``fill``. space: the memory space that it lies in; those of one space lie side by side in the arena.
    lent: an input or output for which the arena has a place, so that it may share memory with what lives at other times.
    """

    name: str
    kind: str
    size: DimLike
    first: int = 0
    last: int = 0
    offset: DimLike = 0
    map_shape: tuple[DimLike, ...] = ()
    pixel: int = 0
    border: tuple[tuple[int, int], ...] = ()
    space: str = HOST
    lent: bool = False
    fill: int = 0

    @property
    def in_arena(self) -> bool:
        """Whether it may share memory with other buffers."""
        return self.lent or self.kind == "arena"


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of the network: graph value, type and the buffer that holds it. An output whose buffer is that of an input lies in
    the memory that the caller gave for it.

    place: where the arena has room for it, in bytes; callers may put it there or elsewhere. An input that lies there is overwritten.
    """

    value: str
    dtype: DType
    shape: tuple[DimLike, ...]
    buffer: str
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """An operation whose indices kernels find in or out of range, and its place in the model."""

    op: str
    origin: Origin


@dataclass(frozen=True)
class Plan:
    """What will be rendered to C.

    symbols: names of run-time sizes in the order of the C ``dims`` array. defined: sizes that data decides and what they cannot exceed;
    a call writes them behind the others in ``dims``. steps: how launches are nested in control flow; () if one follows the other.
    checks: what a call may find wrong; it states the number of one, from 1 on.
    given: what calls find behind the packed weights. packers: kernels of launches that are not among ``kernels``, for their functions are
    given.
    """

    target: str
    kernels: tuple[Kernel, ...]
    launches: tuple[Launch, ...]
    buffers: tuple[Buffer, ...]
    weights: tuple[Weight, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    symbols: tuple[str, ...]
    arena: DimLike
    scratch: DimLike
    shared_scratch: DimLike
    notes: tuple[tuple[str, Any], ...] = ()
    defined: tuple[tuple[str, DimLike], ...] = ()
    steps: tuple[Step, ...] = ()
    checks: tuple[Check, ...] = ()
    given: tuple[Given, ...] = ()
    packers: tuple[Kernel, ...] = ()

    def capacity(self, port: Port) -> DimLike:
        """Elements that the buffer of an output must have room for."""
        return upper(product(port.shape), dict(self.defined))

    def kernel(self, name: str) -> Kernel:
        return next(k for k in (*self.kernels, *self.packers) if k.name == name)
