"""Values that are quantised and dequantised at once stay floats: whole numbers between limits are the same as bytes.

Where two such values are added, one of them is in the registers of the product behind which the addition comes; the other one goes through
memory, as bytes.
"""

from __future__ import annotations

from collections.abc import Mapping

from sol.ir.graph import Graph, Node
from sol.ir.ops.pointwise import POINTWISE
from sol.ir.rewrite import Editor, apply_rules, rule
from sol.ir.types import DType
from sol.passes.canonicalize_ops import is_constant
from sol.passes.quantized_values import BYTES, FAR, number, quantized


@rule("sub")
def limits_less_zero(g: Editor, node: Node) -> str | None:
    """clamp(round(x) + z, low, high) - z -> clamp(round(x), low - z, high - z) for a whole number z"""
    clamp = g.producer(node.inputs[0], op="clamp")
    zero = number(g, node.inputs[1])
    if clamp is None or zero is None or not zero.is_integer() or g.sole_user(clamp.name) is not node:
        return None
    added, (low, high) = g.producer(clamp.inputs[0], op="add"), (clamp.attrs["low"], clamp.attrs["high"])
    if added is None or number(g, added.inputs[1]) != zero or low is None or high is None or node.type != clamp.type:
        return None
    rounded = g.producer(added.inputs[0], op="round")
    if rounded is None or rounded.type != clamp.type or rounded.type.dtype is not DType.F32:
        return None
    return g.add("clamp", [rounded.name], low=low - zero, high=high - zero, origin=clamp.origin)


def fold_requantization(graph: Graph) -> Graph:
    """Apply the rules above and below until none matches."""
    place = {n.name: i for i, n in enumerate(graph.nodes)}

    @rule("cast")
    def float_of_fresh_bytes(g: Editor, node: Node) -> str | None:
        """cast(cast(clamp(round(x) + z), u8), f32) -> clamp(round(x) + z) where nobody else reads the bytes and z is a whole number"""
        fresh = g.producer(node.inputs[0], op="cast")
        if node.type.dtype is not DType.F32 or fresh is None or fresh.type.dtype not in BYTES or g.sole_user(fresh.name) is not node:
            return None
        found = quantized(g, fresh)
        if found is None or not _stays_in_registers(g, node, place):
            return None
        zero = 0.0 if found.zero is None else number(g, found.zero)
        return fresh.inputs[0] if zero is not None and zero.is_integer() else None

    return apply_rules(graph, (float_of_fresh_bytes, limits_less_zero))


def _stays_in_registers(g: Editor, node: Node, place: Mapping[str, int]) -> bool:
    """Whether what is computed from a value is computed behind the product that made it: of two products, behind the later one."""
    anchor = _anchor(g, node.name)
    for _ in range(FAR):
        user = g.sole_user(node.name)
        if user is None or user.op not in POINTWISE:
            return True
        for other in user.inputs:
            made = None if other == node.name or is_constant(g, other) else _anchor(g, other)
            if made is not None and (anchor is None or place.get(made, 0) > place.get(anchor, 0)):
                return False
        node = user
    return False


def _anchor(g: Editor, value: str) -> str | None:
    """The op behind which a value is computed element by element, if nothing on the way is read elsewhere, too."""
    for _ in range(FAR):
        node = g.producer(value)
        if node.op not in POINTWISE:
            return None if node.op in ("input", "parameter", "constant") else node.name
        if g.sole_user(value) is None:
            return None
        images = [i for i in node.inputs if not is_constant(g, i) and g.type_of(i).shape == node.type.shape]
        if not images:
            return None
        value = images[0]
    return None
