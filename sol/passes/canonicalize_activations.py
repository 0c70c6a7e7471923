"""Activation functions that exporters write out become the one op that kernels know; those of bfloat16 are computed as such."""

from __future__ import annotations

import math

from sol.ir.graph import Graph, Node
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.factors import close, factors, pairs, plus_number

_ROOT_HALF = math.sqrt(0.5)
_ROOT_2_PI = math.sqrt(2.0 / math.pi)


def _takes(g: Editor, node: Node, *values: str) -> bool:
    """Whether values have the node's own type: nothing is broadcast."""
    return all(g.type_of(v) == node.type for v in values)


@rule("mul", "div")
def erf_to_gelu(g: Editor, node: Node) -> str | None:
    """0.5 x (1 + erf(x / sqrt(2))) -> gelu(x)"""
    half, found = factors(g, node.name)
    for x, other in pairs(found) if close(half, 0.5) else ():
        inner = plus_number(g, other, 1.0)
        erf = inner and g.producer(inner, op="erf")
        if erf and _takes(g, node, x):
            scale, argument = factors(g, erf.inputs[0])
            if argument == [x] and close(scale, _ROOT_HALF):
                return g.add("gelu", [x], approximate="none", origin=node.origin)
    return None


@rule("mul", "div")
def tanh_to_gelu(g: Editor, node: Node) -> str | None:
    """0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) -> gelu(x), tanh approximation"""
    half, found = factors(g, node.name)
    for x, other in pairs(found) if close(half, 0.5) else ():
        inner = plus_number(g, other, 1.0)
        tanh = inner and g.producer(inner, op="tanh")
        if tanh and _takes(g, node, x) and _is_cubic(g, tanh.inputs[0], x):
            return g.add("gelu", [x], approximate="tanh", origin=node.origin)
    return None


def _is_cubic(g: Editor, value: str, x: str) -> bool:
    """value = sqrt(2/pi) (x + 0.044715 x^3)"""
    scale, found = factors(g, value)
    total = g.producer(found[0], op="add") if len(found) == 1 else None
    if total is None or not close(scale, _ROOT_2_PI):
        return False
    for first, other in (total.inputs, total.inputs[::-1]):
        weight, cube = factors(g, other)
        if first == x and close(weight, 0.044715) and cube == [x, x, x]:
            return True
    return False


@rule("mul", "div")
def clamp_to_hardswish(g: Editor, node: Node) -> str | None:
    """x clamp(x + 3, 0, 6) / 6 -> hardswish(x), and x hardsigmoid(x) likewise"""
    scale, found = factors(g, node.name)
    for x, other in pairs(found):
        gate = g.producer(other)
        whole = gate.op == "hardsigmoid" and gate.inputs == (x,) and scale == 1.0
        sixth = close(scale, 1 / 6) and _shifted(g, other) == x
        if (whole or sixth) and _takes(g, node, x):
            return g.add("hardswish", [x], origin=node.origin)
    return None


@rule("mul", "div")
def clamp_to_hardsigmoid(g: Editor, node: Node) -> str | None:
    """clamp(x + 3, 0, 6) / 6 -> hardsigmoid(x)"""
    scale, found = factors(g, node.name)
    x = _shifted(g, found[0]) if len(found) == 1 and close(scale, 1 / 6) else None
    return g.add("hardsigmoid", [x], origin=node.origin) if x and _takes(g, node, x) else None


def _shifted(g: Editor, value: str) -> str | None:
    """x of ``clamp(x + 3, 0, 6)``"""
    clamp = g.producer(value, op="clamp")
    if clamp is None or clamp.attrs["low"] != 0 or clamp.attrs["high"] != 6:
        return None
    return plus_number(g, clamp.inputs[0], 3.0)


@rule("mul")
def tanh_to_mish(g: Editor, node: Node) -> str | None:
    """x tanh(softplus(x)) -> mish(x)"""
    for x, other in (node.inputs, node.inputs[::-1]):
        tanh = g.producer(other, op="tanh")
        plus = tanh and g.producer(tanh.inputs[0], op="softplus")
        if plus and plus.inputs == (x,) and plus.attrs["beta"] == 1.0 and plus.attrs["threshold"] >= 20 and _takes(g, node, x):
            return g.add("mish", [x], origin=node.origin)
    return None


@rule("cast")
def function_of_bfloat16(g: Editor, node: Node) -> str | None:
    """cast(f(cast(x))) -> f(x) of bfloat16, which is computed in float32 and rounded, too, but by shorter polynomials"""
    inner = g.producer(node.inputs[0])
    if node.type.dtype is not DType.BF16 or inner.type.dtype is not DType.F32 or g.sole_user(inner.name) is not node:
        return None
    wide = g.producer(inner.inputs[0], op="cast") if inner.op in POINTWISE and len(inner.inputs) == 1 else None
    if wide is None or inner.op == "cast" or g.type_of(wide.inputs[0]) != node.type:
        return None
    return g.add(inner.op, [wide.inputs[0]], **inner.attrs, origin=inner.origin)


RULES = (function_of_bfloat16, erf_to_gelu, tanh_to_gelu, clamp_to_hardswish, clamp_to_hardsigmoid, tanh_to_mish)


def canonicalize_activations(graph: Graph) -> Graph:
    """Apply the rules above until none matches."""
    return apply_rules(graph, RULES)
