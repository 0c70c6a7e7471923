"""A compiled graph that runs on arrays of one kind: library, packed weights, and an arena per concurrent call."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import threading
import weakref
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sol.build import library as libraries
from sol.build.build import build_library
from sol.codegen.arena import Layouts, placed
from sol.codegen.compiled import Compiled
from sol.codegen.machines import Calls, Machine
from sol.codegen.plan import Plan, Port
from sol.codegen.program import arena_buffers
from sol.config import config
from sol.errors import IndexRangeError
from sol.ir.dim import evaluate, symbols
from sol.runtime.arrays import NUMPY, Arrays, Lender, Loan
from sol.runtime.given import GivenToCalls, given_to
from sol.runtime.memory import Block
from sol.runtime.spans import Recorder, Samples
from sol.runtime.team import starter
from sol.runtime.weights import PackedWeights, constant_keys, pack_again, pack_weights, readers_of
from sol.stages import stage

CALL = """
typedef struct {
    uintptr_t *inputs; uintptr_t *outputs; const uintptr_t *weights; uintptr_t memory;
    const int64_t *dims; const int64_t *offsets;
    int64_t arena, shared_scratch, scratch; int64_t *marks; int64_t *spans; int32_t threads; int32_t flush_denormals; int32_t zeroed;
    uintptr_t launch;
    int64_t *stray;
} sol_call;
"""
"""What every C function that runs on a team is given (codegen/include/sol_run.h)."""
CDEF = CALL + "void sol_run(const sol_call *call);\nvoid sol_prefetch(const uintptr_t *lines, int64_t count);\n"


_State = tuple[Any, "dict[tuple[Any, ...], list[_Context]]"]
"""Pointers to the weights with what keeps them, and contexts that wait for calls."""
_making = threading.Lock()
"""Held by who makes contexts or packs weights."""


class _Context:
    """What one call needs for itself: pointer arrays and memory. Pooled, never shared by two calls at once.

    lent: whether each call is lent its memory; otherwise the context holds it.
    """

    def __init__(
        self, ffi: Any, plan: Plan, env: Mapping[str, int], weights: Any, threads: int, machine: Machine, lent: bool, layouts: Layouts
    ) -> None:  # fmt: skip
        threads, launch = starter(useful_threads(plan, machine.calls, env, threads))
        self.offsets, arena = layouts.find(env, threads) if plan.symbols else ([], evaluate(plan.arena, env))
        shared_scratch, scratch = evaluate(plan.shared_scratch, env), evaluate(plan.scratch, env)
        self.size = _memory_bytes(plan, env, threads, arena)
        self.memory = None if lent else Block(self.size)
        self.inputs = ffi.new("uintptr_t[]", max(len(plan.inputs), 1))
        self.outputs = ffi.new("uintptr_t[]", max(len(plan.outputs), 1))
        self.dims = ffi.new("int64_t[]", [env[s] for s in plan.symbols] + [0] * len(plan.defined) or [0])
        self._offsets = ffi.new("int64_t[]", self.offsets or [0])
        self.call = ffi.new("sol_call *")
        self.weights = weights  # kept as long as a call may read them
        call = self.call
        call.inputs, call.outputs, call.weights = self.inputs, self.outputs, weights[0]
        call.memory = self.memory.address if self.memory else 0
        call.dims, call.offsets = self.dims, self._offsets
        call.arena, call.shared_scratch, call.scratch, call.threads = arena, shared_scratch, scratch, threads
        call.flush_denormals, call.zeroed = config["flush_denormals"], self.memory is not None
        call.launch = launch
        self.stray = ffi.new("int64_t *")
        call.stray = self.stray


POOLS = 16  # sizes of symbolic dims for which memory is kept


def useful_threads(plan: Plan, calls: Calls, env: Mapping[str, int], threads: int) -> int:
    """1 for a network that one thread finishes sooner than a team could start, else ``threads``."""
    flops = sum(evaluate(launch.flops, env) for launch in plan.launches)
    moved = sum(evaluate(launch.bytes, env) for launch in plan.launches)
    return 1 if calls.is_short(flops, moved) else threads


def _memory_bytes(plan: Plan, env: Mapping[str, int], threads: int, arena: int) -> int:
    """Bytes that a call works in."""
    return arena + evaluate(plan.shared_scratch, env) + evaluate(plan.scratch, env) * threads + 64


class Frame(NamedTuple):
    """What a ``sol_call`` of ``size`` bytes holds, for who runs a plan without open sizes by itself: addresses of the function, of what
    starts a team (0: none) and of the packed weights; bytes of the arena, of scratch that the team shares, of scratch for each thread;
    threads at most; whether denormal numbers are zero. memory: bytes that a call works in, 64 more than it needs, for alignment.
    """

    size: int
    run: int
    launch: int
    weights: int
    arena: int
    shared_scratch: int
    scratch: int
    threads: int
    flush_denormals: int
    memory: int


class Executable:
    """Runs one plan. Safe to call from several threads at once; results are fresh arrays of the kind that it takes, but for those that the
    plan writes into the memory of an input: they are that input.

    room: bytes that a later call wants around results of this one. elsewhere: outputs that lie outside of the memory that calls are lent.
    """

    room = 0
    elsewhere: Collection[int] = ()

    def __init__(
        self, compiled: Compiled, library: libraries.Library | None = None, threads: int | None = None, arrays: Arrays = NUMPY
    ) -> None:
        self.compiled, self.plan, self.threads, self.arrays = compiled, compiled.plan, threads, arrays
        self._address, self._default_threads, self._lender = arrays.address, arrays.threads, arrays.lender
        self.library = library or libraries.load(build_library(compiled), CDEF, lambda: build_library(compiled))
        self._run = self.library.functions.sol_run
        self.packed: PackedWeights | None = None
        self._given: GivenToCalls | None = None
        self._state: _State = (None, {})
        self._contexts: weakref.WeakSet[_Context] = weakref.WeakSet()  # all that point to these weights, also those that calls have
        self._static, self._machine = not self.plan.symbols, compiled.target.machine
        self._layouts = Layouts(arena_buffers(self.plan), self._machine.team.apart)
        self._new_outputs = [arrays.allocator(self._roomy(port)) for port in self.plan.outputs]
        given = {port.buffer: i for i, port in enumerate(self.plan.inputs)}
        self._written = {i: given[port.buffer] for i, port in enumerate(self.plan.outputs) if port.buffer in given}
        self._lent_inputs = [(i, port.place) for i, port in enumerate(self.plan.inputs) if port.place is not None]

    def _roomy(self, port: Port) -> Port:
        """An output as long as it can become, if data decides its size."""
        decided = {name for name, _ in self.plan.defined}
        if not any(s.name in decided for d in port.shape for s in symbols(d)):
            return port
        return replace(port, shape=(self.plan.capacity(port),))

    def share(self) -> Executable:
        """The same code for other weights."""
        return Executable(self.compiled, self.library, self.threads, self.arrays)

    def for_sizes(self, env: Mapping[str, int]) -> Executable:
        """What runs calls with these values of symbols."""
        return self

    def prefetcher(self, lines: Sequence[int]) -> Callable[[], None]:
        """A function that fetches these addresses into the cache."""
        return functools.partial(self.library.functions.sol_prefetch, self.library.ffi.new("uintptr_t[]", lines), len(lines))

    @property
    def targets(self) -> tuple[str, ...]:
        """Parameters that the packed weights depend on."""
        return self.compiled.graph.parameter_targets

    def pack(self, parameters: Mapping[str, Any], changed: Collection[str] | None = None) -> None:
        """(Re)build the packed weights; calls under way finish with the old ones. Where there are none, weights are packed in place.

        changed: parameters that are not as they were the last time; None: any may be.
        """
        held = {t: self.arrays.held(parameters[t]) for t in self.targets}
        stage("packing weights")
        graph, weights, target = self.compiled.graph, self.plan.weights, self.compiled.target
        with _making:
            idle = self._idle()
            given = given_to(self.compiled, held, self._given if idle is not None else None)
            if self.packed is None or idle is None or given.addresses != self._state[0][1].addresses:
                self.packed, self._given = pack_weights(graph, weights, held, target, self._team()), given
                self._contexts = weakref.WeakSet()
                addresses = [*self.packed.addresses, *given.addresses]
                self._state = ((self.library.ffi.new("uintptr_t[]", addresses or [0]), given, self.packed), {})
                return
            some = range(len(weights)) if changed is None else sorted({n for t in changed for n in self._readers.get(t, ())})
            (state, self._state), (packed, self.packed) = (self._state, (None, {})), (self.packed, None)  # lest half of them are used
            pack_again(graph, weights, some, held, packed, target, self._team())
            for pool, context in idle:
                pool.append(context)
            self._state, self.packed = state, packed

    def pack_beside(self, parameters: Mapping[str, Any], others: tuple[PackedWeights, ...], shared: Sequence[int]) -> None:
        """Pack the weights that ``others`` do not hold: ``shared`` tells for each where it lies there, or 0."""
        held = {t: self.arrays.held(parameters[t]) for t in self.targets}
        with _making:
            given = given_to(self.compiled, held, None)
            packed = pack_weights(self.compiled.graph, self.plan.weights, held, self.compiled.target, self._team(), others, shared)
            self.packed, self._given, self._contexts = packed, given, weakref.WeakSet()
            addresses = [*packed.addresses, *given.addresses]
            self._state = ((self.library.ffi.new("uintptr_t[]", addresses or [0]), given, packed), {})

    @functools.cached_property
    def constant_keys(self) -> list[Hashable]:
        """For each weight what tells its packed form, None if nothing does."""
        return constant_keys(self.compiled.graph, self.plan.weights)

    @functools.cached_property
    def _readers(self) -> dict[str, set[int]]:
        """Parameter → the weights that depend on it."""
        return readers_of(self.compiled.graph, self.plan.weights)

    def _idle(self) -> list[tuple[list[_Context], _Context]] | None:
        """All contexts, taken from where they wait for calls; None if a call has one. A call that finds none waits for ``_making``."""
        found = []
        for pool in list(self._state[1].values()):
            with contextlib.suppress(IndexError):
                while True:
                    found.append((pool, pool.pop()))
        if len(found) == len(self._contexts):
            return found
        for pool, context in found:
            pool.append(context)
        return None

    def _new_context(self, env: Mapping[str, int], threads: int) -> _Context:
        with _making:
            lent = self._lender is not None
            context = _Context(self.library.ffi, self.plan, env, self._state[0], threads, self._machine, lent, self._layouts)
            self._contexts.add(context)
            return context

    def __call__(self, inputs: Sequence[Any], env: Mapping[str, int] | None = None, found: dict[str, int] | None = None) -> list[Any]:
        """Run on contiguous arrays of the plan's dtypes and shapes.

        env: values of symbols. found: where to put them together with those that data decided.
        """
        threads = self._team()
        env = env or {}
        key = (threads,) if self._static else (threads, *(env[s] for s in self.plan.symbols))
        pools = self._state[1]
        pool = pools.get(key)
        if pool is None:
            if len(pools) >= POOLS:
                pools.clear()
            pool = pools.setdefault(key, [])
        try:
            context = pool.pop()
        except IndexError:
            context = self._new_context(env, threads)
        address = self._address
        slots = context.inputs
        for i, array in enumerate(inputs):
            slots[i] = address(array)
        if self._lender is None:
            results = []
            slots = context.outputs
            for i, allocate in enumerate(self._new_outputs):
                result = inputs[self._written[i]] if i in self._written else allocate(env)
                slots[i] = address(result)
                results.append(result)
            self._run(context.call)
        else:
            results = self._run_in(self._lender, context, inputs, env)
        if self.plan.defined:
            env = {**env, **self._decided(context)}
            results = [_trimmed(r, p, env) for r, p in zip(results, self.plan.outputs)]
            if found is not None:
                found.update(env)
        pool.append(context)
        if context.stray[0]:
            self._report(context)
        return results

    def _run_in(self, lender: Lender, context: _Context, inputs: Sequence[Any], env: Mapping[str, int]) -> list[Any]:
        """Run in memory that is lent for the call, in which results lie that have a place there."""
        loan = lender.lend(context.size, [(context.inputs[i], place) for i, place in self._lent_inputs], self.room)
        try:
            context.call.memory = loan.address
            results = self._results(context, inputs, env, loan)
            self._run(context.call)
        finally:
            loan.end()
        return results

    def _results(self, context: _Context, inputs: Sequence[Any], env: Mapping[str, int], loan: Loan | None) -> list[Any]:
        """Arrays for the outputs of a call."""
        results = []
        for i, (port, allocate) in enumerate(zip(self.plan.outputs, self._new_outputs)):
            if i in self._written:
                result = inputs[self._written[i]]
            elif loan is None or port.place is None or i in self.elsewhere:
                result = allocate(env)
            else:
                result = loan.array(port.place, port)
            context.outputs[i] = self._address(result)
            results.append(result)
        return results

    def _report(self, context: _Context) -> None:
        """Raises IndexRangeError for the operation that found an index out of range in a call, unless the user asked for silence."""
        check = self.plan.checks[context.stray[0] - 1]
        context.stray[0] = 0
        if config["check_indices"]:
            raise IndexRangeError(f"index out of range in {check.op}", origin=str(check.origin))

    def _decided(self, context: _Context) -> dict[str, int]:
        """Sizes that data decided in the call."""
        names = [name for name, _ in self.plan.defined]
        return {name: context.dims[len(self.plan.symbols) + i] for i, name in enumerate(names)}

    @property
    def lent_bytes(self) -> int:
        """Bytes that a call is lent, for a plan without open sizes."""
        threads, _ = starter(useful_threads(self.plan, self._machine.calls, {}, self._team()))
        return _memory_bytes(self.plan, {}, threads, int(evaluate(self.plan.arena, {})))

    def frame(self) -> Frame:
        """What a call of this plan, which has no open sizes, is made of; it holds until weights are packed again, or this is gone."""
        context = self._new_context({}, self._team())
        call, ffi = context.call, self.library.ffi
        run, weights = (int(ffi.cast("uintptr_t", p)) for p in (self._run, call.weights))
        sizes = (call.arena, call.shared_scratch, call.scratch, call.threads, call.flush_denormals)
        self._state[1].setdefault((self._team(),), []).append(context)  # for calls
        return Frame(ffi.sizeof("sol_call"), run, call.launch, weights, *sizes, context.size)

    def _team(self) -> int:
        return self.threads or self._default_threads()

    def profile(self, inputs: Sequence[Any], env: Mapping[str, int] | None = None, runs: int = 20) -> Samples:
        """How long every thread works and waits in every launch, in so many runs after two that do not count. Inputs stay as they are."""
        env = env or {}
        inputs = [_copied(array) if i in self._written.values() else array for i, array in enumerate(inputs)]
        ffi = self.library.ffi
        context = self._new_context(env, self._team())
        recorder = Recorder(ffi, context.call.threads, len(self.plan.launches))
        context.call.spans = recorder.memory
        for i, array in enumerate(inputs):
            context.inputs[i] = self._address(array)
        loan = self._lender.lend(context.size, ()) if self._lender is not None else None
        if loan is not None:
            context.call.memory = loan.address
        outputs = self._results(context, inputs, env, loan)
        for run in range(-2, runs):
            recorder.clear()
            self._run(context.call)
            if run >= 0:
                recorder.keep()
        del outputs
        if loan is not None:
            loan.end()
        return recorder.samples()

    def memory_bytes(self, env: Mapping[str, int] | None = None) -> dict[str, int]:
        """Bytes of packed weights and of one call's arena, for the sizes in ``env``."""
        if self.plan.symbols:
            _, arena = placed(arena_buffers(self.plan), dict(env or {}), self._team(), self._machine.team.apart)
        else:
            arena = evaluate(self.plan.arena, env or {})
        return {"weights": self.packed.size if self.packed else 0, "arena": arena}


def _trimmed(result: Any, port: Port, env: Mapping[str, int]) -> Any:
    """The part of a result that was written, in its shape; memory of which little is used is not kept."""
    shape = tuple(evaluate(d, env) for d in port.shape)
    if tuple(result.shape) == shape:
        return result
    size = math.prod(shape)
    part = result[:size]
    return (_copied(part) if 2 * size < len(result) else part).reshape(shape)


def _copied(array: Any) -> Any:
    """An array of its own."""
    return array.clone() if hasattr(array, "clone") else array.copy()


def _renew_lock() -> None:
    """In a forked child: nobody else packs."""
    global _making
    _making = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)
