"""Sums of convolutions of the same input, of multiples of its channels, and of numbers become one convolution.

Networks that are trained with parallel branches, so that a large kernel, a small one and the input itself are added, compute one
convolution so. Source: X. Ding, X. Zhang, N. Ma, J. Han, G. Ding, J. Sun, RepVGG: making VGG-style ConvNets great again, 2021.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType


@dataclass
class _Sum:
    """Terms of a sum. convs: convolutions by what they read and how; scaled: by image, what its channels are multiplied by (None for 1),
    and the product; numbers: one for each channel, or one; others: what is left."""

    convs: dict[tuple[object, ...], list[Node]] = field(default_factory=dict)
    scaled: dict[str, list[tuple[str | None, str]]] = field(default_factory=dict)
    numbers: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def merge_branches(graph: Graph) -> Graph:
    """One convolution for those that are added."""
    constants = graph.constant_values

    @rule("add")
    def sum_to_conv(g: Editor, node: Node) -> str | None:
        """conv(x, w) + conv(x, v) + x * s + t -> conv(x, w + v + s where the kernel's middle is, t)"""
        user = g.sole_user(node.name)
        inner = user is not None and user.op == "add" and user.type == node.type
        if inner or node.type.dtype not in (DType.F32, DType.F64) or node.type.rank < 3:
            return None
        terms = _terms(g, node, constants)
        for (x, *_), convs in terms.convs.items():
            base = max(convs, key=lambda c: _elements(g, c.inputs[1]))
            places = {c.name: p for c in convs if (p := _place(g, base, c)) is not None}
            merged = [c for c in convs if c.name in places]
            middle = _middle(g, base)
            scales = terms.scaled.get(str(x), []) if middle is not None else []
            if all(s is None for s, _ in scales) and not _is_depthwise(g, base):
                scales = []  # a sum with the input costs less than what it would do to the weights
            if len(merged) + len(scales) + len(terms.numbers) < 2:
                continue
            weights = [_around(g, base, c.inputs[1], places[c.name]) for c in merged]
            weights += [_around(g, base, _diagonal(g, base, s), middle) for s, _ in scales if middle is not None]
            channels = g.type_of(base.inputs[1]).shape[0]
            biases = [c.inputs[2] for c in merged if len(c.inputs) > 2] + [_vector(g, t, channels, node) for t in terms.numbers]
            operands = [base.inputs[0], _added(g, weights, node), *([_added(g, biases, node)] if biases else [])]
            found = g.add("conv", operands, origin=base.origin, **base.attrs)
            left = [*terms.others, *(c.name for cs in terms.convs.values() for c in cs if c.name not in places)]
            left += [product for image, products in terms.scaled.items() if image != x or not scales for _, product in products]
            return _added(g, [found, *left], node)
        return None

    return apply_rules(graph, [sum_to_conv])


def _terms(g: Editor, root: Node, constants: AbstractSet[str]) -> _Sum:
    found, pending = _Sum(), list(reversed(root.inputs))
    while pending:
        value = pending.pop()
        node = g.producer(value)
        alone = g.sole_user(value) is not None and node.type == root.type
        if node.op == "add" and alone:
            pending += reversed(node.inputs)
        elif node.op == "conv" and alone and constants >= set(node.inputs[1:]):
            one = all(n == 1 for n in g.type_of(node.inputs[1]).shape[2:])
            key = (node.inputs[0], node.attrs["stride"], node.attrs["groups"], None if one else node.attrs["dilation"])
            found.convs.setdefault(key, []).append(node)
        elif value in constants and _is_of_channels(g, value, root):
            found.numbers.append(value)
        elif node.op == "mul" and alone and (split := _scaled(g, node, constants)) is not None:
            found.scaled.setdefault(split[0], []).append((split[1], value))
        elif node.type == root.type:
            found.scaled.setdefault(value, []).append((None, value))
        else:
            found.others.append(value)
    _join_small(found)
    return found


def _join_small(terms: _Sum) -> None:
    """Kernels of one element, which have no dilation, join larger ones of the same input."""
    for key in [k for k in terms.convs if k[-1] is None]:
        larger = next((k for k in terms.convs if k[-1] is not None and k[:-1] == key[:-1]), None)
        if larger is not None:
            terms.convs[larger] += terms.convs.pop(key)


def _is_of_channels(g: Editor, value: str, root: Node) -> bool:
    """Whether a value is the same for all of a channel."""
    shape = g.type_of(value).shape
    places = range(root.type.rank - len(shape), root.type.rank)
    return g.type_of(value).dtype is root.type.dtype and all(n == 1 or d == 1 for d, n in zip(places, shape))


def _scaled(g: Editor, mul: Node, constants: AbstractSet[str]) -> tuple[str, str] | None:
    """An image and what its channels are multiplied by."""
    for image, factor in (mul.inputs, mul.inputs[::-1]):
        if factor in constants and image not in constants and g.type_of(image) == mul.type and _is_of_channels(g, factor, mul):
            return image, factor
    return None


def _place(g: Editor, base: Node, conv: Node) -> tuple[int, ...] | None:
    """Where a kernel lies in a larger one; None if it does not."""
    return _offset(g, base, g.type_of(conv.inputs[1]).shape[2:], conv.attrs["padding"])


def _middle(g: Editor, base: Node) -> tuple[int, ...] | None:
    """Where the kernel of a convolution has what multiplies the input at the same place; None if the results lie elsewhere."""
    same = g.type_of(base.inputs[0]) == base.type and all(s == 1 for s in base.attrs["stride"])
    spatial = base.type.rank - 2
    return _offset(g, base, (1,) * spatial, ((0, 0),) * spatial) if same else None


def _offset(g: Editor, base: Node, kernel: Sequence[object], padding: Sequence[tuple[int, int]]) -> tuple[int, ...] | None:
    found: list[int] = []
    for most, size, (low, _), (inner, _), dilation in zip(
        g.type_of(base.inputs[1]).shape[2:], kernel, base.attrs["padding"], padding, base.attrs["dilation"]
    ):
        at, rest = divmod(low - inner, dilation)
        if rest or not isinstance(most, int) or not isinstance(size, int) or not 0 <= at <= most - size:
            return None
        found.append(at)
    return tuple(found)


def _elements(g: Editor, value: str) -> int:
    """Number of elements of a constant."""
    size = g.type_of(value).size
    assert isinstance(size, int)
    return size


def _is_depthwise(g: Editor, conv: Node) -> bool:
    return g.type_of(conv.inputs[1]).shape[1] == 1


def _around(g: Editor, base: Node, weight: str, place: Sequence[int]) -> str:
    """A kernel with zeros around it, as large as that of a convolution."""
    kernel, most = g.type_of(weight).shape[2:], g.type_of(base.inputs[1]).shape[2:]
    if kernel == most:
        return weight
    pads = ((0, 0), (0, 0), *((p, m - p - k) for p, m, k in zip(place, most, kernel)))
    padded: str = g.add("pad", [weight], pads=pads, value=0, origin=base.origin)
    return padded


def _diagonal(g: Editor, base: Node, factor: str | None) -> str:
    """The kernel of one element that multiplies each channel by a number of its own."""
    weight, groups, at = g.type_of(base.inputs[1]), base.attrs["groups"], base.origin
    channels, inner = weight.shape[:2]
    assert isinstance(channels, int) and isinstance(inner, int)
    value = _vector(g, g.constant(1.0, weight.dtype) if factor is None else factor, channels, base)
    if inner > 1:  # numbers with as many zeros behind each as there are channels, so that each stands one place further in its row
        column = g.add("reshape", [value], shape=(groups, inner, 1), origin=at)
        padded = g.add("pad", [column], pads=((0, 0), (0, 0), (0, inner)), value=0, origin=at)
        flat = g.add("reshape", [padded], shape=(groups, inner * (inner + 1)), origin=at)
        value = g.add("slice", [flat], dim=1, start=0, stop=inner * inner, step=1, origin=at)
    kernel: str = g.add("reshape", [value], shape=(channels, inner, *(1,) * (weight.rank - 2)), origin=at)
    return kernel


def _vector(g: Editor, value: str, channels: object, at: Node) -> str:
    """Numbers of the channels as a vector."""
    if _elements(g, value) == 1:
        flat = g.add("reshape", [value], shape=(1,), origin=at.origin)
        vector: str = g.add("expand", [flat], shape=(channels,), origin=at.origin)
    else:
        vector = g.add("reshape", [value], shape=(channels,), origin=at.origin)
    return vector


def _added(g: Editor, values: Sequence[str], at: Node) -> str:
    result = values[0]
    for value in values[1:]:
        result = g.add("add", [result, value], origin=at.origin)
    return result
