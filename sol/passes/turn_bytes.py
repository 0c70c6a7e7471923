"""Bytes that are turned first and computed then, as the keys of quantized attention, are computed as they lie, row by row, and turned
afterwards: the product that multiplies them reads a view."""

from __future__ import annotations

from sol.ir.graph import Graph, Node
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.passes.quantized_values import BYTES, FAR


@rule(*POINTWISE)
def bytes_before_turn(g: Editor, node: Node) -> str | None:
    """f(permute(x)) -> permute(f(x)) for the right operand of int_matmul, made of x and single numbers, that is not turned to rows"""
    if node.type.dtype not in BYTES or not _is_right_operand(g, node.name):
        return None
    chain: list[tuple[Node, str]] = []
    value = node.name
    for _ in range(FAR):
        step = g.producer(value)
        if step.op == "permute":
            break
        reads = [i for i in step.inputs if g.type_of(i).size != 1]
        if step.op not in POINTWISE or len(reads) != 1 or (step is not node and g.sole_user(step.name) is None):
            return None
        chain.append((step, reads[0]))
        value = reads[0]
    turn = g.producer(value, op="permute")
    if turn is None or _keeps_rows(turn):
        return None
    value = turn.inputs[0]
    for step, read in reversed(chain):
        value = g.add(step.op, [value if i == read else i for i in step.inputs], origin=step.origin, **step.attrs)
    return g.add("permute", [value], order=turn.attrs["order"], origin=turn.origin)


@rule("sum")
def sums_before_turn(g: Editor, node: Node) -> str | None:
    """sum(cast(permute(x))) -> permute(sum(cast(x))) for the same bytes"""
    cast = g.producer(node.inputs[0], op="cast")
    turn = None if cast is None else g.producer(cast.inputs[0], op="permute")
    if cast is None or turn is None or _keeps_rows(turn) or turn.type.dtype not in BYTES or not node.attrs["keepdims"]:
        return None
    if not _is_right_operand(g, turn.name):
        return None
    order = turn.attrs["order"]
    numbers = g.add("cast", turn.inputs, origin=cast.origin, **cast.attrs)
    dims = tuple(sorted(order[d] for d in node.attrs["dims"]))
    total = g.add("sum", [numbers], origin=node.origin, **{**node.attrs, "dims": dims})
    return g.add("permute", [total], order=order, origin=turn.origin)


def _is_right_operand(g: Editor, value: str) -> bool:
    return any(user.op == "int_matmul" and user.inputs[1] == value for user in g.users(value))


def _keeps_rows(turn: Node) -> bool:
    return bool(turn.attrs["order"][-1] == len(turn.attrs["order"]) - 1)


def turn_bytes(graph: Graph) -> Graph:
    """Apply the rules until none matches."""
    return apply_rules(graph, (bytes_before_turn, sums_before_turn))
