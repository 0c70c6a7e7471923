"""ONNX reductions, running sums and softmax, on options that the onnx package's own suite does not have."""

from __future__ import annotations

import numpy as np
import pytest

from sol.errors import TypeInferenceError
from tests.frontend.onnx.imported import check
from tests.frontend.onnx.one_node import check as compiled
from tests.frontend.onnx.one_node import randn

OPS = ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare")


@pytest.mark.parametrize("op", OPS)
def test_reductions(op: str) -> None:
    x = np.abs(randn(3, 4, 5)) + 0.1
    check(f"Reduce{op}", [x], engine="ort", opset=11, axes=[-1, 0], keepdims=0)
    check(f"Reduce{op}", [x, np.array([1])], engine="ort", opset=18, constants=(1,), keepdims=0)
    check(f"Reduce{op}", [x.astype(np.float64)], engine="ort", opset=18)
    check(f"Reduce{op}", [x], opset=18, noop_with_empty_axes=1)
    if op not in ("LogSum", "LogSumExp", "Mean", "L2"):
        check(f"Reduce{op}", [np.arange(1, 7, dtype=np.int32).reshape(2, 3)], engine="ort", opset=18, keepdims=0)


def test_reductions_of_halves_and_bytes_compiled() -> None:
    compiled("ReduceMean", [randn(3, 40).astype(np.float16)], opset=18, constants=(), tolerance=2e-3)
    compiled("ReduceMax", [(randn(7, 33) * 50).astype(np.int8), np.array([0])], engine="ort", opset=18, constants=(1,))
    compiled("ReduceLogSumExp", [np.array([[1000.0, 1000.0], [-np.inf, -np.inf]]), np.array([1])], engine="ort", opset=18, constants=(1,))


@pytest.mark.parametrize("last", [0, 1])
def test_places_of_extrema(last: int) -> None:
    x = np.array([[2, 7, 7, 1], [3, 3, 0, 0]], np.int32)
    for op in ("ArgMax", "ArgMin"):
        check(op, [x], engine="ort", opset=13, axis=-1, keepdims=0, select_last_index=last)
        check(op, [x], engine="ort", opset=13, select_last_index=last)


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_the_extremum_of_nothing(op: str) -> None:
    check(op, [randn(0, 3)], engine="ort", axis=1)
    check(op, [randn(0, 0)], engine="ort", axis=1)
    check("Hardmax", [randn(3, 0)], engine="ort")
    with pytest.raises(TypeInferenceError, match="dimension 0 has no elements to choose from"):
        check(op, [randn(0, 3)], engine="ort", axis=0)


@pytest.mark.parametrize("op", ["CumSum", "CumProd"])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("exclusive", [0, 1])
def test_running_totals(op: str, reverse: int, exclusive: int) -> None:
    check(op, [randn(2, 5, 3), np.array(1)], opset=26, constants=(1,), reverse=reverse, exclusive=exclusive)


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_softmax_before_and_since_opset_13(op: str) -> None:
    x = randn(2, 3, 4)
    for opset, axis in ((11, 1), (11, -1), (11, 0), (13, 1), (13, -1)):
        check(op, [x], engine="ort", opset=opset, axis=axis)
    check(op, [x], engine="ort", opset=11)
    check(op, [x], engine="ort", opset=13)
