"""Winograd's inner product in other kernels than its own: Strassen's algorithm, depthwise chains, 1x1 convolutions of selected channels.

Against the float64 interpreter, wherever this machine has vectors of 16 lanes.
"""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen import kernels
from sol.codegen.kernels import conv_chain, conv_selected, conv_strassen, pairs, strassen_model
from sol.codegen.packing import apply_pack, make_pack
from sol.codegen.targets import by_name
from sol.ir.interpret import evaluate
from tests.codegen.conv_cases import ISAS, check, conv_graph, random
from tests.codegen.test_conv_chain import Block, block_graph
from tests.codegen.test_conv_direct import add_relu, plane, scale_silu
from tests.codegen.test_conv_selected import case, divide, lowering_of, residual, shuffled
from tests.harness import as_region, run_region

pytestmark = pytest.mark.skipif("avx512" not in ISAS, reason="no vectors of 16 lanes here")


def only(monkeypatch, candidate: kernels.Candidate) -> None:
    """This candidate wherever it is possible; there is none other to fall back to."""
    always = kernels.Candidate(candidate.name, candidate.can or candidate.when, candidate.lower)
    monkeypatch.setattr(kernels, "candidates", lambda _: (always,))


@pytest.fixture(params=[1, 2])
def strassen(monkeypatch, request):
    """Strassen's algorithm with paired products, and its levels."""
    monkeypatch.setattr(strassen_model, "PAIRED_LEVELS", (request.param,))
    found = conv_strassen.read_choices
    monkeypatch.setattr(conv_strassen, "read_choices", lambda lowering: [c for c in found(lowering) if c.paired])
    only(monkeypatch, conv_strassen.CANDIDATES[0])
    return request.param


@pytest.fixture
def selected(monkeypatch):
    only(monkeypatch, conv_selected.CANDIDATES[0])


@pytest.fixture
def chain(monkeypatch):
    monkeypatch.setattr(conv_chain, "is_paired", lambda conv, target: True)


@pytest.mark.parametrize("size,threads", [((2, 4), 1), ((8, 8), 2), ((14, 14), 3), ((4, 40), 2), ((12, 28), 5)])
@pytest.mark.parametrize("kernel,stride,padding", [((1, 1), 1, 0), ((3, 3), 1, 1), ((3, 3), 2, 1), ((1, 1), 2, 0)])
def test_strassen_shapes(size, threads, kernel, stride, padding, strassen):
    size = tuple(s * stride for s in size)
    graph, inputs, arrays, _ = conv_graph((1, 64, *size), 128, kernel, stride=stride, padding=padding)
    check(graph, inputs, arrays, isa="avx512", threads=threads, borders={"x": ((padding, padding),) * 2})


@pytest.mark.parametrize("tail", [None, add_relu, scale_silu, plane])
@pytest.mark.parametrize("bias,threads", [(True, 2), (False, 3)])
def test_strassen_tails(tail, bias, threads, strassen):
    graph, inputs, arrays, _ = conv_graph((4, 64, 8, 12), 64, (1, 1), bias=bias, tail=tail)
    around = {"r": ((1, 1), (2, 0))} if tail is add_relu else {}
    check(graph, inputs, arrays, isa="avx512", threads=threads, borders=around, plain=("p",) if tail is plane else ())


@pytest.mark.parametrize("c", [64, 256, 1024])
@pytest.mark.parametrize("relu", [False, True])
def test_strassen_error_stays_below_its_bound(c, relu, strassen):
    graph, inputs, arrays, _ = conv_graph((1, c, 8, 14), 64, (1, 1), bias=False)
    if relu:
        inputs["x"] = np.maximum(inputs["x"], 0)
    (got,) = run_region(as_region(graph, "dnn", "conv", block=16), inputs, arrays, isa="avx512", threads=2)
    want = evaluate(graph, {n: v.astype(np.float64) for n, v in inputs.items()}, arrays, precision=np.float64)[graph.outputs[0]]
    assert np.abs(got - want).max() / np.abs(want).max() < strassen_model.max_error(strassen, c, True)


def test_strassen_weights_are_sums_scaled_by_powers_of_two():
    w = random((64, 64, 3, 3), 5)
    packed = apply_pack(make_pack("strassen_pairs", levels=1), w)
    assert packed.shape == (2, 7, (32 * 9 + 2) * 16)
    parts = w.reshape(2, 2, 16, 2, 2, 16, 9)  # [panel][output part][channel][input part][block][channel][tap]
    want = (parts[1, 0, :, 0].astype(np.float64) + parts[1, 1, :, 1]).transpose(1, 3, 2, 0)  # the first product adds both diagonal parts
    body, factor = packed[1, 0, : -2 * 16].reshape(want.shape), packed[1, 0, -16:]
    np.testing.assert_allclose(np.abs(body) * factor, np.abs(want), rtol=1e-6)


