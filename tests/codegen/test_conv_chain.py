"""[1x1,] depthwise, 1x1 convolution in one kernel, on every ISA of this machine, against the interpreter and torch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import ISAS, check, random

NO_PADDING = ((0, 0), (0, 0))


@dataclass(frozen=True)
class Block:
    """channels: of the input, between, of the output. act: op between the convolutions, "" for none. residual: adds the input."""

    x: tuple[int, int, int, int]
    channels: tuple[int, int]
    kernel: int = 3
    stride: int = 1
    expand: bool = True
    act: str = "relu"
    bias: bool = True
    residual: bool = False
    padding: tuple[tuple[int, int], tuple[int, int]] | None = None

    @property
    def pads(self) -> tuple[tuple[int, int], tuple[int, int]]:
        same = (self.kernel // 2, self.kernel // 2)
        return self.padding or (same, same)


def block_graph(block: Block, batch: object = None) -> tuple[Graph, dict[str, np.ndarray], dict[str, np.ndarray]]:
    wide, out = block.channels
    b = GraphBuilder()
    source = b.input("x", TensorType(DType.F32, (batch or block.x[0], *block.x[1:])))
    arrays: dict[str, np.ndarray] = {}

    def conv(data: str, name: str, shape: tuple[int, ...], groups: int = 1, stride: int = 1, padding=NO_PADDING) -> str:
        arrays[f"{name}_w"] = random(shape, 1) / np.float32(np.prod(shape[1:]) ** 0.5)
        operands = [data, b.parameter(f"{name}_w", TensorType(DType.F32, shape))]
        if block.bias:
            arrays[f"{name}_b"] = random(shape[:1], 2)
            operands.append(b.parameter(f"{name}_b", TensorType(DType.F32, shape[:1])))
        return b.add("conv", operands, stride=(stride, stride), padding=padding, dilation=(1, 1), groups=groups)

    def act(value: str) -> str:
        attrs = {"low": 0.0, "high": 6.0} if block.act == "clamp" else {}
        return b.add(block.act, [value], **attrs) if block.act else value

    value = act(conv(source, "expand", (wide, block.x[1], 1, 1))) if block.expand else source
    value = act(conv(value, "depthwise", (wide, 1, block.kernel, block.kernel), wide, block.stride, block.pads))
    value = conv(value, "project", (out, wide, 1, 1))
    result = b.add("add", [value, source]) if block.residual else value
    return b.build([result]), {"x": random(block.x)}, arrays


def in_torch(block: Block, inputs: dict[str, np.ndarray], arrays: dict[str, np.ndarray]) -> np.ndarray:
    p = {n: torch.from_numpy(a) for n, a in arrays.items()}
    act = {"": lambda v: v, "relu": F.relu, "clamp": F.relu6, "silu": F.silu, "hardswish": F.hardswish}[block.act]
    x = value = torch.from_numpy(inputs["x"])
    if block.expand:
        value = act(F.conv2d(value, p["expand_w"], p.get("expand_b")))
    (top, bottom), (left, right) = block.pads
    value = F.pad(value, (left, right, top, bottom))
    value = act(F.conv2d(value, p["depthwise_w"], p.get("depthwise_b"), stride=block.stride, groups=block.channels[0]))
    value = F.conv2d(value, p["project_w"], p.get("project_b"))
    return (value + x if block.residual else value).numpy()


def run(block: Block, isa: str, threads: int = 2, **options) -> np.ndarray:
    graph, inputs, arrays = block_graph(block)
    borders = {} if block.expand else {"x": block.pads}
    want = in_torch(block, inputs, arrays)
    return check(graph, inputs, arrays, isa=isa, threads=threads, anchor="conv_chain", borders=borders, want=want, **options)


BLOCKS = {
    "mobilenet": Block((1, 16, 28, 28), (96, 24), act="clamp"),
    "stride": Block((2, 24, 15, 14), (40, 33), stride=2, act="clamp"),
    "residual": Block((1, 24, 14, 15), (72, 24), residual=True),
    "large_kernel": Block((1, 8, 15, 15), (33, 17), kernel=5, act="hardswish"),
    "large_kernel_stride": Block((1, 32, 14, 13), (48, 40), kernel=5, stride=2, act="silu"),
    "narrow_map": Block((2, 7, 9, 1), (20, 5), act=""),
    "one_row": Block((1, 16, 1, 30), (16, 16), bias=False),
    "uneven_padding": Block((1, 16, 12, 12), (32, 16), stride=2, padding=((0, 1), (0, 1))),
    "no_padding": Block((1, 16, 12, 12), (32, 16), padding=NO_PADDING),
    "depthwise_first": Block((1, 40, 14, 28), (40, 64), expand=False),
    "depthwise_first_stride": Block((2, 33, 15, 15), (33, 17), stride=2, expand=False, act="clamp"),
    "depthwise_first_residual": Block((1, 24, 7, 7), (24, 24), kernel=5, expand=False, residual=True),
}


@pytest.mark.parametrize("isa,name,threads", thinned(list(BLOCKS), [1, 2, 3]))
def test_blocks(isa: str, name: str, threads: int):
    run(BLOCKS[name], isa, threads)


@pytest.mark.parametrize("isa", ISAS)
def test_more_threads_than_rows(isa: str):
    run(Block((1, 16, 3, 5), (24, 16), residual=True), isa, threads=5)


@pytest.mark.parametrize("isa", ISAS)
def test_symbolic_batch(isa: str):
    block = Block((3, 16, 9, 10), (24, 20))
    graph, inputs, arrays = block_graph(block, Dim.symbol("n"))
    check(graph, inputs, arrays, isa=isa, threads=2, anchor="conv_chain", symbols={"n": 3}, want=in_torch(block, inputs, arrays))


@pytest.mark.parametrize("isa", ISAS)
def test_rounding_does_not_depend_on_the_team(isa: str):
    one, three = (run(BLOCKS["residual"], isa, threads) for threads in (1, 3))
    np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize("isa", ISAS)
def test_nan_spreads_as_in_torch(isa: str):
    block = Block((1, 16, 9, 9), (24, 16), act="clamp")
    graph, inputs, arrays = block_graph(block)
    inputs["x"][0, 3, 4, 4] = np.nan
    got = check(graph, inputs, arrays, isa=isa, anchor="conv_chain")
    np.testing.assert_array_equal(np.isnan(got), np.isnan(in_torch(block, inputs, arrays)))
