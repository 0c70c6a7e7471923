"""Types that a family has no kernels for: 16-bit floats are computed in float32, as torch does; attention of doubles is spelled out.

Products with constant weights read and write narrow floats (`NARROW_FLOATS`) themselves.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np

from sol.ir.graph import Graph, Node
from sol.ir.lanes import NARROW_FLOATS
from sol.ir.rewrite import Editor, Rule, apply_rules, rule
from sol.ir.types import DType
from sol.passes.assign_layout import is_blockable
from sol.passes.turn_transposed import is_turned

HALVES = (DType.F16, DType.BF16)


def _origin(node: Node) -> dict[str, Any]:
    return {"origin": node.origin}


@rule("sdpa_grad", "sdpa_dropped", "sdpa_dropped_grad", "lstm_scan", "gru_scan", "rnn_scan", "lstm_scan_grad", "gru_scan_grad",
      "rnn_scan_grad", "max_pool_grad", "avg_pool_grad", "adaptive_avg_pool_grad", "resample")  # fmt: skip
def narrow_to_f32(g: Editor, node: Node) -> tuple[str, ...] | None:
    """op(x, w) -> cast(op(cast(x), cast(w))) of 16-bit floats"""
    return widened(g, node, HALVES)


@rule("max_pool", "adaptive_max_pool", "avg_pool", "adaptive_avg_pool", "argmax_pool", "batch_norm", "layer_norm", "rms_norm",
      "softmax", "log_softmax", "sum", "mean", "var")  # fmt: skip
def narrow_row(g: Editor, node: Node) -> tuple[str, ...] | None:
    """op(x) -> cast(op(cast(x))) of floats that products keep narrow: poolings, and what adds up rows"""
    return widened(g, node, NARROW_FLOATS)


def products(graph: Graph, lanes: int, matrix_tiles: bool, pairs: bool) -> tuple[Rule, ...]:
    """The rules for products; those of constant weights are seen in the graph."""
    constants = graph.constant_values

    @rule("conv")
    def convolution_to_f32(g: Editor, node: Node) -> tuple[str, ...] | None:
        """conv(x, w) -> cast(conv(cast(x), cast(w))) of 16-bit floats where no kernel reads them"""
        x, w = (g.type_of(v) for v in node.inputs[:2])
        if is_blockable(node, x, w, lanes) and constants.issuperset(node.inputs[1:]):
            return None
        return widened(g, node, HALVES, constants)

    @rule("conv_transpose")
    def transposed_to_f32(g: Editor, node: Node) -> tuple[str, ...] | None:
        """conv_transpose(x, w) -> cast(conv_transpose(cast(x), cast(w))) of 16-bit floats where it does not become a convolution"""
        return None if is_turned(g, node, lanes) else widened(g, node, HALVES, constants)

    @rule("linear", "matmul")
    def product_to_f32(g: Editor, node: Node) -> tuple[str, ...] | None:
        """a @ b -> cast(cast(a) @ cast(b)) of floats that products keep narrow, where b is no constant; products in pairs read matrices"""
        types = [g.type_of(v) for v in node.inputs]
        matrices = node.op == "matmul" and all(t.dtype is DType.BF16 and t.rank == 2 and t.is_static for t in types)
        large = matrices and min(int(n) for t in types for n in t.shape) >= lanes  # type: ignore[arg-type]
        return None if constants.issuperset(node.inputs[1:]) or pairs and large else widened(g, node, NARROW_FLOATS)

    @rule("conv_weight_grad")
    def weight_gradient_to_f32(g: Editor, node: Node) -> tuple[str, ...] | None:
        """conv_weight_grad(x, grad) -> cast(conv_weight_grad(cast(x), cast(grad))) of 16-bit floats; matrix tiles read bfloat16, and so do
        products in pairs where Winograd's algorithm does not serve"""
        x, (kernels, *_) = g.type_of(node.inputs[0]), node.type.shape
        if node.attrs["dtype"] is not None:
            return None
        whole = all(isinstance(c, int) and c >= lanes for c in (x.shape[1], kernels)) and node.attrs["groups"] == 1
        alone = len(x.shape) == 4 and ({*node.attrs["kernel"]} == {1} or {*node.attrs["stride"], *node.attrs["dilation"]} != {1})
        is_read = x.dtype is DType.BF16 and (matrix_tiles or pairs and alone)
        if not (is_read and whole and x.is_static and is_blockable(node, x, node.type, lanes)):
            return widened(g, node, HALVES)
        found = g.add("conv_weight_grad", node.inputs, **node.attrs.having(dtype=DType.F32), **_origin(node))
        return (g.add("cast", [found], dtype=x.dtype, **_origin(node)),)

    @rule("weight_only_linear")
    def weight_only_to_f32(g: Editor, node: Node) -> tuple[str, ...] | None:
        """weight_only_linear(x, codes) -> cast(weight_only_linear(cast(x), codes)) of 16-bit floats that no kernel reads"""
        x, *quantized = node.inputs
        kind = g.type_of(x).dtype
        if kind is not DType.F16 and (kind is not DType.BF16 or constants.issuperset(quantized)):
            return None
        y = g.add(node.op, [g.add("cast", [x], dtype=DType.F32, **_origin(node)), *quantized], **node.attrs, **_origin(node))
        return (g.add("cast", [y], dtype=kind, **_origin(node)),)

    return convolution_to_f32, transposed_to_f32, product_to_f32, weight_gradient_to_f32, weight_only_to_f32


