"""Attention against torch: masks, causality, and rows that attend to nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from sol.errors import TypeInferenceError
from sol.ir.types import DType, TensorType
from tests.ops.reference import check, one_op_graph, randn

F: Any = torch.nn.functional

BOOL_MASK = np.array([[True, False, True, True, False], [False] * 5, [True] * 5])
FLOAT_MASK = np.where(BOOL_MASK, 0.5, -np.inf)


def attend(**options: Any) -> Any:
    return lambda q, k, v, *mask: F.scaled_dot_product_attention(q, k, v, *mask, **options)


@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("scale", (0.5, 2.0))
@pytest.mark.parametrize("lengths", [(3, 5), (5, 3), (4, 4), (1, 6)])
def test_sdpa(causal: bool, scale: float, lengths: tuple) -> None:
    q, s = lengths
    operands = randn(2, 3, q, 4), randn(2, 3, s, 4), randn(2, 3, s, 6)
    check("sdpa", attend(is_causal=causal, scale=scale), *operands, causal=causal, scale=scale)


@pytest.mark.parametrize("mask", (BOOL_MASK, FLOAT_MASK, BOOL_MASK[None, None], FLOAT_MASK[:1]), ids=str)
def test_mask(mask: np.ndarray) -> None:
    operands = randn(2, 3, 3, 4), randn(2, 3, 5, 4), randn(2, 3, 5, 4)
    check("sdpa", attend(scale=0.5), *operands, mask, scale=0.5)


@pytest.mark.parametrize("shape", [(), (2,), (2, 1, 3)])
def test_batch_dimensions(shape: tuple) -> None:
    operands = randn(*shape, 3, 4), randn(*shape, 5, 4), randn(*shape, 5, 4)
    check("sdpa", attend(scale=0.5), *operands, scale=0.5)


def test_nan_spreads() -> None:
    q, k, v = randn(1, 1, 3, 4), randn(1, 1, 5, 4), randn(1, 1, 5, 4)
    k[0, 0, 0] = np.nan
    check("sdpa", attend(scale=0.5), q, k, v, BOOL_MASK, scale=0.5)


def test_misfits() -> None:
    q, k = TensorType(DType.F32, (2, 3, 4)), TensorType(DType.F32, (2, 5, 4))
    for mask in (TensorType(DType.BOOL, (3, 4)), TensorType(DType.F64, (3, 5)), TensorType(DType.BOOL, (7, 2, 3, 5))):
        with pytest.raises(TypeInferenceError, match=r"mask|broadcast"):
            one_op_graph("sdpa", [q, k, k, mask], scale=1.0)
    with pytest.raises(TypeInferenceError, match="features"):
        one_op_graph("sdpa", [q, TensorType(DType.F32, (2, 5, 3)), k], scale=1.0)


def test_masked_row_gives_zeros() -> None:
    theirs = F.scaled_dot_product_attention(
        *(torch.randn(1, 1, n, 4) for n in (3, 5, 5)), attn_mask=torch.from_numpy(BOOL_MASK)
    )
    assert (theirs[0, 0, 1] == 0).all(), "torch's rule has changed: adapt the reference"


@pytest.mark.parametrize("mask", (None, BOOL_MASK, FLOAT_MASK), ids=str)
@pytest.mark.parametrize("causal", (False, True))
def test_sdpa_grad(mask: np.ndarray | None, causal: bool) -> None:
    def gradients(grad: Any, q: Any, k: Any, v: Any, *mask: Any) -> Any:
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        where = [torch.where(torch.ones(3, 5).tril() > 0, m if m.is_floating_point() else torch.where(m, 0.0, -torch.inf), -torch.inf)
                 for m in mask] if causal else mask  # fmt: skip
        found = F.scaled_dot_product_attention(*leaves, *where, scale=0.5, is_causal=causal and not where)
        return torch.autograd.grad(found, leaves, grad)

    operands = randn(2, 3, 6), randn(2, 3, 4), randn(2, 5, 4), randn(2, 5, 6)
    check("sdpa_grad", gradients, *operands, *([] if mask is None else [mask]), causal=causal, scale=0.5)


KEPT = np.random.default_rng(3).random((2, 3, 5)) < 0.7


def dropping(share: float, causal: bool) -> Any:
    def attend(q: Any, k: Any, v: Any, kept: Any, mask: Any = None) -> Any:
        added = torch.where(mask, 0.0, -torch.inf).double() if mask is not None and mask.dtype is torch.bool else mask
        return torch.ops.aten._scaled_dot_product_attention_math(q, k, v, added, share, causal, kept, scale=0.5)[0]

    return attend


@pytest.mark.parametrize("mask,causal", [(None, False), (None, True), (BOOL_MASK, False), (FLOAT_MASK, False)], ids=str)
def test_sdpa_dropped(mask: np.ndarray | None, causal: bool) -> None:
    operands = randn(2, 3, 4), randn(2, 5, 4), randn(2, 5, 6), KEPT
    given = [*operands, *([] if mask is None else [mask])]
    check("sdpa_dropped", dropping(0.3, causal), *given, causal=causal, scale=0.5, share=0.3)


@pytest.mark.parametrize("mask,causal", [(None, False), (None, True), (BOOL_MASK, False), (FLOAT_MASK, False)], ids=str)
def test_sdpa_dropped_grad(mask: np.ndarray | None, causal: bool) -> None:
    def gradients(grad: Any, q: Any, k: Any, v: Any, *rest: Any) -> Any:
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        return torch.autograd.grad(dropping(0.3, causal)(*leaves, *rest), leaves, grad)

    operands = randn(2, 3, 6), randn(2, 3, 4), randn(2, 5, 4), randn(2, 5, 6), KEPT
    given = [*operands, *([] if mask is None else [mask])]
    check("sdpa_dropped_grad", gradients, *given, causal=causal, scale=0.5, share=0.3)


def test_dropout_misfits() -> None:
    q, k = TensorType(DType.F32, (2, 3, 4)), TensorType(DType.F32, (2, 5, 4))
    kept = TensorType(DType.BOOL, (2, 3, 5))
    for wrong in (TensorType(DType.BOOL, (3, 5)), TensorType(DType.F32, (2, 3, 5))):
        with pytest.raises(TypeInferenceError, match="kept must be"):
            one_op_graph("sdpa_dropped", [q, k, k, wrong], scale=1.0, share=0.5)
    with pytest.raises(TypeInferenceError, match="share"):
        one_op_graph("sdpa_dropped", [q, k, k, kept], scale=1.0, share=1.0)


def test_gradients_of_shared_heads_misfit() -> None:
    g, k = TensorType(DType.F32, (2, 4, 3, 4)), TensorType(DType.F32, (2, 1, 3, 4))
    with pytest.raises(TypeInferenceError, match="heads"):
        one_op_graph("sdpa_grad", [g, g, k, k], scale=1.0)
