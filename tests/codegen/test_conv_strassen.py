"""Strassen's convolution against the float64 interpreter and torch on every ISA of this machine; its algorithm in exact numbers."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen import kernels
from sol.codegen.kernels import conv_direct, conv_strassen, strassen_model
from sol.codegen.kernels.conv_shape import Conv
from sol.codegen.kernels.strassen_model import Split, max_error
from sol.codegen.kernels.strassen_products import PARTS, PRODUCTS, schedule, slots, stores
from sol.codegen.targets import by_name, resolve
from sol.config import KNOBS, config
from sol.ir.interpret import evaluate
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import check, conv_graph, torch_conv
from tests.codegen.test_conv_direct import add_relu, divide, plane, scale_silu
from tests.harness import as_region, run_region


@pytest.fixture(autouse=True)
def allowed():
    with config.override(conv_max_error=strassen_model.ALLOWED_FROM):
        yield


@pytest.fixture
def force(monkeypatch):
    """Take it wherever parts are whole."""
    monkeypatch.setattr(conv_strassen, "relative_cost", lambda *a: 0.0)


@pytest.fixture
def served(monkeypatch):
    """Number of convolutions that were computed this way."""
    calls = []
    emitted = conv_strassen._steps
    monkeypatch.setattr(conv_strassen, "_steps", lambda *a: calls.append(1) or emitted(*a))
    return calls


def test_the_algorithm_is_a_matrix_product():
    assert len(PRODUCTS) == 7
    rng = np.random.default_rng(0)
    a, b = rng.integers(-9, 9, (2, PARTS, PARTS))
    got = np.zeros((PARTS, PARTS), np.int64)
    for p in PRODUCTS:
        value = sum(s * a[i] for i, s in p.inputs.items()) * sum(s * b[i] for i, s in p.weights.items())
        for i, s in p.outputs.items():
            got[i] += s * value
    assert (got == a @ b).all()


def test_each_product_completes_at_most_one_part():
    last = {q: i for i, p in enumerate(PRODUCTS) for q in p.outputs}
    assert len(set(last.values())) == len(last) == PARTS**2


def test_the_schedule_adds_up_to_the_products_outputs():
    values = np.random.default_rng(0).integers(-99, 99, len(PRODUCTS))
    want: dict[tuple[int, int], int] = {}
    held: dict[int, int] = {}
    got = {}
    for value, product, (moves, part) in zip(values, PRODUCTS, schedule(), strict=True):
        for p, sign in product.outputs.items():
            want[p] = want.get(p, 0) + sign * value
        total = value
        for move in moves:
            result = (held[move.source] if move.source >= 0 else 0) + move.sign * total
            if move.to >= 0:
                held[move.to] = result
            else:
                total = result
        if part is not None:
            assert part not in got and moves[-1].to < 0 <= moves[-1].source
            got[part] = total
    assert got == want
    assert max(held) + 1 == slots()
    assert stores() < sum(len(p.outputs) for p in PRODUCTS)


@pytest.mark.parametrize("isa,channels,k,threads", thinned([(1, 2), (2, 2), (3, 4), (2, 12)], [1, 3]))
def test_channels(isa, channels, k, threads, force, served):
    part = resolve(isa).lanes * PARTS
    graph, inputs, arrays, _ = conv_graph((1, channels * part, 8, 10), k * part, (1, 1), tail=add_relu)
    check(graph, inputs, arrays, isa=isa, threads=threads)
    assert served


SHAPES = [
    ((1, 14, 14), 1, 1, 0, 2),
    ((1, 28, 5), 1, 1, 0, 5),
    ((1, 7, 7), 1, 1, 0, 2),
    ((1, 17, 13), 3, 2, 1, 3),
    ((1, 9, 8), 1, 1, 0, 2),
    ((4, 7, 7), 1, 1, 0, 3),
    ((1, 16, 17), 1, 2, 0, 2),
    ((1, 16, 15), 3, 2, 1, 2),
    ((4, 7, 9), 3, 1, 1, 2),
    ((1, 12, 37), 3, 1, 1, 3),
    ((1, 8, 31), 5, 2, 2, 1),
]


@pytest.mark.parametrize("isa,shape,kernel,stride,padding,threads", thinned(SHAPES))
def test_shapes(isa, shape, kernel, stride, padding, threads, force, served, monkeypatch):
    part = resolve(isa).lanes * PARTS
    n, h, w = shape
    graph, inputs, arrays, _ = conv_graph((n, part, h, w), 2 * part, (kernel, kernel), stride=stride, padding=padding, tail=scale_silu)
    borders = {"x": ((padding, padding),) * 2} if padding else {}
    monkeypatch.setattr(kernels, "candidates", lambda _: (*conv_strassen.CANDIDATES, *conv_direct.CANDIDATES))
    check(graph, inputs, arrays, isa=isa, threads=threads, borders=borders)
    assert served


@pytest.mark.parametrize("isa,tail,bias", thinned([divide, plane, scale_silu], [True, False]))
def test_operands_that_all_pixels_share(isa, tail, bias, force, served):
    """Products that complete nothing have no use for them, and must not look for them elsewhere."""
    part = resolve(isa).lanes * PARTS
    graph, inputs, arrays, _ = conv_graph((1, part, 9, 11), 2 * part, (1, 1), bias=bias, tail=tail)
    check(graph, inputs, arrays, isa=isa, threads=2, plain=("p",) if tail is plane else ())
    assert served


def test_without_bias_and_against_torch(force, served):
    lanes = resolve("native").lanes
    graph, inputs, arrays, _ = conv_graph((2, 4 * lanes, 6, 6), 4 * lanes, (1, 1), bias=False)
    check(graph, inputs, arrays, isa="native", want=torch_conv(inputs, arrays).numpy())
    assert served


@pytest.mark.parametrize("c", [128, 512])
def test_error_stays_below_its_bound(c, force, served):
    graph, inputs, arrays, _ = conv_graph((1, c, 4, 28), 128, (1, 1), bias=False)
    region = as_region(graph, "dnn", "conv", block=resolve("native").lanes)
    (got,) = run_region(region, inputs, arrays, isa="native", threads=1)
    double = {n: v.astype(np.float64) for n, v in inputs.items()}
    want = evaluate(graph, double, arrays, precision=np.float64)[graph.outputs[0]]
    assert np.abs(got - want).max() / np.abs(want).max() < max_error(c)
    assert served


@pytest.mark.parametrize(
    "shape,flat,want",
    [
        ((1, 12, 10), True, [Split(1, 1, 60, (0, 60))]),
        ((1, 14, 14), False, [Split(1, 7, 14, (7, 0)), Split(1, 14, 7, (0, 7))]),
        ((4, 7, 8), False, [Split(4, 4, 8, (3, 0), 8 / 7), Split(4, 7, 4, (0, 4))]),
        ((1, 7, 7), True, [Split(1, 1, 25, (0, 24), 50 / 49)]),
        ((1, 1, 1), True, []),
    ],
)
def test_splits(shape, flat, want):
    """Images of a batch are not halves, and one pixel has none."""
    n, h, w = shape
    layer = Conv(None, n, 64, 64, h, w, h, w, (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), 1)
    assert strassen_model.splits(layer, flat) == want


@pytest.mark.parametrize("pixels", [15, 16, 25, 49, 72, 100, 196])
def test_tiles_of_a_long_row_are_about_equally_wide(pixels):
    target = by_name("avx512")
    tiling = strassen_model._tiling(target, 4, Split(1, 1, pixels, (0, pixels)), True)
    assert tiling is not None
    widths = [w for _, w in tiling.tiles]
    assert sum(widths[1:]) == pixels % widths[0]
    assert -(-pixels // widths[0]) == -(-pixels // 14)  # as many as the widest would take
    assert 2 * min(widths) > max(widths)


@pytest.mark.parametrize("error", [0, KNOBS["conv_max_error"].default])
def test_smaller_error_bounds_turn_it_off(error, force, served):
    lanes = resolve("native").lanes
    graph, inputs, arrays, _ = conv_graph((1, 32 * lanes, 14, 14), 32 * lanes, (1, 1))
    with config.override(conv_max_error=error):
        check(graph, inputs, arrays, isa="native")
    assert not served


def test_results_do_not_depend_on_which_thread_is_faster(force, served):
    """Parts of 49 pixels overlap: the shared ones are computed twice and must be written by one thread."""
    graph, inputs, arrays, _ = conv_graph((1, 128, 7, 7), 384, (1, 1), tail=add_relu)
    region = as_region(graph, "dnn", "conv", block=resolve("native").lanes)
    results = [run_region(region, inputs, arrays, isa="native", threads=t)[0] for t in (2, 3, 3, 5, 5, 5, 2, 2)]
    assert all((r == results[0]).all() for r in results)
    assert served
