"""What shares a kernel, and what must not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sol.codegen.machines import ZEN5
from sol.ir.graph import Graph
from sol.ir.text import parse_graph
from sol.passes.fuse_regions import fuse_regions
from sol.passes.pipeline import run_passes
from tests.codegen.networks import NETWORKS
from tests.passes.support import CONV1, CONV3, TARGET, fused, regions, run


def fused_alone(graph: Graph) -> Graph:
    """The graph after this pass alone."""
    return fuse_regions(graph, TARGET.machine.graph)


def fuse(body: str, inputs: str = "%x: f32[4,8]", **env: int) -> list[list[str]]:
    return regions(run(fused_alone, f"graph({inputs}) {{\n{body}\n}}", **env))


def test_epilogue_of_a_matrix_product():
    body = """  %w = parameter{target="w"}: f32[16,8]
  %a: f32[4,16] = linear(%x, %w)
  %b: f32[4,16] = relu(%a)
  %y: f32[4,16] = add(%b, %a)
  return %y"""
    assert fuse(body) == [["linear", "relu", "add"]]


def test_epilogue_ends_where_a_second_value_leaves():
    body = """  %w = parameter{target="w"}: f32[16,8]
  %a: f32[4,16] = linear(%x, %w)
  %b: f32[4,16] = relu(%a)
  return %b, %a"""
    assert fuse(body) == [["linear"], ["relu"]]


def test_two_products_meet_in_one_epilogue():
    body = """  %w = parameter{target="w"}: f32[16,8]
  %v = parameter{target="v"}: f32[16,8]
  %a: f32[4,16] = linear(%x, %w)
  %b: f32[4,16] = linear(%x, %v)
  %y: f32[4,16] = mul(%a, %b)
  return %y"""
    assert sorted(fuse(body)) == [["linear"], ["linear", "mul"]]


def test_no_cycle_through_an_operand():
    """The sum's other operand is computed from the product: it cannot be in the product's epilogue without that."""
    body = """  %w = parameter{target="w"}: f32[8,8]
  %a: f32[4,8] = linear(%x, %w)
  %s: f32[4,8] = softmax(%a){dim=1}
  %y: f32[4,8] = add(%a, %s)
  return %y"""
    assert fuse(body) == [["linear"], ["softmax", "add"]]


def test_no_cycle_between_groups():
    body = """  %w = parameter{target="w"}: f32[8,8]
  %a: f32[4,8] = relu(%x)
  %b: f32[4,8] = linear(%a, %w)
  %y: f32[4,8] = add(%a, %b)
  %z: f32[4,8] = neg(%a)
  return %y, %z"""
    assert sorted(fuse(body)) == [["linear", "add"], ["relu", "neg"]]


def test_rows_share_one_kernel():
    body = """  %m: f32[4,1] = mean(%x){dims=(1,), keepdims=True}
  %c: f32[4,8] = sub(%x, %m)
  %s: f32[4,8] = square(%c)
  %v: f32[4,1] = mean(%s){dims=(1,), keepdims=True}
  %y: f32[4,8] = div(%c, %v)
  return %y"""
    assert fuse(body) == [["mean", "sub", "square", "mean", "div"]]


def test_reductions_over_other_dimensions_stay_apart():
    body = """  %a: f32[4,8] = relu(%x)
  %m: f32[4,1] = max(%a){dims=(1,), keepdims=True}
  %y: f32[1,8] = sum(%a){dims=(0,), keepdims=True}
  return %y, %m"""
    assert sorted(fuse(body)) == [["relu", "max"], ["sum"]]


def test_reductions_over_dimensions_of_size_one_stay_apart():
    body = """  %m: f32[4,1] = max(%x){dims=(1,), keepdims=True}
  %n: f32[4,1] = neg(%m)
  %y: f32[1] = sum(%n){dims=(0,), keepdims=False}
  return %y, %m"""
    assert all(not {"max", "sum"} <= set(r) for r in fuse(body, "%x: f32[4,1]"))


def test_result_of_several_values_feeds_a_region():
    types = "f32[3,2,4], %s#1: f32[2,4], %s#2: f32[2,4]"
    body = f"""  %w = parameter{{target="w"}}: f32[16,4]
  %s: {types} = lstm_scan(%x, %w, %h, %h){{keeps=False, reverse=False}}
  %y: f32[2,4] = add(%s#1, %s#2)
  return %y, %s"""
    assert fuse(body, "%x: f32[3,2,16], %h: f32[2,4]") == [["lstm_scan"], ["add"]]


def test_epilogue_operand_with_strided_lanes_stays_outside():
    body = """  %w = parameter{target="w"}: f32[4,8]
  %a: f32[4,4] = linear(%x, %w)
  %t: f32[4,4] = permute(%z){order=(1, 0)}
  %y: f32[4,4] = add(%a, %t)
  return %y"""
    assert fuse(body, "%x: f32[4,8], %z: f32[4,4]") == [["linear"], ["add"]]


def test_integers_and_floats_have_epilogues_of_their_own():
    body = """  %w = parameter{target="w"}: i32[16,8]
  %a: i32[4,16] = linear(%x, %w)
  %y: i32[4,16] = neg(%a)
  return %y"""
    assert fuse(body, "%x: i32[4,8]") == [["linear"], ["neg"]]


@pytest.mark.parametrize("channels,expected", [(64, [["conv", "relu", "mean"]]), (16, [["reorder"], ["conv", "relu"], ["mean"]])])
def test_global_pooling_joins_a_convolution_of_enough_channels(channels, expected):
    text = f"""graph(%x: f32[1,16,7,7]) {{
  %w = parameter{{target="w"}}: f32[{channels},16,1,1]
  %a: f32[1,{channels},7,7] = conv(%x, %w){CONV1}
  %r: f32[1,{channels},7,7] = relu(%a)
  %y: f32[1,{channels},1,1] = adaptive_avg_pool(%r){{output_size=(1, 1)}}
  return %y
}}"""
    assert regions(fused(text)) == expected


def test_residual_and_symbolic_sizes():
    text = f"""graph(%x: f32[n,16,h,h]) where h in [3, 99], n in [2, 9] {{
  %w = parameter{{target="w"}}: f32[16,16,3,3]
  %a: f32[n,16,h,h] = conv(%x, %w){CONV3}
  %s: f32[n,16,h,h] = add(%a, %x)
  %r: f32[n,16,h,h] = relu(%s)
  %b: f32[n,16,h,h] = conv(%r, %w){CONV3}
  %t: f32[n,16,h,h] = add(%r, %b)
  return %t
}}"""
    assert regions(fused(text, n=2, h=5)) == [["reorder"], ["conv", "add", "relu"], ["conv", "add"], ["reorder"]]


NETWORK = """graph(%x: f32[1,16,8,8]) {{
  %v = parameter{{target="v"}}: f32[16,16,3,3]
  %s = parameter{{target="s"}}: f32[16,1,1]
  %w = parameter{{target="w"}}: f32[16,16,1,1]
  %a: f32[1,16,8,8] = conv(%x, %v){conv3}
{body}
}}"""
POOL2 = "{ceil_mode=False, count_include_pad=True, divisor=None, kernel=(2, 2), padding=((0, 0), (0, 0)), stride=(2, 2)}"
CHAIN = "  %m: f32[1,16,8,8] = mul(%a, %s)\n  %r: f32[1,16,8,8] = relu(%m)\n"


@pytest.mark.parametrize("body,expected", [
    (f"{CHAIN}  %y: f32[1,16,8,8] = conv(%r, %w){CONV1}\n  return %y, %a", ["mul", "relu", "conv"]),  # nobody else reads the chain
    (f"{CHAIN}  %y: f32[1,16,8,8] = conv(%r, %w){CONV1}\n  return %y, %a, %m", ["relu", "conv"]),
    (f"{CHAIN}  %y: f32[1,16,8,8] = conv(%r, %w){CONV1}\n  return %y, %a, %r", ["conv"]),
    (f"{CHAIN}  %y: f32[1,16,8,8] = conv(%r, %w){CONV1}\n  return %y", ["conv"]),  # it is the first convolution's epilogue
    (f"{CHAIN}  %y: f32[1,16,8,8] = conv(%r, %v){CONV3}\n  return %y, %a", ["conv"]),  # the border would have to stay zero
    (f"{CHAIN}  %c: f32[1,16,8,8] = conv(%r, %w){CONV1}\n  %y: f32[1,16,8,8] = neg(%c)\n  return %y, %a", ["mul", "relu", "conv", "neg"]),
    (f"{CHAIN}  %c: f32[1,16,8,8] = conv(%r, %w){CONV1}\n  %y: f32[1,16,8,8] = add(%c, %a)\n  return %y, %a",
     ["mul", "relu", "conv", "add"]),
    (f"{CHAIN}  %p: f32[1,16,4,4] = avg_pool(%r){POOL2}\n  %y: f32[1,16,4,4] = conv(%p, %w){CONV1}\n  return %y, %a",
     ["mul", "relu", "avg_pool", "conv"]),
    (f"  %p: f32[1,16,4,4] = avg_pool(%a){POOL2}\n  %y: f32[1,16,4,4] = conv(%p, %w){CONV1}\n  return %y, %a", ["avg_pool", "conv"]),
    ("  %g: f32[1,16,1,1] = mean(%a){dims=(2, 3), keepdims=True}\n  %m: f32[1,16,8,8] = mul(%a, %g)\n"
     f"  %y: f32[1,16,8,8] = conv(%m, %w){CONV1}\n  return %y", ["mul", "conv"]),
    ("  %b: f32[1,16,8,8] = conv(%a, %v)" + CONV3 + "\n  %n: f32[1,16,8,8] = sigmoid(%b)\n  %m: f32[1,16,8,8] = mul(%a, %n)\n"
     f"  %y: f32[1,16,8,8] = conv(%m, %w){CONV1}\n  return %y, %b", ["conv"]),  # two maps
])  # fmt: skip
def test_what_makes_the_input_of_a_pointwise_convolution(body, expected):
    graph = fused(NETWORK.format(conv3=CONV3, body=body))
    (last,) = [r for r in regions(graph) if r[-1] in ("conv", "neg", "add")][-1:]
    assert last == expected


SELECTION = """graph(%x: f32[1,16,8,8]) {{
  %v = parameter{{target="v"}}: f32[24,16,3,3]
  %w = parameter{{target="w"}}: f32[16,16,1,1]
  %a: f32[1,24,8,8] = conv(%x, %v){conv3}
  %s: f32[1,16,8,8] = channel_select(%a, %x){{index=(39, 0, 20, 2, 4, 6, 8, 10, 12, 14, 16, 18, 22, 24, 26, 38)}}
{body}
}}"""


@pytest.mark.parametrize("body,expected", [
    (f"  %c: f32[1,16,8,8] = conv(%s, %w){CONV1}\n  %y: f32[1,16,8,8] = relu(%c)\n  return %y, %a", ["channel_select", "conv", "relu"]),
    (f"  %c: f32[1,16,8,8] = conv(%s, %w){CONV1}\n  %y: f32[1,16,8,8] = relu(%c)\n  return %y, %a, %s", ["conv", "relu"]),
    (f"  %c: f32[1,16,8,8] = conv(%s, %w){CONV1}\n  %y: f32[1,16,8,8] = add(%c, %s)\n  return %y, %a", ["conv", "add"]),
    ("  %t: f32[1,16,8,8] = relu(%s)\n" + f"  %y: f32[1,16,8,8] = conv(%t, %w){CONV1}\n  return %y, %a", ["relu", "conv"]),
    (f"  %y: f32[1,16,4,4] = conv(%s, %w){CONV1.replace('stride=(1, 1)', 'stride=(2, 2)')}\n  return %y, %a", ["conv"]),
    (f"  %y: f32[1,16,10,10] = conv(%s, %w){CONV1.replace('padding=((0, 0), (0, 0))', 'padding=((1, 1), (1, 1))')}\n  return %y, %a",
     ["conv"]),
])  # fmt: skip
def test_a_pointwise_convolution_selects_the_channels_that_nothing_else_reads(body, expected):
    graph = fused(SELECTION.format(conv3=CONV3, body=body))
    (last,) = [r for r in regions(graph) if "conv" in r][-1:]
    assert last == expected


def test_a_number_that_is_moved_is_read_from_memory():
    after = run(
        fused_alone,
        """graph(%x: f32[4]) {
  %c = constant{dtype=f32, value=array(f32[], [2.0])}: f32[]
  %y: f32[4] = add(%x, %c)
  %z: f32[] = copy(%c)
  return %y, %z
}""",
    )
    added, copied = (n for n in after.nodes if n.op == "region")
    assert added.inputs == ("x",) and copied.inputs == ("c",)


SMALL = "{dilation=(1, 1), groups=32, padding=((1, 1), (1, 1)), stride=(1, 1)}"


@pytest.mark.parametrize(
    "body,expected",
    [
        # what widens before and rounds behind a convolution of few channels per group is its kernel's
        ("""%a: f32[1,32,9,9]{c16} = cast(%x){dtype=f32}
  %c: f32[1,32,9,9]{c16} = conv(%a, %w)SMALL
  %r: f32[1,32,9,9]{c16} = relu(%c)
  %y: bf16[1,32,9,9]{c16} = cast(%r){dtype=bf16}""", [["cast", "conv", "relu", "cast"]]),
        # pointwise operations of bfloat16 follow
        ("""%a: f32[1,32,9,9]{c16} = cast(%x){dtype=f32}
  %c: f32[1,32,9,9]{c16} = conv(%a, %w)SMALL
  %n: bf16[1,32,9,9]{c16} = cast(%c){dtype=bf16}
  %y: bf16[1,32,9,9]{c16} = clamp(%n){low=0.0, high=6.0}""", [["cast", "conv", "cast", "clamp"]]),
        # the wide values have another reader
        ("""%a: f32[1,32,9,9]{c16} = cast(%x){dtype=f32}
  %c: f32[1,32,9,9]{c16} = conv(%a, %w)SMALL
  %s: f32[1,32,9,9]{c16} = add(%c, %a)
  %y: bf16[1,32,9,9]{c16} = cast(%s){dtype=bf16}""", [["cast"], ["conv", "add", "cast"]]),
        # float16 has no such kernel
        ("""%h: f16[1,32,9,9]{c16} = cast(%x){dtype=f16}
  %a: f32[1,32,9,9]{c16} = cast(%h){dtype=f32}
  %y: f32[1,32,9,9]{c16} = conv(%a, %w)SMALL""", [["cast", "cast"], ["conv"]]),
    ],
)  # fmt: skip
def test_narrow_floats_around_a_convolution_of_few_channels(body: str, expected: list[list[str]]) -> None:
    text = f"""  %w = parameter{{target="w"}}: f32[32,1,3,3]
  {body.replace("SMALL", SMALL)}
  return %y"""
    assert fuse(text, "%x: bf16[1,32,9,9]{c16}") == expected


@pytest.mark.parametrize("layout,expected", [("", [["conv", "relu", "cast"]]), ("{c16}", [["conv", "relu"], ["cast"]])])
def test_a_convolution_of_an_image_stores_narrow_floats(layout: str, expected: list[list[str]]) -> None:
    text = """  %w = parameter{target="w"}: f32[32,32,3,3]
  %c: f32[1,32,9,9]{c16} = conv(%x, %w){dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}
  %r: f32[1,32,9,9]{c16} = relu(%c)
  %y: bf16[1,32,9,9]{c16} = cast(%r){dtype=bf16}
  return %y"""
    assert fuse(text, f"%x: f32[1,32,9,9]{layout}") == expected


@pytest.mark.parametrize("dtype,pairs,makes", [("f32", False, True), ("f32", True, True), ("bf16", False, True), ("bf16", True, False)])
def test_a_convolution_makes_no_input_of_bfloat16_where_pairs_are_faster(dtype: str, pairs: bool, makes: bool) -> None:
    """They are multiplied in pairs only where they are read from memory."""
    target = replace(TARGET, narrow_dots=pairs, machine=ZEN5)
    assert target.multiplies_pairs == pairs
    *_, (_, after) = run_passes(parse_graph(NETWORKS["prologue"].replace("f32", dtype)), target)
    found = [[op for op in region if op in ("conv", "relu")] for region in regions(after)]
    assert (["relu", "conv"] in found) == makes and ["conv"] in found
