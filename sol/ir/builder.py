"""The only way to make a Graph: node by node, each named, completed with defaults and typed, or of finished nodes, which are checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sol.errors import SolError, TypeInferenceError
from sol.ir.dim import Dim, DimLike, bounds
from sol.ir.graph import NO_ORIGIN, Array, Attrs, Graph, Node, Origin
from sol.ir.ops import complete_attrs, spec_of
from sol.ir.types import DType, TensorType


def typed_node(
    op: str,
    name: str,
    inputs: Sequence[str],
    operand_types: Sequence[TensorType],
    attrs: dict[str, Any],
    origin: Origin,
) -> Node:
    """One node with inferred types; type errors carry the op, its origin and the operand types."""
    spec = spec_of(op)
    try:
        full = complete_attrs(spec, attrs)
        inferred = spec.infer(operand_types, full)
    except SolError as error:
        operands = ", ".join(str(t) for t in operand_types)
        raise TypeInferenceError(
            f"{op}({operands}): {error.message}", origin=error.origin or str(origin), remedy=error.remedy
        ) from error
    types = inferred if isinstance(inferred, tuple) else (inferred,)
    return Node(name, op, tuple(inputs), types, full, origin)


def graph_of(nodes: Iterable[Node], inputs: Sequence[str], outputs: Sequence[str]) -> Graph:
    """A graph of finished nodes in topological order: some of another graph's, renamed ones, or those that a parser has read.

    Raises SolError where a node's name is taken, or where an operand, an input or an output is no value of the nodes before it.
    """
    graph = Graph(tuple(nodes), tuple(inputs), tuple(outputs))
    known: set[str] = set()
    for node in graph.nodes:
        if node.name in known:
            raise SolError(f"the name %{node.name} is taken by an earlier node", origin=str(node.origin))
        for value in node.inputs:
            if value not in known:
                raise SolError(f"operand %{value} of %{node.name} is not defined before it", origin=str(node.origin))
        known.update(node.outputs)
    for value in (*graph.inputs, *graph.outputs):
        if value not in known:
            raise SolError(f"no node of the graph defines %{value}")
    return graph


class GraphBuilder:
    """Builds a graph node by node. Values are strings; ``add`` returns the value, or a tuple if an op has several."""

    def __init__(self, sizes: str = "u") -> None:
        """sizes: stem of the names of sizes that data decides. data_sizes: those names, of nested builders too."""
        self._sizes, self._size_count = sizes, 0
        self.data_sizes: set[str] = set()
        self._nodes: dict[str, Node] = {}
        self._inputs: list[str] = []
        self._constants: dict[str, str] = {}
        self._parameters: dict[str, str] = {}
        self._taken: dict[str, int] = {}

    def fresh_name(self, hint: str) -> str:
        """A name not used yet: ``hint``, ``hint_1``, ``hint_2``…"""
        base = "".join(c if c.isascii() and c.isalnum() else "_" for c in hint) or "v"
        count = self._taken.get(base, 0)
        name = f"{base}_{count}" if count else base
        while name in self._nodes:
            count += 1
            name = f"{base}_{count}"
        self._taken[base] = count + 1
        return name

    def input(self, name: str, type: TensorType) -> str:
        """A run-time input of the graph."""
        name = self.fresh_name(name)
        self._nodes[name] = Node(name, "input", (), (type,))
        self._inputs.append(name)
        return name

    def data_size(self, bound: DimLike) -> Dim:
        """A new symbol for a size from 0 to ``bound`` that data decides: the attribute ``symbol`` of an op of sol/ir/data_sizes.py."""
        name = f"{self._sizes}_{self._size_count}"
        self._size_count += 1
        self.data_sizes.add(name)
        return Dim.symbol(name, 0, max(bounds(bound)[1], 0))

    def nested(self) -> GraphBuilder:
        """A builder for the body of a node of this graph: names of its sizes are none of this graph's."""
        inner = GraphBuilder(f"{self._sizes}_{self._size_count}")
        self._size_count += 1
        inner.data_sizes = self.data_sizes
        return inner

    def parameter(self, target: str, type: TensorType) -> str:
        """A parameter or buffer of the module under its qualified name; asking twice gives the same value."""
        if target not in self._parameters:
            name = self.fresh_name("p_" + target)
            self._nodes[name] = Node(name, "parameter", (), (type,), Attrs({"target": target}))
            self._parameters[target] = name
        return self._parameters[target]

    def constant(self, value: np.ndarray | Sequence[Any] | float, dtype: DType | None = None) -> str:
        """A literal array; equal arrays become one node."""
        given = np.asarray(value)
        ours = dtype or DType.from_numpy(given.dtype)
        array = given if given.dtype == ours.numpy else given.astype(ours.numpy)
        wrapped = Array(array)
        key = f"{ours}{wrapped.digest}"
        if key not in self._constants:
            name = self.fresh_name("c")
            self._nodes[name] = Node(
                name, "constant", (), (TensorType(ours, array.shape),), Attrs({"value": wrapped, "dtype": ours})
            )
            self._constants[key] = name
        return self._constants[key]

    def add(self, op: str, inputs: Sequence[str], *, name: str = "", origin: Origin = NO_ORIGIN, **attrs: Any) -> Any:
        """Append ``op(inputs, **attrs)``; returns its value (str), or a tuple of values if it has several."""
        types = [self.type_of(i) for i in inputs]
        node = typed_node(op, self.fresh_name(name or op), inputs, types, attrs, origin)
        self._nodes[node.name] = node
        return node.name if len(node.types) == 1 else node.outputs

    def type_of(self, value: str) -> TensorType:
        name, _, index = value.partition("#")
        return self._nodes[name].types[int(index or 0)]

    def node(self, value: str) -> Node:
        """The node that computes a value."""
        return self._nodes[value.partition("#")[0]]

    def build(self, outputs: Sequence[str]) -> Graph:
        """The finished graph."""
        return Graph(tuple(self._nodes.values()), tuple(self._inputs), tuple(outputs))
