"""Which convolutions become one chain, and which must not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sol.codegen.placement import GraphPlacement
from sol.ir.graph import Graph
from tests.passes.support import CONV1, TARGET, regions
from tests.passes.support import fused as fused_for

CHAIN = ["conv", "relu", "conv", "relu", "conv"]
DENSE = CONV1
TAIL = ["conv", "relu", "conv"]


def block(
    size: int = 12,
    stride: int = 1,
    *,
    batch: str = "1",
    groups: int = 32,
    dilation: int = 1,
    between: str = "relu(%d)",
    result: str = "relu(%p)",
    output: str = "",
    dense: str = DENSE,
) -> str:
    """16 -> 32 -> 16 channels; %x is the input, %a, %d and %p the convolutions, %b and %e the activations, %y = ``result``."""
    half = size // stride
    pad = (dilation, dilation)
    deep = f"{{dilation={pad}, groups={groups}, padding=({pad}, {pad}), stride=({stride}, {stride})}}"
    return f"""graph(%x: f32[{batch},16,{size},{size}], %s: f32[{batch},32,1,1]){" where n in [2, 9]" if batch == "n" else ""} {{
  %w = parameter{{target="w"}}: f32[32,16,1,1]
  %v = parameter{{target="v"}}: f32[32,{32 // groups},3,3]
  %u = parameter{{target="u"}}: f32[16,32,1,1]
  %a: f32[{batch},32,{size},{size}] = conv(%x, %w){DENSE}
  %b: f32[{batch},32,{size},{size}] = relu(%a)
  %d: f32[{batch},32,{half},{half}] = conv(%b, %v){deep}
  %e: f32[{batch},32,{half},{half}] = {between}
  %p: f32[{batch},16,{half},{half}] = conv(%e, %u){dense}
  %y: f32[{batch},16,{half},{half}] = {result}
  return %y{output}
}}"""


def fused(text: str, n: int = 1, **sizes: int) -> Graph:
    """The fused graph for a machine on which chains pay from these sizes on, by default from any. n: images, where they are open."""
    from_any = TARGET.machine.graph
    wanted = replace(from_any, **{"chain_map": 1, "chain_expansion": 1, **sizes})
    return fused_for(text, replace(TARGET, machine=replace(TARGET.machine, graph=wanted)), n=n)


def convs(graph: Graph) -> list[list[str]]:
    return [r for r in regions(graph) if "conv" in r]


def test_inverted_residual():
    graph = fused(block(result="add(%p, %x)"))
    (chain,) = (n for n in graph.nodes if n.op == "region" and n.attrs["anchor"] == "conv_chain")
    assert convs(graph) == [[*CHAIN, "add"]]
    assert chain.attrs["kind"] == "dnn"


@pytest.mark.parametrize("stride", [1, 2])
def test_strides(stride: int):
    assert convs(fused(block(stride=stride))) == [[*CHAIN, "relu"]]


def test_symbolic_batch():
    assert convs(fused(block(batch="n"), n=2)) == [[*CHAIN, "relu"]]


def test_the_wide_map_is_read_twice():
    """It has to be in memory then; what follows it is still a chain."""
    assert convs(fused(block(output=", %b"))) == [["conv", "relu"], [*TAIL, "relu"]]


def test_the_narrow_map_is_read_twice():
    graph = fused(block(output=", %e"))
    assert convs(graph) == [["conv", "relu"], ["conv", "relu"], ["conv", "relu"]]


@pytest.mark.parametrize("change", [dict(groups=1), dict(groups=2), dict(dilation=2), dict(between="mul(%d, %s)")])
def test_what_is_no_chain(change: dict):
    """No depthwise convolution, taps that are apart, and an operand (squeeze and excite) between the convolutions."""
    graph = fused(block(**change))
    assert all(n.attrs["anchor"] != "conv_chain" for n in graph.nodes if n.op == "region")


def test_projection_with_a_stride():
    dense = DENSE.replace("stride=(1, 1)", "stride=(2, 2)")
    text = block(dense=dense).replace("%p: f32[1,16,12,12]", "%p: f32[1,16,6,6]").replace("%y: f32[1,16,12,12]", "%y: f32[1,16,6,6]")
    assert convs(fused(text)) == [["conv", "relu"], ["conv", "relu"], ["conv", "relu"]]


def test_small_maps_stay_apart():
    assert convs(fused(block(), chain_map=4 * 32 * 12 * 12 + 1)) == [["conv", "relu"]] * 3


def test_a_chain_starts_at_the_depthwise_convolution_of_narrow_rows():
    assert convs(fused(block(), chain_expansion=3)) == [["conv", "relu"], [*TAIL, "relu"]]
    assert convs(fused(block(), chain_expansion=3, chain_row=4 * 32 * 12 - 1)) == [["conv", "relu"]] * 3


def test_a_small_map_whose_rows_threads_share_out_evenly():
    assert convs(fused(block(size=12), chain_map=1 << 30)) == [["conv", "relu"]] * 3
    assert convs(fused(block(size=14), chain_map=1 << 30)) == [["conv", "relu"], [*TAIL, "relu"]]
    assert convs(fused(block(size=14, stride=2), chain_map=1 << 30)) == [["conv", "relu"]] * 3
    assert convs(fused(block(size=14), chain_map=1 << 30, chain_shared_weights=4 * 32 * 16 - 1)) == [["conv", "relu"]] * 3


def test_size_of_the_whole_batch_counts():
    assert convs(fused(block(), chain_map=2 * 4 * 32 * 12 * 12)) == [["conv", "relu"]] * 3
    assert convs(fused(block(batch="2"), chain_map=2 * 4 * 32 * 12 * 12)) == [[*CHAIN, "relu"]]


def test_large_weights():
    assert convs(fused(block(), chain_weights=2 * 4 * 32 * 16 - 1)) == [["conv", "relu"], [*TAIL, "relu"]]


def test_large_maps_need_no_expansion():
    assert convs(fused(block(), chain_expansion=3, chain_large_map=4 * 32 * 12 * 12)) == [[*CHAIN, "relu"]]


def test_only_an_input_from_memory_has_a_border():
    assert all(b == ((0, 0), (0, 0)) for b in GraphPlacement(fused(block())).borders.values())
    assert ((1, 1), (1, 1)) in GraphPlacement(fused(block(), chain_expansion=3)).borders.values()
