"""What the forward graph saves for the backward graph is a value itself where the partitioner chose a view of it, such as a turned weight.

A program that gives a view as a result may have to copy it. The backward graph makes the view again, which costs nothing.
"""

from __future__ import annotations

from typing import Any

from torch import fx, ops

_TURNS = (ops.aten.t.default, ops.aten.transpose.int, ops.aten.permute.default, ops.aten.expand.default)
_VIEWS = (
    *_TURNS, ops.aten.view.default, ops.aten.detach.default, ops.aten.alias.default, ops.aten.unsqueeze.default, ops.aten.squeeze.dim,
)  # fmt: skip


def save_whole(forward: fx.GraphModule, backward: fx.GraphModule, own: int) -> None:
    """Change both graphs of a step in place. own: how many results of the forward graph are the model's; what is saved comes behind."""
    (output,) = forward.graph.find_nodes(op="output")
    results: list[Any] = list(output.args[0])
    arrivals = {n.name: n for n in backward.graph.find_nodes(op="placeholder")}
    at_hand: dict[fx.Node, fx.Node] = {n: arrivals[n.name] for n in results[own:] if isinstance(n, fx.Node) and n.name in arrivals}
    first = next(n for n in backward.graph.nodes if n.op != "placeholder")
    for i, saved in enumerate(results[own:], own):
        chain = _views(saved) if isinstance(saved, fx.Node) and saved in at_hand else []
        if not chain:
            continue
        arrival, source = arrivals[saved.name], _viewed(chain[0])
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


def _views(node: fx.Node) -> list[fx.Node]:
    """The views that lead to a node, the first one first; none where it lies in memory as what it is a view of."""
    chain: list[fx.Node] = []
    while node.op == "call_function" and node.target in _VIEWS and not any(isinstance(a, fx.Node) for a in _sizes(node)):
        chain.insert(0, node)
        node = _viewed(node)
    return chain if node.op == "placeholder" or any(n.target in _TURNS for n in chain) else []


def _viewed(view: fx.Node) -> fx.Node:
    source = view.args[0]
    assert isinstance(source, fx.Node)
    return source


def _sizes(view: fx.Node) -> list[Any]:
    """All that a view is told but what it is a view of."""
    told: list[Any] = []
    for argument in (*view.args[1:], *view.kwargs.values()):
        told += argument if isinstance(argument, (list, tuple)) else [argument]
    return told
