"""Winograd's inner product in other kernels than its own: depthwise chains, 1x1 convolutions of selected channels.

Against the float64 interpreter, wherever this machine has vectors of 16 lanes.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from sol.codegen import targets
from sol.codegen.decision import Candidate
from sol.codegen.kernels import conv_chain, conv_inner_product, families, inner_product
from sol.codegen.machines import ZEN4, ZEN5
from sol.codegen.render import environment
from sol.codegen.targets import by_name
from tests.codegen.conv_cases import check, forced
from tests.codegen.test_conv_chain import Block, block_graph
from tests.codegen.test_conv_selected import case, divide, lowering_of, residual, shuffled


def only(monkeypatch, candidate: Candidate) -> None:
    """This candidate wherever it is possible; there is none other to fall back to."""
    monkeypatch.setattr(families, "candidates", lambda _: (forced(candidate),))


@pytest.fixture(params=[ZEN4, ZEN5], ids=["one vector", "two vectors"])
def selected(request, monkeypatch):
    monkeypatch.setattr(targets, "TARGETS", dict(targets.TARGETS, avx512=replace(targets.TARGETS["avx512"], machine=request.param)))
    only(monkeypatch, conv_inner_product.CANDIDATES[0])


@pytest.fixture(params=[ZEN4, ZEN5], ids=["one vector", "two vectors"])
def chain(request, monkeypatch):
    monkeypatch.setattr(targets, "TARGETS", dict(targets.TARGETS, avx512=replace(targets.TARGETS["avx512"], machine=request.param)))
    monkeypatch.setattr(conv_chain, "uses_inner_product", lambda conv, target: True)


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


@pytest.mark.parametrize("epilogue", [None, residual, divide], ids=["none", "residual", "divide"])
@pytest.mark.parametrize("where", ["result", "operands", "one"])
def test_selected_epilogues_and_borders(epilogue, where, selected):
    graph, inputs, arrays = case((9, 30), shuffled((9, 30), 21), 23, (5, 9), n=2, epilogue=epilogue, bias=epilogue is not None)
    border = ((1, 2), (1, 1))
    borders = {"result": {graph.outputs[0]: border}, "operands": {"x0": border, "x1": border}, "one": {"x1": border}}[where]
    check(graph, inputs, arrays, isa="avx512", threads=3, borders=borders)


def test_selected_neighbours_are_not_read(selected):
    graph, inputs, arrays = case((16,), range(1, 16), 16, (4, 4), epilogue=None)
    inputs["x0"][0, 0] = np.nan
    assert np.isfinite(check(graph, inputs, arrays, isa="avx512")).all()


def test_channels_that_are_selected_twice_are_left_to_others():
    target = by_name("avx512")
    once, twice = (lowering_of(case((20, 12), index, 24)[0], target) for index in (range(32), [*range(32), 3]))
    assert conv_inner_product.read_way(once) is not None and conv_inner_product.read_way(twice) is None


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
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("pixels", [1, 7, 10])
def test_a_step_of_two_vectors_loads_each_number_once(channels: int, plain: bool, pixels: int) -> None:
    """Read off the instructions: both vectors multiply what is broadcast once, in registers that hold nothing else."""
    context = inner_product.context(channels)
    wide, step = context["wide"], context["last"]
    left, pairs = len(wide["left"]), 0 if plain else inner_product.pairs_of(channels)
    macros = environment().get_template("inner_product.c.j2").make_module({"inner_product": context})
    text = str(macros.wide_assembly(2, pixels, step, left, (), plain, 512))
    lines = [line.strip().removeprefix('"').removesuffix('\\n\\t"') for line in text.splitlines()]
    assert sum(line.startswith("vbroadcastss") for line in lines) == pixels * (channels - left)
    assert sum(line.startswith("vmovups") for line in lines) == 2 * (channels - left)
    assert sum(line.startswith("vaddps") for line in lines) == 2 * 2 * pixels * pairs
    products = [line for line in lines if line.startswith("vfmadd231ps")]
    assert len(products) == 2 * pixels * (channels - left - pairs)
    assert all(sum(line.endswith(f"%[a{p}]") for line in products) == len(products) // (2 * pixels) for p in range(2 * pixels))
    registers = {int(number) for line in lines for number in re.findall(r"zmm(\d+)", line)}
    assert registers <= set(range(wide["most"], 32)) and wide["most"] >= 2 * pixels
    assert sum(line.startswith("prefetcht0") for line in lines) == wide["fetches"]


@pytest.mark.parametrize("channels", range(1, 17))
@pytest.mark.parametrize("pixels", [1, 7, 22])
def test_a_step_multiplies_each_channel_once(channels, pixels):
    """Read off the instructions: pairs and direct channels of every pixel, and what is left for later."""
    direct = inner_product.direct_channels(channels)
    left = min(inner_product.LEFT, len(direct))
    context = inner_product.context(channels)
    macros = environment().get_template("inner_product.c.j2").make_module({"inner_product": context})
    lines = [line.strip().removeprefix('"').removesuffix('\\n\\t"') for line in macros.assembly(pixels, context["last"], left).splitlines()]
    products = [line for line in lines if line.startswith("vfmadd231ps")]
    assert len(products) == pixels * (inner_product.pairs_of(channels) + len(direct) - left)
    assert sum(line.startswith("vaddps") for line in lines) == 2 * pixels * inner_product.pairs_of(channels)
    paired = range(inner_product.pairs_of(channels))
    assert sorted([*paired, *(j + 8 for j in paired), *direct]) == list(range(channels))
    assert all(sum(line.endswith(f"%[a{p}]") for line in products) == len(products) // pixels for p in range(pixels))
