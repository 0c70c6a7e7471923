"""Products and convolutions of dequantised bytes become exact ones of the bytes, whose scales and zero points come after the sum.

With ``a = (qa - za) sa`` and ``b = (qb - zb) sb``, ``sum(a b) = sa sb (sum(qa qb) - za sum(qb - zb) - zb sum(qa))``. Kernels multiply
unsigned bytes by signed ones, so that the left operand is made unsigned and the right one signed: both by 128 and with their zeros.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sol.ir.dim import DimLike, product
from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.canonicalize_ops import is_constant
from sol.passes.quantized_values import Shifted, dequantized, number, shifted

LARGEST_PRODUCT = 255**2
"""Of bytes less zero points."""
MOST_EXACT = 1 << 16
"""Bytes whose sum is exact in float32."""
MOST_TERMS = (1 << 31) // LARGEST_PRODUCT
"""Products of bytes less zero points whose sum is exact in int32."""


class _Maker:
    """Adds nodes that belong to one node."""

    def __init__(self, g: Editor, node: Node) -> None:
        self.g, self.node = g, node

    def __call__(self, op: str, *inputs: str, **attrs: Any) -> str:
        return self.g.add(op, list(inputs), name=self.node.name, origin=self.node.origin, **attrs)

    def cast(self, value: str, dtype: DType) -> str:
        return value if self.g.type_of(value).dtype is dtype else self("cast", value, dtype=dtype)

    def shape(self, value: str) -> tuple[DimLike, ...]:
        return self.g.type_of(value).shape

    def reshape(self, value: str, shape: tuple[DimLike, ...]) -> str:
        return value if self.shape(value) == shape else self("reshape", value, shape=shape)

    def zero(self, value: str | None, offset: int) -> str | None:
        """A zero point plus an offset as int32; None for 0. One of a single element becomes a scalar."""
        known = 0.0 if value is None else number(self.g, value)
        if known is not None:
            return None if known + offset == 0 else self.g.constant(np.int32(known + offset), DType.I32)
        wide = self.cast(value, DType.I32)  # type: ignore[arg-type]
        wide = self.reshape(wide, ()) if self.g.type_of(wide).size == 1 else wide
        return self("add", wide, self.g.constant(np.int32(offset), DType.I32)) if offset else wide

    def moved(self, value: str, offset: float, dtype: DType) -> str:
        """Bytes plus an offset as bytes of the other kind."""
        return self.cast(self("add", self.cast(value, DType.F32), self.g.constant(offset, DType.F32)), dtype)

    def unsigned(self, s: Shifted) -> tuple[str, str | None]:
        if self.g.type_of(s.q).dtype is DType.U8:
            return s.q, self.zero(s.zero, 0)
        return self.moved(s.q, 128.0, DType.U8), self.zero(s.zero, 128)

    def signed(self, s: Shifted) -> tuple[str, str | None]:
        if self.g.type_of(s.q).dtype is DType.I8:
            return s.q, self.zero(s.zero, 0)
        return self.moved(s.q, -128.0, DType.I8), self.zero(s.zero, -128)

    def sum(self, value: str, dims: tuple[int, ...]) -> str:
        """Sums of bytes as int32, dimensions kept."""
        terms = math.prod(d if isinstance(d, int) else MOST_EXACT + 1 for d in (self.shape(value)[i] for i in dims))
        dtype = DType.F32 if terms <= MOST_EXACT else DType.I32
        return self.cast(self("sum", self.cast(value, dtype), dims=dims, keepdims=True), DType.I32)

    def less(self, total: str, zero: str | None, sums: str) -> str:
        """``total - zero * sums``."""
        return total if zero is None else self("sub", total, self("mul", zero, sums))


def _count(m: _Maker, constant: str, dims: tuple[int, ...]) -> int:
    """Elements of a constant along some dimensions."""
    return math.prod(n for i in dims if isinstance(n := m.shape(constant)[i], int))


def _columns(m: _Maker, signed: str, zero: str | None, dims: tuple[int, ...]) -> str:
    """``sum(q - zero)`` along the dimensions of the reduction."""
    total = m.sum(signed, dims)
    if zero is None:
        return total
    count = _count(m, signed, dims)
    return m("sub", total, m("mul", m.cast(zero, DType.I32), m.g.constant(np.int32(count), DType.I32)))


def _per(m: _Maker, zero: str | None, axis: int) -> bool:
    """Whether a zero point is a scalar or varies along one dimension (counted from the end) alone."""
    shape = () if zero is None else m.shape(zero)
    return all(s == 1 for i, s in enumerate(shape, -len(shape)) if i != axis)


def _per_row(m: _Maker, value: str | None) -> bool:
    """Whether a left operand's zero point or scale is the same along each sum."""
    return value is None or not m.shape(value) or m.shape(value)[-1] == 1


