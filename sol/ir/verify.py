"""Invariants of the IR, one named sentence each. They hold after every pass; a violation is a defect in sol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sol.errors import SolError, VerifyError
from sol.ir.builder import typed_node
from sol.ir.data_sizes import definers, symbol_of
from sol.ir.dim import Dim, Symbol, symbols
from sol.ir.graph import Graph, Node
from sol.ir.ops import complete_attrs, spec_of
from sol.ir.types import TensorType


@dataclass(frozen=True)
class Violation:
    """What is wrong, and with which node if it is one node's fault."""

    message: str
    node: Node | None = None


Invariant = Callable[[Graph], Iterator[Violation]]


def names_are_unique(graph: Graph) -> Iterator[Violation]:
    """Every node has a name of its own, without '#'."""
    seen: set[str] = set()
    for node in graph.nodes:
        if node.name in seen:
            yield Violation("its name is taken by an earlier node", node)
        if not node.name or "#" in node.name or "%" in node.name:
            yield Violation(f"{node.name!r} is no name", node)
        seen.add(node.name)


def ops_are_known(graph: Graph) -> Iterator[Violation]:
    """Every op is registered, and its attributes are exactly those of its spec."""
    for node in graph.nodes:
        try:
            full = complete_attrs(spec_of(node.op), node.attrs)
        except SolError as error:
            yield Violation(error.message, node)
        else:
            if len(full) != len(node.attrs):
                yield Violation(f"attributes {sorted(set(full) - set(node.attrs))} are missing", node)


def attributes_are_immutable(graph: Graph) -> Iterator[Violation]:
    """Attributes are hashable: tuples, not lists."""
    for node in graph.nodes:
        for key, value in node.attrs.items():
            try:
                hash(value)
            except TypeError:
                yield Violation(f"attribute {key} is a {type(value).__name__}, not hashable", node)


def operands_are_defined_before_use(graph: Graph) -> Iterator[Violation]:
    """Nodes are in topological order, and every operand exists."""
    known: set[str] = set()
    for node in graph.nodes:
        for value in node.inputs:
            if value not in known:
                yield Violation(f"operand %{value} is not defined before it", node)
        known.update(node.outputs)


def inputs_match_input_nodes(graph: Graph) -> Iterator[Violation]:
    """``graph.inputs`` names every input node once, and nothing else."""
    nodes = {n.name: n for n in graph.nodes if n.op == "input"}
    for name in graph.inputs:
        if name not in nodes:
            yield Violation(f"graph input %{name} is no input node")
    if len(set(graph.inputs)) != len(graph.inputs):
        yield Violation(f"graph inputs {list(graph.inputs)} repeat")
    for name, node in nodes.items():
        if name not in graph.inputs:
            yield Violation("it is an input node but no input of the graph", node)


def outputs_exist(graph: Graph) -> Iterator[Violation]:
    """Every output is a value of the graph."""
    known = {o for n in graph.nodes for o in n.outputs}
    for value in graph.outputs:
        if value not in known:
            yield Violation(f"output %{value} does not exist")


def sources_read_nothing(graph: Graph) -> Iterator[Violation]:
    """Inputs, parameters and constants have no operands and one result."""
    for node in graph.nodes:
        if node.op in ("input", "parameter", "constant") and (node.inputs or len(node.types) != 1):
            yield Violation("a source takes no operands and has one result", node)


def parameters_are_unique(graph: Graph) -> Iterator[Violation]:
    """Every parameter target has one node."""
    seen: set[str] = set()
    for node in graph.nodes:
        if node.op == "parameter":
            if node.attrs["target"] in seen:
                yield Violation(f"parameter {node.attrs['target']} has a second node", node)
            seen.add(node.attrs["target"])


