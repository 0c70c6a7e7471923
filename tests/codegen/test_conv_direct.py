"""Direct convolution in NCHWc against the interpreter and torch, on every ISA of this machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from sol.codegen.kernels import conv_direct
from sol.codegen.packing import make_pack
from sol.codegen.targets import by_name
from sol.config import config
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.types import DType, TensorType
from sol.runtime.packers import packed as packed_weight
from tests import harness
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import ISAS, check, conv_graph, random, torch_conv


@pytest.fixture(autouse=True)
def no_winograd():
    with config.override(conv_max_error=0):
        yield


def around(padding: int, extra: int = 0) -> dict[str, tuple]:
    return {"x": ((padding + extra, padding), (padding, padding + extra))}


@pytest.mark.parametrize(
    "isa,c,k,kernel,stride,padding,dilation",
    thinned(
        [(1, 1), (7, 8), (15, 17), (33, 40), (64, 96)],
        [(1, 1, 0, 1), (3, 1, 1, 1), (3, 2, 1, 1), (1, 2, 0, 1), (5, 1, 4, 2)],
    ),
)
def test_shapes(isa, c, k, kernel, stride, padding, dilation):
    options = dict(stride=stride, padding=padding, dilation=dilation)
    graph, inputs, arrays, _ = conv_graph((2, c, 9, 17), k, (kernel, kernel), **options)
    want = torch_conv(inputs, arrays, **options).numpy()
    check(graph, inputs, arrays, isa=isa, threads=2, want=want, borders=around(padding, 1))


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize(
    "size,threads",
    [((1, 1), 1), ((2, 2), 3), ((7, 7), 2), ((4, 4), 5), ((3, 5), 3), ((14, 14), 3), ((35, 35), 2), ((8, 29), 5)],
)
def test_maps_and_teams(isa, threads, size):
    graph, inputs, arrays, conv = conv_graph((1, 32, *size), 80, (3, 3), padding=1)
    check(graph, inputs, arrays, isa=isa, threads=threads, borders={**around(1), conv: ((1, 1), (2, 0))})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size,batch,threads", [((1, 1), 2, 3), ((7, 7), 1, 3), ((13, 13), 2, 1), ((14, 28), 1, 2)])
def test_flat_pointwise_convolution(isa, threads, size, batch):
    graph, inputs, arrays, _ = conv_graph((batch, 40, *size), 48, (1, 1))
    check(graph, inputs, arrays, isa=isa, threads=threads)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("c,size,threads", [(1, (1, 1), 1), (17, (7, 7), 2), (40, (13, 13), 3), (64, (14, 28), 2)])
def test_inputs_beyond_the_caches_are_fetched_ahead(isa, c, size, threads, monkeypatch):
    target, decided, decide = harness.target_of(isa), [], conv_direct._streams
    small = replace(target, machine=target.machine.with_caches(64, 64))
    monkeypatch.setattr(harness, "target_of", lambda name: small)
    monkeypatch.setattr(conv_direct, "_streams", lambda way, target: decided.append(decide(way, target)) or decided[-1])
    graph, inputs, arrays, _ = conv_graph((2, c, *size), 48, (1, 1))
    check(graph, inputs, arrays, isa=isa, threads=threads, want=torch_conv(inputs, arrays).numpy())
    assert decided == [4 * 2 * c * size[0] * size[1] > 64 * small.team]


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("c,k,groups", [(32, 32, 2), (64, 96, 2), (96, 48, 3), (64, 128, 4)])
def test_groups_of_whole_vectors(isa, c, k, groups):
    graph, inputs, arrays, _ = conv_graph((1, c, 6, 10), k, (3, 3), padding=1, groups=groups)
    want = torch_conv(inputs, arrays, padding=1, groups=groups).numpy()
    check(graph, inputs, arrays, isa=isa, threads=3, want=want, borders=around(1))


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size", [20, 1])
def test_one_dimension(isa, size):
    graph, inputs, arrays, _ = conv_graph((2, 17, size), 33, (3,), padding=1)
    want = torch_conv(inputs, arrays, padding=1).numpy()
    check(graph, inputs, arrays, isa=isa, want=want, borders={"x": ((1, 1),)})


def add_relu(b: GraphBuilder, y: str, inputs: dict) -> str:
    shape = b.type_of(y).shape
    inputs["r"] = random(tuple(int(s) for s in shape), 7)
    return b.add("relu", [b.add("add", [y, b.input("r", TensorType(DType.F32, shape))])])


def scale_silu(b: GraphBuilder, y: str, inputs: dict) -> str:
    """A gate per image and channel, then an expensive function."""
    shape = b.type_of(y).shape
    inputs["g"] = random((shape[0], shape[1], 1, 1), 8)
    return b.add("silu", [b.add("mul", [y, b.input("g", TensorType(DType.F32, (shape[0], shape[1], 1, 1)))])])


def divide(b: GraphBuilder, y: str, inputs: dict) -> str:
    """Not finite in the lanes beyond the channels unless they are masked."""
    shape = b.type_of(y).shape
    inputs["d"] = np.abs(random((1, shape[1], 1, 1), 9)) + np.float32(0.5)
    return b.add("div", [y, b.input("d", TensorType(DType.F32, (1, shape[1], 1, 1)))])


def plane(b: GraphBuilder, y: str, inputs: dict) -> str:
    """One value per row, broadcast over channels and columns."""
    shape = b.type_of(y).shape
    inputs["p"] = random((1, 1, shape[2], 1), 9)
    return b.add("add", [y, b.input("p", TensorType(DType.F32, (1, 1, shape[2], 1)))])


@pytest.mark.parametrize(
    "isa,epilogue,size,kernel,bias",
    thinned([add_relu, scale_silu, divide, plane], [((7, 7), 3, True), ((14, 14), 1, False), ((9, 33), 1, True)]),
)
def test_epilogues(isa, epilogue, size, kernel, bias):
    graph, inputs, arrays, _ = conv_graph(
        (2, 24, *size), 42, (kernel, kernel), padding=kernel // 2, bias=bias, epilogue=epilogue
    )
    plain = ("p",) if epilogue is plane else ()
    borders = {**around(kernel // 2), **({"r": ((1, 1), (1, 1))} if kernel == 3 else {})}
    check(graph, inputs, arrays, isa=isa, threads=3, borders=borders, plain=plain)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size", [(5, 9), (30, 31)])
def test_symbolic_sizes(isa, size):
    dims = (Dim.symbol("n"), 20, Dim.symbol("h"), Dim.symbol("w"))
    graph, inputs, arrays, _ = conv_graph((3, 20, *size), 40, (3, 3), padding=1, dims=dims)
    check(graph, inputs, arrays, isa=isa, borders=around(1), symbols={"n": 3, "h": size[0], "w": size[1]})


@pytest.mark.parametrize("isa", ISAS)
def test_symbolic_height(isa):
    graph, inputs, arrays, _ = conv_graph((1, 20, 9, 3), 40, (3, 3), padding=1, dims=(1, 20, Dim.symbol("h"), 3))
    check(graph, inputs, arrays, isa=isa, borders=around(1), symbols={"h": 9})


@pytest.mark.parametrize("isa", ISAS)
def test_nan_and_infinity_pass(isa):
    graph, inputs, arrays, _ = conv_graph((1, 16, 5, 5), 16, (1, 1), epilogue=lambda b, y, _: b.add("relu", [y]))
    inputs["x"][0, 3, 2, 2], inputs["x"][0, 4, 1, 1] = np.nan, np.inf
    want = torch.relu(torch_conv(inputs, arrays)).numpy()
    got = check(graph, inputs, arrays, isa=isa, want=want)
    assert np.isnan(got[0, :, 2, 2]).all()


@pytest.mark.parametrize("isa", ["avx512", "avx2", "neon", "generic"])
@pytest.mark.parametrize("vectors", [1, 2, 5])
@pytest.mark.parametrize("size", [(1, 1), (2, 2), (7, 7), (14, 14), (35, 35), (1, 49), (112, 112)])
@pytest.mark.parametrize("flat", [False, True])
def test_tilings_cover_the_map_and_fit_the_registers(isa, vectors, size, flat):
    target = by_name(isa)
    tiling = conv_direct.choose_tiling(target, vectors, *size, flat=flat)
    height, width = (1, size[0] * size[1]) if flat else size
    th, tw = tiling.tiles[0]
    assert tiling.ocb * th * tw + tiling.ocb + 1 <= target.registers
    axis, whole = (0, height) if tiling.along_y else (1, width)
    left = whole % tiling.tiles[0][axis]
    for tile in tiling.tiles[1:]:
        left %= tile[axis]
    assert left == 0 and (width % tw == 0 or not tiling.along_y) and (height % th == 0 or tiling.along_y)


@pytest.mark.parametrize("k,c,vectors,groups", [(40, 21, 2, 1), (16, 16, 1, 1), (96, 32, 2, 2), (80, 3, 4, 1)])
def test_packed_weights(k, c, vectors, groups):
    w = random((k, c, 3, 2))
    packed = packed_weight(make_pack("conv_panels", lanes=8, vectors=vectors, groups=groups), w)
    per_group, at = k // groups, 0
    rows = -(-per_group // 8)
    for group in range(groups):
        for first in range(0, rows, vectors):
            width = min(vectors, rows - first)
            for block in range(0, c, 8):
                channels = min(8, c + c % 2 - block)
                part = packed[at : at + 6 * channels * width * 8].reshape(3, 2, channels, width * 8)
                at += part.size
                for i in range(channels):
                    for o in range(width * 8):
                        row = first * 8 + o
                        inside = row < per_group and block + i < c
                        want = w[group * per_group + row, block + i] if inside else np.zeros((3, 2), np.float32)
                        np.testing.assert_array_equal(part[:, :, i, o], want)
    assert at == packed.size
