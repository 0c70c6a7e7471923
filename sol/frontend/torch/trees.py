"""Python values that hold tensors, as trees: arguments are taken apart into leaves and containers, results put together from them.

Containers are lists, tuples, dicts, named tuples, what is registered with torch's pytree, and objects of Python classes (dataclasses,
caches of keys and values) by their attributes.
"""

from __future__ import annotations

import dataclasses
import enum
import types
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from sol.frontend.trees import Again, Fixed, Given, Group, Leaf, Tree

_BUILTIN = (list, tuple, dict, set, frozenset, deque)
_WHOLE = (torch.nn.Module, torch.Generator, enum.Enum, types.ModuleType, type, types.FunctionType, types.MethodType, torch.jit.ScriptModule)
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class written in Python, or at least made at run time
MOST_PARTS = 100_000  # of a whole tree
SMALL_OBJECT = 64  # parts up to which an object without tensors is taken apart too


class NoTree(Exception):
    """A value that cannot be taken apart; the text says why."""


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def is_argument(value: Any) -> bool:
    """What of the arguments may differ between calls: tensors, arrays, and numbers."""
    return isinstance(value, (torch.Tensor, np.ndarray)) or type(value) in (int, float)


def is_result(value: Any) -> bool:
    """What of a traced result may differ between calls: tensors, and numbers that torch traces."""
    return isinstance(value, (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool))


class Taker:
    """Takes values apart into one tree after the other, over common leaves; what is met again is recognized.

    is_leaf: what becomes a leaf. given: id → number of containers that are not taken apart (`Given`). known: ids of what is not either,
    because it is the same at every call.
    """

    def __init__(self, is_leaf: Callable[[Any], bool], given: Mapping[int, int] | None = None, known: Set[int] = frozenset()) -> None:
        self._is_leaf, self._given, self._known = is_leaf, given or {}, known
        self.leaves: list[Any] = []
        self._count = 0
        self._numbers: dict[int, int] = {}

    def __call__(self, value: Any) -> Tree:
        """The tree of a value; NoTree if it has too many parts."""
        if self._is_leaf(value):
            self.leaves.append(value)
            return Leaf(len(self.leaves) - 1)
        number = self._given.get(id(value))
        if number is not None:
            return Given(number)
        number = self._numbers.get(id(value))
        if number is not None:
            return Again(number)
        how = how_to_take(value) if id(value) not in self._known else ""
        if how and (how != "object" or self._is_worth(value)):
            return self.take_container(value, how)
        if isinstance(value, _BUILTIN) and id(value) not in self._known:
            if any(map(self._is_worth, (*value, *getattr(value, "__dict__", {}).values()))):
                raise NoTree(f"a {type(value).__name__} holds tensors in a way that is not known")
        return Fixed(value)

    def take_container(self, value: Any, how: str) -> Group:
        """The tree of a container, also of one that is given."""
        number, self._count = self._count, self._count + 1
        if number + len(self.leaves) > MOST_PARTS:
            raise NoTree(f"a {type(value).__name__} has more than {MOST_PARTS} parts")
        self._numbers[id(value)] = number
        keys, children = children_of(value, how)
        parts = tuple([self(c) for c in children])
        return Group(type(value), how, keys, parts, number, getattr(value, "default_factory", None) if how == "mapping" else None)

    def _is_worth(self, value: Any) -> bool:
        """Whether an object holds a leaf or a container of the caller, or is small."""
        count = 0
        seen: set[int] = set()
        waiting = [value]
        while waiting:
            v = waiting.pop()
            if isinstance(v, torch.Tensor) or is_result(v) or id(v) in self._given:
                return True
            how = how_to_take(v)
            if how and id(v) not in seen:
                seen.add(id(v))
                waiting += children_of(v, how)[1]
            count += 1
            if count > MOST_PARTS:
                return False
        return count <= SMALL_OBJECT


def how_to_take(value: Any) -> str:
    """How a container is taken apart (`Group`); empty for what is none."""
    kind = type(value)
    if kind in (list, tuple, torch.Size) or (isinstance(value, tuple) and hasattr(kind, "_fields")):
        return "sequence"
    if kind in (dict, defaultdict):
        return "mapping"
    if isinstance(value, _BUILTIN):
        if kind in pytree.SUPPORTED_NODES:
            return "registered"
        if isinstance(value, dict):
            return "fields" if dataclasses.is_dataclass(value) else "" if getattr(value, "__dict__", None) else "mapping"
        return ""
    if isinstance(value, (*_WHOLE, torch.Tensor)):
        return ""
    if kind in pytree.SUPPORTED_NODES and not hasattr(value, "__dict__"):
        return "registered"
    return "object" if _is_object(value) else ""


