"""Elements at places that the graph itself states: padding by reflection, resampling to the nearest element, repetition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_axes, need_operands
from sol.ir.types import TensorType


def _infer_pick(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    (x,), dims, index = operands, attrs["dims"], attrs["index"]
    need_axes(x, dims)
    need(len(dims) == len(index) and list(dims) == sorted(dims), f"{len(index)} lists of places for dimensions {dims}")
    shape = list(x.shape)
    for dim, places in zip(dims, index):
        size = shape[dim]
        need(isinstance(size, int) and all(0 <= p < size for p in places), f"a place is outside of dimension {dim} of {x}")
        shape[dim] = len(places)
    return TensorType(x.dtype, tuple(shape))


@op("pick", "move", _infer_pick, dims=REQUIRED, index=REQUIRED)
def pick(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """``out[i][j] = x[index[0][i]][index[1][j]]`` for dims (0, 1); dimensions that are not listed stay whole."""
    for dim, places in zip(attrs["dims"], attrs["index"]):
        x = np.take(x, np.asarray(places, np.int64), axis=dim)
    return x
