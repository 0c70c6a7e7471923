"""Plain input, blocked output: the first layer of a network, against the interpreter and torch, on every ISA."""

from __future__ import annotations

import pytest

from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import ISAS, check, conv_graph, random, torch_conv


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize(
    "c,k,kernel,stride,padding,dilation",
    [
        (1, 1, 3, 1, 1, 1),
        (3, 64, 7, 2, 3, 1),
        (3, 40, 3, 2, 0, 1),
        (7, 17, 3, 1, 2, 2),
        (17, 8, 1, 1, 0, 1),
        (33, 15, 13, 4, 2, 1),
    ],
)
@pytest.mark.parametrize("batch", [1, 3])
def test_shapes(isa, c, k, kernel, stride, padding, dilation, batch):
    options = dict(stride=stride, padding=padding, dilation=dilation)
    graph, inputs, arrays, conv = conv_graph((batch, c, 19, 37), k, (kernel, kernel), **options)
    want = torch_conv(inputs, arrays, **options).numpy()
    check(graph, inputs, arrays, isa=isa, want=want, plain=("x",), borders={conv: ((1, 2), (0, 1))})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size,threads", [((1, 1), 2), ((5, 3), 5), ((64, 65), 3), ((64, 65), 1)])
def test_teams(isa, threads, size):
    graph, inputs, arrays, _ = conv_graph((2, 3, *size), 80, (3, 3), padding=1)
    check(graph, inputs, arrays, isa=isa, threads=threads, plain=("x",))


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size", [(3, 2100), (60, 150)])
def test_bands(isa, size):
    """Rows too long for the copy of a whole one, and more rows than one copy has room for."""
    graph, inputs, arrays, _ = conv_graph((2, 4, *size), 24, (3, 3), stride=2, padding=1)
    check(graph, inputs, arrays, isa=isa, threads=3, plain=("x",))


@pytest.mark.parametrize(
    "isa,threads,kernel,stride,padding,dilation", thinned([1, 3], [(3, 2, 1, 1), (3, 1, 0, 1), (5, 1, 4, 2), (7, 2, 3, 1)])
)
def test_tiles_at_the_border(isa, threads, kernel, stride, padding, dilation):
    """Most tiles read the image where it is; those whose window reaches beyond it read a copy of their own."""
    options = dict(stride=stride, padding=padding, dilation=dilation)
    for size in ((13, 230), (30, 257)):
        graph, inputs, arrays, conv = conv_graph((2, 3, *size), 40, (kernel, kernel), **options)
        want = torch_conv(inputs, arrays, **options).numpy()
        check(graph, inputs, arrays, isa=isa, threads=threads, want=want, plain=("x",), borders={conv: ((1, 1), (0, 2))})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("strides", [(1200, 1, 60, 3), (2000, 700, 23, 1), (4000, 1, 120, 6)])
def test_any_strides(isa, strides):
    graph, inputs, arrays, _ = conv_graph((2, 3, 20, 20), 24, (3, 3), padding=1)
    check(graph, inputs, arrays, isa=isa, plain=("x",), strides={"x": strides})


def add_sigmoid(b: GraphBuilder, y: str, inputs: dict) -> str:
    shape = b.type_of(y).shape
    inputs["r"] = random(tuple(int(s) for s in shape), 7)
    return b.add("sigmoid", [b.add("add", [y, b.input("r", TensorType(DType.F32, shape))])])


def reciprocal(b: GraphBuilder, y: str, inputs: dict) -> str:
    return b.add("reciprocal", [b.add("add", [b.add("square", [y]), b.constant(0.5, DType.F32)])])


@pytest.mark.parametrize("isa,epilogue,bias", thinned([add_sigmoid, reciprocal, lambda b, y, _: b.add("relu", [y])], [True, False]))
def test_epilogues(isa, epilogue, bias):
    graph, inputs, arrays, _ = conv_graph((2, 3, 13, 30), 21, (3, 3), stride=2, padding=1, bias=bias, epilogue=epilogue)
    check(graph, inputs, arrays, isa=isa, threads=3, plain=("x",))


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("size", [(9, 8), (40, 47)])
def test_symbolic_sizes(isa, size):
    dims = (Dim.symbol("n"), 3, Dim.symbol("h"), Dim.symbol("w"))
    graph, inputs, arrays, _ = conv_graph((2, 3, *size), 40, (5, 5), stride=2, padding=2, dims=dims)
    check(graph, inputs, arrays, isa=isa, plain=("x",), symbols={"n": 2, "h": size[0], "w": size[1]})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("length", [50, 9000])
def test_one_dimension(isa, length):
    graph, inputs, arrays, _ = conv_graph((2, 3, length), 33, (5,), stride=2, padding=2)
    want = torch_conv(inputs, arrays, stride=2, padding=2).numpy()
    check(graph, inputs, arrays, isa=isa, plain=("x",), want=want)
