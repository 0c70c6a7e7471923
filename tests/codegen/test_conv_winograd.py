"""Winograd convolution against the float64 interpreter and torch on every ISA of this machine; its exact matrices."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sol.codegen.kernels import conv_winograd, inner_product
from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.kernels.winograd_matrices import MODULI, amplification, shorter, winograd
from sol.codegen.kernels.winograd_model import (
    Organisation,
    allowed_grids,
    choose_grid,
    direct_cost,
    make_grid,
    products,
    winograd_cost,
)
from sol.codegen.machines import ZEN4
from sol.codegen.packing import make_pack
from sol.codegen.targets import by_name, resolve
from sol.config import config
from sol.ir.dim import Dim
from sol.ir.interpret import evaluate
from sol.runtime.packers import packed as packed_weight
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import ISAS, check, conv_graph, random, torch_conv
from tests.codegen.reference_packers import padded_scales
from tests.codegen.test_conv_direct import add_relu, divide, plane, scale_silu
from tests.harness import as_region, run_region
from tests.instruction_sets import row
from tests.toolchains import target_of


@pytest.fixture
def force(monkeypatch):
    """Make every convolution take tiles of m x m (my x mx) outputs, in pairs or not, in a given organisation if one is named."""

    def apply(my: int, how: Organisation | None = None, mx: int = 0, by_inner_product: bool = False) -> None:
        monkeypatch.setattr(conv_winograd, "choose_grid", lambda conv, *_: make_grid(conv, my, mx or my, by_inner_product))
        monkeypatch.setattr(conv_winograd, "allowed_grids", lambda conv, *_: (make_grid(conv, my, mx or my, by_inner_product),))
        if how:
            monkeypatch.setattr(conv_winograd, "organise", lambda *_: how)

    return apply


def around(y: int, x: int | None = None) -> dict[str, tuple]:
    """Zeros around the input."""
    return {"x": ((y, y), (y if x is None else x,) * 2)}


def bound(my: int, mx: int, kernel: tuple[int, int], channels: int, by_inner_product: bool = False) -> float:
    """Allowed error of tiles of my x mx outputs."""
    return make_grid(conv(channels, channels, my, mx, kernel), my, mx, by_inner_product).max_error(channels)


def measured(graph, inputs, arrays, isa: str, threads: int = 2, borders=None) -> float:
    """Largest error against float64 in units of the largest output."""
    region = as_region(graph, "dnn", "conv", block=resolve(isa).lanes)
    (got,) = run_region(region, inputs, arrays, isa=isa, threads=threads, borders=borders or around(1))
    double = {n: v.astype(np.float64) for n, v in inputs.items()}
    want = evaluate(graph, double, arrays, precision=np.float64)[graph.outputs[0]]
    return float(np.abs(got - want).max() / np.abs(want).max())


FILTERS = [(m, r) for r in (1, 2, 3, 5, 7) for m in range(1, 9) if m + r - 1 in MODULI and (r > 1 or m == 1)]


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def filtered(f, tap_matrix, x, w):
    return times(f.at, [a * b for a, b in zip(times(tap_matrix, w), times(f.bt, x))])


@pytest.mark.parametrize("m,r", FILTERS)
def test_matrices_are_exact(m, r):
    x = [Fraction(i * i % 11 - 5, 3) for i in range(m + r - 1)]
    w = [Fraction(i * i % 7 - 2, i + 1) for i in range(r)]
    want = [sum(w[k] * x[i + k] for k in range(r)) for i in range(m)]
    f = winograd(m, r)
    assert filtered(f, f.g, x, w) == want
    for of in range(m + 1, 9):
        if of + r - 1 in MODULI and r > 1:
            f, whole = shorter(m, of, r), winograd(of, r)
            assert filtered(f, [whole.g[i] for i in f.index], x, w) == want
            assert amplification(f) < 1.5 * amplification(whole)


@pytest.mark.parametrize("m,r", [(m, r) for m, r in FILTERS if m + r <= 9])
def test_transforms_of_activations_are_exact_in_float32(m, r):
    for matrix in (winograd(m, r).at, winograd(m, r).bt):
        assert all(Fraction(float(np.float32(x))) == x for row in matrix for x in row)


@pytest.mark.parametrize("isa,m,c,k", thinned([2, 4], [(1, 1), (7, 8), (15, 17), (33, 40), (16, 48), (64, 96)]))
def test_channels(isa, m, c, k, force):
    force(m)
    graph, inputs, arrays, _ = conv_graph((2, c, 9, 17), k, (3, 3), padding=1)
    want = torch_conv(inputs, arrays, padding=1).numpy()
    check(graph, inputs, arrays, isa=isa, threads=3, want=want, borders=around(1))


PADDED = [(2, 0), (2, 1), (4, 0), (4, 1), (4, 2), (6, 1)]
SIZES = [((3, 3), 1), ((4, 5), 3), ((7, 7), 2), ((14, 14), 3), ((29, 30), 2), ((8, 41), 5)]


@pytest.mark.parametrize("isa,m,padding,size,threads", thinned(PADDED, SIZES))
def test_maps_paddings_and_teams(isa, m, padding, size, threads, force):
    force(m)
    graph, inputs, arrays, conv = conv_graph((1, 32, *size), 40, (3, 3), padding=padding)
    if m == 6:
        assert measured(graph, inputs, arrays, isa, threads) < bound(6, 6, (3, 3), 32)
    else:
        check(graph, inputs, arrays, isa=isa, threads=threads, borders={**around(padding), conv: ((1, 1), (2, 0))})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("how", [Organisation(99, 5), Organisation(99, 33), Organisation(0, 3), Organisation(0, 14)])
def test_organisations(isa, threads, how, force):
    force(4, how)
    graph, inputs, arrays, _ = conv_graph((2, 24, 13, 15), 72, (3, 3), padding=1)
    check(graph, inputs, arrays, isa=isa, threads=threads, borders=around(1))


@pytest.mark.parametrize(
    "isa,epilogue,m,size,bias",
    thinned([add_relu, scale_silu, divide, plane], [(2, (7, 7), True), (4, (14, 14), False), (4, (9, 33), True)]),
)
def test_epilogues(isa, epilogue, m, size, bias, force):
    force(m)
    graph, inputs, arrays, _ = conv_graph((2, 24, *size), 42, (3, 3), padding=1, bias=bias, epilogue=epilogue)
    plain = ("p",) if epilogue is plane else ()
    check(graph, inputs, arrays, isa=isa, threads=3, borders={**around(1), "r": ((1, 1), (1, 1))}, plain=plain)


WIDE = [row("avx512")]
"""Where products can be taken in pairs."""


@pytest.mark.parametrize("isa", WIDE)
@pytest.mark.parametrize("m", [2, 4])
@pytest.mark.parametrize("c,k,size", [(16, 1, (9, 17)), (32, 40, (7, 7)), (48, 48, (13, 30)), (16, 17, (3, 3)), (64, 96, (28, 28))])
def test_pairs(isa, m, c, k, size, force):
    force(m, by_inner_product=True)
    graph, inputs, arrays, conv = conv_graph((2, c, *size), k, (3, 3), padding=1)
    for threads in (1, 3):
        check(graph, inputs, arrays, isa=isa, threads=threads, borders={**around(1), conv: ((1, 1), (2, 0))})


@pytest.mark.parametrize("isa", WIDE)
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("how", [Organisation(99, 5), Organisation(99, 33), Organisation(0, 3), Organisation(0, 30)])
def test_organisations_of_pairs(isa, threads, how, force):
    force(4, how, by_inner_product=True)
    graph, inputs, arrays, _ = conv_graph((2, 32, 14, 23), 72, (3, 3), padding=1)
    check(graph, inputs, arrays, isa=isa, threads=threads, borders=around(1))


@pytest.mark.parametrize("isa", WIDE)
@pytest.mark.parametrize("epilogue", [add_relu, scale_silu, plane, None])
@pytest.mark.parametrize("bias", [True, False])
def test_epilogues_of_pairs(isa, epilogue, bias, force):
    force(4, by_inner_product=True)
    graph, inputs, arrays, _ = conv_graph((2, 32, 9, 33), 42, (3, 3), padding=1, bias=bias, epilogue=epilogue)
    plain = ("p",) if epilogue is plane else ()
    check(graph, inputs, arrays, isa=isa, threads=3, borders={**around(1), "r": ((1, 1), (1, 1))}, plain=plain)


@pytest.mark.parametrize("isa", WIDE)
@pytest.mark.parametrize("op,epilogue,size", [("mean", add_relu, (7, 7)), ("max", None, (9, 30))])
def test_global_pooling_of_pairs(isa, op, epilogue, size, force):
    force(4, by_inner_product=True)
    graph, inputs, arrays, _ = conv_graph((2, 32, *size), 42, (3, 3), padding=1, epilogue=pooled(op, epilogue))
    check(graph, inputs, arrays, isa=isa, threads=2, borders={**around(1), "r": ((1, 1), (1, 1))})


@pytest.mark.parametrize("isa", WIDE)
@pytest.mark.parametrize(
    "my,mx,kernel,size", [(2, 2, (5, 5), (9, 11)), (1, 4, (1, 7), (5, 17)), (4, 1, (7, 1), (18, 5)), (6, 6, (3, 3), (13, 20))]
)
def test_rectangular_filters_in_pairs(isa, my, mx, kernel, size, force):
    force(my, mx=mx, by_inner_product=True)
    pads = (kernel[0] // 2, kernel[1] // 2)
    graph, inputs, arrays, _ = conv_graph((2, 32, *size), 40, kernel, padding=pads, bias=False)
    assert measured(graph, inputs, arrays, isa, 3, around(*pads)) < bound(my, mx, kernel, 32, True)


@pytest.mark.parametrize("isa", WIDE)
@pytest.mark.parametrize("size_of_x,size_of_w", [(1e-30, 1.0), (1e20, 1.0), (1.0, 1e-20), (1e15, 1e-25), (1e-18, 1e18)])
def test_pairs_of_any_magnitude(isa, size_of_x, size_of_w, force):
    force(4, by_inner_product=True)
    graph, inputs, arrays, _ = conv_graph((1, 32, 16, 16), 32, (3, 3), padding=1, bias=False)
    inputs["x"] *= np.float32(size_of_x)
    arrays["w"] *= np.float32(size_of_w)
    assert measured(graph, inputs, arrays, isa) < bound(4, 4, (3, 3), 32, True)


@pytest.mark.parametrize("isa", WIDE)
def test_pairs_of_small_and_large_tiles(isa, force):
    """Every tile and every output channel has an accuracy of its own; where all is zero, so is the result."""
    force(4, by_inner_product=True)
    graph, inputs, arrays, _ = conv_graph((1, 32, 16, 16), 32, (3, 3), padding=1, bias=False)
    inputs["x"][..., 8:] *= np.float32(1e-10)
    inputs["x"][..., :7, :7] = 0
    arrays["w"] *= np.logspace(-8, 8, 32, dtype=np.float32)[:, None, None, None]
    region = as_region(graph, "dnn", "conv", block=resolve(isa).lanes)
    (got,) = run_region(region, inputs, arrays, isa=isa, borders=around(1))
    want = evaluate(graph, {"x": inputs["x"].astype(np.float64)}, arrays, precision=np.float64)[graph.outputs[0]]
    for part in (np.s_[0, :, 8:, :8], np.s_[0, :, :, 12:]):
        error = np.abs(got[part] - want[part]).max((1, 2)) / np.abs(want[part]).max((1, 2))
        assert error.max() < 2 * bound(4, 4, (3, 3), 32, True)
    assert not got[..., :4, :4].any()


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size", [(5, 9), (30, 31)])
def test_symbolic_sizes(isa, size, force):
    force(4)
    dims = (Dim.symbol("n"), 20, Dim.symbol("h"), Dim.symbol("w"))
    graph, inputs, arrays, _ = conv_graph((3, 20, *size), 40, (3, 3), padding=1, dims=dims)
    check(graph, inputs, arrays, isa=isa, borders=around(1), symbols={"n": 3, "h": size[0], "w": size[1]})


RECTANGLES = [
    # my, mx, kernel, size
    (4, 4, (5, 5), (27, 14)), (2, 2, (5, 5), (9, 11)), (3, 3, (5, 5), (8, 9)), (1, 4, (1, 7), (5, 17)), (4, 1, (7, 1), (18, 5)),
    (3, 1, (7, 1), (17, 4)), (1, 2, (1, 7), (4, 9)), (1, 4, (1, 3), (8, 8)), (4, 1, (3, 1), (9, 3)), (1, 6, (1, 3), (3, 17)),
    (3, 3, (3, 3), (7, 8)), (5, 5, (3, 3), (13, 7)), (2, 2, (2, 2), (9, 6)), (2, 3, (5, 3), (11, 10)), (4, 4, (4, 4), (9, 12)),
]  # fmt: skip


@pytest.mark.parametrize("isa,my,mx,kernel,size", thinned(RECTANGLES))
def test_rectangular_filters(isa, my, mx, kernel, size, force):
    force(my, mx=mx)
    pads = (kernel[0] // 2, kernel[1] // 2)
    graph, inputs, arrays, name = conv_graph((2, 24, *size), 40, kernel, padding=pads)
    borders = {**around(*pads), name: ((1, 1), (2, 0))}
    check(graph, inputs, arrays, isa=isa, threads=3, want=torch_conv(inputs, arrays, padding=pads).numpy(), borders=borders)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size,threads", [(5, 1), (16, 2), (37, 3)])
def test_one_dimension(isa, size, threads, force):
    force(1, mx=4)
    graph, inputs, arrays, _ = conv_graph((2, 20, size), 33, (5,), padding=2)
    want = torch_conv(inputs, arrays, padding=2).numpy()
    check(graph, inputs, arrays, isa=isa, threads=threads, want=want, borders={"x": ((2, 2),)})


@pytest.mark.parametrize("isa", ISAS)
def test_symbolic_sizes_of_rectangles(isa, force):
    force(1, mx=4)
    dims = (Dim.symbol("n"), 20, 6, Dim.symbol("w"))
    graph, inputs, arrays, _ = conv_graph((2, 20, 6, 19), 40, (1, 7), padding=(0, 3), dims=dims)
    check(graph, inputs, arrays, isa=isa, borders=around(0, 3), symbols={"n": 2, "w": 19})


def pooled(op: str, epilogue=None):
    """Global pooling behind a convolution and perhaps more."""

    def apply(b, y, inputs):
        y = epilogue(b, y, inputs) if epilogue else y
        return b.add(op, [y], dims=(2, 3), keepdims=False)

    return apply


@pytest.mark.parametrize(
    "isa,op,epilogue,size,threads", thinned([("mean", add_relu), ("max", None), ("sum", scale_silu)], [((7, 7), 3), ((9, 30), 2)])
)
def test_global_pooling(isa, op, epilogue, size, threads, force):
    force(4)
    graph, inputs, arrays, _ = conv_graph((2, 24, *size), 42, (3, 3), padding=1, epilogue=pooled(op, epilogue))
    check(graph, inputs, arrays, isa=isa, threads=threads, borders={**around(1), "r": ((1, 1), (1, 1))})


MEASURED = [
    *((m, m, (3, 3)) for m in (2, 3, 4, 5, 6)), (2, 2, (5, 5)), (4, 4, (5, 5)), (1, 4, (1, 7)), (1, 3, (1, 7)), (6, 1, (3, 1)),
]  # fmt: skip


@pytest.mark.parametrize("my,mx,kernel", MEASURED)
@pytest.mark.parametrize("c,positive", [
    (16, False), (64, True), (256, False),
    *(pytest.param(c, positive, marks=pytest.mark.conformance) for c, positive in ((16, True), (64, False), (256, True))),
])  # fmt: skip
@pytest.mark.parametrize("by_inner_product", [False, True])
def test_error_is_within_its_bound(my, mx, kernel, c, positive, by_inner_product, force):
    force(my, mx=mx, by_inner_product=by_inner_product)
    pads = (kernel[0] // 2, kernel[1] // 2)
    graph, inputs, arrays, _ = conv_graph((1, c, 21, 24), 32, kernel, padding=pads, bias=False)
    if positive:
        inputs["x"] = np.maximum(inputs["x"], 0)
    isa = "avx512" if by_inner_product else ISAS[0]
    target_of(isa)
    assert measured(graph, inputs, arrays, isa, borders=around(*pads)) < bound(my, mx, kernel, c, by_inner_product)


@pytest.mark.parametrize("isa,by_inner_product", [*((isa, False) for isa in ISAS), row("avx512", True)])
def test_infinity_and_nan_stay_near_and_are_not_lost(isa, by_inner_product, force):
    """Direct convolution's outputs that are not finite are not finite; those of other tiles are not touched."""
    force(4, by_inner_product=by_inner_product)
    graph, inputs, arrays, _ = conv_graph((1, 16, 16, 16), 16, (3, 3), padding=1, epilogue=lambda b, y, _: b.add("relu", [y]))
    inputs["x"][0, 3, 5, 5], inputs["x"][0, 4, 13, 13] = np.nan, np.inf
    region = as_region(graph, "dnn", "conv", block=resolve(isa).lanes)
    (got,) = run_region(region, inputs, arrays, isa=isa, borders=around(1))
    want = np.maximum(torch_conv(inputs, arrays, padding=1).numpy(), 0)
    assert np.isnan(got[0, :, 4:7, 4:7]).all() and not np.isfinite(got[~np.isfinite(want)]).any()
    assert np.isfinite(got[0, :, :4]).all() and np.isfinite(got[0, :, :8, 8:]).all() and np.isfinite(got[0, :, 8:, :8]).all()


