"""Pooling against torch: padding, ceil_mode, counts and adaptive windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch.nn.functional as F

from sol.errors import TypeInferenceError
from sol.ir.dim import Dim, evaluate
from sol.ir.ops.pool import pool_size
from sol.ir.types import DType, Layout, TensorType
from tests.ops.reference import check, one_op_graph, randn

MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
AVG = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
WINDOWS = [
    ((9,), (3,), (2,), (1,)),
    ((8, 9), (3, 3), (2, 2), (1, 1)),
    ((8, 9), (2, 3), (2, 2), (0, 1)),
    ((7, 7), (3, 3), (2, 2), (0, 0)),
    ((6, 6), (2, 2), (3, 3), (1, 1)),
    ((13, 13), (13, 13), (13, 13), (0, 0)),
    ((4, 5, 6), (2, 3, 2), (2, 1, 2), (1, 1, 0)),
]


@pytest.mark.parametrize(("spatial", "kernel", "stride", "padding"), WINDOWS)
@pytest.mark.parametrize("ceil_mode", (False, True))
@pytest.mark.parametrize("dilation", (1, 2))
def test_max_pool(spatial: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, dilation: int) -> None:
    if any(dilation * (k - 1) + 1 > n for k, n in zip(kernel, spatial)):
        dilation = 1
    dilations = (dilation,) * len(spatial)
    x = randn(2, 3, *spatial)
    x.flat[5] = np.nan
    check(
        "max_pool", lambda t: MAX[len(spatial)](t, kernel, stride, padding, dilations, ceil_mode), x,
        kernel=kernel, stride=stride, padding=tuple((p, p) for p in padding), dilation=dilations, ceil_mode=ceil_mode,
    )  # fmt: skip


def test_max_pool_of_integers() -> None:
    x = -np.arange(1, 17).reshape(1, 1, 4, 4)
    options = {"kernel": (3, 3), "stride": (2, 2), "dilation": (1, 1)}
    check("max_pool", lambda t: F.max_pool2d(t, 3, 2, 1), x, padding=((1, 1), (1, 1)), **options)


@pytest.mark.parametrize(("spatial", "kernel", "stride", "padding"), WINDOWS)
@pytest.mark.parametrize("ceil_mode", (False, True))
@pytest.mark.parametrize("count_include_pad", (False, True))
def test_avg_pool(
    spatial: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool
) -> None:
    check(
        "avg_pool", lambda t: AVG[len(spatial)](t, kernel, stride, padding, ceil_mode, count_include_pad),
        randn(2, 3, *spatial), kernel=kernel, stride=stride, padding=tuple((p, p) for p in padding),
        ceil_mode=ceil_mode, count_include_pad=count_include_pad,
    )  # fmt: skip


def test_avg_pool_with_a_divisor() -> None:
    check(
        "avg_pool", lambda t: F.avg_pool2d(t, 3, 2, 1, divisor_override=5), randn(1, 2, 7, 7),
        kernel=(3, 3), stride=(2, 2), padding=((1, 1), (1, 1)), divisor=5,
    )  # fmt: skip


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (7, 5), (6, 6), (9, 11)])
def test_adaptive(size: tuple) -> None:
    x = randn(2, 3, 7, 5)
    check("adaptive_avg_pool", lambda t: F.adaptive_avg_pool2d(t, size), x, output_size=size)
    check("adaptive_max_pool", lambda t: F.adaptive_max_pool2d(t, size), x, output_size=size)


@pytest.mark.filterwarnings("error")
def test_the_mean_of_an_empty_map() -> None:
    check("adaptive_avg_pool", lambda t: t.mean((2, 3), keepdim=True), randn(1, 2, 0, 3), output_size=(1, 1))


def test_adaptive_of_other_ranks() -> None:
    check("adaptive_avg_pool", lambda t: F.adaptive_avg_pool1d(t, 3), randn(2, 3, 7), output_size=(3,))
    check("adaptive_max_pool", lambda t: F.adaptive_max_pool3d(t, 2), randn(1, 2, 3, 4, 5), output_size=(2, 2, 2))


def test_without_a_batch() -> None:
    options = {"kernel": (2, 2), "stride": (2, 2), "padding": ((0, 0), (0, 0)), "dilation": (1, 1)}
    check("max_pool", lambda t: F.max_pool2d(t, 2), randn(3, 4, 4), **options)


@pytest.mark.parametrize("ceil_mode", (False, True))
@pytest.mark.parametrize(("kernel", "stride", "pad"), [(3, 2, 1), (2, 2, 0), (3, 3, 0), (2, 5, 1)])
def test_symbolic_size(kernel: int, stride: int, pad: int, ceil_mode: bool) -> None:
    s = Dim.symbol("s0", 3, 100)
    symbolic = pool_size(s, kernel, stride, (pad, pad), 1, ceil_mode)
    for n in range(3, 101):
        assert evaluate(symbolic, {"s0": n}) == pool_size(n, kernel, stride, (pad, pad), 1, ceil_mode)


def test_layout_is_kept() -> None:
    x = TensorType(DType.F32, (1, 32, 8, 8), Layout(16))
    assert one_op_graph("adaptive_avg_pool", [x], output_size=(1, 1)).nodes[-1].type.layout == Layout(16)


def test_misfits() -> None:
    x = TensorType(DType.I64, (1, 2, 4, 4))
    with pytest.raises(TypeInferenceError, match="floating-point"):
        one_op_graph("adaptive_avg_pool", [x], output_size=(1, 1))
    with pytest.raises(TypeInferenceError, match="entries"):
        one_op_graph("max_pool", [x], kernel=(2, 2), stride=(2,), padding=((0, 0),) * 2, dilation=(1, 1))


@pytest.mark.parametrize("ceil_mode", (False, True))
def test_argmax_pool(ceil_mode: bool) -> None:
    x = randn(2, 3, 8, 9)
    x[0, 0, 3, 3] = np.nan
    options = {"kernel": (3, 2), "stride": (2, 2), "padding": ((1, 1), (0, 0)), "dilation": (1, 2), "ceil_mode": ceil_mode}
    check("argmax_pool", lambda t: F.max_pool2d(t, (3, 2), (2, 2), (1, 0), (1, 2), ceil_mode, return_indices=True)[1], x, **options)
