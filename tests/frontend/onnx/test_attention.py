"""ONNX Attention on combinations of options that the onnx package's own suite does not have."""

from __future__ import annotations

import numpy as np
import pytest

from tests.frontend.onnx.one_node import check, randn
from tests.random_numbers import rng

HEADS = [randn(2, 4, 3, 8), randn(2, 2, 5, 8), randn(2, 2, 5, 6)]


@pytest.mark.parametrize("mask", ["heads", "row", "bool", "short"])
def test_shared_heads_with_masks(mask: str) -> None:
    shape = {"heads": (2, 4, 3, 5), "row": (3, 5), "bool": (2, 1, 3, 5), "short": (3, 4)}[mask]
    value = rng.random(shape) < 0.7 if mask == "bool" else randn(*shape)
    check("Attention", [*HEADS, value], opset=24, is_causal=1)


def test_an_empty_row_gives_zeros() -> None:
    mask = np.ones((3, 5), np.bool_)
    mask[1] = False
    (y,) = check("Attention", [*HEADS, mask], opset=24)
    assert (y[:, :, 1] == 0).all()


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_scores_with_a_cap_and_the_past(mode: int) -> None:
    q, k, v = randn(1, 3, 16), randn(1, 3, 8), randn(1, 3, 8)
    past = [randn(1, 1, 2, 8), randn(1, 1, 2, 8)]
    options = {"q_num_heads": 2, "kv_num_heads": 1, "is_causal": 1, "qk_matmul_output_mode": mode, "scale": 0.3}
    cap = {"softcap": 1.5} if mode else {}  # the reference shows capped scores also where raw ones are asked for
    check("Attention", [q, k, v, None, *past], opset=24, outputs=4, **options, **cap)


def test_the_number_of_valid_keys() -> None:
    length = np.array([5, 2], np.int64)
    check("Attention", [*HEADS, None, None, None, length], opset=24, is_causal=1)
    check("Attention", [*HEADS, None, None, None, length], opset=24)
