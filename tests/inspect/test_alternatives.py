"""What else could have computed a region: predicted and measured times in sol.explain, and which way the plan has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import sol
from sol.codegen.compiled import Compiled
from sol.codegen.kernels import families
from sol.codegen.kernels.families import decisions, lowered_apart
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.placement import GraphPlacement
from sol.codegen.signature import signature
from sol.compiler import compile_graph
from sol.inspect.alternatives import SHOWN, Alternative, alternatives_of
from sol.ir.bodies import graphs_in
from sol.ir.text import parse_graph
from sol.tuning.database import Database, Record, machine_of
from tests.codegen.networks import NETWORKS
from tests.tuning.test_tuner import CONVS


def lowering_of(compiled: Compiled, anchor: str) -> Lowering:
    """The first region with an anchor."""
    graph = compiled.graph
    node = next(n for n in graph.nodes if n.op == "region" and n.attrs["anchor"] == anchor)
    return Lowering(node, GraphPlacement(graph), KernelLibrary(), compiled.target)


def ways_of(compiled: Compiled, threads: int | None = None) -> dict[str, tuple[Alternative, ...]]:
    return alternatives_of(compiled.graph, compiled.plan, compiled.target, threads)


def anchored(compiled: Compiled) -> set[str]:
    return {p + n.name for p, g in graphs_in(compiled.graph) for n in g.nodes if n.op == "region" and n.attrs["anchor"]}


@pytest.mark.parametrize("name", NETWORKS)
def test_every_heavy_region_tells_which_way_was_taken(name, cache_folder):
    compiled = compile_graph(parse_graph(NETWORKS[name]))
    found = ways_of(compiled)
    assert set(found) == anchored(compiled)
    for ways in found.values():
        assert 1 <= len(ways) <= SHOWN and sum(w.taken for w in ways) == 1
        assert len({w.name for w in ways}) == len(ways) and all(w.measured is None for w in ways)


def test_measured_ways_stand_first_and_the_one_of_the_plan_is_never_left_out(cache_folder):
    compiled = compile_graph(parse_graph(CONVS))
    lowering = lowering_of(compiled, "conv")
    names = list(lowered_apart(lowering, decisions(lowering)))  # on some targets, a variant is the model's own choice
    assert len(names) > SHOWN
    times = {names[0]: 4e-6, names[1]: 3e-6, names[2]: 1e-6, names[3]: 2e-6}
    Database(machine_of(compiled.target, 2)).add([Record(signature(lowering), names[2], times, "quick")])
    ways = ways_of(compiled, 2)[lowering.region.name]
    assert [(w.name, w.measured) for w in ways] == [(n, times[n]) for n in (names[2], names[3], names[0])]
    assert [w.taken for w in ways] == [False, False, True]  # it was compiled before anything was measured
    assert all(w.measured is None for w in ways_of(compiled, 1)[lowering.region.name])


def test_predicted_times_order_what_was_not_measured(cache_folder, monkeypatch):
    compiled = compile_graph(parse_graph(CONVS))
    table = families.candidates
    costs = {"direct": 3e-6, "winograd": 1e-6}

    def with_costs(anchor):
        return tuple(replace(c, cost=(lambda s: lambda found, target: s)(costs.get(c.name, 9e-6))) for c in table(anchor))

    monkeypatch.setattr(families, "candidates", with_costs)
    for ways in ways_of(compiled).values():
        untaken = [w.predicted for w in ways if not w.taken]
        assert all(w.predicted is not None for w in ways) and untaken == sorted(untaken)


def test_a_tuned_network_has_the_measured_time_of_what_runs(cache_folder):
    model = torch.nn.Sequential(torch.nn.Conv2d(16, 16, 3), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 1)).eval()
    x = torch.rand(1, 16, 16, 16)
    fast = sol.optimize(model, x, time_budget=2)
    found = sol.explain(fast, x, alternatives=True)
    convolutions = [r for r in found.regions if "conv" in r.ops]
    assert len(convolutions) == 2 and all(any(w.measured and w.taken for w in r.alternatives) for r in convolutions)
    text = str(found)
    assert "µs measured" in text and text.count("      * ") == sum(bool(r.alternatives) for r in found.regions)
    assert not any(r.alternatives for r in sol.explain(fast, x).regions)


def test_a_session_tells_them_too(cache_folder, tmp_path):
    onnx = pytest.importorskip("onnx")
    w = onnx.numpy_helper.from_array(np.ones((8, 4), np.float32), "w")
    node = onnx.helper.make_node("Gemm", ["x", "w"], ["y"], transB=1)
    ports = [onnx.helper.make_tensor_value_info(n, 1, s) for n, s in (("x", [3, 4]), ("y", [3, 8]))]
    graph = onnx.helper.make_graph([node], "g", ports[:1], ports[1:], [w])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    session = sol.load(str(tmp_path / "m.onnx"))
    found = sol.explain(session, [np.ones((3, 4), np.float32)], alternatives=True)
    assert [w.name for r in found.regions for w in r.alternatives if w.taken] in (["gemm"], ["dot"])
    assert all(w.predicted for r in found.regions for w in r.alternatives if w.taken) and "µs predicted" in str(found)
