"""View references against torch, and misfits."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from sol.errors import TypeInferenceError
from sol.ir.dim import Dim
from sol.ir.types import DType, Layout, TensorType
from tests.ops.reference import check, one_op_graph, randn

S = Dim.symbol("s0", 2, 64)


def _image(blocks: torch.Tensor) -> torch.Tensor:
    n, groups, h, w, block = blocks.shape
    return torch.stack([blocks[:, i // block, ..., i % block] for i in range(groups * block)], 1).view(n, groups * block, h, w)


@pytest.mark.parametrize(
    ("op", "shape", "attrs", "expected"),
    [
        ("reshape", (2, 3, 4), {"shape": (6, 4)}, lambda x: x.reshape(6, 4)),
        ("reshape", (2, 3), {"shape": (1, 6, 1)}, lambda x: x.reshape(1, 6, 1)),
        ("reshape", (1,), {"shape": ()}, lambda x: x.reshape(())),
        ("reshape", (0, 3), {"shape": (3, 0, 2)}, lambda x: x.reshape(3, 0, 2)),
        ("permute", (2, 3, 4), {"order": (2, 0, 1)}, lambda x: x.permute(2, 0, 1)),
        ("permute", (), {"order": ()}, lambda x: x),
        ("expand", (3, 1), {"shape": (2, 3, 4)}, lambda x: x.expand(2, 3, 4)),
        ("expand", (), {"shape": (2,)}, lambda x: x.expand(2)),
        ("slice", (7, 2), {"dim": 0, "start": 1, "stop": 6, "step": 2}, lambda x: x[1:6:2]),
        ("slice", (2, 7), {"dim": 1, "start": 0, "stop": 7, "step": 3}, lambda x: x[:, ::3]),
        ("slice", (2, 7), {"dim": 1, "start": 5, "stop": 2, "step": 1}, lambda x: x[:, 5:2]),
        ("to_blocks", (2, 5, 3, 4), {}, lambda x: x),
        ("from_blocks", (2, 2, 3, 4, 8), {"channels": 11}, lambda x: _image(x)[:, :11]),
        ("from_blocks", (1, 2, 5, 8, 4), {"channels": 8, "border": ((1, 1), (2, 2))}, lambda x: _image(x)[:, :, 1:-1, 2:-2]),
    ],
)
def test_view(op: str, shape: tuple, attrs: dict, expected: Any) -> None:
    check(op, expected, randn(*shape), **attrs)


@pytest.mark.parametrize(
    ("op", "shape", "attrs", "message"),
    [
        ("reshape", (2, 3), {"shape": (5,)}, "6 elements"),
        ("reshape", (S, 3), {"shape": (S * 2,)}, "elements"),
        ("permute", (2, 3), {"order": (0, 0)}, "permutation"),
        ("expand", (2, 3), {"shape": (2, 4)}, "expand"),
        ("expand", (S,), {"shape": (5,)}, "expand"),
        ("slice", (3,), {"dim": 0, "start": 0, "stop": 5, "step": 1}, "beyond"),
        ("slice", (3,), {"dim": 1, "start": 0, "stop": 1, "step": 1}, "outside"),
        ("slice", (3,), {"dim": 0, "start": 0, "stop": 1, "step": 0}, "positive"),
        ("from_blocks", (2, 3, 4, 5), {"channels": 3}, "rank 5"),
        ("from_blocks", (2, 2, 4, 5, 8), {"channels": 17}, "17 channels"),
        ("from_blocks", (2, 2, 4, 5, 8), {"channels": 16, "layout": Layout(16)}, "no blocks of 16"),
        ("to_blocks", (2, 3, 4, 5), {"layout": Layout(8)}, "takes images"),
        ("reshape", (3,), {}, "needs attribute"),
        ("reshape", (3,), {"shape": (3,), "extra": 1}, "takes no attribute"),
    ],
)
def test_misfits(op: str, shape: tuple, attrs: dict, message: str) -> None:
    with pytest.raises(TypeInferenceError, match=message):
        one_op_graph(op, [TensorType(DType.F32, shape)], **attrs)


@pytest.mark.parametrize(
    ("op", "shape", "attrs", "result"),
    [
        ("reshape", (S, 4, 6), {"shape": (S * 4, 6)}, (S * 4, 6)),
        ("reshape", (S, 12), {"shape": (S, 3, 4)}, (S, 3, 4)),
        ("permute", (S, 3), {"order": (1, 0)}, (3, S)),
        ("expand", (1, S), {"shape": (5, S)}, (5, S)),
        ("slice", (S, 3), {"dim": 0, "start": 0, "stop": S - 1, "step": 1}, (S - 1, 3)),
        ("slice", (S * 2,), {"dim": 0, "start": 0, "stop": S * 2, "step": 2}, (S,)),
    ],
)
def test_symbolic(op: str, shape: tuple, attrs: dict, result: tuple) -> None:
    graph = one_op_graph(op, [TensorType(DType.F32, shape)], **attrs)
    assert graph.nodes[-1].type.shape == result
