"""Bags of rows: those of a table that a list names, added up bag by bag (the embedding of a bag of words)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_float, need_int, need_operands, need_shape
from sol.ir.types import TensorType

MODES = ("sum", "mean", "max")


def _infer_bags(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 3, 4)
    table, index, starts = operands[:3]
    need_float(table)
    need_int(index, starts)
    fits = table.rank == 2 and index.rank == 1 and starts.rank == 1
    need(fits, f"takes table[rows, columns] and two vectors, got {table}, {index}, {starts}")
    need(attrs["mode"] in MODES, f"mode {attrs['mode']!r} is none of {', '.join(MODES)}")
    if len(operands) == 4:
        need(attrs["mode"] == "sum" and operands[3].dtype is table.dtype, "weights are for sums, and of the table's dtype")
        need_shape(operands[3], index.shape, "the weights")
    return TensorType(table.dtype, (starts.shape[0] - 1 if attrs["closed"] else starts.shape[0], table.shape[1]))


@op("bags", "dnn", _infer_bags, mode=REQUIRED, closed=False, without=None, checked="")
def bags(attrs: Attrs, table: np.ndarray, index: np.ndarray, starts: np.ndarray, *weights: np.ndarray) -> np.ndarray:
    """Sum (times weights, one for each index), mean or maximum of the rows ``table[index]`` of each bag; zeros for an empty one.

    Bag b begins at ``starts[b]`` of the index and ends where the next one begins; the last one with the index, or, if ``closed``, at the
    last element of ``starts``, which begins no bag. Rows whose number is ``without`` count for nothing. checked: as for ``take``.
    """
    ends = starts[1:] if attrs["closed"] else np.append(starts[1:], len(index))
    out = np.zeros((len(ends), table.shape[1]), table.dtype)
    for b, end in enumerate(ends):
        places = [i for i in range(starts[b], end) if index[i] != attrs["without"]]
        rows = table[index[places]]
        if weights:
            rows = rows * weights[0][places][:, None]
        if places:
            out[b] = rows.max(0) if attrs["mode"] == "max" else rows.sum(0) / (len(rows) if attrs["mode"] == "mean" else 1)
    return out
