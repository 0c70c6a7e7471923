"""Matrix products against torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.errors import TypeInferenceError
from sol.ir.dim import Dim
from sol.ir.types import DType, TensorType
from tests.ops.reference import check, one_op_graph, randn


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