def widened(g: Editor, node: Node, narrow: tuple[DType, ...], constants: Collection[str] = ()) -> tuple[str, ...] | None:
    """The results of an op on operands of narrow types, computed in float32.

    constants: values of which float32 that was rounded to a narrow type is taken as it was before, which is what packers read.
    """
    kinds = [g.type_of(v).dtype for v in node.inputs]
    if not any(kind in narrow for kind in kinds):
        return None
    wide = [
        v if kind not in narrow else _unrounded(g, v, constants) or g.add("cast", [v], dtype=DType.F32, **_origin(node))
        for v, kind in zip(node.inputs, kinds)
    ]
    made = g.add(node.op, wide, **node.attrs, **_origin(node))
    results = zip((made,) if isinstance(made, str) else made, node.types)
    return tuple([g.add("cast", [v], dtype=t.dtype, **_origin(node)) if t.dtype in narrow else v for v, t in results])


def _unrounded(g: Editor, value: str, constants: Collection[str]) -> str:
    """The float32 constant of which a constant is the rounding; "" if it is none."""
    node = g.producer(value) if value in constants else None
    return node.inputs[0] if node is not None and node.op == "cast" and g.type_of(node.inputs[0]).dtype is DType.F32 else ""


@rule("sdpa")
def attention_to_f32(g: Editor, node: Node) -> str | None:
    """sdpa(q, k, v) -> cast(sdpa(cast(q), cast(k), cast(v))) of float16; kernels read bfloat16, and masks of float32"""
    if node.type.dtype is DType.F16:
        (found,) = widened(g, node, HALVES) or ("",)
        return found
    *operands, mask = node.inputs
    if len(operands) < 3 or g.type_of(mask).dtype is not DType.BF16:
        return None
    wide = g.add("cast", [mask], dtype=DType.F32, **_origin(node))
    return g.add("sdpa", [*operands, wide], **node.attrs, **_origin(node))


@rule("sdpa")
def sdpa_of_doubles(g: Editor, node: Node) -> str | None:
    """sdpa(q, k, v, mask) of doubles -> softmax(q @ k^T * scale + mask) @ v, and zeros where a row attends to nothing"""
    q, k, v, *masks = node.inputs
    dtype, at = node.type.dtype, _origin(node)
    if dtype is not DType.F64:
        return None
    rank = g.type_of(k).rank
    turned = g.add("permute", [k], order=(*range(rank - 2), rank - 1, rank - 2), **at)
    scores = g.add("mul", [g.add("matmul", [q, turned], **at), g.constant(node.attrs["scale"], dtype)], **at)
    low = g.constant(-math.inf, dtype)
    if node.attrs["causal"]:
        rows, columns = g.type_of(scores).shape[-2:]
        if not isinstance(rows, int) or not isinstance(columns, int):
            return None
        masks.append(g.constant(np.tri(rows, columns, dtype=np.bool_), DType.BOOL))
    for mask in masks:
        if g.type_of(mask).dtype is DType.BOOL:
            scores = g.add("where", [mask, scores, low], **at)
        else:
            scores = g.add("add", [scores, mask], **at)
    weights = g.add("softmax", [scores], dim=g.type_of(scores).rank - 1, **at)
    if masks:
        none = g.add("eq", [g.add("max", [scores], dims=(g.type_of(scores).rank - 1,), keepdims=True, **at), low], **at)
        weights = g.add("where", [none, g.constant(0.0, dtype), weights], **at)
    return g.add("matmul", [weights, v], **at)


def canonicalize_types(graph: Graph, lanes: int, matrix_tiles: bool = False, pairs: bool = False) -> Graph:
    """The graph with these rewritten. lanes: float32 lanes of the target's vectors. matrix_tiles: whether it has such for bfloat16. pairs:
    whether it multiplies pairs of bfloat16 faster than float32."""
    return apply_rules(graph, (narrow_to_f32, narrow_row, *products(graph, lanes, matrix_tiles, pairs), attention_to_f32, sdpa_of_doubles))
