"""What the backward graph computes again although memory is not short: values that matrix products read there, and that a few operations on
each element make of what is kept anyway. A product takes over a hundred operations for each element of such a value.

Results of layer norms, and of GELU, SiLU, gates and dropout where the partitioner still keeps them, are such values: what makes them is
kept for their gradients.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx

from sol.runtime.torch.saved_views import VIEWS, is_view, viewed

aten = torch.ops.aten
MOST_OPERATIONS = 6
"""Operations on each element that make a value, at most."""
FEWEST_MULTIPLICATIONS = 64
"""For each element of a value, multiplications of each product that reads it, at least."""
_ELEMENTWISE = (
    aten.gelu.default, aten.silu.default, aten.hardswish.default, aten.mish.default, aten.sigmoid.default, aten.tanh.default,
    aten.add.Tensor, aten.sub.Tensor, aten.mul.Tensor, aten.div.Tensor, aten.neg.default, aten._to_copy.default,
)  # fmt: skip
_MOVES = (*VIEWS, aten.roll.default, aten.constant_pad_nd.default)
_SAME = (aten.detach.default, aten.alias.default, aten.clone.default)
_PRODUCTS = (aten.mm.default, aten.bmm.default)
_LAYER_NORM = aten.native_layer_norm.default
"""Its first result is made of its operands and its two other results."""


def compute_again(forward: fx.GraphModule, backward: fx.GraphModule, own: int) -> None:
    """Change both graphs of a step in place. own: how many results of the forward graph are the model's; what is saved comes behind."""
    (output,) = forward.graph.find_nodes(op="output")
    results: list[Any] = list(output.args[0])
    arrivals = {n.name: n for n in backward.graph.find_nodes(op="placeholder")}
    kept = {n: arrivals[n.name] for n in results[own:] if _is_tensor(n) and n.name in arrivals}
    groups: dict[fx.Node, list[fx.Node]] = {}  # views of one value
    for node in kept:
        if node.op != "placeholder":
            groups.setdefault(_source(node), []).append(node)
    place = {n: i for i, n in enumerate(forward.graph.nodes)}
    held = {_source(r) for r in results[:own] if isinstance(r, fx.Node)}  # by whoever has the model's results
    added: list[fx.Node] = []
    left: set[fx.Node] = set()
    for made in sorted(groups, key=place.__getitem__):
        saved = groups[made]
        others = {n: a for n, a in kept.items() if n not in saved}
        if made in held or not _feeds_products([kept[n] for n in saved]):
            continue
        at_hand = _with_copies(others)
        steps = _steps(made, at_hand)
        if not steps:
            continue
        for parameter in (n for n in steps if n.op == "placeholder"):
            with backward.graph.inserting_before(next(iter(kept.values()))):
                at_hand[parameter] = backward.graph.placeholder(parameter.name)
            at_hand[parameter].meta = dict(parameter.meta)
            added.insert(0, parameter)
            kept = {parameter: at_hand[parameter], **kept}
        _emit(backward.graph, [n for n in steps if n.op != "placeholder"], saved, kept, at_hand)
        kept = {n: a for n, a in kept.items() if n not in saved}
        left.update(saved)
    if left:
        output.args = ((*results[:own], *added, *(r for r in results[own:] if r not in left)),)
        forward.graph.eliminate_dead_code()
        for module in (forward, backward):
            module.recompile()


def _is_tensor(value: Any) -> bool:
    return isinstance(value, fx.Node) and isinstance(value.meta.get("val"), torch.Tensor)


def _source(node: fx.Node) -> fx.Node:
    """What a node is a view of, or a copy."""
    while is_view(node, VIEWS):
        node = viewed(node)
    return node


def _with_copies(kept: Mapping[fx.Node, fx.Node]) -> dict[fx.Node, fx.Node]:
    """What is kept, and what it is a copy of, or the same under another name."""
    found = dict(kept)
    for node, arrival in kept.items():
        while node.target in _SAME and is_view(node, VIEWS):
            node = viewed(node)
            found.setdefault(node, arrival)
    return found


def _feeds_products(arrivals: Sequence[fx.Node]) -> bool:
    """Whether products read a value, each of which multiplies often enough for each of its elements."""
    products: list[tuple[fx.Node, fx.Node]] = []
    pending = list(arrivals)
    while pending:
        value = pending.pop()
        for user in value.users:
            if user.target in _PRODUCTS:
                products.append((user, value))
            elif is_view(user, VIEWS):
                pending.append(user)
    return bool(products) and all(_multiplications(p) >= FEWEST_MULTIPLICATIONS * _elements(v) > 0 for p, v in products)


