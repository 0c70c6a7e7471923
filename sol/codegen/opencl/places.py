"""Index expressions as C text, and how an index of a view becomes one of what it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sol.errors import SolError
from sol.ir.graph import Node

Index = tuple[str, ...]
"""One expression for each dimension."""
Shape = tuple[int, ...]


def is_number(text: str) -> bool:
    """Whether an expression is a number."""
    return text.isdigit() or (text[:1] == "-" and text[1:].isdigit())


def inner(text: str) -> str:
    """An expression as an operand."""
    return text if text.replace("_", "").isalnum() else f"({text})"


def times(a: str, n: int) -> str:
    """a * n"""
    if is_number(a):
        return str(int(a) * n)
    return "0" if n == 0 else a if n == 1 else f"{inner(a)} * {n}"


def plus(a: str, b: str) -> str:
    """a + b"""
    if is_number(a) and is_number(b):
        return str(int(a) + int(b))
    if "0" in (a, b):
        return b if a == "0" else a
    return f"{a} - {b[1:]}" if is_number(b) and b[0] == "-" else f"{a} + {b}"


def over(a: str, n: int) -> str:
    """a / n of a number that is not negative"""
    return str(int(a) // n) if is_number(a) else a if n == 1 else f"{inner(a)} / {n}"


def modulo(a: str, n: int) -> str:
    """a % n of a number that is not negative"""
    return str(int(a) % n) if is_number(a) else "0" if n == 1 else f"{inner(a)} % {n}"


def row_major(shape: Shape) -> Shape:
    """Elements between neighbours along each dimension."""
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def flat(index: Sequence[str], shape: Shape) -> str:
    """The number of an element in row-major order."""
    text = "0"
    for i, step in zip(index, row_major(shape)):
        text = plus(text, times(i, step))
    return text


def unflat(number: str, shape: Shape) -> Index:
    """The index of an element of which the number in row-major order is known."""
    found = []
    for i, (size, step) in enumerate(zip(shape, row_major(shape))):
        first = all(s == 1 for s in shape[:i])
        found.append("0" if size == 1 else over(number, step) if first else modulo(over(number, step), size))
    return tuple(found)


def broadcast(index: Index, shape: Shape) -> Index:
    """The index of an operand of this shape that is broadcast to the index's."""
    own = index[len(index) - len(shape) :]
    return tuple("0" if size == 1 else i for i, size in zip(own, shape))


def reshaped(index: Index, shape: Shape, to: Shape) -> Index:
    """An index into ``shape`` as one into ``to``, which has as many elements. Dimensions are split and merged in groups as small as they
    can be."""
    found: list[str] = []
    i = j = 0
    while i < len(shape) or j < len(to):
        start, begin = i, j
        i, j = min(i + 1, len(shape)), min(j + 1, len(to))
        while math.prod(shape[start:i]) != math.prod(to[begin:j]):
            if j < len(to) and (i == len(shape) or math.prod(to[begin:j]) < math.prod(shape[start:i])):
                j += 1
            else:
                i += 1
        while i == len(shape) and j < len(to):  # sizes of 1 that are left
            j += 1
        while j == len(to) and i < len(shape):
            i += 1
        found += unflat(flat(index[start:i], shape[start:i]), to[begin:j])
    return tuple(found)


def through_view(node: Node, index: Index, shape: Shape, to: Shape) -> Index:
    """An index into the result of a view, which has this shape, as one into its operand, whose shape is ``to``."""
    if node.op == "reshape":
        return reshaped(index, shape, to)
    if node.op == "permute":
        order = node.attrs["order"]
        return tuple(index[order.index(i)] for i in range(len(to)))
    if node.op == "expand":
        return broadcast(index, to)
    if node.op == "slice":
        dim, start, step = node.attrs["dim"], node.attrs["start"], node.attrs["step"]
        return tuple(plus(times(i, step), str(start)) if k == dim else i for k, i in enumerate(index))
    raise SolError(f"{node.op} is no view that has an index")
