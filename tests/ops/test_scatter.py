"""Reference of scatter, against torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.errors import TypeInferenceError
from sol.ir.types import DType, TensorType
from tests.ops.reference import check, one_op_graph, randn, run_op

INDEX = np.array([[0, 2, 1], [1, 2, 0]], np.int64)


@pytest.mark.parametrize("dim", (0, 1))
@pytest.mark.parametrize("reduction", ("none", "add", "mul", "max", "min"))
def test_scatter(dim: int, reduction: str) -> None:
    names = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}

    def expected(x: torch.Tensor, i: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        return x.scatter(dim, i, u) if reduction == "none" else x.scatter_reduce(dim, i, u, names[reduction])

    index = INDEX if dim else INDEX[:, :2].repeat(2, 1)[:, :3] % 3
    check("scatter", expected, randn(4, 5), index, randn(2, 3), dim=dim, reduction=reduction)


def test_repeated_negative_and_foreign_places() -> None:
    index = np.array([1, -1, 1, 7], np.int64)
    (y,) = run_op("scatter", np.zeros(3), index, np.array([1.0, 2.0, 3.0, 4.0]), dim=0)
    assert y.tolist() == [0, 3, 2]
    (y,) = run_op("scatter", np.zeros(3), index, np.array([1.0, 2.0, 3.0, 4.0]), dim=0, reduction="add")
    assert y.tolist() == [0, 4, 2]


@pytest.mark.parametrize(
    ("shapes", "attrs"),
    [
        (((4, 5), (2, 3), (2, 4)), {"dim": 0}),
        (((4, 5), (2, 6), (2, 6)), {"dim": 0}),
        (((4, 5), (2,), (2,)), {"dim": 0}),
        (((4, 5), (2, 3), (2, 3)), {"dim": 0, "reduction": "mean"}),
    ],
)
def test_misfits(shapes: tuple, attrs: dict) -> None:
    dtypes = (DType.F32, DType.I64, DType.F32)
    with pytest.raises(TypeInferenceError):
        one_op_graph("scatter", [TensorType(d, s) for d, s in zip(dtypes, shapes)], **attrs)
