"""Linear layers by products of convolutions: against the float64 interpreter, where they are possible, and where they are taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

import sol
from sol.codegen import targets
from sol.codegen.kernels import families, matmul_as_conv
from sol.codegen.kernels.families import preferred
from sol.codegen.machines import NEUTRAL, ZEN4, ZEN5
from sol.codegen.targets import by_name, runnable
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.types import DType, TensorType
from tests import instruction_sets
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import forced
from tests.codegen.test_matmul_cost import product
from tests.codegen.test_matmul_kernels import check, floats, linear_graph

WAYS = [c.name for c in matmul_as_conv.CANDIDATES]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Only this way, also where it does not pay; there is none other to fall back to."""
    (found,) = (c for c in matmul_as_conv.CANDIDATES if c.name == request.param)
    monkeypatch.setattr(families, "candidates", lambda _: (forced(found),))
    return found.name


def run(*args, threads: int = 2, strides: dict | None = None, **options) -> None:
    if "avx512" not in runnable():
        instruction_sets.refuse("avx512")
    graph, inputs, parameters = linear_graph(*args, **options)
    given = {graph.outputs[0] if name == "out" else name: s for name, s in (strides or {}).items()}
    check(graph, "linear", inputs, parameters, isa="avx512", threads=threads, strides=given)


ROWS = [1, 2, 7, 8, 9, 15, 16, 17, 22, 23, 33, 45, 67, 100]
COLUMNS = [(16, 16), (32, 48), (48, 32), (64, 96), (784, 64), (16, 512)]
EPILOGUES = ["", "relu", "add_relu", "mul_add"]


@pytest.mark.parametrize("rows", ROWS)
def test_rows(rows: int, way: str) -> None:
    for i, (k, n) in enumerate(COLUMNS):
        run((rows, k), n, epilogue=EPILOGUES[(rows + i) % 4], bias=bool(i % 2), threads=1 + (rows + i) % 3)


@pytest.mark.parametrize("bias,epilogue", thinned(EPILOGUES, on=[True, False]))
def test_epilogues(epilogue: str, bias: bool, way: str) -> None:
    for threads in (1, 2, 3, 5):
        run((30, 64), 80, epilogue=epilogue, bias=bias, threads=threads)


@pytest.mark.parametrize("strides", [
    {}, {"x": (1000, 50, 1)}, {"out": (2000, 60, 1)}, {"x": (32, 64, 1)}, {"out": (48, 96, 1), "other": (48, 96, 1)},
    {"x": (600, 33, 1), "out": (1700, 100, 1), "other": (900, 49, 1)},
])  # fmt: skip
def test_rows_that_do_not_lie_evenly(strides: dict, way: str) -> None:
    run((2, 17, 32), 48, epilogue="add_relu", strides=strides, threads=3)


@pytest.mark.parametrize("n", [1, 15, 17, 31, 50, 97])
def test_columns_that_are_no_whole_vectors(n: int, way: str) -> None:
    """What lies behind a row is the next one, or nobody's."""
    for rows, epilogue, threads in ((9, "", 1), (23, "relu", 2), (45, "mul_add", 3), (100, "add_relu", 5)):
        run((rows, 48), n, epilogue=epilogue, bias=bool(rows % 2), threads=threads)
        run((2, rows, 48), n, epilogue=epilogue, strides={"out": (rows * (n + 3) + 5, n + 3, 1)}, threads=threads)


@pytest.mark.parametrize("k", [1, 5, 8, 15, 17, 24, 40, 63, 152])
def test_inputs_that_are_no_whole_vectors(k: int, way: str) -> None:
    """Of the last ones, the lanes that exist are read: what lies behind a row is the next one, or nobody's."""
    for rows, n, epilogue, threads in ((9, 32, "", 1), (23, 24, "add_relu", 2), (45, 16, "mul_add", 3), (100, 31, "relu", 5)):
        run((rows, k), n, epilogue=epilogue, bias=bool(rows % 2), threads=threads)
        run((2, rows, k), n, epilogue=epilogue, strides={"x": (rows * (k + 3) + 5, k + 3, 1)}, threads=threads)


def test_every_rank(way: str) -> None:
    for shape in ((32,), (1, 32), (2, 3, 32), (2, 1, 5, 32)):
        run(shape, 32, epilogue="mul_add", threads=3)


def test_a_long_reduction(way: str) -> None:
    run((19, 9008), 32, epilogue="add_relu")


@pytest.mark.parametrize("sizes,constant,possible", [
    ((20, 32, 64), True, True), ((20, 32, 64), False, False), ((20, 32, 60), True, True), ((20, 33, 64), True, True),
    ((Dim.symbol("m"), 32, 64), True, False),
])  # fmt: skip
def test_what_is_asked_for(sizes, constant, possible) -> None:
    found = matmul_as_conv.rows_problem(product(*sizes, constant=constant))
    assert (found is not None) == possible


def test_a_bias_at_run_time_is_left_to_others() -> None:
    b = GraphBuilder()
    x, w = b.input("x", TensorType(DType.F32, (20, 32))), b.parameter("w", TensorType(DType.F32, (32, 32)))
    bias = b.input("bias", TensorType(DType.F32, (32,)))
    graph = b.build([b.add("linear", [x, w, bias])])
    check(graph, "linear", {x: floats(20, 32), bias: floats(32)}, {"w": floats(32, 32)})


BERT = [(128, 768, 768), (128, 3072, 768), (128, 768, 3072), (197, 768, 768), (512, 1024, 1024), (4096, 4096, 4096)]


@pytest.mark.parametrize("machine,sizes,taken", [
    *((ZEN4, sizes, "inner_product") for sizes in BERT), *((NEUTRAL, sizes, "gemm") for sizes in BERT),
    *((ZEN5, sizes, "inner_product") for sizes in BERT),
    (ZEN4, (1, 768, 768), "gemm"), (ZEN4, (4, 3072, 768), "gemm"), (ZEN4, (100, 32, 32), "gemm"), (ZEN4, (128, 3, 768), "dot"),
])  # fmt: skip
@pytest.mark.parametrize("team", [1, 2])
def test_choice(machine, sizes, taken, team) -> None:
    """Additions of their own decide, and enough rows to share what packing them costs."""
    assert preferred(product(*sizes, machine=machine, team=team)).name == taken


def test_weights_that_do_not_stay_in_a_cache_are_read_for_every_block_of_rows() -> None:
    memory = replace(ZEN4.memory, main=replace(ZEN4.memory.main, together=5e9, alone=5e9))
    assert preferred(product(4096, 4096, 4096, machine=replace(ZEN4, memory=memory))).name == "gemm"


@pytest.fixture
def adders(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """AVX-512 with the kernels of processors with units for additions alone."""
    if "avx512" not in runnable():
        instruction_sets.refuse("avx512")
    monkeypatch.setattr(targets, "TARGETS", dict(targets.TARGETS, avx512=replace(by_name("avx512"), machine=ZEN4)))
    yield


def test_weights_are_packed_again_when_they_change(adders: None) -> None:
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 256)).eval(), torch.randn(3, 40, 256)
    fast = sol.optimize(model, x, isa="avx512")
    assert str(sol.explain(fast, (x,))).count("linear_inner_product") == 2
    with torch.no_grad():
        for _ in range(2):
            np.testing.assert_allclose(fast(x), model(x), rtol=1e-4, atol=2e-5)
            model[2].weight.mul_(-3)
            model[0].bias.add_(1)
