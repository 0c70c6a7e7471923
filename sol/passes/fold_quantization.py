"""Steps between floats and bytes that cancel: moves of dequantised values become moves of bytes, and quantising what was just dequantised
gives the bytes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sol.ir.graph import Graph, Node
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.quantized_values import Dequantized, Quantized, Quotient, dequantized, is_single, number, quantized, same_number


def _moved(g: Editor, node: Node, q: str, like: Dequantized, attrs: dict[str, Any], more: Sequence[str] = ()) -> str:
    """The op on bytes, dequantised behind it with one scale and one zero point."""
    bytes_ = g.add(node.op, [q, *more], origin=node.origin, **attrs)
    zero = like.shifted.zero
    return _dequantize(g, node, bytes_, None if zero is None else _scalar(g, zero), _scalar(g, like.scale))


def _dequantize(g: Editor, node: Node, q: str, zero: str | None, scale: str) -> str:
    y = g.add("cast", [q], dtype=DType.F32, origin=node.origin)
    if zero is not None:
        y = g.add("sub", [y, zero], origin=node.origin)
    return g.add("mul", [y, scale], origin=node.origin)


def _scalar(g: Editor, value: str) -> str:
    return g.add("reshape", [value], shape=()) if g.type_of(value).rank else value


def _of_one_scale(g: Editor, value: str) -> Dequantized | None:
    """A value that is dequantised with one scale and one zero point."""
    found = dequantized(g, value)
    if found is None or not is_single(g, found.scale) or not is_single(g, found.shifted.zero):
        return None
    return found


@rule("reshape", "permute", "expand", "slice", "flip", "take", "copy")
def move_of_bytes(g: Editor, node: Node) -> str | None:
    """move((q - zero) * scale) -> (move(q) - zero) * scale"""
    found = _of_one_scale(g, node.inputs[0])
    if found is None:
        return None
    return _moved(g, node, found.shifted.q, found, dict(node.attrs), node.inputs[1:])


@rule("resample")
def repetition_of_bytes(g: Editor, node: Node) -> str | None:
    """resample((q - zero) * scale) -> (take(take(q)) - zero) * scale where each element of the result is one of the operand's"""
    found = _of_one_scale(g, node.inputs[0])
    tables = [_literal(g, v) for v in node.inputs[1:]]
    if found is None or any(t is None or len(t) != 1 for t in tables) or any((w != 1).any() for w in tables[1::2] if w is not None):
        return None
    q = found.shifted.q
    for dim, places in zip((2, 3), tables[::2]):
        q = g.add("take", [q, g.constant(places[0], DType.I64)], dim=dim, origin=node.origin)  # type: ignore[index]  # none is None
    zero = found.shifted.zero
    return _dequantize(g, node, q, None if zero is None else _scalar(g, zero), _scalar(g, found.scale))


def _literal(g: Editor, value: str) -> np.ndarray | None:
    node = g.producer(value)
    return node.attrs["value"].value if node.op == "constant" else None


@rule("permute")
def permute_of_bytes(g: Editor, node: Node) -> str | None:
    """permute((q - zero) * scale) -> (permute(q) - permute(zero)) * permute(scale) for scales that vary along a dimension"""
    found = dequantized(g, node.inputs[0])
    if found is None or is_single(g, found.scale) and is_single(g, found.shifted.zero):
        return None

    def turned(value: str) -> str:
        type_ = g.type_of(value)
        if type_.size == 1:
            return _scalar(g, value)
        missing = node.type.rank - type_.rank
        full = g.add("reshape", [value], shape=(*(1,) * missing, *type_.shape)) if missing else value
        return g.add("permute", [full], order=node.attrs["order"], origin=node.origin)

    zero = found.shifted.zero
    return _dequantize(g, node, turned(found.shifted.q), None if zero is None else turned(zero), turned(found.scale))


@rule("pad")
def pad_of_bytes(g: Editor, node: Node) -> str | None:
    """pad((q - zero) * scale, 0) -> (pad(q, zero) - zero) * scale"""
    found = _of_one_scale(g, node.inputs[0])
    zero = None if found is None else 0.0 if found.shifted.zero is None else number(g, found.shifted.zero)
    if found is None or zero is None or node.attrs["value"] != 0:
        return None
    return _moved(g, node, found.shifted.q, found, {**node.attrs, "value": int(zero)})


