"""Convolutions over volumes become two-dimensional ones over their slices, together with what follows them."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

import sol
from sol.ir.graph import Graph
from sol.passes.flatten_volumes import flatten_volumes
from tests.passes.support import LANES, TARGET, ops, run
from tests.runtime.models import Lambda
from tests.toolchains import isas_by_default

CUBE = "dilation=(1, 1, 1), groups=1, padding=((1, 1), (1, 1), (1, 1)), stride=(1, 1, 1)"


def conv(x: str, w: str, out: str, attrs: str = CUBE, tail: str = "%c", rest: str = "") -> str:
    weight = f'  %w = parameter{{target="w"}}: f32[{w}]\n  %b = parameter{{target="b"}}: f32[{w.partition(",")[0]}]\n'
    return f"graph(%x: f32[{x}]) {{\n{weight}  %c: f32[{out}] = conv(%x, %w, %b){{{attrs}}}\n{rest}  return {tail}\n}}"


def sliced(text: str, **env: int) -> Graph:
    return run(lambda graph: flatten_volumes(graph, LANES, TARGET.machine.graph), text, **env)


def attributes(stride: tuple = (1, 1, 1), dilation: tuple = (1, 1, 1), padding: tuple = ((1, 1), (1, 1), (1, 1)), groups: int = 1) -> str:
    return f"dilation={dilation}, groups={groups}, padding={padding}, stride={stride}"


SLICED = {
    "cube": (conv("2,16,4,5,6", "16,16,3,3,3", "2,16,4,5,6"), 48),
    "few channels": (conv("1,3,4,9,9", "64,3,3,3,3", "1,64,4,9,9"), 9),
    "stride and dilation": (
        conv("2,16,9,5,6", "16,16,3,3,3", "2,16,4,5,6", attributes((2, 1, 1), (2, 1, 1))), 48
    ),
    "one tap along the depth": (
        conv("1,16,4,5,6", "16,16,1,3,3", "1,16,4,5,6", attributes(padding=((0, 0), (1, 1), (1, 1)))), 16
    ),
    "uneven padding": (
        conv("1,16,4,5,6", "16,16,3,3,3", "1,16,5,5,6", attributes(padding=((0, 3), (1, 1), (1, 1)))), 48
    ),
    "taps that only read padding": (conv("1,16,1,5,6", "16,16,3,3,3", "1,16,1,5,6"), 16),
    "some of the taps": (
        conv("1,16,2,5,6", "16,16,5,3,3", "1,16,2,5,6", attributes(padding=((2, 2), (1, 1), (1, 1)))), 48
    ),
    "nothing but padding": (
        conv("1,16,1,5,6", "16,16,1,3,3", "1,16,2,5,6", attributes((3, 1, 1), padding=((1, 3), (1, 1), (1, 1)))), 16
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "channels"), SLICED.values(), ids=SLICED)
def test_it_becomes_two_dimensional(text: str, channels: int) -> None:
    after = sliced(text)
    (node,) = (n for n in after.nodes if n.op == "conv")
    assert node.type.rank == 4 and after.type_of(node.inputs[0]).shape[1] == channels


STAY = {
    "groups": conv("1,32,4,5,6", "32,16,3,3,3", "1,32,4,5,6", attributes(groups=2)),
    "few results": conv("1,16,4,5,6", "3,16,3,3,3", "1,3,4,5,6"),
    "one row and column": conv("1,16,4,5,6", "16,16,3,1,1", "1,16,4,5,6", attributes(padding=((1, 1), (0, 0), (0, 0)))),
    "little work": conv("1,16,4,5,6", "16,16,1,1,2", "1,16,4,3,3", attributes((1, 2, 2), padding=((0, 0), (0, 0), (0, 0)))),
}


@pytest.mark.parametrize("text", STAY.values(), ids=STAY)
def test_others_stay(text: str) -> None:
    assert ops(sliced(text)) == ["conv"]


def test_open_sizes_stay() -> None:
    assert ops(sliced(conv("s,16,4,5,6", "16,16,3,3,3", "s,16,4,5,6").replace(") {\n", ") where s in [1, 9] {\n", 1), s=2)) == ["conv"]


TO, FROM = ["permute", "reshape", "stack_slices", "conv"], ["reshape", "permute"]
WINDOW = "ceil_mode=False, dilation=(1, 1, 1)"
FOLLOWING = {
    "pointwise": ("  %r: f32[2,16,4,5,6] = relu(%c)\n", "%r", [*TO, "relu", *FROM]),
    "rounding": (
        "  %h: bf16[2,16,4,5,6] = cast(%c){dtype=bf16}\n  %r: f32[2,16,4,5,6] = cast(%h){dtype=f32}\n", "%r", [*TO, "cast", "cast", *FROM]
    ),
    "operand": ("  %r: f32[2,16,4,5,6] = add(%c, %x)\n", "%r", [*TO, "add", *FROM]),
    "another": (
        f'  %v = parameter{{target="v"}}: f32[16,16,3,3,3]\n  %r: f32[2,16,4,5,6] = conv(%c, %v){{{CUBE}}}\n',
        "%r",
        [*TO, "stack_slices", "conv", *FROM],
    ),
    "thinned": (
        '  %v = parameter{target="v"}: f32[16,16,1,1,1]\n'
        f"  %r: f32[2,16,2,3,3] = conv(%c, %v){{{attributes((2, 2, 2), padding=((0, 0), (0, 0), (0, 0)))}}}\n",
        "%r",
        [*TO, "stack_slices", "conv", *FROM],
    ),
    "pool of maps": (
        "  %r: f32[2,16,4,2,3] = avg_pool(%c){ceil_mode=False, count_include_pad=True, divisor=None, kernel=(1, 2, 2), "
        "padding=((0, 0), (0, 0), (0, 0)), stride=(1, 2, 2)}\n",
        "%r",
        [*TO, "avg_pool", *FROM],
    ),
    "pool": (
        f"  %r: f32[2,16,2,2,3] = max_pool(%c){{{WINDOW}, kernel=(2, 2, 2), padding=((0, 0), (0, 0), (0, 0)), stride=(2, 2, 2)}}\n",
        "%r",
        [*TO, "stack_slices", "slice", "slice", "maximum", "max_pool", *FROM],
    ),
    "padded pool": (
        f"  %r: f32[2,16,4,5,6] = max_pool(%c){{{WINDOW}, kernel=(3, 3, 3), padding=((1, 1), (1, 1), (1, 1)), stride=(1, 1, 1)}}\n",
        "%r",
        [*TO, "stack_slices", *["slice"] * 3, *["maximum"] * 2, "max_pool", *FROM],
    ),
    "average of slices": (
        "  %r: f32[2,16,2,5,6] = avg_pool(%c){ceil_mode=False, count_include_pad=True, divisor=None, kernel=(2, 1, 1), "
        "padding=((0, 0), (0, 0), (0, 0)), stride=(2, 1, 1)}\n",
        "%r",
        [*TO, *FROM, "avg_pool"],
    ),
    "mean": ("  %r: f32[2,16] = mean(%c){dims=(2, 3, 4), keepdims=False}\n", "%r", [*TO, "mean", "reshape", "mean"]),
    "largest": ("  %r: f32[2,16,1,1,1] = max(%c){dims=(2, 3, 4), keepdims=True}\n", "%r", [*TO, "max", "reshape", "max", "reshape"]),
    "spread": ("  %r: f32[2,16] = var(%c){correction=1, dims=(2, 3, 4), keepdims=False}\n", "%r", [*TO, *FROM, "var"]),
    "concat": ("  %r: f32[2,32,4,5,6] = concat(%c, %c){dim=1}\n", "%r", [*TO, "concat", *FROM]),
}  # fmt: skip


@pytest.mark.parametrize(("rest", "tail", "expected"), FOLLOWING.values(), ids=FOLLOWING)
def test_what_follows(rest: str, tail: str, expected: list[str]) -> None:
    assert sorted(ops(sliced(conv("2,16,4,5,6", "16,16,3,3,3", "2,16,4,5,6", CUBE, tail, rest)))) == sorted(expected)


def test_factors() -> None:
    factors = '  %f = parameter{target="f"}: f32[1,16,1,1,1]\n  %r: f32[2,16,4,5,6] = mul(%c, %f)\n  %s: f32[2,16,4,5,6] = add(%r, %one)\n'
    text = conv("2,16,4,5,6", "16,16,3,3,3", "2,16,4,5,6", CUBE, "%s", '  %one = parameter{target="o"}: f32[1]\n' + factors)
    assert ops(sliced(text)).count("permute") == 2
    gates = conv("2,16,4,5,6", "16,16,3,3,3", "2,16,4,5,6", CUBE, "%r", "  %g: f32[2,16,1,1,1] = mean(%x){dims=(2, 3, 4), keepdims=True}\n"
                 "  %r: f32[2,16,4,5,6] = mul(%c, %g)\n")  # fmt: skip
    assert ops(sliced(gates))[-1] == "mul"  # of volumes: a number for each image and channel belongs to several maps


def network(x: torch.Tensor, *weights: torch.Tensor) -> torch.Tensor:
    """A stem, a block with a residual, largest elements, and a strided layer."""
    y = F.relu(F.conv3d(x, weights[0], padding=1))
    z = F.relu(F.conv3d(F.relu(F.conv3d(y, weights[1], padding=1)), weights[1], padding=1) + y)
    z = F.max_pool3d(z, 3, 2, 1)
    return F.conv3d(z, weights[1], stride=(2, 1, 1), dilation=(1, 2, 1), padding=(1, 2, 0)).mean((2, 3, 4)), z


@pytest.mark.parametrize("batch", (1, 2))
@pytest.mark.parametrize("size", ((5, 9, 17), (1, 6, 8)))
@pytest.mark.parametrize("channels", (16, 24))
def test_networks(batch: int, size: tuple[int, ...], channels: int) -> None:
    torch.manual_seed(0)
    x = torch.randn(batch, 3, *size)
    weights = [torch.randn(channels, 3, 3, 3, 3) / 9, torch.randn(channels, channels, 3, 3, 3) / 20]
    model = Lambda(lambda x: network(x, *weights)).eval()
    want = network(x.double(), *[w.double() for w in weights])
    for isa in isas_by_default():
        with torch.no_grad():
            got, theirs = sol.optimize(model, [x], isa=isa, fallback="error")(x), model(x)
        for ours, eager, right in zip(got, theirs, want):
            error, its = ((y.double() - right).abs().max().item() for y in (ours, eager))
            assert error <= 5 * max(its, 1e-7 * right.abs().max().item())
