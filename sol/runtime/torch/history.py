"""Which calls a module has seen: a size or number that keeps changing is left open in the next program, instead of compiling for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from sol.frontend.torch.capture import Call
from sol.frontend.torch.trees import is_same_value
from sol.frontend.trees import Again, Fixed, Given, Group, Leaf, Tree

OPEN_AT = 3
"""The how-manieth size of a dimension is not compiled for by itself. In an object that is passed on from call to call, such as a cache of
keys and values, and in recurrent models, it is the one before."""

TRIES = 4
"""Captures with something left open that may fail in a row for calls of one kind. A call at a border fails where those beyond it do not: a
model with a sliding window takes caches that are shorter than the window, as long as it and full, each in another way."""


@dataclass
class _Kind:
    """Calls of one structure, whose tensors have the same dtypes and numbers of dimensions. seen: what leaves were, call by call.
    failures: how often in a row torch or sol could not leave open what changes."""

    tree: Tree
    types: tuple[Any, ...]
    seen: list[tuple[Any, ...]] = field(default_factory=list)
    failures: int = 0


@dataclass(frozen=True)
class Open:
    """Leaves of a call that may change: dimensions of tensors, and numbers."""

    dims: dict[int, frozenset[int]]
    numbers: frozenset[int]

    def __bool__(self) -> bool:
        return bool(self.dims or self.numbers)


class History:
    """The calls that programs were made for. recurrent: whether of a recurrent model, whose sequences have any length."""

    def __init__(self, recurrent: bool = False) -> None:
        self._kinds: list[_Kind] = []
        self._recurrent = recurrent

    def enter(self, call: Call) -> Open:
        """Note a call; what of it should be open."""
        kind = self._kind_of(call)
        now = tuple([tuple(leaf.shape) if isinstance(leaf, torch.Tensor) else leaf for leaf in call.leaves])
        if now not in kind.seen:
            kind.seen.append(now)
        return Open({}, frozenset()) if kind.failures >= TRIES else _open(kind, now, self._recurrent or any(_in_objects(call.tree)))

    def close(self, call: Call) -> None:
        """It was tried in vain to leave something open for this call. Nothing is for calls like this one once that has happened often."""
        self._kind_of(call).failures += 1

    def succeed(self, call: Call) -> None:
        """A program for calls like this one was made."""
        kind = self._kind_of(call)
        if kind.failures < TRIES:
            kind.failures = 0

    def count(self, call: Call) -> int:
        """How many different calls like this one there were."""
        return len(self._kind_of(call).seen)

    def _kind_of(self, call: Call) -> _Kind:
        types = tuple([_type_of(leaf) for leaf in call.leaves])
        kind = next((k for k in self._kinds if k.types == types and same_tree(k.tree, call.tree)), None)
        if kind is None:
            kind = _Kind(call.tree, types)
            self._kinds.append(kind)
        return kind


def _type_of(leaf: Any) -> Any:
    return (leaf.dtype, leaf.dim()) if isinstance(leaf, torch.Tensor) else type(leaf)


def _open(kind: _Kind, now: tuple[Any, ...], early: bool) -> Open:
    dims: dict[int, frozenset[int]] = {}
    numbers = set()
    changing = len(kind.seen) >= OPEN_AT - early
    for i, value in enumerate(now):
        if not isinstance(value, tuple):
            if len({s[i] for s in kind.seen}) > 1:
                numbers.add(i)
        elif changing:
            found = frozenset(d for d, size in enumerate(value) if size > 1 and len({s[i][d] for s in kind.seen}) > 1)
            if found:
                dims[i] = found
    return Open(dims, frozenset(numbers))


def _in_objects(tree: Tree, inside: bool = False) -> Iterator[bool]:
    """For every leaf whether it lies in an object."""
    if isinstance(tree, Leaf):
        yield inside
    elif isinstance(tree, Group):
        for part in tree.parts:
            yield from _in_objects(part, inside or tree.how == "object")


def same_tree(a: Tree, b: Tree) -> bool:
    """Whether two trees have the same containers and fixed values."""
    if isinstance(a, Fixed):
        return isinstance(b, Fixed) and is_same_value(a.value, b.value)
    if not isinstance(a, Group):
        return isinstance(a, (Leaf, Again, Given)) and a == b
    if not isinstance(b, Group) or a.kind is not b.kind or a.keys != b.keys or len(a.parts) != len(b.parts):
        return False
    return all(map(same_tree, a.parts, b.parts))
