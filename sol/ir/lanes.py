"""Which values and pointwise ops vectors of 32-bit lanes serve: float32 and bfloat16, masks, and integers of up to 32 bits."""

from __future__ import annotations

from collections.abc import Sequence

from sol.ir.types import DType

NARROW_FLOATS = (DType.BF16,)
"""Floats of fewer bits than the lanes in which they are computed: rounded where they are stored or cast."""

FLOAT_LANES = (DType.F32, *NARROW_FLOATS)
"""Computed in lanes of float32."""

LANE_DTYPES = (*FLOAT_LANES, DType.BOOL, DType.I32, DType.I8, DType.U8)
"""Held in lanes of 32 bits; what memory holds may be narrower."""

LOADED_DTYPES = (*LANE_DTYPES, DType.U16, DType.I16)
"""Those that vectors read: what is in LANE_DTYPES, and integers to be cast to it."""

BYTE_LIMITS = {DType.U8: (0, 255), DType.I8: (-128, 127)}
"""The smallest and the largest number of a byte."""

_SHIFTS = ("shift_left", "shift_right", "gcd")
_OF_BITS = ("nextafter", "bitcast")
"""Ops that look at how a number is written."""
_OF_SMALL = ("cast", "where", "eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum", "clamp", "relu")
"""Ops of integers whose results are exact in 32 bits whatever the type's width."""
_OF_I32 = (*_OF_SMALL, "add", "sub", "mul", "neg", "square", "bitwise_and", "bitwise_or", "bitwise_xor")


def fits_lanes(op: str, result: DType, operands: Sequence[DType]) -> bool:
    """Whether vector code computes a pointwise op on values of these types."""
    dtypes = {result, *operands}
    if dtypes <= {DType.F32, DType.BOOL}:
        return op not in _SHIFTS
    if any(dtypes <= {narrow, DType.BOOL} for narrow in NARROW_FLOATS):
        return op not in (*_SHIFTS, *_OF_BITS)
    if op == "cast":
        return result in LANE_DTYPES and set(operands) <= set(LOADED_DTYPES)
    if not dtypes <= set(LANE_DTYPES):
        return False
    values = set(operands) - {DType.BOOL}
    return op in (_OF_I32 if values == {DType.I32} else _OF_SMALL) and len(values) == 1
