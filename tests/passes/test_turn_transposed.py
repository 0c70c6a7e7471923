"""Transposed convolutions as convolutions with turned filters, interleaved where they have strides."""

from __future__ import annotations

import pytest

from sol.passes.turn_transposed import turn_transposed
from tests.passes.support import LANES, run


def transposed(
    size: tuple[int, int], kernel: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int], extra: tuple[int, int] = (0, 0),
    dilation: tuple[int, int] = (1, 1), channels: tuple[int, int] = (4, 3), groups: int = 1, bias: bool = False, then: str = "",
) -> str:  # fmt: skip
    """The text of a graph. padding: the same at both ends of an axis; then: lines behind the convolution %y, which give %z."""
    axes = zip(size, kernel, stride, padding, extra, dilation)
    h, w = ((n - 1) * s - 2 * p + d * (k - 1) + e + 1 for n, k, s, p, e, d in axes)
    c, k = channels
    shape = f"f32[2,{k},{h},{w}]"
    pads = tuple((p, p) for p in padding)
    attrs = f"dilation={dilation}, groups={groups}, output_padding={extra}, padding={pads}, stride={stride}"
    return (
        f"graph(%x: f32[2,{c},{size[0]},{size[1]}]) {{\n"
        f'  %w = parameter{{target="w"}}: f32[{c},{k // groups},{kernel[0]},{kernel[1]}]\n'
        f'  %b = parameter{{target="b"}}: f32[{k}]\n'
        f'  %s = parameter{{target="s"}}: f32[{k},1,1]\n'
        f"  %y: {shape} = conv_transpose(%x, %w{', %b' if bias else ''}){{{attrs}}}\n{then.format(shape=shape)}"
        f"  return %{'z' if then else 'y'}\n}}"
    )


def ops(text: str) -> list[str]:
    after = run(lambda graph: turn_transposed(graph, LANES), text)
    return [n.op for n in after.nodes if n.name not in after.constant_values and n.op != "input"]


CASES = [
    (kernel, stride, padding)
    for stride in (1, 2, 3)
    for kernel in range(1, 6)
    for padding in range(4)
    if (5 - 1) * stride + kernel > 2 * padding
]


@pytest.mark.parametrize("dilation", [1, 2, 3])
@pytest.mark.parametrize("kernel,stride,padding", CASES)
def test_values_stay(kernel, stride, padding, dilation):
    extra = (max(stride, dilation) - 1, 0)
    bias = kernel % 2 == 0
    found = ops(transposed((5, 6), (kernel, kernel), (stride, stride), (padding, padding), extra, (dilation, dilation), bias=bias))
    assert "conv_transpose" not in found


@pytest.mark.parametrize("groups,channels", [(2, (4, 6)), (4, (4, 4))])
@pytest.mark.parametrize("stride", [(1, 1), (2, 2), (1, 2)])
def test_groups(groups, channels, stride):
    text = transposed((5, 6), (3, 2), stride, (1, 0), channels=channels, groups=groups)
    served = stride == (1, 1) or groups == channels[0]
    assert ("conv_transpose" in ops(text)) is not served


@pytest.mark.parametrize(
    "kernel,stride,convs",
    [((3, 3), (1, 1), 1), ((3, 3), (2, 2), 4), ((1, 1), (2, 2), 1), ((2, 2), (2, 2), 4), ((1, 3), (2, 3), 3), ((4, 4), (3, 2), 6)],
)
def test_one_convolution_for_each_place_that_taps_reach(kernel, stride, convs):
    found = ops(transposed((4, 4), kernel, stride, (0, 0)))
    assert found.count("conv") == convs and ("interleave" in found) == (stride != (1, 1))


def test_a_bias_comes_behind_places_without_taps():
    assert ops(transposed((4, 4), (1, 1), (2, 2), (0, 0), bias=True)) == ["conv", "interleave", "add"]


def test_a_map_of_one_row():
    assert "conv_transpose" not in ops(transposed((1, 3), (1, 3), (2, 2), (0, 1), bias=True))


def test_pointwise_ops_go_with_the_convolutions():
    then = "  %m: {shape} = mul(%y, %s)\n  %z: {shape} = relu(%m)\n"
    found = ops(transposed((4, 4), (2, 2), (2, 2), (0, 0), bias=True, then=then))
    assert sorted(found) == ["conv"] * 4 + ["interleave"] + ["mul"] * 4 + ["relu"] * 4 and found[-1] == "interleave"


def test_ops_with_other_maps_stay_behind():
    then = "  %z: {shape} = mul(%y, %y)\n"
    assert ops(transposed((4, 4), (2, 2), (2, 2), (0, 0), then=then))[-2:] == ["interleave", "mul"]


def test_filters_of_the_call_stay():
    text = transposed((4, 4), (2, 2), (2, 2), (0, 0))
    line = '  %w = parameter{target="w"}: f32[4,3,2,2]\n'
    assert ops(text.replace(line, "").replace("(%x: f32[2,4,4,4])", "(%x: f32[2,4,4,4], %w: f32[4,3,2,2])")) == ["conv_transpose"]


def test_volumes_and_sequences():
    for stride, size, kept in ((1, 7, False), (2, 11, True)):
        attrs = f"dilation=(1,), groups=1, output_padding=(0,), padding=((0, 0),), stride=({stride},)"
        text = (
            'graph(%x: f32[2,4,5]) {\n  %w = parameter{target="w"}: f32[4,3,3]\n'
            f"  %y: f32[2,3,{size}] = conv_transpose(%x, %w){{{attrs}}}\n  return %y\n}}"
        )
        assert ("conv_transpose" in ops(text)) is kept
