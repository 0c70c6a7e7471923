"""Kernels of bytes: exact products and convolutions, epilogues that dequantise and quantise, max pooling; each equals the numpy reference
to the bit, on every instruction set.

Many cases are outputs of one graph, so that one compilation serves them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sol.codegen import targets
from sol.codegen.kernels import conv_tiles, conv_words
from sol.codegen.targets import runnable
from sol.compiler import compile_graph
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.text import parse_graph
from sol.ir.types import DType, TensorType
from sol.runtime.executable import Executable
from tests.emulation import matrix_tiles
from tests.instruction_sets import row
from tests.random_numbers import rng

U8, I8, I32, F32 = DType.U8, DType.I8, DType.I32, DType.F32
THREADS = {"avx512": 2, "avx2": 1}


def u8(*shape: int) -> np.ndarray:
    return rng.integers(0, 256, shape).astype(np.uint8)


def s8(*shape: int) -> np.ndarray:
    return rng.integers(-128, 128, shape).astype(np.int8)


class Case:
    """A graph that grows by one output per case, and what goes into it."""

    def __init__(self) -> None:
        self.g = GraphBuilder()
        self.inputs: list[np.ndarray] = []
        self.parameters: dict[str, np.ndarray] = {}
        self.outputs: list[str] = []
        self.names: list[str] = []

    def input(self, array: np.ndarray) -> str:
        self.inputs.append(array)
        return self.g.input(f"x{len(self.inputs)}", TensorType(DType.from_numpy(array.dtype), array.shape))

    def parameter(self, array: np.ndarray) -> str:
        name = f"w{len(self.parameters)}"
        self.parameters[name] = array
        return self.g.parameter(name, TensorType(DType.from_numpy(array.dtype), array.shape))

    def __call__(self, op: str, *inputs: str, **attrs: Any) -> str:
        return self.g.add(op, inputs, **attrs)

    def number(self, value: float) -> str:
        return self.g.constant(value, F32)

    def give(self, name: str, value: str) -> None:
        self.names.append(name)
        self.outputs.append(value)


def check(make: Callable[[Case], None], isa: str, threads: int) -> Graph:
    """All outputs are equal to the reference's."""
    case = Case()
    make(case)
    graph = case.g.build(tuple(case.outputs))
    wanted = evaluate_outputs(graph, case.inputs, case.parameters, precision=None)
    executable = Executable(compile_graph(graph, isa=isa, threads=threads), threads=threads)
    executable.pack(case.parameters)
    for name, want, got in zip(case.names, wanted, executable(list(case.inputs)), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want, err_msg=name)
    return graph


PRODUCTS = [(1, 1, 1), (3, 7, 5), (7, 15, 17), (16, 16, 33), (33, 17, 48), (1, 64, 49), (5, 130, 100), (8, 8, 16), (13, 72, 70)]


def products(case: Case) -> None:
    """Rows, reduction and columns around the width of vectors, with right operands that are constant, transposed, or computed."""
    for turn, (m, k, n) in enumerate(PRODUCTS):
        if turn % 2:
            case.give(f"int_linear {m, k, n}", case("int_linear", case.input(u8(m, k)), case.parameter(s8(n, k))))
        else:
            case.give(f"int_matmul {m, k, n}", case("int_matmul", case.input(u8(m, k)), case.input(s8(k, n))))
    case.give("constant", case("int_matmul", case.input(u8(9, 20)), case.parameter(s8(20, 33))))
    case.give("batches", case("int_matmul", case.input(u8(2, 3, 5, 12)), case.input(s8(2, 1, 12, 20))))
    heads = case("permute", case("reshape", case.input(u8(2, 9, 32)), shape=(2, 9, 4, 8)), order=(0, 2, 1, 3))
    others = case("permute", case("reshape", case.input(s8(2, 7, 32)), shape=(2, 7, 4, 8)), order=(0, 2, 3, 1))
    case.give("heads", case("int_matmul", heads, others))


