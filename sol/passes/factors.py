"""Reads products and literals in a graph: what rules that know formulas by their parts are made of."""

from __future__ import annotations

import math

from sol.ir.graph import Node
from sol.ir.rewrite import Editor


def number(g: Editor, value: str) -> float | None:
    """The one element of a literal."""
    node = g.producer(value)
    if node.op == "expand":
        node = g.producer(node.inputs[0])
    if node.op != "constant" or node.attrs["value"].value.size != 1 or not node.type.dtype.is_float:
        return None
    return float(node.attrs["value"].value.item())


def is_number(g: Editor, value: str, wanted: float, tolerance: float = 1e-5) -> bool:
    """Whether a value is a literal close to a number: models hold constants rounded to float32."""
    found = number(g, value)
    return found is not None and math.isclose(found, wanted, rel_tol=tolerance)


def factors(g: Editor, value: str) -> tuple[float, list[str]]:
    """A product as a number times values. Only products that nothing else reads are taken apart, and the first one."""
    coefficient, found, todo = 1.0, [], [value]
    while todo:
        current = todo.pop()
        literal = number(g, current)
        if literal is not None:
            coefficient *= literal
            continue
        node = g.producer(current)
        divisor = number(g, node.inputs[1]) if node.op == "div" else None
        if current != value and g.sole_user(current) is None:
            found.append(current)
        elif node.op == "mul":
            todo.extend(node.inputs)
        elif divisor:
            coefficient /= divisor
            todo.append(node.inputs[0])
        elif node.op == "square":
            found.extend(node.inputs * 2)
        else:
            found.append(current)
    return coefficient, found


def close(a: float, b: float, tolerance: float = 1e-5) -> bool:
    return math.isclose(a, b, rel_tol=tolerance)


def plus_number(g: Editor, value: str, wanted: float) -> str | None:
    """x of ``x + wanted``."""
    node: Node | None = g.producer(value, op="add")
    if node is None:
        return None
    for x, other in (node.inputs, node.inputs[::-1]):
        if is_number(g, other, wanted):
            return x
    return None


def pairs(values: list[str]) -> list[tuple[str, str]]:
    """Both orders of two values; none for another number of them."""
    return [(values[0], values[1]), (values[1], values[0])] if len(values) == 2 else []
