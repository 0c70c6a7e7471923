"""What compiled code takes and gives: the few things that differ between numpy arrays and torch tensors, and how numpy does them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sol.codegen.plan import Port
from sol.codegen.targets import usable_cpus
from sol.config import config
from sol.ir.dim import Dim, evaluate
from sol.ir.storage import held_from_edge, stored_dtype
from sol.runtime.memory import Workspace


@dataclass(frozen=True, slots=True)
class Arrays:
    """A kind of array.

    address: where the first element of a contiguous array lies. held: an array as references hold it (``sol.ir.storage``).
    allocator: output → function from symbol values to a fresh array for it. threads: how many a call takes if nobody says.
    workspace: memory that calls share with those of other networks; None: each network keeps its own.
    """

    address: Callable[[Any], int]
    held: Callable[[Any], np.ndarray]
    allocator: Callable[[Port], Callable[[Mapping[str, int]], Any]]
    threads: Callable[[], int]
    workspace: Workspace | None = None


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
