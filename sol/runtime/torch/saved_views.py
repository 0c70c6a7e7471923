"""What the forward graph saves for the backward graph is a value itself where the partitioner chose a view of it, such as a turned weight,
and of concatenations that begin alike the longest one.

A program that gives a view as a result may have to copy it. The backward graph makes the view again, which costs nothing.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from typing import Any

from torch import Tensor, fx, ops

_TURNS = (ops.aten.t.default, ops.aten.transpose.int, ops.aten.permute.default, ops.aten.expand.default)
_PARTS = (
    ops.aten.select.int, ops.aten.slice.Tensor, ops.aten.split.Tensor, ops.aten.split_with_sizes.default, ops.aten.unbind.int,
    operator.getitem,
)  # fmt: skip
VIEWS = (
    *_TURNS, ops.aten.view.default, ops.aten.detach.default, ops.aten.alias.default, ops.aten.unsqueeze.default, ops.aten.squeeze.dim,
    ops.aten.clone.default, ops.aten._unsafe_view.default,
)  # fmt: skip
"""Nodes whose elements are their operand's. A clone is one: nothing is changed in place in these graphs."""


def save_whole(forward: fx.GraphModule, backward: fx.GraphModule, own: int) -> None:
    """Change both graphs of a step in place. own: how many results of the forward graph are the model's; what is saved comes behind."""
    (output,) = forward.graph.find_nodes(op="output")
    results: list[Any] = list(output.args[0])
    arrivals = {n.name: n for n in backward.graph.find_nodes(op="placeholder")}
    at_hand: dict[fx.Node, fx.Node] = {n: arrivals[n.name] for n in results[own:] if isinstance(n, fx.Node) and n.name in arrivals}
    first = next(n for n in backward.graph.nodes if n.op != "placeholder")
    whole = _wholes(at_hand)
    for i, saved in enumerate(results[own:], own):
        chain = _views(saved, whole) if isinstance(saved, fx.Node) and saved in at_hand else []
        if not chain:
            continue
        arrival, source = arrivals[saved.name], viewed(chain[0])
        results[i] = source
        known = at_hand.get(source)
        with backward.graph.inserting_before(arrival):
            arrives = backward.graph.placeholder(source.name if known is None else f"{source.name}_again_{i}")
        arrives.meta = dict(source.meta)
        value = at_hand[source] = known or arrives
        with backward.graph.inserting_before(first):
            for view in chain:
                made = backward.graph.call_function(view.target, (value, *view.args[1:]), dict(view.kwargs))  # type: ignore[arg-type]
                made.meta = dict(view.meta)
                value = made
        arrival.replace_all_uses_with(value)
        backward.graph.erase_node(arrival)
        del at_hand[saved]
    output.args = (tuple(results),)
    forward.graph.eliminate_dead_code()
    for module in (forward, backward):
        module.recompile()


def save_longest(forward: fx.GraphModule, backward: fx.GraphModule, own: int) -> None:
    """Change both graphs of a step in place: of saved concatenations those that another one begins with, as in a DenseNet, are not saved.
    They need no memory of their own then, and the backward graph takes them as slices. own: as for ``save_whole``."""
    (output,) = forward.graph.find_nodes(op="output")
    results: list[Any] = list(output.args[0])
    arrivals = {n.name: n for n in backward.graph.find_nodes(op="placeholder")}
    saved = [n for n in results[own:] if isinstance(n, fx.Node) and n.target is ops.aten.cat.default and n.name in arrivals]
    found = {n: _concatenated(n) for n in saved}
    kinds = {n: (dim, n.meta["val"].dtype) for n, (_, dim) in found.items()}  # parts of several dtypes become that of all
    left = set()
    for node, (parts, dim) in found.items():
        longer = [n for n in saved if kinds[n] == kinds[node] and len(found[n][0]) > len(parts) and found[n][0][: len(parts)] == parts]
        if not longer:
            continue
        longest, arrival = max(longer, key=lambda n: len(found[n][0])), arrivals[node.name]
        with backward.graph.inserting_before(next(n for n in backward.graph.nodes if n.op != "placeholder")):
            size = node.meta["val"].shape[dim]
            begins = backward.graph.call_function(ops.aten.slice.Tensor, (arrivals[longest.name], dim, 0, size))
        begins.meta = dict(arrival.meta)
        arrival.replace_all_uses_with(begins)
        backward.graph.erase_node(arrival)
        left.add(node)
    if left:
        output.args = ((*results[:own], *(r for r in results[own:] if r not in left)),)
        for module in (forward, backward):
            module.recompile()


