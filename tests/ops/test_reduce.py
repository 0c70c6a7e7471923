"""Reductions and softmax against torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from sol.errors import TypeInferenceError
from sol.ir.dim import Dim
from sol.ir.types import DType, TensorType
from tests.ops.reference import check, one_op_graph, randn

DIMS = [((0,), False), ((1,), True), ((0, 2), False), ((0, 1, 2), True)]
REDUCTIONS: dict[str, Any] = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin}


@pytest.mark.parametrize(("dims", "keepdims"), DIMS)
@pytest.mark.parametrize("op", REDUCTIONS)
def test_reduction(op: str, dims: tuple, keepdims: bool) -> None:
    x = randn(3, 4, 5)
    x[1, 2, 3] = np.nan
    check(op, lambda t: REDUCTIONS[op](t, dims, keepdim=keepdims), x, dims=dims, keepdims=keepdims)


@pytest.mark.parametrize("op", ("sum", "max", "min"))
def test_integers(op: str) -> None:
    check(op, lambda t: REDUCTIONS[op](t, (1,)), np.arange(6).reshape(2, 3), dims=(1,))


@pytest.mark.parametrize("keepdims", (False, True))
def test_product_and_logic(keepdims: bool) -> None:
    x = np.array([[0.0, 2.0], [3.0, np.nan], [0.0, 0.0]])
    check("prod", lambda t: torch.prod(t, 1, keepdim=keepdims), x, dims=(1,), keepdims=keepdims)
    check("any", lambda t: torch.any(t, 1, keepdim=keepdims), x, dims=(1,), keepdims=keepdims)
    check("all", lambda t: torch.all(t, 1, keepdim=keepdims), x, dims=(1,), keepdims=keepdims)


@pytest.mark.parametrize("op", ("argmax", "argmin"))
@pytest.mark.parametrize("keepdims", (False, True))
def test_arg(op: str, keepdims: bool) -> None:
    x = np.array([[1.0, 5.0, 5.0], [np.nan, 2.0, np.nan], [-np.inf, 0.0, -np.inf]])
    for dim in (0, 1):
        check(op, lambda t, d=dim: getattr(torch, op)(t, d, keepdim=keepdims), x, dim=dim, keepdims=keepdims)


@pytest.mark.filterwarnings("ignore:var")
@pytest.mark.parametrize("correction", (0, 1, 3, 9))
@pytest.mark.parametrize(("dims", "keepdims"), DIMS)
def test_var(dims: tuple, keepdims: bool, correction: int) -> None:
    check(
        "var", lambda t: torch.var(t, dims, correction=correction, keepdim=keepdims),
        randn(3, 4, 5), dims=dims, keepdims=keepdims, correction=correction,
    )  # fmt: skip


@pytest.mark.parametrize("dim", (0, 1))
@pytest.mark.parametrize("op", ("softmax", "log_softmax"))
def test_softmax(op: str, dim: int) -> None:
    x = np.array([[1.0, 1000.0, -np.inf], [0.5, -2.0, -np.inf], [-3.0, np.nan, -np.inf], [0.0, np.inf, -np.inf]])
    check(op, lambda t: getattr(torch, op)(t, dim), x, dim=dim)


def test_empty() -> None:
    check("sum", lambda t: t.sum(1), np.zeros((2, 0)), dims=(1,))
    check("mean", lambda t: t.mean(1), np.zeros((2, 0)), dims=(1,))
    check("softmax", lambda t: t.softmax(1), np.zeros((2, 0)), dim=1)
    check("argmax", lambda t: t.argmax(1), np.zeros((0, 2)), dim=1)


def test_scalar() -> None:
    check("sum", lambda t: t.sum(), np.array(3.0), dims=())
    check("softmax", lambda t: t.softmax(0), np.array(3.0), dim=0)
    check("argmax", lambda t: t.argmax(0), np.array(3.0), dim=0)


@pytest.mark.parametrize(
    ("op", "type_", "attrs", "message"),
    [
        ("sum", TensorType(DType.F32, (2, 3)), {"dims": (2,)}, "outside"),
        ("sum", TensorType(DType.F32, (2, 3)), {"dims": (0, 0)}, "repeat"),
        ("sum", TensorType(DType.BOOL, (2,)), {"dims": (0,)}, "numbers"),
        ("mean", TensorType(DType.I64, (2,)), {"dims": (0,)}, "floating-point"),
        ("softmax", TensorType(DType.I64, (2,)), {"dim": 0}, "floating-point"),
        ("argmax", TensorType(DType.F32, (0, 2)), {"dim": 0}, "no elements to choose from"),
    ],
)
def test_misfits(op: str, type_: TensorType, attrs: dict, message: str) -> None:
    with pytest.raises(TypeInferenceError, match=message):
        one_op_graph(op, [type_], **attrs)


def test_symbolic() -> None:
    s = Dim.symbol("s0")
    graph = one_op_graph("mean", [TensorType(DType.F32, (s, 3, s + 1))], dims=(1, 2), keepdims=True)
    assert graph.nodes[-1].type.shape == (s, 1, 1)
