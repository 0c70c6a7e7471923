"""Convolutions of bytes by Winograd's tiles in whole numbers: equal to the reference to the bit, also where all numbers are the largest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sol.codegen import targets
from sol.codegen.kernels import conv_words
from sol.codegen.kernels.winograd_model import Grid, make_grid, organise
from sol.codegen.kernels.winograd_words import POINTS, WholeWinograd, fits, whole_shorter, whole_winograd
from sol.codegen.targets import runnable
from sol.compiler import compile_graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType
from sol.runtime.executable import Executable
from tests.codegen.test_int_kernels import Case, blocks, chains, check_open_sizes, epilogues, s8, u8
from tests.random_numbers import rng

Force = Callable[..., None]


def tiles(r: int) -> list[int]:
    return [n - r + 1 for n in POINTS if n >= r + 1]


def whole(matrix: Any) -> np.ndarray:
    return np.array([[int(x) for x in row] for row in matrix], np.int64)


@pytest.mark.parametrize("r", [2, 3])
def test_matrices_are_exact_modulo_2_to_the_32(r: int) -> None:
    """For whole and shorter tiles, with the largest bytes and filters of such sizes that sums wrap around."""
    for of in tiles(r):
        for m in range(1, of + 1):
            for fx in (whole_winograd(of, r), whole_winograd(2, r)):
                fy = whole_winograd(of, r) if m == of else whole_shorter(m, of, r)
                assert all(x.denominator == 1 for matrix in (fy.at, fy.g, fy.bt) for row in matrix for x in row)
                x = rng.choice([0, 255], (300, fy.size, fx.size))
                w = rng.choice([-128, 127], (300, r, r))
                w[:, 0, 0] = 127
                v = np.einsum("iy,cyx,jx->cij", whole(fy.bt), x, whole(fx.bt))
                u = np.einsum("iy,cyx,jx->cij", whole(fy.g), w, whole(fx.g))
                assert max(abs(v).max(), abs(u).max()) < 1 << 15
                sums = (v * u).sum(0).astype(np.int32).astype(np.int64)
                back = (whole(fy.at) @ sums @ whole(fx.at).T) % 2**32
                divisor, shift = fy.divisor * fx.divisor, fy.shift + fx.shift
                found = (back * pow(divisor >> shift, -1, 2**32)).astype(np.uint32).astype(np.int32) >> shift
                want = [[(x[:, i : i + r, j : j + r] * w).sum() for j in range(fx.m)] for i in range(fy.m)]
                np.testing.assert_array_equal(found, want)


def test_what_does_not_fit_is_left_out() -> None:
    four = whole_winograd(4, 3)
    assert four.divisor == 30 and four.shift == 1
    assert fits(four, four, 9 * 512) and not fits(four, four, 9 * 2048)
    assert not fits(whole_winograd(2, 5), whole_winograd(2, 5), 25)  # filters of 5 x 5 outgrow words


def test_results_of_shorter_tiles_use_the_filters_of_whole_ones() -> None:
    for r in (2, 3):
        for of in tiles(r):
            for m in range(1, of):
                some, all_of = whole_shorter(m, of, r), whole_winograd(of, r)
                assert isinstance(some, WholeWinograd) and some.g == tuple(all_of.g[i] for i in some.index) and some.n < all_of.n


@pytest.fixture
def force(monkeypatch: pytest.MonkeyPatch) -> Force:
    """force(my, mx, how): convolutions that are exact by such tiles are computed by them."""

    def with_tiles(my: int, mx: int = 0, **how: int) -> None:
        def grids(conv: Any, target: Any) -> list[Grid]:
            if (conv.stride, conv.dilation, conv.groups) != ((1, 1), (1, 1), 1) or conv.kernel == (1, 1):
                return []
            sides = [1 if r == 1 else m for m, r in zip((my, mx or my), conv.kernel)]
            return [make_grid(conv, *sides, exact=True)]

        monkeypatch.setattr(conv_words, "find_grids", grids)
        monkeypatch.setattr(conv_words, "winograd_cost", lambda *_: 0.0)
        monkeypatch.setattr(conv_words, "organise", lambda *given: replace(organise(*given), **how))

    return with_tiles


def check(make: Callable[[Case], None], isa: str, threads: int, monkeypatch: pytest.MonkeyPatch, kernels: str = "_words_f") -> None:
    """All outputs equal the reference's, and some kernel is called so."""
    monkeypatch.setattr(targets, "_native", blocks(isa))
    case = Case()
    make(case)
    graph = case.g.build(tuple(case.outputs))
    wanted = evaluate_outputs(graph, case.inputs, case.parameters, precision=None)
    executable = Executable(compile_graph(graph, isa="native", threads=threads), threads=threads)
    assert any(kernels in k.name for k in executable.plan.kernels)
    executable.pack(case.parameters)
    for name, want, got in zip(case.names, wanted, executable(list(case.inputs)), strict=True):
        np.testing.assert_array_equal(got, want, err_msg=name)


