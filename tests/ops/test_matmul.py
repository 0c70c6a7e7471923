"""Matrix products against torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.errors import TypeInferenceError
from sol.ir.dim import Dim
from sol.ir.types import DType, TensorType
from tests.ops.reference import check, one_op_graph, randn, run_op


@pytest.mark.parametrize("shape", [(5,), (3, 5), (2, 3, 5), (0, 5), (2, 0)])
@pytest.mark.parametrize("bias", (False, True))
def test_linear(shape: tuple, bias: bool) -> None:
    check("linear", F.linear, randn(*shape), randn(4, shape[-1]), *[randn(4)] * bias)


@pytest.mark.parametrize(
    ("a", "b"),
    [((2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 1, 2, 3), (7, 3, 4)), ((2, 3), (6, 3, 1)), ((2, 0), (0, 3))],
)
def test_matmul(a: tuple, b: tuple) -> None:
    check("matmul", torch.matmul, randn(*a), randn(*b))


def test_matmul_of_integers() -> None:
    check("matmul", torch.matmul, np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2))


S = Dim.symbol("s0")


@pytest.mark.parametrize(
    ("op", "shapes", "message"),
    [
        ("linear", [(2, 3), (4, 5)], "3 features"),
        ("linear", [(2, 3), (4, 3), (3,)], "bias"),
        ("matmul", [(2, 3), (4, 5)], "columns"),
        ("matmul", [(3,), (3, 5)], "matrices"),
        ("matmul", [(2, S), (3, 5)], "columns"),
        ("matmul", [(S, 2, 3), (4, 3, 5)], "broadcast"),
    ],
)
def test_misfits(op: str, shapes: list, message: str) -> None:
    with pytest.raises(TypeInferenceError, match=message):
        one_op_graph(op, [TensorType(DType.F32, s) for s in shapes])


def test_symbolic() -> None:
    graph = one_op_graph("matmul", [TensorType(DType.F32, (S, 1, 4, S * 2)), TensorType(DType.F32, (8, S * 2, 3))])
    assert graph.nodes[-1].type.shape == (S, 8, 4, 3)


def test_det() -> None:
    check("det", torch.linalg.det, randn(2, 3, 5, 5))
    check("det", torch.linalg.det, np.zeros((4, 4)))


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_solve_triangular(upper: bool, unit: bool) -> None:
    """What lies on the other side of the diagonal, and on it where ones are taken, is not read."""
    a, b = randn(2, 3, 5, 5) + 4 * np.eye(5), randn(2, 3, 5, 4)
    a[..., 0 if not upper else 4, 4 if not upper else 0] = np.nan
    if unit:
        a[..., 2, 2] = np.nan
    (got,) = run_op("solve_triangular", a, b, upper=upper, unit=unit)
    part = np.triu(a) if upper else np.tril(a)
    part = np.where(np.eye(5, dtype=bool) & unit, 1.0, np.nan_to_num(part))
    np.testing.assert_allclose(part @ got, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("transposed", (False, True))
def test_grouped_matmul(transposed: bool) -> None:
    x, w, ends = randn(7, 3), randn(4, 3, 5), np.array([2, 2, 5, 6])
    (got,) = run_op("grouped_matmul", x, w.swapaxes(1, 2) if transposed else w, ends, transposed=transposed)
    np.testing.assert_allclose(got[:2], x[:2] @ w[0])
    np.testing.assert_allclose(got[2:5], x[2:5] @ w[2])
    np.testing.assert_allclose(got[5:6], x[5:6] @ w[3])
    assert not got[6:].any()


def test_grouped_matmul_grad() -> None:
    x, grad, ends = randn(7, 3), randn(7, 5), np.array([2, 2, 5, 6])
    (got,) = run_op("grouped_matmul_grad", x, grad, ends)
    assert got.shape == (4, 3, 5) and not got[1].any()
    for e, (start, end) in ((0, (0, 2)), (2, (2, 5)), (3, (5, 6))):
        np.testing.assert_allclose(got[e], x[start:end].T @ grad[start:end])
