"""Gradients of pooling as operations of our own, for which less is kept between the passes than for torch's.

torch's max pooling keeps its input, of which the gradient reads only the size, and an int64 for each result: where the largest element of
the window lies in the map. A byte says the same, the element's number in its window (``max_pool_taps`` of the IR), which the pooling's
gradient takes here. Gradients of means keep an input of which they read only the size, too.

What reads torch's places gets them of the bytes. ``simplified`` finds where bytes were made of places made of bytes, and lets a ReLU before
a pooling go by the pooling's results, so that nothing keeps the ReLU's.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, fx

from sol.frontend.filters import Taps, can_be_resampled, resampled
from sol.frontend.torch.aten import CONVERTERS, Context, Fallback
from sol.ir.dim import product
from sol.ir.ops.pool_grad import MOST_TAPS
from sol.ir.types import DType

aten = torch.ops.aten


@torch.library.custom_op("sol::max_pool2d_with_taps", mutates_args=())
def max_pool2d_with_taps(
    x: Tensor, kernel: list[int], stride: list[int], padding: list[int], dilation: list[int], ceil_mode: bool
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The largest elements of windows, and as bytes their numbers in their windows."""
    values, places = aten.max_pool2d_with_indices(x, kernel, stride, padding, dilation, ceil_mode)
    return values, _taps_of(places, list(x.shape[-2:]), kernel, stride, padding, dilation)


@torch.library.custom_op("sol::max_pool2d_places", mutates_args=())
def max_pool2d_places(
    taps: Tensor, size: list[int], kernel: list[int], stride: list[int], padding: list[int], dilation: list[int]
) -> Tensor:  # fmt: skip
    """Where in a map of this size the elements of these numbers lie: torch's indices, int64."""
    where = taps.long()
    row, column = _starts(taps, stride, padding)
    row, column = row + where // kernel[1] * dilation[0], column + where % kernel[1] * dilation[1]
    return row * size[1] + column


@torch.library.custom_op("sol::max_pool2d_taps", mutates_args=())
def max_pool2d_taps(
    places: Tensor, size: list[int], kernel: list[int], stride: list[int], padding: list[int], dilation: list[int]
) -> Tensor:  # fmt: skip
    """As bytes the numbers in their windows of the elements that lie at these places (torch's indices)."""
    return _taps_of(places, size, kernel, stride, padding, dilation)


@torch.library.custom_op("sol::max_pool2d_taps_grad", mutates_args=())
def max_pool2d_taps_grad(
    grad: Tensor, taps: Tensor, size: list[int], kernel: list[int], stride: list[int], padding: list[int], dilation: list[int],
    ceil_mode: bool,
) -> Tensor:  # fmt: skip
    """The gradient of the input, of this size, of a max pooling whose largest elements have these numbers in their windows."""
    x = grad.new_empty([*grad.shape[:-2], *size])
    places = max_pool2d_places(taps, size, kernel, stride, padding, dilation)
    return aten.max_pool2d_with_indices_backward(grad, x, kernel, stride, padding, dilation, ceil_mode, places)


def _starts(windows: Tensor, stride: list[int], padding: list[int]) -> tuple[Tensor, Tensor]:
    """The row and the column of the first element of each window."""
    rows, columns = (torch.arange(n) * s - p for n, s, p in zip(windows.shape[-2:], stride, padding))
    return rows[:, None], columns


