"""Bags of rows: kernels against the interpreter, with bags that are empty, long, and closed by a last place."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sol.errors import UnsupportedError
from sol.ir.types import DType
from tests.codegen.dfp_cases import check, exact
from tests.random_numbers import rng
from tests.toolchains import isas_by_default

ROWS, COUNT = 11, 40
STARTS = np.array([0, 0, 3, 4, 20, 20, 40])


def numbers(*shape: int) -> np.ndarray:
    """Whole numbers, whose sums are exact in any order."""
    return rng.integers(-9, 9, shape).astype(np.float64)


@pytest.mark.parametrize("columns", (1, 7, 8, 15, 16, 17, 33))
@pytest.mark.parametrize("mode", ("sum", "mean", "max"))
def test_modes(mode: str, columns: int) -> None:
    for dtype, closed, without in itertools.product((DType.F32, DType.F64), (False, True), (None, 4)):
        table, index = numbers(ROWS, columns).astype(dtype.numpy), rng.integers(0, ROWS, COUNT)
        operands = [(table.shape, dtype), (index.shape, DType.I64), (STARTS.shape, DType.I64)]
        attrs = {"mode": mode, "closed": closed, "without": without}
        exact("bags", operands, lambda b, *v: b.add("bags", list(v), **attrs), arrays=[table, index, STARTS],  # noqa: B023
              isas=isas_by_default())  # fmt: skip


@pytest.mark.parametrize("columns", (1, 17))
def test_weights_and_small_indices(columns: int) -> None:
    table, index, weights = numbers(ROWS, columns).astype(np.float32), rng.integers(0, ROWS, COUNT).astype(np.int32), numbers(COUNT)
    arrays = [table, index, STARTS.astype(np.int32), weights.astype(np.float32)]
    operands = [(a.shape, DType.from_numpy(a.dtype)) for a in arrays]
    exact("bags", operands, lambda b, *v: b.add("bags", list(v), mode="sum"), arrays=arrays, isas=isas_by_default())


def test_columns_apart() -> None:
    """A table whose columns do not lie one behind the other."""
    table, index = numbers(ROWS, 17).astype(np.float32), rng.integers(0, ROWS, COUNT)
    operands = [(table.shape, DType.F32), (index.shape, DType.I64), (STARTS.shape, DType.I64)]
    for mode in ("sum", "max"):
        check(operands, lambda b, *v: b.add("bags", list(v), mode=mode), anchor="bags", arrays=[table, index, STARTS],  # noqa: B023
              strides={"x0": (1, ROWS + 2)})  # fmt: skip


def test_other_types_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="cast the table to float32"):
        exact("bags", [((3, 2), DType.F16), ((4,), DType.I64), ((1,), DType.I64)], lambda b, *v: b.add("bags", list(v), mode="sum"),
              arrays=[np.zeros((3, 2), np.float16), np.zeros(4, np.int64), np.zeros(1, np.int64)])  # fmt: skip
