"""Attention of com.microsoft against onnxruntime: masks in every form, caches, rotations, packed operands, grouped heads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sol.errors import UnsupportedError
from tests.frontend.onnx.imported import check, evaluated, one_node
from tests.frontend.onnx.one_node import randn
from tests.random_numbers import rng

DOMAIN = "com.microsoft"
F32, I32 = np.float32, np.int32
BATCH, LENGTH, HEADS, WIDTH, SHARED = 2, 5, 4, 16, 2
FEATURES = HEADS * WIDTH


def ints(*values: int) -> np.ndarray:
    return np.array(values, I32)


def bits(*shape: int) -> np.ndarray:
    return rng.integers(0, 2, shape).astype(I32)


def against_ort(op: str, operands: list, outputs: int = 1, **options: Any) -> None:
    check(op, operands, engine="ort", domain=DOMAIN, opset=1, outputs=outputs, types=[F32] * outputs, tolerance=1e-4, **options)


MASKS = {"none": None, "lengths": ints(3, 5), "ends and starts": ints(4, 5, 0, 2), "keys": bits(BATCH, LENGTH),
         "scores": bits(BATCH, LENGTH, LENGTH)}  # fmt: skip


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("mask", MASKS)
def test_projected_attention_with_masks(mask: str, causal: int) -> None:
    operands = [randn(BATCH, LENGTH, 12), randn(12, 3 * FEATURES), randn(3 * FEATURES), MASKS[mask]]
    against_ort("Attention", operands, num_heads=HEADS, unidirectional=causal)


PROJECTED = {
    "past": ([None, randn(2, BATCH, HEADS, 3, WIDTH)], 2, {"unidirectional": 1}),
    "past and mask": ([bits(BATCH, LENGTH + 3), randn(2, BATCH, HEADS, 3, WIDTH)], 2, {"mask_filter_value": -50.0}),
    "bias": ([None, None, randn(1, HEADS, LENGTH, LENGTH)], 1, {"scale": 0.3}),
}


@pytest.mark.parametrize("name", PROJECTED)
def test_projected_attention(name: str) -> None:
    more, outputs, attrs = PROJECTED[name]
    operands = [randn(BATCH, LENGTH, 12), randn(12, 3 * FEATURES), randn(3 * FEATURES), *more]
    against_ort("Attention", operands, outputs, num_heads=HEADS, **attrs)


def test_values_of_another_width() -> None:
    width = 2 * FEATURES + 32
    sizes = [FEATURES, FEATURES, 32]
    against_ort("Attention", [randn(BATCH, LENGTH, 12), randn(12, width), randn(width)], num_heads=HEADS, qkv_hidden_sizes=sizes)


def _heads(length: int = 7) -> np.ndarray:
    return randn(BATCH, length, FEATURES)


SEPARATE = {
    "plain": ([], 1, {}), "bias": ([randn(3 * FEATURES)], 1, {}), "padding": ([None, bits(BATCH, 7)], 1, {}),
    "lengths": ([None, ints(3, 7)], 1, {}), "scores": ([None, None, randn(BATCH, HEADS, LENGTH, 7)], 1, {}),
    "causal": ([], 1, {"unidirectional": 1}),
}  # fmt: skip


@pytest.mark.parametrize("name", SEPARATE)
def test_separate_operands(name: str) -> None:
    more, outputs, attrs = SEPARATE[name]
    keys = LENGTH if name == "causal" else 7
    against_ort("MultiHeadAttention", [_heads(LENGTH), _heads(keys), _heads(keys), *more], outputs, num_heads=HEADS, **attrs)


def test_separate_operands_with_a_past_or_split_heads() -> None:
    past = [randn(BATCH, HEADS, 3, WIDTH), randn(BATCH, HEADS, 3, WIDTH)]
    operands = [_heads(LENGTH), _heads(LENGTH), _heads(LENGTH), None, None, None, *past]
    against_ort("MultiHeadAttention", operands, 3, num_heads=HEADS, unidirectional=1)
    split = [randn(BATCH, HEADS, 7, WIDTH), randn(BATCH, HEADS, 7, WIDTH)]
    against_ort("MultiHeadAttention", [_heads(LENGTH), *split], num_heads=HEADS)


def test_packed_operands_are_the_separate_ones() -> None:
    """onnxruntime has these forms on GPUs only."""
    parts = [_heads(LENGTH) for _ in range(3)]
    packed = np.stack([p.reshape(BATCH, LENGTH, HEADS, WIDTH) for p in parts], 3)

    def result(operands: list) -> np.ndarray:
        return evaluated(*one_node("MultiHeadAttention", operands, domain=DOMAIN, opset=1, types=[F32], num_heads=HEADS))[0]

    want = result(parts)
    np.testing.assert_allclose(result([packed]), want, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(result([parts[0], np.ascontiguousarray(packed[:, :, :, 1:])]), want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("interleaved", [0, 1])
def test_rotations(interleaved: int) -> None:
    tables, places = [randn(20, WIDTH // 2), randn(20, WIDTH // 2)], rng.integers(0, 20, (BATCH, LENGTH))
    against_ort("RotaryEmbedding", [_heads(LENGTH), np.array([2]), *tables], interleaved=interleaved)
    against_ort("RotaryEmbedding", [randn(BATCH, HEADS, LENGTH, WIDTH), places, *tables], interleaved=interleaved)
    part = [randn(20, 2), randn(20, 2)]
    against_ort("RotaryEmbedding", [_heads(LENGTH), places, *part], interleaved=interleaved, num_heads=HEADS, rotary_embedding_dim=4)


TABLES = (randn(20, WIDTH // 2), randn(20, WIDTH // 2))
BIAS, SINK = randn(1, HEADS, LENGTH, LENGTH), randn(HEADS)


def _few(length: int, batch: int = BATCH) -> np.ndarray:
    return randn(batch, length, SHARED * WIDTH)


def grouped(query: np.ndarray, kv: int, past: int, lengths: list[int], total: int, more: tuple = (), **attrs: Any) -> None:
    """kv: new rows, 0 for packed operands. past: rows of the caches, 0 for none."""
    batch = query.shape[0]
    new = [_few(kv, batch), _few(kv, batch)] if kv else [None, None]
    caches = [randn(batch, SHARED, past, WIDTH), randn(batch, SHARED, past, WIDTH)] if past else [None, None]
    operands = [query, *new, *caches, np.array(lengths, I32), ints(total), *more]
    against_ort("GroupQueryAttention", operands, 3, num_heads=HEADS, kv_num_heads=SHARED, constants=(6,), **attrs)


PROMPTS: dict[str, tuple[tuple, dict]] = {
    "plain": ((), {}), "window": ((), {"local_window_size": 2}), "cap": ((), {"softcap": 1.5}), "smooth": ((), {"smooth_softmax": 1}),
    "both directions": ((), {"causal": 0}), "rotation": (TABLES, {"do_rotary": 1}),
    "pairs": (TABLES, {"do_rotary": 1, "rotary_interleaved": 1}),
    "bias": ((None, None, None, BIAS), {}), "sink": ((None, None, None, None, SINK), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", PROMPTS)
def test_grouped_queries_of_a_prompt(name: str) -> None:
    more, attrs = PROMPTS[name]
    grouped(_heads(LENGTH), LENGTH, 0, [LENGTH - 1] * BATCH, LENGTH, more, **attrs)


def test_grouped_queries_of_prompts_of_different_lengths() -> None:
    grouped(_heads(LENGTH), LENGTH, 0, [LENGTH - 1, 2], LENGTH)


def test_packed_grouped_queries() -> None:
    grouped(randn(BATCH, LENGTH, (HEADS + 2 * SHARED) * WIDTH), 0, 0, [LENGTH - 1] * BATCH, LENGTH)


def test_grouped_queries_of_one_more_token() -> None:
    grouped(_heads(1), 1, 6, [6, 6], 7, TABLES, do_rotary=1)
    grouped(_heads(1), 1, 10, [6, 4], 7, TABLES, do_rotary=1)  # room is left in the caches
    grouped(randn(1, 3, FEATURES), 3, 6, [8], 9)


def test_what_is_not_built_is_named() -> None:
    operands = [_heads(LENGTH), _few(LENGTH), _few(LENGTH), None, None, ints(4, 4), ints(LENGTH)]
    model, given = one_node("GroupQueryAttention", operands, 3, 1, (6,), DOMAIN, [F32] * 3, num_heads=HEADS, kv_num_heads=SHARED,
                            k_quant_type="PER_TENSOR")  # fmt: skip
    with pytest.raises(UnsupportedError, match="k_quant_type is PER_TENSOR"):
        evaluated(model, given)