SAME = {"stride": (1, 1), "dilation": (1, 1), "groups": 1}


def convolution(case: Case, x: np.ndarray, w: np.ndarray, padding: tuple[int, int] = (1, 1), zero: int = 7) -> str:
    pads = tuple((p, p) for p in padding)
    return case("int_conv", case.input(x), case.parameter(w), case.g.constant(zero, DType.U8), padding=pads, **SAME)


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("m", [2, 3, 4])
def test_channels_maps_and_largest_numbers(isa: str, m: int, force: Force, monkeypatch: pytest.MonkeyPatch) -> None:
    """Channels around the lanes, maps around the tiles, several images, and numbers whose sums wrap around on the way."""
    force(m)

    def layers(case: Case) -> None:
        for c, k in ((1, 1), (3, 17), (15, 16), (16, 33), (33, 40), (70, 8)):
            case.give(f"{c} to {k}", convolution(case, u8(1, c, 9, 11), s8(k, c, 3, 3)))
        for n, size, padding in ((1, (1, 1), (1, 1)), (2, (4, 7), (1, 0)), (3, (8, 8), (2, 2)), (1, (13, 30), (0, 1))):
            case.give(f"{n} of {size}", convolution(case, u8(n, 20, *size), s8(24, 20, 3, 3), padding))
        for sign in (-128, 127):
            x, w = np.full((1, 200, 7, 9), 255, np.uint8), np.full((16, 200, 3, 3), sign, np.int8)
            case.give(f"all {sign}", convolution(case, x, w, zero=255))
        x, w = rng.choice([0, 255], (1, 200, 9, 9)).astype(np.uint8), rng.choice([-128, 127], (16, 200, 3, 3)).astype(np.int8)
        case.give("extremes", convolution(case, x, w, zero=0))

    check(layers, isa, 2, monkeypatch)


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("my,mx,kernel", [(2, 4, (3, 3)), (4, 3, (3, 3)), (3, 1, (3, 1)), (1, 4, (1, 3)), (3, 4, (2, 2)), (2, 4, (2, 3))])
def test_tiles_and_filters_that_are_not_square(isa: str, my: int, mx: int, kernel: tuple[int, int], force: Force, monkeypatch: Any) -> None:
    force(my, mx)
    check(lambda case: case.give("", convolution(case, u8(2, 18, 10, 13), s8(20, 18, *kernel))), isa, 2, monkeypatch)


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("how", [{"split_channels": 0, "block": 3}, *({"split_channels": 1000, "block": n} for n in (2, 64))])
def test_organisations(isa: str, threads: int, how: dict[str, int], force: Force, monkeypatch: pytest.MonkeyPatch) -> None:
    """By tiles, by channels with tiles transformed together, and by channels with tiles that every thread transforms for itself."""
    force(4, **how)
    check(lambda case: case.give("", convolution(case, u8(1, 40, 17, 19), s8(70, 40, 3, 3))), isa, threads, monkeypatch)


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("make", [chains, epilogues], ids=["chains", "epilogues"])
def test_what_follows_a_convolution(isa: str, make: Callable[[Case], None], force: Force, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zero points, biases, scales, residuals of bytes, pools and joins of results; results that are bytes, int32 and float32."""
    force(4)
    check(make, isa, 2, monkeypatch)


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("m", [3, 4])
def test_maps_of_open_sizes(isa: str, m: int, force: Force, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes around those of tiles, and several images."""
    force(m)
    monkeypatch.setattr(targets, "_native", blocks(isa))
    check_open_sizes("native", 20, "_words_f", ((1, 9, 11), (3, 17, 8), (2, 1, 3), (2, 5, 33)))
