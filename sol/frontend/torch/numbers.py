"""Python numbers that are known only at a call: floats and ints among the arguments, and what ``item()`` takes out of tensors.

They are 0-d values of the graph (`Item`), so that a network that scales by such a number needs no detour through torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from sol.frontend.context import Item
from sol.frontend.torch.aten import Context
from sol.ir.dim import Dim
from sol.ir.types import DType

__all__ = ["Item", "number_of", "takes_numbers"]

_TAKE_NUMBERS = frozenset(
    "add sub rsub subtract mul multiply div true_divide divide pow remainder fmod floor_divide eq ne lt le gt ge not_equal less less_equal "
    "greater greater_equal where masked_fill full full_like new_full fill clamp clamp_min clamp_max scalar_tensor "
    "bitwise_and bitwise_or bitwise_xor __and__ __or__ __xor__".split()
)
"""ATen ops whose converters take a number as operand, whatever it is."""

_ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide", "mod": "remainder", "pow": "pow"}
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_KINDS = ((torch.SymBool, DType.BOOL), (torch.SymInt, DType.I64), (torch.SymFloat, DType.F64))


def takes_numbers(target: str) -> bool:
    """Whether the converter of ``aten.name.overload`` takes an `Item` where a number stands."""
    name = target.split(".")[1] if target.startswith("aten.") else ""
    return name in _TAKE_NUMBERS or (name.endswith("_") and name[:-1] in _TAKE_NUMBERS)


def number_of(ctx: Context, target: str, operands: Sequence[Any], meta: Any) -> Item | None:
    """The number that a node computes, as a value of the graph; None where only torch can say it.

    A whole number may be a size, which the call must know before it goes on: those come from torch.
    """
    kind = next(dtype for theirs, dtype in _KINDS if isinstance(meta, theirs))
    if kind is DType.I64:
        return None
    if target in ("aten.item.default", "aten._local_scalar_dense.default"):
        (x,) = operands
        return Item(ctx.reshape(ctx.cast(x, kind), ())) if isinstance(x, str) else None
    if not any(isinstance(o, Item) for o in operands) or not all(isinstance(o, (Item, Dim, int, float)) for o in operands):
        return None
    name = _name(target)
    if name in _COMPARISONS and len(operands) == 2:
        return Item(ctx.add(name, *[ctx.operand(o, DType.F64) for o in operands]))
    if kind is not DType.F64:
        return None
    values = [ctx.operand(o, kind) for o in operands]
    if name in _ARITHMETIC and len(values) == 2:
        return Item(ctx.add(_ARITHMETIC[name], *values))
    if name in ("sym_float", "float") and len(values) == 1:
        return Item(values[0])
    return Item(ctx.add("neg", *values)) if name == "neg" and len(values) == 1 else None


def _name(target: str) -> str:
    """``mul`` of ``<built-in function mul>``, ``sym_float`` of ``<function sym_float at …>``."""
    words = target.strip("<>").split()
    return words[words.index("function") + 1] if "function" in words else target
