"""Casts between all dtypes, and what else moves or computes small ones, in C against the references."""

from __future__ import annotations

import numpy as np
import pytest

from sol.errors import TypeInferenceError
from sol.ir.builder import GraphBuilder
from sol.ir.interpret import evaluate
from sol.ir.types import DType, TensorType
from tests.harness import as_region, run_region

SMALL = [d for d in DType if d.is_minifloat or d.bits < 8]
UNSIGNED = [DType.U16, DType.U32, DType.U64]
SIZE = 37


def compare(graph, inputs):
    wanted = evaluate(graph, inputs, {}, precision=None)
    found = run_region(as_region(graph, "dfp"), inputs, threads=1)
    for output, got in zip(graph.outputs, found):
        np.testing.assert_array_equal(got, wanted[output], err_msg=f"{output} {graph.type_of(output)}")


def floats():
    rng = np.random.default_rng(5)
    x = rng.standard_normal(SIZE) * np.exp(rng.uniform(-12, 12, SIZE))
    x[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 464.0, 61440.0, -5e9]
    return x.astype(np.float32)


def test_floats_become_minifloats_and_come_back():
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.F32, (SIZE,)))
    results = []
    for dtype in (d for d in DType if d.is_minifloat):
        ways = [("cast", {}), ("cast_saturated", {})]
        if dtype is DType.F8E8M0:
            ways += [(op, {"rounding": r}) for op in ("cast_rounded", "cast_saturated") for r in ("down", "nearest")]
        for op, attrs in ways:
            small = b.add(op, [x], dtype=dtype, **attrs)
            results += [small, b.add("cast", [small], dtype=DType.F32)]
    compare(b.build(results), {"x": floats()})


def test_integers_become_small_and_come_back():
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.I32, (SIZE,)))
    results = []
    for dtype in [*(d for d in SMALL if d.is_int), *UNSIGNED]:
        small = b.add("cast", [x], dtype=dtype)
        results += [small, b.add("cast", [small], dtype=DType.I64), b.add("cast", [small], dtype=DType.F32)]
    compare(b.build(results), {"x": np.random.default_rng(2).integers(-300, 300, SIZE).astype(np.int32)})


def test_large_floats_become_u64():
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.F64, (4,)))
    compare(b.build([b.add("cast", [x], dtype=DType.U64)]), {"x": np.array([1.8e19, 9.3e18, 3.7, -2.0])})


@pytest.mark.parametrize("dtype", [*SMALL, DType.BF16, *UNSIGNED], ids=str)
def test_elements_move(dtype):
    b = GraphBuilder()
    x = b.input("x", TensorType(dtype, (3, 5)))
    values = np.arange(15).reshape(3, 5) % 2 if dtype.bits < 8 else 2.0 ** (np.arange(15).reshape(3, 5) % 6)
    compare(b.build([b.add("pad", [x], pads=((1, 0), (0, 2)), value=1.0)]), {"x": values.astype(dtype.numpy)})


@pytest.mark.parametrize("dtype", [DType.F8E4M3FN, DType.F8E5M2FNUZ, DType.U64, DType.U32, DType.U16], ids=str)
def test_sums_and_products(dtype):
    b = GraphBuilder()
    x = b.input("x", TensorType(dtype, (2, 4)))
    total = b.add("sum", [b.add("mul", [x, x])], dims=(1,))
    compare(b.build([total]), {"x": np.array([[1, 2, 0, 1], [2, 1, 1, 1]], dtype.numpy)})


def test_packed_integers_are_not_computed_with():
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.I4, (2,)))
    with pytest.raises(TypeInferenceError, match="cast them to i8"):
        b.add("add", [x, x])


SAME_SIZE = [(DType.F32, DType.I32), (DType.I64, DType.F64), (DType.U8, DType.F8E5M2), (DType.BOOL, DType.I8)]


@pytest.mark.parametrize("types", SAME_SIZE, ids=str)
def test_bits_are_read_as_another_type(types):
    source, dtype = types
    b = GraphBuilder()
    x = b.input("x", TensorType(source, (4,)))
    values = np.array([0, 1, 1, 0]) if source is DType.BOOL else np.array([0, 1, 60, 100])
    graph = b.build([b.add("bitcast", [x], source=source, dtype=dtype)])
    compare(graph, {"x": values.astype(source.numpy)})
    double = evaluate(graph, {"x": values.astype(np.float64) if source.is_float else values.astype(source.numpy)}, {})
    np.testing.assert_array_equal(double["bitcast"], evaluate(graph, {"x": values.astype(source.numpy)}, {}, precision=None)["bitcast"])