def conv(c: int, k: int, h: int, w: int, kernel: tuple[int, int] = (3, 3), n: int = 1) -> Conv:
    pads = (kernel[0] // 2, kernel[1] // 2)
    return Conv(None, n, c, k, h, w, h, w, kernel, (1, 1), (1, 1), pads, pads, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "c,size,kernel,error,name",
    [
        (64, 56, (3, 3), 1e-5, "f4"),
        (64, 224, (3, 3), 1e-5, "f5"),
        (256, 14, (3, 3), 1e-5, "f2"),
        (512, 14, (3, 3), 1e-5, "f2"),
        (512, 7, (3, 3), 1e-5, "f2"),  # the weights of larger tiles take longer to fetch
        (512, 7, (3, 3), 0.0, ""),
        (64, 56, (3, 3), 1e-6, "f4"),
        (512, 1, (3, 3), 1e-5, ""),
        (48, 35, (5, 5), 1e-5, "f5"),
        (128, 17, (1, 7), 1e-5, "f1x4"),
        (128, 17, (7, 1), 1e-5, "f4x1"),
        (384, 8, (1, 3), 1e-5, "f1x3"),
    ],
)
def test_choice(c, size, kernel, error, name):
    grid = choose_grid(conv(c, c, size, size, kernel), by_name("avx512"), error)
    assert (grid.name if grid else "") == name


@pytest.mark.parametrize("size,m", [(14, 4), (7, 4), (13, 4), (9, 3), (3, 4), (8, 5)])
def test_shorter_tiles_save_products(size, m):
    grid = make_grid(conv(16, 16, size, size), m, m)
    rest = shorter(size % m, m, 3).n if size % m else 0
    along = size // m * winograd(m).n + rest
    assert grid.transformed == along**2 < (grid.tiles * winograd(m).n ** 2 if size % m else along**2 + 1)
    assert sum(count for _, count in grid.counts()) == grid.products


def test_costs_of_the_variants_are_ordered():
    shape, target = conv(64, 64, 56, 56), by_name("avx512")
    best, *others = allowed_grids(shape, target, 1e-5)
    costs = [winograd_cost(shape, target, g) for g in others]
    assert costs == sorted(costs) and winograd_cost(shape, target, best) < target.machine.winograd.alike * costs[0]
    assert winograd_cost(shape, target, best) < direct_cost(shape, target) / 2


@pytest.mark.parametrize("isa", ["avx512", "avx2", "neon", "generic"])
@pytest.mark.parametrize("vectors", [1, 2, 3, 4, 5, 9, 11, 32])
@pytest.mark.parametrize("counts", [(), (9, 12, 16), (4, 6, 9)])
@pytest.mark.parametrize("steps", [0, 4])
def test_products_cover_any_number_of_tiles(isa, vectors, counts, steps):
    target = by_name(isa)
    if steps and target.lanes != inner_product.LANES:
        return
    tile = products(target, vectors, counts, steps)
    assert tile.ocb * tile.widths[0] + tile.ocb + 1 <= target.registers
    for tiles in range(1, 100):
        left = tiles
        while left > 0:
            left -= tile.first[left] if left < len(tile.first) else tile.widths[0]
        assert -left <= tile.slack < tile.widths[0]
        assert tile.cost(tiles) >= tiles * tile.ocb * (1 - inner_product.PAIRS / inner_product.LANES if steps else 1)


def test_packed_weights():
    w = random((40, 21, 3, 5))
    packed = packed_weight(make_pack("winograd_panels", lanes=8, vectors=2, my=4, mx=2), w)
    assert packed.shape == (3, 49, 24, 16) and packed.dtype == np.float32
    gy, gx = (np.array([[float(x) for x in row] for row in winograd(m, r).g]) for m, r in ((4, 3), (2, 5)))
    np.testing.assert_allclose(packed[1, :, 5, 3].reshape(7, 7), gy @ w[19, 5].astype(np.float64) @ gx.T, rtol=1e-5, atol=1e-6)
    assert not packed[2, :, :, 8:].any() and not packed[:, :, 21:].any()


def test_packed_pairs():
    w = random((17, 32, 3, 3))
    w[3] = 0
    packed = packed_weight(make_pack("winograd_inner_product", my=4, mx=4), w)
    assert packed.shape == (2, 49, (32 + inner_product.BEHIND) * 16) and packed.dtype == np.float32
    g = np.array([[float(x) for x in row] for row in winograd(4, 3).g])
    weights, subtracted, factor = packed[..., : 32 * 16].reshape(2, 49, 2, 16, 16), packed[..., -48:-32], packed[..., -32:-16]
    got = (weights[1, :, 1, 5, 0] * factor[1, :, 0]).reshape(7, 7) * padded_scales(w)[21]
    np.testing.assert_allclose(got, g @ w[16, 21].astype(np.float64) @ g.T, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(subtracted, (weights[:, :, :, :5] * weights[:, :, :, 8:13]).sum((2, 3)), rtol=1e-4, atol=1e-3)
    assert (packed[..., -16:].max(1) == packed[..., -16:].min(1)).all()
    assert not packed[0, :, :-32].reshape(49, -1, 16)[..., 3].any() and np.isfinite(packed).all()


def test_pairs_are_taken_where_additions_have_units_of_their_own():
    target = by_name("avx512")
    shapes = [conv(c, c, 14, 14) for c in (256, 24)]
    assert [choose_grid(shape, target, 1e-5).by_inner_product for shape in shapes] == [False, False]
    assert [choose_grid(shape, replace(target, machine=ZEN4), 1e-5).by_inner_product for shape in shapes] == [True, False]


def test_a_bound_of_zero_keeps_direct_convolution():
    graph, inputs, arrays, _ = conv_graph((1, 32, 8, 8), 32, (3, 3), padding=1)
    inputs["x"][0, 0, 0, 0] = np.inf
    region = as_region(graph, "dnn", "conv", block=resolve(ISAS[0]).lanes)
    with config.override(conv_max_error=0):
        (got,) = run_region(region, inputs, arrays, isa=ISAS[0], borders=around(1))
    assert np.isinf(got[0, :, :2, :2]).all() and np.isfinite(got[0, :, 2:, 2:]).all()


@pytest.mark.parametrize("images,channels,size", [(16, 256, 14), (16, 512, 7)])
def test_filters_that_change_at_each_call_are_transformed_to_fewer_numbers(images, channels, size):
    target, layer = by_name("avx512"), replace(conv(channels, channels, size, size, (3, 3)), n=images)
    once, again = choose_grid(layer, target, 1e-5), choose_grid(layer, replace(target, repacks=True), 1e-5)
    assert again is not None and again.products < once.products


def test_a_large_map_pays_for_transforming_filters_at_each_call():
    layer = replace(conv(64, 64, 112, 112, (3, 3)), n=16)
    assert choose_grid(layer, replace(by_name("avx512"), repacks=True), 1e-5) == choose_grid(layer, by_name("avx512"), 1e-5) is not None
