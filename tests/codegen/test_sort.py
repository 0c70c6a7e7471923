"""Kernels that order lines: every dtype, lines along any dimension, ties, NaN and both zeros."""

from __future__ import annotations

import numpy as np
import pytest

from sol.ir.types import DType
from tests.codegen.dfp_cases import exact
from tests.toolchains import isas_by_default

F32, F64, F16, BF16, I64, I32, I16, I8, U8, U64, BOOL = (
    DType.F32, DType.F64, DType.F16, DType.BF16, DType.I64, DType.I32, DType.I16, DType.I8, DType.U8, DType.U64, DType.BOOL,
)  # fmt: skip


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", [F32, F16, I64, U8], ids=str)
def test_topk(dim, dtype):
    for k, largest in ((1, True), (5, False), (60, True)):
        exact("topk", [((60, 70), dtype)], lambda b, x: b.add("topk", [x], dim=dim, k=k, largest=largest))  # noqa: B023


def test_topk_of_nan_and_of_one_result():
    x = np.random.default_rng(0).integers(0, 4, (3, 50)).astype(np.float32)
    x[:, ::7], x[1, 3], x[2, 5] = np.nan, np.inf, -np.inf
    for largest in (True, False):
        exact("topk", [((3, 50), F32)], lambda b, v: b.add("topk", [v], dim=1, k=20, largest=largest), arrays=[x])  # noqa: B023
    exact("topk", [((3, 50), F32)], lambda b, v: b.add("topk", [v], dim=1, k=20)[1], arrays=[x])


def odd(*shape: int) -> np.ndarray:
    """Few distinct values, with NaN, both zeros, infinities and denormal numbers."""
    values = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 2.5, -2.5, 7.0], np.float32)
    return values[np.random.default_rng(1).integers(0, len(values), shape)]


@pytest.mark.parametrize("length", [1, 2, 15, 40, 41, 300, 3000])
def test_topk_by_vectors(length):
    """float32 lines are looked through by vectors, where the elements that enter are few; and all instruction sets agree."""
    for x in (np.random.default_rng(0).standard_normal((3, length)).astype(np.float32), odd(3, length)):
        for largest in (True, False):
            for k in sorted({1, min(3, length), length}):
                exact("topk", [(x.shape, F32)], lambda b, v: b.add("topk", [v], dim=1, k=k, largest=largest), arrays=[x],  # noqa: B023
                      isas=isas_by_default())  # fmt: skip


@pytest.mark.parametrize("length", [1, 2, 40, 41, 1500])
@pytest.mark.parametrize("descending", [False, True])
def test_sort(length, descending):
    for x in (np.random.default_rng(0).standard_normal((3, length)).astype(np.float32), odd(3, length)):
        exact("sort", [(x.shape, F32)], lambda b, v: b.add("sort", [v], dim=1, descending=descending), arrays=[x])
    exact("sort", [((length, 2, 3), F32)], lambda b, v: b.add("sort", [v], dim=0, descending=descending)[1])


@pytest.mark.parametrize("dtype", [F64, F16, I64, I32, I16, I8, U8, U64, BOOL], ids=str)
def test_sort_of_types(dtype):
    for length in (9, 100):
        exact("sort", [((2, length), dtype)], lambda b, v: b.add("sort", [v], dim=1), high=100)
    if dtype in (I64, I32):
        limits = np.iinfo(dtype.numpy)
        x = np.array([limits.max, 0, limits.min, -1, 1] * 20, dtype.numpy)
        exact("sort", [(x.shape, dtype)], lambda b, v: b.add("sort", [v], dim=0, descending=True), arrays=[x])


@pytest.mark.parametrize("length", [1, 2, 9, 40, 1000, 1024, 5000])
@pytest.mark.parametrize("rank", ["kth", "median", "nanmedian"])
def test_order_statistic(length, rank):
    for x in (np.random.default_rng(0).standard_normal((3, length)).astype(np.float32), odd(3, length), np.ones((3, length), np.float32)):
        for k in sorted({1, length // 3 + 1, length}) if rank == "kth" else (1,):
            exact("order_statistic", [(x.shape, F32)], lambda b, v: b.add("order_statistic", [v], dim=1, rank=rank, k=k), arrays=[x])  # noqa: B023


@pytest.mark.parametrize("dtype", [F64, I64, I32, U8], ids=str)
def test_order_statistic_of_types(dtype):
    for rank in ("kth", "median", "nanmedian"):
        exact("order_statistic", [((2000, 3), dtype)], lambda b, v: b.add("order_statistic", [v], dim=0, rank=rank, k=77), high=5000)  # noqa: B023


@pytest.mark.parametrize("dtype", [F32, F64, I64, U8], ids=str)
def test_mode(dtype):
    for length in (1, 7, 60):
        exact("mode", [((4, length), dtype)], lambda b, v: b.add("mode", [v], dim=1), high=6)
    exact("mode", [((4, 60), F32)], lambda b, v: b.add("mode", [v], dim=1), arrays=[odd(4, 60)])


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("length", [1, 7, 8, 15, 16, 17, 33, 300])
def test_running_extremum(length, largest):
    for x in (np.random.default_rng(4).integers(-5, 5, (3, length)).astype(np.float32), odd(3, length)):
        exact("running_extremum", [(x.shape, F32)], lambda b, v: b.add("running_extremum", [v], dim=1, largest=largest), arrays=[x])
        exact("running_extremum", [(x.T.shape, F32)], lambda b, v: b.add("running_extremum", [v], dim=0, largest=largest)[1], arrays=[x.T])


@pytest.mark.parametrize("dtype", [F64, F16, I64, I32, U8, BOOL], ids=str)
def test_running_extremum_of_types(dtype):
    exact("running_extremum", [((2, 40, 3), dtype)], lambda b, v: b.add("running_extremum", [v], dim=1), high=5)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 33])
def test_searchsorted(count, right):
    for dtype in (F32, I64):
        line = np.sort(np.random.default_rng(2).integers(-9, 9, (3, count)).astype(dtype.numpy), 1)
        values = np.random.default_rng(3).integers(-10, 10, (3, 5)).astype(dtype.numpy)
        if dtype is F32:
            values[0, 0], values[1, 1] = np.nan, np.inf
        for lines in (line, line[0]):
            operands = [(lines.shape, dtype), ((3, 5), dtype)]
            exact("searchsorted", operands, lambda b, *v: b.add("searchsorted", list(v), right=right), arrays=[lines, values])
