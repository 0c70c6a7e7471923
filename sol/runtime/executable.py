"""A compiled graph that runs on torch tensors: library, packed weights, and an arena per concurrent call."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from sol.codegen.memory import assign_offsets
from sol.codegen.plan import Plan, Port
from sol.codegen.program import arena_buffers
from sol.codegen.schedule import arena_interval
from sol.compiler import Compiled, build_library
from sol.config import config
from sol.errors import InputError
from sol.ir.dim import Dim, evaluate
from sol.ir.types import DType
from sol.runtime import library as libraries
from sol.runtime.memory import Block
from sol.runtime.weights import PackedWeights, pack_weights

CDEF = """
typedef struct {
    uintptr_t *inputs; uintptr_t *outputs; const uintptr_t *weights; uintptr_t memory;
    const int64_t *dims; const int64_t *offsets;
    int64_t arena, common, scratch; int64_t *marks; int32_t threads; int32_t flush_denormals;
} sol_call;
void sol_run(const sol_call *call);
"""

TORCH = {
    DType.F64: torch.float64, DType.F32: torch.float32, DType.F16: torch.float16, DType.BF16: torch.bfloat16,
    DType.I64: torch.int64, DType.I32: torch.int32, DType.I16: torch.int16, DType.I8: torch.int8,
    DType.U8: torch.uint8, DType.BOOL: torch.bool,
}  # fmt: skip


class _Context:
    """What one call needs for itself: pointer arrays and memory. Pooled, never shared by two calls at once."""

    def __init__(self, ffi: Any, plan: Plan, env: Mapping[str, int], weights: Any, threads: int) -> None:
        threads = useful_threads(plan, env, threads)
        arena, self.offsets = _arena(plan, env)
        common, scratch = evaluate(plan.common, env), evaluate(plan.scratch, env)
        self.memory = Block(arena + common + scratch * threads + 64)
        self.inputs = ffi.new("uintptr_t[]", max(len(plan.inputs), 1))
        self.outputs = ffi.new("uintptr_t[]", max(len(plan.outputs), 1))
        self.dims = ffi.new("int64_t[]", [env[s] for s in plan.symbols] or [0])
        self._offsets = ffi.new("int64_t[]", self.offsets or [0])
        self.call = ffi.new("sol_call *")
        call = self.call
        call.inputs, call.outputs, call.weights, call.memory = self.inputs, self.outputs, weights, self.memory.address
        call.dims, call.offsets = self.dims, self._offsets
        call.arena, call.common, call.scratch, call.threads = arena, common, scratch, threads
        call.flush_denormals = config["flush_denormals"]


SERIAL_SECONDS = 15e-6  # below this waking a team costs more than it gains
POOLS = 16  # sizes of symbolic dims for which memory is kept
FLOPS_PER_SECOND, BYTES_PER_SECOND = 5e10, 1e10  # a low estimate of one core


def useful_threads(plan: Plan, env: Mapping[str, int], threads: int) -> int:
    """1 for a network that one thread finishes sooner than a team could start, else ``threads``."""
    flops = sum(evaluate(launch.flops, env) for launch in plan.launches)
    moved = sum(evaluate(launch.bytes, env) for launch in plan.launches)
    return 1 if flops / FLOPS_PER_SECOND + moved / BYTES_PER_SECOND < SERIAL_SECONDS else threads


def _arena(plan: Plan, env: Mapping[str, int]) -> tuple[int, list[int]]:
    if not plan.symbols:
        return evaluate(plan.arena, env), []
    offsets, total = assign_offsets([arena_interval(b, dict(env)) for b in arena_buffers(plan)])
    return total, offsets


class Executable:
    """Runs one plan. Safe to call from several threads at once; results are fresh tensors."""

    def __init__(self, compiled: Compiled, library: libraries.Library | None = None, threads: int | None = None) -> None:
        self.compiled, self.plan, self.threads = compiled, compiled.plan, threads
        self.library = library or libraries.load(build_library(compiled), CDEF, lambda: build_library(compiled))
        self._run = self.library.functions.sol_run
        self.packed: PackedWeights | None = None
        self._state: tuple[Any, dict[tuple[Any, ...], list[_Context]]] = (None, {})  # weights, and contexts that point to them
        self._static = not self.plan.symbols
        self._new_outputs = _allocators(self.plan.outputs)

    def share(self) -> Executable:
        """The same code for other weights."""
        return Executable(self.compiled, self.library, self.threads)

    @property
    def targets(self) -> tuple[str, ...]:
        """Parameters that the packed weights depend on."""
        return tuple(n.attrs["target"] for n in self.compiled.graph.nodes if n.op == "parameter")

    def pack(self, parameters: Mapping[str, torch.Tensor]) -> None:
        """(Re)build the packed weights; calls under way finish with the old ones."""
        arrays = {t: numpy_of(parameters[t]) for t in self.targets}
        packed = pack_weights(self.compiled.graph, self.plan.weights, arrays)
        ffi = self.library.ffi
        self.packed = packed
        self._state = ((ffi.new("uintptr_t[]", packed.addresses or [0]), packed), {})

    def __call__(self, inputs: Sequence[torch.Tensor], env: Mapping[str, int] | None = None) -> list[torch.Tensor]:
        """Run on contiguous CPU tensors of the plan's dtypes and shapes."""
        threads = self._team()
        env = env or {}
        key = (threads,) if self._static else (threads, *(env[s] for s in self.plan.symbols))
        weights, pools = self._state
        pool = pools.get(key)
        if pool is None:
            if len(pools) >= POOLS:
                pools.clear()
            pool = pools.setdefault(key, [])
        try:
            context = pool.pop()
        except IndexError:
            context = _Context(self.library.ffi, self.plan, env, weights[0], threads)
        slots = context.inputs
        for i, tensor in enumerate(inputs):
            slots[i] = tensor.data_ptr()
        results = []
        slots = context.outputs
        for i, allocate in enumerate(self._new_outputs):
            result = allocate(env)
            slots[i] = result.data_ptr()
            results.append(result)
        self._run(context.call)
        pool.append(context)
        return results

    def _team(self) -> int:
        return 1 if libraries.forked() else self.threads or torch.get_num_threads()

    def profile(self, inputs: Sequence[torch.Tensor], env: Mapping[str, int] | None = None, runs: int = 20) -> list[float]:
        """Median seconds of every launch, each timed between barriers."""
        env = env or {}
        threads = self._team()
        ffi = self.library.ffi
        weights, _ = self._state
        context = _Context(ffi, self.plan, env, weights[0], threads)
        marks = ffi.new("int64_t[]", len(self.plan.launches) + 1)
        context.call.marks = marks
        outputs = [allocate(env) for allocate in self._new_outputs]
        for slots, tensors in ((context.inputs, inputs), (context.outputs, outputs)):
            for i, tensor in enumerate(tensors):
                slots[i] = tensor.data_ptr()
        samples = []
        for _ in range(runs + 2):
            self._run(context.call)
            samples.append(np.diff(np.array(list(marks), dtype=np.int64)))
        return list(np.median(np.array(samples[2:]), axis=0) * 1e-9)

    def memory_bytes(self) -> dict[str, int]:
        """Bytes of packed weights and of one call's arena, for static plans."""
        arena = self.plan.arena if isinstance(self.plan.arena, int) else 0
        return {"weights": self.packed.size if self.packed else 0, "arena": arena}