def types_are_inferred(graph: Graph) -> Iterator[Violation]:
    """Number, dtype, shape and layout of the results are what the op's spec infers."""
    for node in graph.nodes:
        if node.op in ("input", "parameter"):
            continue
        operands = [graph.type_of(i) for i in node.inputs]
        try:
            inferred = typed_node(node.op, node.name, node.inputs, operands, dict(node.attrs), node.origin).types
        except SolError as error:
            yield Violation(error.message, node)
            continue
        if node.op == "conv" and node.type.layout.block:  # it may read a plain image and write a blocked result
            inferred = (inferred[0].with_layout(node.type.layout),)
        if inferred != node.types:
            yield Violation(f"its type is {_types_text(node.types)}, inferred is {_types_text(inferred)}", node)


def blocked_values_have_channels(graph: Graph) -> Iterator[Violation]:
    """Only tensors with a dimension 1 have a blocked layout."""
    for node in graph.nodes:
        if any(t.layout.block < 0 or (t.layout.block and t.rank < 2) for t in node.types):
            yield Violation(f"its layout does not fit {_types_text(node.types)}", node)


def symbols_have_one_range(graph: Graph) -> Iterator[Violation]:
    """A symbol's name stands for one symbol with one range throughout the graph."""
    seen: dict[str, Symbol] = {}
    for node in graph.nodes:
        for dim in (d for t in node.types for d in t.shape if isinstance(d, Dim)):
            for symbol in symbols(dim):
                if seen.setdefault(symbol.name, symbol) != symbol:
                    yield Violation(f"symbol {symbol.name} has a second range [{symbol.lower}, {symbol.upper}]", node)


def data_sizes_are_defined_before_use(graph: Graph) -> Iterator[Violation]:
    """A symbol that data decides has one definition, and what mentions it comes later."""
    place = {n.name: i for i, n in enumerate(graph.nodes)}
    defined = [s.name for n in graph.nodes if (s := symbol_of(n)) is not None]
    for name in {s for s in defined if defined.count(s) > 1}:
        yield Violation(f"symbol {name} is defined {defined.count(name)} times")
    for name, needs in definers(graph.nodes).items():
        if any(place[d] > place[name] for d in needs):
            yield Violation("it mentions a size before it is defined", graph.producer(name))


def bodies_are_valid(graph: Graph) -> Iterator[Violation]:
    """The bodies of a node satisfy all invariants and hold no torch call."""
    for node in graph.nodes:
        for body in (v for v in node.attrs.values() if isinstance(v, Graph)):
            for name, violation in violations(body):
                where = f" %{violation.node.name}" if violation.node else ""
                yield Violation(f"in its body{where}: {name}: {violation.message}", node)
            for inner in body.nodes:
                if inner.op == "torch_call":
                    yield Violation(f"in its body %{inner.name} is a torch call", node)


INVARIANTS: tuple[Invariant, ...] = (
    names_are_unique,
    ops_are_known,
    attributes_are_immutable,
    operands_are_defined_before_use,
    inputs_match_input_nodes,
    outputs_exist,
    sources_read_nothing,
    parameters_are_unique,
    types_are_inferred,  # after the structural ones: it looks operands up
    blocked_values_have_channels,
    symbols_have_one_range,
    data_sizes_are_defined_before_use,
    bodies_are_valid,
)


def violations(graph: Graph) -> Iterator[tuple[str, Violation]]:
    """Every violation of the first invariant that does not hold (later ones rely on earlier ones), with its name."""
    for invariant in INVARIANTS:
        found = list(invariant(graph))
        if found:
            yield from ((invariant.__name__, v) for v in found)
            return


def verify(graph: Graph, after: str = "") -> Graph:
    """The graph itself if all invariants hold; else VerifyError names the invariant, the node and its origin.

    after: the pass that made the graph, for the message.
    """
    for name, violation in violations(graph):
        node = violation.node
        culprit = f"%{node.name} = {node.op}: " if node else ""
        stage = f" after {after}" if after else ""
        raise VerifyError(
            f"invariant {name} does not hold{stage}: {culprit}{violation.message}",
            origin=str(node.origin) if node else "",
            remedy="this is a defect in sol: please report it with the dump of SOL_DUMP=<folder>",
        )
    return graph


def _types_text(types: tuple[TensorType, ...]) -> str:
    return ", ".join(str(t) for t in types)