@rule("max_pool")
def pool_of_bytes(g: Editor, node: Node) -> str | None:
    """max_pool((q - zero) * scale) -> (max_pool(q) - zero) * scale for a positive scale"""
    found = _of_one_scale(g, node.inputs[0])
    scale = None if found is None else number(g, found.scale)
    if found is None or scale is None or not scale > 0:
        return None
    return _moved(g, node, found.shifted.q, found, dict(node.attrs))


@rule("concat")
def concat_of_bytes(g: Editor, node: Node) -> str | None:
    """concat of values with the same zero point and scale -> (concat(q…) - zero) * scale"""
    found = [_of_one_scale(g, v) for v in node.inputs]
    first = found[0]
    if first is None:
        return None
    for other in found:
        if other is None or g.type_of(other.shifted.q).dtype is not g.type_of(first.shifted.q).dtype:
            return None
        if not same_number(g, other.scale, first.scale) or not same_number(g, other.shifted.zero, first.shifted.zero):
            return None
    rest = [f.shifted.q for f in found[1:] if f is not None]
    return _moved(g, node, first.shifted.q, first, dict(node.attrs), rest)


@rule("cast")
def quantize_of_dequantized(g: Editor, node: Node) -> str | None:
    """saturate(round(((q - zero) * scale) / scale) + zero) -> q"""
    found = quantized(g, node)
    if found is None or found.quotient is None:
        return None
    value = dequantized(g, found.quotient.x)
    if not found.full or value is None or g.type_of(value.shifted.q) != node.type or not is_single(g, value.scale):
        return None
    if not found.quotient.cancels(g, value.scale) or not same_number(g, value.shifted.zero, found.zero):
        return None
    return value.shifted.q


@rule("cast")
def quantize_of_concat(g: Editor, node: Node) -> str | None:
    """quantise(concat(x…)) -> concat(quantise(x)…) where an operand is dequantised: bytes are moved, not floats"""
    found = quantized(g, node)
    concat = None if found is None or found.quotient is None else g.producer(found.quotient.x, op="concat")
    if concat is None or found is None or found.quotient is None or g.sole_user(concat.name) is None:
        return None
    if not _of_one(g, found) or not any(dequantized(g, v) for v in concat.inputs):
        return None
    parts = [_quantize(g, node, v, found.quotient, found.zero) for v in concat.inputs]
    return g.add("concat", parts, origin=node.origin, **concat.attrs)


@rule("cast")
def quantize_of_pool(g: Editor, node: Node) -> str | None:
    """quantise(max_pool(x)) -> max_pool(quantise(x)) for a positive scale: what is larger stays so, and bytes are pooled"""
    found = quantized(g, node)
    pool = None if found is None or found.quotient is None else g.producer(found.quotient.x, op="max_pool")
    if pool is None or found is None or found.quotient is None or g.sole_user(pool.name) is None or not _of_one(g, found):
        return None
    scale = number(g, found.quotient.factor or found.quotient.scale)
    if scale is None or not scale > 0:
        return None
    return g.add("max_pool", [_quantize(g, node, pool.inputs[0], found.quotient, found.zero)], origin=node.origin, **pool.attrs)


def _of_one(g: Editor, found: Quantized) -> bool:
    """Whether a value is quantised with one scale and one zero point."""
    assert found.quotient is not None
    return is_single(g, found.quotient.factor or found.quotient.scale) and is_single(g, found.zero)


def _quantize(g: Editor, like: Node, x: str, by: Quotient, zero: str | None) -> str:
    """A value quantised as the chain that ends in ``like`` does it."""
    at, clamp = like.origin, g.producer(like.inputs[0])
    quotient = [x, _scalar(g, by.factor or by.scale)]  # type: ignore[arg-type]
    y = g.add("round", [g.add("mul" if by.factor else "div", quotient, origin=at)], origin=at)
    if zero is not None:
        y = g.add("add", [y, _scalar(g, zero)], origin=at)
    return g.add("cast", [g.add("clamp", [y], origin=clamp.origin, **clamp.attrs)], dtype=like.type.dtype, origin=at)


RULES = (move_of_bytes, repetition_of_bytes, permute_of_bytes, pad_of_bytes, pool_of_bytes, concat_of_bytes, quantize_of_dequantized,
         quantize_of_concat, quantize_of_pool)  # fmt: skip


def fold_quantization(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, RULES)
