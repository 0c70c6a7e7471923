"""Which values of a graph lie in memory: the others are written into the kernels that read them."""

from __future__ import annotations

from collections.abc import Callable

from sol.codegen.opencl.element import MOVES
from sol.codegen.opencl.emit import TYPES
from sol.codegen.opencl.sums import ANCHORS
from sol.ir.graph import Graph, Node
from sol.ir.ops import spec_of

READ_ONCE = ("sum", "mean", "max", "min", "prod", "any", "all", "pad")
"""Anchors that read every element of their operand for one element of their result."""
SCANS = ("lstm_scan", "gru_scan", "rnn_scan")


def runs_here(graph: Graph, node: Node) -> bool:
    """Whether there is a kernel in OpenCL C for an op on values of these types."""
    types = [*node.types, *(graph.type_of(i) for i in node.inputs)]
    if not all(t.is_static and t.dtype in TYPES and not t.layout.block for t in types):
        return False
    kind = spec_of(node.op).kind
    known = kind in ("pointwise", "view") or node.op in MOVES or node.op in ANCHORS or node.op == "concat"
    return known or (node.op in SCANS and not node.attrs.get("keeps", False))


def is_source(graph: Graph, value: str) -> bool:
    """Whether a value is known before the first launch: an input, or one that depends on parameters and literals alone."""
    return graph.producer(value).op == "input" or is_constant(graph, value)


def is_constant(graph: Graph, value: str) -> bool:
    """Whether a value depends on parameters and literals alone."""
    node = graph.producer(value)
    return node.op in ("parameter", "constant") or node.name in graph.constant_values


class Storing:
    """stored: values that lie in memory. anchor: stored value → the anchor whose loops its kernel has, if any. on_host: nodes without a
    kernel."""

    def __init__(self, graph: Graph, has_kernel: Callable[[Graph, Node], bool] = runs_here) -> None:
        self.graph = graph
        self.nodes = [n for n in graph.nodes if not is_source(graph, n.name)]
        self.on_host = frozenset(n.name for n in self.nodes if not has_kernel(graph, n))
        on_host = [i for n in self.nodes if n.name in self.on_host for i in n.inputs if not is_constant(graph, i)]
        self.forced = {*on_host, *(i for n in self.nodes if n.op in SCANS for i in n.inputs), *graph.outputs}
        self.anchor: dict[str, str] = {}
        self._carried: dict[str, str] = {}
        self._taken: set[str] = set()
        self._readers: dict[str, list[Node | None]] = {}
        self.stored: set[str] = set()
        for node in graph.nodes:
            if is_source(graph, node.name):
                self.stored |= {v for v in node.outputs if self._source_is_stored(node, v)}
        for node in self.nodes:
            self._place(node)

    def _source_is_stored(self, node: Node, value: str) -> bool:
        if value in self.forced or node.op in ("input", "parameter"):
            return True
        if node.op == "constant":
            return node.attrs["value"].value.size != 1
        return spec_of(node.op).kind != "view"

    def readers(self, value: str) -> list[Node | None]:
        """What reads a value, also through views; None for the caller."""
        if value not in self._readers:
            found: list[Node | None] = [None] if self.graph.is_output(value) else []
            for user in self.graph.users(value):
                seen = spec_of(user.op).kind == "view" and user.name not in self.on_host
                found += self.readers(user.name) if seen else [user] * user.inputs.count(value)
            self._readers[value] = found
        return self._readers[value]

    def _place(self, node: Node) -> None:
        if node.name in self.on_host or node.op == "concat" or node.op in SCANS:
            self.stored.update(node.outputs)
            return
        value = node.name
        anchor = value if node.op in ANCHORS else next((self._carried[i] for i in node.inputs if i in self._carried), "")
        if anchor and value not in self.forced and self._goes_on(value):
            self._carried[value] = anchor
        elif anchor:
            self.stored.add(value)
            self.anchor[value] = anchor
        elif value in self.forced or (spec_of(node.op).kind != "view" and self._is_worth_storing(value)):
            self.stored.add(value)

    def _goes_on(self, value: str) -> bool:
        """Whether the only reader is a pointwise op on elements at the same places, whose kernel has no other anchor."""
        users = self.graph.users(value)
        if len(users) != 1 or users[0].inputs.count(value) != 1 or users[0].name in self._taken or users[0].name in self.on_host:
            return False
        if spec_of(users[0].op).kind != "pointwise" or users[0].type.shape != self.graph.type_of(value).shape:
            return False
        self._taken.add(users[0].name)
        return True

    def _is_worth_storing(self, value: str) -> bool:
        readers = self.readers(value)
        return len(readers) > 1 or any(r is not None and r.op in ANCHORS and r.op not in READ_ONCE for r in readers)
