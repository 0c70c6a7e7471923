"""Weights that a call packs for itself, right before the first kernel that reads them, into memory of the arena.

Where weights change from call to call, as in training, packed ones that outlive a call would be memory for nothing, twice where forward and
backward read them in different orders. What was packed a moment ago is also still in the caches. A call then reads the parameters as
they are, whoever calls when. Those that kernels want row-major are not packed at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sol.codegen.packing import FACTOR, NOTHING, RESULT, SOURCE, STREAM, Packing, count
from sol.codegen.plan import NULL, Buffer, BufferRef, Given, Kernel, Launch, Weight
from sol.codegen.weight_forms import form_of, static_shape
from sol.ir.bodies import type_at
from sol.ir.graph import Graph
from sol.ir.storage import stored_dtype
from sol.ir.types import HOST

LARGE_WEIGHT = 64 << 10
"""Bytes of a packed weight from which a call packs it. Small ones are kept, because their launches would take longer than they save memory,
but for those of a parameter of which the call packs another form: the two belong together."""


@dataclass
class Packed:
    """Launches and buffers of a plan with packing among them.

    weights: those that are kept packed. given: what calls find behind these. packers: kernels of the launches that were added.
    """

    launches: list[Launch]
    buffers: list[Buffer]
    weights: list[Weight]
    given: dict[str, Given] = field(default_factory=dict)
    packers: dict[str, Kernel] = field(default_factory=dict)


class _Temporaries:
    """What packing needs meanwhile. Forms of one constant share it, and what one of them has written there is not written again."""

    def __init__(self) -> None:
        self._buffers: dict[tuple[Any, ...], Buffer] = {}  # by the constant and the name
        self._names: set[str] = set()
        self._written: set[tuple[Any, ...]] = set()

    def buffer(self, weight: str, constant: tuple[Any, ...], name: str, size: int) -> str:
        """The buffer of so many bytes; weight: for whom it is packed."""
        found = self._buffers.setdefault((constant, name, size), Buffer(f"{weight} {name}", "arena", size))
        self._names.add(found.name)
        return found.name

    def is_written(self, launch: Launch, tables: Mapping[str, object]) -> bool:
        """Whether an equal launch comes before, which also writes nothing but temporaries. tables: by name what tells equal ones."""
        if any(ref.writes and ref.buffer not in self._names for ref in launch.buffers):
            return False
        key = (launch.kernel, tuple([(tables.get(ref.buffer, ref.buffer), ref.offset) for ref in launch.buffers]), launch.args)
        seen = key in self._written
        self._written.add(key)
        return seen

    def lying(self, launches: Sequence[Launch]) -> Iterator[Buffer]:
        """The buffers, each as long as it is used."""
        first, last = _used(launches)
        for buffer in self._buffers.values():
            yield replace(buffer, first=first[buffer.name], last=last[buffer.name])


def _used(launches: Sequence[Launch]) -> tuple[dict[str, int], dict[str, int]]:
    """Buffer → the first launch that is handed it, and the last one."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for i, launch in enumerate(launches):
        for ref in launch.buffers:
            first.setdefault(ref.buffer, i)
            last[ref.buffer] = i
    return first, last


def pack_in_calls(
    graph: Graph, launches: Sequence[Launch], buffers: Sequence[Buffer], weights: Sequence[Weight], caches: int
) -> Packed:
    """Let calls pack large weights that lie in a parameter as they are, and fill the memory of their packed form.

    caches: bytes that stay in them until the first kernel reads them; 0 if not known. What is larger is written past them.
    """
    first, last = _used(launches)
    used = [w for w in weights if w.name in first]
    found = {w.name: p for w in used if (p := _packed_in_a_call(graph, w)) is not None}
    sources = {form_of(graph, w).source for w in used if w.name in found}
    found |= {w.name: p for w in used if form_of(graph, w).source in sources and (p := _packed_in_a_call(graph, w, 0)) is not None}
    packed = Packed([], [], [w for w in weights if w.name not in found])
    as_they_are = _as_they_are(graph, [w for w in weights if w.name in found], packed)
    for name in as_they_are:
        del found[name]
    launches = [_renamed(launch, as_they_are) for launch in launches]
    at: list[int] = []  # where each launch comes
    begins: dict[str, int] = {}
    temporaries = _Temporaries()
    starting = {first[name]: [n for n in found if first[n] == first[name]] for name in found}
    named = {w.name: w for w in weights}
    for i, launch in enumerate(launches):
        for name in starting.get(i, ()):
            begins[name] = len(packed.launches)
            packed.launches += _packing_launches(graph, named[name], found[name], launch, packed, temporaries, caches)
        at.append(len(packed.launches))
        packed.launches.append(launch)
    packed.buffers = [replace(b, first=at[b.first], last=at[b.last]) if b.kind == "arena" else b for b in buffers]
    packed.buffers += [Buffer(n, "arena", _bytes(graph, named[n], p), begins[n], at[last[n]]) for n, p in found.items()]
    packed.buffers += temporaries.lying(packed.launches)
    return packed


