"""Norms, softmax and attention as products, reductions and pointwise steps, for targets that have kernels of those alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sol.ir.dim import product
from sol.ir.graph import Graph, Node, Origin
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.canonicalize_types import HALVES, widened


class _Steps:
    """Adds nodes that stand for one."""

    def __init__(self, g: Editor, origin: Origin) -> None:
        self.g, self.origin = g, origin

    def __call__(self, op: str, *inputs: str, **attrs: Any) -> str:
        return self.g.add(op, list(inputs), origin=self.origin, **attrs)  # type: ignore[no-any-return]

    def number(self, value: float, dtype: DType) -> str:
        return self.g.constant(np.asarray(value, dtype.numpy), dtype)


@rule("softmax", "log_softmax")
def softmax_in_steps(g: Editor, node: Node) -> str:
    """exp(x - max) / sum, or x - max - log(sum)"""
    add, dims = _Steps(g, node.origin), (node.attrs["dim"],) if node.type.rank else ()
    shifted = add("sub", node.inputs[0], add("max", node.inputs[0], dims=dims, keepdims=True))
    powers = add("exp", shifted)
    total = add("sum", powers, dims=dims, keepdims=True)
    return add("div", powers, total) if node.op == "softmax" else add("sub", shifted, add("log", total))


def _standardised(add: _Steps, x: str, dims: tuple[int, ...], eps: float, dtype: DType) -> str:
    centred = add("sub", x, add("mean", x, dims=dims, keepdims=True))
    variance = add("mean", add("square", centred), dims=dims, keepdims=True)
    return add("div", centred, add("sqrt", add("add", variance, add.number(eps, dtype))))


@rule("layer_norm")
def layer_norm_in_steps(g: Editor, node: Node) -> str:
    """(x - mean) / sqrt(variance + eps) * weight + bias"""
    add, rank = _Steps(g, node.origin), node.type.rank
    y = _standardised(add, node.inputs[0], tuple(range(rank - node.attrs["dims"], rank)), node.attrs["eps"], node.type.dtype)
    for op, operand in zip(("mul", "add"), node.inputs[1:]):
        y = add(op, y, operand)
    return y


@rule("rms_norm")
def rms_norm_in_steps(g: Editor, node: Node) -> str:
    """x / sqrt(mean(x^2) + eps) * weight"""
    add, rank, x = _Steps(g, node.origin), node.type.rank, node.inputs[0]
    mean = add("mean", add("square", x), dims=tuple(range(rank - node.attrs["dims"], rank)), keepdims=True)
    y = add("div", x, add("sqrt", add("add", mean, add.number(node.attrs["eps"], node.type.dtype))))
    return add("mul", y, node.inputs[1]) if len(node.inputs) > 1 else y


@rule("group_norm")
def group_norm_in_steps(g: Editor, node: Node) -> str:
    """As layer norm over the channels of a group and all positions"""
    add, shape, groups = _Steps(g, node.origin), node.type.shape, node.attrs["groups"]
    grouped = add("reshape", node.inputs[0], shape=(shape[0], groups, product(shape[1:]) // groups))
    y = add("reshape", _standardised(add, grouped, (2,), node.attrs["eps"], node.type.dtype), shape=shape)
    for op, operand in zip(("mul", "add"), node.inputs[1:]):
        y = add(op, y, _of_channels(add, operand, node))
    return y


@rule("batch_norm")
def batch_norm_in_steps(g: Editor, node: Node) -> str:
    """(x - mean) * (weight / sqrt(variance + eps)) + bias"""
    x, weight, bias, mean, variance = node.inputs
    add = _Steps(g, node.origin)
    scale = add("div", weight, add("sqrt", add("add", variance, add.number(node.attrs["eps"], node.type.dtype))))
    y = add("mul", add("sub", x, _of_channels(add, mean, node)), _of_channels(add, scale, node))
    return add("add", y, _of_channels(add, bias, node))


def _of_channels(add: _Steps, vector: str, node: Node) -> str:
    return add("reshape", vector, shape=(1, node.type.shape[1], *(1 for _ in node.type.shape[2:])))


@rule("var")
def variance_in_steps(g: Editor, node: Node) -> str:
    """Sum of squared distances from the mean over count - correction"""
    add, x, dims = _Steps(g, node.origin), node.inputs[0], tuple(node.attrs["dims"])
    sizes = [g.type_of(x).shape[i] for i in dims]
    left = max(0.0, math.prod(int(s) for s in sizes) - node.attrs["correction"])  # type: ignore[arg-type]
    centred = add("sub", x, add("mean", x, dims=dims, keepdims=True))
    total = add("sum", add("square", centred), dims=dims, keepdims=node.attrs["keepdims"])
    return add("div", total, add.number(left, node.type.dtype))


@rule("sdpa")
def attention_in_steps(g: Editor, node: Node) -> str:
    """exp(q k^T * scale + mask - max) v / sum; a row that attends to nothing gives zeros. Of 16-bit floats in float32"""
    if wide := widened(g, node, HALVES):
        return wide[0]
    add, (q, k, v, *masks), dtype = _Steps(g, node.origin), node.inputs, node.type.dtype
    rank = g.type_of(k).rank
    turned = add("permute", k, order=(*range(rank - 2), rank - 1, rank - 2))
    scores = add("mul", add("matmul", q, turned), add.number(node.attrs["scale"], dtype))
    rows, columns = (int(d) for d in g.type_of(scores).shape[-2:])  # type: ignore[arg-type]
    nothing = add.number(-math.inf, dtype)
    if node.attrs["causal"]:
        seen = g.constant(np.tri(rows, columns, dtype=np.bool_), DType.BOOL)
        scores = add("where", seen, scores, nothing)
    for mask in masks:
        is_bool = g.type_of(mask).dtype is DType.BOOL
        scores = add("add", scores, add("where", mask, add.number(0.0, dtype), nothing) if is_bool else mask)
    last = (g.type_of(scores).rank - 1,)
    top = add("max", scores, dims=last, keepdims=True)
    top = add("where", add("eq", top, nothing), add.number(0.0, dtype), top)
    powers = add("exp", add("sub", scores, top))
    total = add("sum", powers, dims=last, keepdims=True)
    total = add("where", add("eq", total, add.number(0.0, dtype)), add.number(1.0, dtype), total)
    return add("div", add("matmul", powers, v), total)


RULES = (
    softmax_in_steps, layer_norm_in_steps, rms_norm_in_steps, group_norm_in_steps, batch_norm_in_steps, variance_in_steps,
    attention_in_steps,
)  # fmt: skip


def spell_out(graph: Graph) -> Graph:
    """Apply all of these rules to a graph without open sizes."""
    return apply_rules(graph, RULES)
