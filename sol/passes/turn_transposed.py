"""Transposed convolutions whose filters are known when weights are packed, as convolutions with the filters turned.

That is the gradient of a convolution by its input, and what generators and decoders enlarge maps with. Without a stride it is one
convolution. With a stride, results at the same place modulo the stride are a convolution by those taps that reach them, and are
interleaved: nothing is multiplied by the zeros between inputs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd
from typing import Any

from sol.ir.dim import DimLike, ceil_div
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.lanes import FLOAT_LANES
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor, Rule, apply_rules, rule
from sol.ir.types import DType, TensorType
from sol.passes.assign_layout import is_blockable
from sol.passes.canonicalize_ops import is_constant

Taps = tuple[int, int, int]
"""Of a filter along an axis: the first, the step to the next, their number."""


def turn_transposed(graph: Graph, lanes: int) -> Graph:
    """Rewrite the transposed convolutions of what is computed in lanes of float32: those with strides only where vectors of ``lanes``
    channels serve their parts.
    """
    if not any(n.op == "conv_transpose" for n in graph.nodes):
        return graph
    return apply_rules(graph, [_turning(lanes), pointwise_by_place])


@dataclass(frozen=True)
class _Axis:
    """One phase of a transposed convolution along one axis: the taps that reach it, the dilation between inputs, and zeros around them."""

    taps: Taps
    dilation: int
    padding: tuple[int, int]


def _turning(lanes: int) -> Rule:
    @rule("conv_transpose")
    def turn(g: Editor, node: Node) -> str | None:
        """conv_transpose(x, w) -> conv(x, turned w), with strides interleave(conv(x, some taps of turned w)…)"""
        phases = _turned(g, node, lanes)
        if phases is None:
            return None
        return _strided(g, node, phases) if len(phases) > 1 else _conv(g, node, phases[0], node.inputs[2:])

    return turn


def is_turned(g: Editor, node: Node, lanes: int) -> bool:
    """Whether a transposed convolution becomes convolutions for which there are kernels over blocked maps."""
    phases = _turned(g, node, lanes)
    return phases is not None and all(_is_served(g, node, phase, lanes) for phase in phases if _has_taps(phase))


def _turned(g: Editor, node: Node, lanes: int) -> list[Sequence[_Axis]] | None:
    """The convolutions that a transposed one becomes; None if it stays as it is."""
    x, w = (g.type_of(v) for v in node.inputs[:2])
    if node.type.dtype not in FLOAT_LANES or not w.is_static or not all(is_constant(g, v) for v in node.inputs[1:]):
        return None
    if 0 in w.shape or not isinstance(x.shape[1], int):
        return None
    axes = [list(_phases(node, d, x.shape[2 + d], w.shape[2 + d])) for d in range(len(node.attrs["stride"]))]
    known = [[axis for axis in phases if axis is not None] for phases in axes]
    if known != axes:
        return None
    phases: list[Sequence[_Axis]] = list(itertools.product(*known))
    if len(phases) > 1 and node.type.dtype is not DType.F32:
        return None  # interleaved maps hold float32
    parts = [phase for phase in phases if _has_taps(phase)]
    if len(phases) > 1 and not (parts and all(_is_served(g, node, phase, lanes) for phase in parts)):
        return None
    return phases


def _has_taps(phase: Sequence[_Axis]) -> bool:
    return all(axis.taps[2] for axis in phase)


def _phases(node: Node, d: int, size: DimLike, kernel: DimLike) -> Iterator[_Axis | None]:
    """Those of the results at places 0 … stride - 1 along a spatial axis: no taps where none reach it, None where a size is not known."""
    attrs = node.attrs
    stride, dilation, low, result = attrs["stride"][d], attrs["dilation"][d], attrs["padding"][d][0], node.type.shape[2 + d]
    common = gcd(stride, dilation)
    assert isinstance(kernel, int)  # asked before
    for place in range(stride):
        reaching = [r for r in range(kernel) if (place + low - r * dilation) % stride == 0]
        count = ceil_div(result - place, stride)
        if not reaching or count == 0:
            yield _Axis((0, 1, 0), 1, (0, 0))
            continue
        spread = dilation // common
        before = (len(reaching) - 1) * spread - (place + low - reaching[0] * dilation) // stride
        after = count - size + (len(reaching) - 1) * spread - before
        step = -stride // common if len(reaching) > 1 else -1
        yield _Axis((reaching[-1], step, len(reaching)), spread, (before, after)) if isinstance(after, int) else None


def _strided(g: Editor, node: Node, phases: Sequence[Sequence[_Axis]]) -> str:
    """The phases, each a convolution, interleaved; a bias is added behind them where some have no taps."""
    whole = [_has_taps(phase) for phase in phases]
    at: dict[str, Any] = {"origin": node.origin}
    bias = node.inputs[2:]
    inside, zero = bias if all(whole) else (), g.constant(0.0, node.type.dtype)
    parts = [_conv(g, node, phase, inside) if some else zero for phase, some in zip(phases, whole)]
    made = g.add("interleave", parts, steps=node.attrs["stride"], size=node.type.shape[2:], **at)
    if not bias or inside:
        return made
    channel = (node.type.shape[1],) + (1,) * len(node.attrs["stride"])
    return g.add("add", [made, g.add("reshape", list(bias), shape=channel, **at)], **at)


def _is_served(g: Editor, node: Node, phase: Sequence[_Axis], lanes: int) -> bool:
    """Whether a phase has a kernel over blocked maps, in which pixels lie apart as well as side by side."""
    x, w = (g.type_of(v) for v in node.inputs[:2])
    groups = node.attrs["groups"]
    assert isinstance(w.shape[0], int) and isinstance(w.shape[1], int)  # asked before
    filters = TensorType(w.dtype, (w.shape[1] * groups, w.shape[0] // groups, *(axis.taps[2] for axis in phase)))
    attrs = Attrs({"groups": groups, "padding": tuple(axis.padding for axis in phase)})
    return is_blockable(replace(node, attrs=attrs), x, filters, lanes)


def _conv(g: Editor, node: Node, phase: Sequence[_Axis], bias: Sequence[str]) -> str:
    """The convolution of one phase; inputs that no tap reaches are cut off."""
    at: dict[str, Any] = {"origin": node.origin}
    groups, data = node.attrs["groups"], node.inputs[0]
    filters = g.add("turned_filters", [node.inputs[1]], groups=groups, taps=tuple(axis.taps for axis in phase), **at)
    for d, axis in enumerate(phase, 2):
        low, high = (max(0, -zeros) for zeros in axis.padding)
        if low or high:
            data = g.add("slice", [data], dim=d, start=low, stop=g.type_of(data).shape[d] - high, step=1, **at)
    padding = tuple((max(0, low), max(0, high)) for low, high in (axis.padding for axis in phase))
    dilation = tuple(axis.dilation for axis in phase)
    return g.add("conv", [data, filters, *bias], stride=(1,) * len(phase), padding=padding, dilation=dilation, groups=groups, **at)


@rule(*POINTWISE, "batch_norm")
def pointwise_by_place(g: Editor, node: Node) -> str | None:
    """op(interleave(conv…), channel constants) -> interleave(op(conv, channel constants)…): kernels of convolutions do it on the way"""
    made = next((v for v in node.inputs if g.producer(v, op="interleave") is not None), None)
    if made is None or node.inputs.count(made) != 1 or g.sole_user(made) is None or g.type_of(made).shape != node.type.shape:
        return None
    whole = g.producer(made)
    if any(is_constant(g, v) for v in whole.inputs) or not all(v == made or _is_channel_wise(g, v, node) for v in node.inputs):
        return None
    at: dict[str, Any] = {"origin": node.origin}
    parts = [g.add(node.op, [part if v == made else v for v in node.inputs], **node.attrs, **at) for part in whole.inputs]
    return g.add("interleave", parts, **whole.attrs, **at)


def _is_channel_wise(g: Editor, value: str, node: Node) -> bool:
    """Whether a value is known when weights are packed, and the same for all pixels of a channel."""
    shape = g.type_of(value).shape
    if node.op == "batch_norm":
        return is_constant(g, value)
    return is_constant(g, value) and all(s == 1 for s in shape[-(node.type.rank - 2) :])
