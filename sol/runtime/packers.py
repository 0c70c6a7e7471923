"""Runs the kernels that pack weights: each is compiled once for a machine, as a library of its own, and stays loaded.

A network's library contains none of them: few serve all networks, what is deployed brings its weights packed, and a library for another
machine is packed here by kernels of this one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sol.build import library as libraries
from sol.build.build import Unit, build
from sol.codegen.packing import FACTOR, NOTHING, RESULT, SOURCE, STREAM, Packing, Turned, described, make_pack
from sol.codegen.plan import Kernel, Launch, Pack, Plan
from sol.codegen.program import kernel_source
from sol.codegen.targets import Target, resolve
from sol.config import config
from sol.ir.bodies import type_at
from sol.ir.dim import evaluate
from sol.ir.graph import Graph
from sol.ir.storage import stored_dtype
from sol.runtime.ahead import in_background, side_by_side
from sol.runtime.arrays import default_threads
from sol.runtime.memory import Block
from sol.runtime.team import starter, team

EXPORTED = "#pragma GCC visibility push(default)\n"


@functools.cache
def _address(kernel: Kernel, target: Target) -> int:
    """Where the kernel's function lies. Raises CompilerNotFoundError or CompilerError."""
    units = [Unit(kernel.name, EXPORTED + kernel_source(kernel).text)]
    library = libraries.load(build(units, target), f"void {kernel.name}(void);", lambda: build(units, target))
    return int(library.ffi.cast("uintptr_t", getattr(library.functions, kernel.name)))


def addresses(kernels: Iterable[Kernel], target: Target) -> dict[str, int]:
    """Kernel → where its function lies; those that were never compiled are compiled at the same time."""
    distinct = list({k.name: k for k in kernels}.values())
    found = side_by_side(functools.partial(_address, k, target) for k in distinct)
    return dict(zip((k.name for k in distinct), found))


def compile_ahead(graph: Graph, plan: Plan, target: Target) -> None:
    """Start to compile what packs a plan's weights, beside the writing of the plan's own C. Errors are raised where weights are packed."""
    kernels: dict[str, Kernel] = {}
    for weight in plan.weights:
        type = type_at(graph, weight.value)
        if type.is_static:
            kernels |= described(weight.pack, tuple(map(int, type.shape)), stored_dtype(type.dtype)).kernels  # type: ignore[arg-type]
    kernels |= {k.name: k for k in plan.packers}
    if kernels:
        in_background(functools.partial(addresses, kernels.values(), runs_here(target)))


USUAL = ((make_pack("channels", block=8), (8,)), (make_pack("conv_depthwise", block=8), (8, 1, 3, 3)))
"""Forms and shapes of constants whose packing takes the kernels that pack most constants of most networks."""


def compile_usual(isa: str | None) -> None:
    """Compile what packs most weights of float32, whatever the network. isa: that of the network, None: the knob's."""
    kernels: dict[str, Kernel] = {}
    for pack, shape in USUAL:
        kernels |= described(pack, shape, np.dtype(np.float32)).kernels
    for kernel in sorted(kernels.values(), key=lambda k: k.name, reverse=True):  # the one that takes longest first
        _address(kernel, runs_here(resolve(isa or config["isa"])))


def runs_here(target: Target | None) -> Target:
    """The target, or this very CPU's where it does not run here."""
    return target if target is not None and target.runs_here() else resolve("native")


