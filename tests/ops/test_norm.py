"""Normalisations against torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch.nn.functional

from sol.errors import TypeInferenceError
from sol.ir.dim import Dim
from sol.ir.types import DType, Layout, TensorType
from tests.ops.reference import check, one_op_graph, randn

F: Any = torch.nn.functional


@pytest.mark.parametrize("shape", [(2, 5), (2, 5, 3), (2, 5, 3, 4), (1, 5, 2, 3, 4)])
def test_batch_norm(shape: tuple) -> None:
    statistics = [randn(5), randn(5), randn(5), np.abs(randn(5))]
    check(
        "batch_norm", lambda x, w, b, m, v: F.batch_norm(x, m, v, w, b, eps=1e-3), randn(*shape), *statistics, eps=1e-3
    )


@pytest.mark.parametrize("affine", (0, 1, 2))
@pytest.mark.parametrize("dims", (1, 2))
def test_layer_norm(dims: int, affine: int) -> None:
    shape = (4, 5)[2 - dims :]
    check(
        "layer_norm", lambda x, *wb: F.layer_norm(x, shape, *wb, eps=1e-5),
        randn(3, 4, 5), *(randn(*shape) for _ in range(affine)), dims=dims, eps=1e-5,
    )  # fmt: skip


@pytest.mark.parametrize("affine", (0, 1))
@pytest.mark.parametrize("dims", (1, 2))
def test_rms_norm(dims: int, affine: int) -> None:
    shape = (4, 5)[2 - dims :]
    check(
        "rms_norm", lambda x, *w: F.rms_norm(x, shape, *w, eps=1e-6),
        randn(3, 4, 5), *(randn(*shape) for _ in range(affine)), dims=dims, eps=1e-6,
    )  # fmt: skip


@pytest.mark.parametrize("affine", (0, 1, 2))
@pytest.mark.parametrize("groups", (1, 3, 6))
def test_group_norm(groups: int, affine: int) -> None:
    check(
        "group_norm", lambda x, *wb: F.group_norm(x, groups, *wb, eps=1e-5),
        randn(2, 6, 3, 4), *(randn(6) for _ in range(affine)), groups=groups, eps=1e-5,
    )  # fmt: skip


F32 = DType.F32


@pytest.mark.parametrize(
    ("op", "shapes", "attrs", "message"),
    [
        ("batch_norm", [(2, 3)] + [(4,)] * 4, {"eps": 1e-5}, "weight must have shape"),
        ("layer_norm", [(2, 3), (2,)], {"dims": 1, "eps": 1e-5}, "must have shape"),
        ("layer_norm", [(2, 3)], {"dims": 3, "eps": 1e-5}, "trailing"),
        ("group_norm", [(2, 5, 3)], {"groups": 2, "eps": 1e-5}, "divide"),
    ],
)
def test_misfits(op: str, shapes: list, attrs: dict, message: str) -> None:
    with pytest.raises(TypeInferenceError, match=message):
        one_op_graph(op, [TensorType(F32, s) for s in shapes], **attrs)


def test_symbolic_and_layout() -> None:
    s = Dim.symbol("s0")
    x = TensorType(F32, (s, 32, s, 7), Layout(16))
    vector = TensorType(F32, (32,))
    assert one_op_graph("batch_norm", [x, vector, vector, vector, vector], eps=1e-5).nodes[-1].type == x
