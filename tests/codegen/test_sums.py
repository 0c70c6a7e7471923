"""Reductions over many elements: sums as exact as torch's, the same bits for every size of the team, and places of extremes in vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from sol.codegen.targets import by_name
from sol.ir.types import DType
from tests.codegen.dfp_cases import build, check
from tests.harness import as_region, run_region
from tests.toolchains import isas_by_default

F32, F64 = DType.F32, DType.F64
KINDS = ("constant", "positive", "normal", "wide")


def numbers(kind: str, count: int) -> np.ndarray:
    rng = np.random.default_rng(count)
    if kind == "constant":
        return np.full(count, 0.1, np.float32)
    drawn = {"positive": rng.uniform(0, 1, count), "normal": rng.standard_normal(count), "wide": np.exp(3 * rng.standard_normal(count))}
    return drawn[kind].astype(np.float32)


def summed(graph, array: np.ndarray, isa: str) -> np.ndarray:
    """What the region gives, the same bits with one, two and three threads."""
    region = as_region(graph, "dfp")
    results = [run_region(region, {"x0": array}, isa=isa, threads=t)[0] for t in (1, 2, 3)]
    for other in results[1:]:
        assert other.tobytes() == results[0].tobytes()
    return results[0]


def ulps(got: float, exact: float, dtype=np.float32) -> float:
    return abs(float(got) - exact) / float(np.spacing(dtype(abs(exact))))


@pytest.mark.parametrize("isa", isas_by_default())
@pytest.mark.parametrize("count", [1000, 4097, 74000, 1000000])
def test_a_long_sum_is_as_exact_as_torch(isa, count):
    graph = build([((count,), F32)], lambda b, x: b.add("sum", [x], dims=(0,), keepdims=False))
    for kind in KINDS:
        x = numbers(kind, count)
        exact = math.fsum(x.astype(np.float64))
        theirs = ulps(torch.from_numpy(x).sum().item(), exact)
        assert ulps(summed(graph, x, isa), exact) <= 5 * theirs + 1, kind


@pytest.mark.parametrize("isa", isas_by_default())
@pytest.mark.parametrize("shape,dims", [((100000, 20), (0,)), ((20, 4, 12500), (0, 2)), ((3000, 7, 33), (0, 1)), ((60, 17000), (1,))])
def test_sums_over_any_dimensions(isa, shape, dims):
    graph = build([(shape, F32)], lambda b, x: b.add("sum", [x], dims=dims, keepdims=False))
    x = numbers("positive", math.prod(shape)).reshape(shape)
    exact = x.astype(np.float64).sum(dims)
    theirs = np.abs(torch.from_numpy(x).sum(dims).numpy() - exact).max()
    ours = np.abs(summed(graph, x, isa).astype(np.float64) - exact).max()
    assert ours <= 5 * theirs + np.spacing(np.float32(exact.max()))


def test_a_long_sum_of_doubles():
    x = np.full(500000, 0.1)
    graph = build([((500000,), F64)], lambda b, x: b.add("sum", [x], dims=(0,), keepdims=False))
    assert ulps(summed(graph, x, "native"), math.fsum(x), np.float64) <= 1


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_a_sum_of_what_is_not_finite(value):
    x = numbers("normal", 100000)
    x[7777] = value
    for dtype in (F32, F64):
        graph = build([((100000,), dtype)], lambda b, x: b.add("sum", [x], dims=(0,), keepdims=False))
        np.testing.assert_equal(float(summed(graph, x.astype(dtype.numpy), "native")), value)


@pytest.mark.parametrize("op", ["argmax", "argmin"])
@pytest.mark.parametrize(
    "shape,dim", [((3, 33), 1), ((3, 7), 1), ((2, 70000), 1), ((90000,), 0), ((40, 67), 0), ((90000, 5), 0), ((1, 5), 0)]
)
def test_places_of_extremes(op, shape, dim):
    """Ties go to the first, NaN wins, rows of minus infinity give 0; in the same kernel as other reductions and as what makes the row."""

    def function(b, x):
        y = b.add("softmax", [x], dim=dim)
        return b.add(op, [x], dim=dim, keepdims=False), b.add("max", [x], dims=(dim,), keepdims=False), b.add("sum", [y], dims=(dim,))

    rng = np.random.default_rng(3)
    x = rng.integers(-4, 5, shape).astype(np.float32)
    check([(shape, F32)], function, arrays=[x])
    for value in (np.nan, np.inf, -np.inf):
        y = np.where(rng.uniform(size=shape) < 0.1, value, x).astype(np.float32)
        check([(shape, F32)], lambda b, x: b.add(op, [x], dim=dim, keepdims=True), arrays=[y])
    check([(shape, F32)], lambda b, x: b.add(op, [x], dim=dim, keepdims=True), arrays=[np.full(shape, -np.inf, np.float32)])


def maps(kind: str, shape: tuple[int, ...]) -> np.ndarray:
    """Images whose channels have one mean and spread. first: the first pixel lies far from all others."""
    x = np.random.default_rng(5).standard_normal(shape)
    if kind == "far":
        x = 1000 + 0.01 * x
    elif kind == "constant":
        x = np.full(shape, 0.1)
    elif kind == "first":
        x[0, :, 0, 0] = 50
    elif kind == "drift":
        x += np.linspace(-20, 20, shape[0])[:, None, None, None]
    return x.astype(np.float32)


@pytest.mark.parametrize("isa", isas_by_default())
@pytest.mark.parametrize("shape", [(16, 32, 28, 28), (2, 7, 5, 3), (64, 16, 1, 1)])
@pytest.mark.parametrize("block", [False, True])
def test_statistics_of_batches(isa, shape, block):
    def statistics(b, x):
        return tuple(b.add(op, [x], dims=(0, 2, 3), keepdims=True, **more) for op, more in (("mean", {}), ("var", {"correction": 0})))

    graph = build([(shape, F32)], statistics)
    region = as_region(graph, "dfp", block=by_name(isa).lanes if block else 0)
    for kind in ("normal", "far", "constant", "first", "drift"):
        x = maps(kind, shape)
        exact = x.astype(np.float64)
        results = [run_region(region, {"x0": x}, isa=isa, threads=t) for t in (1, 2, 3)]
        assert all(a.tobytes() == b.tobytes() for other in results[1:] for a, b in zip(results[0], other))
        mean, var = results[0]
        np.testing.assert_allclose(mean, exact.mean((0, 2, 3), keepdims=True), rtol=3e-7, atol=1e-7 * np.abs(x).max())
        loose = 1e-4 if kind == "far" and not block else 1e-6  # a mean that is rounded before distances from it are taken
        np.testing.assert_allclose(var, exact.var((0, 2, 3), keepdims=True), rtol=loose, atol=1e-14, err_msg=kind)
