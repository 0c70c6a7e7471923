"""Sampling of images: grids against torch, regions and displaced columns against what they are by definition."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.errors import TypeInferenceError
from sol.frontend.filters import Taps
from sol.frontend.torch.aten.resample import linear_taps
from sol.ir.types import DType, TensorType
from tests.ops.reference import check, one_op_graph, randn, run_op

TORCH = {"nearest": "nearest", "linear": "bilinear", "cubic": "bicubic"}


@pytest.mark.parametrize("mode", TORCH)
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("aligned", [False, True])
def test_grid_sample(mode: str, padding: str, aligned: bool) -> None:
    x, grid = randn(2, 3, 5, 7), randn(2, 4, 6, 2) * 1.3
    options = {"mode": mode, "padding": padding, "align_corners": aligned}
    check("grid_sample", lambda a, g: F.grid_sample(a, g, TORCH[mode], padding, aligned), x, grid, **options)
    if padding != "reflection":
        grid[0, 1, :3, 0], grid[1, 2, 4, 1], grid[1, 3, 5] = np.nan, np.inf, -np.inf
        check("grid_sample", lambda a, g: F.grid_sample(a, g, TORCH[mode], padding, aligned), x, grid, **options)
    if mode != "cubic":
        x, grid = randn(1, 2, 3, 4, 5), randn(1, 2, 3, 2, 3) * 1.3
        check("grid_sample", lambda a, g: F.grid_sample(a, g, TORCH[mode], padding, aligned), x, grid, **options)


def test_a_region_of_whole_pixels_is_a_mean() -> None:
    x = randn(2, 3, 6, 8)
    rois = np.array([[0.0, 0.0, 8.0, 6.0], [2.0, 0.0, 6.0, 4.0]])
    (y,) = run_op("roi_align", x, rois, np.array([1, 0]), output_size=(2, 2), sampling_ratio=0, half_pixel=True)
    np.testing.assert_allclose(y[0], x[1].reshape(3, 2, 3, 2, 4).mean((2, 4)), rtol=1e-12)
    np.testing.assert_allclose(y[1], x[0][:, :4, 2:6].reshape(3, 2, 2, 2, 2).mean((2, 4)), rtol=1e-12)


def test_columns_without_displacement_unfold_the_image() -> None:
    x = randn(2, 4, 6, 7)
    options = {"kernel": (3, 2), "stride": (2, 1), "padding": (1, 1), "dilation": (1, 2), "offset_groups": 2}
    offset, mask = np.zeros((2, 24, 3, 7)), randn(2, 12, 3, 7)
    check("deform_columns", lambda a, _: F.unfold(a, (3, 2), (1, 2), (1, 1), (2, 1)).reshape(2, 4, 6, 3, 7), x, offset, **options)
    plain, scaled = run_op("deform_columns", x, offset, **options)[0], run_op("deform_columns", x, offset, mask, **options)[0]
    np.testing.assert_allclose(scaled, plain * np.repeat(mask.reshape(2, 2, 6, 3, 7), 2, axis=1), rtol=1e-12)


def test_resample() -> None:
    x, taps = randn(2, 3, 5, 7), [linear_taps(5, 9, None, False, np.float64), linear_taps(7, 3, None, True, np.float64)]
    check("resample", lambda a, *_: F.interpolate(F.interpolate(a, (9, 7), mode="bilinear"), (9, 3), mode="bilinear", align_corners=True),
          x, *tables_of(*taps))  # fmt: skip
    image, grad = torch.from_numpy(x).requires_grad_(), randn(2, 3, 9, 10)
    F.interpolate(image, (9, 10), mode="bilinear").backward(torch.from_numpy(grad))
    turned = [linear_taps(n, m, None, False, np.float64).turned(n) for n, m in ((5, 9), (7, 10))]
    assert any((t.places < 0).any() for t in turned)
    check("resample", lambda *_: image.grad, grad, *tables_of(*turned))


def tables_of(*taps: Taps) -> list[np.ndarray]:
    return [np.ascontiguousarray(table.T) for t in taps for table in (t.places.astype(np.int32), t.weights)]


def test_misfits_are_rejected() -> None:
    image, grid = TensorType(DType.F32, (1, 2, 4, 4)), TensorType(DType.F32, (1, 3, 3, 3))
    with pytest.raises(TypeInferenceError, match=r"\[N, \*sizes, 2\]"):
        one_op_graph("grid_sample", [image, grid])
    with pytest.raises(TypeInferenceError, match="x1, y1, x2, y2"):
        one_op_graph("roi_align", [image, TensorType(DType.F32, (3, 5)), TensorType(DType.I64, (3,))], output_size=(1, 1))
    table, weights = TensorType(DType.I32, (2, 5)), TensorType(DType.F32, (2, 5))
    with pytest.raises(TypeInferenceError, match="their weights must have shape"):
        one_op_graph("resample", [image, table, TensorType(DType.F32, (2, 4)), table, weights])
    with pytest.raises(TypeInferenceError, match=r"must be places \[taps, size\]"):
        one_op_graph("resample", [image, TensorType(DType.I32, (5,)), weights, table, weights])
    with pytest.raises(TypeInferenceError, match="must be an image"):
        one_op_graph("resample", [TensorType(DType.F32, (2, 4, 4)), table, weights, table, weights])
