"""ONNX convolutions on options that the onnx package's own suite does not have."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.onnx.one_node import check, model_of, randn, run
from tests.random_numbers import rng


def integers(*shape: int, dtype: type = np.uint8) -> np.ndarray:
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, endpoint=True).astype(dtype)


@pytest.mark.parametrize("mode", ["SAME_UPPER", "SAME_LOWER", "VALID"])
def test_auto_pad_with_stride_groups_and_bias(mode: str) -> None:
    check("Conv", [randn(2, 4, 7, 10), randn(6, 2, 3, 4), randn(6)], engine="ort", constants=(1, 2), auto_pad=mode, strides=[2, 3], group=2)


def test_three_dimensions_and_uneven_pads_and_dilations() -> None:
    options = {"pads": [1, 0, 2, 0, 1, 1], "dilations": [1, 2, 1], "strides": [1, 1, 2]}
    check("Conv", [randn(1, 2, 5, 6, 7), randn(3, 2, 2, 3, 2)], engine="ort", **options)


def test_half_precision_is_computed_in_float() -> None:
    x, w = (a.astype(np.float16) for a in (randn(1, 3, 8), randn(4, 3, 3)))
    (y,) = check("Conv", [x, w], tolerance=1e-2)
    assert y.dtype == np.float16


@pytest.mark.parametrize("mode", ["SAME_UPPER", "SAME_LOWER"])
def test_transposed_with_output_shape(mode: str) -> None:
    x, w = randn(1, 2, 4, 5), randn(2, 3, 3, 3)
    check("ConvTranspose", [x, w, randn(3)], engine="ort", opset=11, strides=[2, 2], auto_pad=mode, output_shape=[8, 10])
    check("ConvTranspose", [x, w], engine="ort", strides=[2, 3], output_padding=[1, 2], dilations=[2, 1], pads=[1, 0, 1, 2])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_integers_with_zero_points(dtype: type) -> None:
    operands = [integers(1, 40, 6, 6, dtype=np.uint8), integers(3, 40, 3, 3, dtype=dtype), np.uint8(131), np.array([3, 9, 1], dtype)]
    check("ConvInteger", operands, pads=[1, 1, 1, 1], strides=[2, 2], tolerance=0)


def test_quantised_per_channel() -> None:
    operands = [
        integers(1, 3, 6, 6), np.float32(0.02), np.uint8(120), integers(4, 3, 3, 3, dtype=np.int8), np.abs(randn(4)) * 0.02 + 0.01,
        np.zeros(4, np.int8), np.float32(0.4), np.uint8(100), rng.integers(-500, 500, 4).astype(np.int32),
    ]  # fmt: skip
    (y,) = check("QLinearConv", operands, engine="ort", tolerance=1.0, constants=tuple(range(1, 9)), pads=[1, 1, 1, 1])
    assert len(np.unique(y)) > 10


def test_deformable_without_displacement_is_a_convolution() -> None:
    x, w, bias = randn(2, 4, 6, 7), randn(6, 2, 3, 2), randn(6)
    offset, mask = np.zeros((2, 24, 3, 6), np.float32), np.ones((2, 12, 3, 6), np.float32)
    options = {"pads": [1, 0, 1, 0], "strides": [2, 1], "group": 2}
    (y,) = check("Conv", [x, w, bias], **options)
    model, given = model_of("DeformConv", [x, w, offset, bias, mask], offset_group=2, kernel_shape=[3, 2], **options)
    np.testing.assert_allclose(run(model, given)[0], y, rtol=1e-4, atol=1e-4)