def _multiplications(product: fx.Node) -> int:
    left = product.args[0]
    depth = left.meta["val"].shape[-1] if isinstance(left, fx.Node) else 0
    return _elements(product) * depth if isinstance(depth, int) else 0


def _elements(node: fx.Node) -> int:
    """Number of elements; 0 where it is open."""
    size = node.meta["val"].numel()
    return size if isinstance(size, int) else 0


def _steps(made: fx.Node, at_hand: Mapping[fx.Node, fx.Node]) -> list[fx.Node]:
    """Nodes that make a value of what is at hand, in order; none if it takes too many, or others. Parameters that are to be kept for it are
    among them."""
    steps: list[fx.Node] = []

    def find(node: fx.Node) -> bool:
        if node in at_hand or node in steps:
            return True
        needed, whole = node.all_input_nodes, _whole_of(node)
        if whole is not None:
            value, parameters, told = _operands(whole)
            if not all(n in at_hand for n in told):
                return False
            steps.extend(p for p in parameters if p.op == "placeholder" and p not in at_hand and p not in steps)
            needed = [value, *parameters]
        elif node.target not in _ELEMENTWISE and not is_view(node, _MOVES):
            return False
        if not all(map(find, needed)):
            return False
        steps.append(node)
        return sum(map(_cost, steps)) <= MOST_OPERATIONS

    return steps if find(made) else []


def _whole_of(node: fx.Node) -> fx.Node | None:
    """The layer norm (in float32 or float64) whose first result a node is, and whose others are taken as well."""
    whole = node.args[0] if node.target is operator.getitem and node.args[1] == 0 else None
    if not isinstance(whole, fx.Node) or whole.target is not _LAYER_NORM or node.meta["val"].dtype not in (torch.float32, torch.float64):
        return None
    return whole if len(_told(whole)) == 2 else None


def _operands(whole: fx.Node) -> tuple[fx.Node, list[fx.Node], list[fx.Node]]:
    """What a layer norm takes, its parameters, and its other results: mean and reciprocal standard deviation."""
    value = whole.args[0]
    assert isinstance(value, fx.Node)
    return value, [a for a in whole.args[1:] if isinstance(a, fx.Node)], _told(whole)


def _told(whole: fx.Node) -> list[fx.Node]:
    taken = {u.args[1]: u for u in whole.users if u.target is operator.getitem}
    return [taken[i] for i in sorted(taken) if i]  # type: ignore[type-var]


def _cost(node: fx.Node) -> int:
    """Operations on each element."""
    if node.op == "placeholder" or is_view(node, VIEWS):
        return 0
    whole = _whole_of(node)
    return 1 if whole is None else 4


def _emit(
    graph: fx.Graph, steps: Sequence[fx.Node], saved: Sequence[fx.Node], kept: Mapping[fx.Node, fx.Node], at_hand: Mapping[fx.Node, fx.Node]
) -> None:
    """Make values in a backward graph, right before they are first read, and let them take the place of what arrived."""
    users = {u for n in saved for u in kept[n].users}
    values = dict(at_hand)
    with graph.inserting_before(next(n for n in graph.nodes if n in users)):
        for node in steps:
            values[node] = _copy(graph, node, values) if _whole_of(node) is None else _first_result(graph, node, values)
        for node in saved:
            value = _again(graph, node, values)
            kept[node].replace_all_uses_with(value)
            graph.erase_node(kept[node])


def _again(graph: fx.Graph, node: fx.Node, values: dict[fx.Node, fx.Node]) -> fx.Node:
    """A view of what was made."""
    if node not in values:
        _again(graph, viewed(node), values)
        values[node] = _copy(graph, node, values)
    return values[node]


def _copy(graph: fx.Graph, node: fx.Node, values: Mapping[fx.Node, fx.Node]) -> fx.Node:
    made = graph.node_copy(node, values.__getitem__)
    made.meta = dict(node.meta)
    return made


def _first_result(graph: fx.Graph, node: fx.Node, values: Mapping[fx.Node, fx.Node]) -> fx.Node:
    """The first result of a layer norm from what it takes and its other results."""
    whole = _whole_of(node)
    assert whole is not None
    value, _, told = _operands(whole)

    def add(op: Any, *args: Any, **kwargs: Any) -> fx.Node:
        made = graph.call_function(op, args, kwargs)
        made.meta = {**node.meta, "val": op(*(a.meta["val"] if isinstance(a, fx.Node) else a for a in args), **kwargs)}
        return made

    weight, bias = whole.args[2:4]
    made = values[value]
    for op, operand in ((aten.sub.Tensor, told[0]), (aten.mul.Tensor, told[1]), (aten.mul.Tensor, weight), (aten.add.Tensor, bias)):
        made = add(op, made, values[operand]) if isinstance(operand, fx.Node) else made
    return made
