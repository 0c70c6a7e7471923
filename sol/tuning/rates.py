"""Runs the C functions that measure a machine (codegen/templates/machine_rates.c.j2), on one thread or on a team."""

from __future__ import annotations

import functools
from typing import Any

from sol.build import library as libraries
from sol.build.build import Unit, build
from sol.codegen.kernels.split_product import PARTS, part_loads
from sol.codegen.render import render
from sol.codegen.targets import Target
from sol.runtime.executable import CALL
from sol.runtime.memory import Block
from sol.runtime.team import starter

KINDS = ("clock", "multiply_adds", "additions", "loads", "broadcasts", "read", "barriers", "meeting")
TILES = "tiles"
"""The kind of processors that have matrix tiles."""


def accumulators(target: Target) -> int:
    """Vectors that the multiply-adds of a round work on, none of which waits for another."""
    return min(target.registers - 4, 16)


def beside(target: Target) -> int:
    """The same of those that have as many additions beside them."""
    return min((target.registers - 4) // 2, 12)


@functools.cache
def source(target: Target) -> str:
    """The C text that measures."""
    parts = tuple(part_loads(products) for products in PARTS) if target.matrix_tiles else ()
    return render("machine_rates.c.j2", accumulators=accumulators(target), half=beside(target), parts=parts)


def kinds(target: Target) -> tuple[str, ...]:
    """What can be measured there."""
    return (*KINDS, *[TILES] * target.matrix_tiles)


class Rates:
    """The functions, and memory for them: ``size`` bytes for so many threads together.

    Raises CompilerNotFoundError or CompilerError.
    """

    def __init__(self, target: Target, threads: int, size: int) -> None:
        units = [Unit("machine_rates", source(target))]
        declared = CALL + "".join(f"void sol_rates_{kind}(const sol_call *call);\n" for kind in kinds(target))
        library = libraries.load(build(units, target), declared, lambda: build(units, target))
        self.ffi, self.functions = library.ffi, library.functions
        self.size, self.most = size // 64 * 64, threads
        self.block = Block(self.size)
        self.block.bytes[:] = 0  # pages that were never written are all the same page
        self._marks = self.ffi.new("int64_t[]", 2 * threads)
        self._dims = self.ffi.new("int64_t[]", 3)
        self._call = self.ffi.new("sol_call *")
        self._call.memory, self._call.dims, self._call.marks = self.block.address, self._dims, self._marks

    def seconds(self, kind: str, rounds: int = 1, *, threads: int = 1, size: int = 0, of_processor: bool = False) -> float:
        """Time of so many rounds from the first thread's start to the last one's end; NaN if fewer threads ran than were asked for.

        size: bytes that each thread reads. of_processor: time that a single thread was given, instead of time on the wall.
        """
        marks = self._marks_of(kind, rounds, threads, size, of_processor)
        return (max(marks[1::2]) - min(marks[::2])) * 1e-9 if all(marks) else float("nan")

    def each(self, kind: str, rounds: int, threads: int, size: int = 0) -> tuple[float, ...]:
        """The processor's time that each of so many threads used for so many rounds, all at once; NaN for those that did not run."""
        marks = self._marks_of(kind, rounds, threads, size, True)
        return tuple((end - begin) * 1e-9 if begin and end else float("nan") for begin, end in zip(marks[::2], marks[1::2]))

    def _marks_of(self, kind: str, rounds: int, threads: int, size: int, of_processor: bool) -> list[int]:
        """When each thread began and ended."""
        call: Any = self._call
        call.threads, call.launch = starter(threads)
        self._dims[0], self._dims[1], self._dims[2] = rounds, min(size, self.size // threads) // 4, of_processor
        for place in range(2 * self.most):
            self._marks[place] = 0
        getattr(self.functions, f"sol_rates_{kind}")(call)
        return list(self._marks)[: 2 if kind == "meeting" else 2 * threads]
