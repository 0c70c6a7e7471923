"""ONNX quantisation: axes, blocks and rounding."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.onnx.one_node import check, model_of, randn, run
from tests.random_numbers import rng


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16])
def test_per_axis_and_back(dtype: type) -> None:
    x, scale, zero = randn(2, 3, 4) * 20, np.array([0.1, 0.5, 2.0], np.float32), np.array([1, 0, 7], dtype)
    (q,) = check("QuantizeLinear", [x, scale, zero], axis=1, tolerance=0)
    check("DequantizeLinear", [q, scale, zero], axis=-2, tolerance=0)


def test_blocks() -> None:
    x, scale, zero = randn(3, 6) * 9, np.abs(randn(3, 2)) + 0.1, rng.integers(-3, 3, (3, 2)).astype(np.int8)
    (q,) = check("QuantizeLinear", [x, scale, zero], axis=1, block_size=3, tolerance=0)
    check("DequantizeLinear", [q, scale, zero], axis=1, block_size=3)


def test_halves_go_to_even_and_ends_saturate() -> None:
    x = np.array([0.5, 1.5, 2.5, -0.5, 300, -300, np.inf, -np.inf], np.float32)
    model, given = model_of("QuantizeLinear", [x, np.float32(1), np.int8(0)])
    np.testing.assert_array_equal(run(model, given)[0], [0, 2, 2, 0, 127, -128, 127, -128])


def test_dynamic_scale_of_zeros_and_of_one_sign() -> None:
    for x in (np.zeros((2, 3), np.float32), np.abs(randn(2, 3)), -np.abs(randn(2, 3))):
        check("DynamicQuantizeLinear", [x], outputs=3, tolerance=1e-6)


def test_product_of_quantised_matrices() -> None:
    a, b = rng.integers(0, 256, (2, 5, 40)).astype(np.uint8), rng.integers(-128, 128, (40, 6)).astype(np.int8)
    scales = (np.float32(0.02), np.float32(0.01), np.float32(0.4))
    check("QLinearMatMul", [a, scales[0], np.uint8(120), b, scales[1], np.int8(3), scales[2], np.uint8(110)], engine="ort", tolerance=1.0)
