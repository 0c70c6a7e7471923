"""1x1 convolution of selected channels, against the interpreter and torch, on every ISA of this machine; where it is fused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch

import sol
from sol.codegen.kernels.conv import KERNELS
from sol.codegen.kernels.conv_problem import read_problem
from sol.codegen.kernels.families import alternatives, lower_decision
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.packing import make_pack
from sol.codegen.targets import by_name
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, DimLike
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from sol.runtime.packers import packed as packed_weight
from tests.codegen.conv_cases import ISAS, Epilogue, check, random, torch_conv
from tests.harness import _Placement, as_region

Arrays = dict[str, np.ndarray]


def relu(b: GraphBuilder, y: str, inputs: Arrays) -> str:
    return b.add("relu", [y])


def residual(b: GraphBuilder, y: str, inputs: Arrays) -> str:
    shape = b.type_of(y).shape
    inputs["r"] = random(tuple(int(s) for s in shape), 7)
    return b.add("relu", [b.add("add", [y, b.input("r", TensorType(DType.F32, shape))])])


def divide(b: GraphBuilder, y: str, inputs: Arrays) -> str:
    """Not a number in the lanes beyond the channels unless they are masked."""
    shape = b.type_of(y).shape
    inputs["r"] = np.abs(random(tuple(int(s) for s in shape), 7)) + np.float32(0.5)
    return b.add("div", [y, b.input("r", TensorType(DType.F32, shape))])


def case(
    sizes: Sequence[int],
    index: Sequence[int],
    k: int,
    map: Sequence[int] = (7, 7),
    *,
    n: int = 1,
    bias: bool = True,
    epilogue: Epilogue | None = relu,
    dims: Sequence[DimLike] = (),
) -> tuple[Graph, Arrays, Arrays]:
    """A convolution with k outputs of channels from operands with the given numbers of channels. dims: batch, height, width if symbolic."""
    b = GraphBuilder()
    batch, *space = dims or (n, *map)
    inputs = {f"x{i}": random((n, c, *map), i) for i, c in enumerate(sizes)}
    operands = [b.input(f"x{i}", TensorType(DType.F32, (batch, c, *space))) for i, c in enumerate(sizes)]
    arrays = {"w": random((k, len(index), 1, 1), 11) * np.float32(0.2)}
    data = [b.add("channel_select", operands, index=tuple(index)), b.parameter("w", TensorType(DType.F32, arrays["w"].shape))]
    if bias:
        arrays["b"] = random((k,), 12)
        data.append(b.parameter("b", TensorType(DType.F32, (k,))))
    y = b.add("conv", data, stride=(1, 1), padding=((0, 0), (0, 0)), dilation=(1, 1), groups=1)
    return b.build([epilogue(b, y, inputs) if epilogue else y]), inputs, arrays


def shuffled(sizes: Sequence[int], count: int, twice: bool = False) -> list[int]:
    """So many of the operands' channels in random order; some of them two times, if wanted."""
    rng = np.random.default_rng([count, *sizes])
    return (rng.integers(0, sum(sizes), count) if twice else rng.permutation(sum(sizes))[:count]).tolist()


def by_torch(inputs: Arrays, arrays: Arrays, index: Sequence[int]) -> np.ndarray:
    data = np.concatenate([inputs[f"x{i}"] for i in range(sum(name[0] == "x" for name in inputs))], axis=1)[:, list(index)]
    return torch.relu(torch_conv({"x": data}, arrays)).numpy()


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize(
    "sizes,count,k",
    [((3,), 3, 8), ((8,), 5, 15), ((16, 8), 16, 16), ((15, 9), 17, 17), ((33, 5, 8), 31, 33), ((24, 24, 24), 32, 31), ((58,) * 4, 58, 58)],
)
def test_channels(isa, sizes, count, k):
    index = shuffled(sizes, count)
    graph, inputs, arrays = case(sizes, index, k)
    check(graph, inputs, arrays, isa=isa, want=by_torch(inputs, arrays, index))


@pytest.mark.parametrize("isa", ISAS)
def test_orders(isa):
    """As they lie, backwards, every second one, some twice, one alone, many operands."""
    sizes = (20, 12)
    for index in (range(32), range(31, -1, -1), range(1, 32, 2), shuffled(sizes, 40, twice=True), [25]):
        graph, inputs, arrays = case(sizes, index, 24)
        check(graph, inputs, arrays, isa=isa, want=by_torch(inputs, arrays, index))
    sizes = (6,) * 9
    index = shuffled(sizes, 27)
    graph, inputs, arrays = case(sizes, index, 24)
    check(graph, inputs, arrays, isa=isa, want=by_torch(inputs, arrays, index))


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("size", [(1, 1), (7, 7), (14, 14), (5, 9)])
def test_maps_and_teams(isa, size, threads):
    for n in (1, 3):
        graph, inputs, arrays = case((24, 17), shuffled((24, 17), 33), 40, size, n=n)
        check(graph, inputs, arrays, isa=isa, threads=threads)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("epilogue", [None, residual, divide], ids=["none", "residual", "divide"])