SMALL_RESULT = 4096  # elements up to which a tensor is held to allocate others like it, which is faster
_empty_like = torch.empty_like


def _allocators(outputs: Sequence[Port]) -> list[Any]:
    return [_allocator(port) for port in outputs]


def _allocator(port: Port) -> Any:
    dtype = TORCH[port.dtype]
    if not any(isinstance(d, Dim) for d in port.shape):
        shape = tuple(int(d) for d in port.shape)  # type: ignore[arg-type]
        if math.prod(shape) <= SMALL_RESULT:
            model = torch.empty(shape, dtype=dtype)
            return lambda env: _empty_like(model)
        empty = functools.partial(torch.empty, shape, dtype=dtype)
        return lambda env: empty()
    return lambda env: torch.empty(tuple(evaluate(d, env) for d in port.shape), dtype=dtype)


def numpy_of(tensor: torch.Tensor) -> np.ndarray:
    """A numpy view of a CPU tensor; bfloat16 becomes float32. Raises InputError for another device."""
    tensor = tensor.detach()
    if tensor.device.type != "cpu":
        raise InputError(f"a parameter is on the {tensor.device} device", remedy="move the model with .cpu() and load its weights")
    if tensor.dtype is torch.bfloat16:
        tensor = tensor.float()
    return tensor.resolve_neg().numpy()
