"""Writing elements to computed places: the opposite of gather."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.errors import SolError
from sol.ir.dim import dim_text
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_axis, need_int, need_operands, same_dtype
from sol.ir.types import DType, TensorType

REDUCTIONS = {"none": "", "add": "add", "mul": "mul", "max": "maximum", "min": "minimum"}
"""How an update meets the element that is there → the pointwise op that says so ("" replaces it)."""


def _infer_scatter(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 3)
    (x, index, updates), dim, reduction = operands, attrs["dim"], attrs["reduction"]
    need_axis(x, dim)
    need(x.rank > 0, "a scalar has no places to write to")
    need_int(index)
    same_dtype((x, updates))
    need(reduction in REDUCTIONS, f"reduction {reduction!r} is none of {', '.join(REDUCTIONS)}")
    need(x.dtype is not DType.BOOL or reduction == "none", f"bools take no reduction {reduction!r}")
    need(index.rank == x.rank and index.shape == updates.shape, f"index {index} and updates {updates} must agree and have the rank of {x}")
    for i, (have, want) in enumerate(zip(x.shape, index.shape)):
        try:
            fits = i == dim or want <= have
        except SolError:
            continue  # only run time can tell
        need(fits, f"index size {dim_text(want)} is beyond dimension {i} of {x}")
    return TensorType(x.dtype, x.shape)


@op("scatter", "move", _infer_scatter, dim=REQUIRED, reduction="none", checked="", signed=True)
def scatter(attrs: Attrs, x: np.ndarray, index: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """x with ``out[i][index[i][j][k]][k] = updates[i][j][k]`` for dim 1; ``reduction`` combines both instead.

    Updates of one place are applied in the order of j. A negative index counts from the end if ``signed``; one out of range changes
    nothing, and is an error of the call if ``checked`` names the user's operation.
    """
    out, dim = np.array(x, order="C"), attrs["dim"]
    count = out.shape[dim]
    place: list[np.ndarray] = list(np.indices(index.shape))
    place[dim] = np.where((index < 0) & attrs["signed"], index + count, index).astype(np.int64)
    keep = (place[dim] >= 0) & (place[dim] < count)
    where = tuple(p[keep] for p in place)
    combine = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}.get(attrs["reduction"])
    with np.errstate(all="ignore"):
        if combine is None:
            out[where] = updates[keep]
        else:
            combine.at(out, where, updates[keep])
    return out
