"""What compiled code takes and gives: the few things that differ between numpy arrays and torch tensors, and how numpy does them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sol.codegen.plan import Port
from sol.codegen.targets import usable_cpus
from sol.config import config
from sol.ir.dim import Dim, evaluate
from sol.ir.storage import held_from_edge, stored_dtype


class Loan(Protocol):
    """Memory for one call. address: where it begins."""

    address: int

    def array(self, place: int, port: Port) -> Any:
        """An array for an output in this memory, ``place`` bytes from its beginning, which outlives the call."""

    def end(self) -> None:
        """The call is over: whatever is in no array is free."""


class Lender(Protocol):
    """Who has memory for calls."""

    def lend(self, size: int, operands: Sequence[tuple[int, int]] = (), room: int = 0) -> Loan:
        """At least so many bytes, aligned to a line.

        operands: addresses of inputs that may be overwritten, with the places where they would best lie. All do in the memory that is
        given, or none. room: how many bytes a later call will want that finds results of this one in its memory.
        Raises OutOfMemoryError if there is none.
        """


@dataclass(frozen=True, slots=True)
class Arrays:
    """A kind of array.

    address: where the first element of a contiguous array lies. held: an array as references hold it (``sol.ir.storage``).
    allocator: output → function from symbol values to a fresh array for it. threads: how many a call takes if nobody says.
    lender: gives memory for each call; None: each network keeps its own.
    """

    address: Callable[[Any], int]
    held: Callable[[Any], np.ndarray]
    allocator: Callable[[Port], Callable[[Mapping[str, int]], Any]]
    threads: Callable[[], int]
    lender: Lender | None = None


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _allocator(port: Port) -> Callable[[Mapping[str, int]], np.ndarray]:
    dtype = stored_dtype(port.dtype)
    if any(isinstance(d, Dim) for d in port.shape):
        return lambda env: np.empty(tuple(evaluate(d, env) for d in port.shape), dtype)
    shape = tuple(int(d) for d in port.shape)  # type: ignore[arg-type]
    return lambda env: np.empty(shape, dtype)


@functools.cache
def _available(variable: str) -> int:
    first = variable.split(",")[0].strip()
    if first.isdigit() and int(first):
        return int(first)
    return usable_cpus()


def default_threads() -> int:
    """``config["threads"]``, else OMP_NUM_THREADS, else the CPUs that this process may use."""
    return config["threads"] or _available(os.environ.get("OMP_NUM_THREADS", ""))


NUMPY = Arrays(address=_address, held=held_from_edge, allocator=_allocator, threads=default_threads)
"""C-contiguous numpy arrays of the elements that C reads (``sol.ir.storage.from_edge``)."""