def _sums_to(node: Node, terms: DimLike) -> bool:
    """Whether an op's sums of so many products are those of int32: of floats they must fit, of int32 they wrap around in any case."""
    return node.type.dtype is DType.I32 or node.type.dtype in (DType.F32, DType.F64) and isinstance(terms, int) and terms <= MOST_TERMS


@rule("matmul")
def matmul_of_bytes(g: Editor, node: Node) -> str | None:
    """(qa - za) @ (qb - zb) -> int_matmul(qa, qb) less the zero points' share"""
    a, b = (shifted(g, v) for v in node.inputs)
    if a is None or b is None or all(is_constant(g, v) for v in node.inputs):
        return None
    m = _Maker(g, node)
    terms = m.shape(b.q)[-2]
    if not isinstance(terms, int) or not _sums_to(node, terms) or not _per_row(m, a.zero) or not _per(m, b.zero, -1):
        return None
    (x, x_zero), (y, y_zero) = m.unsigned(a), m.signed(b)
    rank = len(m.shape(y))
    if rank == 2 and is_constant(g, y):
        total = m("int_linear", x, m("permute", y, order=(1, 0)))
    else:
        total = m("int_matmul", x, y)
    if x_zero is not None:
        total = m.less(total, x_zero, _columns(m, y, y_zero, (rank - 2,)))
    if y_zero is not None:
        total = m.less(total, y_zero, m.sum(x, (len(m.shape(x)) - 1,)))
    return m.cast(total, node.type.dtype)


@rule("linear")
def linear_of_bytes(g: Editor, node: Node) -> str | None:
    """linear(qx - zx, qw - zw, b) -> int_linear(qx, qw) less the zero points' share, plus b"""
    a, b = (shifted(g, v) for v in node.inputs[:2])
    if a is None or b is None or not is_constant(g, node.inputs[1]):
        return None
    m = _Maker(g, node)
    if not _sums_to(node, m.shape(b.q)[1]) or not _per_row(m, a.zero) or not _per(m, b.zero, -2) or not node.type.rank:
        return None
    (x, x_zero), (w, w_zero) = m.unsigned(a), m.signed(b)
    outs = m.shape(w)[:1]
    total = m("int_linear", x, w)
    if x_zero is not None:
        total = m.less(total, x_zero, m.reshape(_columns(m, w, w_zero, (1,)), outs))
    if w_zero is not None:
        w_zero = w_zero if g.type_of(w_zero).size == 1 else m.reshape(w_zero, outs)
        total = m.less(total, w_zero, m.sum(x, (len(m.shape(x)) - 1,)))
    y = m.cast(total, node.type.dtype)
    return y if len(node.inputs) == 2 else m("add", y, node.inputs[2])


@rule("conv")
def conv_of_bytes(g: Editor, node: Node) -> str | None:
    """conv(qx - zx, qw - zw, b) -> int_conv(qx padded with zx, qw) less the zero points' share, plus b"""
    a, b = (shifted(g, v) for v in node.inputs[:2])
    if a is None or b is None or not is_constant(g, node.inputs[1]):
        return None
    m = _Maker(g, node)
    spatial = len(m.shape(b.q)) - 2
    if not _sums_to(node, product(m.shape(b.q)[1:])):
        return None
    if a.zero is not None and g.type_of(a.zero).size != 1 or not _per(m, b.zero, -2 - spatial):
        return None
    (x, x_zero), (w, w_zero) = m.unsigned(a), m.signed(b)
    fill = m.cast(x_zero, DType.U8) if x_zero is not None else g.constant(np.uint8(0), DType.U8)
    if (known := number(g, fill)) is not None:
        fill = g.constant(np.uint8(known), DType.U8)
    total = m("int_conv", x, w, fill, **node.attrs)
    channels = (m.shape(w)[0], *(1,) * spatial)
    if x_zero is not None:
        total = m.less(total, x_zero, m.reshape(_columns(m, w, w_zero, tuple(range(1, spatial + 2))), channels))
    if w_zero is not None:
        w_zero = w_zero if g.type_of(w_zero).size == 1 else m.reshape(w_zero, channels)
        total = m.less(total, w_zero, _window_sums(m, x, w, fill, node))
    y = m.cast(total, node.type.dtype)
    return y if len(node.inputs) == 2 else m("add", y, m.reshape(node.inputs[2], channels))


