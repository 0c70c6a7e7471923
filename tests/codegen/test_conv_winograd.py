"""Winograd convolution against the float64 interpreter and torch on every ISA of this machine; its exact matrices."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sol.codegen.kernels import conv_winograd
from sol.codegen.kernels.conv_direct import Conv
from sol.codegen.kernels.conv_winograd import Organisation, choose_variant, max_error
from sol.codegen.kernels.winograd_matrices import POINTS, winograd
from sol.codegen.targets import by_name, resolve
from sol.config import config
from sol.ir.dim import Dim
from sol.ir.interpret import evaluate
from tests.codegen.conv_cases import ISAS, check, conv_graph, random, torch_conv
from tests.codegen.test_conv_direct import add_relu, divide, plane, scale_silu
from tests.harness import as_region, run_region


@pytest.fixture
def force(monkeypatch):
    """Make every 3x3 convolution F(m, 3), in a given organisation if one is named."""

    def apply(m: int, how: Organisation | None = None) -> None:
        monkeypatch.setattr(conv_winograd, "choose_variant", lambda *_: m)
        if how:
            monkeypatch.setattr(conv_winograd, "organise", lambda *_: how)

    return apply


def around(padding: int) -> dict[str, tuple]:
    return {"x": ((padding, padding),) * 2}


def measured(graph, inputs, arrays, isa: str, threads: int = 2, padding: int = 1) -> float:
    """Largest error against float64 in units of the largest output."""
    region = as_region(graph, "dnn", "conv", block=resolve(isa).lanes)
    (got,) = run_region(region, inputs, arrays, isa=isa, threads=threads, borders=around(padding))
    double = {n: v.astype(np.float64) for n, v in inputs.items()}
    want = evaluate(graph, double, arrays, precision=np.float64)[graph.outputs[0]]
    return float(np.abs(got - want).max() / np.abs(want).max())


@pytest.mark.parametrize("m", POINTS)
def test_matrices_are_exact(m):
    f = winograd(m)
    x = [Fraction(i * i % 11 - 5, 3) for i in range(f.n)]
    w = [Fraction(2), Fraction(-3, 7), Fraction(5, 2)]

    def times(matrix, vector):
        return [sum(a * b for a, b in zip(row, vector)) for row in matrix]

    got = times(f.at, [a * b for a, b in zip(times(f.g, w), times(f.bt, x))])
    assert got == [sum(w[k] * x[i + k] for k in range(3)) for i in range(m)]


@pytest.mark.parametrize("m", [2, 4])
def test_transforms_of_activations_are_exact_in_float32(m):
    for matrix in (winograd(m).at, winograd(m).bt):
        assert all(Fraction(float(np.float32(x))) == x for row in matrix for x in row)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("m", [2, 4])
@pytest.mark.parametrize("c,k", [(1, 1), (7, 8), (15, 17), (33, 40), (16, 48), (64, 96)])
def test_channels(isa, m, c, k, force):
    force(m)
    graph, inputs, arrays, _ = conv_graph((2, c, 9, 17), k, (3, 3), padding=1)
    want = torch_conv(inputs, arrays, padding=1).numpy()
    check(graph, inputs, arrays, isa=isa, threads=3, want=want, borders=around(1))


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("m,padding", [(2, 0), (2, 1), (4, 0), (4, 1), (4, 2), (6, 1)])
@pytest.mark.parametrize(
    "size,threads", [((3, 3), 1), ((4, 5), 3), ((7, 7), 2), ((14, 14), 3), ((29, 30), 2), ((8, 41), 5)]
)
def test_maps_paddings_and_teams(isa, m, padding, size, threads, force):
    force(m)
    graph, inputs, arrays, conv = conv_graph((1, 32, *size), 40, (3, 3), padding=padding)
    if m == 6:
        assert measured(graph, inputs, arrays, isa, threads) < max_error(6, 32)
    else:
        check(graph, inputs, arrays, isa=isa, threads=threads, borders={**around(padding), conv: ((1, 1), (2, 0))})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    "how", [Organisation(True, 5), Organisation(True, 33), Organisation(False, 3), Organisation(False, 14)]
)
def test_organisations(isa, threads, how, force):
    force(4, how)
    graph, inputs, arrays, _ = conv_graph((2, 24, 13, 15), 72, (3, 3), padding=1)
    check(graph, inputs, arrays, isa=isa, threads=threads, borders=around(1))


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("tail", [add_relu, scale_silu, divide, plane])
@pytest.mark.parametrize("m,size,bias", [(2, (7, 7), True), (4, (14, 14), False), (4, (9, 33), True)])
def test_tails(isa, tail, m, size, bias, force):
    force(m)
    graph, inputs, arrays, _ = conv_graph((2, 24, *size), 42, (3, 3), padding=1, bias=bias, tail=tail)
    plain = ("p",) if tail is plane else ()
    check(graph, inputs, arrays, isa=isa, threads=3, borders={**around(1), "r": ((1, 1), (1, 1))}, plain=plain)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size", [(5, 9), (30, 31)])
def test_symbolic_sizes(isa, size, force):
    force(4)
    dims = (Dim.symbol("n"), 20, Dim.symbol("h"), Dim.symbol("w"))
    graph, inputs, arrays, _ = conv_graph((3, 20, *size), 40, (3, 3), padding=1, dims=dims)
    check(graph, inputs, arrays, isa=isa, borders=around(1), symbols={"n": 3, "h": size[0], "w": size[1]})


@pytest.mark.parametrize("m", POINTS)
@pytest.mark.parametrize("c", [16, 64, 256])
@pytest.mark.parametrize("positive", [False, True])
def test_error_is_within_its_bound(m, c, positive, force):
    force(m)
    graph, inputs, arrays, _ = conv_graph((1, c, 24, 24), 32, (3, 3), padding=1, bias=False)
    if positive:
        inputs["x"] = np.maximum(inputs["x"], 0)
    assert measured(graph, inputs, arrays, ISAS[0]) < max_error(m, c)


@pytest.mark.parametrize("isa", ISAS)
def test_infinity_and_nan_stay_near_and_are_not_lost(isa, force):
    """Direct convolution's outputs that are not finite are not finite; those of other tiles are not touched."""
    force(4)
    graph, inputs, arrays, _ = conv_graph(
        (1, 16, 16, 16), 16, (3, 3), padding=1, tail=lambda b, y, _: b.add("relu", [y])
    )
    inputs["x"][0, 3, 5, 5], inputs["x"][0, 4, 13, 13] = np.nan, np.inf
    region = as_region(graph, "dnn", "conv", block=resolve(isa).lanes)
    (got,) = run_region(region, inputs, arrays, isa=isa, borders=around(1))
    assert np.isnan(got[0, :, 4:8, 4:8]).all() and np.isnan(got[0, :, 12:, 12:]).all()
    assert (
        np.isfinite(got[0, :, :4]).all()
        and np.isfinite(got[0, :, :8, 8:]).all()
        and np.isfinite(got[0, :, 8:, :8]).all()
    )


