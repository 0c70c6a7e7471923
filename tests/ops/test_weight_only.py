"""Linear layers with quantized weights against torch, and what rounding weights of a group may lose."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.errors import TypeInferenceError
from sol.ir.builder import GraphBuilder
from sol.ir.interpret import evaluate_outputs
from sol.ir.ops.weight_only import dequantized, numbers_of
from sol.ir.types import DType, TensorType
from sol.ir.verify import verify
from tests.random_numbers import rng

F32, BF16, I8, U8 = DType.F32, DType.BF16, DType.I8, DType.U8


def linear(x: np.ndarray, codes: np.ndarray, scales: np.ndarray, *zeros: np.ndarray, group: int) -> np.ndarray:
    b = GraphBuilder()
    given = (x, codes, scales, *zeros)
    types = [TensorType(DType.from_numpy(a.dtype), a.shape) for a in given]
    names = [b.input(f"x{i}", t) for i, t in enumerate(types)]
    graph = verify(b.build([b.add("weight_only_linear", names, group=group)]))
    return evaluate_outputs(graph, list(given))[0]


def scales_of(features: int, depth: int, group: int) -> np.ndarray:
    return rng.uniform(0.5, 2.0, (features, -(-depth // group))).astype(np.float32)


@pytest.mark.parametrize("zeros", [None, np.int8, np.float32])
@pytest.mark.parametrize("depth,group", [(32, 16), (40, 16), (7, 7), (24, 64)])
def test_bytes(depth: int, group: int, zeros: type | None) -> None:
    """The last group may be smaller than the others."""
    x, codes = rng.standard_normal((2, 3, depth)).astype(np.float32), rng.integers(-128, 128, (5, depth)).astype(np.int8)
    scales = scales_of(5, depth, group)
    points = [] if zeros is None else [(rng.integers(-9, 9, scales.shape) / (1 if zeros is np.int8 else 4)).astype(zeros)]
    by_channel = [torch.tensor(a).double().repeat_interleave(group, 1)[:, :depth] for a in (scales, *points)]
    w = (torch.tensor(codes).double() - (by_channel[1] if points else 0)) * by_channel[0]
    got = linear(x, codes, scales, *points, group=group)
    np.testing.assert_allclose(got, (torch.tensor(x).double() @ w.T).numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("depth", (16, 17))
def test_halves_of_bytes(depth: int) -> None:
    """The even channel is in the low half; 8 stands for zero."""
    numbers = rng.integers(-8, 8, (3, depth))
    padded = np.pad(numbers + 8, ((0, 0), (0, depth % 2))).astype(np.uint8)
    codes = padded[:, ::2] | padded[:, 1::2] << 4
    np.testing.assert_array_equal(numbers_of(codes, depth), numbers)
    x, scales = rng.standard_normal((4, depth)).astype(np.float32), scales_of(3, depth, 8)
    w = numbers * np.repeat(scales.astype(np.float64), 8, 1)[:, :depth]
    np.testing.assert_allclose(linear(x, codes, scales, group=8), x.astype(np.float64) @ w.T, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shapes,dtypes,group,message", [
    (((2, 32), (4, 32), (4, 2)), (F32, U8, F32), 16, "32 bytes of 16"),
    (((2, 32), (4, 32), (4, 2)), (F32, F32, F32), 16, "codes must be"),
    (((2, 32), (4, 32), (4, 3)), (F32, I8, F32), 16, r"scales must be \[4,2\]"),
    (((2, 32), (4, 32), (4, 2)), (F32, I8, I8), 16, "scales must be f32 or bf16"),
    (((2, 32), (4, 32), (4, 3)), (F32, I8, F32), 12, "multiple of 8"),
    (((2, 32), (4, 32), (4, 2), (4, 1)), (F32, I8, F32, I8), 16, r"zero points must be \[4,2\]"),
])  # fmt: skip
def test_misfits(shapes: tuple, dtypes: tuple, group: int, message: str) -> None:
    b = GraphBuilder()
    names = [b.input(f"x{i}", TensorType(d, s)) for i, (d, s) in enumerate(zip((*dtypes, DType.I8), shapes))]
    with pytest.raises(TypeInferenceError, match=message):
        b.add("weight_only_linear", names, group=group)


def quantize(w: np.ndarray, bits: int, group: int, precision: type | None = np.float64) -> list[np.ndarray]:
    b = GraphBuilder()
    name = b.input("w", TensorType(DType.from_numpy(w.dtype), w.shape))
    graph = verify(b.build(b.add("quantize_weight", [name], bits=bits, group=group)))
    return evaluate_outputs(graph, [w], precision=precision)


def rounding_of(w: np.ndarray, bits: int, group: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights as they are after rounding, and the step of each."""
    codes, scales, zeros = quantize(w, bits, group)
    return dequantized(codes, scales, zeros, w.shape[1], group), np.repeat(scales, group, 1)


@pytest.mark.parametrize("bits", (4, 8))
@pytest.mark.parametrize("offset", (0.0, 3.0, -3.0))
def test_a_weight_is_rounded_to_the_nearest_step(bits: int, offset: float) -> None:
    """Zero stays zero; the range of a group is divided as finely as bits allow."""
    w = (rng.standard_normal((6, 64)) + offset).astype(np.float32)
    w[1, 5] = 0
    got, steps = rounding_of(w, bits, 16)
    # the zero point is rounded too, so that the end of a range may be half a step off what codes can say
    assert (np.abs(got - w) <= steps * 1.0001).all() and (np.abs(got - w) <= 0.5001 * steps).mean() > 0.9
    assert got[1, 5] == 0
    groups = w.astype(np.float64).reshape(6, 4, 16)
    span = np.maximum(groups.max(2), 0) - np.minimum(groups.min(2), 0)
    exact = span / (2**bits - 1)
    assert (steps[:, ::16] >= exact * (1 - 1e-6)).all() and (steps[:, ::16] <= exact * (1 + 2**-7)).all()


@pytest.mark.parametrize("bits", (4, 8))
def test_codes_are_the_same_in_any_precision(bits: int) -> None:
    w = rng.standard_normal((5, 32)).astype(np.float32)
    for a, b in zip(quantize(w, bits, 16), quantize(w, bits, 16, precision=None)):
        np.testing.assert_array_equal(a, b)


def test_odd_weights() -> None:
    """Groups of zeros, of huge and of tiny numbers, and of what is not finite."""
    w = np.zeros((5, 16), np.float32)
    w[1], w[2], w[3, 3], w[4] = 3e38, 1e-44, np.nan, np.linspace(-3e38, 3e38, 16)
    got, _ = rounding_of(w, 8, 16)
    assert (got[0] == 0).all() and np.isnan(got[3]).all()
    np.testing.assert_allclose(got[[1, 4]] / 3e38, w[[1, 4]].astype(np.float64) / 3e38, atol=0.01)
    assert np.abs(got[2]).max() < 1e-38


def test_groups_must_divide() -> None:
    with pytest.raises(TypeInferenceError, match="do not divide 40"):
        quantize(np.zeros((2, 40), np.float32), 4, 16)
    with pytest.raises(TypeInferenceError, match="4 or 8 bits"):
        quantize(np.zeros((2, 32), np.float32), 3, 16)
