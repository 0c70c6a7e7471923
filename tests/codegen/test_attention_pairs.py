"""Attention that multiplies pairs of bfloat16 against the float64 interpreter and torch, in instructions of the processor and in C."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.ir.types import DType
from tests.codegen.conv_cases import held
from tests.codegen.test_attention_tiles import attention, check, check_size, floats, run
from tests.emulation import PAIRS, PAIRS_IN_C
from tests.harness import as_region, texts_of
from tests.random_numbers import rng

BF16 = DType.BF16
ISAS = [PAIRS, PAIRS_IN_C]

SIZES = [
    # queries, keys, depth, features
    (5, 3, 8, 15), (16, 17, 34, 17), (19, 64, 6, 40), (33, 128, 64, 64), (70, 130, 128, 31), (31, 300, 66, 33), (9, 1100, 2, 16),
    (6, 1, 2, 1),
]  # fmt: skip


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length,keys,depth,features", SIZES)
def test_sizes(isa: str, causal: bool, length: int, keys: int, depth: int, features: int) -> None:
    """Around register tiles, vectors and stretches of sums; odd numbers of keys; heads shared out among threads."""
    graph = check_size(BF16, (length, keys, depth, features), isa, causal=causal)
    assert "vp_dot" in texts_of(as_region(graph, "dnn", "sdpa"), isa)


@pytest.mark.parametrize("strides", [
    {"q": (960, 20, 60, 1), "k": (2220, 20, 60, 1), "v": (2220, 20, 60, 1)},  # as one product gives all three
    {"q": (660, 220, 1, 11)}, {"k": (2220, 740, 1, 37)}, {"v": (2220, 740, 1, 37)}, {"k": (2400, 800, 21, 1)},
])  # fmt: skip
@pytest.mark.parametrize("mask,kind", [(None, DType.BOOL), ((11, 37), DType.BOOL), ((2, 1, 1, 37), DType.F32)])
def test_strides_and_masks(strides: dict, mask: tuple | None, kind: DType) -> None:
    """Features side by side and apart, keys an even and an odd number of elements apart, which pairs are not read from."""
    graph = attention(BF16, (2, 3, 11, 20), (2, 3, 37, 20), (2, 3, 37, 20), mask, kind)
    inputs = [floats(BF16, 2, 3, 11, 20), floats(BF16, 2, 3, 37, 20), floats(BF16, 2, 3, 37, 20)]
    if mask is not None:
        inputs.append(rng.random(mask) < 0.7 if kind is DType.BOOL else floats(DType.F32, *mask))
    check(BF16, graph, inputs, isa=PAIRS, threads=2, strides=strides)


@pytest.mark.parametrize("isa", ISAS)
def test_what_is_not_finite_stays_in_its_row(isa: str) -> None:
    q, k, v = (floats(BF16, 1, 1, n, 16) for n in (12, 21, 21))
    q[0, 0, 4, 3], q[0, 0, 7] = np.nan, 0
    got = run(attention(BF16, q.shape, k.shape, v.shape, causal=True), [q, k, v], isa=isa)
    assert np.isnan(got[0, 0, 4]).all() and np.isfinite(np.delete(got[0, 0], 4, 0)).all()
    v[0, 0, 20] = np.inf  # which no query attends to
    again = run(attention(BF16, q.shape, k.shape, v.shape, causal=True), [q, k, v], isa=isa)
    assert np.isfinite(np.delete(again[0, 0], 4, 0)).all()


@pytest.mark.parametrize("length", [40, 130])
def test_errors_are_those_of_torch(length: int) -> None:
    """Twice as far from float64 as torch's at most, in the root of the mean square no more than a tenth further."""
    q, k, v = (floats(BF16, 1, 4, length, 64) for _ in range(3))
    got = run(attention(BF16, q.shape, k.shape, v.shape, scale=0.125), [q, k, v], isa=PAIRS)
    tensors = [torch.from_numpy(held(x, BF16).astype(np.float32)) for x in (q, k, v)]
    exact = torch.nn.functional.scaled_dot_product_attention(*(t.double() for t in tensors)).numpy()
    theirs = torch.nn.functional.scaled_dot_product_attention(*(t.bfloat16() for t in tensors)).float().numpy()
    ours, torchs = got - exact, theirs - exact
    assert np.abs(ours).max() <= 2 * np.abs(torchs).max()
    assert np.sqrt(np.mean(ours**2)) <= 1.1 * np.sqrt(np.mean(torchs**2))