class Batch:
    """Constants that are packed together by a team of at most ``threads``.

    target: what the kernels are compiled for (None, or one that does not run here: this very CPU). stream: what is packed shall not stay in
    caches. Arrays are kept until ``run``.
    """

    def __init__(self, target: Target | None = None, threads: int | None = None, *, stream: bool = False) -> None:
        self._target = runs_here(target)
        self._threads = threads or default_threads()
        self._stream = stream
        self._launches: list[tuple[Launch, tuple[int, ...]]] = []
        self._seen: set[tuple[Any, ...]] = set()
        self._temporaries: dict[tuple[Any, ...], np.ndarray] = {}  # of the constant that was added last
        self._free: list[np.ndarray] = []  # those of constants before it
        self._constant: tuple[Any, ...] = ()
        self._reuses = False
        self._kernels: dict[str, Kernel] = {}
        self._alive: list[Any] = []
        self.bytes = 0

    def add(
        self, pack: Pack, array: np.ndarray, out: int, factor: np.ndarray | None = None, shape: tuple[int, ...] | None = None,
        turned: Turned | None = None, rounded: bool = False, crossed: bool = False,
    ) -> None:  # fmt: skip
        """Pack a C-contiguous array of elements as C reads them into memory at ``out`` that is zero or holds such a packed array.

        factor: float32, what row r of the array is multiplied by; only where ``described(…).scales``. turned: it is read as filters of this
        shape; only where ``described(…).turns``. rounded: it is float32, and packed as bfloat16. crossed: it is
        the matrix's transpose.
        """
        packing = described(pack, array.shape if shape is None else shape, array.dtype, turned, rounded, crossed)
        known = {SOURCE: array.ctypes.data, RESULT: out, NOTHING: 0, FACTOR: 0 if factor is None else factor.ctypes.data}
        known |= {name: table.ctypes.data for name, table in packing.tables.items()}
        known |= self._temporaries_of(packing, (array.shape, turned, rounded, crossed), known)
        for launch in packing.launches:
            self._add(launch, tuple(evaluate(b.offset, {}) + known[b.buffer] if known[b.buffer] else 0 for b in launch.buffers))
        self._kernels |= packing.kernels
        self._alive += [array, factor, packing]
        self.bytes += array.nbytes

    def _temporaries_of(self, packing: Packing, form: Any, known: Mapping[str, int]) -> dict[str, int]:
        """Memory that lasts while forms of one constant are added one after the other; then it is that of the next one."""
        constant = (known[SOURCE], known[FACTOR], form)
        if packing.temporaries and constant != self._constant:
            self._constant = constant
            self._free = sorted([*self._free, *self._temporaries.values()], key=len)
            self._temporaries.clear()
            self._seen.clear()  # what was made of a constant is gone
        found = {}
        for name, size in packing.temporaries.items():
            if (name, size) not in self._temporaries:
                fitting = next((i for i, t in enumerate(self._free) if len(t) >= size), None)
                self._reuses |= fitting is not None
                self._temporaries[name, size] = np.empty(size, np.uint8) if fitting is None else self._free.pop(fitting)
            found[name] = self._temporaries[name, size].ctypes.data
        return found

    def _add(self, launch: Launch, buffers: tuple[int, ...]) -> None:
        """Once: what several packed forms of a constant need is made for the first of them."""
        key = (launch.kernel, buffers, launch.args)
        if key not in self._seen:
            self._seen.add(key)
            self._launches.append((replace(launch, barrier=True) if self._reuses else launch, buffers))
            self._reuses = False  # threads have waited for who read that memory before

    def run(self) -> None:
        """Pack what was added, and forget it."""
        if self._launches:
            self.launches().run()
        for held in (self._launches, self._seen, self._temporaries, self._free, self._alive):
            held.clear()
        self._constant, self._reuses = (), False
        self.bytes = 0

    def launches(self) -> Launches:
        """What packs all that was added, as often as is wanted, while the arrays lie where they are."""
        where = addresses(self._kernels.values(), self._target)
        numbers: list[int] = []
        for launch, buffers in self._launches:
            last = (self._stream,) if STREAM in self._kernels[launch.kernel].params else ()
            args = (*(evaluate(a, {}) for a in launch.args), *last)
            numbers += (where[launch.kernel], launch.barrier, len(buffers), len(args), *buffers, *args)
        threads = self._threads if self.bytes >= self._target.machine.calls.packed else 1
        each = max((-(-evaluate(x.scratch, {}) // 64) * 64 for x, _ in self._launches), default=0)
        temporaries = [*self._temporaries.values(), *self._free]
        return Launches(numbers, each, threads, [*self._alive, *temporaries], sum(t.nbytes for t in temporaries))


class Launches:
    """Kernels that pack, with the addresses that they work on.

    numbers: what ``sol_team_pack`` takes. each: bytes of scratch memory of a thread. alive: what must not be freed. held: bytes that nobody
    else would hold.
    """

    def __init__(self, numbers: Sequence[int], each: int, threads: int, alive: Sequence[Any], held: int) -> None:
        self._pool = team()
        self._numbers, self._length = self._pool.ffi.new("int64_t[]", numbers), len(numbers)
        self._each, self._threads, self._alive, self.held = each, threads, alive, held
        self._scratch = Block(max(each * threads, 1))

    def run(self) -> None:
        """Launch them, one after the other."""
        if self._length:
            threads, start = starter(self._threads) if self._threads > 1 else (1, 0)
            self._pool.functions.sol_team_pack(self._numbers, self._length, self._scratch.address, self._each, threads, start)


def packed(pack: Pack, array: np.ndarray, target: Target | None = None, threads: int | None = None) -> np.ndarray:
    """The packed form of one array of elements as C reads them."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    shape = described(pack, array.shape, array.dtype).shape
    out = np.zeros(shape, array.dtype)
    batch = Batch(target, threads)
    batch.add(pack, array, out.ctypes.data)
    batch.run()
    return out
