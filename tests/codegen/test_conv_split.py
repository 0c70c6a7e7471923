"""1x1 convolutions of float32 by matrix tiles: against the float64 interpreter and torch, with what is not finite."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from sol.codegen.kernels import conv_split, families, split_product
from sol.ir.builder import GraphBuilder
from tests import emulation
from tests.codegen.conv_cases import check, conv_graph, forced, gradient_and_sums, map_and_spread, random, torch_conv
from tests.emulation import MATRIX_TILES, matrix_tiles
from tests.harness import as_region, run_region


@pytest.fixture(autouse=True)
def split(monkeypatch: pytest.MonkeyPatch) -> None:
    """Convolutions by matrix tiles, whether or not that pays."""
    monkeypatch.setattr(families, "candidates", lambda _: (forced(conv_split.CANDIDATES[0]),))


CASES = [
    # images, channels, kernels, height, width, stride
    (1, 1, 1, 1, 1, 1), (2, 7, 8, 3, 5, 1), (1, 16, 16, 4, 4, 1), (1, 17, 33, 7, 9, 1), (3, 40, 50, 5, 13, 2), (2, 32, 64, 17, 8, 1),
    (1, 129, 31, 6, 11, 1), (2, 128, 96, 9, 9, 3), (1, 300, 144, 12, 11, 1), (5, 160, 200, 7, 7, 1),
]  # fmt: skip


@pytest.mark.parametrize("share,repacks", [(split_product.SHARE, False), (0.03, True), (0.03, False)])
@pytest.mark.parametrize("n,c,k,h,w,stride", CASES)
def test_shapes(n: int, c: int, k: int, h: int, w: int, stride: int, share: float, repacks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows one behind the other or apart, in the input and in the result; units of work so small that there are several; weights that are
    split when they are packed, or by each call.
    """
    target = replace(matrix_tiles(), repacks=repacks)
    monkeypatch.setattr(split_product, "SHARE", share)
    monkeypatch.setattr(emulation, "matrix_tiles", lambda: target)
    for threads, bias in ((1, True), (3, False)):
        graph, inputs, arrays, conv = conv_graph((n, c, h, w), k, (1, 1), stride=stride, bias=bias)
        want = torch_conv(inputs, arrays, stride=stride).numpy()
        check(graph, inputs, arrays, isa=MATRIX_TILES, threads=threads, want=want)
        check(graph, inputs, arrays, isa=MATRIX_TILES, threads=threads, want=want, borders={"x": ((1, 2), (2, 1)), conv: ((1, 1), (0, 3))})


def residual(b: GraphBuilder, y: str, inputs: dict[str, np.ndarray]) -> str:
    """An operand as large as the map, one for each channel, and a function that is not zero at zero."""
    other = b.input("other", b.type_of(y))
    inputs["other"] = random(b.type_of(y).shape, 9)
    return b.add("relu", [b.add("sub", [b.add("add", [y, other]), b.add("exp", [y])])])


def pooled(b: GraphBuilder, y: str, inputs: dict[str, np.ndarray]) -> str:
    return b.add("mean", [b.add("relu", [y])], dims=(2, 3), keepdims=True)


@pytest.mark.parametrize("epilogue", [residual, pooled, map_and_spread, gradient_and_sums])
@pytest.mark.parametrize("k", [16, 33, 50, 64])
def test_what_is_fused_behind(epilogue, k: int) -> None:
    graph, inputs, arrays, _ = conv_graph((2, 40, 9, 7), k, (1, 1), epilogue=epilogue)
    for threads in (1, 2):
        check(graph, inputs, arrays, isa=MATRIX_TILES, threads=threads)


def test_what_is_not_finite_stays_in_its_pixel() -> None:
    """Infinities, NaN and numbers that round to infinity, in the input and in the weights."""
    graph, inputs, arrays, _ = conv_graph((2, 200, 5, 9), 50, (1, 1))
    x, w = inputs["x"], arrays["w"]
    x[0, 7, 2, 3], x[1, 150, 4, 8], x[1, 3, 0, 0] = np.inf, np.nan, 3.4e38
    w[4, 9], w[33, 160] = np.nan, -np.inf
    want = torch_conv(inputs, arrays).numpy()
    (got,) = run_region(as_region(graph, "dnn", "conv", block=16), inputs, arrays, isa=MATRIX_TILES, threads=2)
    assert np.isnan(want).any() and np.isinf(want).any() and np.isfinite(want).any()
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(want))
    finite = np.isfinite(want) & (np.abs(want) < 1e30)
    np.testing.assert_allclose(got[finite], want[finite], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["normal", "uneven", "sparse", "one"])
def test_errors_are_those_of_float32(kind: str) -> None:
    """Image by image at most five times torch's, however channels and images differ; half of that for normal numbers."""
    graph, inputs, arrays, _ = conv_graph((3, 128, 14, 14), 64, (1, 1))
    x, rng = inputs["x"], np.random.default_rng(4)
    if kind == "uneven":
        x *= 10.0 ** rng.integers(-3, 3, (3, 128, 1, 1)).astype(np.float32)
        arrays["w"] *= 10.0 ** rng.integers(-2, 2, (64, 128, 1, 1)).astype(np.float32)
    elif kind == "sparse":
        x *= rng.random(x.shape) < 0.02
    elif kind == "one":
        x[:, :, 3, 3] *= 1e4
    (got,) = run_region(as_region(graph, "dnn", "conv", block=16), inputs, arrays, isa=MATRIX_TILES, threads=2)
    exact = torch.conv2d(*(torch.from_numpy(v).double() for v in (x, arrays["w"], arrays["b"]))).numpy()
    theirs = torch_conv(inputs, arrays).numpy()
    mine, its = (np.sqrt(((found - exact) ** 2).mean(axis=(1, 2, 3))) for found in (got, theirs))
    assert (mine <= (1 if kind == "normal" else 5) * its).all(), (mine, its)
