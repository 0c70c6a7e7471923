"""The structure of a model's arguments and results: containers within each other, whose leaves may differ from call to call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Leaf:
    """What may differ from call to call, by its place among all leaves."""

    index: int


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that is the same at every call."""

    value: Any


@dataclass(frozen=True, slots=True)
class Group:
    """A container of ``kind``. number: its place among all containers of the tree, in the order in which they begin.

    how: "sequence", "mapping", "object" (keys are attributes), "fields" (keys are those of a dataclass that is made by calling it) or
        "registered" (keys holds pytree's context).
    extra: the default factory of a defaultdict.
    """

    kind: type
    how: str
    keys: Any
    parts: tuple[Tree, ...]
    number: int
    extra: Any = None


@dataclass(frozen=True, slots=True)
class Again:
    """A container that stands at another place of the tree too, by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class Given:
    """In a result: the caller's own container, by its number in the arguments."""

    number: int


Tree = Leaf | Fixed | Group | Again | Given


def groups(tree: Tree) -> Iterator[Group]:
    """All containers of a tree."""
    if isinstance(tree, Group):
        yield tree
        for part in tree.parts:
            yield from groups(part)


def leaves_of(tree: Tree) -> Iterator[int]:
    """The places of all leaves of a tree, in order."""
    if isinstance(tree, Leaf):
        yield tree.index
    elif isinstance(tree, Group):
        for part in tree.parts:
            yield from leaves_of(part)
