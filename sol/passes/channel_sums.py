"""Sums over all images and pixels of maps, one for each channel: what batch norms need in training, forward and backward."""

from __future__ import annotations

from sol.ir.graph import Node
from sol.ir.types import DType, TensorType

SUMS = ("sum", "mean", "var")


def is_channel_sum(node: Node, map_type: TensorType) -> bool:
    """Whether a node adds up float32 maps of that shape over all axes but that of channels, which it keeps."""
    if node.op not in SUMS or map_type.rank != 4 or node.type.dtype is not DType.F32 or not node.attrs["keepdims"]:
        return False
    return tuple(node.attrs["dims"]) == (0, 2, 3) and node.type.shape == (1, map_type.shape[1], 1, 1)
