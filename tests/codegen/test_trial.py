"""Trials: which regions are kept, which ways they have, and that every way of every region is rendered once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sol.codegen.targets import by_name
from sol.codegen.trial import BEFORE, OCCURRENCES, Trial, make_trial, render_trial, with_fewer_ways
from sol.ir.graph import Graph
from sol.ir.text import parse_graph
from sol.passes.pipeline import run_passes
from tests.passes.support import CONV1

TARGET = by_name("avx2")
PAD = "{dilation=(1, 1), padding=((1, 1), (1, 1)), stride=(1, 1)}"


def stack(layers: int, last: int = 1) -> Graph:
    """So many equal 3x3 convolutions with relu between, then a 1x1 convolution."""
    lines = [f'%w{i} = parameter{{target="w{i}"}}: f32[16,16,3,3]' for i in range(layers)]
    lines.append(f'%v = parameter{{target="v"}}: f32[24,16,{last},{last}]')
    value = "x"
    for i in range(layers):
        lines += [f"%a{i}: f32[1,16,16,16] = conv(%{value}, %w{i}){PAD}", f"%b{i}: f32[1,16,16,16] = relu(%a{i})"]
        value = f"b{i}"
    lines.append(f"%y: f32[1,24,16,16] = conv(%{value}, %v){CONV1}")
    text = "graph(%x: f32[1,16,16,16]) {\n" + "\n".join(lines) + "\nreturn %y\n}"
    return list(run_passes(parse_graph(text), TARGET))[-1][1]


def everything(key: str, options: Sequence[str]) -> Sequence[str]:
    return options


def only_the_first(key: str, options: Sequence[str]) -> Sequence[str]:
    return options[:1]


def only_3x3(key: str, options: Sequence[str]) -> Sequence[str]:
    return options if "[16,16,3,3]" in key else options[:1]


def keyed(trial: Trial) -> list[str]:
    return [g.key for g in trial.groups if g.key]


def test_nothing_is_kept_where_nothing_is_open():
    assert make_trial(stack(2), TARGET, only_the_first).is_empty


def test_other_heavy_operations_are_measured_too():
    """A product of one row and a pooling; not a product of many rows, one of whose two ways is predicted to be far slower."""
    text = """graph(%x: f32[1,64], %y: f32[96,512], %z: f32[1,32,14,14]) {
      %v = parameter{target="v"}: f32[64,64]
      %w = parameter{target="w"}: f32[512,512]
      %a: f32[1,64] = linear(%x, %v)
      %b: f32[96,512] = linear(%y, %w)
      %p: f32[1,32,7,7] = max_pool(%z){dilation=(1, 1), kernel=(2, 2), padding=((0, 0), (0, 0)), stride=(2, 2)}
      return %a, %b, %p
    }"""
    graph = list(run_passes(parse_graph(text), TARGET))[-1][1]
    assert {g.tried for g in make_trial(graph, TARGET, everything).groups if g.key} == {("gemm", "plain"), ("pool_rows", "pool_plain")}


def test_equal_regions_are_measured_a_few_times_only():
    trial = make_trial(stack(6), TARGET, only_3x3)
    assert max(keyed(trial).count(k) for k in keyed(trial)) == OCCURRENCES


def test_what_comes_before_an_open_region_runs_too():
    graph = stack(4)
    last = next(n.name for n in graph.nodes if n.op == "region" and "y" in {m.name for m in n.attrs["body"].nodes})

    def only_last(key: str, options: Sequence[str]) -> Sequence[str]:
        return options if "[24,16,1,1]" in key else options[:1]

    trial = make_trial(graph, TARGET, only_last)
    assert [g.region for g in trial.groups if g.key] == [last]
    assert len(trial.groups) == BEFORE + 1
    concerned = make_trial(graph, TARGET, only_the_first, {"y"})
    assert [g.region for g in concerned.groups] == [g.region for g in trial.groups]


def test_ways_differ_and_the_first_is_the_one_to_beat():
    for group in make_trial(stack(2), TARGET, everything).groups:
        assert len({w.launches for w in group.ways}) == len(group.ways)
        if group.key:
            assert group.ways[0].name == group.tried[0] and len(group.tried) >= len(group.ways) > 1


def test_fewer_ways_need_fewer_kernels():
    trial = make_trial(stack(2), TARGET, everything)
    fewer = with_fewer_ways(trial, 2)
    assert max(len(g.ways) for g in fewer.groups) == 2
    assert len(fewer.plan.kernels) < len(trial.plan.kernels) and len(fewer.plan.weights) < len(trial.plan.weights)
    assert {x.kernel for x in fewer.plan.launches} == {k.name for k in fewer.plan.kernels}


def test_every_way_is_a_case():
    trial = make_trial(stack(2), TARGET, everything)
    *kernels, network = render_trial(trial)
    assert [k.name for k in kernels] == [k.name for k in trial.plan.kernels]
    assert len(re.findall(r"^    case ", network.text, re.M)) == sum(len(g.ways) for g in trial.groups)
    assert network.text.count("sol_mark(team, call") == len(trial.groups) + 1
    assert render_trial(make_trial(stack(2), TARGET, everything)) == tuple([*kernels, network])
