"""The plan: every dependence between launches is separated by a barrier, in-place results, borders, clear refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sol.codegen.plan import Buffer, Plan
from sol.codegen.schedule import BORDER, make_plan
from sol.codegen.targets import by_name
from sol.errors import UnsupportedError
from sol.ir.text import parse_graph
from sol.passes.pipeline import run_passes
from tests.codegen.networks import NETWORKS, conv, plan_of, weight
from tests.passes.test_pipeline import Seeded
from tests.random_graphs import make_recipe


def overlaps(a: Buffer, b: Buffer, symbolic: bool) -> bool:
    """Whether two buffers may share bytes."""
    if a.name == b.name:
        return True
    if a.kind != "arena" or b.kind != "arena":
        return False
    if symbolic:
        return a.last < b.first or b.last < a.first
    return a.offset < b.offset + b.size and b.offset < a.offset + a.size


def check_barriers(plan: Plan) -> None:
    """Replays the plan: within a run of launches without a barrier none writes what another touches (zeroed borders aside)."""
    buffers = {b.name: b for b in plan.buffers}
    run: list = []
    lasting = sum(launch.once for launch in plan.launches)  # all wait behind these
    assert not any(launch.once for launch in plan.launches[lasting:])
    for launch in plan.launches[lasting:]:
        run = [launch] if launch.barrier else [*run, launch]
        assert sum(x.shared_scratch != 0 for x in run) <= 1, "two launches use the shared scratch at once"
        for earlier in run[:-1]:
            for a in earlier.buffers:
                for b in launch.buffers:
                    if not (a.writes or b.writes) or a.buffer not in buffers or b.buffer not in buffers:
                        continue
                    border = BORDER in (earlier.kernel, launch.kernel) and a.buffer == b.buffer and a.writes and b.writes
                    together = overlaps(buffers[a.buffer], buffers[b.buffer], bool(plan.symbols))
                    assert border or not together, f"{earlier.region} and {launch.region} meet in {a.buffer}, {b.buffer}"


def check_lifetimes(plan: Plan) -> None:
    """Every reference to an arena buffer lies in its lifetime, and buffers that live at once do not overlap."""
    buffers = {b.name: b for b in plan.buffers if b.kind == "arena"}
    for i, launch in enumerate(plan.launches):
        for ref in launch.buffers:
            if ref.buffer in buffers and not launch.once:
                assert buffers[ref.buffer].first <= i <= buffers[ref.buffer].last
    if plan.symbols:
        return
    arena = list(buffers.values())
    for k, a in enumerate(arena):
        assert a.offset + a.size <= plan.arena
        for b in arena[:k]:
            assert a.last < b.first or b.last < a.first or not overlaps(a, b, False)
    lasting = [buffers[ref.buffer] for launch in plan.launches if launch.once for ref in launch.buffers]
    for a in lasting:  # zeroed once: nothing but borders may lie on borders
        for b in arena:
            alike = (a.map_shape, a.pixel, a.border) == (b.map_shape, b.pixel, b.border)
            assert not overlaps(a, b, False) or (alike and (a.offset - b.offset) % (math.prod(a.map_shape) * a.pixel) == 0)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name):
    plan = plan_of(NETWORKS[name])
    check_barriers(plan)
    check_lifetimes(plan)


@pytest.mark.parametrize("seed", range(200, 260))
def test_random_networks(seed):
    graph = make_recipe(Seeded(seed), 16, seed % 3 == 0).graph
    plan = make_plan(list(run_passes(graph, by_name("avx2")))[-1][1], by_name("avx2"))
    check_barriers(plan)
    check_lifetimes(plan)


def test_independent_branches_run_without_a_barrier():
    plan = plan_of("graph(%x: f32[4,8], %z: f32[4,8]) {"
                   "\n  %a: f32[4,8] = cumsum(%x){dim=1}\n  %b: f32[4,8] = cumsum(%z){dim=1}\n  return %a, %b\n}")  # fmt: skip
    assert [x.barrier for x in plan.launches] == [False, False]


def test_borders_are_zeroed_once_beside_the_first_writer():
    plan = plan_of(NETWORKS["winograd"])
    assert [x.kernel == BORDER for x in plan.launches].count(True) <= 1
    first = next((i for i, x in enumerate(plan.launches) if x.kernel == BORDER), None)
    assert first is None or not plan.launches[first + 1].barrier


def arena_buffers_of(body: str, outputs: str = "%y") -> int:
    """Buffers between a scan, a pointwise op and another scan, none of which can share a region."""
    text = f"""graph(%x: f32[64,8], %z: f32[64,8]) {{
  %t: f32[64,8] = cumsum(%x){{dim=0}}
  %s: f32[64,8] = {body}
  %y: f32[64,8] = cumsum(%s){{dim=0}}
  return {outputs}
}}"""
    return sum(b.kind == "arena" for b in plan_of(text).buffers)


def test_a_pointwise_result_takes_over_an_operand_that_dies():
    assert arena_buffers_of("add(%t, %z)") == 1


def test_not_if_the_operand_is_read_later():
    assert arena_buffers_of("add(%t, %z)\n  %c: f32[64,8] = cumsum(%s){dim=1}\n  %q: f32[64,8] = add(%c, %t)", "%y, %q") == 3


def test_not_if_the_operand_is_read_at_other_elements():
    text = """graph(%x: f32[8,8], %w: f32[8,8]) {
  %t: f32[8,8] = cumsum(%x){dim=0}
  %p: f32[8,8] = permute(%t){order=(1, 0)}
  %s: f32[8,8] = add(%t, %p)
  %y: f32[8,8] = matmul(%s, %w)
  return %y
}"""
    assert sum(b.kind == "arena" for b in plan_of(text).buffers) == 2


def test_not_if_the_operand_is_broadcast_or_an_output():
    text = """graph(%x: f32[1,8], %z: f32[8,8]) {
  %t: f32[1,8] = cumsum(%x){dim=0}
  %u: f32[8,8] = cumsum(%z){dim=0}
  %s: f32[8,8] = add(%t, %u)
  %y: f32[8,8] = cumsum(%s){dim=1}
  return %y, %u
}"""
    assert sum(b.kind == "arena" for b in plan_of(text).buffers) == 2


def test_in_place_results_are_right():
    """A chain of in-place steps between ops that cannot be fused with them, compiled and run."""
    from sol.compiler import compile_graph
    from sol.ir.interpret import evaluate
    from sol.runtime.executable import Executable

    graph = parse_graph("""graph(%x: f32[40,9], %z: f32[40,9]) {
  %t: f32[40,9] = cumsum(%x){dim=0}
  %s: f32[40,9] = add(%t, %z)
  %u: f32[40,9] = cumsum(%s){dim=1}
  %v: f32[40,9] = mul(%u, %z)
  %y: f32[40,9] = cumsum(%v){dim=0}
  return %y
}""")
    rng = np.random.default_rng(1)
    inputs = {n: rng.standard_normal((40, 9)).astype(np.float32) for n in ("x", "z")}
    executable = Executable(compile_graph(graph))
    assert sum(b.kind == "arena" for b in executable.plan.buffers) == 2
    executable.pack({})
    (got,) = executable([inputs[n] for n in graph.inputs])
    (want,) = evaluate(graph, inputs, {}).values()
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def test_what_cannot_be_compiled_is_named():
    text = """graph(%x: f32[4]) {
  %y: f32[4] = torch_call(%x){key="aten.sort", reason="no converter", types=(f32[4],)}
  return %y
}"""
    with pytest.raises(UnsupportedError, match="aten.sort cannot be compiled: no converter"):
        plan_of(text)


def test_symbolic_sizes_of_batch_and_map():
    plan = plan_of(f"""graph(%x: f32[n,16,h,h]) where h in [3, 99], n in [2, 9] {{
  {weight(16, 16, 3, 3)}
  %a: f32[n,16,h,h] = {conv("x", "w", pad=1)}
  %y: f32[n,16,h,h] = {conv("a", "w", pad=1)}
  return %y
}}""")
    assert plan.symbols == ("h", "n")
    check_barriers(plan)
