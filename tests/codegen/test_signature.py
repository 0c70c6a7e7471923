"""What makes two regions the same to the tuning database, and what makes them different."""

from __future__ import annotations

import pytest

from sol.codegen.kernels.families import alternatives
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.placement import GraphPlacement
from sol.codegen.signature import signature
from sol.codegen.targets import by_name
from sol.ir.graph import Graph
from sol.ir.text import parse_graph
from sol.passes.pipeline import run_passes
from tests.passes.support import CONV1

TARGET = by_name("avx2")
CONV = "{dilation=(1, 1), padding=((1, 1), (1, 1)), stride=(1, 1)}"


def network(size: int = 8, *, names: str = "", tail: str = "relu", value: float = 2.0, second: int = 1) -> str:
    """Two 3x3 convolutions one after the other, the first with a border around its result."""
    n, s = names, f"{size},{size}"
    scaled = f"%{n}e: f32[1,16,{s}] = mul(%{n}d, %{n}k)\n" if value else f"%{n}e: f32[1,16,{s}] = relu(%{n}d)\n"
    return f"""graph(%{n}x: f32[1,16,{s}]) {{
  %{n}w = parameter{{target="w"}}: f32[16,16,3,3]
  %{n}v = parameter{{target="v"}}: f32[16,16,{second},{second}]
  %{n}k = constant{{dtype=f32, value=array(f32[], [{value}])}}: f32[]
  %{n}a: f32[1,16,{s}] = conv(%{n}x, %{n}w){CONV}
  %{n}b: f32[1,16,{s}] = {tail}(%{n}a)
  %{n}d: f32[1,16,{s}] = conv(%{n}b, %{n}v){CONV if second == 3 else CONV1}
  {scaled}  return %{n}e
}}"""


def fused(text: str) -> Graph:
    return list(run_passes(parse_graph(text), TARGET))[-1][1]


def lowerings(graph: Graph) -> list[Lowering]:
    placement, library = GraphPlacement(graph), KernelLibrary()
    regions = [n for n in graph.nodes if n.op == "region" and n.attrs["anchor"] == "conv"]
    return [Lowering(n, placement, library, TARGET) for n in regions]


def signatures(**changes: object) -> list[str]:
    return [signature(x) for x in lowerings(fused(network(**changes)))]  # type: ignore[arg-type]


def test_names_and_literals_do_not_matter():
    assert signatures(names="p", value=3.0) == signatures()


@pytest.mark.parametrize("changes", [{"size": 9}, {"tail": "tanh"}])
def test_shapes_and_ops_matter(changes):
    assert signatures(**changes)[0] != signatures()[0]


def test_a_border_around_the_result_matters():
    assert signatures(second=3)[0] != signatures(second=1)[0]
    assert "-> " in signatures()[0] and signatures(second=3)[0].endswith("gaps")


def test_weights_are_told_from_activations():
    assert signatures()[0].count("weight") == 1


def test_alternatives_begin_with_the_models_choice():
    first = lowerings(fused(network(16)))[0]
    names = [d.name for d in alternatives(first)]
    assert len(set(names)) == len(names) > 3
    assert names[0] == "winograd" and any(n.startswith("winograd/f") for n in names) and "direct" in names
