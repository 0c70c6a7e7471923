"""Sizes that data decides: which ops define them, how large they can become, and where a graph defines and uses them.

An op such as nonzero has an attribute ``symbol`` (a Dim of one symbol) for the size of its results, and its last result ``count``, i64[],
states the symbol's value. Whatever mentions the symbol comes after it, although no operand says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sol.errors import TypeInferenceError
from sol.ir.dim import Dim, DimLike, FloorDiv, Maximum, Symbol, bounds, dim_max, dim_min, floor_div, product, symbols
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.types import TensorType

Bound = Callable[[Sequence[TensorType], Attrs], DimLike]


def _nms_bound(operands: Sequence[TensorType], attrs: Attrs) -> DimLike:
    images, classes, boxes = operands[1].shape
    return images * classes * (boxes if attrs["limit"] is None else dim_min(boxes, attrs["limit"]))


BOUNDS: dict[str, Bound] = {
    "nonzero": lambda operands, attrs: product(operands[0].shape),
    "unique": lambda operands, attrs: operands[0].shape[0],
    "nms": _nms_bound,
    "loop": lambda operands, attrs: attrs["trips"],
}
"""Op → the largest value that its symbol can take."""


@dataclass(frozen=True)
class Definition:
    """A symbol, the node that defines it, the value that states it at run time, and what it cannot exceed."""

    symbol: Symbol
    node: str
    count: str
    bound: DimLike


def symbol_of(node: Node) -> Symbol | None:
    """The symbol that a node defines (a region: that its anchor defines)."""
    if node.op in BOUNDS and node.attrs["symbol"] is not None:
        found = symbols(node.attrs["symbol"])
        if len(found) != 1 or node.attrs["symbol"] != Dim((((found[0],), 1),)):
            raise TypeInferenceError(f"attribute symbol of {node.op} is {node.attrs['symbol']}, not a symbol")
        return found[0]
    return symbol_of(anchor_of(node)) if node.op == "region" and node.attrs["anchor"] in BOUNDS else None


def anchor_of(region: Node) -> Node:
    """The node of a region after which it is called."""
    return next(n for n in region.attrs["body"].nodes if n.op == region.attrs["anchor"])


def definitions(graph: Graph) -> dict[str, Definition]:
    """Symbols that data decides, by name, in order. Their bounds mention only symbols that are known when the graph is called."""
    found: dict[str, Definition] = {}
    for node in graph.nodes:
        symbol = symbol_of(node)
        if symbol is None:
            continue
        inner, types = node, graph
        if node.op == "region":
            inner, types = anchor_of(node), node.attrs["body"]
        bound = BOUNDS[inner.op]([types.type_of(i) for i in inner.inputs], inner.attrs)
        limits = {n: d.bound for n, d in found.items()}
        count = inner.outputs[-1]
        if node.op == "region":
            count = node.outputs[node.attrs["body"].outputs.index(count)]
        found[symbol.name] = Definition(symbol, node.name, count, upper(bound, limits))
    return found


def upper(size: DimLike, limits: Mapping[str, DimLike]) -> DimLike:
    """The largest value of a size while symbols named in ``limits`` lie between their lower bound and that limit."""
    return _extreme(size, limits, True) if limits and isinstance(size, Dim) else size


def _extreme(size: DimLike, limits: Mapping[str, DimLike], largest: bool) -> DimLike:
    if not isinstance(size, Dim) or not any(s.name in limits for s in symbols(size)):
        return size
    total: DimLike = 0
    for monomial, coefficient in size.terms:
        value: DimLike = coefficient
        for atom in monomial:
            value = value * _extreme_atom(atom, limits, largest == (coefficient > 0))
        total = total + value
    return total


def _extreme_atom(atom: Any, limits: Mapping[str, DimLike], largest: bool) -> DimLike:
    if isinstance(atom, Symbol):
        if atom.name not in limits:
            return Dim((((atom,), 1),))
        return limits[atom.name] if largest else atom.lower
    if isinstance(atom, FloorDiv):
        divisor = _extreme(atom.denominator, limits, not largest)
        return floor_div(_extreme(atom.numerator, limits, largest), divisor if bounds(divisor)[0] > 0 else 1)
    assert isinstance(atom, Maximum)
    return dim_max(_extreme(atom.a, limits, largest), _extreme(atom.b, limits, largest))


def symbols_used(node: Node) -> frozenset[str]:
    """Names of the symbols in a node's types and attributes, bodies included, except those that it defines itself."""
    found = {s.name for value in (*node.types, *node.attrs.values()) for s in _symbols_in(value)}
    own = symbol_of(node)
    return frozenset(found - {own.name}) if own else frozenset(found)


def _symbols_in(value: Any) -> Iterator[Symbol]:
    if isinstance(value, Dim):
        yield from symbols(value)
    elif isinstance(value, TensorType):
        yield from _symbols_in(value.shape)
    elif isinstance(value, tuple):
        for v in value:
            yield from _symbols_in(v)
    elif isinstance(value, Graph):
        own = definitions(value)
        for node in value.nodes:
            yield from (s for v in (*node.types, *node.attrs.values()) for s in _symbols_in(v) if s.name not in own)


def definers(nodes: Iterable[Node]) -> dict[str, tuple[str, ...]]:
    """Node → nodes that define symbols it uses; empty where data decides no size."""
    nodes = list(nodes)
    where = {s.name: n.name for n in nodes if (s := symbol_of(n)) is not None}
    if not where:
        return {}
    uses = {n.name: tuple(dict.fromkeys(where[s] for s in sorted(symbols_used(n)) if s in where)) for n in nodes}
    return {name: found for name, found in uses.items() if found}
