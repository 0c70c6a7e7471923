"""Products in tiles: a group of work items computes a square of the result, of which it keeps strips of both operands in local memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from sol.codegen.emit import CValue
from sol.codegen.opencl.element import ElementWriter
from sol.codegen.opencl.places import Index, Shape, inner, plus, times, unflat
from sol.codegen.opencl.sums import conv_place, of_batch, with_bias
from sol.ir.graph import Graph, Node

SIDE = 8
"""Work items of a group along each dimension of its tile, and how often one strip of a tile holds a work item's share of it."""
LANES = 4
"""Elements of a work item along each dimension of its tile."""

Element = tuple[str, Callable[[], CValue]]
"""The condition under which there is an element, "" for always, and what writes it."""


@dataclass(frozen=True)
class Product:
    """``result[z, m, n] = sum over k of a[z, m, k] * b[z, k, n]``.

    sizes: of z, m, n and k. a: (z, m, k) → element; b: (z, k, n) → element. b_by_k: neighbours along k lie side by side in b's memory.
    place: (z, m, n) → index of the result. finish: of a sum at an index.
    """

    sizes: Shape
    a: Callable[[str, str, str], Element]
    b: Callable[[str, str, str], Element]
    b_by_k: bool
    place: Callable[[str, str, str], Index]
    finish: Callable[[CValue, Index], CValue]


def sizes_of(graph: Graph, node: Node) -> Shape:
    """Batch, rows, columns and depth of an op that is a product; () for others."""
    shape = tuple(map(int, node.type.shape))  # type: ignore[arg-type]
    if node.op == "linear":
        return (1, math.prod(shape[:-1]), shape[-1], int(graph.type_of(node.inputs[0]).shape[-1]))  # type: ignore[arg-type]
    if node.op == "matmul":
        return (math.prod(shape[:-2]), *shape[-2:], int(graph.type_of(node.inputs[0]).shape[-1]))  # type: ignore[arg-type]
    if node.op == "conv":
        kernels, channels, *taps = map(int, graph.type_of(node.inputs[1]).shape)  # type: ignore[arg-type]
        groups = node.attrs["groups"]
        return (groups, kernels // groups, shape[0] * math.prod(shape[2:]), channels * math.prod(taps))
    return ()


def is_tiled(graph: Graph, node: Node) -> bool:
    """Whether tiles are worth while: not for results with few rows or columns, nor for short sums."""
    sizes = sizes_of(graph, node)
    return bool(sizes) and min(sizes[1:]) >= SIDE


def product_of(w: ElementWriter, node: Node) -> Product:
    """An op for which ``is_tiled`` holds, as a product."""
    return {"linear": _linear, "matmul": _matmul, "conv": _conv}[node.op](w, node)


def _linear(w: ElementWriter, node: Node) -> Product:
    x, weight = node.inputs[:2]
    rows = w.shape(x)[:-1]
    return Product(
        sizes_of(w.graph, node),
        lambda z, m, k: ("", lambda: w.at(x, (*map(w.bound, unflat(m, rows)), k))),
        lambda z, k, n: ("", lambda: w.at(weight, (n, k))),
        True,
        lambda z, m, n: (*map(w.bound, unflat(m, rows)), n),
        lambda total, index: with_bias(w, node, index[-1])(total),
    )


def _matmul(w: ElementWriter, node: Node) -> Product:
    a, b = node.inputs
    batch = w.shape(node.name)[:-2]

    def place(z: str, m: str, n: str) -> Index:
        return (*map(w.bound, unflat(z, batch)), m, n)

    return Product(
        sizes_of(w.graph, node),
        lambda z, m, k: ("", lambda: w.at(a, of_batch(w, a, place(z, m, k), m, k))),
        lambda z, k, n: ("", lambda: w.at(b, of_batch(w, b, place(z, k, n), k, n))),
        _is_turned(w, b),
        place,
        lambda total, index: total,
    )


def _is_turned(w: ElementWriter, value: str) -> bool:
    """Whether a matrix is the transposed view of one."""
    node = w.graph.producer(value)
    return node.op == "permute" and node.attrs["order"][-1] == len(w.shape(value)) - 2


def _conv(w: ElementWriter, node: Node) -> Product:
    x, weight = node.inputs[:2]
    sizes = sizes_of(w.graph, node)
    _, channels, *kernel = w.shape(weight)
    batch, _, *pixels = w.shape(node.name)
    taps = (channels, *kernel)

    def place(z: str, m: str, n: str) -> Index:
        image, *pixel = map(w.bound, unflat(n, (batch, *pixels)))
        return (image, w.bound(plus(times(z, sizes[1]), m)), *pixel)

    def pixel(z: str, k: str, n: str) -> Element:
        image, _, *at = place(z, "0", n)
        channel, *tap = map(w.bound, unflat(k, taps))
        condition, places = conv_place(w, node, tuple(at), tuple(tap))
        return condition, lambda: w.at(x, (image, w.bound(plus(times(z, channels), channel)), *places))

    def filters(z: str, m: str, k: str) -> Element:
        channel, *tap = map(w.bound, unflat(k, taps))
        return "", lambda: w.at(weight, (w.bound(plus(times(z, sizes[1]), m)), channel, *tap))

    return Product(sizes, filters, pixel, False, place, lambda total, index: with_bias(w, node, index[1])(total))


def staged(w: ElementWriter, element: Callable[[], Element], condition: str, target: str) -> tuple[str, ...]:
    """Statements that put an element of an operand, or 0 where there is none, into local memory."""
    with w.block() as lines:
        value = w.name("v")
        w.add(f"{target} = 0;")
        with w.block() as found:
            inside, write = element()
            with w.block() as loaded:
                w.add(f"{target} = {write().text};")
            if inside:
                w.nested(f"if ({inside}) {{", loaded)
            else:
                w.add(*loaded)
        w.nested(f"if ({condition}) {{", found)
        del value
    return tuple(lines)


__all__ = ["LANES", "SIDE", "Product", "inner", "is_tiled", "product_of", "sizes_of", "staged"]
