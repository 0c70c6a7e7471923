"""References of gradients of pooling against torch's autograd, and misfits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.errors import TypeInferenceError
from sol.ir.types import DType, TensorType
from tests.ops.reference import check, one_op_graph, randn

WINDOWS = [
    ((8, 9), (3, 3), (2, 2), (1, 1), False),
    ((8, 9), (2, 3), (2, 1), (0, 1), True),
    ((7, 10), (2, 2), (3, 3), (1, 1), False),
    ((6, 7), (6, 7), (1, 1), (0, 0), False),
]


def gradient(function: Any) -> Any:
    """What autograd gives for the input of a function."""

    def of(*operands: torch.Tensor) -> torch.Tensor:
        x, grad = operands
        x = x.clone().requires_grad_()
        return torch.autograd.grad(function(x), x, grad)[0]

    return of


@pytest.mark.parametrize(("size", "kernel", "stride", "padding", "ceil_mode"), WINDOWS)
@pytest.mark.parametrize("dilation", (1, 2))
def test_max(size: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, dilation: int) -> None:
    if kernel == size:
        dilation = 1
    x = np.round(randn(2, 3, *size))  # elements that are equal
    x[0, 0, 2, 3] = x[0, 0, 3, 3] = np.nan
    x[1, 2] = -np.inf

    def pooled(t: torch.Tensor) -> torch.Tensor:
        return F.max_pool2d(t, kernel, stride, padding, dilation, ceil_mode)

    grad = randn(*pooled(torch.from_numpy(x)).shape)
    pads = tuple((p, p) for p in padding)
    options = {"kernel": kernel, "stride": stride, "padding": pads, "dilation": (dilation,) * 2, "ceil_mode": ceil_mode}
    check("max_pool_grad", gradient(pooled), x, grad, **options)

    def taps(t: torch.Tensor) -> torch.Tensor:
        """The tap of the kernel that torch's place in the map is."""
        _, places = F.max_pool2d(t, kernel, stride, padding, dilation, ceil_mode, return_indices=True)
        rows, columns = torch.meshgrid(*map(torch.arange, places.shape[-2:]), indexing="ij")
        r = (places // size[1] - rows * stride[0] + padding[0]) // dilation
        return (r * kernel[1] + (places % size[1] - columns * stride[1] + padding[1]) // dilation).to(torch.uint8)

    check("max_pool_taps", taps, x, **options)
    found = taps(torch.from_numpy(x)).numpy()
    check("max_pool_taps_grad", lambda _, g: gradient(pooled)(torch.from_numpy(x), g), found, grad, size=size, **options)


@pytest.mark.parametrize(("size", "kernel", "stride", "padding", "ceil_mode"), WINDOWS)
@pytest.mark.parametrize(("include", "divisor"), [(True, None), (False, None), (True, 5)])
def test_mean(size: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, include: bool, divisor: int | None) -> None:
    def pooled(t: torch.Tensor) -> torch.Tensor:
        return F.avg_pool2d(t, kernel, stride, padding, ceil_mode, include, divisor)

    x = torch.zeros(2, 3, *size, dtype=torch.float64)
    grad = randn(*pooled(x).shape)
    pads = tuple((p, p) for p in padding)
    options = {"kernel": kernel, "stride": stride, "padding": pads, "ceil_mode": ceil_mode, "divisor": divisor}
    check("avg_pool_grad", lambda g: gradient(pooled)(x, g), grad, size=size, count_include_pad=include, **options)


@pytest.mark.parametrize(("size", "out"), [((7, 9), (3, 2)), ((6, 6), (7, 7)), ((4, 5), (1, 1))])
def test_adaptive_mean(size: tuple[int, int], out: tuple[int, int]) -> None:
    x = torch.zeros(3, *size, dtype=torch.float64)
    check("adaptive_avg_pool_grad", lambda g: gradient(lambda t: F.adaptive_avg_pool2d(t, out))(x, g), randn(3, *out), size=size)


@pytest.mark.parametrize("shape", [(2, 3, 4, 4), (2, 2, 2, 2), (3, 2)])
def test_misfits(shape: tuple[int, ...]) -> None:
    windows = {"kernel": (2, 2), "stride": (2, 2), "padding": ((0, 0),) * 2}
    types = [TensorType(DType.F32, (2, 3, 4, 4)), TensorType(DType.F32, shape)]
    with pytest.raises(TypeInferenceError, match="no gradient"):
        one_op_graph("max_pool_grad", types, dilation=(1, 1), **windows)
    with pytest.raises(TypeInferenceError, match="a byte counts"):
        one_op_graph("max_pool_taps", types[:1], dilation=(1, 1), **{**windows, "kernel": (17, 16)})
    with pytest.raises(TypeInferenceError, match="no taps"):
        one_op_graph("max_pool_taps_grad", [TensorType(DType.U8, (2, 3, 4)), types[1]], dilation=(1, 1), size=(4, 4), **windows)
    if shape != (2, 2, 2, 2):
        with pytest.raises(TypeInferenceError, match="no gradient"):
            one_op_graph("avg_pool_grad", types[1:], size=(4, 4), **windows)
