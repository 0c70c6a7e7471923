"""Predicted times of kernels: every family has them where sizes are known, and they follow machine, threads, memory and order of work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sol.codegen.decision import Decision
from sol.codegen.kernels.conv_cost import direct_seconds
from sol.codegen.kernels.conv_tiling import named_tiling
from sol.codegen.kernels.families import decisions, preferred
from sol.codegen.kernels.traffic import balance, byte_seconds, missing, other_cores_seconds, weight_seconds
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.machines import NEUTRAL, ZEN4, Machine
from sol.codegen.placement import GraphPlacement
from sol.codegen.targets import Target, by_name, with_matrix_tiles
from sol.ir.text import parse_graph
from sol.passes.pipeline import run_passes
from tests.codegen.networks import AVERAGE, NETWORKS, WINDOW, convolution, one, weight

WITHOUT = {"conv_plain", "conv_transpose", "conv_int", "argmax_pool", "plain_recurrence", "grouped", "det", "blocks", "custom",
           "conv_weight_tiles"}  # fmt: skip
"""Candidates that stand for themselves, so that nothing is compared with them, or that are taken wherever they match."""
TOLD = ("conv", "conv_chain", "sdpa", "max_pool", "avg_pool", "adaptive_avg_pool", "linear", "matmul", "")


def target(machine: Machine = NEUTRAL, team: int = 2) -> Target:
    return replace(by_name("avx512"), machine=machine, team=team)


def lowerings(text: str, target: Target) -> list[Lowering]:
    graph = list(run_passes(parse_graph(text), target))[-1][1]
    placement = GraphPlacement(graph, target.space)
    return [Lowering(n, placement, KernelLibrary(), target) for n in graph.nodes if n.op == "region"]


def ways(text: str, anchor: str, target: Target) -> dict[str, Decision]:
    """Decisions of the first region with an anchor, by name."""
    return {d.name: d for d in decisions(next(x for x in lowerings(text, target) if x.region.attrs["anchor"] == anchor))}


def seconds(text: str, anchor: str, target: Target, name: str) -> float:
    found = ways(text, anchor, target)[name].seconds
    assert found is not None and found > 0
    return found


@pytest.mark.parametrize("machine", [NEUTRAL, ZEN4], ids=lambda m: m.name)
@pytest.mark.parametrize("name", NETWORKS)
def test_families_that_offer_several_ways_predict_times(name, machine):
    for lowering in lowerings(NETWORKS[name], target(machine)):
        static = all(isinstance(s, int) for n in lowering.body.nodes for t in n.types for s in t.shape)
        if lowering.region.attrs["anchor"] in TOLD and static:
            for decision in decisions(lowering):
                assert decision.candidate in WITHOUT or decision.seconds is not None and 0 < decision.seconds < 1, decision.name


QUARTER = f"avg_pool(%x){{{AVERAGE}, divisor=None, kernel=(4, 4), stride=(4, 4)}}"


def depthwise(channels: int, size: int) -> str:
    return convolution(channels, channels, size, 3, channels, pad=1)


@pytest.mark.parametrize("text,anchor,name", [
    (lambda n: depthwise(32 * n, 14), "conv", "conv_depthwise"),
    (lambda n: convolution(32 * n, 32 * n, 14, 3, 8 * n, pad=1), "conv", "conv_grouped"),
    (lambda n: convolution(64, 64 * n, 14, 1), "conv", "direct"),
    (lambda n: convolution(64, 64 * n, 14, 3, pad=1), "conv", "winograd"),
    (lambda n: one(f"%x: f32[1,16,{32 * n},33]", f"f32[1,16,{16 * n},17]", f"max_pool(%x){{{WINDOW}}}"), "max_pool", "pool_rows"),
    (lambda n: one(f"%x: f32[1,{64 * n},32,32]", f"f32[1,{64 * n},8,8]", QUARTER), "avg_pool", "pool_rows"),
    (lambda n: one(f"%x: f32[64,{1000 * n}]", f"f32[64,{1000 * n}]", "exp(%x)"), "", "pointwise"),
    (lambda n: one(f"%x: f32[64,{1000 * n}]", f"f32[64,{1000 * n}]", "softmax(%x){dim=1}"), "", "rows"),
    (lambda n: one(f"%x: f32[64,{1000 * n}]", f"f32[64,{1000 * n}]", "cumsum(%x){dim=1}"), "", "move"),
    (lambda n: one(f"%q: f32[4,64,32], %k: f32[4,{64 * n},32], %v: f32[4,{64 * n},32]", "f32[4,64,32]",
                   "sdpa(%q, %k, %v){causal=False, scale=0.5}"), "sdpa", "sdpa"),
])  # fmt: skip
def test_more_work_takes_longer_and_a_team_less(text, anchor, name):
    small, large = (seconds(text(n), anchor, target(), name) for n in (1, 16))
    assert 4 * small < large < 64 * small
    assert seconds(text(16), anchor, target(team=1), name) > 1.3 * large


def test_threads_that_share_out_vectors_read_what_others_wrote():
    text = convolution(512, 64, 28, 1)
    taken, vectors = (seconds(text, "conv", target(), name) for name in ("direct", "direct/vectors"))
    assert vectors - taken == pytest.approx(other_cores_seconds(4 * 512 * 28 * 28, target()), rel=0.2)


def test_tiles_that_do_not_divide_evenly_cost_time():
    """Maps of 3 and 4 tiles of 14 pixels, for two threads."""
    for tiles, faster in ((3, 3 / 2), (4, 2)):
        conv = replace(ways(convolution(256, 64, 14, 1), "conv", target())["direct"].found.problem.conv, oh=tiles, ow=14)
        one, two = (direct_seconds(conv, named_tiling("2x1x14", tiles, 14, True), target(team=n)) for n in (1, 2))
        assert one / two == pytest.approx(faster, rel=0.15)


def test_weights_that_serve_one_register_tile_are_not_fetched_ahead():
    """25 tiles for each of two threads: two register tiles share what a block of 28 fetches, blocks of 14 wait for it twice."""
    text = convolution(128, 32, 14, 3, pad=1)
    found = ways(text, "conv", target())
    assert found["winograd"].found.how.block == 28
    assert found["winograd"].seconds < found[f"winograd/{found['winograd'].found.grid.name}b14"].seconds  # type: ignore[operator]


def test_where_caches_were_not_timed_a_rule_decides_on_blocks():
    assert not ZEN4.memory.is_known and NEUTRAL.memory.is_known
    way = ways(convolution(128, 32, 14, 3, pad=1), "conv", replace(target(), machine=replace(NEUTRAL, memory=ZEN4.memory)))["winograd"]
    assert way.found.how.block == 14


def test_what_lies_between_two_uses_decides_where_bytes_come_from():
    machine, found = NEUTRAL, [byte_seconds(size, target(), fastest=True) for size in (1 << 10, 1 << 18, 1 << 22, 1 << 30)]
    assert found == sorted(found) and len(set(found)) == 4
    assert missing(machine.streams.resident * 100, 100, machine) == 0 and missing(100, 100, machine) == missing(200, 100, machine) == 1
    assert 0 < missing(75, 100, machine) < 1
    assert found[0] == pytest.approx(2 / machine.memory.l1.together) and found[3] == pytest.approx(2 / machine.memory.main.together)


def test_a_level_that_was_not_timed_counts_as_the_one_before():
    unknown = replace(NEUTRAL, memory=ZEN4.memory)
    assert byte_seconds(1 << 10, target(unknown)) == 0 and byte_seconds(1 << 40, target(unknown)) > 0


@pytest.mark.parametrize("pieces,team,times", [(4, 2, 1.0), (7, 2, 8 / 7), (1, 2, 2.0), (0, 2, 1.0), (5, 1, 1.0)])
def test_balance(pieces, team, times):
    assert balance(pieces, team) == pytest.approx(times)


def test_weights_are_read_by_the_team_together():
    assert weight_seconds(1e6, target(team=1)) > weight_seconds(1e6, target(team=2)) > weight_seconds(1e6, target(team=1)) / 2


def test_matrix_tiles_multiply_float32_where_there_are_many_rows() -> None:
    """A tile has 16 of them; without tiles nothing of that is offered."""
    tiles = with_matrix_tiles(target())
    for rows, expected in ((1, False), (256, True)):
        text = one(f"%x: f32[{rows},512]", f"f32[{rows},512]", "linear(%x, %w)", weight(512, 512))
        (lowering,) = lowerings(text, tiles)
        assert (preferred(lowering).name == "split") is expected
        assert "split" not in ways(text, "linear", target())
    two = one("%x: f32[512,512], %w: f32[512,512]", "f32[512,512]", "matmul(%x, %w)")
    assert preferred(lowerings(two, tiles)[0]).name == "split"
