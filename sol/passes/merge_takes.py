"""Takes whose places the graph states become picks, and picks along several dimensions one: a pass over memory for all of them."""

from __future__ import annotations

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule

MOST_PLACES = 1 << 16  # a longer table costs more to hold than a second pass over memory


@rule("take")
def literal_take_to_pick(g: Editor, node: Node) -> str | None:
    """take(x, places) -> pick(x) for places that are written in the graph and lie inside"""
    x, index = node.inputs
    literal, dim = g.producer(index, op="constant"), node.attrs["dim"]
    size = g.type_of(x).shape[dim]
    if literal is None or literal.type.rank != 1 or not isinstance(size, int) or g.producer(x).op in ("parameter", "constant"):
        return None
    places = [p + size * (p < 0) for p in literal.attrs["value"].value.tolist()]
    if len(places) > MOST_PLACES or any(not 0 <= p < size for p in places):
        return None
    return g.add("pick", [x], dims=(dim,), index=(tuple(places),), origin=node.origin)


@rule("pick")
def pick_of_pick(g: Editor, node: Node) -> str | None:
    """pick(pick(x)) -> pick(x)"""
    inner = g.producer(node.inputs[0], op="pick")
    if inner is None or g.sole_user(inner.name) is not node:
        return None
    found = dict(zip(inner.attrs["dims"], inner.attrs["index"]))
    for dim, places in zip(node.attrs["dims"], node.attrs["index"]):
        found[dim] = tuple(found[dim][p] for p in places) if dim in found else places
    dims = tuple(sorted(found))
    return g.add("pick", [inner.inputs[0]], dims=dims, index=tuple(found[d] for d in dims), origin=node.origin)


@rule("pick")
def even_pick_to_slice(g: Editor, node: Node) -> str | None:
    """pick(x) of places at even distances along a dimension -> slice(x)"""
    for at, (dim, places) in enumerate(zip(node.attrs["dims"], node.attrs["index"])):
        step = places[1] - places[0] if len(places) > 1 else 1
        if not places or step < 1 or any(b - a != step for a, b in zip(places, places[1:])):
            continue
        part = g.add("slice", [node.inputs[0]], dim=dim, start=places[0], stop=places[-1] + 1, step=step, origin=node.origin)
        rest = [i for i in range(len(node.attrs["dims"])) if i != at]
        if not rest:
            return part
        dims, index = (tuple(node.attrs[k][i] for i in rest) for k in ("dims", "index"))
        return g.add("pick", [part], dims=dims, index=index, origin=node.origin)
    return None


def merge_takes(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, (literal_take_to_pick, pick_of_pick, even_pick_to_slice))