def read_in_place(graph: Graph, launches: Sequence[Launch], buffers: Sequence[Buffer], weights: Sequence[Weight]) -> Packed:
    """Let kernels read large parameters that they want row-major where these lie, instead of copies of them."""
    packed = Packed([], list(buffers), [])
    names = _as_they_are(graph, weights, packed)
    packed.launches = [_renamed(launch, names) for launch in launches]
    packed.weights = [w for w in weights if w.name not in names]
    return packed


def _as_they_are(graph: Graph, weights: Sequence[Weight], packed: Packed) -> dict[str, str]:
    """Large weights that are wanted row-major → what calls find for them: the parameter itself."""
    found = {}
    for weight in weights:
        if weight.pack.kind == "plain" and _packed_in_a_call(graph, weight) is not None and form_of(graph, weight).turned is None:
            source = form_of(graph, weight).source
            found[weight.name] = _given(packed, Given(f"@{source}", "parameter", source))
    return found


def _renamed(launch: Launch, names: Mapping[str, str]) -> Launch:
    """A launch that reads other buffers in place of these."""
    return replace(launch, buffers=tuple([replace(ref, buffer=names.get(ref.buffer, ref.buffer)) for ref in launch.buffers]))


def _packed_in_a_call(graph: Graph, weight: Weight, least: int = LARGE_WEIGHT) -> Packing | None:
    """How a call packs a weight; None where it is kept. least: bytes from which it does."""
    if "/" in weight.value or weight.space != HOST or not type_at(graph, weight.value).is_static:
        return None
    form = form_of(graph, weight)
    if form.factor or form.rounded or graph.producer(form.source).op != "parameter":
        return None
    packing = form.packing(graph, weight.pack)
    if not packing.fills or _bytes(graph, weight, packing) < least:
        return None
    return packing


def _bytes(graph: Graph, weight: Weight, packing: Packing) -> int:
    return count(packing.shape) * int(stored_dtype(type_at(graph, weight.value).dtype).itemsize)


def _packing_launches(
    graph: Graph, weight: Weight, packing: Packing, reader: Launch, packed: Packed, temporaries: _Temporaries, caches: int
) -> Iterator[Launch]:
    """Launches that write the packed weight, which count as the reader's region."""
    form, shape = form_of(graph, weight), static_shape(type_at(graph, weight.value))
    parameter, constant = form.source, (form.source, form.turned, form.crossed, shape)
    names = {FACTOR: NULL, NOTHING: NULL, RESULT: weight.name, SOURCE: _given(packed, Given(f"@{parameter}", "parameter", parameter))}
    names |= {t: temporaries.buffer(weight.name, constant, t, size) for t, size in packing.temporaries.items()}
    names |= {table: f"{weight.name} {table}" for table in packing.tables}
    tables = {names[table]: table for table in packing.tables}
    told_apart = {name: id(packing.tables[table]) for name, table in tables.items()}
    packed.packers |= packing.kernels
    read = count(shape) * int(stored_dtype(type_at(graph, weight.value).dtype).itemsize)
    written = _bytes(graph, weight, packing)
    for launch in packing.launches:
        kernel = packing.kernels[launch.kernel]
        _given(packed, Given(f"@{kernel.name}", "packer", kernel.name))
        refs = tuple([_reference(names, ref, type) for ref, (_, type) in zip(launch.buffers, kernel.buffers)])
        moved = (read + written) // len(packing.launches)
        args = (*launch.args, *[int(0 < caches < written)] * kernel.params.count(STREAM))
        launch = replace(launch, buffers=refs, args=args, region=reader.region, origin=reader.origin, bytes=moved)
        if temporaries.is_written(launch, told_apart):
            continue
        for ref in refs:
            if ref.buffer in tables:
                _given(packed, Given(ref.buffer, "table", tables[ref.buffer], weight))
        yield launch


def _reference(names: Mapping[str, str], ref: BufferRef, type: str) -> BufferRef:
    """What a packing launch is handed. type: that of the elements in C, constant where the kernel only reads them."""
    name = names[ref.buffer]
    return BufferRef(name, 0 if name == NULL else ref.offset, name != NULL and not type.startswith("const "))


def _given(packed: Packed, given: Given) -> str:
    return packed.given.setdefault(given.name, given).name
