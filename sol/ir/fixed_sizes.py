"""A graph for sizes of one call: symbols become numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sol.ir.builder import graph_of
from sol.ir.dim import Dim, substitute
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.types import TensorType


def with_fixed_sizes(graph: Graph, sizes: Mapping[str, int]) -> Graph:
    """The graph with the symbols of these names replaced by numbers, in types, attributes and bodies; other symbols stay open."""
    return graph_of([_fixed_node(node, sizes) for node in graph.nodes], graph.inputs, graph.outputs)


def _fixed_node(node: Node, sizes: Mapping[str, int]) -> Node:
    attrs = Attrs({name: _fixed(value, sizes) for name, value in node.attrs.items()})
    return replace(node, types=tuple([_fixed(t, sizes) for t in node.types]), attrs=attrs)


def _fixed(value: Any, sizes: Mapping[str, int]) -> Any:
    if isinstance(value, Dim):
        return substitute(value, sizes)
    if isinstance(value, TensorType):
        return value.with_shape(_fixed(value.shape, sizes))
    if isinstance(value, Graph):
        return with_fixed_sizes(value, sizes)
    return tuple([_fixed(v, sizes) for v in value]) if isinstance(value, tuple) else value


__all__ = ["with_fixed_sizes"]