def _is_object(value: Any) -> bool:
    """Whether an object of a Python class is nothing but its attributes."""
    kind = type(value)
    if not kind.__flags__ & _HEAP_TYPE or callable(value):
        return False
    try:
        object.__new__(kind)
    except TypeError:
        return False
    return bool(getattr(value, "__dict__", None)) or bool(slots_of(kind)) or "__dict__" in dir(value)


def slots_of(kind: type) -> tuple[str, ...]:
    """Names of attributes that lie in slots."""
    found: list[str] = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        found += [slots] if isinstance(slots, str) else list(slots)
    return tuple(s for s in found if s not in ("__dict__", "__weakref__"))


def attributes_of(value: Any) -> dict[str, Any]:
    """All attributes of an object by name."""
    slots = {s: getattr(value, s) for s in slots_of(type(value)) if hasattr(value, s)}
    return {**slots, **getattr(value, "__dict__", {})}


def children_of(value: Any, how: str) -> tuple[Any, list[Any]]:
    """Keys of a container and what lies under them."""
    if how == "sequence":
        return (), list(value)
    if how == "mapping":
        return tuple(value), list(value.values())
    if how == "registered":
        children, context = pytree.SUPPORTED_NODES[type(value)].flatten_fn(value)
        return context, list(children)
    named = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)} if how == "fields" else attributes_of(value)
    return tuple(named), list(named.values())


class Maker:
    """Puts trees together from leaves; containers that stand in them again are made once.

    made: the containers by number. parts: what each was made of.
    """

    def __init__(self, leaves: Sequence[Any]) -> None:
        self._leaves = leaves
        self.made: dict[int, Any] = {}
        self.parts: dict[int, list[Any]] = {}

    def __call__(self, tree: Tree) -> Any:
        if isinstance(tree, Leaf):
            return self._leaves[tree.index]
        if isinstance(tree, Fixed):
            return tree.value
        if isinstance(tree, Group):
            if tree.how == "object":
                self.made[tree.number] = object.__new__(tree.kind)  # before its parts, which may mean it
            parts = self.parts[tree.number] = [self(part) for part in tree.parts]
            self.made[tree.number] = made_of(tree, parts, self.made.get(tree.number))
        return self.made[tree.number]


def made_of(group: Group, parts: list[Any], empty: Any = None) -> Any:
    """A container of these children; an object is given empty."""
    if group.how == "object":
        for name, part in zip(group.keys, parts):
            object.__setattr__(empty, name, part)
        return empty
    if group.how == "registered":
        return pytree.SUPPORTED_NODES[group.kind].unflatten_fn(parts, group.keys)
    items = zip(group.keys, parts)
    if group.how == "fields":
        return group.kind(**dict(items))
    if group.how == "mapping":
        return defaultdict(group.extra, items) if group.kind is defaultdict else group.kind(items)
    return group.kind(parts) if group.kind in (list, torch.Size) else tuple.__new__(group.kind, parts)


def is_same_value(a: Any, b: Any) -> bool:
    """Whether two fixed values are equal: by value where their class says what that means, else the very object."""
    if a is b:
        return True
    if type(a) is not type(b) or type(a).__eq__ is object.__eq__:
        return False
    try:
        return bool(a == b) or (a != a and b != b)
    except Exception:  # whatever a class thinks of
        return False


def named_tensors(value: Any, name: str = "output") -> list[tuple[str, torch.Tensor]]:
    """All tensors of a result with the path that leads to each: ``output['a'][0].keys``."""
    taker = Taker(is_tensor)
    tree = taker(value)
    return [(path, taker.leaves[index]) for path, index in named_leaves(tree, name)]


def named_leaves(tree: Tree, name: str = "output") -> list[tuple[str, int]]:
    """Path and index of every leaf of a tree."""
    if isinstance(tree, Leaf):
        return [(name, tree.index)]
    if not isinstance(tree, Group):
        return []
    found: list[tuple[str, int]] = []
    for path, part in zip(_steps(tree), tree.parts):
        found += named_leaves(part, name + path)
    return found


def _steps(group: Group) -> list[str]:
    """How Python reaches each part of a container."""
    if group.how in ("object", "fields"):
        return [f".{k}" for k in group.keys]
    if group.how == "mapping" or (group.how == "registered" and isinstance(group.keys, (list, tuple)) and issubclass(group.kind, dict)):
        return [f"[{k!r}]" for k in group.keys]
    fields = getattr(group.kind, "_fields", None)
    return [f".{f}" for f in fields] if fields else [f"[{i}]" for i in range(len(group.parts))]

