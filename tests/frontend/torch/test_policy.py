"""What runs in torch because its kernels are faster: products and norms of types that have plain kernels only, unless they are small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from sol.frontend.torch.export import import_module
from tests.frontend.torch.test_ops import Fn

CASES: dict[str, tuple[Callable[..., Any], torch.dtype, str]] = {
    "a layer of doubles": (F.linear, torch.float64, "float64 has plain kernels only"),
    "a layer of halves": (F.linear, torch.float16, "float16 has plain kernels only"),
    "a layer of bfloat16": (F.linear, torch.bfloat16, ""),
    "a product of integers": (torch.matmul, torch.int64, "products of integers have plain kernels only"),
    "softmax of doubles": (lambda x, y: x.softmax(-1), torch.float64, "float64 has plain kernels only"),
    "GELU of bfloat16": (lambda x, y: F.gelu(x), torch.bfloat16, ""),
    "a sum of integers": (lambda x, y: (x + y).sum(1), torch.int64, ""),
}


@pytest.mark.parametrize("name", CASES)
def test_large_values_of_other_types(name: str) -> None:
    function, dtype, reason = CASES[name]
    x, y = ((torch.rand(64, 64) * 9).to(dtype) for _ in range(2))
    imported = import_module(Fn(function), (x, y))
    assert [n.attrs["reason"] for n in imported.graph if n.op == "torch_call"] == ([reason] if reason else [])


def test_small_products_of_integers_are_compiled() -> None:
    x = torch.randint(0, 9, (8, 8))
    assert not import_module(Fn(torch.matmul), (x, x)).torch_calls
