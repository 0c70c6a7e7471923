"""Runs the kernels that are to be compared: a trial (sol/codegen/trial.py) as a library with memory of its own, timed group by group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.build import library as libraries
from sol.build.build import build, units_of
from sol.build.cache import store
from sol.codegen.packing import count, packed_shape
from sol.codegen.plan import Plan
from sol.codegen.targets import Target, usable_cpus
from sol.codegen.trial import Trial, render_trial
from sol.config import config
from sol.ir.dim import evaluate
from sol.ir.graph import Graph
from sol.ir.storage import stored_dtype
from sol.ir.types import DType
from sol.runtime.executable import CDEF
from sol.runtime.memory import Block
from sol.runtime.team import starter
from sol.runtime.weights import STAGGER

NOISE = 1 << 18
"""Numbers that are repeated as weights: values do not matter, but zeros take less power than others."""
MOST_SWEPT = 64 << 20
"""Bytes read before each run in place of the regions that were left out: beyond a usual third-level cache it makes no difference."""


class Bench:
    """A trial ready to run by a team of ``threads``. graph: the fused graph that it was made from."""

    def __init__(self, trial: Trial, graph: Graph, target: Target, threads: int) -> None:
        self.trial = trial
        with config.override(team="fixed"):  # of a size that does not change meanwhile
            threads, launch = starter(min(threads, usable_cpus()))
        library = _built(trial, target)
        ffi = library.ffi
        self._run = library.functions.sol_run
        plan = trial.plan
        self._weights, addresses = _noise(plan, graph)
        self._swept = Block(_left_out(graph, self._weights.size, target, threads))
        self._swept.bytes[::4096] = 1  # pages of its own: untouched memory is one page of zeros
        count = len(trial.groups)
        shared_scratch, scratch = evaluate(plan.shared_scratch, {}), evaluate(plan.scratch, {})
        self._memory = Block(evaluate(plan.arena, {}) + shared_scratch + scratch * threads + 64)
        self._pointers = ffi.new("uintptr_t[]", [*addresses, self._swept.address])
        self._picks = ffi.new("int64_t[]", [0] * count + [self._swept.size])
        self._marks = ffi.new("int64_t[]", count + 1)
        self._call = call = ffi.new("sol_call *")
        call.weights, call.memory, call.dims, call.marks = self._pointers, self._memory.address, self._picks, self._marks
        call.arena, call.shared_scratch, call.scratch, call.threads = evaluate(plan.arena, {}), shared_scratch, scratch, threads
        call.flush_denormals, call.launch = config["flush_denormals"], launch

    def run(self, picks: Sequence[int]) -> np.ndarray:
        """Seconds of every group; picks: the way that each takes."""
        for i, pick in enumerate(picks):
            self._picks[i] = pick
        self._run(self._call)
        return np.diff(np.array(list(self._marks), np.int64)) * 1e-9


def _built(trial: Trial, target: Target) -> libraries.Library:
    def make():  # type: ignore[no-untyped-def]
        return build(units_of(render_trial(trial)), target)

    path = make()
    library = libraries.load(path, CDEF, make)
    store().remove(path.name)  # nobody will want it again; its kernels stay
    return library


def _noise(plan: Plan, graph: Graph) -> tuple[Block, list[int]]:
    """Memory as large as all packed weights, each in a place of its own as in the network, and where they begin."""
    sizes: dict[object, tuple[int, bool]] = {}
    places = []
    at = 0
    for weight in plan.weights:
        type = graph.type_of(weight.value)
        if (type, weight.pack) not in sizes:
            shape = tuple(evaluate(d, {}) for d in type.shape)
            size = count(packed_shape(weight.pack, shape)) * stored_dtype(type.dtype).itemsize
            sizes[type, weight.pack] = size, type.dtype is DType.F32
        size, is_float = sizes[type, weight.pack]
        places.append((at, size, is_float))
        at = -(-(at + size) // 64) * 64 + STAGGER
    block = Block(at + 64)
    noise = np.random.default_rng(0).normal(0, 0.05, NOISE).astype(np.float32).view(np.uint8)
    for start, size, is_float in places:
        if is_float:
            for first in range(start, start + size, noise.size):
                length = min(noise.size, start + size - first)
                block.bytes[first : first + length] = noise[:length]
    return block, [block.address + start for start, _, _ in places]


def _left_out(graph: Graph, held: int, target: Target, threads: int) -> int:
    """Bytes of the network's weights that the trial does not read; at least what empties the second-level caches."""
    total = sum(evaluate(t.size, {}) * t.dtype.itemsize for t in graph.parameter_types.values())
    return max(min(total - held, MOST_SWEPT), 2 * target.l2 * threads)


__all__ = ["Bench"]
