"""1x1 convolution whose input is made on the way, against the interpreter, on every ISA of this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from sol.codegen.kernels import conv_direct
from sol.codegen.kernels.conv_problem import read_problem
from sol.codegen.kernels.conv_shape import read_conv
from sol.codegen.kernels.conv_tiling import choose_tiling
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.targets import by_name, resolve
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, DimLike
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import ISAS, check, random
from tests.harness import _Placement, as_region

Arrays = dict[str, np.ndarray]
Head = Callable[[GraphBuilder, str, Arrays, Arrays], str]


def channel(b: GraphBuilder, arrays: Arrays, name: str, c: int, seed: int) -> str:
    arrays[name] = random((c, 1, 1), seed)
    return b.parameter(name, TensorType(DType.F32, (c, 1, 1)))


def scale_shift_relu(b: GraphBuilder, x: str, inputs: Arrays, arrays: Arrays) -> str:
    c = int(b.type_of(x).shape[1])
    scaled = b.add("mul", [x, channel(b, arrays, "scale", c, 3)])
    return b.add("relu", [b.add("add", [scaled, channel(b, arrays, "shift", c, 4)])])


def relu(b: GraphBuilder, x: str, inputs: Arrays, arrays: Arrays) -> str:
    return b.add("relu", [x])


def gate(b: GraphBuilder, x: str, inputs: Arrays, arrays: Arrays) -> str:
    """A factor per image and channel, computed elsewhere."""
    shape = (*b.type_of(x).shape[:2], 1, 1)
    inputs["g"] = random(tuple(int(s) for s in shape), 5)
    return b.add("mul", [b.add("silu", [x]), b.input("g", TensorType(DType.F32, shape))])


def reciprocal(b: GraphBuilder, x: str, inputs: Arrays, arrays: Arrays) -> str:
    """Infinite in the lanes beyond the channels unless they are masked."""
    inputs["x"] = np.abs(inputs["x"]) + np.float32(0.5)
    return b.add("reciprocal", [x])


def pooled(head: Head, **changes) -> Head:
    def build(b: GraphBuilder, x: str, inputs: Arrays, arrays: Arrays) -> str:
        attrs = dict(kernel=(2, 2), stride=(2, 2), padding=((0, 0), (0, 0)), ceil_mode=False, count_include_pad=True, divisor=None)
        return b.add("avg_pool", [head(b, x, inputs, arrays)], **{**attrs, **changes})

    return build


def nothing(b: GraphBuilder, x: str, inputs: Arrays, arrays: Arrays) -> str:
    return x


def case(
    x: Sequence[int],
    k: int,
    head: Head,
    *,
    stride: int = 1,
    bias: bool = True,
    residual: bool = False,
    dims: Sequence[DimLike] | None = None,
) -> tuple[Graph, Arrays, Arrays]:
    b = GraphBuilder()
    inputs, arrays = {"x": random(x)}, {"w": random((k, x[1], 1, 1), 1) * np.float32(0.2)}
    data = head(b, b.input("x", TensorType(DType.F32, tuple(dims or x))), inputs, arrays)
    operands = [data, b.parameter("w", TensorType(DType.F32, arrays["w"].shape))]
    if bias:
        arrays["b"] = random((k,), 2)
        operands.append(b.parameter("b", TensorType(DType.F32, (k,))))
    y = b.add("conv", operands, stride=(stride, stride), padding=((0, 0), (0, 0)), dilation=(1, 1), groups=1)
    if residual:
        shape = b.type_of(y).shape
        inputs["r"] = random(tuple(int(s) for s in shape), 7)
        y = b.add("relu", [b.add("add", [y, b.input("r", TensorType(DType.F32, shape))])])
    return b.build([y]), inputs, arrays


def lowering_of(graph: Graph, target) -> Lowering:
    region = as_region(graph, "dnn", "conv", block=target.lanes)
    node = next(n for n in region.nodes if n.op == "region")
    return Lowering(node, _Placement(region, {}, {}, {}), KernelLibrary(), target)


@pytest.mark.parametrize(
    "isa,c,k,head", thinned([(1, 1), (7, 8), (15, 17), (33, 40), (64, 96)], [scale_shift_relu, relu, gate, reciprocal])
)
def test_chains(isa, head, c, k):
    graph, inputs, arrays = case((2, c, 5, 17), k, head, residual=True)
    check(graph, inputs, arrays, isa=isa)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("size", [(1, 1), (2, 2), (7, 7), (14, 14), (3, 29), (28, 28)])
def test_maps_and_teams(isa, size, threads):
    graph, inputs, arrays = case((1, 40, *size), 72, scale_shift_relu)
    check(graph, inputs, arrays, isa=isa, threads=threads)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("threads", [1, 3])
def test_borders(isa, threads):
    """Rows that do not lie one behind the other, in and out."""
    graph, inputs, arrays = case((2, 33, 9, 14), 48, scale_shift_relu)
    check(graph, inputs, arrays, isa=isa, threads=threads, borders={"x": ((1, 1), (2, 0)), graph.outputs[0]: ((1, 1), (1, 2))})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size", [(14, 14), (9, 15)])
def test_stride(isa, size):
    graph, inputs, arrays = case((2, 24, *size), 33, scale_shift_relu, stride=2, bias=False)
    check(graph, inputs, arrays, isa=isa)


@pytest.mark.parametrize(
    "isa,head,size,stride", thinned([nothing, scale_shift_relu, reciprocal], [((14, 14), 1), ((9, 31), 1), ((12, 13), 2)])
)
def test_mean_of_windows(isa, head, size, stride):
    graph, inputs, arrays = case((2, 23, *size), 40, pooled(head), stride=stride)
    check(graph, inputs, arrays, isa=isa)


@pytest.mark.parametrize("isa", ISAS)
def test_windows(isa):
    for changes in (dict(kernel=(3, 2), stride=(1, 2)), dict(divisor=3), dict(kernel=(1, 1), stride=(2, 2))):
        graph, inputs, arrays = case((1, 17, 8, 9), 24, pooled(relu, **changes))
        check(graph, inputs, arrays, isa=isa)


@pytest.mark.parametrize("isa", ISAS)
def test_symbolic_batch_and_size(isa):
    batch, height = Dim.symbol("N", 1, 8), Dim.symbol("H", 1, 64)
    graph, inputs, arrays = case((3, 17, 9, 14), 40, scale_shift_relu, dims=(batch, 17, height, 14))
    check(graph, inputs, arrays, isa=isa, symbols={"N": 3, "H": 9})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("threads", [1, 2])
def test_several_strips(isa, threads, monkeypatch):
    monkeypatch.setattr(conv_direct, "strip_tiles", lambda target, conv, tiling: 3)
    graph, inputs, arrays = case((2, 40, 11, 29), 72, scale_shift_relu)
    check(graph, inputs, arrays, isa=isa, threads=threads)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size", [(7, 7), (1, 1), (3, 29)])
def test_map_made_by_the_whole_team(isa, size):
    """More threads than make a small map each for themselves."""
    graph, inputs, arrays = case((2, 40, *size), 136, scale_shift_relu)
    check(graph, inputs, arrays, isa=isa, threads=resolve(isa).machine.team.alone + 1)


@pytest.mark.parametrize("isa", ISAS)
def test_not_a_number(isa):
    graph, inputs, arrays = case((1, 16, 4, 4), 16, scale_shift_relu)
    inputs["x"][0, 3, 2, 2] = np.nan
    got = check(graph, inputs, arrays, isa=isa)
    assert np.isnan(got[0, :, 2, 2]).all() and np.isnan(got).sum() == 16


def test_a_strip_fits_half_of_the_cache():
    target = by_name("avx512")
    for size in (7, 56):
        conv = read_conv(lowering_of(case((1, 512, size, size), 128, relu)[0], target))
        tiling = choose_tiling(target, 8, size, size, flat=True)
        strip = conv_direct.strip_tiles(target, conv, tiling)
        assert 1 <= strip and strip * tiling.tiles[0][1] * 512 * 4 <= target.l2 // 2


def test_other_convolutions_are_left_alone():
    target = by_name("avx512")
    plain = lowering_of(case((1, 16, 4, 4), 16, nothing)[0], target)
    found = read_problem(plain)
    assert found is not None and found.source.kind == "memory"
