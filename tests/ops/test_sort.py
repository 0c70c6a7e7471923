"""References of ops that order elements, against torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.errors import TypeInferenceError
from tests.ops.reference import check, randn, run_op

TIES = np.array([[1.0, np.nan, 3.0, -0.0, 3.0, 1.0, 0.0, np.inf], [2.0, 2.0, -np.inf, 5.0, 2.0, 5.0, 5.0, 1.0]])


@pytest.mark.parametrize("dim", (0, 1))
@pytest.mark.parametrize("largest", (True, False))
def test_topk(dim: int, largest: bool) -> None:
    check("topk", lambda x: torch.topk(x, 3, dim, largest), randn(4, 7), dim=dim, k=3, largest=largest)


def test_topk_of_equal_elements_and_nan() -> None:
    x = np.array([1.0, np.nan, 3.0, 3.0, 1.0])
    values, index = run_op("topk", x, dim=0, k=4)
    assert index.tolist() == [1, 2, 3, 0] and values.tolist()[1:] == [3, 3, 1]
    assert run_op("topk", x, dim=0, k=5, largest=False)[1].tolist() == [0, 4, 2, 3, 1]
    with pytest.raises(TypeInferenceError):
        run_op("topk", x, dim=0, k=6)


@pytest.mark.parametrize("descending", (False, True))
@pytest.mark.parametrize("x", (randn(4, 7), TIES, np.arange(6).reshape(2, 3)[:, ::-1].copy()), ids=("random", "ties", "integers"))
def test_sort(x: np.ndarray, descending: bool) -> None:
    for dim in (0, 1):
        check("sort", lambda t, dim=dim: torch.sort(t, stable=True, dim=dim, descending=descending), x, dim=dim, descending=descending)


@pytest.mark.parametrize("rank", ("median", "nanmedian"))
def test_median(rank: str) -> None:
    function = getattr(torch, rank)
    for dim in (0, 1):
        check("order_statistic", lambda t, dim=dim: function(t, dim), randn(5, 6), dim=dim, rank=rank)
    got, at = run_op("order_statistic", TIES, dim=1, rank=rank)
    np.testing.assert_array_equal(got, function(torch.from_numpy(TIES), 1).values.numpy())
    assert (at[0] == 1) == (rank == "median")


def test_kthvalue() -> None:
    for k in (1, 4, 7):
        check("order_statistic", lambda t, k=k: torch.kthvalue(t, k, 1), randn(3, 7), dim=1, rank="kth", k=k)
    with pytest.raises(TypeInferenceError):
        run_op("order_statistic", randn(3, 7), dim=1, rank="kth", k=8)


def test_mode() -> None:
    x = np.array([[3, 1, 3, 1, 2], [4, 4, 0, 1, 1], [5, 6, 7, 8, 9]])
    check("mode", lambda t: torch.mode(t, 1), x, dim=1)
    check("mode", lambda t: torch.mode(t, 0), x.astype(np.float64), dim=0)
    assert run_op("mode", np.array([np.nan, 2.0, np.nan, 2.0]), dim=0)[1] == 3


@pytest.mark.parametrize("name", ("cummax", "cummin"))
@pytest.mark.parametrize("x", (randn(4, 7), np.arange(6).reshape(2, 3)[:, ::-1].copy()), ids=("random", "integers"))
def test_running_extremum(name: str, x: np.ndarray) -> None:
    for dim in (0, 1):
        check("running_extremum", lambda t, dim=dim: getattr(torch, name)(t, dim), x, dim=dim, largest=name == "cummax")
    got = run_op("running_extremum", TIES, dim=1, largest=name == "cummax")
    for mine, other in zip(got, getattr(torch, name)(torch.from_numpy(TIES), 1)):
        np.testing.assert_array_equal(mine, other.numpy())


@pytest.mark.parametrize("right", (False, True))
def test_searchsorted(right: bool) -> None:
    line, values = np.array([1.0, 2.0, 2.0, 5.0]), np.array([[0.0, 2.0, 5.0], [6.0, np.nan, 1.0]])
    check("searchsorted", lambda a, b: torch.searchsorted(a, b, right=right), line, values, right=right)
    check("searchsorted", lambda a, b: torch.searchsorted(a, b, right=right), np.sort(randn(2, 6)), values, right=right)
    check("searchsorted", lambda a, b: torch.searchsorted(a, b, right=right), line[:0], values, right=right)
