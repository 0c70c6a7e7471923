"""Packed weights: derived from the module's parameters, rebuilt when a parameter changes."""

from __future__ import annotations

import bisect
import functools
import hashlib
import math
import mmap
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sol.codegen.packing import packed_shape
from sol.codegen.plan import Weight
from sol.codegen.targets import Target, cache_bytes
from sol.codegen.weight_forms import Form, form_of, static_shape
from sol.ir.bodies import each_constant_of, graph_at, type_at
from sol.ir.graph import Array, Graph
from sol.ir.storage import as_stored, stored_dtype
from sol.ir.types import DType
from sol.runtime.memory import Block
from sol.runtime.packers import Batch, Launches

CHUNK = 32 << 20
"""Bytes of values that are held at a time, and of memory that is taken at a time."""
PAUSE = 0.02  # seconds
STAGGER = 5 * 64  # weights that start on the same line of different pages would compete for the same cache sets


@dataclass(frozen=True)
class _Again:
    """Launches that pack weights from where parameters lie, and the other weights, of which something is computed each time."""

    launches: Launches
    rest: tuple[int, ...]


@dataclass(frozen=True)
class PackedWeights:
    """Addresses of all packed constants of one plan, the memory that holds them, and their bytes: memory is taken in larger pieces.

    again: what the last ``pack_again`` did, by what it was asked for. others: where weights lie that are not here.
    """

    addresses: tuple[int, ...]
    blocks: tuple[Block, ...]
    size: int
    others: tuple[PackedWeights, ...] = ()
    again: dict[Any, _Again] = field(default_factory=dict, compare=False)


def pack_weights(
    graph: Graph, weights: tuple[Weight, ...], parameters: Mapping[str, np.ndarray], target: Target | None = None,
    threads: int | None = None, others: tuple[PackedWeights, ...] = (), shared: Sequence[int] = (),
) -> PackedWeights:  # fmt: skip
    """Evaluate and pack every weight of a plan, but for those that ``others`` hold: ``shared`` tells their addresses, 0 for the rest.

    graph: the fused graph whose constant values the weights name. parameters: target → array (not copied, not changed).
    target, threads: as for ``Batch``. Values that are computed are held until there are CHUNK bytes of them, which are then packed; so are
    pages of files from which parameters are mapped.
    """
    room = _Room(CHUNK if len(weights) > 8 else 0)
    addresses = list(shared) or [0] * len(weights)
    missing = [number for number, address in enumerate(addresses) if not address]

    def place(number: int, shape: tuple[int, ...], dtype: np.dtype) -> int:
        addresses[number] = room.take(shape, dtype)
        return addresses[number]

    _pack(graph, weights, missing, parameters, place, Batch(target, threads))
    return PackedWeights(tuple(addresses), tuple(room.blocks), room.bytes, others)


def pack_again(
    graph: Graph, weights: tuple[Weight, ...], numbers: Collection[int], parameters: Mapping[str, np.ndarray], packed: PackedWeights,
    target: Target | None = None, threads: int | None = None,
) -> None:  # fmt: skip
    """Evaluate and pack some of the weights into the memory in which they lie, which nobody reads meanwhile.

    The same weights of the same parameters take a single call the next time, but for those that must be evaluated.
    """
    stream = packed.size > _last_cache()
    key = (*numbers, *(a.ctypes.data for a in parameters.values()))
    known = packed.again.get(key)
    if known is not None:
        known.launches.run()
        numbers = known.rest
    if not numbers:
        return
    direct = None if known is not None or mapped_files(parameters) else Batch(target, threads, stream=stream)
    batch = Batch(target, threads, stream=stream)
    rest = _pack(graph, weights, numbers, parameters, lambda number, shape, dtype: packed.addresses[number], batch, direct)
    if direct is not None:
        launches = direct.launches()
        launches.run()
        packed.again.clear()
        if launches.held <= CHUNK:
            packed.again[key] = _Again(launches, rest)


@functools.cache
def _last_cache() -> int:
    """Bytes that stay in caches from packing to the next call; memory that was never written to does so in any case."""
    return cache_bytes(3) or CHUNK


def readers_of(graph: Graph, weights: Sequence[Weight]) -> dict[str, set[int]]:
    """Parameter → numbers of the weights whose values depend on it."""
    found: dict[str, set[int]] = {}
    known: dict[str, frozenset[str]] = {}
    for number, weight in enumerate(weights):
        path, mark, name = weight.value.rpartition("/")
        for target in _targets_of(graph_at(graph, path + mark), path + mark, name, known):
            found.setdefault(target, set()).add(number)
    return found


def _targets_of(graph: Graph, path: str, value: str, known: dict[str, frozenset[str]]) -> frozenset[str]:
    """Parameters that a constant value depends on. known: what was found before, by path and node."""
    stack = [value]
    while stack:
        node = graph.producer(stack[-1])
        missing = [i for i in node.inputs if path + graph.producer(i).name not in known]
        if path + node.name in known or not missing:
            own = [body.parameter_targets for body in node.attrs.values() if isinstance(body, Graph)]
            own += [(node.attrs["target"],)] if node.op == "parameter" else []
            below = [known[path + graph.producer(i).name] for i in node.inputs]
            known[path + node.name] = frozenset().union(*own, *below)
            stack.pop()
        else:
            stack += missing
    return known[path + graph.producer(value).name]


