"""Regions with reductions: row, column and scalar walks, shared rows, blocked layout, composites."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.compiler import compile_graph
from sol.errors import UnsupportedError
from sol.ir.dim import Dim
from sol.ir.types import DType
from tests.codegen.combinations import thinned
from tests.codegen.dfp_cases import build, check, sample
from tests.harness import as_region, run_region

F32, F64, F16, I64, BOOL = DType.F32, DType.F64, DType.F16, DType.I64, DType.BOOL


def reduction(op, dims, keepdims=False, **attrs):
    return lambda b, x: b.add(op, [x], dims=dims, keepdims=keepdims, **attrs)


DIMENSIONS = [((0,),), ((1,),), ((3,),), ((2, 3),), ((0, 2, 3),), ((0, 1, 2, 3),), ((1, 2),)]


@pytest.mark.parametrize("isa,op,dims", thinned(["sum", "mean", "max", "min", "var"], DIMENSIONS))
def test_reductions(isa, op, dims):
    extra = {"correction": 1} if op == "var" else {}
    check([((2, 17, 9, 41), F32)], reduction(op, dims, **extra), isas=(isa,), tolerance=3e-5)


@pytest.mark.parametrize("length", [1, 7, 8, 15, 16, 17, 33, 63, 64, 65, 200])
def test_row_lengths(length):
    def function(b, x):
        return b.add("max", [x], dims=(1,), keepdims=True), b.add("prod", [b.add("tanh", [x])], dims=(1,), keepdims=False)

    check([((130, length), F32)], function, threads=(1, 3))
    check([((length, 131), F32)], reduction("min", (0,)), threads=(1, 3))


SOFTMAX = [((3, 90, 133), 2), ((2, 17, 13, 19), 1), ((70, 133), 0), ((4, 1), 1), ((2, 50257), 1), ((), 0)]


@pytest.mark.parametrize("isa,op,shape,dim", thinned(["softmax", "log_softmax"], SOFTMAX))
def test_softmax(isa, op, shape, dim):
    check([(shape, F32)], lambda b, x: b.add(op, [x], dim=dim), isas=(isa,))


def test_masked_softmax_row_is_nan():
    x = np.full((40, 300), -np.inf, np.float32)
    x[1:] = np.random.default_rng(0).standard_normal((39, 300))
    x[3, 5] = np.nan
    check([((40, 300), F32)], lambda b, x: b.add("softmax", [x], dim=1), arrays=[x])


@pytest.mark.parametrize("size", [5, 64, 100, 768])
def test_add_layer_norm(size):
    def function(b, x, y, w, c):
        s = b.add("add", [x, y])
        return s, b.add("layer_norm", [s, w, c], dims=1, eps=1e-5)

    shape = (2, 23, size)
    check([(shape, F32), (shape, F32), ((size,), F32), ((size,), F32)], function, constants=(2, 3))


def test_layer_norm_is_stable_for_large_means():
    x = (np.random.default_rng(0).standard_normal((50, 256)) + 1e4).astype(np.float32)
    check([((50, 256), F32)], lambda b, x: b.add("layer_norm", [x], dims=1, eps=1e-5), arrays=[x], tolerance=2e-3)


def test_rms_norm_over_two_dimensions():
    check([((40, 7, 31), F32), ((7, 31), F32)], lambda b, x, w: b.add("rms_norm", [x, w], dims=2, eps=1e-6))


@pytest.mark.parametrize("op", ["any", "all"])
def test_any_all(op):
    def function(dims):
        return lambda b, x: b.add(op, [b.add("gt", [x, b.constant(np.float32(-6 if op == "all" else 9))])], dims=dims, keepdims=True)

    check([((90, 133), F32)], function((1,)))
    check([((90, 133), F32)], function((0,)))
    check([((90, 133), BOOL)], lambda b, x: b.add(op, [x], dims=(0, 1), keepdims=False))


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("op", ["argmax", "argmin"])
def test_arg(op, dim):
    check([((20, 33, 21), F32)], lambda b, x: b.add(op, [x], dim=dim, keepdims=False), threads=(1, 3))
    check([((20, 33, 21), I64)], lambda b, x: b.add(op, [x], dim=dim, keepdims=True), threads=(3,), isas=("generic",))


def test_arg_of_ties_and_nan():
    x = np.array([[1, 3, 3, 2], [np.nan, 5, np.nan, 9], [-np.inf] * 4], np.float32)
    check([((3, 4), F32)], lambda b, x: b.add("argmax", [x], dim=1, keepdims=False), arrays=[x])


@pytest.mark.parametrize("dtype,tolerance", [(F64, 1e-11), (F16, 4e-3), (I64, 0)])
def test_dtypes(dtype, tolerance):
    check([((40, 333), dtype)], reduction("sum", (1,)), tolerance=tolerance)
    check([((40, 333), dtype)], reduction("max", (0,), True), tolerance=tolerance)


@pytest.mark.parametrize(
    "shape,dims", [((400000,), (0,)), ((2, 60000), (1,)), ((30000, 20), (0,)), ((3, 50000), (0, 1)), ((2, 5, 9000), (0, 2))]
)
def test_long_rows_are_shared_by_the_team(shape, dims):
    def function(b, x):
        m = b.add("mean", [x], dims=dims, keepdims=True)
        return b.add("sub", [x, m]), b.add("var", [x], dims=dims, keepdims=False, correction=0), b.add("max", [x], dims=dims, keepdims=True)

    check([(shape, F32)], function, tolerance=3e-5)


@pytest.mark.parametrize("channels", [1, 15, 16, 17, 32, 33])
def test_blocked_spatial_reduction(channels):
    operands = [((2, channels, 9, 13), F32)]
    borders = {"x0": ((1, 1), (1, 1))}
    check(operands, reduction("mean", (2, 3)), block=True)
    check(operands, lambda b, x: b.add("max", [b.add("relu", [x])], dims=(2, 3), keepdims=True), block=True, borders=borders)


def test_blocked_instance_norm():
    def function(b, x):
        d = b.add("sub", [x, b.add("mean", [x], dims=(2, 3), keepdims=True)])
        v = b.add("var", [x], dims=(2, 3), keepdims=True, correction=0)
        return b.add("mul", [d, b.add("rsqrt", [b.add("add", [v, b.constant(np.float32(1e-5))])])])

    for block in (False, True):
        check([((2, 17, 15, 17), F32)], function, block=block)


def test_blocked_channels_must_fill_blocks():
    graph = build([((2, 17, 5, 5), F32)], lambda b, x: b.add("sum", [x], dims=(1, 2, 3), keepdims=False))
    with pytest.raises(UnsupportedError, match="blocked channels"):
        run_region(as_region(graph, "dfp", block=16), {"x0": np.zeros((2, 17, 5, 5), np.float32)}, isa="native")
    check([((2, 32, 15, 25), F32)], lambda b, x: b.add("sum", [x], dims=(1, 2, 3), keepdims=False), block=True, tolerance=3e-5)


def test_missing_dimensions_meet_reduced_operands():
    def function(b, x, y):
        return b.add("mul", [b.add("sum", [x], dims=(1,), keepdims=False), y])

    check([((30, 300, 7), F32), ((30, 7), F32)], function, tolerance=3e-5)
    check([((30, 300, 7), F32), ((7,), F32)], function, tolerance=3e-5)


def test_long_columns_keep_their_precision():
    x = np.random.default_rng(0).uniform(0.5, 1.5, (200000, 16)).astype(np.float32)
    check([((200000, 16), F32)], reduction("sum", (0,)), arrays=[x], tolerance=1e-6, threads=(1, 2))


def test_strided_rows():
    check([((30, 50, 40), F32)], lambda b, x: b.add("softmax", [x], dim=2), strides={"x0": (40, 1200, 1)})
    check([((30, 40), F32)], lambda b, x: b.add("softmax", [x], dim=1), strides={"x0": (1, 30)})


@pytest.mark.budget(3)
@pytest.mark.parametrize("isa,images,rows,length", thinned([(5, 17, 33), (2, 40, 130), (3, 64, 16), (4, 1, 9), (1, 7, 300)]))
def test_rows_of_operands_that_lie_across(isa, images, rows, length):
    shape = (images, rows, length)
    across = {"x1": (rows * length, 1, rows)}

    def sums(b, x, y):
        product = b.add("mul", [b.add("gelu_slope", [x]), y])
        return product, b.add("sum", [product], dims=(2,), keepdims=True), b.add("max", [y], dims=(2,), keepdims=False)

    check([(shape, F32), (shape, F32)], sums, strides=across, isas=(isa,), threads=(1, 3), tolerance=3e-5)
    outer = {"x1": (rows * length, 1, rows), "x0": (length, images * length, 1)}
    check([(shape, F32), (shape, F32)], lambda b, x, y: b.add("sum", [b.add("mul", [x, y])], dims=(0, 2), keepdims=False),
          strides=outer, isas=(isa,), threads=(1, 2), tolerance=3e-5)  # fmt: skip

    def norm(b, x, y):
        s = b.add("add", [x, y])
        return s, b.add("softmax", [s], dim=2), b.add("var", [s], dims=(2,), keepdims=False, correction=0)

    check([(shape, F32), (shape, F32)], norm, strides=across, isas=(isa,), threads=(2,), tolerance=3e-5)
    check([(shape, F32)], lambda b, x: b.add("mean", [b.add("exp", [x])], dims=(2,), keepdims=False), strides={"x0": across["x1"]},
          isas=(isa,), tolerance=3e-5)  # fmt: skip


def test_numbers_that_lie_across_are_collected_into_vectors():
    def text(turned):
        def summed(b, x, y):
            product = b.add("mul", [b.add("gelu", [x]), b.add("permute", [y], order=(0, 2, 1)) if turned else y])
            return product, b.add("sum", [product], dims=(0, 2), keepdims=False)

        compiled = compile_graph(build([((4, 384, 50), F32), ((4, 50, 384) if turned else (4, 384, 50), F32)], summed), isa="avx512")
        (region,) = (s.text for s in compiled.sources if s.name.startswith("dfp_gelu"))
        return region

    for turned in (False, True):
        assert ("vf_load_apart(" in text(turned)) is turned and "vf_store(p_out0" in text(turned)


def test_symbolic_sizes():
    n, s = Dim.symbol("n"), Dim.symbol("s")
    check([((n, s), F32)], lambda b, x: b.add("softmax", [x], dim=1), symbols={"n": 45, "s": 301})
    check([((n, s, 33), F32)], reduction("mean", (1,)), symbols={"n": 5, "s": 301}, tolerance=2e-5)


def test_agrees_with_torch():
    operands = [((6, 40, 100), F32), ((100,), F32), ((100,), F32)]
    graph = build(operands, lambda b, x, w, c: b.add("layer_norm", [x, w, c], dims=1, eps=1e-5))
    x, w, c = sample(operands, {})
    (got,) = run_region(as_region(graph, "dfp"), {"x0": x, "x1": w, "x2": c})
    want = torch.nn.functional.layer_norm(torch.from_numpy(x), (100,), torch.from_numpy(w), torch.from_numpy(c), 1e-5)
    np.testing.assert_allclose(got, want.numpy(), rtol=1e-4, atol=2e-5)
