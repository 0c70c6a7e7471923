"""Pointwise regions: broadcasting, layouts, strides, dtypes, several outputs."""

from __future__ import annotations

import numpy as np
import pytest

from sol.ir.dim import Dim
from sol.ir.types import DType
from tests.codegen.dfp_cases import build, check
from tests.harness import as_region, texts_of

F32, F64, F16, I64, I32, BOOL = DType.F32, DType.F64, DType.F16, DType.I64, DType.I32, DType.BOOL


def affine(b, x, w, y):
    u = b.add("add", [b.add("mul", [x, w]), y])
    return b.add("relu", [u]), b.add("gt", [u, w])


@pytest.mark.parametrize("channels", [1, 7, 8, 15, 16, 17, 33])
@pytest.mark.parametrize("batch", [1, 2])
def test_per_channel_operand(channels, batch):
    shape = (batch, channels, 9, 37)
    operands = [(shape, F32), ((1, channels, 1, 1), F32), (shape, F32)]
    check(operands, affine)
    check(operands, affine, block=True, constants=(1,), borders={"x0": ((1, 1), (2, 1)), "x2": ((0, 0), (3, 0))})


@pytest.mark.parametrize(
    "shape,other", [((5, 1, 600), (7, 1)), ((3, 4, 700), (3, 4, 1)), ((9000,), (1,)), ((), ()), ((2, 3), ()), ((0, 4), (4,))]
)
def test_broadcast(shape, other):
    check([(shape, F32), (other, F32)], lambda b, x, y: b.add("mul", [b.add("add", [x, y]), x]))


@pytest.mark.parametrize("dtype,tolerance", [(F64, 1e-12), (F16, 4e-3), (I64, 0), (I32, 0)])
def test_dtypes(dtype, tolerance):
    check([((3, 4001), dtype), ((4001,), dtype)], lambda b, x, y: b.add("sub", [b.add("mul", [x, y]), x]), tolerance=tolerance)


def test_mixed_dtypes():
    def function(b, x, mask, flag):
        m = b.add("cast", [mask], dtype=BOOL)
        return b.add("where", [b.add("logical_and", [m, flag]), x, b.constant(np.float32(-np.inf))]), b.add("cast", [x], dtype=I64)

    check([((6, 3000), F32), ((3000,), I64), ((6, 1), BOOL)], function)


def test_bool_operands_stay_vectors():
    def function(b, x, m):
        return b.add("where", [m, x, b.add("exp", [x])]), b.add("logical_not", [m])

    check([((3, 5001), F32), ((3, 5001), BOOL)], function)


def test_strided_operands_and_results():
    def function(b, x, y):
        return b.add("add", [x, y], name="out")

    operands = [((6, 50, 70), F32), ((6, 50, 70), F32)]
    check(operands, function, strides={"x0": (70, 420, 1), "out": (9000, 80, 1)})
    check(operands, function, strides={"x0": (3500, 1, 50)})


def test_padding_lanes_stay_finite():
    """Lanes beyond C of a blocked quotient 0/0 must not become NaN: a convolution multiplies them by zero weights."""
    from sol.codegen.targets import resolve
    from tests import harness

    graph = build([((1, 5, 6, 7), F32), ((1, 5, 6, 7), F32)], lambda b, x, y: b.add("div", [x, y], name="out"))
    target = resolve("native")
    seen = []
    original = harness._logical

    def spy(view, flat, symbols):
        seen.append(flat.copy())
        return original(view, flat, symbols)

    harness._logical = spy
    try:
        rng = np.random.default_rng(0)
        inputs = {v: rng.uniform(1, 2, (1, 5, 6, 7)).astype(np.float32) for v in ("x0", "x1")}
        harness.run_region(harness.as_region(graph, "dfp", block=target.lanes), inputs, threads=1)
    finally:
        harness._logical = original
    assert np.isfinite(seen[0]).all()


def test_symbolic_sizes():
    n, s = Dim.symbol("n"), Dim.symbol("s")
    check([((n, s, 48), F32), ((48,), F32)], lambda b, x, w: b.add("tanh", [b.add("mul", [x, w])]), symbols={"n": 5, "s": 61})
    check([((n, s), F32), ((n, 1), F32)], lambda b, x, w: b.add("sub", [x, w]), symbols={"n": 7, "s": 2001})


def test_not_a_number_propagates_through_relu():
    x = np.array([np.nan, -1, 2, np.inf, -np.inf] * 5, np.float32)
    check([((25,), F32)], lambda b, x: b.add("relu", [x]), arrays=[x])


@pytest.mark.parametrize("block", [False, True])
def test_long_steps_ask_for_operands_ahead(block):
    """What the core does not see coming by itself: steps with elementary functions. Short steps leave it to the core."""

    def texts(op):
        region = as_region(build([((2, 16, 20, 30), F32)], lambda b, x: b.add(op, [b.add("mul", [x, x])])), "dfp", block=16 if block else 0)
        return texts_of(region, "avx512")

    assert "__builtin_prefetch(p_in0 + i" in texts("tanh") and "__builtin_prefetch(p_" not in texts("relu")