@pytest.mark.parametrize("sizes,count,k", [
    ((3,), 3, 8), ((8,), 5, 15), ((16, 8), 16, 16), ((15, 9), 17, 17), ((33, 5, 8), 31, 33), ((24, 24, 24), 32, 31), ((58,) * 4, 58, 58),
    ((122, 122), 122, 122), ((6,) * 9, 27, 24),
])  # fmt: skip
def test_selected_channels(sizes, count, k, selected):
    graph, inputs, arrays = case(sizes, shuffled(sizes, count), k)
    check(graph, inputs, arrays, isa="avx512")


@pytest.mark.parametrize("index", [range(32), range(31, -1, -1), range(1, 32, 2), [25]])
def test_selected_orders(index, selected):
    graph, inputs, arrays = case((20, 12), index, 24)
    check(graph, inputs, arrays, isa="avx512")


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("size", [(1, 1), (7, 7), (14, 14), (5, 9), (1, 31)])
@pytest.mark.parametrize("n", [1, 3])
def test_selected_maps_and_teams(size, threads, n, selected):
    graph, inputs, arrays = case((24, 17), shuffled((24, 17), 33), 40, size, n=n)
    check(graph, inputs, arrays, isa="avx512", threads=threads)


@pytest.mark.parametrize("tail", [None, residual, divide], ids=["none", "residual", "divide"])
@pytest.mark.parametrize("where", ["result", "operands", "one"])
def test_selected_tails_and_borders(tail, where, selected):
    graph, inputs, arrays = case((9, 30), shuffled((9, 30), 21), 23, (5, 9), n=2, tail=tail, bias=tail is not None)
    border = ((1, 2), (1, 1))
    borders = {"result": {graph.outputs[0]: border}, "operands": {"x0": border, "x1": border}, "one": {"x1": border}}[where]
    check(graph, inputs, arrays, isa="avx512", threads=3, borders=borders)


def test_selected_neighbours_are_not_read(selected):
    graph, inputs, arrays = case((16,), range(1, 16), 16, (4, 4), tail=None)
    inputs["x0"][0, 0] = np.nan
    assert np.isfinite(check(graph, inputs, arrays, isa="avx512")).all()


def test_channels_that_are_selected_twice_are_left_to_others():
    target = by_name("avx512")
    once, twice = (lowering_of(case((20, 12), index, 24)[0], target) for index in (range(32), [*range(32), 3]))
    assert conv_selected.CANDIDATES[0].is_possible(once) and not conv_selected.CANDIDATES[0].is_possible(twice)


@pytest.mark.parametrize("block", [
    Block((1, 24, 14, 14), (24, 40), expand=False),
    Block((2, 16, 9, 11), (96, 24), residual=False),
    Block((1, 20, 28, 28), (58, 58), stride=2),
    Block((1, 40, 7, 23), (122, 40), residual=True, act="clamp"),
    Block((3, 33, 5, 5), (33, 17), kernel=5, expand=False, bias=False),
])  # fmt: skip
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_chains(block, threads, chain):
    graph, inputs, arrays = block_graph(block)
    pads = block.pads if not block.expand else ((0, 0), (0, 0))
    check(graph, inputs, arrays, isa="avx512", threads=threads, borders={"x": pads}, anchor="conv_chain")


@pytest.mark.parametrize("channels", range(1, 17))
@pytest.mark.parametrize("pixels", [1, 7, 22])
def test_a_step_multiplies_each_channel_once(channels, pixels):
    """Read off the instructions: pairs and direct channels of every pixel, and what is left for later."""
    direct = pairs.direct_channels(channels)
    left = min(pairs.LEFT, len(direct))
    lines = pairs.assembly(pixels, left, channels)
    products = [line for line in lines if line.startswith("vfmadd231ps")]
    assert len(products) == pixels * (pairs.pairs_of(channels) + len(direct) - left)
    assert sum(line.startswith("vaddps") for line in lines) == 2 * pixels * pairs.pairs_of(channels)
    paired = range(pairs.pairs_of(channels))
    assert sorted([*paired, *(j + 8 for j in paired), *direct]) == list(range(channels))
    assert all(sum(line.endswith(f"%[a{p}]") for line in products) == len(products) // pixels for p in range(pixels))
