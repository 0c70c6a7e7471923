"""ONNX pooling on options that the onnx package's own suite does not have."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.onnx.one_node import check, model_of, randn, run


@pytest.mark.parametrize("column_major", [0, 1])
def test_places_of_maxima(column_major: int) -> None:
    options = {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1], "ceil_mode": 1, "dilations": [1, 2]}
    check("MaxPool", [randn(2, 3, 7, 8)], engine="ort", outputs=2, storage_order=column_major, **options)
    check("MaxPool", [randn(2, 3, 9)], engine="ort", outputs=2, kernel_shape=[3])


def test_max_pool_of_bytes_and_halves() -> None:
    x = (randn(1, 2, 6, 6) * 50).astype(np.int8)
    check("MaxPool", [x], engine="ort", opset=12, kernel_shape=[2, 2], auto_pad="SAME_UPPER")
    check("MaxPool", [randn(1, 2, 6, 6).astype(np.float16)], kernel_shape=[2, 2], strides=[2, 2])


@pytest.mark.parametrize("padded", [0, 1])
@pytest.mark.parametrize("ceil", [0, 1])
def test_dilated_means(padded: int, ceil: int) -> None:
    options = {"kernel_shape": [2, 3], "strides": [2, 2], "pads": [1, 1, 0, 1], "dilations": [2, 1]}
    check("AveragePool", [randn(2, 3, 9, 8)], engine="ort", count_include_pad=padded, ceil_mode=ceil, **options)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_norms_over_windows_and_maps(p: int) -> None:
    check("LpPool", [randn(1, 2, 7, 6)], engine="ort", kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1], p=p)
    check("GlobalLpPool", [randn(1, 2, 7, 6)], engine="ort", p=p)


def test_whole_maps_of_any_rank() -> None:
    for op, reduce in (("GlobalAveragePool", np.mean), ("GlobalMaxPool", np.max)):
        check(op, [randn(2, 3, 5)], engine="ort")
        x = randn(2, 3, 2, 2, 3, 2)
        (y,) = run(*model_of(op, [x]))
        np.testing.assert_allclose(y, reduce(x, axis=(2, 3, 4, 5), keepdims=True), rtol=1e-5, atol=1e-6)


def test_the_inverse_of_max_pooling() -> None:
    x = np.array([[[[1, 2], [3, 4]]]], np.float32)
    index = np.array([[[[5, 7], [13, 15]]]], np.int64)
    check("MaxUnpool", [x, index, np.array([1, 1, 5, 5])], engine="reference", constants=(2,), kernel_shape=[2, 2], strides=[2, 2])
