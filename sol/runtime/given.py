"""What calls find behind packed weights where they pack some themselves: parameters, tables of numbers, and the functions that pack."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sol.codegen.compiled import Compiled
from sol.codegen.plan import Given
from sol.codegen.weight_forms import form_of
from sol.ir.storage import as_stored
from sol.runtime.packers import addresses, runs_here
from sol.runtime.weights import mapped_files


@dataclass(frozen=True)
class GivenToCalls:
    """Addresses in the order of ``Plan.given``, and what lies there by name. copies: parameters that do not lie row-major
    themselves, or lie in a file."""

    addresses: tuple[int, ...]
    arrays: Mapping[str, np.ndarray]
    copies: Mapping[str, np.ndarray]


def given_to(compiled: Compiled, parameters: Mapping[str, np.ndarray], before: GivenToCalls | None = None) -> GivenToCalls:
    """What calls of a plan are given.

    parameters: target → array, which must stay where it is. before: what they were given the last time. No call reads its copies meanwhile:
    they are written anew.
    """
    plan, graph = compiled.plan, compiled.graph
    functions = addresses(plan.packers, runs_here(compiled.target)) if plan.packers else {}
    found: list[int] = []
    arrays: dict[str, np.ndarray] = {}
    copies: dict[str, np.ndarray] = {}
    for given in plan.given:
        if given.kind == "packer":
            found.append(functions[given.item])
            continue
        array = _table(compiled, given) if given.kind == "table" else None
        if array is None:
            node = graph.producer(given.item)
            held = as_stored(parameters[node.attrs["target"]], node.type.dtype)
            stays = held.flags.c_contiguous and not mapped_files({given.item: held})
            array = held if stays else _copied(held, before.copies.get(given.name) if before else None)
            if array is not held:
                copies[given.name] = array
        arrays[given.name] = array
        found.append(array.ctypes.data)
    return GivenToCalls(tuple(found), arrays, copies)


def _copied(array: np.ndarray, into: np.ndarray | None) -> np.ndarray:
    """A row-major copy of an array, in memory of an earlier one if there is some."""
    if into is None or into.shape != array.shape:
        return np.array(array, order="C")
    np.copyto(into, array)
    return into


def _table(compiled: Compiled, given: Given) -> np.ndarray:
    """Numbers that packing a weight takes; equal ones are kept once."""
    weight: Any = given.weight
    return _kept(form_of(compiled.graph, weight).packing(compiled.graph, weight.pack).tables[given.item])


def _kept(table: np.ndarray) -> np.ndarray:
    return _equal(table.tobytes(), table.dtype.str, table.shape)


@functools.lru_cache(maxsize=1024)
def _equal(content: bytes, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.frombuffer(content, dtype).reshape(shape)
