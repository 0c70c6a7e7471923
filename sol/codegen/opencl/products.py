"""Products in tiles: a group of work items computes a square of the result, of which it keeps strips of both operands in local memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from sol.codegen.emit import CValue
from sol.codegen.opencl.element import ElementWriter
from sol.codegen.opencl.places import Index, Shape, plus, times, unflat
from sol.codegen.opencl.sums import conv_place, of_batch, with_bias
from sol.ir.graph import Graph, Node

SIDE = 8
"""Work items of a group along each dimension of its tile."""
LANES = 8
"""Elements of a work item along each dimension of its tile, so that each item of a group fetches one row and one column."""
FEWEST_CHANNELS = 8
"""Channels of a convolution from which on taps have a loop of their own: then a place of the map is looked up once for all channels."""

Element = tuple[str, Callable[[], CValue]]
"""The condition under which there is an element, "" for always, and what writes it."""


@dataclass(frozen=True)
class Product:
    """``result[z, m, n] = sum over t and k of a[z, m, t, k] * b[z, t, k, n]``.

    sizes: of z, m, n, t and k. a: (z, m, t, k) → element; b: (z, t, k, n) → element. place: (z, m, n) → index of the result. finish: of a
    sum at an index.
    """

    sizes: Shape
    a: Callable[[str, str, str, str], Element]
    b: Callable[[str, str, str, str], Element]
    place: Callable[[str, str, str], Index]
    finish: Callable[[CValue, Index], CValue]


def sizes_of(graph: Graph, node: Node) -> Shape:
    """Batch, rows, columns, taps and depth of an op that is a product; () for others."""
    shape = tuple(map(int, node.type.shape))  # type: ignore[arg-type]
    if node.op == "linear":
        return (1, math.prod(shape[:-1]), shape[-1], 1, int(graph.type_of(node.inputs[0]).shape[-1]))  # type: ignore[arg-type]
    if node.op == "matmul":
        return (math.prod(shape[:-2]), *shape[-2:], 1, int(graph.type_of(node.inputs[0]).shape[-1]))  # type: ignore[arg-type]
    if node.op == "conv":
        kernels, channels, *taps = map(int, graph.type_of(node.inputs[1]).shape)  # type: ignore[arg-type]
        groups, apart = node.attrs["groups"], channels >= FEWEST_CHANNELS
        depth = (math.prod(taps), channels) if apart else (1, channels * math.prod(taps))
        return (groups, kernels // groups, shape[0] * math.prod(shape[2:]), *depth)
    return ()


def is_tiled(graph: Graph, node: Node) -> bool:
    """Whether tiles are worth while: not for results with few rows or columns, nor for short sums."""
    sizes = sizes_of(graph, node)
    return bool(sizes) and min(*sizes[1:3], sizes[3] * sizes[4]) >= SIDE


def product_of(w: ElementWriter, node: Node) -> Product:
    """An op for which ``is_tiled`` holds, as a product."""
    return {"linear": _linear, "matmul": _matmul, "conv": _conv}[node.op](w, node)


def _linear(w: ElementWriter, node: Node) -> Product:
    x, weight = node.inputs[:2]
    rows = w.shape(x)[:-1]
    return Product(
        sizes_of(w.graph, node),
        lambda z, m, t, k: ("", lambda: w.at(x, (*map(w.bound, unflat(m, rows)), k))),
        lambda z, t, k, n: ("", lambda: w.at(weight, (n, k))),
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
        lambda z, m, t, k: ("", lambda: w.at(a, of_batch(w, a, place(z, m, k), m, k))),
        lambda z, t, k, n: ("", lambda: w.at(b, of_batch(w, b, place(z, k, n), k, n))),
        place,
        lambda total, index: total,
    )


def _conv(w: ElementWriter, node: Node) -> Product:
    x, weight = node.inputs[:2]
    sizes = sizes_of(w.graph, node)
    _, channels, *kernel = w.shape(weight)
    batch, _, *pixels = w.shape(node.name)

    def channel_and_tap(t: str, k: str) -> tuple[str, Index]:
        if sizes[3] > 1 or sizes[4] == channels:
            return k, tuple(map(w.bound, unflat(t, tuple(kernel))))
        channel, *tap = map(w.bound, unflat(k, (channels, *kernel)))
        return channel, tuple(tap)

    def place(z: str, m: str, n: str) -> Index:
        image, *pixel = map(w.bound, unflat(n, (batch, *pixels)))
        return (image, w.bound(plus(times(z, sizes[1]), m)), *pixel)

    def pixel(z: str, t: str, k: str, n: str) -> Element:
        image, _, *at = place(z, "0", n)
        channel, tap = channel_and_tap(t, k)
        condition, places = conv_place(w, node, tuple(at), tap)
        return condition, lambda: w.at(x, (image, w.bound(plus(times(z, channels), channel)), *places))

    def filters(z: str, m: str, t: str, k: str) -> Element:
        channel, tap = channel_and_tap(t, k)
        return "", lambda: w.at(weight, (w.bound(plus(times(z, sizes[1]), m)), channel, *tap))

    return Product(sizes, filters, pixel, place, lambda total, index: with_bias(w, node, index[1])(total))


def staged(w: ElementWriter, element: Callable[[], Element], condition: str, target: str) -> tuple[str, ...]:
    """Statements that put an element of an operand, or 0 where there is none, into local memory."""
    with w.block() as lines:
        value = w.name("v")
        with w.block() as found:
            inside, write = element()
            with w.block() as loaded:
                made = write()
                w.add(f"{value} = {made.text};")
            if inside:
                w.nested(f"if ({inside}) {{", loaded)
            else:
                w.add(*loaded)
        w.add(f"{w.emitter.ctype(made.dtype)} {value} = 0;")
        w.nested(f"if ({condition}) {{", found)
        w.add(f"{target} = {value};")
    return tuple(lines)
