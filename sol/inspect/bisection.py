"""Which node is wrong? Binary search over parts of a graph, each compiled on its own and compared with the values of a reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sol.codegen.plan import Launch
from sol.inspect.checks import FACTOR, relative_error
from sol.ir.builder import graph_of
from sol.ir.dim import evaluate
from sol.ir.graph import Graph, Node


@dataclass(frozen=True)
class PartRun:
    """What a part of a graph gave, in the order of its outputs as references hold values, and the launches that made the last of it."""

    values: Sequence[np.ndarray]
    launches: Sequence[Launch]


RunPart = Callable[[Graph], PartRun]


def find_culprit(
    graph: Graph, exact: Mapping[str, np.ndarray], run: RunPart, tolerance: float, env: Mapping[str, int] | None = None,
    rounded: Mapping[str, np.ndarray] | None = None,
) -> str:  # fmt: skip
    """The node where compiled values begin to differ from ``exact``, and the kernel that computes it.

    exact: reference value of everything ``computed_values`` lists; rounded: the same with every value rounded to float32, which tells how
    large errors of rounding become. run: compiles and runs a part of the graph on the same inputs.
    """
    if rounded is not None:
        found = _found(_Search(graph, exact, run, tolerance, rounded), graph, env)
        if found:
            return found
    return _found(_Search(graph, exact, run, tolerance), graph, env) or "no single node: the whole differs, its parts do not"


def _found(search: _Search, graph: Graph, env: Mapping[str, int] | None) -> str:
    """The first wrong node, or nothing."""
    for output in dict.fromkeys(graph.outputs):
        nodes = search.nodes_before(output)
        if not nodes or not search.is_wrong(nodes[-1]):
            continue
        low, high = 0, len(nodes) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if search.is_wrong(nodes[middle]) else (middle + 1, high)
        node = search.descend(nodes[low])
        return f"%{node.name} = {node.op} at {str(node.origin).strip()}, kernel {search.kernel_of(node, env or {})}"
    return ""


def computed_values(graph: Graph) -> list[str]:
    """Values that are computed at each call and that someone reads."""
    constants = graph.constant_values
    nodes = [n for n in graph.nodes if n.op not in ("input", "parameter", "constant") and n.name not in constants]
    return [v for n in nodes for v in used_values(graph, n)]


def used_values(graph: Graph, node: Node) -> list[str]:
    """Results of a node that someone reads."""
    return [v for v in node.outputs if graph.is_output(v) or graph.users(v)]


class _Search:
    """Compiled prefixes of a graph, each compared with the reference's values of the same nodes."""

    def __init__(
        self, graph: Graph, exact: Mapping[str, np.ndarray], run: RunPart, tolerance: float, rounded: Mapping[str, np.ndarray] | None = None
    ) -> None:
        self.graph, self.exact, self.run, self.tolerance = graph, exact, run, tolerance
        self.rounding = {v: relative_error(a, exact[v]) for v, a in (rounded or {}).items() if v in exact}
        self.largest = max((e for e in self.rounding.values() if np.isfinite(e)), default=0.0)
        self.computed = {v.partition("#")[0] for v in computed_values(graph)}
        self.known: dict[str, bool] = {}
        self.launches: dict[str, Sequence[Launch]] = {}

    def nodes_before(self, value: str) -> list[Node]:
        """Compiled nodes that a value depends on, itself included, in order."""
        needed = _ancestors(self.graph, [value])
        return [n for n in self.graph.nodes if n.name in needed and n.name in self.computed and n.op != "torch_call"]

    def is_wrong(self, node: Node) -> bool:
        """Whether a node's compiled values are off."""
        if node.name not in self.known:
            wanted = tuple(used_values(self.graph, node))
            needed = _ancestors(self.graph, wanted)
            nodes = [n for n in self.graph.nodes if n.name in needed or n.op == "input"]
            found = self.run(graph_of(nodes, self.graph.inputs, wanted))
            steps = any(n.op == "round" for n in nodes)  # then a small error becomes a step, wherever it falls
            allowed = [max(self.tolerance, FACTOR * (self.largest if steps else self.rounding.get(v, 0.0))) for v in wanted]
            errors = [relative_error(f, self.exact[v]) for f, v in zip(found.values, wanted)]
            self.known[node.name] = any(error > most for error, most in zip(errors, allowed))
            self.launches[node.name] = found.launches
        return self.known[node.name]

    def descend(self, node: Node) -> Node:
        """A wrong node none of whose operands is wrong, starting from a wrong one."""
        for operand in node.inputs:
            producer = self.graph.producer(operand)
            if producer.name in self.computed and producer.op != "torch_call" and self.is_wrong(producer):
                return self.descend(producer)
        return node

    def kernel_of(self, node: Node, env: Mapping[str, int]) -> str:
        """The kernel that does most of the work in the graph part that ends at a node."""
        launches = [x for x in self.launches[node.name] if str(x.origin) == str(node.origin)]
        return max(launches, key=lambda x: evaluate(x.flops, env)).kernel if launches else "none"


def _ancestors(graph: Graph, values: Sequence[str]) -> set[str]:
    """Names of the nodes that values depend on."""
    found: set[str] = set()
    stack = [graph.producer(v) for v in values]
    while stack:
        node = stack.pop()
        if node.name not in found:
            found.add(node.name)
            stack += [graph.producer(i) for i in node.inputs]
    return found
