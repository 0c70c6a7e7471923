"""Whoever is asked to choose sees the same question for equal pieces of any network, with the model's choice first."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sol.ir.graph import Graph
from sol.ir.text import parse_graph
from sol.passes.choices import first, nodes_text
from sol.passes.pipeline import run_passes
from tests.passes.support import CONV1, TARGET, assert_same, regions
from tests.passes.test_fuse_conv_chains import block


def asked(text: str, answer: str = "") -> tuple[Graph, dict[str, tuple[str, ...]]]:
    """The fused graph when every question that has this option is answered with it, and the questions."""
    questions: dict[str, tuple[str, ...]] = {}

    def choose(key: str, options: Sequence[str], nodes: Collection[str] = ()) -> str:
        questions[key] = tuple(options)
        return answer if answer in options else options[0]

    return list(run_passes(parse_graph(text), TARGET, choose))[-1][1], questions


def test_the_model_is_asked_where_nobody_else_is():
    assert first("anything", ("a", "b")) == "a"


def test_a_chain_is_asked_for_and_obeyed():
    text = block(112)
    default, questions = asked(text)
    (options,) = (o for k, o in questions.items() if k.startswith("chain "))
    assert set(options) == {"expand", "start", "none"}
    for answer, count in (("expand", 1), ("start", 2), ("none", 3)):
        graph, _ = asked(text, answer)
        assert sum("conv" in r for r in regions(graph)) == count
    assert regions(default) == regions(asked(text, options[0])[0])


def test_a_question_names_no_node():
    text = block(112)
    renamed = text.replace("%a", "%first").replace('"w"', '"weight"')
    assert asked(renamed)[1] == asked(text)[1]


def test_an_input_made_on_the_way_may_be_made_apart():
    text = f"""graph(%x: f32[1,16,8,8]) {{
      %w = parameter{{target="w"}}: f32[16,16,1,1]
      %v = parameter{{target="v"}}: f32[16,16,1,1]
      %a: f32[1,16,8,8] = conv(%x, %w){CONV1}
      %b: f32[1,16,8,8] = relu(%a)
      %c: f32[1,16,8,8] = tanh(%b)
      %d: f32[1,16,8,8] = conv(%c, %v){CONV1}
      %y: f32[1,16,8,8] = add(%d, %b)
      return %y
    }}"""
    fused, questions = asked(text)
    apart, _ = asked(text, "apart")
    assert any(k.startswith("prologue ") for k in questions)
    assert len(regions(apart)) > len(regions(fused))
    assert_same(fused, apart)


def test_equal_nodes_read_alike():
    graph = parse_graph(block())
    nodes = [n for n in graph.nodes if n.op in ("conv", "relu")]
    text = nodes_text(graph, nodes)
    assert "%" not in text and text.count("conv(") == 3
