"""Bodies within bodies: where a graph of control flow lies (``loop_1/body/``), and constants in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from sol.ir.graph import Graph
from sol.ir.interpret import each_constant
from sol.ir.ops.control import CONTROL
from sol.ir.types import TensorType


def graph_at(graph: Graph, path: str) -> Graph:
    """The body at ``loop_1/body/``; the graph itself at ``""``."""
    parts = path.split("/")[:-1]
    for node, key in zip(parts[::2], parts[1::2]):
        graph = graph.producer(node).attrs[key]
    return graph


def graphs_in(graph: Graph, path: str = "") -> Iterator[tuple[str, Graph]]:
    """The graph and all bodies of control flow in it, with their paths."""
    yield path, graph
    for node in graph.nodes:
        if node.op in CONTROL:
            for key, body in node.attrs.items():
                if isinstance(body, Graph):
                    yield from graphs_in(body, f"{path}{node.name}/{key}/")


def type_at(graph: Graph, value: str) -> TensorType:
    """The type of a value, which may lie in a body: ``loop_1/body/mul``."""
    path, mark, name = value.rpartition("/")
    return graph_at(graph, path + mark).type_of(name)


def constants_of(graph: Graph, values: Iterable[str], parameters: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Constant values of a graph and of the bodies in it, by name, as ``each_constant_of`` gives them."""
    return dict(each_constant_of(graph, values, parameters))


def each_constant_of(
    graph: Graph, values: Iterable[str], parameters: Mapping[str, np.ndarray]
) -> Iterator[tuple[str, np.ndarray]]:
    """Constant values of a graph and of the bodies in it, one after the other (``each_constant``), those of one graph in their order."""
    places: dict[str, list[str]] = {}
    for value in values:
        path, mark, name = value.rpartition("/")
        places.setdefault(path + mark, []).append(name)
    for path, names in places.items():
        for name, array in each_constant(graph_at(graph, path), names, parameters):
            yield path + name, array
