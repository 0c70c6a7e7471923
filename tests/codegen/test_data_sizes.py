"""Whole networks in which data decides sizes: true shapes come back, bounded memory, definitions in time."""

from __future__ import annotations

import numpy as np
import pytest

from sol.compiler import compile_graph
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from sol.runtime.executable import Executable


def selection(shape=(5, 7)):
    """The elements of x above zero, gathered; concatenated, reduced, filled like, and as a transposed result."""
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.F32, shape))
    count = shape[0] * shape[1]
    size = b.data_size(count)
    places, _ = b.add("nonzero", [b.add("relu", [x])], symbol=size)
    flat = b.add("reshape", [x], shape=(count,))
    row, column = (b.add("reshape", [b.add("slice", [places], dim=1, start=i, stop=i + 1)], shape=(size,)) for i in (0, 1))
    width = b.add("expand", [b.constant(shape[1], DType.I64)], shape=(size,))
    chosen = b.add("take", [flat, b.add("add", [b.add("mul", [row, width]), column])], dim=0)
    filled = b.add("expand", [b.constant(1.5, DType.F32)], shape=(size, 2))
    return b.build(
        [
            b.add("permute", [places], order=(1, 0)),
            chosen,
            b.add("sum", [b.add("exp", [chosen])], dims=(0,)),
            b.add("concat", [chosen, flat], dim=0),
            b.add("mul", [filled, filled]),
        ]
    )


def arrays(shape):
    yield np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    yield np.full(shape, -1, np.float32)
    yield np.full(shape, 1, np.float32)


def check(graph, shape, executable, env=None):
    for x in arrays(shape):
        found = executable([x], env)
        for got, wanted in zip(found, evaluate_outputs(graph, [x], precision=None), strict=True):
            assert got.shape == wanted.shape
            np.testing.assert_allclose(got, wanted, rtol=1e-5)


@pytest.mark.parametrize("threads", [1, 3])
def test_true_sizes_come_back(threads):
    graph = selection()
    compiled = compile_graph(graph)
    assert compiled.plan.symbols == () and dict(compiled.plan.defined) == {"u_0": 35}
    assert [compiled.plan.capacity(p) for p in compiled.plan.outputs] == [70, 35, 1, 70, 70]
    executable = Executable(compiled, threads=threads)
    executable.pack({})
    check(graph, (5, 7), executable)


def test_bounds_may_depend_on_the_call():
    s = Dim.symbol("s0", 2, 100)
    graph = selection((s, 7))
    executable = Executable(compile_graph(graph), threads=2)
    executable.pack({})
    for size in (3, 9):
        found: dict[str, int] = {}
        check(graph, (size, 7), executable, {"s0": size})
        executable([np.ones((size, 7), np.float32)], {"s0": size}, found)
        assert found == {"s0": size, "u_0": 7 * size}
