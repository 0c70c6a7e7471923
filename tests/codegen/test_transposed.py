"""Transposed convolutions as turned ones through the whole compiler: values, and what writes into the interleaved map."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.compiled import Compiled
from sol.codegen.targets import runnable
from sol.compiler import compile_graph
from sol.config import config
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.types import DType, TensorType
from sol.runtime.executable import Executable

F32 = DType.F32


def up(
    channels: tuple[int, int], size: tuple[int, int], kernel: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int] = (0, 0),
    extra: tuple[int, int] = (0, 0), dilation: tuple[int, int] = (1, 1), groups: int = 1, then: tuple[str, ...] = (), wide: bool = False,
) -> tuple[Graph, dict[str, np.ndarray]]:  # fmt: skip
    """A transposed convolution with a bias and unary ops. wide: a 1x1 convolution before and behind, so that its maps stay in blocks."""
    rng, b = np.random.default_rng(5), GraphBuilder()
    parameters: dict[str, np.ndarray] = {}

    def weight(name: str, *shape: int) -> str:
        parameters[name] = rng.standard_normal(shape).astype(np.float32)
        return b.parameter(name, TensorType(F32, shape))

    c, k = channels
    one = {"stride": (1, 1), "padding": ((0, 0), (0, 0)), "dilation": (1, 1), "groups": 1}
    x = b.input("x", TensorType(F32, (2, c, *size)))
    x = b.add("conv", [x, weight("before", c, c, 1, 1)], **one) if wide else x
    y = b.add(
        "conv_transpose", [x, weight("w", c, k // groups, *kernel), weight("b", k)], stride=stride, padding=tuple((p, p) for p in padding),
        output_padding=extra, dilation=dilation, groups=groups,
    )  # fmt: skip
    for op in then:
        y = b.add(op, [y])
    y = b.add("conv", [y, weight("behind", 5, k, 1, 1)], **one) if wide else y
    return b.build([y]), parameters


def compiled(graph: Graph, parameters: dict[str, np.ndarray], isa: str, threads: int) -> Compiled:
    """Compiled, run, and compared with float64."""
    found = compile_graph(graph, isa=isa, threads=threads)
    executable = Executable(found, threads=threads)
    executable.pack(parameters)
    (x,) = graph.inputs
    given = np.random.default_rng(6).standard_normal(graph.type_of(x).shape).astype(np.float32)
    want = evaluate(graph, {x: given}, parameters)[graph.outputs[0]]
    for _ in range(2):
        (got,) = executable([given])
        assert got.shape == want.shape and np.abs(got - want).max() <= 1e-5 * np.abs(want).max()
    return found


LAYERS = [
    (channels, kernel, stride, padding, dilation)
    for channels in [(1, 16), (7, 17), (16, 33), (33, 16), (32, 32)]
    for kernel in [(1, 1), (2, 2), (3, 3), (4, 4), (5, 3)]
    for stride in [(1, 1), (2, 2), (3, 2), (1, 3)]
    for padding in [(0, 0), (1, 1), (2, 0)]
    for dilation in [(1, 1), (2, 1)]
]


@pytest.mark.parametrize("channels,kernel,stride,padding,dilation", LAYERS[::37])
def test_layers(channels, kernel, stride, padding, dilation):
    extra = (stride[0] - 1, 0)
    graph, parameters = up(channels, (5, 19), kernel, stride, padding, extra, dilation, then=("relu",))
    for isa, threads in zip(runnable(), (2, 1, 2)):
        compiled(graph, parameters, isa, threads)


@pytest.mark.parametrize("channels,groups", [(33, 33), (32, 8), (32, 2), (12, 4)])
@pytest.mark.parametrize("stride", [(1, 1), (2, 2)])
def test_groups(channels, groups, stride):
    graph, parameters = up((channels, channels), (6, 9), (3, 3), stride, (1, 1), (0, 0), groups=groups)
    for isa in runnable():
        compiled(graph, parameters, isa, 2)


@pytest.mark.parametrize("error", [0.0, 1e-5])
@pytest.mark.parametrize("kernel,padding,extra", [((2, 2), (0, 0), (0, 0)), ((3, 3), (1, 1), (1, 1)), ((4, 4), (1, 1), (0, 0))])
def test_every_place_is_written_by_its_convolution(kernel, padding, extra, error):
    graph, parameters = up((32, 48), (14, 14), kernel, (2, 2), padding, extra, then=("relu",), wide=True)
    with config.override(conv_max_error=error):
        for isa in runnable():
            plan = compiled(graph, parameters, isa, 2).plan
            assert not any("interleave" in launch.kernel for launch in plan.launches)


def test_places_without_taps_are_filled():
    graph, parameters = up((32, 48), (7, 9), (1, 1), (2, 2), then=("relu",), wide=True)
    plan = compiled(graph, parameters, runnable()[0], 2).plan
    assert sum("interleave" in launch.kernel for launch in plan.launches) in (1, 2, 3, 4)


def test_maps_with_other_readers_are_interleaved_by_copies():
    b = GraphBuilder()
    parameters = {"w": np.random.default_rng(0).standard_normal((16, 16, 2, 1)).astype(np.float32)}
    x, w = b.input("x", TensorType(F32, (1, 16, 4, 4))), b.parameter("w", TensorType(F32, (16, 16, 2, 1)))
    options = {"stride": (2, 1), "padding": ((0, 0), (0, 0)), "output_padding": (0, 0), "dilation": (1, 1), "groups": 1}
    y = b.add("conv_transpose", [x, w], **options)
    graph = b.build([b.add("mul", [y, b.add("relu", [y])])])
    compiled(graph, parameters, runnable()[0], 2)