def constant_keys(graph: Graph, weights: Sequence[Weight]) -> list[Hashable]:
    """For each weight what tells its packed form: those with equal keys, of two graphs of the same parameters, are equal in memory.

    None for those of bodies, which are known by their place.
    """
    known: dict[str, str] = {}
    return [None if "/" in w.value else (_digest(graph, w.value, known), w.pack, w.space) for w in weights]


def _digest(graph: Graph, value: str, known: dict[str, str]) -> str:
    """Of the expression that computes a constant value from parameters and literals. known: what was found before."""
    stack = [value]
    while stack:
        name = stack[-1]
        node = graph.producer(name)
        missing = [i for i in node.inputs if i not in known]
        if missing:
            stack += missing
            continue
        stack.pop()
        parts = [node.op, str(node.types), name.partition("#")[2], *(known[i] for i in node.inputs)]
        parts += [f"{a}={held.digest if isinstance(held, Array) else repr(held)}" for a, held in node.attrs.items()]
        known[name] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return known[value]


Place = Callable[[int, tuple[int, ...], np.dtype], int]


def _pack(
    graph: Graph, weights: Sequence[Weight], numbers: Iterable[int], parameters: Mapping[str, np.ndarray], place: Place, batch: Batch,
    direct: Batch | None = None,
) -> tuple[int, ...]:  # fmt: skip
    """Pack weights; those whose values lie in parameters are added to ``direct``, if there is such a batch. Numbers of the others."""
    files, done, rest = mapped_files(parameters), 0, list[int]()
    own = sorted((a.ctypes.data, a.ctypes.data + a.nbytes) for a in parameters.values())
    for form, pack_numbers, array, factor in _values(graph, weights, numbers, parameters):
        type = type_at(graph, form.value)
        shape = static_shape(type)
        stored = np.ascontiguousarray(as_stored(array, DType.F32 if form.rounded else type.dtype)).reshape(array.shape)
        computed = not all(_lies_in(own, a) for a in (stored, factor) if a is not None)
        into = batch if direct is None or computed else direct
        rest += pack_numbers if into is batch else ()
        for number in pack_numbers:
            pack = weights[number].pack
            at = place(number, packed_shape(pack, shape), stored_dtype(type.dtype))
            into.add(pack, stored, at, factor, shape, form.turned, form.rounded, form.crossed)
        if files or computed:
            done += stored.nbytes
        if done > CHUNK:
            done = 0
            _run(batch, files)
    _run(batch, files)
    return tuple(rest)


def _lies_in(ranges: Sequence[tuple[int, int]], array: np.ndarray) -> bool:
    """Whether an array's memory is part of one of these, which are in order."""
    begin = array.ctypes.data
    at = bisect.bisect(ranges, (begin, math.inf)) - 1
    return at >= 0 and begin + array.nbytes <= ranges[at][1]


def _values(
    graph: Graph, weights: Sequence[Weight], numbers: Iterable[int], parameters: Mapping[str, np.ndarray]
) -> Iterator[tuple[Form, list[int], np.ndarray, np.ndarray | None]]:
    """Forms of constants one after the other, numbers of the weights that are packed of each, what is read, factors of its rows."""
    uses: dict[Form, list[int]] = {}
    for number in numbers:
        uses.setdefault(form_of(graph, weights[number]), []).append(number)
    by_source: dict[str, list[Form]] = {}
    for form in uses:
        by_source.setdefault(form.source, []).append(form)
    factors: dict[str, np.ndarray | None] = dict.fromkeys((form.factor for form in uses if form.factor), None)
    for value, array in each_constant_of(graph, dict.fromkeys([*factors, *by_source]), parameters):
        if value in factors:
            factors[value] = np.ascontiguousarray(array).reshape(-1)
        for form in by_source.get(value, ()):
            yield form, uses[form], array, factors[form.factor] if form.factor else None


def _run(batch: Batch, files: Sequence[mmap.mmap]) -> None:
    """Pack what was added; pages of files are given back now and then."""
    if not files or batch.bytes < CHUNK:
        batch.run()
    else:
        with ThreadPoolExecutor(1, thread_name_prefix="sol-pack") as pool:
            future = pool.submit(batch.run)
            while wait([future], PAUSE).not_done:
                _give_back(files)
            future.result()
    _give_back(files)


def mapped_files(parameters: Mapping[str, np.ndarray]) -> list[mmap.mmap]:
    """Read-only mappings of files in which arrays lie."""
    found: dict[int, mmap.mmap] = {}
    for array in parameters.values():
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, memoryview):
            base = base.obj
        if isinstance(base, mmap.mmap) and hasattr(base, "madvise") and memoryview(base).readonly:
            found[id(base)] = base
    return list(found.values())


def _give_back(files: Sequence[mmap.mmap]) -> None:
    """Hold no pages of these files; who reads them again gets them from the system's cache."""
    for file in files:
        file.madvise(mmap.MADV_DONTNEED)


class _Room:
    """Zeroed memory for packed weights, one after the other in blocks of at least so many bytes."""

    def __init__(self, chunk: int) -> None:
        self.chunk, self.blocks, self.used, self.bytes = chunk, list[Block](), 0, 0

    def take(self, shape: tuple[int, ...], dtype: np.dtype) -> int:
        """The address of memory for an array."""
        size = math.prod(shape) * dtype.itemsize
        if not self.blocks or self.used + size > self.blocks[-1].size:
            self.blocks.append(Block(max(self.chunk, size)))
            self.used = 0
        self.bytes += size
        start, self.used = self.used, -(-(self.used + size) // 64) * 64 + STAGGER
        return self.blocks[-1].address + start
