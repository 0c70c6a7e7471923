"""Convolutions against torch over rank, stride, padding, dilation and groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.errors import TypeInferenceError
from sol.ir.dim import Dim
from sol.ir.types import DType, Layout, TensorType
from tests.ops.reference import check, one_op_graph, randn, tensors

CONV: dict[int, Any] = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSE: dict[int, Any] = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def both(padding: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    return tuple((p, p) for p in padding)


@pytest.mark.parametrize(
    ("spatial", "channels", "kernel", "stride", "padding", "dilation", "groups"),
    [
        ((9,), (4, 6), (3,), (1,), (1,), (1,), 1),
        ((9,), (4, 6), (3,), (2,), (2,), (2,), 2),
        ((7, 8), (3, 5), (3, 3), (1, 1), (1, 1), (1, 1), 1),
        ((7, 8), (4, 8), (3, 2), (2, 1), (0, 1), (1, 2), 4),
        ((7, 8), (6, 6), (3, 3), (2, 2), (1, 1), (1, 1), 6),
        ((7, 8), (3, 5), (1, 1), (1, 1), (0, 0), (1, 1), 1),
        ((11, 11), (3, 4), (7, 7), (2, 2), (3, 3), (1, 1), 1),
        ((4, 5, 6), (2, 4), (3, 2, 1), (1, 2, 1), (1, 0, 2), (1, 1, 1), 2),
    ],
)
@pytest.mark.parametrize("bias", (False, True))
def test_conv(
    spatial: Any, channels: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, groups: Any, bias: Any
) -> None:
    c, k = channels
    operands = [randn(2, c, *spatial), randn(k, c // groups, *kernel)] + [randn(k)] * bias
    check(
        "conv", lambda *xs: CONV[len(spatial)](*xs, stride=stride, padding=padding, dilation=dilation, groups=groups),
        *operands, stride=stride, padding=both(padding), dilation=dilation, groups=groups,
    )  # fmt: skip


def test_uneven_padding() -> None:
    check(
        "conv", lambda x, w: F.conv2d(F.pad(x, (0, 3, 1, -2)), w), randn(1, 2, 8, 6), randn(3, 2, 2, 2),
        stride=(1, 1), padding=((1, -2), (0, 3)), dilation=(1, 1),
    )  # fmt: skip


@pytest.mark.parametrize("batch", (0, 1))
def test_batch(batch: int) -> None:
    options = {"stride": (1, 1), "dilation": (1, 1)}
    check("conv", F.conv2d, randn(batch, 2, 4, 4), randn(3, 2, 3, 3), padding=((0, 0), (0, 0)), **options)


@pytest.mark.parametrize(
    ("spatial", "channels", "kernel", "stride", "padding", "output_padding", "dilation", "groups"),
    [
        ((5,), (4, 6), (3,), (2,), (1,), (1,), (1,), 2),
        ((4, 5), (3, 5), (2, 2), (2, 2), (0, 0), (0, 0), (1, 1), 1),
        ((4, 5), (4, 4), (3, 4), (2, 3), (1, 2), (1, 2), (1, 1), 4),
        ((4, 5), (4, 6), (3, 3), (1, 1), (0, 1), (0, 0), (2, 1), 2),
        ((4, 5), (2, 3), (1, 1), (3, 3), (0, 0), (2, 1), (1, 1), 1),
        ((2, 3, 4), (2, 4), (3, 2, 1), (2, 1, 2), (1, 0, 0), (1, 0, 1), (1, 1, 1), 1),
    ],
)
@pytest.mark.parametrize("bias", (False, True))
def test_conv_transpose(
    spatial: Any,
    channels: Any,
    kernel: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    dilation: Any,
    groups: Any,
    bias: Any,
) -> None:
    c, k = channels
    operands = [randn(2, c, *spatial), randn(c, k // groups, *kernel)] + [randn(k)] * bias
    options: dict[str, Any] = {
        "stride": stride,
        "output_padding": output_padding,
        "dilation": dilation,
        "groups": groups,
    }
    check(
        "conv_transpose", lambda *xs: TRANSPOSE[len(spatial)](*xs, padding=padding, **options),
        *operands, padding=both(padding), **options,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("size", "channels", "kernel", "stride", "padding", "dilation", "groups"),
    [
        ((9,), (4, 6), (3,), (2,), (2,), (2,), 2),
        ((7, 8), (3, 5), (3, 3), (1, 1), (1, 1), (1, 1), 1),
        ((7, 8), (4, 8), (3, 2), (2, 1), (0, 1), (1, 2), 4),
        ((7, 8), (6, 6), (3, 3), (2, 3), (1, 2), (1, 1), 6),
        ((7, 8), (3, 5), (1, 1), (2, 2), (0, 0), (1, 1), 1),
        ((4, 5, 6), (2, 4), (3, 2, 1), (1, 2, 1), (1, 0, 2), (1, 1, 1), 2),
    ],
)
@pytest.mark.parametrize("batch", (0, 1, 2))
def test_conv_weight_grad(size: Any, channels: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, groups: Any, batch: int) -> None:
    c, k = channels
    x, w = randn(batch, c, *size), randn(k, c // groups, *kernel)
    options: dict[str, Any] = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    grad = CONV[len(size)](*tensors(x, w), **options)
    none = (0,) * len(size)
    check(
        "conv_weight_grad",
        lambda x, grad: torch.ops.aten.convolution_backward(
            grad, x, torch.zeros(w.shape, dtype=x.dtype), None, stride, padding, dilation, False, none, groups, (False, True, False)
        )[1],
        x, randn(*grad.shape), **options | {"padding": both(padding)}, kernel=kernel,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("x", "grad", "options", "message"),
    [
        ((1, 3, 8, 8), (1, 4, 3, 4), {}, "the gradient"),
        ((1, 3, 8, 8), (2, 4, 4, 4), {}, "the gradient"),
        ((1, 3, 8, 8), (1, 4, 4), {}, "rank"),
        ((1, 3, 8, 8), (1, 4, 4, 4), {"groups": 2}, "divide"),
        ((1, 3, 8, 8), (1, 4, 4, 4), {"kernel": (3,)}, "rank"),
    ],
)
def test_misfits_of_the_weight_gradient(x: Any, grad: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeInferenceError, match=message):
        one_op_graph("conv_weight_grad", [TensorType(DType.F32, s) for s in (x, grad)], **{**OPTIONS, "kernel": (3, 3), **options})


S = Dim.symbol("s0", 2, 512)
OPTIONS = {"stride": (2, 2), "padding": ((1, 1), (1, 1)), "dilation": (1, 1)}


@pytest.mark.parametrize(
    ("shapes", "options", "message"),
    [
        ([(1, 3, 8, 8), (4, 5, 3, 3)], {}, "takes 5 channels"),
        ([(1, 3, 8, 8), (4, 3, 3)], {}, "rank"),
        ([(1, 3, 8, 8), (4, 3, 3, 3), (3,)], {}, "bias"),
        ([(1, 4, 8, 8), (3, 2, 3, 3)], {"groups": 2}, "divide"),
        ([(1, 3, 8, 8), (4, 3, 3, 3)], {"stride": (1,)}, "2 entries"),
        ([(1, 3, 8, 8), (4, 3, 3, 3)], {"padding": (1, 1)}, "pairs"),
        ([(1, 3, 2, 2), (4, 3, 9, 9)], {}, "output size"),
        ([(3, 8), (4, 3)], {}, "spatial"),
    ],
)
def test_misfits(shapes: list, options: dict, message: str) -> None:
    with pytest.raises(TypeInferenceError, match=message):
        one_op_graph("conv", [TensorType(DType.F32, s) for s in shapes], **{**OPTIONS, **options})


def test_symbolic_and_layout() -> None:
    x = TensorType(DType.F32, (S, 16, S * 2, 8), Layout(16))
    graph = one_op_graph("conv", [x, TensorType(DType.F32, (32, 16, 3, 3))], **OPTIONS)
    assert graph.nodes[-1].type == TensorType(DType.F32, (S, 32, S, 4), Layout(16))


def test_float32_is_computed_in_float32() -> None:
    from sol.ir.interpret import evaluate_outputs

    types = [TensorType(DType.F32, (1, 2, 4, 4)), TensorType(DType.F32, (3, 2, 3, 3))]
    arrays = [randn(*t.shape).astype(np.float32) for t in types]
    (y,) = evaluate_outputs(one_op_graph("conv", types, **OPTIONS), arrays, precision=None)
    assert y.dtype == np.float32
