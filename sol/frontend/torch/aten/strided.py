"""Elements at stated places of the memory that a tensor lies in."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.fx import Node

from sol.errors import ExportError
from sol.frontend.torch.aten import Context, Fallback, converter
from sol.ir.dim import product
from sol.ir.types import DType

TARGETS = (torch.ops.aten.as_strided.default, torch.ops.aten.as_strided_copy.default)


def read_memory(node: Node) -> None:
    """Let ``as_strided`` of a view read the tensor whose memory that is a view of: its strides and its offset count there."""
    if node.target not in TARGETS or not isinstance(node.args[0], Node):
        return
    view = node.args[0]
    whole = _owner(view)
    meta = node.meta["val"]
    if whole is not view and isinstance(meta.storage_offset(), int):
        start = whole.meta["val"].storage_offset()
        if len(node.args) > 3 and node.args[3] is not None:
            node.args = (whole, *node.args[1:4])
        elif whole.op == "call_function":
            node.args = (whole, *node.args[1:3], meta.storage_offset() - start)
        else:
            node.target, node.args = _from_start, (whole, *node.args[1:3], meta.storage_offset() - start)
        node.kwargs = {}


def _from_start(tensor: torch.Tensor, size: Any, stride: Any, start: int) -> torch.Tensor:
    """Elements at places that count from a tensor's first element."""
    return tensor.as_strided(size, stride, tensor.storage_offset() + start)


def _owner(view: Node) -> Node:
    """The first of the nodes that share a view's memory."""
    memory = view.meta["val"].untyped_storage()._cdata
    while view.op == "call_function" and view.args and isinstance(view.args[0], Node):
        base = view.args[0].meta.get("val")
        if not isinstance(base, torch.Tensor) or base.untyped_storage()._cdata != memory or base.dtype != view.meta["val"].dtype:
            break
        view = view.args[0]
    return view


@converter("as_strided.default", "as_strided_copy.default")
def as_strided(ctx: Context, x: str, size: Any, stride: Any, storage_offset: Any = None) -> str:
    """Elements of a computed tensor picked by their places in its memory; an input's is as the caller laid it out, and torch reads it."""
    order, place = _memory(ctx, size, stride, storage_offset)
    flat = _in_memory(ctx, x, order)
    if place.size == ctx.type(flat).size and _are_in_order(place):
        return ctx.reshape(flat, tuple(size))
    return ctx.reshape(ctx.add("take", flat, ctx.constant(place, DType.I64), dim=0), tuple(size))


@converter("as_strided_scatter.default")
def as_strided_scatter(ctx: Context, x: str, source: str, size: Any, stride: Any, storage_offset: Any = None) -> str:
    """A computed tensor with others' elements at places of its memory; the result is laid out as it is."""
    order, place = _memory(ctx, size, stride, storage_offset)
    operand = ctx.node.args[0]
    assert isinstance(operand, Node)
    if operand.meta["val"].storage_offset():
        raise Fallback("as_strided_scatter into a part of a tensor")
    if np.unique(place).size != place.size:
        raise Fallback("torch refuses to write one place several times")
    flat = _in_memory(ctx, x, order)
    written = ctx.reshape(ctx.cast(source, ctx.type(x).dtype), (place.size,))
    if place.size != ctx.type(flat).size or not _are_in_order(place):
        written = ctx.add("scatter", flat, ctx.constant(place, DType.I64), written, dim=0, reduction="none", checked="", signed=False)
    inverse = [order.index(d) for d in range(len(order))]
    return ctx.permute(ctx.reshape(written, tuple(ctx.size(x)[d] for d in order)), inverse)


def _memory(ctx: Context, size: Any, stride: Any, storage_offset: Any) -> tuple[list[int], np.ndarray]:
    """The order in which a computed tensor's dimensions lie in memory, and the places there that an access states, in its order."""
    operand = ctx.node.args[0]
    assert isinstance(operand, Node)
    meta = operand.meta["val"]
    if operand.op != "call_function":
        raise Fallback("the caller lays out what as_strided reads")
    numbers = [*meta.shape, *meta.stride(), *size, *stride, storage_offset or 0]
    if not all(isinstance(n, int) for n in numbers):
        if meta.is_contiguous():
            raise Fallback("as_strided with open sizes")
        raise ExportError("as_strided with open sizes of a tensor that is not contiguous is not supported")
    order = sorted(range(meta.dim()), key=lambda d: (-meta.stride(d), -meta.shape[d]))
    place = np.full((), storage_offset or 0, np.int64)
    for n, step in zip(size, stride):
        place = place[..., None] + np.arange(n, dtype=np.int64) * step
    if not _is_dense(meta, order) or (place.size and not 0 <= place.min() <= place.max() < meta.numel()):
        raise ExportError("as_strided of computed memory with gaps is not supported")
    return order, place.reshape(-1)


def _in_memory(ctx: Context, x: str, order: list[int]) -> str:
    """A tensor as a vector, in the order of its memory."""
    return ctx.reshape(ctx.permute(x, order), (product(ctx.size(x)),))


def _are_in_order(place: np.ndarray) -> bool:
    return bool((place == np.arange(place.size)).all())


def _is_dense(tensor: torch.Tensor, order: list[int]) -> bool:
    """Whether a tensor's elements fill its memory, dimensions being in order of falling strides."""
    length = 1
    for d in reversed(order):
        if tensor.shape[d] != 1 and tensor.stride(d) != length:
            return False
        length *= tensor.shape[d]
    return True
