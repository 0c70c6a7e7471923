"""Memory spaces: a target whose kernels work elsewhere than in the host's memory gets transfers at the edges, and memory of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sol.codegen.compiled import Compiled
from sol.codegen.kernels.families import lower_region
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.placement import GraphPlacement
from sol.codegen.plan import Plan
from sol.codegen.targets import Target, by_name, resolve
from sol.compiler import compile_graph
from sol.config import config
from sol.errors import SolError, UnsupportedError
from sol.ir.graph import Graph
from sol.ir.text import parse_graph
from sol.ir.types import HOST
from sol.runtime.executable import Executable
from tests.codegen.networks import NETWORKS, fused_graph
from tests.passes.test_pipeline import Seeded, expected
from tests.random_graphs import make_recipe

NEAR = "near"


def near(isa: str = "native") -> Target:
    return replace(resolve(isa), space=NEAR)


def compiled_near(graph: Graph) -> Compiled:
    with config.override(verify=True):
        return compile_graph(graph, isa=near())


def spaces_touched(plan: Plan) -> list[tuple[set[str], set[str]]]:
    """Memory spaces that each launch reads and writes."""
    known = {b.name: b.space for b in plan.buffers} | {w.name: w.space for w in plan.weights}
    return [({known[r.buffer] for r in x.buffers if not r.writes}, {known[r.buffer] for r in x.buffers if r.writes}) for x in plan.launches]


@pytest.mark.parametrize("name", ["winograd", "chain", "pooled", "prologue", "selected"])
def test_networks_enter_and_leave_by_transfers(name):
    graph = parse_graph(NETWORKS[name])
    plan = compiled_near(graph).plan
    touched = spaces_touched(plan)
    crossing = [i for i, (reads, writes) in enumerate(touched) if reads | writes != {NEAR}]
    assert len(crossing) == len(graph.inputs) + len(graph.outputs)
    assert [touched[i] for i in crossing] == [({HOST}, {NEAR})] * len(graph.inputs) + [({NEAR}, {HOST})] * len(graph.outputs)
    assert {b.space for b in plan.buffers if b.kind in ("input", "output")} == {HOST}
    assert {b.space for b in plan.buffers if b.kind == "arena"} == {w.space for w in plan.weights} == {NEAR}
    assert {x.space for x in plan.launches} == {NEAR}


@pytest.mark.parametrize("seed", range(300, 312))
def test_networks_compute_the_same_there(seed):
    recipe = make_recipe(Seeded(seed), 12, seed % 3 == 0)
    executable = Executable(compiled_near(recipe.graph), threads=2)
    executable.pack(recipe.parameters)
    for _ in range(2):
        for got, want in zip(executable([recipe.inputs[i] for i in recipe.graph.inputs], recipe.symbols), expected(recipe), strict=True):
            np.testing.assert_allclose(got, want, rtol=0, atol=2e-4 * max(1e-2, np.abs(want).max()))


def test_the_host_needs_no_transfer():
    graph = fused_graph(NETWORKS["winograd"])
    assert not any("transfer" in {n.op for n in r.attrs["body"].nodes} for r in graph.nodes if r.op == "region")


def test_a_kernel_that_meets_memory_of_another_space_is_an_error():
    graph = fused_graph(NETWORKS["direct"])  # made for the host: its input was not transferred
    region = next(n for n in graph.nodes if n.op == "region")
    target = replace(by_name("avx512"), space=NEAR)
    lowering = Lowering(region, GraphPlacement(graph, NEAR), KernelLibrary(), target)
    with pytest.raises(SolError, match="%x in host memory, kernels of avx512 work in near memory"):
        lower_region(lowering)


def test_data_decides_nothing_there():
    graph = parse_graph(NETWORKS["nonzero"])
    with pytest.raises(UnsupportedError, match="decides in near memory"):
        compiled_near(graph)