def _concatenated(cat: fx.Node) -> tuple[tuple[fx.Node, ...], int]:
    """What is concatenated, and along which dimension."""
    parts, dim = cat.args[0], cat.args[1] if len(cat.args) > 1 else cat.kwargs.get("dim", 0)
    assert isinstance(parts, (list, tuple)) and isinstance(dim, int)
    return tuple(parts), dim % cat.meta["val"].dim()  # type: ignore[arg-type]


def _wholes(saved: Iterable[fx.Node]) -> set[fx.Node]:
    """Values of which parts are saved that make up the whole, and those that are at hand anyway: several parts are then saved as one."""
    parts: Counter[fx.Node] = Counter()
    for node in saved:
        size, node = _size(node), _source(node)
        parts[node] += size
    return {node for node, size in parts.items() if node.op == "placeholder" or 0 < _size(node) <= size}


def _size(node: fx.Node) -> int:
    """Number of elements; 0 where it is open or there are several tensors."""
    value = node.meta.get("val")
    size = value.numel() if isinstance(value, Tensor) else 0
    return size if isinstance(size, int) else 0


def _source(node: fx.Node) -> fx.Node:
    """What a node is a view of, or of which it is a part."""
    while is_view(node, (*VIEWS, *_PARTS)):
        node = viewed(node)
    return node


def is_view(node: fx.Node, kinds: tuple[Any, ...]) -> bool:
    return node.op == "call_function" and node.target in kinds and not any(isinstance(a, fx.Node) for a in _sizes(node))


def _views(node: fx.Node, whole: set[fx.Node]) -> list[fx.Node]:
    """The views that lead to a node, the first one first; none where it lies in memory as what it is a view of.

    whole: what parts are taken of; of others, a part is saved by itself.
    """
    kinds = (*VIEWS, *_PARTS) if _source(node) in whole else VIEWS
    chain: list[fx.Node] = []
    while is_view(node, kinds) and not (node.target is ops.aten.clone.default and any(map(_cuts_rows, chain))):
        chain.insert(0, node)
        node = viewed(node)
    clones = [i for i, view in enumerate(chain) if view.target is ops.aten.clone.default]
    if node.op == "placeholder" and clones:  # its owner may change it before the backward pass: the clone is saved
        chain, node = chain[clones[-1] + 1 :], chain[clones[-1]]
    return chain if node.op == "placeholder" or any(n.target in (*_TURNS, *_PARTS) for n in chain) else []


def _cuts_rows(view: fx.Node) -> bool:
    """Whether a view has other matrices than its operand: of what was turned before, products read a copy then."""
    reshapes = view.target in (ops.aten.view.default, ops.aten._unsafe_view.default)
    return reshapes and view.meta["val"].shape[-2:] != viewed(view).meta["val"].shape[-2:]


def viewed(view: fx.Node) -> fx.Node:
    source = view.args[0]
    assert isinstance(source, fx.Node)
    return source


def _sizes(view: fx.Node) -> list[Any]:
    """All that a view is told but what it is a view of."""
    told: list[Any] = []
    for argument in (*view.args[1:], *view.kwargs.values()):
        told += argument if isinstance(argument, (list, tuple)) else [argument]
    return told
