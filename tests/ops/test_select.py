"""References of ops whose results are as long as the data says, against torch and onnx."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from sol.ir.dim import Dim
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from tests.ops.reference import one_op_graph

U = Dim.symbol("u0", 0, 1000)


def select(op: str, *arrays: np.ndarray, count: int, **attrs: Any) -> list[np.ndarray]:
    """Results of an op whose size the data says, for the right size."""
    types = [TensorType(DType.from_numpy(a.dtype), a.shape) for a in arrays]
    return evaluate_outputs(one_op_graph(op, types, symbol=U, **attrs), list(arrays), symbols={"u0": count})


def test_nonzero() -> None:
    x = np.array([[1.0, 0.0, -0.0], [np.nan, 2.0, 0.0]])
    found, count = select("nonzero", x, count=3)
    assert np.array_equal(found, torch.nonzero(torch.from_numpy(x)).numpy()) and count == 3


def test_unique() -> None:
    x = np.array([[2, 1], [1, 5], [2, 1], [1, 0], [1, 5]])
    first, inverse, counts, count = select("unique", x, count=3)
    rows, inverse_, counts_ = torch.unique(torch.from_numpy(x), dim=0, return_inverse=True, return_counts=True)
    assert np.array_equal(x[first], rows) and np.array_equal(inverse, inverse_) and np.array_equal(counts, counts_) and count == 3
    assert first.tolist() == [3, 1, 0]
    first, inverse, counts, _ = select("unique", x, count=3, sorted=False)
    assert (first.tolist(), inverse.tolist(), counts.tolist()) == ([0, 1, 3], [0, 1, 0, 2, 1], [2, 2, 1])


def test_nms() -> None:
    implementation = pytest.importorskip("onnx.reference.ops.op_non_max_suppression").NonMaxSuppression
    rng = np.random.default_rng(1)
    low = rng.random((2, 20, 2)).astype(np.float32)
    corners = np.concatenate([low, low + rng.random((2, 20, 2))], -1).astype(np.float32)
    scores = rng.random((2, 3, 20)).astype(np.float32)
    boxes = {False: corners[..., [2, 3, 0, 1]], True: np.concatenate([low, corners[..., 2:] - low], -1).astype(np.float32)}
    for center, most, score in ((False, 100, 0.3), (True, 100, 0.0), (False, 2, 0.5)):
        limits = (np.array([most]), np.array([0.3], np.float32), np.array([score], np.float32))
        want = implementation.eval(boxes[center], scores, *limits, center_point_box=int(center))
        found, count = select("nms", boxes[center], scores, *limits, count=len(want), center=center)
        assert np.array_equal(found, want) and count == len(want)
