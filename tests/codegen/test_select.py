"""Kernels that select and scatter."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from sol.ir.dim import Dim
from sol.ir.types import DType
from tests.codegen.dfp_cases import build, check, exact

F32, F64, F16, BF16, I64, I32, U8, BOOL = (
    DType.F32, DType.F64, DType.F16, DType.BF16, DType.I64, DType.I32, DType.U8, DType.BOOL,
)  # fmt: skip
U = Dim.symbol("u0", 0, 1000)
ISA = {"isas": ("generic",)}  # no kernel here has vectors


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scatter(reduction):
    operands = [((20, 9, 17), F32), ((33, 9, 5), I64), ((33, 9, 5), F32)]
    check(operands, lambda b, *xs: b.add("scatter", list(xs), dim=0, reduction=reduction), high=22, tolerance=1e-3, **ISA)


def test_scatter_of_types_and_broadcast_indices():
    rows = [np.zeros((7, 1200), np.float32), np.full((3, 1200), [[5], [1], [-7]]), np.ones((3, 1200), np.float32)]
    operands = [((7, 1200), F32), ((3, 1200), I64), ((3, 1200), F32)]
    check(operands, partial(_scatter, "none"), arrays=rows, strides={"x1": (1, 0)}, **ISA)
    for dtype, reduction in ((F16, "add"), (I32, "max"), (BOOL, "none"), (F64, "mul")):
        scatter = partial(_scatter, reduction)
        check([((9, 4), dtype), ((5, 3), I32), ((5, 3), dtype)], scatter, tolerance=2e-2 if dtype is F16 else 1e-6, **ISA)


def _scatter(reduction, b, *xs, dim=0):
    return b.add("scatter", list(xs), dim=dim, reduction=reduction)


@pytest.mark.parametrize("width", [1, 7, 16, 33, 200])
@pytest.mark.parametrize("reduction", ["none", "add", "max"])
def test_scatter_of_rows(width, reduction):
    """One index per row (stride 0), an index per element, and updates that are one number; some indices are negative or out of range."""
    scatter = partial(_scatter, reduction)
    rng = np.random.default_rng(0)
    x, column = rng.standard_normal((9, width)).astype(np.float32), rng.integers(-11, 11, (50, 1))
    index, updates = np.broadcast_to(column, (50, width)), rng.standard_normal((50, width)).astype(np.float32)
    operands = [(x.shape, F32), (index.shape, I64), (updates.shape, F32)]
    check(operands, scatter, arrays=[x, index, updates], strides={"x1": (1, 0)})
    check(operands, scatter, arrays=[x, rng.integers(-11, 11, index.shape), updates])
    check(operands, scatter, arrays=[x, index, np.full(index.shape, 1.5, np.float32)], strides={"x1": (1, 0), "x2": (0, 0)})
    integers = [(x * 9).astype(np.int64), index, (updates * 9).astype(np.int64)]
    check([(a.shape, I64) for a in integers], scatter, arrays=integers, strides={"x1": (1, 0)})


@pytest.mark.parametrize("reduction", ["none", "add", "min"])
def test_scatter_to_places_shared_by_threads(reduction):
    rng = np.random.default_rng(0)
    for shape, count in (((700,), 2000), ((3,), 2000), ((2, 50), 900)):
        index = rng.integers(-shape[-1] - 2, shape[-1] + 2, (*shape[:-1], count))
        arrays = [rng.standard_normal(shape).astype(np.float32), index, rng.standard_normal(index.shape).astype(np.float32)]
        operands = [(a.shape, I64 if i == 1 else F32) for i, a in enumerate(arrays)]
        scatter = partial(_scatter, reduction, dim=len(shape) - 1)
        check(operands, scatter, arrays=arrays, tolerance=1e-4, **ISA)


@pytest.mark.parametrize("shape", [(7,), (5, 33), (3, 0, 4), (2, 3, 4, 5)])
def test_nonzero(shape):
    for dtype in (F32, BOOL, I32):
        x = np.random.default_rng(2).integers(0, 2, shape).astype(dtype.numpy)
        exact("nonzero", [(shape, dtype)], lambda b, v: b.add("nonzero", [v], symbol=U), arrays=[x], count=np.count_nonzero(x))


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("shape", [(50, 1), (40, 2), (1, 3)])
def test_unique(shape, ordered):
    for dtype in (F32, I64, U8):
        x = np.random.default_rng(2).integers(0, 4, shape).astype(dtype.numpy)
        if dtype is F32:
            x[::5] = np.nan
        count = len(np.unique(np.nan_to_num(x, nan=9), axis=0))
        exact("unique", [(shape, dtype)], lambda b, v: b.add("unique", [v], symbol=U, sorted=ordered), arrays=[x], count=count)


@pytest.mark.parametrize("center", [False, True])
def test_nms(center):
    rng = np.random.default_rng(1)
    low = rng.random((2, 60, 2))
    boxes = np.concatenate([low, low + rng.random((2, 60, 2))], -1).astype(np.float32)
    scores = rng.random((2, 3, 60)).astype(np.float32)
    limits = [np.array([9]), np.array([0.3], np.float32), np.array([0.2], np.float32)]
    operands = [(boxes.shape, F32), (scores.shape, F32), ((1,), I64), ((1,), F32), ((1,), F32)]
    for limit in (None, 9):

        def function(b, *xs, limit=limit):
            return b.add("nms", list(xs), symbol=U, center=center, limit=limit)

        graph = build(operands, function)
        arrays = [boxes, scores, *limits]
        count = int(_reference_count(arrays, center))
        exact("nms", operands, function, arrays=arrays, count=count)
        assert graph.outputs


def _reference_count(arrays, center):
    from sol.ir.graph import Attrs
    from sol.ir.ops import spec_of

    return spec_of("nms").reference(Attrs({"center": center}), *arrays)[1]


@pytest.mark.parametrize("dtype", [F32, I64], ids=str)
def test_cumprod(dtype):
    x = (np.random.default_rng(0).integers(1, 3, (4, 30, 5)) * 0.75).astype(dtype.numpy)
    check([((4, 30, 5), dtype)], lambda b, v: b.add("cumprod", [v], dim=1), arrays=[x], **ISA)
