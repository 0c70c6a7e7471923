"""Convolutions over sequences and volumes become two-dimensional ones together with what follows them."""

from __future__ import annotations

import pytest

from sol.ir.graph import Graph
from sol.passes.flatten_convolutions import flatten_convolutions
from tests.passes.support import LANES, TARGET, ops, run

SEQUENCE = "dilation=(1,), groups=1, padding=((1, 1),), stride=(1,)"


def conv(x: str, w: str, out: str, tail: str = "%c", attrs: str = SEQUENCE, rest: str = "") -> str:
    weight = f'  %w = parameter{{target="w"}}: f32[{w}]\n  %b = parameter{{target="b"}}: f32[{w.partition(",")[0]}]\n'
    return f"graph(%x: f32[{x}]) {{\n{weight}  %c: f32[{out}] = conv(%x, %w, %b){{{attrs}}}\n{rest}  return {tail}\n}}"


def flattened(text: str, **env: int) -> Graph:
    return run(lambda graph: flatten_convolutions(graph, LANES, TARGET.machine.graph), text, **env)


def volume(padding: str = "((1, 1), (0, 0), (0, 0))", stride: str = "(1, 1, 1)", groups: int = 1) -> str:
    return f"dilation=(1, 1, 1), groups={groups}, padding={padding}, stride={stride}"


FLAT = {
    "sequence": conv("2,16,20", "32,16,3", "2,32,20"),
    "stride": conv("2,16,21", "32,16,5", "2,32,9", attrs="dilation=(1,), groups=1, padding=((0, 0),), stride=(2,)"),
    "dilation": conv("1,16,20", "32,16,3", "1,32,18", attrs="dilation=(2,), groups=1, padding=((1, 1),), stride=(1,)"),
    "long filter along depth": conv("1,16,5,3,4", "32,16,3,1,1", "1,32,5,3,4", attrs=volume()),
    "thinned volume": conv(
        "1,64,5,7,8", "64,64,1,1,1", "1,64,3,4,3", attrs=volume("((0, 0), (0, 0), (0, 0))", "(2, 2, 3)")
    ),
    "thinned maps": conv("1,64,5,7,8", "64,64,3,1,1", "1,64,3,4,4", attrs=volume(stride="(2, 2, 2)")),
}


@pytest.mark.parametrize("text", FLAT.values(), ids=FLAT)
def test_it_becomes_two_dimensional(text):
    after = flattened(text)
    assert [n.type.rank for n in after.nodes if n.op == "conv"] == [4]


PLAIN = {
    "few channels": conv("1,3,20", "32,3,3", "1,32,20"),
    "few results": conv("1,32,20", "3,32,3", "1,3,20"),
    "little work": conv("1,16,20", "16,16,3", "1,16,7", attrs="dilation=(1,), groups=1, padding=((1, 1),), stride=(3,)"),
    "one channel a group": conv("1,32,20", "32,1,3", "1,32,20", attrs="dilation=(1,), groups=32, padding=((1, 1),), stride=(1,)"),
    "taps along rows": conv("1,32,5,3,4", "16,32,1,3,1", "1,16,5,3,4", attrs=volume("((0, 0), (1, 1), (0, 0))")),
    "padded rows": conv("1,32,5,3,4", "16,32,3,1,1", "1,16,5,5,4", attrs=volume("((1, 1), (1, 1), (0, 0))")),
}


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
def test_others_stay(text):
    assert ops(flattened(text)) == ["conv"]


FOLLOWING = {
    "pointwise": ("  %r: f32[2,16,20] = relu(%c)\n", "%r", ["reshape", "conv", "relu", "reshape"]),
    "operand": ("  %r: f32[2,16,20] = mul(%c, %x)\n", "%r", ["reshape", "conv", "mul", "reshape"]),
    "both": ("  %r: f32[2,16,20] = relu(%c)\n", "%r, %c", ["reshape", "conv", "relu", "reshape", "reshape"]),
    "pool": (
        "  %r: f32[2,16,10] = max_pool(%c){ceil_mode=False, dilation=(1,), kernel=(2,), padding=((0, 0),), stride=(2,)}\n",
        "%r",
        ["reshape", "conv", "max_pool", "reshape"],
    ),
    "mean": ("  %r: f32[2,16] = mean(%c){dims=(2,), keepdims=False}\n", "%r", ["reshape", "conv", "mean", "reshape"]),
    "concat": ("  %r: f32[2,32,20] = concat(%c, %c){dim=1}\n", "%r", ["reshape", "conv", "concat", "reshape"]),
    "mean of lines": ("  %r: f32[2,20] = mean(%c){dims=(1,), keepdims=False}\n", "%r", ["reshape", "conv", "reshape", "mean"]),
}


@pytest.mark.parametrize("rest,tail,expected", FOLLOWING.values(), ids=FOLLOWING)
def test_what_follows(rest, tail, expected):
    assert sorted(ops(flattened(conv("2,16,20", "16,16,5", "2,16,20", tail, SEQUENCE.replace("1, 1", "2, 2"), rest)))) == sorted(expected)


def test_open_sizes():
    text = conv("2,16,s", "32,16,3", "2,32,s").replace(") {\n", ") where s in [2, 99] {\n", 1)
    assert ops(flattened(text, s=9)) == ["reshape", "conv", "reshape"]
