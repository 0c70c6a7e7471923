"""Strided first convolutions as convolutions with stride 1 over squares of pixels."""

from __future__ import annotations

import pytest

from sol.config import config
from sol.passes.assign_layout import assign_layout
from sol.passes.fold_stem_strides import fold_stem_strides
from tests.passes.support import LANES, run


def stem(c: int, size: tuple[int, int], kernel: int, padding: tuple[int, int], stride: int = 2, bias: bool = False) -> str:
    out = [(s + sum(padding) - kernel) // stride + 1 for s in size]
    head = f'  %w = parameter{{target="w"}}: f32[8,{c},{kernel},{kernel}]\n'
    head += '  %b = parameter{target="b"}: f32[8]\n' if bias else ""
    attrs = f"dilation=(1, 1), groups=1, padding=({padding}, {padding}), stride=({stride}, {stride})"
    call = f"conv(%x, %w{', %b' if bias else ''}){{{attrs}}}"
    return f"graph(%x: f32[2,{c},{size[0]},{size[1]}]) {{\n{head}  %y: f32[2,8,{out[0]},{out[1]}] = {call}\n  return %y\n}}"


def unstrided(text: str) -> bool:
    after = run(lambda graph: fold_stem_strides(graph, LANES), text)
    return next(n for n in after.nodes if n.op == "conv").attrs["stride"] == (1, 1)


@pytest.mark.parametrize("kernel", [5, 6, 7, 8, 11])
@pytest.mark.parametrize("padding", [(0, 0), (1, 1), (2, 2), (3, 3), (2, 3), (3, 1)])
@pytest.mark.parametrize("size", [(16, 18), (17, 15), (13, 16)])
def test_values_stay(kernel, padding, size):
    unstrided(stem(3, size, kernel, padding, bias=kernel == 7))  # run checks the values


@pytest.mark.parametrize("c", [2, 3, 4, 7])
def test_few_channels(c):
    assert unstrided(stem(c, (16, 18), 7, (3, 3)))


@pytest.mark.parametrize("c,kernel,stride", [(1, 7, 2), (8, 7, 2), (16, 5, 2), (3, 3, 2), (3, 7, 3)])
def test_others_stay(c, kernel, stride):
    assert not unstrided(stem(c, (24, 24), kernel, (3, 3), stride))


@pytest.mark.parametrize("size", [(16, 16), (17, 15)])
def test_the_image_is_moved_once(size):
    after = run(lambda graph: fold_stem_strides(graph, LANES), stem(3, size, 7, (3, 3)))
    constants = after.constant_values
    assert [n.op for n in after.nodes if n.name not in constants] == ["input", "space_to_depth", "conv"]


def test_squares_are_written_in_blocks():
    after = run(lambda graph: assign_layout(fold_stem_strides(graph, LANES), LANES), stem(3, (16, 16), 7, (3, 3)))
    moved = next(n for n in after.nodes if n.op == "conv").inputs[0]
    assert after.producer(moved).op == "space_to_depth" and after.type_of(moved).layout.block == LANES


def test_exactness_that_excludes_winograd():
    with config.override(conv_max_error=1e-6):
        assert not unstrided(stem(3, (16, 16), 7, (3, 3)))
