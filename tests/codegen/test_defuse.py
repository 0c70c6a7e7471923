"""Regions that no kernel computes as a whole fall into smaller ones, with the same results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest

from sol.codegen.decision import Candidate, Decision
from sol.codegen.defuse import served
from sol.codegen.kernels import families
from sol.codegen.lowering import Lowering
from sol.codegen.schedule import make_plan
from sol.codegen.targets import by_name
from sol.compiler import compile_graph
from sol.config import config
from sol.errors import UnsupportedError
from sol.ir.bodies import graphs_in
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.text import parse_graph
from sol.ir.types import TensorType
from sol.passes.pipeline import run_passes
from sol.runtime.executable import Executable
from tests.codegen.networks import NETWORKS, fused_graph
from tests.codegen.whole_networks import NETWORKS as WHOLE
from tests.codegen.whole_networks import Built


def bodies(graph: Graph) -> list[tuple[str, Graph]]:
    """Anchor and body of every region."""
    return [(n.attrs["anchor"], n.attrs["body"]) for _, g in graphs_in(graph) for n in g.nodes if n.op == "region"]


def sizes(graph: Graph) -> list[int]:
    """How many operations the regions with an anchor have."""
    return [sum(m.op not in ("input", "constant") for m in body.nodes) for anchor, body in bodies(graph) if anchor]


def only_alone(candidate: Candidate) -> Candidate:
    """The candidate, for regions of one operation only."""

    def match(lowering: Lowering) -> Iterator[Decision]:
        if sum(n.op not in ("input", "constant") for n in lowering.body.nodes) == 1:
            yield from candidate.match(lowering)

    return Candidate(candidate.name, match, candidate.lower, candidate.cost)


@pytest.fixture
def kernels_of_one_operation(monkeypatch):
    table = families.candidates
    monkeypatch.setattr(families, "candidates", lambda anchor: tuple(map(only_alone, table(anchor))) if anchor else table(anchor))


@pytest.mark.parametrize("name", NETWORKS)
def test_what_kernels_take_stays_as_it_is(name):
    graph = fused_graph(NETWORKS[name], "avx512")
    assert served(graph, by_name("avx512")) == graph


def made_up(types: dict[str, TensorType]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {name: rng.standard_normal(tuple(map(int, t.shape))).astype(np.float32) / 8 for name, t in types.items()}  # type: ignore[arg-type]


def of_text(text: str) -> Built:
    graph = parse_graph(text)
    inputs = made_up({v: graph.type_of(v) for v in graph.inputs})
    return graph, list(inputs.values()), made_up(graph.parameter_types)


FUSED = {name: partial(of_text, NETWORKS[name]) for name in ("winograd", "chain", "pooled", "prologue", "selected")}
CASES: dict[str, Callable[[], Built]] = {**FUSED, **WHOLE}


@pytest.mark.parametrize("name", CASES)
def test_pieces_compute_what_the_whole_does(name, kernels_of_one_operation):
    graph, inputs, parameters = CASES[name]()
    with config.override(verify=True):
        compiled = compile_graph(graph)
    fused = list(run_passes(graph, compiled.target))[-1][1]
    assert max(sizes(fused)) > 1 and set(sizes(compiled.graph)) == {1}
    for threads in (1, 2):
        executable = Executable(compiled, threads=threads)
        executable.pack(parameters)
        for got, want in zip(executable(inputs), evaluate_outputs(graph, inputs, parameters), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


def test_only_what_no_kernel_takes_is_taken_apart(monkeypatch):
    graph = fused_graph(NETWORKS["chain"], "avx512")
    table = families.candidates
    monkeypatch.setattr(families, "candidates", lambda anchor: () if anchor == "conv_chain" else table(anchor))
    before, after = bodies(graph), bodies(served(graph, by_name("avx512")))
    assert [b for a, b in before if a != "conv_chain"] == [b for _, b in after if b in dict.fromkeys(b for _, b in before)]
    convolutions = sum(n.op == "conv" for a, b in before if a == "conv_chain" for n in b.nodes)
    assert convolutions > 1 and [a for a, _ in after].count("conv") == convolutions


def test_what_stays_unserved_is_named(monkeypatch):
    """An anchor alone that nothing computes: the error of its planning, not an endless search."""
    graph = fused_graph(NETWORKS["direct"], "avx512")
    table = families.candidates
    monkeypatch.setattr(families, "candidates", lambda anchor: () if anchor else table(anchor))
    with pytest.raises(UnsupportedError, match="no kernel for conv"):
        make_plan(served(graph, by_name("avx512")), by_name("avx512"))
