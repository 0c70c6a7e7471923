"""ONNX operators that sort and select, on options that the onnx package's own suite does not have."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.onnx.imported import check
from tests.frontend.onnx.one_node import check as compiled
from tests.frontend.onnx.one_node import randn


def test_top_k() -> None:
    x = randn(4, 9, 3)
    check("TopK", [x], engine="ort", opset=7, outputs=2, k=4, axis=1)
    check("TopK", [x, np.array([9])], engine="ort", opset=10, outputs=2, axis=1)
    check("TopK", [x.astype(np.int32), np.array([2])], engine="ort", outputs=2, axis=0, largest=0)
    check("TopK", [x, np.array([0])], engine="ort", outputs=2, constants=(1,))
    compiled("TopK", [np.array([[1, 3, 3, 2, 1]]), np.array([3])], engine="ort", outputs=2, constants=(1,))


@pytest.mark.parametrize("constants", [(), (0,)])
def test_nonzero(constants: tuple) -> None:
    check("NonZero", [np.array([[[1, 0]], [[0, 3]], [[5, 6]]])], engine="ort", constants=constants)
    check("NonZero", [np.array([False, True, True])], engine="ort", constants=constants)


def test_nonzero_of_nothing_compiled() -> None:
    compiled("NonZero", [np.zeros((3, 4), np.float32)], engine="ort")
    compiled("NonZero", [randn(5, 33)], engine="ort")


@pytest.mark.parametrize("constants", [(), (1,)])
def test_compress(constants: tuple) -> None:
    check("Compress", [randn(3, 4), np.array([True, False, True])], engine="ort", constants=constants)
    check("Compress", [randn(3, 4), np.array([False, True])], engine="ort", constants=constants, axis=-1)


def test_unique() -> None:
    x = np.array([[3, 1, 3], [1, 1, 1], [3, 1, 3]], np.int64)
    for options in ({}, {"axis": 0}, {"axis": 1}, {"axis": -1, "sorted": 0}, {"sorted": 0}):
        check("Unique", [x], engine="ort", outputs=4, **options)
    compiled("Unique", [x.astype(np.float32)], engine="ort", outputs=4, axis=0)


def test_non_maximum_suppression() -> None:
    rng = np.random.default_rng(3)
    low = rng.random((2, 30, 2))
    boxes = np.concatenate([low, low + rng.random((2, 30, 2))], 2).astype(np.float32)
    scores = rng.random((2, 3, 30)).astype(np.float32)
    most, iou, score = np.array([4]), np.array([0.3], np.float32), np.array([0.4], np.float32)
    check("NonMaxSuppression", [boxes, scores, most, iou, score], engine="ort")
    check("NonMaxSuppression", [boxes, scores, most], engine="ort", constants=(2,), center_point_box=1)
    check("NonMaxSuppression", [boxes, scores], engine="ort")
    compiled("NonMaxSuppression", [boxes, scores, most, iou, score], engine="ort", constants=(2,))
