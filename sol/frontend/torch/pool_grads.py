"""Gradients of pooling as operations of our own, for which less is kept between the passes than for torch's.

torch's max pooling keeps an int64 for each result, and the gradients of its means keep an input of which they read only the size.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from sol.frontend.torch.aten import CONVERTERS, Context

aten = torch.ops.aten


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


max_pool2d_grad.register_fake(lambda grad, x, *windows: torch.empty_like(x))
avg_pool2d_grad.register_fake(lambda grad, size, *windows: grad.new_empty(size))
adaptive_avg_pool2d_grad.register_fake(lambda grad, size: grad.new_empty(size))


def _max(grad: Tensor, x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, places: Tensor) -> Tensor:
    return max_pool2d_grad(grad, x, _two(kernel), _two(stride or kernel), _two(padding), _two(dilation), ceil_mode)


def _average(
    grad: Tensor, x: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, include: bool, divisor: int | None
) -> Tensor:  # fmt: skip
    return avg_pool2d_grad(grad, list(x.shape), _two(kernel), _two(stride or kernel), _two(padding), ceil_mode, include, divisor)


def _adaptive(grad: Tensor, x: Tensor) -> Tensor:
    return adaptive_avg_pool2d_grad(grad, list(x.shape))


def _two(sizes: Any) -> list[int]:
    """A size along both dimensions; one number stands for both."""
    sizes = [sizes] if isinstance(sizes, int) else list(sizes)
    return sizes * 2 if len(sizes) == 1 else sizes


DECOMPOSITIONS: dict[Any, Any] = {
    aten.max_pool2d_with_indices_backward.default: _max,
    aten.avg_pool2d_backward.default: _average,
    aten._adaptive_avg_pool2d_backward.default: _adaptive,
}
"""Operation of AOTAutograd's graphs → what computes it with these."""


def _pairs(padding: Any) -> tuple[tuple[int, int], ...]:
    return tuple((p, p) for p in padding)


def _convert_max(ctx: Context, grad: str, x: str, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> str:
    return ctx.add(
        "max_pool_grad", x, grad, kernel=tuple(kernel), stride=tuple(stride), padding=_pairs(padding), dilation=tuple(dilation),
        ceil_mode=ceil_mode,
    )  # fmt: skip


def _convert_average(
    ctx: Context, grad: str, size: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, include: bool, divisor: int | None
) -> str:  # fmt: skip
    return ctx.add(
        "avg_pool_grad", grad, size=tuple(size[-2:]), kernel=tuple(kernel), stride=tuple(stride), padding=_pairs(padding),
        ceil_mode=ceil_mode, count_include_pad=include, divisor=divisor,
    )  # fmt: skip


def _convert_adaptive(ctx: Context, grad: str, size: Any) -> str:
    return ctx.add("adaptive_avg_pool_grad", grad, size=tuple(size[-2:]))


CONVERTERS["sol.max_pool2d_grad.default"] = _convert_max
CONVERTERS["sol.avg_pool2d_grad.default"] = _convert_average
CONVERTERS["sol.adaptive_avg_pool2d_grad.default"] = _convert_adaptive
