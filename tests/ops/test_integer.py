"""Exact products and convolutions of bytes against torch's integers, sums beyond 32 bits included."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.errors import TypeInferenceError
from sol.ir.types import DType, TensorType
from tests.ops.reference import check, one_op_graph
from tests.random_numbers import rng


def u8(*shape: int) -> np.ndarray:
    return rng.integers(0, 256, shape).astype(np.uint8)


def s8(*shape: int) -> np.ndarray:
    return rng.integers(-128, 128, shape).astype(np.int8)


@pytest.mark.parametrize("shapes", [((3, 5), (5, 4)), ((2, 1, 3, 7), (6, 7, 2))], ids=str)
def test_int_matmul(shapes: tuple) -> None:
    check("int_matmul", lambda a, b: a.int() @ b.int(), u8(*shapes[0]), s8(*shapes[1]))


@pytest.mark.parametrize("shape", [(9,), (3, 9), (2, 3, 9)], ids=str)
def test_int_linear(shape: tuple) -> None:
    check("int_linear", lambda x, w: F.linear(x.int(), w.int()), u8(*shape), s8(4, 9))


def test_sums_wrap_around() -> None:
    x, w = np.full((1, 70_000), 255, np.uint8), np.full((1, 70_000), 127, np.int8)
    assert 255 * 127 * 70_000 > 2**31
    check("int_linear", lambda x, w: (x.long() @ w.long().T).int(), x, w)


@pytest.mark.parametrize("groups", (1, 2))
@pytest.mark.parametrize("padding", [((0, 0), (0, 0)), ((1, 2), (0, 1))], ids=str)
def test_int_conv(groups: int, padding: tuple) -> None:
    """Around the image there are pixels of value 7, the zero point of the input."""
    def expected(x: torch.Tensor, w: torch.Tensor, fill: torch.Tensor) -> torch.Tensor:
        (top, bottom), (left, right) = padding
        padded = F.pad(x.double(), (left, right, top, bottom), value=float(fill))
        return F.conv2d(padded, w.double(), stride=(2, 1), dilation=(1, 2), groups=groups).int()

    check("int_conv", expected, u8(2, 4, 7, 8), s8(6, 4 // groups, 3, 2), np.array(7, np.uint8),
          stride=(2, 1), padding=padding, dilation=(1, 2), groups=groups)  # fmt: skip


@pytest.mark.parametrize(("op", "shapes"), [("int_matmul", ((2, 3), (4, 5))), ("int_linear", ((2, 3), (4, 5)))])
def test_misfits(op: str, shapes: tuple) -> None:
    with pytest.raises(TypeInferenceError):
        one_op_graph(op, [TensorType(d, s) for d, s in zip((DType.U8, DType.I8), shapes)])
    with pytest.raises(TypeInferenceError, match="u8 and i8"):
        one_op_graph(op, [TensorType(DType.I8, shapes[0])] * 2)
