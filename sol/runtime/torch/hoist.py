"""Torch calls on parameters alone: they run when weights are packed, and their results are parameters of what is compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from sol.frontend.torch.torch_call import TorchCall
from sol.ir.builder import graph_of
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.interpret import evaluate_constants
from sol.runtime.torch.tensors import TORCH, numpy_of

_PREFIX = "derived:"


@dataclass(frozen=True)
class Hoisted:
    """graph: with parameters ``derived:...`` in place of such calls. calls: the nodes of these calls in order, operands as in ``graph``."""

    graph: Graph
    calls: tuple[Node, ...]

    @property
    def targets(self) -> tuple[str, ...]:
        """Parameters that the module holds."""
        return tuple([t for t in self.graph.parameter_targets if not t.startswith(_PREFIX)])

    def derive(self, calls: Mapping[str, TorchCall], parameters: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The parameters that come from calls."""
        found: dict[str, torch.Tensor] = {}
        for node in self.calls:
            operands = values_of(self.graph, node.inputs, {**parameters, **found})
            results = calls[node.attrs["key"]]([operands[i] for i in node.inputs])
            found |= {_PREFIX + value: result for value, result in zip(node.outputs, results)}
        return found


def hoist(graph: Graph) -> Hoisted:
    """Take calls out of a graph whose operands depend on parameters and literals alone, and whose result is the same each time."""
    taken: list[Node] = []
    while True:
        node = next((n for n in graph.nodes if n.op == "torch_call" and _is_fixed(graph, n)), None)
        if node is None:
            return Hoisted(graph, tuple(taken))
        taken.append(node)
        graph = _without(graph, node)


def _is_fixed(graph: Graph, node: Node) -> bool:
    fixed = graph.constant_values
    return not node.attrs["draws"] and all(t.is_static for t in node.types) and bool(node.inputs) and all(i in fixed for i in node.inputs)


def _without(graph: Graph, call: Node) -> Graph:
    """The graph with a parameter for each result of a call."""
    names = {v: v.replace("#", "_out") for v in call.outputs}
    new = [Node(names[v], "parameter", (), (t,), Attrs({"target": _PREFIX + v}), call.origin) for v, t in zip(call.outputs, call.types)]
    renamed = [replace(n, inputs=tuple([names.get(i, i) for i in n.inputs])) for n in graph.nodes if n is not call]
    first = next(k for k, n in enumerate(renamed) if n.op != "input")
    return graph_of((*renamed[:first], *new, *renamed[first:]), graph.inputs, [names.get(o, o) for o in graph.outputs])


def values_of(graph: Graph, values: Sequence[str], parameters: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Constant values of a graph as tensors: parameters themselves, others computed."""
    found: dict[str, torch.Tensor] = {}
    derived = []
    for value in dict.fromkeys(values):
        node = graph.producer(value)
        if node.op == "parameter":
            found[value] = parameters[node.attrs["target"]]
        else:
            derived.append(value)
    if derived:
        arrays = evaluate_constants(graph, derived, Arrays(parameters))
        for value, array in arrays.items():
            found[value] = torch.from_numpy(array.copy()).to(TORCH[graph.type_of(value).dtype])
    return found


class Arrays(Mapping[str, np.ndarray]):
    """Parameters as arrays, made when they are asked for."""

    def __init__(self, parameters: Mapping[str, torch.Tensor]) -> None:
        self._parameters = parameters

    def __getitem__(self, target: str) -> np.ndarray:
        return numpy_of(self._parameters[target])

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)
