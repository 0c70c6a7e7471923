"""Convolutions of one input that are added become one, with multiples of the input and numbers; what does not fit stays as it is."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import sol
from sol.passes.merge_branches import merge_branches
from tests.passes.support import CONV1, CONV3, run


def conv(kernel: int, padding: int, stride: int = 1, groups: int = 1, dilation: int = 1) -> str:
    pads = f"(({padding}, {padding}), ({padding}, {padding}))"
    return f"{{dilation=({dilation}, {dilation}), groups={groups}, padding={pads}, stride=({stride}, {stride})}}"


def heavy(graph) -> list[str]:
    """Ops of what depends on the input."""
    return [n.op for n in graph.nodes if n.op not in ("input", "parameter", "constant") and n.outputs[0] not in graph.constant_values]


PARAMETERS = """  %w = parameter{target="w"}: f32[4,4,3,3]
  %v = parameter{target="v"}: f32[4,4,1,1]
  %d = parameter{target="d"}: f32[4,1,3,3]
  %f = parameter{target="f"}: f32[4,1,5,5]
  %p = parameter{target="p"}: f32[4,2,3,3]
  %b = parameter{target="b"}: f32[4]
  %s = parameter{target="s"}: f32[4,1,1]
  %t = parameter{target="t"}: f32[1,4,1,1]
  %n = parameter{target="n"}: f32[]"""
IMAGE, HALF = "f32[2,4,7,7]", "f32[2,4,4,4]"


def case(*lines: str, image: str = IMAGE) -> str:
    body = "\n".join(f"  %{name}: {image} = {rest}" for name, rest in (line.split(" = ") for line in lines))
    return f"graph(%x: {IMAGE}) {{\n{PARAMETERS}\n{body}\n  return %y\n}}"


ONE = {
    "3x3 and 1x1": case(f"a = conv(%x, %w, %b){CONV3}", f"c = conv(%x, %v){CONV1}", "y = add(%a, %c)"),
    "the same kernels": case(f"a = conv(%x, %w){CONV3}", f"c = conv(%x, %p, %b){conv(3, 1, groups=2)}",
                             f"e = conv(%x, %p){conv(3, 1, groups=2)}", "z = add(%e, %c)", "y = relu(%z)"),
    "a norm of the input": case(f"a = conv(%x, %w){CONV3}", "m = mul(%x, %s)", "k = add(%m, %t)", "y = add(%k, %a)"),
    "groups and a norm": case(f"a = conv(%x, %p){conv(3, 1, groups=2)}", "m = mul(%s, %x)", "y = add(%m, %a)"),
    "depthwise and the input": case(f"a = conv(%x, %d, %b){conv(3, 1, groups=4)}", "y = add(%x, %a)"),
    "depthwise of two sizes": case(f"a = conv(%x, %f){conv(5, 2, groups=4)}", f"c = conv(%x, %d){conv(3, 1, groups=4)}",
                                   "e = add(%a, %c)", "y = add(%e, %x)"),
    "dilated, and one element": case(f"a = conv(%x, %w){conv(3, 2, dilation=2)}", f"c = conv(%x, %v){CONV1}", "y = add(%a, %c)"),
    "dilated norm": case(f"a = conv(%x, %d){conv(3, 2, groups=4, dilation=2)}", "m = mul(%x, %s)", "y = add(%a, %m)"),
    "numbers": case(f"a = conv(%x, %w){CONV3}", "k = add(%a, %n)", "y = add(%k, %t)"),
    "stride": case(f"a = conv(%x, %w){conv(3, 1, 2)}", f"c = conv(%x, %v, %b){conv(1, 0, 2)}", "y = add(%a, %c)", image=HALF),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE)
def test_become_one(name: str) -> None:
    assert heavy(run(merge_branches, ONE[name])) == ["conv", *(["relu"] if "relu" in ONE[name] else [])]


ASIDE = "dilation=(1, 1), groups=1"
LEFT = {
    "dense and the input": (case(f"a = conv(%x, %w){CONV3}", "y = add(%x, %a)"), ["conv", "add"]),
    "a result that others read": (case(f"a = conv(%x, %w){CONV3}", f"c = conv(%x, %v){CONV1}", "e = add(%a, %c)", "y = mul(%e, %a)"),
                                  ["conv", "conv", "add", "mul"]),
    "kernels beside each other": (case(f"a = conv(%x, %w){{{ASIDE}, padding=((0, 2), (0, 2)), stride=(2, 2)}}",
                                       f"c = conv(%x, %v){{{ASIDE}, padding=((1, -1), (1, -1)), stride=(2, 2)}}",
                                       "y = add(%a, %c)", image=HALF), ["conv", "conv", "add"]),
    "other groups": (case(f"a = conv(%x, %w){CONV3}", f"c = conv(%x, %d){conv(3, 1, groups=4)}", "y = add(%a, %c)"),
                     ["conv", "conv", "add"]),
    "other dilations": (case(f"a = conv(%x, %w){CONV3}", f"c = conv(%x, %w){conv(3, 2, dilation=2)}", "y = add(%a, %c)"),
                        ["conv", "conv", "add"]),
    "numbers of each pixel": (case(f"a = conv(%x, %w){CONV3}", "y = add(%a, %u)").replace(
        "%b = parameter", '%u = parameter{target="u"}: f32[4,7,7]\n  %b = parameter'), ["conv", "add"]),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_stay_as_they_are(name: str) -> None:
    text, expected = LEFT[name]
    assert heavy(run(merge_branches, text)) == expected


def test_of_two_inputs() -> None:
    text = case(f"a = conv(%x, %w){CONV3}", f"c = conv(%x, %v, %b){CONV1}", "r = relu(%x)", f"e = conv(%r, %w){CONV3}",
                f"g = conv(%r, %v){CONV1}", "h = add(%a, %e)", "i = add(%c, %g)", "y = add(%h, %i)")  # fmt: skip
    assert sorted(heavy(run(merge_branches, text))) == ["add", "conv", "conv", "relu"]


class Branches(nn.Module):
    """A block of RepVGG, and a depthwise one with two kernels and the input."""

    def __init__(self) -> None:
        super().__init__()
        self.large = nn.Sequential(nn.Conv2d(24, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24))
        self.small = nn.Sequential(nn.Conv2d(24, 24, 1, bias=False), nn.BatchNorm2d(24))
        self.same = nn.BatchNorm2d(24)
        self.wide, self.narrow = nn.Conv2d(24, 24, 5, padding=2, groups=24), nn.Conv2d(24, 24, 3, padding=1, groups=24)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.large(x) + self.small(x) + self.same(x))
        return y + self.wide(y) + self.narrow(y)


def test_weights_that_change() -> None:
    """The joined weights are made again when those of a branch change."""
    torch.manual_seed(0)
    model, x = Branches().eval(), torch.randn(2, 24, 9, 17)
    fast = sol.optimize(model, [x])
    for _ in range(2):
        with torch.no_grad():
            torch.testing.assert_close(fast(x), model(x), rtol=1e-4, atol=1e-4)
            for p in (model.small[0].weight, model.same.running_var, model.narrow.bias):
                p.mul_(1.5)
