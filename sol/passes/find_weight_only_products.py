"""Linear layers of few rows whose weights alone are bytes keep these in memory: they multiply integers that become floats in registers.

With many rows the multiply-adds take longer than reading the weights, which are then dequantised once, when they are packed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sol.ir.dim import DimLike, product
from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.canonicalize_ops import is_constant
from sol.passes.sizes import GraphSizes

LARGE_WEIGHT = 1 << 14
"""Numbers of a weight from which on it matters how many bytes they take."""
STEP = 8
"""Groups of input channels are multiples of it, or all channels."""


@dataclass(frozen=True)
class ByteWeight:
    """A weight ``(codes[out, in] - zeros) * scales``, both None or [out, groups] with group input channels in each."""

    codes: str
    scales: str | None
    zeros: str | None
    group: int


def byte_weight(g: Editor, value: str) -> ByteWeight | None:
    """A constant [out, in] of float32 as bytes, if it was made of such."""
    shape = g.type_of(value).shape
    if len(shape) != 2 or not is_constant(g, value) or not g.type_of(value).is_static or product(shape) < LARGE_WEIGHT:  # type: ignore[operator]
        return None
    rows, depth = (int(n) for n in shape)  # type: ignore[arg-type]
    node = g.producer(value)
    if node.op == "reshape":
        node = g.producer(node.inputs[0])
    whole = node.type.shape
    if node.type.dtype is not DType.F32 or whole not in ((rows, depth), (rows, *_grouped(whole, depth))):
        return None
    group = int(whole[-1])  # type: ignore[arg-type]
    scale = zero = None
    if node.op == "mul":
        numbers, scale = node.inputs
        if g.type_of(numbers).shape != whole:
            return None
        node = g.producer(numbers)
    if node.op == "sub":
        numbers, zero = node.inputs
        if g.type_of(numbers).shape != whole:
            return None
        node = g.producer(numbers)
    if node.op != "cast" or g.type_of(node.inputs[0]).dtype is not DType.I8 or (group % STEP and group != depth):
        return None
    each = (rows, depth // group)
    parts = [None if v is None else _for_groups(g, v, each, len(whole)) for v in (scale, zero)]
    if any(v is not None and p is None for v, p in zip((scale, zero), parts)):
        return None
    return ByteWeight(_matrix(g, node.inputs[0], (rows, depth)), parts[0], parts[1], group)


def _grouped(shape: tuple[DimLike, ...], depth: int) -> tuple[DimLike, ...]:
    """The last two sizes of [out, groups, channels], if groups of so many channels make up the depth."""
    sizes = shape[1:]
    return sizes if len(sizes) == 2 and product(sizes) == depth else ()


def _matrix(g: Editor, value: str, shape: tuple[int, int]) -> str:
    return value if g.type_of(value).shape == shape else g.add("reshape", [value], shape=shape)


def _for_groups(g: Editor, value: str, each: tuple[int, int], rank: int) -> str | None:
    """What varies with rows and groups alone as float32 [out, groups]; None if it varies within a group."""
    shape = g.type_of(value).shape
    full = (*(1,) * (rank - len(shape)), *shape)
    if full[-1] != 1 or any(a not in (1, b) for a, b in zip(full, each)):
        return None
    wide = value if g.type_of(value).dtype is DType.F32 else g.add("cast", [value], dtype=DType.F32)
    sizes = (full[0], full[1] if rank == 3 else 1)
    matrix = wide if shape == sizes else g.add("reshape", [wide], shape=sizes)
    return matrix if sizes == each else g.add("expand", [matrix], shape=each)


def _product(g: Editor, node: Node, x: str, weight: ByteWeight) -> str:
    scales = weight.scales
    if scales is None:
        each = (g.type_of(weight.codes).shape[0], 1)
        scales = g.add("expand", [g.constant(np.float32(1), DType.F32)], shape=each)
    operands = [x, weight.codes, scales, *(() if weight.zeros is None else (weight.zeros,))]
    return g.add("weight_only_linear", operands, group=weight.group, origin=node.origin)


def find_weight_only_products(graph: Graph, sizes: GraphSizes) -> Graph:
    """Apply the rules below until none matches."""

    def takes(g: Editor, node: Node, x: str) -> bool:
        rows = product(g.type_of(x).shape[:-1])
        few = isinstance(rows, int) and 0 < rows <= sizes.byte_weight_rows
        return few and node.type.dtype is DType.F32 and not is_constant(g, x)

    @rule("linear")
    def linear_of_byte_weight(g: Editor, node: Node) -> str | None:
        """linear(x, (q - z) * s, b) -> weight_only_linear(x, q, s, z) + b for few rows"""
        x, w, *bias = node.inputs
        weight = byte_weight(g, w) if takes(g, node, x) else None
        if weight is None:
            return None
        y = _product(g, node, x, weight)
        return g.add("add", [y, *bias], origin=node.origin) if bias else y

    @rule("matmul")
    def matmul_of_byte_weight(g: Editor, node: Node) -> str | None:
        """matmul(x, permute(w)) -> weight_only_linear(x, w's bytes) for few rows, also where bytes are permuted before they are floats"""
        x, w = node.inputs
        rows = _rows_of(g, node, w) if takes(g, node, x) and is_constant(g, w) else None
        weight = None if rows is None else byte_weight(g, rows)
        return None if weight is None else _product(g, node, x, weight)

    return apply_rules(graph, (linear_of_byte_weight, matmul_of_byte_weight))


def _rows_of(g: Editor, node: Node, w: str) -> str | None:
    """The matrix [out, in] of floats whose transpose w is."""
    source = g.producer(w)
    if source.op == "permute" and source.attrs["order"] == (1, 0):
        return source.inputs[0]
    turned = g.producer(source.inputs[0], op="permute") if source.op == "cast" else None
    if turned is None or turned.attrs["order"] != (1, 0):
        return None
    return g.add("cast", [turned.inputs[0]], dtype=DType.F32, origin=node.origin)