CONVOLUTIONS: list[dict[str, Any]] = [
    {"x": (1, 3, 9, 9), "w": (8, 3, 3, 3), "pad": 1},
    {"x": (2, 5, 7, 17), "w": (9, 5, 3, 3), "pad": 1, "stride": 2},
    {"x": (1, 16, 14, 14), "w": (33, 16, 1, 1)},
    {"x": (1, 6, 1, 1), "w": (12, 6, 1, 1)},
    {"x": (1, 3, 31, 31), "w": (17, 3, 7, 7), "pad": 3, "stride": 2},
    {"x": (3, 7, 8, 8), "w": (5, 7, 3, 3), "stride": 3, "dilation": 2, "pad": (3, 1)},
    {"x": (1, 4, 8, 8), "w": (4, 4, 3, 3), "pad": -1},
    {"x": (1, 8, 12, 12), "w": (16, 4, 5, 3), "groups": 2, "pad": 2, "stride": (2, 1)},
    {"x": (1, 4, 33), "w": (6, 4, 3), "pad": 2, "dilation": 2},
    {"x": (1, 3, 5, 6, 7), "w": (4, 3, 2, 3, 3), "pad": 1, "stride": 2},
    {"x": (1, 1, 28, 28), "w": (7, 1, 5, 5), "pad": 2},
]
DEPTHWISE: list[dict[str, Any]] = [
    {"x": (1, 8, 12, 12), "w": (8, 1, 3, 3), "groups": 8, "pad": 1},
    {"x": (1, 24, 15, 15), "w": (24, 1, 3, 3), "groups": 24, "pad": 1, "stride": 2},
    {"x": (1, 9, 21, 37), "w": (9, 1, 5, 5), "groups": 9, "pad": 2, "stride": 2},
    {"x": (1, 9, 21, 37), "w": (9, 1, 7, 7), "groups": 9, "pad": 3},
    {"x": (2, 5, 21, 37), "w": (10, 1, 3, 3), "groups": 5, "pad": 1, "stride": (2, 1)},
    {"x": (1, 9, 21, 37), "w": (9, 1, 3, 3), "groups": 9, "pad": 2, "dilation": 2, "stride": 2},
    {"x": (1, 9, 21, 37), "w": (9, 1, 3, 5), "groups": 9, "pad": 2, "dilation": 2},
    {"x": (1, 6, 30), "w": (6, 1, 9), "groups": 6, "pad": 4, "stride": 4},
    {"x": (1, 6, 31), "w": (6, 1, 3), "groups": 6, "pad": 1, "stride": 3},
    {"x": (2, 4, 5, 6, 7), "w": (4, 1, 3, 3, 3), "groups": 4, "pad": 1},
    {"x": (1, 3, 9, 20), "w": (3, 1, 3, 3), "groups": 3, "pad": 1},
]


def many(value: int | tuple[int, ...], rank: int) -> tuple[int, ...]:
    return value if isinstance(value, tuple) else (value,) * rank


def convolutions(of: Sequence[dict[str, Any]]) -> Callable[[Case], None]:
    """Each with a padding known beforehand or given with the call, in turn."""

    def make(case: Case) -> None:
        for k, c in enumerate(of):
            rank, pad = len(c["x"]) - 2, c.get("pad", 0)
            pads = tuple(pad if isinstance(pad, tuple) else (pad, pad) for _ in range(rank))
            fill = case.input(np.array(9, np.uint8)) if k % 2 else case.g.constant(7, U8)
            attrs = {"stride": many(c.get("stride", 1), rank), "dilation": many(c.get("dilation", 1), rank), "groups": c.get("groups", 1)}
            y = case("int_conv", case.input(u8(*c["x"])), case.parameter(s8(*c["w"])), fill, padding=pads, **attrs)
            case.give(f"int_conv {c}", y)

    return make


def quantized(case: Case, x: str, zero: float, dtype: DType) -> str:
    low, high = (0.0, 255.0) if dtype is U8 else (-128.0, 127.0)
    return case("cast", case("clamp", case("add", case("round", x), case.number(zero)), low=low, high=high), dtype=dtype)


