"""The inputs and outputs of an ONNX model as trees: a sequence is a list, an empty optional is None."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Union

import numpy as np

from sol.frontend.imported import InputLeaf, OutputLeaf, positional
from sol.frontend.trees import Fixed, Group, Leaf, Tree

Place = Union[int, tuple["Place", ...], None, np.ndarray]  # noqa: UP007  (a string cannot be joined with |)
"""Place of an input or output: its number among the graph's, a sequence of places, an empty optional, or a content known at import."""


def takes_of(places: Sequence[Place]) -> tuple[Group, tuple[InputLeaf, ...]]:
    """The tree of a call with inputs at these places, and its leaves."""
    structure = _Structure(InputLeaf, first=2)
    return positional(tuple(map(structure, places))), tuple(structure.leaves)


def gives_of(places: Sequence[Place]) -> tuple[Group, tuple[OutputLeaf, ...]]:
    """The tree of a tuple of outputs at these places, and its leaves."""
    structure = _Structure(OutputLeaf, first=0)
    return structure.group(tuple, places), tuple(structure.leaves)


def names_of(ends: Sequence[tuple[str, Place]], count: int) -> tuple[str, ...]:
    """A name for each of so many graph inputs or outputs: the model's, with the place in a sequence; "" for one that the model has not."""
    found: dict[int, str] = {}

    def visit(name: str, place: Place) -> None:
        if isinstance(place, int):
            found[place] = name
        elif isinstance(place, tuple):
            for i, part in enumerate(place):
                visit(f"{name}_{i}", part)

    for name, place in ends:
        visit(name, place)
    return tuple(found.get(i, "") for i in range(count))


class _Structure:
    """Makes trees over common leaves. first: the number of the first container."""

    def __init__(self, leaf: Callable[..., Any], first: int) -> None:
        self._leaf, self._count = leaf, first
        self.leaves: list[Any] = []

    def __call__(self, place: Place) -> Tree:
        if place is None:
            return Fixed(None)
        if isinstance(place, tuple):
            return self.group(list, place)
        self.leaves.append(self._leaf("tensor", place) if isinstance(place, int) else self._leaf("constant", value=place))
        return Leaf(len(self.leaves) - 1)

    def group(self, kind: type, places: Sequence[Place]) -> Group:
        number, self._count = self._count, self._count + 1
        return Group(kind, "sequence", (), tuple(map(self, places)), number)
