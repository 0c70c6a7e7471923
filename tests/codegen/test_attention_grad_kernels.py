"""The kernel for gradients of attention against the float64 interpreter and torch, on every instruction set of this machine."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from sol.codegen.targets import runnable
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.harness import as_region, run_region
from tests.random_numbers import rng

SIZES = [(1, 1, 1, 1), (1, 33, 16, 8), (5, 3, 8, 15), (16, 17, 33, 17), (19, 64, 7, 40), (70, 70, 64, 64), (33, 300, 20, 9)]
MASKS = [((2, 3, 11, 37),), ((2, 1, 1, 37),), ((11, 37),), ((37,),), ((1, 3, 11, 1),)]


def floats(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def gradients(operands: list[np.ndarray], **attrs) -> Graph:
    b = GraphBuilder()
    types = [DType.BOOL if x.dtype == np.bool_ else DType.F32 for x in operands]
    inputs = [b.input(n, TensorType(t, x.shape)) for n, t, x in zip("gqkvmn", types, operands)]
    found = b.add("sdpa_dropped_grad" if "share" in attrs else "sdpa_grad", inputs, **attrs)
    return b.build([f"{found}{suffix}" for suffix in ("", "#1", "#2")] if isinstance(found, str) else list(found))


def check(operands: list[np.ndarray], isa: str, threads: int = 2, **attrs) -> None:
    graph = gradients(operands, **attrs)
    region = as_region(graph, "dnn", "sdpa_dropped_grad" if "share" in attrs else "sdpa_grad")
    found = run_region(region, dict(zip(graph.inputs, operands)), isa=isa, threads=threads)
    for got, want in zip(found, evaluate_outputs(graph, operands)):
        np.testing.assert_allclose(got, want, rtol=5e-5, atol=5e-5)


@pytest.mark.parametrize("isa,causal,queries,keys,depth,features", thinned([False, True], SIZES))
def test_sizes(isa: str, causal: bool, queries: int, keys: int, depth: int, features: int) -> None:
    operands = [floats(2, 3, *s) for s in ((queries, features), (queries, depth), (keys, depth), (keys, features))]
    for threads in (1, 3):
        check(operands, isa, threads, causal=causal, scale=0.3)


@pytest.mark.parametrize("isa,causal,queries,keys,depth,features", thinned([False, True], SIZES))
def test_dropout(isa: str, causal: bool, queries: int, keys: int, depth: int, features: int) -> None:
    operands = [floats(2, 3, *s) for s in ((queries, features), (queries, depth), (keys, depth), (keys, features))]
    kept, mask = rng.random((2, 3, queries, keys)) < 0.8, rng.random((queries, keys)) < 0.9
    for threads in (1, 3):
        check([*operands, kept], isa, threads, causal=causal, scale=0.3, share=0.2)
    check([*operands, kept, mask], isa, causal=causal, scale=0.3, share=0.2)


@pytest.mark.parametrize("isa,dtype,shape", thinned([DType.BOOL, DType.F32], MASKS))
def test_masks_broadcast(isa: str, dtype: DType, shape: tuple) -> None:
    operands = [floats(2, 3, *s) for s in ((11, 20), (11, 20), (37, 20), (37, 20))]
    mask = rng.random(shape) < 0.6 if dtype is DType.BOOL else floats(*shape)
    for causal in (False, True):
        check([*operands, mask], isa, causal=causal, scale=0.4)


@pytest.mark.parametrize("isa", runnable())
def test_queries_that_attend_to_nothing_give_nothing(isa: str) -> None:
    operands = [floats(1, 2, 9, 8) for _ in range(4)]
    mask = np.ones((9, 9), np.bool_)
    mask[4] = False
    check([*operands, mask], isa, causal=False, scale=0.5)


@pytest.mark.parametrize("causal", [False, True])
def test_against_torch(causal: bool) -> None:
    g, q, k, v = (torch.randn(2, 3, n, 16, dtype=torch.float64) for n in (21, 21, 21, 21))
    leaves = [x.requires_grad_() for x in (q, k, v)]
    want = torch.autograd.grad(F.scaled_dot_product_attention(*leaves, is_causal=causal, scale=0.3), leaves, g)
    operands = [x.detach().numpy() for x in (g, *leaves)]
    graph = gradients(operands, causal=causal, scale=0.3)
    for got, expected in zip(evaluate_outputs(graph, operands), want):
        np.testing.assert_allclose(got, expected.numpy(), rtol=1e-9, atol=1e-9)
    narrow = [x.astype(np.float32) for x in operands]
    found = run_region(as_region(graph, "dnn", "sdpa_grad"), dict(zip(graph.inputs, narrow)), threads=2)
    for got, expected in zip(found, want):
        np.testing.assert_allclose(got, expected.numpy(), rtol=5e-5, atol=5e-5)
