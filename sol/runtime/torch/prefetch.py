"""Fetches into the cache what every call looks at before it computes: a network's activations evict it, and one miss after another costs
more than the looking. Addresses are hints: a prefetch of a wrong or stale one does nothing, so nothing depends on CPython's or torch's
memory layout being as assumed here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from sol.runtime.torch.layout import IMPLEMENTATION, WORD, counter_place, objects_lie_at_id, words_at

LINE = 64
LARGEST_OBJECT = 1024  # bytes of one object at most


def _lines(address: int, size: int) -> list[int]:
    return list(range(address & -LINE, address + min(size, LARGEST_OBJECT), LINE)) if address > 0 else []


def dict_lines(items: dict[Any, Any]) -> list[int]:
    """Cache lines of a dict's header and of its table of entries."""
    header = dict.__basicsize__
    pointers = words_at(id(items), header // WORD)[-2:]  # keys, and values if they lie apart
    return _lines(id(items), header) + [line for p in pointers if p for line in _lines(p, items.__sizeof__() - header + LINE)]


def tensor_lines(tensor: torch.Tensor) -> list[int]:
    """Cache lines of a tensor's Python object, its C++ object and its version counter."""
    address: int = tensor._cdata
    lines = _lines(id(tensor), LINE) + _lines(address, IMPLEMENTATION)
    place = counter_place()
    return lines if place is None else lines + _lines(words_at(address, IMPLEMENTATION // WORD)[place[0]], WORD)


def lines_of(dicts: Iterable[dict[Any, Any]], tensors: Iterable[torch.Tensor]) -> list[int]:
    """Addresses to fetch, each line once; none where objects do not lie at their id()."""
    if not objects_lie_at_id():
        return []
    found = [line for d in dicts for line in dict_lines(d)]
    found += [line for t in tensors for line in tensor_lines(t)]
    return list(dict.fromkeys(found))
