"""Views: the same elements under another shape. No data moves where the strides allow it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.errors import SolError
from sol.ir.dim import DimLike, ceil_div, dim_text
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_at_least, need_axis, need_operands, need_same_size, shape_text
from sol.ir.types import PLAIN, TensorType


def slice_size(start: DimLike, stop: DimLike, step: int) -> DimLike:
    """Number of elements of ``start:stop:step`` with normalised bounds and a positive step."""
    size = ceil_div(stop - start, step)
    return max(size, 0) if isinstance(size, int) else size


def _infer_reshape(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    shape = tuple(attrs["shape"])
    need_same_size(operands[0].shape, shape)
    return TensorType(operands[0].dtype, shape)


def _infer_permute(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    (x,), order = operands, tuple(attrs["order"])
    need(sorted(order) == list(range(x.rank)), f"order {order} is no permutation of the dimensions of {x}")
    return TensorType(x.dtype, tuple(x.shape[i] for i in order))


def _infer_expand(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    (x,), shape = operands, tuple(attrs["shape"])
    need(len(shape) >= x.rank, f"{x} cannot expand to fewer dimensions {shape_text(shape)}")
    for have, want in zip(x.shape, shape[len(shape) - x.rank :]):
        need((isinstance(have, int) and have == 1) or have == want, f"{x} does not expand to {shape_text(shape)}")
    return TensorType(x.dtype, shape)


def _infer_slice(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    (x,), dim, start, stop, step = operands, attrs["dim"], attrs["start"], attrs["stop"], attrs["step"]
    need_axis(x, dim)
    need(x.rank > 0, "a scalar has nothing to slice")
    need(isinstance(step, int) and step > 0, f"step {step} must be a positive integer")
    need_at_least(start, 0, "the start of a slice")
    try:
        fits = stop <= x.shape[dim]
    except SolError:
        fits = True  # only run time can tell
    need(fits, f"stop {dim_text(stop)} is beyond dimension {dim} of {x}")
    size = slice_size(start, stop, step)
    layout = x.layout if x.layout.block and dim == 1 and _takes_blocks(x, start, stop, step) else PLAIN
    return TensorType(x.dtype, (*x.shape[:dim], size, *x.shape[dim + 1 :]), layout)


def _takes_blocks(x: TensorType, start: DimLike, stop: DimLike, step: int) -> bool:
    """Whether a slice of channels consists of whole blocks (the last one may be the value's incomplete one)."""
    block = x.layout.block
    return step == 1 and start % block == 0 and (stop == x.shape[1] or stop % block == 0)


@op("reshape", "view", _infer_reshape, shape=REQUIRED)
def reshape(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """The elements in row-major order under another shape."""
    return x.reshape(attrs["shape"])


@op("permute", "view", _infer_permute, order=REQUIRED)
def permute(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Dimension i of the result is dimension ``order[i]`` of x."""
    return x.transpose(attrs["order"])


@op("expand", "view", _infer_expand, shape=REQUIRED)
def expand(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """Broadcast to a shape."""
    return np.broadcast_to(x, attrs["shape"])


@op("slice", "view", _infer_slice, dim=REQUIRED, start=REQUIRED, stop=REQUIRED, step=1)
def slice_(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """``x[start:stop:step]`` along one dimension."""
    return x[(slice(None),) * attrs["dim"] + (slice(attrs["start"], attrs["stop"], attrs["step"]),)]
