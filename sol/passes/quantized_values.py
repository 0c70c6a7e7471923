"""How quantised values look in a graph: ``(q - zero) * scale`` for a tensor q of bytes, and what is known of zero and scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sol.ir.graph import Node
from sol.ir.lanes import BYTE_LIMITS
from sol.ir.ops import spec_of
from sol.ir.rewrite import Editor
from sol.ir.types import DType

BYTES = (DType.U8, DType.I8)
REARRANGING = ("cast", "reshape", "expand", "permute", "take")
"""Ops whose results hold numbers of their first operand."""
DEEPEST = 4
"""Steps by which a literal or the bytes of a zero point are followed."""
FAR = 32
"""Ops through which a value is followed."""


@dataclass(frozen=True)
class Shifted:
    """``q - zero`` as numbers; zero is None for 0, else one of the numbers that q may be."""

    q: str
    zero: str | None


@dataclass(frozen=True)
class Dequantized:
    """``(q - zero) * scale``."""

    shifted: Shifted
    scale: str
    numbers: str


def number(g: Editor, value: str | None) -> float | None:
    """The one number that a value of one element holds, if it follows from literals by a few steps."""
    array = _literal(g, value, DEEPEST)
    return None if array is None or array.size != 1 else float(array.reshape(-1)[0])


def _literal(g: Editor, value: str | None, steps: int) -> np.ndarray | None:
    node = None if value is None else g.producer(value)
    if node is None or len(node.types) != 1 or not node.type.is_static or node.type.size != 1:
        return None
    if node.op == "constant":
        return node.attrs["value"].value
    if node.op not in ("cast", "reshape", "expand", "mul", "div") or not steps:
        return None
    operands = [_literal(g, i, steps - 1) for i in node.inputs]
    if any(o is None for o in operands):
        return None
    return np.asarray(spec_of(node.op).reference(node.attrs, *operands)).astype(node.type.dtype.numpy)


def same_number(g: Editor, a: str | None, b: str | None) -> bool:
    """Whether two values of one element are equal for certain; None stands for 0."""
    if a == b:
        return True
    first, second = (0.0 if v is None else number(g, v) for v in (a, b))
    return first is not None and first == second


def is_single(g: Editor, value: str | None) -> bool:
    """Whether a value has one element, or stands for 0."""
    return value is None or g.type_of(value).size == 1


def shifted(g: Editor, value: str) -> Shifted | None:
    """``cast(q)`` or ``cast(q) - zero`` of bytes."""
    node = g.producer(value)
    zero: str | None = None
    if node.op == "sub":
        value, zero = node.inputs
        if g.type_of(value).shape != node.type.shape:
            return None
        node = g.producer(value)
        if number(g, zero) == 0:
            zero = None
    dtype = g.type_of(node.inputs[0]).dtype if node.op == "cast" else None
    if dtype not in BYTES or zero is not None and not _holds_bytes(g, zero, dtype, DEEPEST):
        return None
    return Shifted(node.inputs[0], zero)


def _holds_bytes(g: Editor, value: str, dtype: DType, steps: int) -> bool:
    """Whether all elements of a value are for certain numbers that bytes of a type can be: a mean of pixels, say, is no zero point."""
    node, (low, high) = g.producer(value), BYTE_LIMITS[dtype]
    if node.op == "constant":
        array = node.attrs["value"].value
        return bool(np.all((array >= low) & (array <= high) & (array == np.rint(array))))
    if g.type_of(value).dtype is dtype:
        return True
    return steps > 0 and node.op in REARRANGING and _holds_bytes(g, node.inputs[0], dtype, steps - 1)


def dequantized(g: Editor, value: str) -> Dequantized | None:
    """``(q - zero) * scale`` in float32."""
    node = g.producer(value)
    if node.op != "mul" or node.type.dtype is not DType.F32:
        return None
    for numbers, scale in (node.inputs, node.inputs[::-1]):
        found = shifted(g, numbers)
        if found is not None and g.type_of(numbers).shape == node.type.shape:
            return Dequantized(found, scale, numbers)
    return None


@dataclass(frozen=True)
class Quotient:
    """``x / scale``, or ``x * factor`` where the factor is the scale's reciprocal."""

    x: str
    scale: str | None = None
    factor: str | None = None

    def cancels(self, g: Editor, scale: str) -> bool:
        """Whether ``(x * scale)`` divided so, rounded, is x for certain, for bytes x."""
        if self.scale is not None:
            return same_number(g, scale, self.scale)
        assert self.factor is not None
        inverse = g.producer(self.factor, op="div")
        if inverse is not None and inverse.inputs[1] == scale and number(g, inverse.inputs[0]) == 1:
            return True
        a, b = number(g, scale), number(g, self.factor)
        return a is not None and b is not None and abs(a * b - 1) < NEAR


NEAR = 2.0**-16
"""How near to 1 a scale times a reciprocal of it is: bytes multiplied by such a number round to themselves."""


@dataclass(frozen=True)
class Quantized:
    """``saturate(round(x) + zero)``, x being a float divided by the scale already; ``quotient`` is that division if there is one.

    full: whether all numbers of the type may come out.
    """

    x: str
    zero: str | None
    dtype: DType
    quotient: Quotient | None
    full: bool = True


def quantized(g: Editor, node: Node) -> Quantized | None:
    """What a cast to bytes rounds and saturates, if it does."""
    if node.op != "cast" or node.type.dtype not in BYTES:
        return None
    clamp = g.producer(node.inputs[0], op="clamp")
    if clamp is None:
        return None
    (low, high), (least, most) = (clamp.attrs["low"], clamp.attrs["high"]), BYTE_LIMITS[node.type.dtype]
    if low is None or high is None or not least <= low <= high <= most:
        return None
    inner, zero = clamp.inputs[0], None
    added = g.producer(inner, op="add")
    if added is not None:
        inner, zero = added.inputs
    rounded = g.producer(inner, op="round")
    if rounded is None or rounded.type != clamp.type or rounded.type.dtype is not DType.F32:
        return None
    return Quantized(rounded.inputs[0], zero, node.type.dtype, _quotient(g, rounded.inputs[0]), (low, high) == (least, most))


def _quotient(g: Editor, value: str) -> Quotient | None:
    node = g.producer(value)
    if node.op == "div":
        return Quotient(node.inputs[0], scale=node.inputs[1])
    if node.op != "mul" or g.type_of(node.inputs[0]).shape != node.type.shape:
        return None
    x, factor = node.inputs
    inverse = g.producer(factor, op="div")
    literal = number(g, factor)
    if literal is not None and literal > 0 or inverse is not None and number(g, inverse.inputs[0]) == 1:
        return Quotient(x, factor=factor)
    return None
