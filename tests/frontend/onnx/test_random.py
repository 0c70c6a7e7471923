"""ONNX random numbers and Dropout."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

import sol.onnx_backend as backend
from tests.frontend.onnx.imported import check, evaluated, one_node


def drawn(op: str, operands: list, **attrs) -> np.ndarray:
    model, given = one_node(op, operands, opset=15, **attrs)
    return evaluated(model, given)[0]


def test_uniform_and_normal_numbers() -> None:
    x = drawn("RandomUniform", [], shape=[40, 50], low=-2.0, high=3.0)
    assert x.dtype == np.float32 and x.shape == (40, 50) and -2 <= x.min() < -1.9 and 2.9 < x.max() < 3
    y = drawn("RandomNormalLike", [np.zeros((40, 50), np.float32)], dtype=TensorProto.DOUBLE, mean=5.0, scale=2.0)
    assert y.dtype == np.float64 and abs(y.mean() - 5) < 0.2 and abs(y.std() - 2) < 0.2
    z = drawn("RandomUniformLike", [np.zeros((3, 4), np.float64)], seed=3.0)
    assert np.array_equal(z, np.random.RandomState(3).random_sample((3, 4)))


def test_choices() -> None:
    p = np.array([[0.0, 1.0, 0.25]], np.float32).repeat(4000, 0)
    x = drawn("Bernoulli", [p])
    assert x.dtype == p.dtype and not x[:, 0].any() and x[:, 1].all() and abs(x[:, 2].mean() - 0.25) < 0.03
    logits = np.log(np.array([[0.5, 0.2, 0.3], [0.0001, 0.9998, 0.0001]], np.float32))
    y = drawn("Multinomial", [logits], sample_size=4000, dtype=TensorProto.INT64)
    assert y.shape == (2, 4000) and (y[1] == 1).mean() > 0.99
    assert np.allclose(np.bincount(y[0], minlength=3) / 4000, [0.5, 0.2, 0.3], atol=0.04)


def test_dropout_in_inference() -> None:
    x = np.ones((2, 3), np.float32)
    check("Dropout", [x], opset=7, ratio=0.3)
    check("Dropout", [x], engine="ort", opset=10, ratio=0.9)
    check("Dropout", [x, np.array(0.4, np.float32), np.array(False)], engine="ort", opset=13, outputs=2)


@pytest.mark.parametrize("seed", [None, 4])
def test_dropout_in_training_compiled(seed: int | None) -> None:
    x = np.ones((50, 40), np.float32)
    seeded = {} if seed is None else {"seed": seed}
    model, given = one_node("Dropout", [x, np.array(0.4, np.float32), np.array(True)], 2, 13, (1, 2), **seeded)
    session = backend.prepare(model)
    (y, mask), (_, again) = (session.run(list(given.values())) for _ in range(2))
    assert np.array_equal(mask, again) == (seed is not None)
    assert abs(mask.mean() - 0.6) < 0.05 and np.allclose(y, np.where(mask, 1 / 0.6, 0))