def _window_sums(m: _Maker, x: str, w: str, fill: str, node: Node) -> str:
    """What every window holds, for each output channel that reads its group: a convolution with ones."""
    groups, kernels = node.attrs["groups"], m.shape(w)[0]
    ones = m.g.constant(np.ones([_count(m, w, (i,)) if i else groups for i in range(len(m.shape(w)))], np.int8), DType.I8)
    sums = m("int_conv", x, ones, fill, **node.attrs)
    if groups == 1:
        return sums
    batch, _, *sizes = m.shape(sums)
    spread = m("expand", m.reshape(sums, (batch, groups, 1, *sizes)), shape=(batch, groups, kernels // groups, *sizes))
    return m.reshape(spread, (batch, kernels, *sizes))


@rule("matmul", "linear", "conv")
def scales_after_product(g: Editor, node: Node) -> str | None:
    """product(a sa, b sb) -> product(a, b) (sa sb) for dequantised bytes a sa and b sb whose scales are the same along each sum"""
    a, b = (dequantized(g, v) for v in node.inputs[:2])
    if a is None or b is None or (node.op != "matmul" and not is_constant(g, node.inputs[1])):
        return None
    m = _Maker(g, node)
    if node.op == "conv":
        spatial = node.type.rank - 2
        fits = g.type_of(a.scale).size == 1 and _per(m, b.scale, -2 - spatial)
        channels: tuple[DimLike, ...] = (m.shape(b.numbers)[0], *(1,) * spatial)
    else:
        axis = -1 if node.op == "matmul" else -2
        fits = _per_row(m, a.scale) and _per(m, b.scale, axis) and _per_row(m, a.shifted.zero) and _per(m, b.shifted.zero, axis)
        channels = (m.shape(b.numbers)[axis],)
    if not fits:
        return None
    right = m.reshape(b.scale, () if g.type_of(b.scale).size == 1 else channels)
    left = m.reshape(a.scale, ()) if g.type_of(a.scale).size == 1 else a.scale
    y = m("mul", m(node.op, a.numbers, b.numbers, **node.attrs), m("mul", left, right))
    if len(node.inputs) == 2:
        return y
    return m("add", y, m.reshape(node.inputs[2], (*m.shape(node.inputs[2]), *(1,) * (len(channels) - 1))))


@rule("cast")
def integer_again(g: Editor, node: Node) -> str | None:
    """cast(cast(i, float), i32) -> i for an int32 i that the float holds exactly: any in float64, sums of few products in float32"""
    wide = g.producer(node.inputs[0], op="cast")
    if node.type.dtype is not DType.I32 or wide is None or g.type_of(wide.inputs[0]).dtype is not DType.I32:
        return None
    exact = wide.type.dtype is DType.F64 or wide.type.dtype is DType.F32 and _is_short_sum(g, wide.inputs[0])
    return wide.inputs[0] if exact else None


def _is_short_sum(g: Editor, value: str) -> bool:
    """Whether a value sums so few products of bytes less zero points that float32 holds it exactly."""
    node = g.producer(value)
    node = g.producer(node.inputs[0]) if node.op == "sub" else node
    if node.op not in ("int_conv", "int_linear"):
        return False
    terms = product(g.type_of(node.inputs[1]).shape[1:])
    return isinstance(terms, int) and terms * LARGEST_PRODUCT <= 1 << 24


RULES = (scales_after_product, matmul_of_bytes, linear_of_bytes, conv_of_bytes, integer_again)


def find_integer_products(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, RULES)
