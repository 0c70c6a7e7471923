"""The plain kernels that sample images, find maxima and determinants, against the interpreter."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from sol.codegen.targets import runnable
from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from tests.harness import as_region, run_region
from tests.random_numbers import rng
from tests.toolchains import isas_by_default


def randn(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def check(op: str, *arrays: np.ndarray, isa: str = runnable()[0], **attrs: Any) -> np.ndarray:
    """Kernels give what the interpreter gives, which is returned."""
    b = GraphBuilder()
    inputs = [b.input("x", TensorType(DType.from_numpy(a.dtype), a.shape)) for a in arrays]
    graph = b.build([b.add(op, inputs, **attrs)])
    (want,) = evaluate_outputs(graph, list(arrays))
    for threads in (1, 3):
        (got,) = run_region(as_region(graph, "dnn", op), dict(zip(graph.inputs, arrays)), isa=isa, threads=threads)
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-4)
    return want


def nowhere(*shape: int) -> np.ndarray:
    """Places, some of which are no numbers or infinite."""
    grid = randn(*shape)
    grid[..., ::2, ::3, 0], grid[..., 1, 5, 1], grid[..., 1, 7, :], grid[..., 0, 1, -1] = np.nan, np.inf, -np.inf, np.nan
    return grid


PAIRS = (("nearest", "zeros"), ("linear", "border"), ("cubic", "reflection"))  # of modes and paddings that are tested every time
GRIDS = [
    pytest.param(mode, padding, marks=() if (mode, padding) in PAIRS else pytest.mark.conformance)
    for mode, padding in itertools.product(("nearest", "linear", "cubic"), ("zeros", "border", "reflection"))
]


@pytest.mark.parametrize(("mode", "padding"), GRIDS)
def test_grid_sample(mode: str, padding: str) -> None:
    """Vectors of points (contiguous float32), and one by one (float64): one to three dimensions, points around the vector width."""
    for aligned, isa in itertools.product((True, False), isas_by_default()):
        options = {"isa": isa, "mode": mode, "padding": padding, "align_corners": aligned}
        for points in ((4, 6), (1, 1), (1, 7), (1, 15), (2, 8), (1, 17), (3, 11)):
            check("grid_sample", randn(2, 3, 5, 7), randn(2, *points, 2) * 2, **options)
        check("grid_sample", randn(2, 3, 5, 7).astype(np.float64), randn(2, 4, 6, 2).astype(np.float64), **options)
        check("grid_sample", randn(2, 3, 5, 7), nowhere(2, 3, 11, 2), **options)
        check("grid_sample", randn(2, 3, 5, 7).astype(np.float64), nowhere(2, 3, 11, 2).astype(np.float64), **options)
    for image, points in (((1, 2, 9), (33,)), ((1, 2, 3, 4, 5), (2, 3, 3)), ((1, 1, 1, 1), (5, 5))):
        check("grid_sample", randn(*image), randn(1, *points, len(points)), mode=mode, padding=padding, align_corners=True)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize(("mode", "spatial"), [("nearest", 2), ("linear", 2), ("cubic", 2), ("nearest", 3), ("linear", 3)])
def test_places_that_are_not_finite_are_where_torch_has_them(spatial: int, mode: str, padding: str) -> None:
    names = {"linear": "bilinear", "cubic": "bicubic"}
    for aligned, dtype in itertools.product((True, False), (np.float32, np.float64)):
        image, grid = randn(2, 3, *(4, 5, 7)[-spatial:]).astype(dtype), nowhere(2, *(2, 3, 11)[-spatial:], spatial).astype(dtype)
        want = torch.nn.functional.grid_sample(torch.tensor(image), torch.tensor(grid), names.get(mode, mode), padding, aligned).numpy()
        got = check("grid_sample", image, grid, mode=mode, padding=padding, align_corners=aligned)
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-4)


def test_a_pixel_beside_zeros_outside_is_not_read() -> None:
    image = np.full((1, 1, 2, 2), np.inf, np.float32)
    grid = np.full((1, 1, 3, 2), 9.0, np.float32)
    for mode in ("nearest", "linear", "cubic"):
        check("grid_sample", image, grid, mode=mode, padding="zeros")


def test_places_that_are_not_numbers_read_no_memory() -> None:
    grid = randn(1, 2, 2, 2)
    grid[0, 0] = np.nan, 1e38
    for padding in ("zeros", "border"):
        check("grid_sample", randn(1, 2, 4, 4), grid, mode="linear", padding=padding)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("ratio", [0, 2])
def test_roi_align(mode: str, ratio: int) -> None:
    rois = np.array([[0, 0, 5, 5], [1, 2, 7.5, 6], [-3, -3, 2, 2], [4, 4, 4.2, 4.1]], np.float32)
    options = {"output_size": (3, 2), "scale": 0.7, "sampling_ratio": ratio, "mode": mode, "half_pixel": ratio == 0}
    check("roi_align", randn(2, 17, 9, 8), rois, np.array([0, 1, 0, 1]), **options)


@pytest.mark.parametrize("masked", [False, True])
def test_deform_columns(masked: bool) -> None:
    options = {"kernel": (3, 2), "stride": (2, 2), "padding": (1, 0), "dilation": (1, 2), "offset_groups": 2}
    check("deform_columns", randn(2, 6, 9, 8), randn(2, 24, 5, 4) * 3, *([randn(2, 12, 5, 4)] if masked else []), **options)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_argmax_pool(dtype: type) -> None:
    x = rng.integers(0, 5, (2, 3, 7, 8)).astype(dtype)
    options = {"kernel": (3, 2), "stride": (2, 1), "padding": ((1, 1), (0, 1)), "dilation": (1, 2)}
    check("argmax_pool", x, ceil_mode=True, **options)
    check("argmax_pool", x[0], column_major=True, **options)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_det(dtype: type) -> None:
    check("det", randn(3, 2, 5, 5).astype(dtype))
    check("det", np.zeros((2, 2), dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("upper, unit", [(False, True), (True, False)])
def test_solve_triangular(upper: bool, unit: bool, dtype: type) -> None:
    for batch, size, sides in (((), 1, 1), ((3,), 7, 31), ((2, 3), 17, 64), ((1, 2), 33, 70), ((2,), 5, 0)):
        a = (randn(*batch, size, size) * 0.3 + 2 * np.eye(size)).astype(dtype)
        check("solve_triangular", a, randn(*batch, size, sides).astype(dtype), upper=upper, unit=unit)


def test_other_types_are_a_clear_error() -> None:
    with pytest.raises(UnsupportedError, match="grid_sample of f16"):
        check("grid_sample", randn(1, 1, 3, 3).astype(np.float16), randn(1, 2, 2, 2).astype(np.float16))
