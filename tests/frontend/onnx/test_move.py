"""ONNX operators that move data, on options that the onnx package's own suite does not have."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from tests.frontend.onnx.imported import check
from tests.frontend.onnx.one_node import check as compiled
from tests.frontend.onnx.one_node import model_of, randn, run

I64 = np.int64


def ints(*values: int) -> np.ndarray:
    return np.array(values, I64)


def test_concatenation_skips_what_is_empty() -> None:
    check("Concat", [randn(2, 3), randn(2, 0), randn(2, 1)], axis=-1)
    check("Concat", [randn(2, 0), randn(2, 0)], axis=1)


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap"])
def test_padding_by_repetition(mode: str) -> None:
    check("Pad", [randn(2, 3, 7), ints(0, 2, 5, 0, 1, 3)], engine="ort", constants=(1,), mode=mode)
    if mode != "wrap":
        check("Pad", [randn(1, 1, 3, 4)], engine="ort", opset=7, mode=mode, pads=[0, 0, 1, 2, 0, 0, 0, 1])


def test_padding_with_constants() -> None:
    check("Pad", [randn(4, 5), ints(1, -1, 0, 2), np.array(3.5, np.float32)], engine="ort", constants=(1,))
    check("Pad", [randn(4, 5), ints(1, 2), None, ints(-1)], engine="ort", constants=(1, 3))
    check("Pad", [np.ones((2, 2), np.int32), ints(1, 0, 0, 1), np.array(-7, np.int32)], engine="ort", constants=(1, 2))
    check("Pad", [randn(4, 5)], engine="ort", opset=7, pads=[1, 0, 0, 2], value=2.0)
    compiled("Pad", [randn(4, 5), ints(1, -1, 0, 2), np.array([3.5], np.float32)], engine="ort", constants=(1,))


def test_repetition() -> None:
    check("Tile", [randn(2, 1, 3), ints(1, 4, 2)], constants=(1,))
    check("Tile", [randn(2, 3), ints(0, 2)], constants=(1,))


@pytest.mark.parametrize("index", [np.array(-1), np.array(1, np.int32), ints(2), np.array([[0, -3]])])
def test_gather_by_known_and_unknown_indices(index: np.ndarray) -> None:
    for constants in ((), (1,)):
        check("Gather", [randn(3, 4, 3), index], constants=constants, axis=-1)


def test_gather_nd_of_slices_and_batches() -> None:
    x = randn(2, 3, 4, 5)
    check("GatherND", [x, np.array([[0, -1], [1, 2]])])
    check("GatherND", [x, np.array([[[0], [2]], [[1], [-2]]])], batch_dims=1)
    check("GatherND", [x, np.random.default_rng(0).integers(-4, 4, (2, 3, 2, 1))], batch_dims=2)
    compiled("GatherND", [x, np.random.default_rng(0).integers(-3, 3, (2, 6, 2))], engine="ort", batch_dims=1)


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scatter(reduction: str) -> None:
    rng = np.random.default_rng(1)
    index = rng.permutation(6)[:4].reshape(2, 2)
    check("ScatterElements", [randn(6, 3), index, randn(2, 2)], engine="ort", axis=0, reduction=reduction)
    places = np.array([[0, -1], [3, 1], [2, 2]])
    check("ScatterND", [randn(4, 3, 2), places, randn(3, 2)], engine="ort", reduction=reduction)
    halves = [randn(4, 3).astype(np.float16), np.array([[1], [-1]]), randn(2, 3).astype(np.float16)]
    check("ScatterND", halves, reduction=reduction, tolerance=2e-3)


@pytest.mark.parametrize("reduction", ["add", "mul"])
def test_booleans_are_added_and_multiplied(reduction: str) -> None:
    x, updates = randn(4, 3) > 0, randn(5, 3) > 0
    check("ScatterND", [x, np.array([[0], [-1], [0], [1], [0]]), updates], engine="ort", reduction=reduction)
    check("ScatterElements", [x, np.array([[0, 1, 2]] * 5), updates], engine="ort", reduction=reduction)


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [(-100, -(2**63), -1), (-2, -3, -3), (-5, -9, -1), (-4, -5, -1), (-1, 2**63 - 1, -1), (2, 2**31 - 1, -2), (9, 9, -1)],
)
def test_slices_that_run_backwards(start: int, end: int, step: int) -> None:
    for size in (0, 1, 4):
        check("Slice", [randn(size, 2), ints(start), ints(end), ints(0), ints(step)], engine="ort", constants=(1, 2, 3, 4))


def test_scatter_compiled() -> None:
    index = np.array([[1, 1, -1], [1, 0, -1]])
    compiled("ScatterElements", [randn(2, 9), index, randn(2, 3)], engine="ort", axis=1, reduction="add")
    compiled("ScatterND", [randn(40, 50), np.array([[7], [-1], [0]]), randn(3, 50)], engine="ort")


def test_tensor_scatter_without_indices() -> None:
    check("TensorScatter", [randn(2, 6, 3), randn(2, 2, 3)], opset=24)
    check("TensorScatter", [randn(2, 3, 6, 4), randn(2, 3, 2, 4), ints(5, 0)], opset=24, axis=2, mode="circular")


def test_triangles_of_any_rank_and_type() -> None:
    for k in (-1, 0, 2):
        check("Trilu", [randn(2, 3, 4, 5), np.array(k)], engine="ort", upper=0)
    check("Trilu", [np.arange(12).reshape(3, 4) + 1], engine="ort")
    check("Trilu", [np.ones((3, 3), bool), np.array([1])], engine="ort", constants=(1,))


def test_one_hot_of_floats() -> None:
    index = np.array([[0.0, -1.0], [7.0, 2.0]], np.float32)
    check("OneHot", [index, np.array([3.0], np.float32), np.array([2, 9], np.float32)], engine="ort", constants=(1,), axis=0)


def test_reversal_of_the_batch_first() -> None:
    check("ReverseSequence", [randn(3, 4, 2), ints(1, 4, 2)], engine="ort", batch_axis=0, time_axis=1)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_and_space(mode: str) -> None:
    check("DepthToSpace", [randn(2, 12, 3, 2)], engine="ort", mode=mode, blocksize=2)
    check("SpaceToDepth", [randn(2, 3, 4, 6)], engine="ort", blocksize=2)


def test_bits() -> None:
    check("BitCast", [np.array([1.5, -2.0], np.float16)], opset=26, to=TensorProto.INT16)


@pytest.mark.parametrize("size,count", [(3, 5), (4, 3), (7, 5), (6, 3)])
def test_parts_of_a_split_may_be_empty(size: int, count: int) -> None:
    x = np.arange(2 * size, dtype=np.float32).reshape(size, 2)
    parts = run(*model_of("Split", [x], count, 18, axis=0, num_outputs=count))
    each = -(-size // count)
    for i, part in enumerate(parts):
        np.testing.assert_array_equal(part, x[each * i : each * (i + 1)])
