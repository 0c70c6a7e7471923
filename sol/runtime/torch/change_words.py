"""Tells that hundreds of Python objects did not change by comparing a few words of memory of each: Python takes ten times as long to ask
them. Which words they are was found by experiment (``sol.runtime.torch.layout``); where it found none or they do not fit, there are none.

Words are read in C with the interpreter's lock held, and only of objects to which there are references.
"""

from __future__ import annotations

import ctypes
import functools
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from sol.build.build import Unit, build
from sol.codegen.render import render
from sol.codegen.targets import by_name
from sol.errors import SolError
from sol.runtime.torch.layout import attributes_pointer, dict_tag, ordered_dicts_have_tags, tensor_path

log = logging.getLogger("sol.runtime")
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_VERSION = 0xFFFFFFFF  # the bits of a version in its word


class Words:
    """What some words hold.

    objects: uint64 addresses. offsets: lead from each object over pointers to its word. alive: keeps them alive.
    held: uint64 [depth, objects].
    """

    def __init__(self, library: ctypes.PyDLL, objects: np.ndarray, offsets: Sequence[int], alive: Any) -> None:
        self._alive = alive
        steps = np.array(offsets, np.int64)
        self._places, self.held = np.empty((2, len(steps), len(objects)), np.uint64)
        sizes = ctypes.c_int64(len(objects)), ctypes.c_int64(len(steps))
        library.sol_follow(*map(_pointer, (objects, steps, self._places, self.held)), *sizes)
        self._links = np.array([self._places.ctypes.data, self.held.ctypes.data, len(objects), len(steps)], np.int64)  # a sol_links
        self.changed: Callable[[], int] = functools.partial(library.sol_differ, _pointer(self._links))
        """1 if some word holds something else now, else 0."""

    def read_again(self, index: int) -> None:
        """What the word of one object holds now is what it is to hold; for words that lie in the objects themselves."""
        self.held[0, index] = ctypes.c_uint64.from_address(int(self._places[0, index])).value


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


@functools.cache
def watching_library() -> ctypes.PyDLL | None:
    """templates/watch.c.j2, or None if it cannot be had."""
    try:
        return ctypes.PyDLL(str(build([Unit("watch", render("watch.c.j2"))], by_name("generic"), progress=lambda done, all: None)))
    except (SolError, OSError) as error:
        log.info("what may change between calls is looked at in Python: %s", error)
        return None


def words_of_tensors(tensors: Sequence[torch.Tensor], versions: Sequence[int]) -> Words | None:
    """Words that change when a tensor is changed in place or swapped for another; None if they or the versions are not as expected."""
    path = tensor_path()
    if path is None or not all(type(t) in _PLAIN for t in tensors) or (library := watching_library()) is None:
        return None
    words = Words(library, np.array([id(t) for t in tensors], np.uint64), path, tensors)
    known = np.array([[t._cdata for t in tensors], versions], np.uint64)
    return words if np.array_equal(words.held[0], known[0]) and np.array_equal(words.held[2] & _VERSION, known[1]) else None


def has_tag(container: Any) -> bool:
    """Whether a word of memory tells that the items of a dict were changed."""
    kind = type(container)
    return kind is dict and dict_tag() is not None or kind is OrderedDict and ordered_dicts_have_tags()


class DictPlaces:
    """Where the words lie that change with dicts, and with the attributes of owners, of which some are dicts called children.

    It holds them all. works: whether there are such words.
    """

    def __init__(self, dicts: Sequence[dict[str, Any]], owners: Sequence[Any], children: Sequence[dict[str, Any]]) -> None:
        attributes = list(map(vars, owners))
        self.children = children
        self._dicts, self._owners = [*dicts, *children, *attributes], owners
        self._pointers = list(map(id, attributes))
        tag, pointer = dict_tag(), attributes_pointer()
        self.works = tag is not None and pointer is not None and all(map(has_tag, self._dicts))
        places = [*(id(d) + (tag or 0) for d in self._dicts), *(id(o) + (pointer or 0) for o in owners)]
        self._addresses = np.array(places, np.uint64)

    def words(self) -> Words | None:
        """What they hold now; None if that does not tell."""
        library = watching_library() if self.works else None
        if library is None:
            return None
        words = Words(library, self._addresses, (0,), self)
        return words if words.held[0, len(self._dicts) :].tolist() == self._pointers else None