def conv(c: int, k: int, h: int, w: int, n: int = 1) -> Conv:
    return Conv(None, n, c, k, h, w, h, w, (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "c,size,error,m",
    [
        (64, 56, 1e-5, 4),
        (256, 14, 1e-5, 4),
        (512, 7, 1e-5, 2),
        (512, 14, 1e-5, 4),
        (512, 7, 0.0, 0),
        (64, 56, 2e-6, 2),
        (512, 1, 1e-5, 0),
    ],
)
def test_choice(c, size, error, m):
    assert choose_variant(conv(c, c, size, size), by_name("avx512"), error) == m


@pytest.mark.parametrize("isa", ["avx512", "avx2", "neon", "generic"])
@pytest.mark.parametrize("vectors", [1, 2, 3, 4, 5, 9, 11, 32])
def test_products_cover_any_number_of_tiles(isa, vectors):
    target = by_name(isa)
    tile = conv_winograd.products(target, vectors)
    assert tile.ocb * tile.widths[0] + tile.ocb + 1 <= target.registers
    for tiles in range(1, 100):
        left = tiles
        while left > 0:
            left -= tile.first[left] if left < len(tile.first) else tile.widths[0]
        assert -left <= tile.slack < tile.widths[0]
        assert tile.cost(tiles) >= tiles * tile.ocb / 2


def test_packed_weights():
    w = random((40, 21, 3, 3))
    packed = conv_winograd.pack_winograd(w, lanes=8, vectors=2, m=4)
    assert packed.shape == (3, 36, 24, 16) and packed.dtype == np.float32
    g = np.array([[float(x) for x in row] for row in winograd(4).g])
    np.testing.assert_allclose(packed[1, :, 5, 3].reshape(6, 6), g @ w[19, 5].astype(np.float64) @ g.T, rtol=1e-6)
    assert not packed[2, :, :, 8:].any() and not packed[:, :, 21:].any()


def test_a_bound_of_zero_keeps_direct_convolution():
    graph, inputs, arrays, _ = conv_graph((1, 32, 8, 8), 32, (3, 3), padding=1)
    inputs["x"][0, 0, 0, 0] = np.inf
    region = as_region(graph, "dnn", "conv", block=resolve(ISAS[0]).lanes)
    with config.override(conv_max_error=0):
        (got,) = run_region(region, inputs, arrays, isa=ISAS[0], borders=around(1))
    assert np.isinf(got[0, :, :2, :2]).all() and np.isfinite(got[0, :, 2:, 2:]).all()
