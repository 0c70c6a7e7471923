"""The graph IR: frozen nodes in topological order. builder.py makes it, rewrite.py changes it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sol.ir.dim import Dim
from sol.ir.types import TensorType


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a node comes from in the user's model: module path (``layer1.0.conv1``) and source line."""

    path: str = ""
    source: str = ""

    def __str__(self) -> str:
        return f"{self.path} ({self.source})" if self.source else self.path


NO_ORIGIN = Origin()


class Array:
    """An immutable numpy array as an attribute; equal and hashed by content."""

    __slots__ = ("digest", "value")

    def __init__(self, value: np.ndarray) -> None:
        self.value = np.array(value, order="C")  # owns a C-contiguous copy
        self.value.setflags(write=False)
        head = f"{self.value.dtype.str}{self.value.shape}".encode()
        self.digest = hashlib.sha256(head + self.value.tobytes()).hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Array) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[type[Array], tuple[np.ndarray]]:
        return Array, (self.value,)

    def __repr__(self) -> str:
        return f"Array({self.value.dtype}{list(self.value.shape)}, {self.digest})"


class Attrs(Mapping[str, Any]):
    """Frozen, hashable attributes of a node.

    Values: int, float, bool, str, None, DType, Dim, Layout, TensorType, Array, Graph and tuples of these.
    """

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[str, Any] | None = None) -> None:
        self._items = dict(sorted((items or {}).items()))
        self._hash: int | None = None

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(tuple(self._items.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attrs) and self._items == other._items

    def __reduce__(self) -> tuple[type[Attrs], tuple[dict[str, Any]]]:
        """Without the hash, which is another one in another process."""
        return Attrs, (self._items,)

    def having(self, **changes: Any) -> Attrs:
        """A copy with some attributes set."""
        return Attrs({**self._items, **changes})

    def __repr__(self) -> str:
        return f"Attrs({self._items})"


@dataclass(frozen=True, slots=True)
class Node:
    """One operation. Its first output is the value ``name``; further outputs are ``name#1``, ``name#2``…"""

    name: str
    op: str
    inputs: tuple[str, ...]
    types: tuple[TensorType, ...]
    attrs: Attrs = field(default_factory=Attrs)
    origin: Origin = NO_ORIGIN

    @property
    def type(self) -> TensorType:
        return self.types[0]

    @property
    def outputs(self) -> tuple[str, ...]:
        return (self.name, *(f"{self.name}#{i}" for i in range(1, len(self.types))))


SOURCES = ("input", "parameter", "constant")
VARYING = ("input", "torch_call", "random", "region", "custom")
"""Ops that run at every call, whatever their operands are: their result may differ, or like a region they write where others read."""


def _is_symbolic(attribute: Any) -> bool:
    """Whether an attribute is known only at run time: it mentions a size."""
    return any(map(_is_symbolic, attribute)) if isinstance(attribute, tuple) else isinstance(attribute, Dim)


def _draws(node: Node) -> bool:
    """Whether a body of the node draws random numbers."""
    bodies = [v for v in node.attrs.values() if isinstance(v, Graph)]
    return any(n.op == "random" or _draws(n) for b in bodies for n in b.nodes)


@dataclass(frozen=True)
class Graph:
    """Nodes in topological order, sources included. ``inputs`` names the "input" nodes in call order."""

    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @cached_property
    def _by_name(self) -> dict[str, Node]:
        return {n.name: n for n in self.nodes}

    @cached_property
    def _users(self) -> dict[str, tuple[Node, ...]]:
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            for value in dict.fromkeys(node.inputs):
                found.setdefault(value, []).append(node)
        return {v: tuple(ns) for v, ns in found.items()}

    @cached_property
    def is_finished(self) -> bool:
        """Whether ``Editor.finish`` made this graph, so that it would make the same again."""
        return False

    @cached_property
    def constant_values(self) -> frozenset[str]:
        """Values of fixed size that depend on parameters and constants only: computed once, when weights are packed."""
        known: set[str] = set()
        for node in self.nodes:
            if node.op in VARYING or _draws(node):
                continue
            fixed = all(t.is_static for t in node.types) and not any(map(_is_symbolic, node.attrs.values()))
            if fixed and all(i in known for i in node.inputs):
                known.update(node.outputs)
        return frozenset(known)

    @cached_property
    def parameter_types(self) -> Mapping[str, TensorType]:
        """Types of all parameters by target, those that only bodies read behind the others."""
        found = {n.attrs["target"]: n.type for n in self.nodes if n.op == "parameter"}
        for body in (v for n in self.nodes for v in n.attrs.values() if isinstance(v, Graph)):
            found |= body.parameter_types
        return found

    @property
    def parameter_targets(self) -> tuple[str, ...]:
        """Targets of all parameters, in the order of ``parameter_types``."""
        return tuple(self.parameter_types)

    def producer(self, value: str) -> Node:
        """The node that computes a value."""
        return self._by_name[value.partition("#")[0]]

    def users(self, value: str) -> tuple[Node, ...]:
        """Nodes that read a value, in order, each once."""
        return self._users.get(value, ())

    def type_of(self, value: str) -> TensorType:
        name, _, index = value.partition("#")
        return self._by_name[name].types[int(index or 0)]

    def is_output(self, value: str) -> bool:
        return value in self.outputs

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __hash__(self) -> int:
        return hash((self.nodes, self.inputs, self.outputs))

    def __getstate__(self) -> dict[str, Any]:
        """Without what is computed on demand."""
        return {"nodes": self.nodes, "inputs": self.inputs, "outputs": self.outputs}

    def __str__(self) -> str:
        from sol.ir.text import graph_text

        return graph_text(self)
