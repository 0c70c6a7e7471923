"""Blocked images as row-major tensors that show their blocks: at the edge of a program, which leaves them for another one so, and where
their channels are read last.

Both ops are views: they name the same memory as an image and as ``[N, ceil(C/c), H, W, c]``, with the zero border that surrounds a map.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sol.ir.dim import ceil_div
from sol.ir.graph import Attrs
from sol.ir.ops import REQUIRED, op
from sol.ir.ops.infer import need, need_operands
from sol.ir.types import PLAIN, TensorType

NO_BORDER = ((0, 0), (0, 0))


def _infer_to_blocks(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    x, block = operands[0], attrs["layout"].block
    need(x.rank == 4 and x.layout == attrs["layout"], f"takes images in {attrs['layout'] or 'rows'}, got {x}")
    if not block:
        return x
    spatial = tuple(s + a + b for s, (a, b) in zip(x.shape[2:], attrs["border"]))
    return TensorType(x.dtype, (x.shape[0], ceil_div(x.shape[1], block), *spatial, block))


def _infer_from_blocks(operands: Sequence[TensorType], attrs: Attrs) -> TensorType:
    need_operands(operands, 1)
    x, channels, layout = operands[0], attrs["channels"], attrs["layout"]
    need(x.rank == 5 and not x.layout.block, f"takes blocks as a row-major tensor of rank 5, got {x}")
    need(ceil_div(channels, x.shape[4]) == x.shape[1], f"{x} does not hold {channels} channels")
    need(layout.block in (0, x.shape[4]), f"{x} holds no blocks of {layout.block} channels")
    spatial = tuple(s - a - b for s, (a, b) in zip(x.shape[2:4], attrs["border"]))
    return TensorType(x.dtype, (x.shape[0], channels, *spatial), layout)


@op("to_blocks", "view", _infer_to_blocks, layout=PLAIN, border=NO_BORDER)
def to_blocks(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """An image as the blocks in which it lies, with zeros around each map; the image itself as long as its layout is plain."""
    block = attrs["layout"].block
    if not block:
        return x
    n, c, h, w = x.shape
    x = np.pad(x, ((0, 0), (0, -c % block), *attrs["border"]))
    return x.reshape(n, -1, block, *x.shape[2:]).transpose(0, 1, 3, 4, 2)


@op("from_blocks", "view", _infer_from_blocks, channels=REQUIRED, layout=PLAIN, border=NO_BORDER)
def from_blocks(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    """The image of which x shows the blocks and the border; layout: what its readers take it for, a view if it is that of the blocks."""
    (top, bottom), (left, right) = attrs["border"]
    x = x[:, :, top : x.shape[2] - bottom, left : x.shape[3] - right]
    n, groups, h, w, block = x.shape
    return x.transpose(0, 1, 4, 2, 3).reshape(n, groups * block, h, w)[:, : attrs["channels"]]
