"""Where CPython and torch keep what tells whether an object changed: a few words of memory that nobody promises, found by experiment.

Whoever relies on a place must check that it is so for each of his objects, and must do without where an experiment finds nothing.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import struct
import sys
import sysconfig
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch

WORD = 8
IMPLEMENTATION = 192  # bytes of a tensor's C++ object up to its version counter, roughly
_BEFORE = 4  # words ahead of an object in which the interpreter may keep what belongs to it
_COUNTER = 24  # bytes of a version counter: two words of bookkeeping, then the count


def words_at(address: int, count: int) -> tuple[int, ...]:
    """``count`` words of 8 bytes from an address that must be readable."""
    return struct.unpack(f"{count}Q", ctypes.string_at(address, WORD * count))


def objects_lie_at_id() -> bool:
    """Whether ``id`` is an address and one lock guards all objects."""
    return platform.python_implementation() == "CPython" and not sysconfig.get_config_var("Py_GIL_DISABLED")


# -- dicts -------------------------------------------------------------------------------------------------------------


class _Attributed:
    """An object whose attributes are set from one place, which CPython then specialises."""

    def __init__(self) -> None:
        self.first, self.second = 1, 2

    def put(self, value: int) -> None:
        self.second = value


@functools.cache
def dict_tag() -> int | None:
    """Bytes from a dict to the word that is another after each change of it (PEP 509), attributes included; None if there is none.

    CPython 3.10 to 3.12 have it. In 3.13 attributes may change without it, later versions lack it.
    """
    if not objects_lie_at_id() or not (3, 10) <= sys.version_info[:2] <= (3, 12):
        return None
    size = dict.__basicsize__ // WORD
    places = set(range(2, size))
    items: dict[Any, Any] = {"a": 1}
    owner = _Attributed()
    for i in range(100):
        owner.put(i)
    attributes = vars(owner)
    seen = {id(items): set(), id(attributes): set()}  # type: ignore[var-annotated]
    for changed, act in (*_changes(items), *_attribute_changes(owner)):
        before = words_at(id(changed), size)
        len(changed), list(changed), changed == dict(changed), changed.get("a")
        if words_at(id(changed), size) != before:
            return None
        act()
        after = words_at(id(changed), size)
        places &= {i for i in places if after[i] != before[i] and after[i] not in seen[id(changed)]}
        for i in places:
            seen[id(changed)].add(after[i])
    return WORD * places.pop() if len(places) == 1 else None


@functools.cache
def ordered_dicts_have_tags() -> bool:
    """Whether that word of an OrderedDict is another one after each change of its items; not so of their order."""
    tag = dict_tag()
    if tag is None:
        return False
    items: OrderedDict[str, int] = OrderedDict(a=1)
    seen = {words_at(id(items) + tag, 1)}
    acts: tuple[Callable[[], Any], ...] = (
        lambda: items.__setitem__("b", 2), lambda: items.__setitem__("b", 3), lambda: items.pop("a"), lambda: items.update(c=4),
        lambda: items.__delitem__("b"), lambda: items.popitem(), lambda: items.setdefault("d", 5), lambda: items.clear(),
    )  # fmt: skip
    for act in acts:
        act()
        word = words_at(id(items) + tag, 1)
        if word in seen:
            return False
        seen.add(word)
    return True


def _changes(items: dict[Any, Any]) -> list[tuple[dict[Any, Any], Callable[[], Any]]]:
    acts: list[Callable[[], Any]] = [
        lambda: items.__setitem__("a", 2),
        lambda: items.__setitem__("b", 3),
        lambda: items.update(a=4),
        lambda: items.__ior__({"b": 5}),
        lambda: items.setdefault("c", 6),
        lambda: items.pop("c"),
        lambda: items.update({str(i): i for i in range(50)}),
        lambda: items.__delitem__("b"),
        lambda: items.popitem(),
        lambda: items.clear(),
        lambda: items.update({"d": 7}),
    ]
    return [(items, act) for act in acts]


def _attribute_changes(owner: _Attributed) -> list[tuple[dict[Any, Any], Callable[[], Any]]]:
    acts: list[Callable[[], Any]] = [
        lambda: owner.put(-1),
        lambda: object.__setattr__(owner, "second", -2),
        lambda: setattr(owner, "third", -3),
        lambda: vars(owner).update(first=-4),
        lambda: delattr(owner, "third"),
        *([lambda: owner.put(-5), lambda: owner.put(-6)] * 10),
    ]
    return [(vars(owner), act) for act in acts]


@functools.cache
def attributes_pointer() -> int | None:
    """Bytes from a module to the word that points to the dict of its attributes."""
    if not objects_lie_at_id():
        return None
    owner = torch.nn.Module()
    attributes = vars(owner)
    words = words_at(id(owner) - _BEFORE * WORD, _BEFORE + torch.nn.Module.__basicsize__ // WORD)
    found = [i for i, word in enumerate(words) if word == id(attributes)]
    return WORD * (found[0] - _BEFORE) if len(found) == 1 else None


# -- tensors -----------------------------------------------------------------------------------------------------------


@functools.cache
def tensor_path() -> tuple[int, int, int] | None:
    """Offsets that lead from a tensor to the word that begins with its version: at the first from the Python object lies a pointer to the
    C++ object, at the second from there one to the version counter, at the third from there the version.
    """
    if not objects_lie_at_id() or sys.byteorder != "little":
        return None
    tensor = _counted_tensor()
    own = [i for i, word in enumerate(words_at(id(tensor), torch.Tensor.__basicsize__ // WORD)) if word == tensor._cdata]
    counter = counter_place()
    return (WORD * own[0], WORD * counter[0], counter[1]) if len(own) == 1 and counter is not None else None


def _counted_tensor() -> torch.Tensor:
    """A tensor with a version counter, which those that are made in inference mode lack."""
    with torch.inference_mode(False):
        return torch.zeros(1)


@functools.cache
def counter_place() -> tuple[int, int] | None:
    """Which word of a tensor's C++ object points to its version counter, and where in that the count is: it changes as the count does."""
    try:
        tensor = _counted_tensor()
        words = words_at(tensor._cdata, IMPLEMENTATION // WORD)
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except (OSError, AttributeError):
        return None

    def behind() -> set[tuple[int, int]]:
        """Words and offsets behind which the count stands now."""
        found = set()
        for i, word in enumerate(words):
            try:
                content = os.pread(memory, _COUNTER, word)
            except (OSError, OverflowError):  # not an address
                continue
            counts = struct.unpack(f"{len(content) // WORD}Q", content[: len(content) // WORD * WORD])
            found |= {(i, WORD * j) for j, count in enumerate(counts) if count & 0xFFFFFFFF == tensor._version}
        return found

    try:
        places = behind()
        with torch.no_grad():
            for _ in range(5):
                tensor.add_(1)
                places &= behind()
    finally:
        os.close(memory)
    return places.pop() if len(places) == 1 else None