def epilogues(case: Case) -> None:
    """A bias of int32, scales per row and column, a residual of bytes, an activation, bytes again; scales are powers of two, so that
    contraction into multiply-adds changes nothing."""
    two = 2.0 ** rng.integers(-9, -6, 50)
    y = case("int_linear", case.input(u8(9, 33)), case.parameter(s8(50, 33)))
    y = case("cast", case("add", y, case.parameter(rng.integers(-999, 999, 50).astype(np.int32))), dtype=F32)
    rows = (2.0 ** rng.integers(-2, 2, (9, 1))).astype(np.float32)
    y = case("mul", case("mul", y, case.parameter(two.astype(np.float32))), case.input(rows))
    y = case("relu", case("add", y, case("cast", case.input(u8(9, 50)), dtype=F32)))
    case.give("linear", quantized(case, y, 3.0, U8))
    attrs = {"stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1), "groups": 1}
    y = case("int_conv", case.input(u8(2, 6, 9, 11)), case.parameter(s8(20, 6, 3, 3)), case.g.constant(7, U8), **attrs)
    y = case("add", y, case.parameter(rng.integers(-999, 999, (20, 1, 1)).astype(np.int32)))
    y = case("mul", case("cast", y, dtype=F32), case.parameter(two[:20].reshape(20, 1, 1).astype(np.float32)))
    y = case("add", y, case("mul", case("cast", case.input(s8(2, 20, 9, 11)), dtype=F32), case.number(0.125)))
    case.give("conv", quantized(case, y, 0.0, I8))
    for shape in ((3,), (5, 17), (2, 3, 33)):
        x = case("mul", case("sub", case("cast", case.input(u8(*shape)), dtype=F32), case.number(7.0)), case.number(0.5))
        case.give(f"pointwise {shape}", quantized(case, case("mul", case("relu", x), case.number(3.0)), 5.0, I8))


LIMITS = [(U8, None, 0.0, 255.0), (U8, 3.0, 3.0, 255.0), (U8, None, 7.0, 199.0), (U8, None, 0.75, 99.75),
          (I8, None, -128.0, 127.0), (I8, -5.0, -5.0, 100.0)]  # fmt: skip


def limits(case: Case) -> None:
    """Bytes of what is far smaller and larger than they are, beyond int32 as well, and of halves between whole numbers; limits are those of
    the type, and narrower ones."""
    attrs = {"stride": (1, 1), "padding": ((0, 0), (0, 0)), "dilation": (1, 1), "groups": 1}
    for dtype, zero, low, high in LIMITS:
        for scale in (2.0**-5, 2.0**-1, 2.0**12, 2.0**30):
            y = case("int_conv", case.input(u8(1, 5, 4, 15)), case.parameter(s8(19, 5, 1, 1)), case.g.constant(0, U8), **attrs)
            y = case("round", case("mul", case("cast", y, dtype=F32), case.number(scale)))
            y = y if zero is None else case("add", y, case.number(zero))
            case.give(f"{dtype} {zero} {low} {high} {scale}", case("cast", case("clamp", y, low=low, high=high), dtype=dtype))


def tables(case: Case) -> None:
    """Results that depend on one byte each, of bytes with and without sign, in rows that have gaps as well."""
    for x in (u8(40, 130), s8(5001), s8(3, 7, 999)):
        y = case("mul", case("sub", case("cast", case.input(x), dtype=F32), case.number(7.0)), case.number(0.5))
        y = case("mul", case("abs", case("add", case("relu", y), case.number(0.25))), case.number(3.0))
        for step in (1.0, 2.0, 4.0):
            y = case("abs", case("sub", y, case.number(step)))
        case.give(f"table {x.shape}", quantized(case, y, 5.0, I8))


MATRICES = [(5, 64, 5), (17, 128, 16), (33, 64, 33), (70, 192, 100), (40, 64, 64), (1, 64, 40), (6, 64, 1)]
MANY_CHANNELS: list[dict[str, Any]] = [
    {"x": (1, 64, 14, 14), "w": (33, 64, 1, 1)},
    {"x": (2, 70, 9, 11), "w": (40, 70, 3, 3), "pad": 1},
    {"x": (1, 24, 15, 15), "w": (16, 24, 3, 3), "pad": 1, "stride": 2},
    {"x": (1, 13, 33), "w": (6, 13, 3), "pad": 2, "dilation": 2},
    {"x": (1, 48, 12, 12), "w": (40, 24, 5, 3), "groups": 2, "pad": 2, "stride": (2, 1)},
    {"x": (1, 80, 12, 12), "w": (100, 20, 3, 3), "groups": 4, "pad": 1},
    {"x": (1, 18, 5, 6, 7), "w": (4, 18, 2, 3, 3), "pad": 1, "stride": 2},
    {"x": (1, 256, 56, 56), "w": (64, 256, 1, 1)},
    {"x": (1, 68, 1, 1), "w": (12, 68, 1, 1)},
]


def matrices(case: Case) -> None:
    """Products of whole steps of matrix tiles, with few and many rows and columns, constant and computed operands, and an epilogue."""
    for m, k, n in MATRICES:
        case.give(f"int_linear {m, k, n}", case("int_linear", case.input(u8(m, k)), case.parameter(s8(n, k))))
        case.give(f"int_matmul {m, k, n}", case("int_matmul", case.input(u8(m, k)), case.input(s8(k, n))))
    case.give("batches", case("int_matmul", case.input(u8(2, 3, 21, 64)), case.input(s8(2, 1, 64, 20))))
    y = case("int_linear", case.input(u8(37, 64)), case.parameter(s8(50, 64)))
    y = case("cast", case("add", y, case.parameter(rng.integers(-999, 999, 50).astype(np.int32))), dtype=F32)
    case.give("epilogue", quantized(case, case("mul", y, case.number(2.0**-9)), 3.0, U8))
    attrs = {"stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1), "groups": 1}
    y = case("int_conv", case.input(u8(2, 36, 9, 11)), case.parameter(s8(20, 36, 3, 3)), case.g.constant(7, U8), **attrs)
    y = case("mul", case("cast", y, dtype=F32), case.number(2.0**-9))
    y = case("add", y, case("mul", case("cast", case.input(s8(2, 20, 9, 11)), dtype=F32), case.number(0.125)))
    case.give("image epilogue", quantized(case, y, 0.0, I8))


POOLS: list[dict[str, Any]] = [
    {"x": (1, 3, 9, 9), "kernel": (3, 3), "stride": 2, "pad": 1},
    {"x": (2, 5, 70, 131), "kernel": (3, 3), "pad": 1},
    {"x": (1, 4, 33), "kernel": (2,), "stride": 2},
    {"x": (1, 3, 6, 7, 8), "kernel": (2, 3, 3), "stride": (1, 2, 1), "pad": (0, 1, 1)},
    {"x": (1, 3, 20, 20), "kernel": (5, 5), "pad": 2},
    {"x": (1, 3, 10, 10), "kernel": (3, 3), "stride": 2, "pad": 1, "ceil": True},
    {"x": (2, 3, 17, 66), "kernel": (2, 2), "stride": 3, "dilation": 2},
    {"x": (3, 8, 8), "kernel": (2, 2), "stride": 2},
    {"x": (1, 1, 1, 1), "kernel": (1, 1)},
]


def pools(case: Case) -> None:
    for c in POOLS:
        for numbers in (u8, s8):
            rank = len(c["kernel"])
            attrs = {"kernel": c["kernel"], "stride": many(c.get("stride", 1), rank), "dilation": many(c.get("dilation", 1), rank)}
            pads = tuple((p, p) for p in many(c.get("pad", 0), rank))
            y = case("max_pool", case.input(numbers(*c["x"])), padding=pads, ceil_mode=c.get("ceil", False), **attrs)
            case.give(f"max_pool {c}", y)


FAMILIES = {
    "products": products, "conv": convolutions(CONVOLUTIONS), "depthwise": convolutions(DEPTHWISE), "epilogues": epilogues,
    "limits": limits, "pools": pools, "tables": tables,
}  # fmt: skip


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("family", FAMILIES)
def test_equal_to_the_reference(family: str, isa: str) -> None:
    check(FAMILIES[family], isa, THREADS.get(isa, 2))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("family", [matrices, convolutions(MANY_CHANNELS)], ids=["products", "conv"])
def test_matrix_tiles_equal_the_reference(family: Callable[[Case], None], threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "_native", matrix_tiles)
    graph = check(family, "native", threads)
    kernels = compile_graph(graph, isa="native", threads=threads).plan.kernels
    assert any(k.context.get("matrix") for k in kernels)


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("family", [matrices, convolutions(MANY_CHANNELS)], ids=["products", "conv"])
def test_many_channels_equal_the_reference_without_matrix_tiles(family: Callable[[Case], None], isa: str) -> None:
    check(family, isa, THREADS.get(isa, 2))


@pytest.mark.parametrize("isa", [row("avx2")])
def test_bytes_become_words_where_pairs_of_these_are_multiplied(isa: str) -> None:
    """Rows of lengths that are and are not multiples of four bytes, and of the bytes that are turned at once."""

    def layers(case: Case) -> None:
        for k in (64, 72, 130):
            case.give(f"{k}", case("int_linear", case.input(u8(13, k)), case.parameter(s8(70, k))))

    kernels = compile_graph(check(layers, isa, 2), isa=isa, threads=2).plan.kernels
    names = [k.name for k in kernels if k.name.startswith("int_linear")]
    assert names and all("_words" in name for name in names)


def check_open_sizes(isa: str, channels: int, kernels: str, sizes: Sequence[tuple[int, int, int]]) -> None:
    """A 3x3 convolution of so many channels, compiled once for all (images, rows, columns), equals the reference; a kernel is called so."""
    text = f"""graph(%x: u8[n,{channels},rows,columns]) where n in [1, 8], rows in [1, 64], columns in [1, 64] {{
  %w = parameter{{target="w"}}: i8[40,{channels},3,3]
  %z = constant{{dtype=u8, value=array(u8[], [3])}}: u8[]
  %a: i32[n,40,rows,columns] = int_conv(%x, %w, %z){{dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}}
  return %a
}}"""
    graph, w = parse_graph(text), s8(40, channels, 3, 3)
    executable = Executable(compile_graph(graph, isa=isa, threads=2), threads=2)
    assert any(kernels in k.name for k in executable.plan.kernels)
    executable.pack({"w": w})
    for n, rows, columns in sizes:
        x, symbols = u8(n, channels, rows, columns), {"n": n, "rows": rows, "columns": columns}
        (want,) = evaluate_outputs(graph, (x,), {"w": w}, precision=None, symbols=symbols)
        np.testing.assert_array_equal(executable([x], symbols)[0], want)


@pytest.mark.parametrize("isa", [row("avx2")])
def test_maps_of_open_sizes_become_words(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes around those of register tiles, and several images."""
    monkeypatch.setattr(conv_words, "find_grids", lambda *_: ())
    check_open_sizes(isa, 16, "_words_s", ((1, 9, 11), (3, 17, 8), (2, 5, 33)))


def blocks(isa: str) -> Callable[[], targets.Target]:
    """A target whose images of bytes lie in blocks of channels, and that needs no instructions for dot products of bytes."""
    target = targets.by_name(isa)
    return lambda: replace(target, byte_dots=not target.word_dots, matrix_tiles=False)


POOLS_OF_BLOCKS: list[dict[str, Any]] = [
    {"kernel": (5, 5), "stride": (1, 1), "padding": ((2, 2), (2, 2))},
    {"kernel": (1, 3), "stride": (1, 3), "padding": ((0, 0), (1, 1))},
    {"kernel": (3, 2), "stride": (1, 2), "dilation": (2, 3), "padding": ((1, 1), (1, 1))},
    {"kernel": (7, 13), "stride": (3, 1), "padding": ((3, 3), (6, 6))},
    {"kernel": (2, 3), "stride": (2, 2), "padding": ((0, 0), (0, 1)), "ceil_mode": True},
]
"""Of maps of 10 x 12."""


def chains(case: Case) -> None:
    """Images that stay in blocks: a stem, pools, depthwise convolutions, residuals of bytes, joins, of channels around the lanes."""
    for channels in (5, 16, 24, 33):
        same = {"stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1)}

        def convolved(x: str, channels: int, kernel: int, c: int = channels, groups: int = 1, zero: float = 3.0, same: Any = same) -> str:
            pads = {"padding": ((kernel // 2,) * 2,) * 2}
            w = case.parameter(s8(channels, c // groups, kernel, kernel))
            y = case("int_conv", x, w, case.g.constant(int(zero), U8), **{**same, **pads}, groups=groups)
            y = case("sub", y, case.parameter(rng.integers(-999, 999, (channels, 1, 1)).astype(np.int32)))
            y = case("mul", case("cast", y, dtype=F32), case.parameter((2.0 ** rng.integers(-9, -6, (channels, 1, 1))).astype(np.float32)))
            return quantized(case, y, zero, U8)

        pool = {"kernel": (3, 3), "stride": (2, 2), "dilation": (1, 1), "padding": ((1, 1), (1, 1)), "ceil_mode": False}
        stem = case("max_pool", convolved(case.input(u8(2, 3, 19, 23)), channels, 3, 3), **pool)
        deep = convolved(stem, channels, 3, groups=channels)
        y = case("mul", case("sub", case("cast", convolved(deep, channels, 1), dtype=F32), case.number(3.0)), case.number(0.5))
        z = case("mul", case("sub", case("cast", stem, dtype=F32), case.number(3.0)), case.number(0.25))
        both = quantized(case, case("relu", case("add", y, z)), 3.0, U8)
        case.give(f"residual {channels}", both)
        case.give(f"signed {channels}", case("max_pool", quantized(case, y, -100.0, I8), **pool))
        for stem_pool in POOLS_OF_BLOCKS:
            case.give(f"{stem_pool} {channels}", case("max_pool", stem, **pool | stem_pool))
        small = {**pool, "kernel": (2, 2), "padding": ((0, 0), (0, 0)), "ceil_mode": True}
        case.give(f"small windows {channels}", case("max_pool", both, **small))
        joined = case("concat", both, deep, dim=1)
        case.give(f"joined {channels}", convolved(joined, 17, 3, 2 * channels))
        means = case("mean", case("cast", both, dtype=F32), dims=(2, 3), keepdims=True)
        case.give(f"mean {channels}", case("cast", case("round", case("mul", means, case.number(0.125))), dtype=I32))


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("family", [
    convolutions(CONVOLUTIONS), convolutions(DEPTHWISE), convolutions(MANY_CHANNELS[:-1]), epilogues, limits, pools, chains,
], ids=["conv", "depthwise", "many channels", "epilogues", "limits", "pools", "chains"])  # fmt: skip
def test_blocks_equal_the_reference(family: Callable[[Case], None], isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "_native", blocks(isa))
    graph = check(family, "native", THREADS.get(isa, 2))
    kernels = compile_graph(graph, isa="native", threads=2).plan.kernels
    wanted = {chains: 4, epilogues: 1, pools: 0}.get(family, 2)
    assert sum("_bytes" in k.name or "_words" in k.name for k in kernels) >= wanted


def tiled_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Images of bytes lie in blocks of channels, and matrix tiles multiply them."""
    monkeypatch.setattr(targets, "_native", lambda: replace(matrix_tiles(), byte_dots=True))
    monkeypatch.setattr(conv_tiles, "FEWEST_CHANNELS", 1)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("family", [
    convolutions(CONVOLUTIONS), convolutions(MANY_CHANNELS[:-1]), epilogues, chains,
], ids=["conv", "many channels", "epilogues", "chains"])  # fmt: skip
def test_blocks_by_matrix_tiles_equal_the_reference(family: Callable[[Case], None], threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tiled_blocks(monkeypatch)
    graph = check(family, "native", threads)
    kernels = compile_graph(graph, isa="native", threads=threads).plan.kernels
    assert sum(k.template == "conv_tiles.c.j2" for k in kernels) >= {chains: 4, epilogues: 1}.get(family, 2)


def test_maps_of_open_sizes_by_matrix_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows shorter and longer than a tile, and several images."""
    tiled_blocks(monkeypatch)
    check_open_sizes("native", 70, "int_conv_i32_tiles", [(1, 1, 1), (2, 7, 9), (1, 33, 40), (3, 4, 64)])


def test_readers_that_pad_with_different_bytes_share_no_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def two(case: Case) -> None:
        same = {"stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1), "groups": 1}
        pool = {"kernel": (1, 1), "stride": (1, 1), "dilation": (1, 1), "padding": ((0, 0), (0, 0)), "ceil_mode": False}
        x = case("max_pool", case.input(u8(1, 20, 9, 9)), **pool)
        for fill in (3, 200, 3):
            case.give(f"padded with {fill}", case("int_conv", x, case.parameter(s8(18, 20, 3, 3)), case.g.constant(fill, U8), **same))

    monkeypatch.setattr(targets, "_native", blocks(runnable()[0]))
    check(two, "native", 2)
