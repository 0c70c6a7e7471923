"""Quantised operators of com.microsoft against onnxruntime: at most one step apart, products to the bit before they are rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sol
from sol.codegen.targets import cpu_features
from sol.errors import UnsupportedError
from tests.frontend.onnx.imported import check, import_for, one_node
from tests.frontend.onnx.one_node import expected, randn
from tests.random_numbers import rng

DOMAIN = "com.microsoft"
F32, I32 = np.float32, np.int32
KINDS = [np.uint8, np.int8]


def numbers(dtype: type, *shape: int) -> np.ndarray:
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, int(limits.max) + 1, shape).astype(dtype)


def s8(*shape: int) -> np.ndarray:
    """Weights that onnxruntime multiplies exactly. Where the processor has no dot products of bytes, it adds two products of an unsigned
    and a signed byte in 16 bits, which saturate from 64 on.
    """
    return numbers(np.int8, *shape) if cpu_features() & {"avx512_vnni", "avx_vnni"} else numbers(np.int8, *shape) // np.int8(2)


def scales(*shape: int) -> np.ndarray:
    return (np.abs(randn(*shape)) * 0.02 + 0.001).astype(F32)


def against_ort(op: str, operands: list, types: list, tolerance: float = 1e-4, **options: Any) -> None:
    check(op, [None if x is None else np.asarray(x) for x in operands], engine="ort", domain=DOMAIN, opset=1, types=types,
          tolerance=tolerance, **options)  # fmt: skip


def steps(op: str, operands: list, dtype: type, **options: Any) -> None:
    """At most one quantisation step apart."""
    against_ort(op, operands, [dtype], 1.01, **options)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_two_operands(op: str, dtype: type) -> None:
    a, b = (F32(0.1), dtype(7)), (F32(0.2), dtype(3))
    steps(op, [numbers(dtype, 2, 3, 5), *a, numbers(dtype, 3, 5), *b, F32(0.3), dtype(9)], dtype)
    steps(op, [numbers(dtype, 2, 3, 17), *a, numbers(dtype, 1, 3, 1), *b, F32(3), dtype(0)], dtype)


@pytest.mark.parametrize("dtype", KINDS)
def test_one_operand(dtype: type) -> None:
    x = [F32(0.1), dtype(7)]
    steps("QLinearLeakyRelu", [numbers(dtype, 3, 5), *x, F32(0.2), dtype(3)], dtype, alpha=0.2)
    steps("QLinearSigmoid", [numbers(dtype, 3, 50), F32(0.05), dtype(7), F32(1 / 256), dtype(0)], dtype)
    where = [rng.random((2, 3)) < 0.5, numbers(dtype, 2, 3), *x, numbers(dtype, 2, 3), F32(0.2), dtype(3), F32(0.15), dtype(1)]
    steps("QLinearWhere", where, dtype)
    for opset, axis in ((13, 1), (13, 2), (11, 1), (11, 2)):
        steps("QLinearSoftmax", [numbers(dtype, 2, 3, 20), F32(0.05), dtype(7), F32(1 / 256), dtype(0)], dtype, axis=axis, opset_=opset)


@pytest.mark.parametrize("dtype", KINDS)
def test_concatenation(dtype: type) -> None:
    parts = [numbers(dtype, 2, 3), F32(0.1), dtype(7), numbers(dtype, 2, 4), F32(0.2), dtype(3)]
    steps("QLinearConcat", [F32(0.2), dtype(3), *parts], dtype, axis=1)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("dtype", KINDS)
def test_images(dtype: type, last: int) -> None:
    x, scale = numbers(dtype, 1, 6, 6, 4), [F32(0.1), dtype(7), F32(0.2), dtype(3)]
    steps("QLinearAveragePool", [x, *scale], dtype, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2], channels_last=last)
    steps("QLinearAveragePool", [x, *scale], dtype, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1, channels_last=last)
    steps("QLinearGlobalAveragePool", [x, *scale], dtype, channels_last=last)
    image = numbers(dtype, 1, 6, 6, 4) if last else numbers(dtype, 1, 4, 6, 6)
    head, tail, bias = [image, F32(0.1), dtype(7)], [F32(0.3), dtype(3)], rng.integers(-900, 900, 8).astype(I32)
    options = {"kernel_shape": [3, 3], "channels_last": last, "constants": (3, 4, 5)}
    steps("QLinearConv", [*head, s8(8, 4, 3, 3), F32(0.02), np.int8(0), *tail, bias], dtype, pads=[1, 1, 1, 1], **options)
    steps("QLinearConv", [*head, s8(8, 4, 3, 3), scales(8), np.zeros(8, np.int8), *tail], dtype, strides=[2, 2], **options)


@pytest.mark.parametrize("dtype", KINDS)
def test_gemm(dtype: type) -> None:
    a, bias = [F32(0.1), dtype(7)], rng.integers(-900, 900, 5).astype(I32)
    steps("QGemm", [numbers(dtype, 3, 8), *a, s8(8, 5), F32(0.02), np.int8(3), bias, F32(0.1), dtype(5)], dtype)
    against_ort("QGemm", [numbers(dtype, 3, 8), *a, s8(5, 8), scales(5), s8(5), bias], [F32], transB=1)
    against_ort("QGemm", [numbers(dtype, 8, 3), *a, s8(8, 5), F32(0.02), np.int8(3)], [F32], transA=1, alpha=0.5)


@pytest.mark.parametrize("dtype", KINDS)
def test_products_in_float(dtype: type) -> None:
    a = numbers(dtype, 2, 3, 8)
    against_ort("MatMulIntegerToFloat", [a, s8(8, 5), F32(0.1), scales(5), dtype(7), s8(5), randn(5)], [F32])
    against_ort("MatMulIntegerToFloat", [a, s8(8, 5), F32(0.1), F32(0.02)], [F32])


def test_products_of_what_is_quantised_now() -> None:
    against_ort("DynamicQuantizeMatMul", [randn(2, 3, 8), s8(8, 5), F32(0.02), np.int8(0), randn(5)], [F32])
    against_ort("DynamicQuantizeMatMul", [randn(3, 8), numbers(np.uint8, 8, 5), scales(5), numbers(np.uint8, 5)], [F32])
    a, b = (rng.integers(-999, 999, s).astype(np.int16) for s in ((2, 3, 4), (4, 5)))
    against_ort("MatMulInteger16", [a, b], [I32], 0)


@pytest.mark.parametrize("dtype", [*KINDS, np.uint16, np.int16])
def test_to_integers_and_back(dtype: type) -> None:
    x = randn(3, 6) * 20
    steps("QuantizeLinear", [x, F32(0.01), dtype(7)], dtype)
    against_ort("DequantizeLinear", [numbers(dtype, 3, 6), F32(0.1), dtype(7)], [F32])
    if dtype in KINDS:
        steps("QuantizeLinear", [x, scales(6) * 10, numbers(dtype, 6)], dtype, axis=1)
        against_ort("DequantizeLinear", [numbers(dtype, 3, 6), scales(6), numbers(dtype, 6)], [F32], axis=1)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("zeros", [False, True])
def test_weights_of_few_bits(bits: int, zeros: bool) -> None:
    rows, depth, block = 6, 40, 16
    blocks = -(-depth // block)
    operands = [randn(2, 3, depth), numbers(np.uint8, rows, blocks, block * bits // 8), scales(rows, blocks)]
    if zeros:
        operands.append(numbers(np.uint8, rows, -(-blocks * bits // 8)))
    fixed = tuple(range(1, len(operands)))
    against_ort("MatMulNBits", operands, [F32], 1e-3, K=depth, N=rows, bits=bits, block_size=block, constants=fixed)


def test_weights_of_few_bits_with_other_zeros_and_a_bias() -> None:
    operands = [randn(2, 3, 32), numbers(np.uint8, 6, 2, 8), scales(6, 2), randn(6, 2), None, randn(6)]
    against_ort("MatMulNBits", operands, [F32], 1e-3, K=32, N=6, bits=4, block_size=16, constants=(1, 2, 3))


def of_few_bits(bits: int, *more: np.ndarray | None, **options: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """A model of one product, and its input."""
    operands = [randn(3, 128), numbers(np.uint8, 24, 4, 4 * bits), scales(24, 4), *more]
    fixed = tuple(i for i, x in enumerate(operands) if i and x is not None)
    return one_node("MatMulNBits", operands, domain=DOMAIN, opset=1, constants=fixed, types=[F32], K=128, N=24, bits=bits, block_size=32,
                    **options)  # fmt: skip


@pytest.mark.parametrize("bits,op", [(2, "linear"), (4, "weight_only_linear"), (8, "weight_only_linear")])
def test_weights_of_few_bits_stay_codes(bits: int, op: str) -> None:
    """Those of 4 and 8 bits, for which there are kernels."""
    ops = [n.op for n in import_for(*of_few_bits(bits)).graph.nodes]
    assert op in ops and not {"linear", "weight_only_linear"} & set(ops) - {op}


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("zeros", [False, True])
def test_kernels_of_weights_of_few_bits(bits: int, zeros: bool) -> None:
    """The whole way, with a bias, against onnxruntime."""
    points = numbers(np.uint8, 24, bits // 2) if zeros else None
    model, given = of_few_bits(bits, points, None, randn(24))
    fast = sol.load(model.SerializeToString())
    assert f"linear_int{bits}" in str(sol.explain(fast, given))
    np.testing.assert_allclose(fast(*given.values()), expected(model, given, "ort")[0], rtol=1e-4, atol=1e-4)


def test_what_other_weights_of_few_bits_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="g_idx"):
        import_for(*of_few_bits(4, None, rng.integers(0, 4, 128).astype(I32)))
    with pytest.raises(UnsupportedError, match="weight_prepacked"):
        import_for(*of_few_bits(4, weight_prepacked=1))


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("zeros", [False, True])
def test_rows_of_a_table_of_few_bits(bits: int, zeros: bool) -> None:
    operands = [numbers(np.uint8, 9, 8 * bits), rng.integers(0, 9, (2, 3)), scales(9, 4)]
    if zeros:
        operands.append(numbers(np.uint8, 9, 4 * bits // 8))
    fixed = (0, *range(2, len(operands)))
    against_ort("GatherBlockQuantized", operands, [F32], bits=bits, block_size=16, gather_axis=0, quantize_axis=1, constants=fixed)


@pytest.mark.parametrize("per_column", [False, True])
def test_attention(per_column: bool) -> None:
    batch, length, heads, width = 2, 5, 4, 8
    columns = 3 * heads * width
    scale, zero = (scales(columns), numbers(np.uint8, columns)) if per_column else (F32(0.01), np.uint8(3))
    mask = rng.integers(0, 2, (batch, length)).astype(I32)
    head = [numbers(np.uint8, batch, length, 12), numbers(np.uint8, 12, columns), randn(columns), F32(0.02), scale]
    against_ort("QAttention", [*head, mask, np.uint8(7), zero], [F32], num_heads=heads, unidirectional=1, constants=(1,))
    past = randn(2, batch, heads, 3, width)
    against_ort("QAttention", [*head, None, np.uint8(7), zero, past], [F32, F32], num_heads=heads, outputs=2, constants=(1,))


@pytest.mark.parametrize("segments", [False, True])
def test_embeddings(segments: bool) -> None:
    def table(*shape: int) -> np.ndarray:
        return numbers(np.uint8, *shape)

    ids, mask = rng.integers(0, 9, (2, 4)).astype(I32), np.array([[1, 1, 1, 0], [1, 0, 0, 0]], I32)
    kind = [rng.integers(0, 2, (2, 4)).astype(I32), table(2, 8), F32(0.3), np.uint8(5)] if segments else [None] * 4
    operands = [ids, kind[0], table(9, 8), table(6, 8), kind[1], table(8), table(8), mask, F32(0.1), F32(0.2), kind[2], F32(0.1), F32(0.1),
                np.uint8(3), np.uint8(4), kind[3], np.uint8(6), np.uint8(7)]  # fmt: skip
    against_ort("QEmbedLayerNormalization", operands, [F32, I32], outputs=2)


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_lstm(direction: str) -> None:
    """onnxruntime rounds its inputs to 8 bits at each step, which sol does not: they differ by what that loses."""
    hidden, count = 6, 2 if direction == "bidirectional" else 1
    options = {"hidden_size": hidden, "direction": direction, "outputs": 3, "constants": (1, 2)}
    columns = (count, 4 * hidden)
    x, bias, types = randn(7, 3, 5), randn(count, 8 * hidden) * 0.2, [F32] * 3
    one = [np.full(count, 0.01, F32), np.zeros(count, np.int8)] * 2
    weights = [s8(count, 5, 4 * hidden), s8(count, hidden, 4 * hidden)]
    against_ort("DynamicQuantizeLSTM", [x, *weights, bias, None, None, None, None, *one], types, 0.03, **options)
    many = [np.full(columns, 0.01, F32), np.full(columns, 128, np.uint8)] * 2
    weights = [numbers(np.uint8, count, 5, 4 * hidden), numbers(np.uint8, count, hidden, 4 * hidden)]
    states = [np.array([7, 3, 5], I32), randn(count, 3, hidden), randn(count, 3, hidden), None]
    against_ort("DynamicQuantizeLSTM", [x, *weights, bias, *states, *many], types, 0.03, **options)
