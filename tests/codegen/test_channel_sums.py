"""Sums over a convolution's map for each channel: kernels of few channels in a group, exactness, and which convolutions are given them."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.kernels import conv_direct, conv_split, families
from sol.codegen.targets import by_name
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.types import DType, Layout, TensorType
from sol.passes.fuse_regions import fuse_regions
from tests.codegen.conv_cases import ISAS, check, conv_graph, forced, gradient_and_sums, map_and_spread
from tests.emulation import MATRIX_TILES
from tests.harness import as_region, run_region

FEW_CHANNELS = [
    # channels, groups, kernel, height, width, stride
    (33, 33, 3, 7, 9, 1), (16, 16, 3, 8, 23, 1), (7, 7, 5, 9, 8, 2), (9, 9, 11, 14, 15, 1), (24, 12, 3, 9, 14, 1), (5, 5, 1, 1, 1, 1),
]  # fmt: skip


@pytest.mark.parametrize("epilogue", [map_and_spread, gradient_and_sums])
@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.budget(6)
def test_few_channels(isa: str, epilogue) -> None:
    """Depthwise, and several channels in a group; an odd number of rows, one tile and several."""
    for channels, groups, kernel, height, width, stride in FEW_CHANNELS:
        if by_name(isa).lanes <= channels // groups:
            continue
        pad = kernel // 2
        graph, inputs, arrays, _ = conv_graph(
            (2, channels, height, width), channels, (kernel, kernel), stride=stride, padding=pad, groups=groups, epilogue=epilogue
        )  # fmt: skip
        for threads in (1, 3):
            check(graph, inputs, arrays, isa=isa, threads=threads, borders={"x": ((pad, pad), (pad, pad))})


@pytest.mark.parametrize("isa", [*ISAS, MATRIX_TILES])
def test_numbers_far_from_zero(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variance of numbers that are 3000 times farther from zero than from each other: their squares differ in no digit of float32."""
    product = conv_split if isa == MATRIX_TILES else conv_direct
    monkeypatch.setattr(families, "candidates", lambda _: (forced(product.CANDIDATES[0]),))
    graph, inputs, arrays, _ = conv_graph((3, 16, 13, 11), 32, (1, 1), bias=False, epilogue=map_and_spread)
    inputs["x"] = inputs["x"] / 3000 + np.float32(1)
    arrays["w"] = np.abs(arrays["w"]) + np.float32(0.5)
    lanes = 16 if isa == MATRIX_TILES else by_name(isa).lanes
    got, variance, mean = run_region(as_region(graph, "dnn", "conv", block=lanes), inputs, arrays, isa=isa, threads=2)
    stored = got.astype(np.float64)
    np.testing.assert_allclose(variance, stored.var((0, 2, 3), ddof=1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(mean, stored.mean((0, 2, 3), keepdims=True), rtol=1e-6)


def test_what_is_not_finite_stays_in_its_channel() -> None:
    graph, inputs, arrays, _ = conv_graph((2, 16, 9, 11), 32, (1, 1), epilogue=map_and_spread)
    arrays["w"][3, 4], arrays["b"][20] = np.nan, np.inf
    _, variance, mean = run_region(as_region(graph, "dnn", "conv", block=16), inputs, arrays, isa="avx512", threads=2)
    broken = np.zeros(32, bool)
    broken[[3, 20]] = True
    np.testing.assert_array_equal(np.isfinite(variance).ravel(), ~broken)
    np.testing.assert_array_equal(np.isfinite(mean).ravel(), ~broken)


def fused_with(
    dtype: DType = DType.F32, images: int | Dim = 2, channels: int = 32, groups: int = 1, columns: int = 9,
    dims: tuple[int, ...] = (0, 2, 3),
) -> set[str]:  # fmt: skip
    """Ops in the region of a convolution behind which means and variances are wanted."""
    b = GraphBuilder()
    x = b.add("reorder", [b.input("x", TensorType(dtype, (images, channels, 9, columns)))], layout=Layout(16))
    w = b.parameter("w", TensorType(dtype, (channels, channels // groups, 1, 1)))
    y = b.add("conv", [x, w], stride=(1, 1), padding=((0, 0), (0, 0)), dilation=(1, 1), groups=groups)
    graph = b.build([y, *(b.add(op, [y], dims=dims, keepdims=True) for op in ("mean", "var"))])
    fused = fuse_regions(graph, by_name("avx512").machine.graph)
    region = next(n for n in fused.nodes if n.op == "region" and n.attrs["anchor"] == "conv")
    return {n.op for n in region.attrs["body"].nodes} - {"input", "parameter"}


@pytest.mark.parametrize("options", [{}, {"groups": 32}, {"groups": 4}, {"groups": 2}], ids=str)
def test_convolutions_have_the_sums_behind_them(options) -> None:
    assert fused_with(**options) == {"conv", "mean", "var"}


OTHERS = [
    {"dtype": DType.BF16}, {"images": Dim.symbol("n", 1)}, {"dims": (2, 3)}, {"channels": 48, "groups": 2}, {"groups": 32, "columns": 2000},
]  # fmt: skip


@pytest.mark.parametrize("options", OTHERS, ids=str)
def test_others_are_left_alone(options) -> None:
    """Narrow numbers, a batch that is not known, sums of single images, groups that are no whole vectors and do not divide one, and rows of
    single channels that are too long for sums in float32."""
    assert "var" not in fused_with(**options)
