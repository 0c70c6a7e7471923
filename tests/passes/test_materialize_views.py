"""Copies appear where strides cannot express a view, and nowhere else."""

from __future__ import annotations

import pytest

from sol.ir.text import parse_graph
from sol.passes.materialize_views import materialize_views
from sol.passes.views import storage_orders, value_strides
from tests.passes.support import fused, ops, regions, run

TRANSPOSED = """graph(%x: f32[2,3,4,5]) {{
  {first}
  %p: f32[2,4,3,5] = permute(%a){{order=(0, 2, 1, 3)}}
  %r: f32[2,4,15] = reshape(%p){{shape=(2, 4, 15)}}
  %y: f32[2,4,15] = neg(%r)
  return %y{more}
}}"""
RELU = "%a: f32[2,3,4,5] = relu(%x)"


def test_an_input_is_copied():
    text = TRANSPOSED.format(first="%a: f32[2,3,4,5] = slice(%x){dim=0, start=0, step=1, stop=2}", more="")
    assert ops(run(materialize_views, text)) == ["slice", "permute", "copy", "reshape", "neg"]


@pytest.mark.parametrize("op", ["relu(%x)", "softmax(%x){dim=3}", "cumsum(%x){dim=3}"])
def test_a_result_is_stored_in_the_order_in_which_it_is_read(op):
    text = TRANSPOSED.format(first=f"%a: f32[2,3,4,5] = {op}", more="")
    after = run(materialize_views, text)
    assert ("copy" in ops(after)) == ("cumsum" in op)  # a cumsum has no kernel for every order
    if "cumsum" not in op:
        assert storage_orders(after) == {"a": (0, 2, 1, 3)} and value_strides(after)["r"] == (60, 15, 1)


def test_a_graph_output_keeps_its_order():
    assert "copy" in ops(run(materialize_views, TRANSPOSED.format(first=RELU, more=", %a")))


def test_the_order_that_breaks_fewest_views_wins():
    both = TRANSPOSED.format(first=RELU, more=", %m, %n").replace(
        "  return",
        "  %f: f32[6,20] = reshape(%a){shape=(6, 20)}\n  %m: f32[6,20] = neg(%f)\n"
        "  %g: f32[2,60] = reshape(%a){shape=(2, 60)}\n  %n: f32[2,60] = neg(%g)\n  return",
    )
    after = run(materialize_views, both)
    assert storage_orders(after) == {} and ops(after).count("copy") == 1


def test_the_last_dimension_stays_innermost():
    text = """graph(%x: f32[2,3,4]) {
  %a: f32[2,3,4] = relu(%x)
  %p: f32[2,4,3] = permute(%a){order=(0, 2, 1)}
  %r: f32[2,12] = reshape(%p){shape=(2, 12)}
  %y: f32[2,12] = neg(%r)
  return %y
}"""
    assert ops(run(materialize_views, text)) == ["relu", "permute", "copy", "reshape", "neg"]


def test_a_whole_view_may_be_an_output():
    text = "graph(%x: f32[2,3,4]) {\n  %a: f32[2,3,4] = relu(%x)\n  %y: f32[2,12] = reshape(%a){shape=(2, 12)}\n  return %y\n}"
    assert ops(run(materialize_views, text)) == ["relu", "reshape"]


@pytest.mark.parametrize(
    "body,outputs,copies",
    [
        ("", "%x", 1),
        ("%y: f32[12,1] = reshape(%x){shape=(12, 1)}", "%y", 1),
        ("%a: f32[3,4] = relu(%x)", "%a, %a", 1),
        ("%a: f32[3,4] = relu(%x)\n  %b: f32[12] = reshape(%a){shape=(12,)}", "%a, %b", 1),
        ("%a: f32[3,4] = relu(%x)\n  %b: f32[12] = reshape(%a){shape=(12,)}", "%b, %a, %b", 2),
        ("%a: f32[3,4] = relu(%x)\n  %b: f32[2,4] = slice(%a){dim=0, start=0, step=1, stop=2}", "%b", 1),
        ("%a: f32[3,4] = relu(%x)\n  %b: f32[4,3] = permute(%a){order=(1, 0)}", "%b", 1),
        ("%a: f32[3,4] = relu(%x)\n  %b: f32[2,3,4] = expand(%a){shape=(2, 3, 4)}", "%b", 1),
        ('%p = parameter{target="p"}: f32[3]\n  %q: f32[3] = neg(%p)', "%p, %q", 2),
        ("%c: f32[6,4] = concat(%x, %x){dim=0}\n  %b: f32[24] = reshape(%c){shape=(24,)}", "%b", 1),
    ],
)
def test_outputs_own_their_memory(body, outputs, copies):
    after = run(materialize_views, f"graph(%x: f32[3,4]) {{\n  {body}\n  return {outputs}\n}}")
    assert sum(n.op == "copy" for n in after.nodes) == copies


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("output", [True, False])
def test_attention_needs_no_copy(causal, output):
    """Heads are split and merged through strides, also with symbolic batch and length."""
    tail = "" if output else "  %z: f32[n,l,32] = neg(%y)\n"
    text = f"""graph(%x: f32[n,l,32]) where l in [2, 99], n in [2, 9] {{
  %s: f32[n,l,2,16] = reshape(%x){{shape=(n, l, 2, 16)}}
  %q: f32[n,2,l,16] = permute(%s){{order=(0, 2, 1, 3)}}
  %a: f32[n,2,l,16] = sdpa(%q, %q, %q){{causal={causal}, scale=0.25}}
  %p: f32[n,l,2,16] = permute(%a){{order=(0, 2, 1, 3)}}
  %y: f32[n,l,32] = reshape(%p){{shape=(n, l, 32)}}
{tail}  return %{"y" if output else "z"}
}}"""
    after = fused(text, n=2, l=7)
    assert regions(after) == ([["sdpa"]] if output else [["sdpa"], ["neg"]])


def test_free_reorder_of_a_strided_value_is_copied():
    """A map of one pixel whose channels lie apart cannot be read in blocks."""
    text = """graph(%x: f32[2,1,32,2]) {
  %a: f32[2,1,32,2] = relu(%x)
  %s: f32[2,1,32,1] = slice(%a){dim=3, start=1, step=1, stop=2}
  %r: f32[2,32,1,1] = permute(%s){order=(0, 2, 1, 3)}
  %b: f32[2,32,1,1]{c16} = reorder(%r){layout=layout(16)}
  %y: f32[2,32,1,1]{c16} = neg(%b)
  return %y
}"""
    assert "copy" in ops(run(materialize_views, text))


def test_graph_without_views_is_unchanged():
    text = "graph(%x: f32[3]) {\n  %y: f32[3] = relu(%x)\n  return %y\n}"
    assert materialize_views(parse_graph(text)) == parse_graph(text)


NORMED = {
    "layer_norm(%p){dims=1, eps=1e-05}": True,
    "rms_norm(%p){dims=1, eps=1e-05}": True,
    "softmax(%p){dim=2}": True,
    "softmax(%p){dim=1}": False,
    "relu(%p)": False,
}


@pytest.mark.parametrize("op,copied", NORMED.items())
def test_rows_that_lie_across_their_result_are_transposed_first(op, copied):
    text = f"graph(%x: f32[2,3,4]) {{\n  %p: f32[2,4,3] = permute(%x){{order=(0, 2, 1)}}\n  %y: f32[2,4,3] = {op}\n  return %y\n}}"
    assert ops(run(materialize_views, text)) == ["permute", *(["copy"] if copied else []), op.partition("(")[0]]
