"""What of an import can be deployed: its outputs that kernels write and those that are copies, and where its sizes are read."""

from __future__ import annotations

from dataclasses import dataclass

from sol.errors import UnsupportedError
from sol.ir.data_sizes import definitions
from sol.ir.dim import Dim, Symbol, symbols
from sol.ir.graph import Graph, Node
from sol.ir.rewrite import with_outputs


@dataclass(frozen=True)
class Copied:
    """An output that no kernel writes: a copy of a constant value, an input or another output of the graph (by index)."""

    output: int
    kind: str
    index: int = -1
    value: str = ""


@dataclass(frozen=True)
class Split:
    """A graph that has only outputs that kernels write, each once.

    result_of: output → its index among the graph's outputs, or -1. copies: how the others are made.
    """

    graph: Graph
    result_of: tuple[int, ...]
    copies: tuple[Copied, ...]


def split_outputs(graph: Graph) -> Split:
    """Take outputs out of the graph that are constants, inputs or doubles."""
    kept: dict[str, int] = {}
    first: dict[str, int] = {}
    result_of: list[int] = []
    copies: list[Copied] = []
    for i, value in enumerate(graph.outputs):
        node = graph.producer(value)
        result_of.append(-1)
        if node.op == "input":
            copies.append(Copied(i, "input", graph.inputs.index(value)))
        elif node.op in ("parameter", "constant") or value in graph.constant_values:
            copies.append(Copied(i, "constant", value=value))
        elif value in first:
            copies.append(Copied(i, "output", first[value]))
        else:
            first[value] = i
            result_of[i] = kept[value] = len(kept)
    return Split(with_outputs(graph, kept), tuple(result_of), tuple(copies))


def check_deployable(graph: Graph) -> None:
    """UnsupportedError that names every op that cannot be in a library, with its place in the model."""
    calls = [n for n in graph.nodes if n.op == "torch_call"]
    if calls:
        names = "".join(f"\n    {n.attrs['key']}: {n.attrs['reason']}{_place(n)}" for n in calls[:10])
        more = f"\n    and {len(calls) - 10} more" if len(calls) > 10 else ""
        raise UnsupportedError(
            f"{len(calls)} operation(s) of the network would run in torch, which a library cannot call:{names}{more}",
            origin=str(calls[0].origin),
            remedy="express them in supported operations; sol.explain(model, inputs) lists them",
        )
    known = {s.name for v in graph.inputs for d in graph.type_of(v).shape for s in symbols(d)} | set(definitions(graph))
    for node in graph.nodes:
        for type in node.types:
            unknown = [s.name for d in type.shape for s in symbols(d) if s.name not in known]
            if unknown:
                raise UnsupportedError(
                    f"the size {unknown[0]} of %{node.name} = {node.op} is known only while the network runs",
                    origin=str(node.origin),
                    remedy="cut the network before this operation, or run it with sol.load",
                )


def _place(node: Node) -> str:
    return f" at {node.origin}" if str(node.origin) else ""


@dataclass(frozen=True)
class SizeArgument:
    """A symbol of the graph as an entry of ``dims``: it is ``(size - offset) / scale`` of one dimension of an input."""

    symbol: Symbol
    input: int
    dim: int
    scale: int = 1
    offset: int = 0


def size_arguments(graph: Graph) -> tuple[SizeArgument, ...]:
    """The symbols in the order in which the inputs show them; UnsupportedError for one that no input's size gives."""
    found: dict[str, SizeArgument] = {}
    every: dict[str, Symbol] = {}
    for index, name in enumerate(graph.inputs):
        for position, dim in enumerate(graph.type_of(name).shape):
            for symbol in symbols(dim):
                every.setdefault(symbol.name, symbol)
            linear = _linear(dim)
            if linear is None:
                continue
            symbol, scale, offset = linear
            if symbol.name not in found or found[symbol.name].scale > scale:
                found[symbol.name] = SizeArgument(symbol, index, position, scale, offset)
    missing = [n for n in every if n not in found]
    if missing:
        raise UnsupportedError(f"sizes {missing} cannot be read from the inputs", remedy="deploy with fixed shapes")
    return tuple(found[n] for n in every)


def _linear(dim: object) -> tuple[Symbol, int, int] | None:
    if not isinstance(dim, Dim):
        return None
    offset = sum(c for monomial, c in dim.terms if not monomial)
    rest = [(monomial, c) for monomial, c in dim.terms if monomial]
    if len(rest) != 1 or len(rest[0][0]) != 1 or not isinstance(rest[0][0][0], Symbol) or rest[0][1] < 1:
        return None
    return rest[0][0][0], rest[0][1], offset
