"""ONNX resampling of images on options that the onnx package's own suite does not have."""

from __future__ import annotations

import numpy as np
import pytest

from sol.errors import UnsupportedError
from tests.frontend.onnx.one_node import check, model_of, randn, run

COORDINATES = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"]


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_resize(mode: str, coordinates: str) -> None:
    for sizes in ((1, 2, 7, 3), (1, 2, 3, 8)):
        operands = [randn(1, 2, 5, 4), None, None, np.array(sizes)]
        check("Resize", operands, constants=(3,), mode=mode, coordinate_transformation_mode=coordinates)


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_roundings(rounding: str) -> None:
    for coordinates in ("asymmetric", "half_pixel"):
        options = {"mode": "nearest", "nearest_mode": rounding, "coordinate_transformation_mode": coordinates}
        check("Resize", [randn(1, 1, 4, 6), None, np.array([1, 1, 2, 1.5], np.float32)], constants=(2,), **options)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_antialias_of_large_factors_and_bytes(mode: str) -> None:
    check("Resize", [randn(1, 1, 23, 19), None, None, np.array([1, 1, 4, 5])], constants=(3,), mode=mode, antialias=1)
    x = (randn(1, 1, 6, 6) * 60 + 128).clip(0, 255).astype(np.uint8)
    (y,) = check("Resize", [x, None, None, np.array([1, 1, 9, 4])], constants=(3,), mode=mode, tolerance=1.0)
    assert y.dtype == np.uint8


def test_sizes_that_a_call_gives() -> None:
    model, given = model_of("Resize", [randn(1, 1, 4, 4), None, None, np.array([1, 1, 8, 6])], mode="linear")
    assert run(model, given)[0].shape == (1, 1, 8, 6)


def test_upsample_of_old_opsets() -> None:
    check("Upsample", [randn(1, 2, 3, 4), np.array([1, 1, 2, 3], np.float32)], opset=9, constants=(1,))
    check("Upsample", [randn(1, 2, 3, 4)], opset=8, engine="ort", mode="linear", scales=[1.0, 1.0, 2.0, 2.0])


@pytest.mark.parametrize("ratio", [0, 2])
@pytest.mark.parametrize("coordinates", ["half_pixel", "output_half_pixel"])
def test_regions(ratio: int, coordinates: str) -> None:
    rois = np.array([[0, 0, 5, 5], [1, 2, 7.5, 6], [-3, -3, 2, 2]], np.float32)
    options = {"coordinate_transformation_mode": coordinates, "spatial_scale": 0.7, "sampling_ratio": ratio}
    check("RoiAlign", [randn(2, 3, 9, 8), rois, np.array([0, 1, 1])], engine="ort", output_height=3, output_width=2, **options)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_grids_of_half_precision_and_odd_values(padding: str) -> None:
    x, grid = randn(1, 2, 4, 5), randn(1, 3, 3, 2)
    grid[0, 0, 0] = np.nan, 1e30
    model, given = model_of("GridSample", [x.astype(np.float16), grid.astype(np.float32).clip(-9, 9)], padding_mode=padding)
    assert run(model, given)[0].dtype == np.float16
    grid[0, 0, 0] = 5.5, -7.25
    check("GridSample", [x, grid], engine="ort", padding_mode=padding, mode="linear")
    check("GridSample", [x, grid], engine="ort", padding_mode=padding, mode="cubic", align_corners=1)


def test_image_files_are_not_decoded() -> None:
    with pytest.raises(UnsupportedError, match="decode"):
        run(*model_of("ImageDecoder", [np.zeros(4, np.uint8)], opset=20))
