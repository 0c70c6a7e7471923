"""What one program keeps in blocks for another: statistics of batches, normalisation and its gradient across two compiled graphs."""

from __future__ import annotations

import numpy as np
import pytest

from sol.compiler import compile_graph
from sol.errors import UnsupportedError
from sol.frontend.torch.blocks import with_edges
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from sol.runtime.executable import Executable
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import random

F32 = DType.F32
SAME = {"stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1), "groups": 1}
MAPS = (0, 2, 3)


def forward(n: int, channels: int, size: tuple[int, int]) -> Graph:
    """A convolution, its normalisation over the batch, a ReLU and a second convolution; all that a backward pass wants."""
    b = GraphBuilder()
    x = b.input("x", TensorType(F32, (n, 5, *size)))
    weights = [b.parameter(f"w{i}", TensorType(F32, (channels, c, 3, 3))) for i, c in enumerate((5, channels))]
    y = b.add("conv", [x, weights[0]], **SAME)
    mean = b.add("mean", [y], dims=MAPS, keepdims=True)
    deviation = b.add("rsqrt", [b.add("add", [b.add("var", [y], dims=MAPS, keepdims=True, correction=0), b.constant(1e-5, F32)])])
    scale = b.input("scale", TensorType(F32, (channels,)))
    z = b.add("mul", [b.add("mul", [b.add("sub", [y, mean]), deviation]), b.add("reshape", [scale], shape=(channels, 1, 1))])
    r = b.add("relu", [z])
    mask = b.add("le", [r, b.constant(0.0, F32)])
    last = b.add("conv", [r, weights[1]], **SAME)
    return b.build([last, y, r, mask, mean, deviation])


def backward(graph: Graph) -> Graph:
    """Its gradients, up to the first convolution's result, and that of the second convolution's input made of r once more."""
    n, channels, *size = graph.type_of(graph.outputs[1]).shape
    b = GraphBuilder()
    image = TensorType(F32, (n, channels, *size))
    g, y, r = (b.input(name, image) for name in ("g", "y", "r"))
    mask = b.input("mask", image.with_dtype(DType.BOOL))
    mean, deviation = (b.input(name, TensorType(F32, (1, channels, 1, 1))) for name in ("mean", "deviation"))
    w = b.parameter("w1", TensorType(F32, (channels, channels, 3, 3)))
    g = b.add("where", [mask, b.constant(0.0, F32), g])
    total = b.add("sum", [g], dims=MAPS, keepdims=False)
    away = b.add("sub", [y, mean])
    against = b.add("sum", [b.add("mul", [g, away])], dims=MAPS, keepdims=False)
    count = b.constant(1 / (n * size[0] * size[1]), F32)
    step = b.add("reshape", [b.add("mul", [against, count])], shape=(1, channels, 1, 1))
    level = b.add("reshape", [b.add("mul", [total, count])], shape=(1, channels, 1, 1))
    slope = b.add("mul", [away, b.add("mul", [step, b.add("square", [deviation])])])
    result = b.add("mul", [b.add("sub", [b.add("sub", [g, slope]), level]), deviation])
    return b.build([result, total, against, b.add("conv", [r, w], **SAME)])


def run(graph: Graph, inputs: list[np.ndarray], parameters: dict[str, np.ndarray], isa: str, threads: int) -> list[np.ndarray]:
    program = Executable(compile_graph(graph, isa=isa, threads=threads), threads=threads)
    program.pack({k: v for k, v in parameters.items() if k in graph.parameter_types})
    return program(inputs)


def check(isa: str, n: int, channels: int, size: tuple[int, int], threads: int, offset: float = 0.0) -> list[np.ndarray]:
    """Both programs against the interpreter; gives what the first one kept."""
    first = forward(n, channels, size)
    parameters = {"w0": random((channels, 5, 3, 3)) / 6, "w1": random((channels, channels, 3, 3), 1) / (3 * channels**0.5)}
    inputs = [random((n, 5, *size)) + np.float32(offset), random((channels,), 2) + np.float32(2)]
    kept = run(with_edges(first, {}, (1, 2, 3)), inputs, parameters, isa, threads)
    second = backward(first)
    gradient = random((n, channels, *size), 3)
    shown = {name: kept[i + 1].shape for i, name in enumerate(("y", "r", "mask"))}
    found = run(with_edges(second, shown, ()), [gradient, *kept[1:]], parameters, isa, threads)
    exact = evaluate_outputs(first, inputs, parameters)
    np.testing.assert_allclose(kept[0], exact[0], atol=2e-5 * max(1, np.abs(exact[0]).max()))
    whole = {"y": exact[1], "r": exact[2], "mask": exact[3], "mean": exact[4], "deviation": exact[5]}
    wanted = evaluate_outputs(second, [gradient, *whole.values()], parameters)
    for got, want in zip(found, wanted):
        assert np.abs(got - want).max() <= 4e-5 * max(1, np.abs(want).max())
    return kept


@pytest.mark.parametrize("isa,channels,n,size", thinned([1, 7, 8, 16, 17, 33], [(3, (5, 6)), (2, (9, 14)), (1, (1, 7))]))
def test_a_step(isa: str, channels: int, n: int, size: tuple[int, int]) -> None:
    results = [check(isa, n, channels, size, threads) for threads in (1, 2)]
    for alone, team in zip(*results):
        assert np.array_equal(alone, team), "sums depend on the number of threads"
    y, r, mask, mean = results[0][1:5]
    assert y.ndim == r.ndim == mask.ndim == 5, "nothing was kept in blocks"
    assert r.shape[2:4] == (size[0] + 2, size[1] + 2), "the border that the second convolution reads is not there"
    assert y.shape[2:4] == size and mean.shape == (1, channels, 1, 1)


def test_maps_of_one_pixel_are_plain() -> None:
    kept = check("native", 4, 17, (1, 1), 2)
    assert kept[1].ndim == kept[2].ndim == 4


def test_blocks_of_another_width_are_refused() -> None:
    graph = with_edges(backward(forward(2, 16, (5, 6))), {"y": (2, 4, 5, 6, 4)}, ())
    with pytest.raises(UnsupportedError, match="lanes"):
        compile_graph(graph, isa="native", threads=1)