def test_epilogues(isa, epilogue):
    graph, inputs, arrays = case((9, 30), shuffled((9, 30), 21), 23, (5, 9), n=2, epilogue=epilogue, bias=epilogue is not None)
    check(graph, inputs, arrays, isa=isa, threads=3)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size", [(7, 7), (5, 9), (6, 31)])
@pytest.mark.parametrize("where", ["result", "operands", "one"])
def test_borders(isa, size, where):
    """Rows that do not lie one behind the other: in the result, in all operands alike, in one operand only."""
    graph, inputs, arrays = case((24, 17), shuffled((24, 17), 33), 40, size, n=2)
    border = ((1, 2), (1, 1))
    borders = {"result": {graph.outputs[0]: border}, "operands": {"x0": border, "x1": border}, "one": {"x1": border}}[where]
    check(graph, inputs, arrays, isa=isa, threads=3, borders=borders)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size", [(7, 7), (5, 9)])
def test_symbolic_batch_and_size(isa, size):
    batch, height, width = Dim.symbol("N", 1, 8), Dim.symbol("H", 1, 64), Dim.symbol("W", 1, 64)
    graph, inputs, arrays = case((9, 30), shuffled((9, 30), 21), 40, size, n=3, dims=(batch, height, width))
    check(graph, inputs, arrays, isa=isa, symbols={"N": 3, "H": size[0], "W": size[1]})


@pytest.mark.parametrize("isa", ISAS)
def test_infinity_and_nan_stay_where_they_are(isa):
    """Neighbours of selected channels are not read; an odd number of channels is not filled up with one of them."""
    graph, inputs, arrays = case((16,), range(1, 16), 16, (4, 4), epilogue=None)
    inputs["x0"][0, 0], inputs["x0"][0, 3, 2, 2] = np.nan, np.inf
    got = check(graph, inputs, arrays, isa=isa)
    assert np.isinf(got[0, :, 2, 2]).all() and np.isfinite(got).sum() == got.size - 16


def lowering_of(graph: Graph, target) -> Lowering:
    region = as_region(graph, "dnn", "conv", block=target.lanes)
    node = next(n for n in region.nodes if n.op == "region")
    return Lowering(node, _Placement(region, {}, {}, {}), KernelLibrary(), target)


@pytest.mark.parametrize("channels", [1, 8, 16, 48])
def test_no_other_kernel_claims_the_region(channels):
    target = by_name("avx512")
    lowering = lowering_of(case((48,), shuffled((48,), channels), channels, (14, 14))[0], target)
    assert [c.name for c in KERNELS["conv"] if next(iter(c.match(lowering)), None)] == ["inner_product", "direct"]
    decisions = alternatives(lowering)
    assert {"direct/tiles", "direct/vectors"} <= {d.name for d in decisions}
    for decision in decisions:
        lower_decision(lowering, decision)


def test_other_regions_are_left_alone():
    target = by_name("avx512")
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.F32, (1, 16, 4, 4)))
    y = b.add("conv", [b.add("relu", [x]), b.parameter("w", TensorType(DType.F32, (16, 16, 1, 1)))],
              stride=(1, 1), padding=((0, 0), (0, 0)), dilation=(1, 1), groups=1)  # fmt: skip
    lowering = lowering_of(b.build([y]), target)
    found = read_problem(lowering)
    assert found is not None and found.source.kind == "prologue"


def test_weights_hold_the_channels_in_order_and_no_others():
    w = np.arange(1, 7, dtype=np.float32).reshape(2, 3, 1, 1)
    packed = packed_weight(make_pack("conv_selected", lanes=4, vectors=1, order=(2, 0, 1)), w)
    np.testing.assert_array_equal(packed, [3, 6, 0, 0, 1, 4, 0, 0, 2, 5, 0, 0])


# -- networks ----------------------------------------------------------------------------------------------------------


def test_shufflenet_copies_channels_only_where_several_layers_read_them():
    """Before the two later stages, whose first blocks read them twice; the pooled convolution at the end selects its own."""
    from tests.models.networks import build

    network, make_inputs = build("shufflenet_v2_x0_5")
    (x,) = make_inputs(1)
    with torch.no_grad():
        fast = sol.optimize(network, [x])
        got, want = fast(x), network(x)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
    plan = fast.compile_for((x,), {}).runner.executables[0].plan
    kernels = [launch.kernel.rstrip("0123456789") for launch in plan.launches]
    assert kernels.count("dfp_channel_select") == 2
    assert sum(k.startswith("conv_selected") for k in kernels) == 3 + 7 + 3 + 1
