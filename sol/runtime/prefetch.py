"""Fetches into the cache what every call looks at before it computes: a network's activations evict it, and one miss after another costs
more than the looking. Addresses are hints: a prefetch of a wrong or stale one does nothing, so nothing depends on CPython's or torch's
memory layout being as assumed here.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import struct
from collections.abc import Iterable
from typing import Any

import torch

LINE = 64
IMPLEMENTATION = 192  # bytes of a tensor's C++ object up to its version counter, roughly
WORDS = IMPLEMENTATION // 8
FEW = 1024  # bytes of one object at most


def _lines(address: int, size: int) -> list[int]:
    return list(range(address & -LINE, address + min(size, FEW), LINE)) if address > 0 else []


def _words(address: int, count: int) -> tuple[int, ...]:
    return struct.unpack(f"{count}Q", ctypes.string_at(address, 8 * count))


def dict_lines(items: dict[Any, Any]) -> list[int]:
    """Cache lines of a dict's header and of its table of entries."""
    header = dict.__basicsize__
    pointers = _words(id(items), header // 8)[-2:]  # keys, and values if they lie apart
    return _lines(id(items), header) + [line for p in pointers if p for line in _lines(p, items.__sizeof__() - header + LINE)]


def tensor_lines(tensor: torch.Tensor) -> list[int]:
    """Cache lines of a tensor's Python object, its C++ object and its version counter."""
    address: int = tensor._cdata
    lines = _lines(id(tensor), LINE) + _lines(address, IMPLEMENTATION)
    place = _place_of_counter()
    return lines if place is None else lines + _lines(_words(address, WORDS)[place], 8)


@functools.cache
def _place_of_counter() -> int | None:
    """Which word of a tensor's C++ object points to its version counter: the memory behind it changes as the count does."""
    try:
        tensor = torch.zeros(1)
        words = _words(tensor._cdata, WORDS)
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except (OSError, AttributeError):
        return None

    def behind() -> list[bytes]:
        found = []
        for word in words:
            try:
                found.append(os.pread(memory, 24, word))
            except (OSError, OverflowError):  # not an address
                found.append(b"")
        return found

    try:
        before = behind()
        with torch.no_grad():
            tensor.add_(1)
        count = tensor._version
        changed = [i for i, (a, b) in enumerate(zip(before, behind())) if a != b and count in struct.unpack(f"{len(b) // 4}I", b)]
    finally:
        os.close(memory)
    return changed[0] if changed else None


def lines_of(dicts: Iterable[dict[Any, Any]], tensors: Iterable[torch.Tensor]) -> list[int]:
    """Addresses to fetch, each line once; none where objects do not lie at their id()."""
    if platform.python_implementation() != "CPython":
        return []
    found = [line for d in dicts for line in dict_lines(d)]
    found += [line for t in tensors for line in tensor_lines(t)]
    return list(dict.fromkeys(found))