def _taps_of(places: Tensor, size: list[int], kernel: list[int], stride: list[int], padding: list[int], dilation: list[int]) -> Tensor:
    row, column = _starts(places, stride, padding)
    r, s = (places // size[1] - row) // dilation[0], (places % size[1] - column) // dilation[1]
    return (r * kernel[1] + s).to(torch.uint8)


@torch.library.custom_op("sol::max_pool2d_grad", mutates_args=())
def max_pool2d_grad(
    grad: Tensor, x: Tensor, kernel: list[int], stride: list[int], padding: list[int], dilation: list[int], ceil_mode: bool
) -> Tensor:  # fmt: skip
    """The gradient of the input x of a max pooling."""
    windows = (kernel, stride, padding, dilation, ceil_mode)
    _, places = aten.max_pool2d_with_indices(x, *windows)
    return aten.max_pool2d_with_indices_backward(grad, x, *windows, places)


@torch.library.custom_op("sol::avg_pool2d_grad", mutates_args=())
def avg_pool2d_grad(
    grad: Tensor, size: list[int], kernel: list[int], stride: list[int], padding: list[int], ceil_mode: bool, count_include_pad: bool,
    divisor: int | None,
) -> Tensor:  # fmt: skip
    """The gradient of the input, of this size, of a mean over windows."""
    return aten.avg_pool2d_backward(grad, grad.new_empty(size), kernel, stride, padding, ceil_mode, count_include_pad, divisor)


@torch.library.custom_op("sol::adaptive_avg_pool2d_grad", mutates_args=())
def adaptive_avg_pool2d_grad(grad: Tensor, size: list[int]) -> Tensor:
    """The gradient of the input, of this size, of a mean over windows that split it."""
    return aten._adaptive_avg_pool2d_backward(grad, grad.new_empty(size))


@torch.library.custom_op("sol::avg_pool3d_grad", mutates_args=())
def avg_pool3d_grad(
    grad: Tensor, size: list[int], kernel: list[int], stride: list[int], padding: list[int], ceil_mode: bool, count_include_pad: bool,
    divisor: int | None,
) -> Tensor:  # fmt: skip
    """The gradient of the input, volumes of this size, of a mean over windows."""
    return aten.avg_pool3d_backward(grad, grad.new_empty(size), kernel, stride, padding, ceil_mode, count_include_pad, divisor)


@torch.library.custom_op("sol::adaptive_avg_pool3d_grad", mutates_args=())
def adaptive_avg_pool3d_grad(grad: Tensor, size: list[int]) -> Tensor:
    """The gradient of the input, volumes of this size, of a mean over windows that split it."""
    return aten._adaptive_avg_pool3d_backward(grad, grad.new_empty(size))


@max_pool2d_with_taps.register_fake
def _(x: Tensor, *windows: Any) -> tuple[Tensor, Tensor]:
    values, _ = aten.max_pool2d_with_indices(x, *windows)
    return values, torch.empty_like(values, dtype=torch.uint8)


max_pool2d_places.register_fake(lambda taps, *windows: torch.empty_like(taps, dtype=torch.int64))
max_pool2d_taps.register_fake(lambda places, *windows: torch.empty_like(places, dtype=torch.uint8))
max_pool2d_taps_grad.register_fake(lambda grad, taps, size, *windows: grad.new_empty([*grad.shape[:-2], *size]))
max_pool2d_grad.register_fake(lambda grad, x, *windows: torch.empty_like(x))
avg_pool2d_grad.register_fake(lambda grad, size, *windows: grad.new_empty(size))
adaptive_avg_pool2d_grad.register_fake(lambda grad, size: grad.new_empty(size))
avg_pool3d_grad.register_fake(lambda grad, size, *windows: grad.new_empty(size))
adaptive_avg_pool3d_grad.register_fake(lambda grad, size: grad.new_empty(size))


def _has_taps(x: Tensor, kernel: Any) -> bool:
    """Whether kernels tell the largest elements' numbers: of these windows, and of this type."""
    rows, columns = _two(kernel)
    return x.dtype in (torch.float32, torch.float64) and rows * columns <= MOST_TAPS and all(isinstance(n, int) for n in x.shape)


def _forward(x: Tensor, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Any:
    if not _has_taps(x, kernel):
        return NotImplemented
    windows = _two(kernel), _two(stride or kernel), _two(padding), _two(dilation)
    values, taps = max_pool2d_with_taps(x, *windows, ceil_mode)
    return values, max_pool2d_places(taps, list(x.shape[-2:]), *windows)


def _max(grad: Tensor, x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, places: Tensor) -> Tensor:
    windows = _two(kernel), _two(stride or kernel), _two(padding), _two(dilation)
    if not _has_taps(x, kernel):
        return max_pool2d_grad(grad, x, *windows, ceil_mode)
    size = list(x.shape[-2:])
    return max_pool2d_taps_grad(grad, max_pool2d_taps(places, size, *windows), size, *windows, ceil_mode)


def _max_of_volumes(
    grad: Tensor, x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, places: Tensor
) -> Tensor:  # fmt: skip
    """Each result's gradient at the place that torch kept of it; of x the size is read."""
    of_maps = grad.new_zeros([*x.shape[:-3], math.prod(x.shape[-3:])])
    return of_maps.scatter_add(-1, places.flatten(-3), grad.flatten(-3)).view(x.shape)


def _average(
    grad: Tensor, x: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, include: bool, divisor: int | None
) -> Tensor:  # fmt: skip
    return avg_pool2d_grad(grad, list(x.shape), _two(kernel), _two(stride or kernel), _two(padding), ceil_mode, include, divisor)


def _adaptive(grad: Tensor, x: Tensor) -> Tensor:
    return adaptive_avg_pool2d_grad(grad, list(x.shape))


def _average_of_volumes(
    grad: Tensor, x: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, include: bool, divisor: int | None
) -> Tensor:  # fmt: skip
    sides = _spread(kernel, 3), _spread(stride or kernel, 3), _spread(padding, 3)
    return avg_pool3d_grad(grad, list(x.shape), *sides, ceil_mode, include, divisor)


def _adaptive_of_volumes(grad: Tensor, x: Tensor) -> Tensor:
    return adaptive_avg_pool3d_grad(grad, list(x.shape))


def _spread(sizes: Any, dimensions: int) -> list[int]:
    """A size along each dimension; one number stands for all."""
    sizes = [sizes] if isinstance(sizes, int) else list(sizes)
    return sizes * dimensions if len(sizes) == 1 else sizes


def _two(sizes: Any) -> list[int]:
    return _spread(sizes, 2)


DECOMPOSITIONS: dict[Any, Any] = {
    aten.max_pool2d_with_indices.default: _forward,
    aten.max_pool2d_with_indices_backward.default: _max,
    aten.max_pool3d_with_indices_backward.default: _max_of_volumes,
    aten.avg_pool2d_backward.default: _average,
    aten._adaptive_avg_pool2d_backward.default: _adaptive,
    aten.avg_pool3d_backward.default: _average_of_volumes,
    aten._adaptive_avg_pool3d_backward.default: _adaptive_of_volumes,
}
"""Operation of AOTAutograd's graphs → what computes it with these."""


def _pairs(padding: Any) -> tuple[tuple[int, int], ...]:
    return tuple((p, p) for p in padding)


def simplified(joint: fx.GraphModule) -> None:
    """Change a graph of both passes in place, so that less is kept between them.

    taps(places(t)) -> t, and where(relu <= 0, 0, taps_grad(g, t)) -> taps_grad(where(pooled <= 0, 0, g), t) for ``pooled``, the maxima of
    ``relu``: a gradient goes to the elements that the pooled ones are.
    """
    graph = joint.graph
    for node in graph.find_nodes(op="call_function", target=torch.ops.sol.max_pool2d_taps.default):
        places, *windows = node.args
        if isinstance(places, fx.Node) and places.target is torch.ops.sol.max_pool2d_places.default and list(places.args[1:]) == windows:
            node.replace_all_uses_with(places.args[0])
            graph.erase_node(node)
    spread = graph.find_nodes(op="call_function", target=torch.ops.sol.max_pool2d_taps_grad.default)
    for node in spread:
        _mask_before(graph, node)
    if spread:
        graph.eliminate_dead_code()
        joint.recompile()


def _mask_before(graph: fx.Graph, spread: fx.Node) -> None:
    """Mask a gradient before it is spread over windows, where a mask behind it is that of the ReLU whose maxima are known."""
    gradient, taps, *windows = cast(Any, spread.args)
    pooling = taps.args[0] if taps.target is operator.getitem else taps
    maxima = [u for u in pooling.users if u.target is operator.getitem and u.args[1] == 0]
    if len(spread.users) != 1 or pooling.target is not torch.ops.sol.max_pool2d_with_taps.default or not maxima:
        return
    (where,) = spread.users
    mask, zero, masked = cast(Any, where.args) if where.target is aten.where.self else (spread, 0, None)
    if masked is not spread or mask.target is not aten.le.Scalar or mask.args[1] != 0 or not _is_zero(zero):
        return
    relu = _source(mask.args[0])
    if relu.target is not aten.relu.default or relu is not _source(pooling.args[0]):
        return
    with graph.inserting_before(where):
        below = graph.call_function(aten.le.Scalar, (maxima[0], 0))
        left = graph.call_function(aten.where.self, (below, zero, gradient))
        found = graph.call_function(cast(Any, spread.target), (left, taps, *windows))
    below.meta = {**mask.meta, "val": mask.meta["val"].new_empty(maxima[0].meta["val"].shape)}
    left.meta = {**where.meta, "val": gradient.meta["val"]}
    found.meta = dict(spread.meta)
    where.replace_all_uses_with(found)


def _source(node: Any) -> Any:
    """What a node shows the elements of, unchanged."""
    while node.target in (aten.detach.default, aten.alias.default):
        node = node.args[0]
    return node


def _is_zero(value: Any) -> bool:
    return value.target in (aten.scalar_tensor.default, aten.full.default) and bool(value.args[-1] == 0)


def _windows(kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> dict[str, Any]:
    """The attributes of the IR's poolings."""
    sides = {"kernel": tuple(kernel), "stride": tuple(stride), "padding": _pairs(padding), "dilation": tuple(dilation)}
    return {**sides, "ceil_mode": ceil_mode}


def _convert_with_taps(ctx: Context, x: str, *given: Any) -> Any:
    windows = _windows(*given)
    return ctx.add("max_pool", x, **windows), ctx.add("max_pool_taps", x, **windows) if ctx.is_used(1) else None


def _convert_taps(ctx: Context, grad: str, taps: str, size: Any, *given: Any) -> str:
    return ctx.add("max_pool_taps_grad", taps, grad, size=tuple(size), **_windows(*given))


def _convert_max(ctx: Context, grad: str, x: str, *given: Any) -> str:
    return ctx.add("max_pool_grad", x, grad, **_windows(*given))


Finder = Callable[[int, int, int], Taps]
"""Dimension, its size, that of the result → the elements of which each of the result's is the mean."""


def _convert_average(
    ctx: Context, grad: str, size: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, include: bool, divisor: int | None
) -> str:  # fmt: skip
    if can_be_resampled(ctx, grad, size[-2:]):
        return _resampled(ctx, grad, size[-2:], _windows_of_means(kernel, stride, padding, include, divisor))
    return ctx.add(
        "avg_pool_grad", grad, size=tuple(size[-2:]), kernel=tuple(kernel), stride=tuple(stride), padding=_pairs(padding),
        ceil_mode=ceil_mode, count_include_pad=include, divisor=divisor,
    )  # fmt: skip


def _convert_adaptive(ctx: Context, grad: str, size: Any) -> str:
    if can_be_resampled(ctx, grad, size[-2:]) and ctx.size(grad)[-2:] != (1, 1):
        return _resampled(ctx, grad, size[-2:], _even_means)
    return ctx.add("adaptive_avg_pool_grad", grad, size=tuple(size[-2:]))


def _windows_of_means(kernel: Any, stride: Any, padding: Any, include: bool, divisor: int | None) -> Finder:
    def find(dim: int, size: int, out: int) -> Taps:
        start = np.arange(out) * stride[dim] - padding[dim]
        end = np.minimum(start + kernel[dim], size + padding[dim])
        first, last = np.maximum(start, 0), np.minimum(end, size)
        counted = end - start if include else last - first
        return Taps.means(first, last, counted if divisor is None else np.full(out, divisor if dim == 0 else 1))

    return find


def _even_means(dim: int, size: int, out: int) -> Taps:
    i = np.arange(out)
    first, last = i * size // out, -(-(i + 1) * size // out)
    return Taps.means(first, last, last - first)


def _resampled(ctx: Context, grad: str, size: Any, find: Finder) -> str:
    """Means add up elements of each dimension in turn, and so do their gradients. size: of what they are means of."""
    sizes = [(int(n), int(m)) for n, m in zip(size, ctx.size(grad)[2:])]  # type: ignore[arg-type]  # can_be_resampled asks for fixed ones
    return resampled(ctx, grad, [find(i, n, m).turned(n) for i, (n, m) in enumerate(sizes)])


def _of_volumes(ctx: Context, grad: str, size: Any, find: Finder) -> str:
    shape = ctx.size(grad)
    images = ctx.cast(ctx.reshape(grad, (product(shape[:-3]), 1, *shape[-3:])), ctx.dtype if ctx.dtype is DType.F64 else DType.F32)
    if not all(isinstance(n, int) for n in size[-3:]) or not can_be_resampled(ctx, images, size[-3:]):
        raise Fallback("gradients of means of float64, and of sizes that only a call knows")
    return ctx.cast(ctx.reshape(_resampled(ctx, images, size[-3:], find), size), ctx.type(grad).dtype)


def _convert_average_of_volumes(
    ctx: Context, grad: str, size: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, include: bool, divisor: int | None
) -> str:  # fmt: skip
    return _of_volumes(ctx, grad, size, _windows_of_means(kernel, stride, padding, include, divisor))


def _convert_adaptive_of_volumes(ctx: Context, grad: str, size: Any) -> str:
    return _of_volumes(ctx, grad, size, _even_means)


CONVERTERS["sol.avg_pool3d_grad.default"] = _convert_average_of_volumes
CONVERTERS["sol.adaptive_avg_pool3d_grad.default"] = _convert_adaptive_of_volumes
CONVERTERS["sol.max_pool2d_with_taps.default"] = _convert_with_taps
CONVERTERS["sol.max_pool2d_taps_grad.default"] = _convert_taps
CONVERTERS["sol.max_pool2d_grad.default"] = _convert_max
CONVERTERS["sol.avg_pool2d_grad.default"] = _convert_average
CONVERTERS["sol.adaptive_avg_pool2d_grad.default"] = _convert_adaptive
