"""Predicted times of matrix products: what they depend on, and which kernel they make the selector take."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sol.codegen.kernels.families import decisions, preferred
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.machines import NEUTRAL, ZEN4, ZEN5
from sol.codegen.placement import GraphPlacement
from sol.codegen.targets import by_name
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.types import DType, TensorType
from sol.passes.pipeline import run_passes


def product(m: int | Dim, n: int, k: int, constant: bool = True, machine=NEUTRAL, team: int = 1) -> Lowering:
    """x[m, k] times the transpose of w[n, k]."""
    b = GraphBuilder()
    weight = TensorType(DType.F32, (n, k))
    operands = [b.input("x", TensorType(DType.F32, (m, k))), b.parameter("w", weight) if constant else b.input("w", weight)]
    target = replace(by_name("avx512"), machine=machine, team=team)
    graph = list(run_passes(b.build([b.add("linear", operands)]), target))[-1][1]
    node = next(n for n in graph.nodes if n.op == "region")
    return Lowering(node, GraphPlacement(graph), KernelLibrary(), target)


def seconds(*args, **options) -> dict[str, float | None]:
    return {d.name: d.seconds for d in decisions(product(*args, **options))}


def gemm_seconds(*args, **options) -> float:
    found = seconds(*args, **options)["gemm"]
    assert found is not None
    return found


@pytest.mark.parametrize("machine", [NEUTRAL, ZEN4, ZEN5], ids=lambda m: m.name)
def test_times_follow_from_the_machine(machine):
    large, peak = gemm_seconds(512, 512, 512, machine=machine), 2 * 16 * machine.multiply_add_rate
    assert 1.0 <= large / (2 * 512**3 / peak) < 1.5  # compute-bound: near the peak of one thread
    assert 0.4 < gemm_seconds(512, 512, 512, machine=machine, team=2) / large < 0.6
    slow = replace(machine, memory=replace(machine.memory, main=replace(machine.memory.main, alone=1e9)))
    assert gemm_seconds(1, 4096, 4096, machine=slow) == pytest.approx(4 * 4096 * 4098 / 1e9)  # bound by memory


def test_more_work_takes_longer():
    for axis in range(3):
        sizes = [64, 64, 64]
        times = []
        for size in (64, 128, 256):
            sizes[axis] = size
            times.append(gemm_seconds(*sizes))
        assert times == sorted(times) and times[0] < times[-1]


def test_sizes_of_run_time_have_no_time():
    found = seconds(Dim.symbol("rows"), 64, 64)
    assert set(found) == {"gemm", "plain"} and set(found.values()) == {None}


@pytest.mark.parametrize("sizes,constant,taken", [
    ((1, 1, 512), True, "dot"),
    ((1, 1000, 512), False, "dot"),
    ((8, 200, 512), False, "dot"),
    ((8, 1000, 512), False, "columns"),  # which no cache holds
    ((15, 1000, 64), False, "gemm"),  # adding up lanes for every result takes longer than making panels
    ((15, 1000, 100), False, "gemm"),
    ((64, 1000, 512), True, "gemm"),
    ((1, 1000, 4096), True, "dot"),  # bound by memory, and read where the parameter lies
    ((4, 1000, 4096), True, "dot"),
    ((5, 1000, 4096), True, "gemm"),
    ((1, 256, 256), True, "gemm"),
])  # fmt: skip
def test_the_faster_one_is_taken(sizes, constant, taken):
    """On two cores of an Intel Xeon (Emerald Rapids) panels take 0.59 and 0.72 of the other's time with 15 rows."""
    assert preferred(product(*sizes, constant=constant)).name == taken


def test_weights_of_few_rows_are_packed_where_small_pages_are_slow():
    found = preferred(product(1, 1000, 4096, machine=ZEN4))
    assert found.name == "gemm" and ZEN4.products.weight_rows == 0
