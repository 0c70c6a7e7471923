"""Depthwise and narrow grouped convolutions against the float64 interpreter and torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sol.codegen.kernels.conv_small import tile_ladder
from sol.codegen.packing import make_pack
from sol.codegen.targets import by_name, runnable
from sol.errors import SolError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.types import DType, TensorType
from sol.runtime.packers import packed as packed_weight
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import held, random
from tests.harness import as_region, run_region, texts_of


def f32(*shape) -> TensorType:
    return TensorType(DType.F32, tuple(shape))


def conv_graph(
    x_shape, k, c_per_group, kernel, *, stride, padding, dilation, groups, bias=True, epilogue=()
) -> tuple[Graph, dict, str]:
    """conv followed by pointwise ops; "add" adds an input of the result's shape, "scale" multiplies by one number per channel and image."""
    rng = np.random.default_rng(0)
    b = GraphBuilder()
    x = b.input("x", f32(*x_shape))
    shape = (k, c_per_group, *kernel)
    parameters = {"w": rng.standard_normal(shape).astype(np.float32), "b": rng.standard_normal(k).astype(np.float32)}
    operands = [x, b.parameter("w", f32(*shape))] + ([b.parameter("b", f32(k))] if bias else [])
    y = b.add("conv", operands, stride=stride, padding=padding, dilation=dilation, groups=groups)
    out = b.type_of(y).shape
    for op in epilogue:
        if op == "add":
            y = b.add("add", [y, b.input("r", f32(*out))])
        elif op == "scale":
            y = b.add("mul", [y, b.input("s", f32(*out[:2], *(1 for _ in out[2:])))])
        elif op == "exp_log":
            y = b.add("log", [b.add("square", [y])])
        else:
            y = b.add(op, [y])
    return b.build([y]), parameters, x


def check(
    graph: Graph, parameters: dict, isa: str, threads: int, padding, symbols=None, seed: int = 1, out_border: int = 1
) -> None:
    lanes = by_name(isa).lanes
    rng = np.random.default_rng(seed)
    sizes = symbols or {}
    from sol.ir.dim import evaluate as size

    inputs = {
        v: rng.standard_normal([size(d, sizes) for d in graph.type_of(v).shape]).astype(np.float32)
        for v in graph.inputs
    }
    want = evaluate(graph, inputs, parameters)[graph.outputs[0]]
    region = as_region(graph, "dnn", "conv", lanes)
    spatial = graph.type_of(graph.outputs[0]).rank - 2
    borders = {
        "x": tuple((max(lo, 0), max(hi, 0)) for lo, hi in padding),
        graph.outputs[0]: ((out_border, out_border),) * spatial,
    }
    got = run_region(region, inputs, parameters, isa=isa, threads=threads, borders=borders, symbols=symbols)[0]
    np.testing.assert_allclose(
        got, want, rtol=2e-5, atol=2e-5 * max(1.0, float(np.abs(want[np.isfinite(want)]).max(initial=0)))
    )


DEPTHWISE = [
    # channels, size, kernel, stride, padding, dilation, batch, epilogue
    (16, (14, 14), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1, ("relu",)),
    (33, (7, 7), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 2, ("add", "relu")),
    (7, (15, 13), (3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1), 2, ("scale",)),
    (17, (12, 11), (5, 5), (1, 1), ((2, 2), (2, 2)), (1, 1), 1, ("hardswish",)),
    (8, (13, 12), (5, 5), (2, 2), ((2, 2), (2, 2)), (1, 1), 1, ()),
    (1, (9, 20), (7, 7), (1, 1), ((3, 3), (3, 3)), (1, 1), 1, ()),
    (15, (16, 17), (3, 3), (1, 1), ((2, 2), (2, 2)), (2, 2), 1, ("exp_log",)),
    (16, (12, 19), (3, 3), (2, 1), ((0, 1), (1, 0)), (1, 1), 1, ("relu",)),
    (9, (14, 15), (11, 11), (1, 1), ((5, 5), (5, 5)), (1, 1), 1, ()),
    (16, (6, 9), (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), 1, ("sigmoid",)),
    (20, (31,), (3,), (1,), ((1, 1),), (1,), 2, ("relu",)),
    (4, (40,), (15,), (2,), ((7, 7),), (1,), 1, ()),
    (16, (10, 10), (3, 3), (1, 1), ((-1, -1), (-1, 0)), (1, 1), 1, ()),
]


@pytest.mark.parametrize("isa,case", thinned([(case,) for case in DEPTHWISE]))
def test_depthwise_equals_reference(isa: str, case) -> None:
    channels, size, kernel, stride, padding, dilation, batch, epilogue = case
    graph, parameters, _ = conv_graph(
        (batch, channels, *size),
        channels,
        1,
        kernel,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=channels,
        bias=bool(epilogue),
        epilogue=epilogue,
    )
    check(graph, parameters, isa, 1 + channels % 3, padding)


GROUPED = [
    # channels, group width, size, kernel, stride, padding, dilation, batch, epilogue
    (32, 2, (9, 15), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1, ("relu",)),
    (36, 4, (8, 14), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 2, ("add", "relu")),
    (24, 8, (9, 9), (3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1), 1, ("relu",)),
    (12, 2, (8, 9), (5, 3), (1, 1), ((2, 2), (2, 2)), (1, 2), 1, ("scale",)),
    (16, 4, (6, 5), (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), 1, ()),
    (16, 2, (6, 23), (3, 11), (1, 2), ((1, 1), (5, 5)), (1, 1), 1, ("sigmoid",)),
    (20, 4, (37,), (3,), (1,), ((1, 1),), (1,), 2, ("relu",)),
]


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("case", GROUPED, ids=str)
def test_grouped_equals_reference(isa: str, case) -> None:
    channels, g, size, kernel, stride, padding, dilation, batch, epilogue = case
    if g >= by_name(isa).lanes:
        pytest.skip("groups as wide as a vector are conv_direct's")
    graph, parameters, _ = conv_graph(
        (batch, channels, *size),
        channels,
        g,
        kernel,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=channels // g,
        bias=bool(epilogue),
        epilogue=epilogue,
    )
    check(graph, parameters, isa, 1 + channels % 3, padding)


NARROW = [
    # channels, group width, size, kernel, stride, read narrow, stored narrow, epilogue, batch
    (16, 1, (14, 15), (3, 3), (1, 1), True, True, "relu", 1),
    (33, 1, (7, 9), (3, 3), (2, 2), True, True, "clamp", 2),
    (17, 1, (9, 8), (5, 5), (1, 1), True, False, "hardswish", 1),
    (7, 1, (8, 23), (3, 3), (1, 1), False, True, "relu", 3),
    (15, 1, (6, 13), (3, 11), (1, 1), True, True, "exp_log", 1),
    (36, 4, (8, 14), (3, 3), (1, 1), True, True, "relu", 2),
    (20, 2, (37,), (3,), (1,), True, True, "relu", 2),
]


NARROW_CASES = [p for p in thinned([(case,) for case in NARROW]) if p.values[1][1] < by_name(p.values[0]).lanes]
"""Groups as wide as a vector are conv_direct's."""


@pytest.mark.parametrize("isa,case", NARROW_CASES)
def test_bfloat16_is_widened_and_rounded_in_registers(isa: str, case) -> None:
    """Multiplied in float32 by weights of float32: one rounding of the result is all that it may be off."""
    channels, g, size, kernel, stride, reads, stores, epilogue, batch = case
    rng, b = np.random.default_rng(0), GraphBuilder()
    padding = tuple((k // 2, k // 2) for k in kernel)
    parameters = {n: rng.standard_normal(s).astype(np.float32) for n, s in (("w", (channels, g, *kernel)), ("b", (channels,)))}
    x = y = b.input("x", TensorType(DType.BF16 if reads else DType.F32, (batch, channels, *size)))
    if reads:
        y = b.add("cast", [x], dtype=DType.F32)
    operands = [y, *(b.parameter(n, f32(*a.shape)) for n, a in parameters.items())]
    y = b.add("conv", operands, stride=stride, padding=padding, dilation=(1,) * len(size), groups=channels // g)
    if epilogue == "exp_log":
        y = b.add("log", [b.add("square", [y])])
    else:
        y = b.add(epilogue, [y], **({"low": 0.0, "high": 6.0} if epilogue == "clamp" else {}))
    if stores:
        y = b.add("cast", [y], dtype=DType.BF16)
    graph = b.build([y])
    data = random((batch, channels, *size))
    data = held(data, DType.BF16) if reads else data
    region = as_region(graph, "dnn", "conv", by_name(isa).lanes)
    borders = {"x": padding, y: ((1, 1),) * len(size)}
    (got,) = run_region(region, {"x": data}, parameters, isa=isa, threads=1 + channels % 3, borders=borders)
    want = evaluate(graph, {"x": data}, parameters)[y]
    rounding = 2.0**-8 if stores else 0.0
    np.testing.assert_allclose(got, want, rtol=2e-5 + rounding, atol=2e-5 * float(np.abs(want).max()))
    text = texts_of(region, isa, borders)
    assert (f"{'vbf' if reads else 'vf'}_load(p" in text) and ("vbf_result_store(o" in text) == stores


@pytest.mark.parametrize("isa", runnable())
@pytest.mark.parametrize("width", [1, 5, 9, 23])
def test_symbolic_sizes(isa: str, width: int) -> None:
    n, h, w = (Dim.symbol(s, 1) for s in ("n", "h", "w"))
    padding = ((1, 1), (1, 1))
    graph, parameters, _ = conv_graph(
        (n, 18, h, w), 18, 1, (3, 3), stride=(1, 1), padding=padding, dilation=(1, 1), groups=18, epilogue=("relu",)
    )
    check(graph, parameters, isa, 2, padding, {"n": 2, "h": 5, "w": width}, out_border=0)


def test_equals_torch_with_nan_and_inf() -> None:
    padding = ((1, 1), (1, 1))
    graph, parameters, _ = conv_graph(
        (1, 16, 8, 8), 16, 1, (3, 3), stride=(1, 1), padding=padding, dilation=(1, 1), groups=16, epilogue=("relu",)
    )
    x = np.random.default_rng(0).standard_normal((1, 16, 8, 8)).astype(np.float32)
    x[0, 3, 2, 2], x[0, 5, 7, 7] = np.nan, np.inf
    region = as_region(graph, "dnn", "conv", by_name(runnable()[0]).lanes)
    got = run_region(region, {"x": x}, parameters, isa=runnable()[0], borders={"x": padding})[0]
    w, b = (torch.from_numpy(parameters[k]) for k in "wb")
    want = torch.relu(torch.nn.functional.conv2d(torch.from_numpy(x), w, b, padding=1, groups=16)).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_tile_ladder_covers_every_size() -> None:
    for widest in (2, 4, 7, 14):
        for size in range(1, 60):
            widths = tile_ladder(size, widest)
            left = size
            for w in widths:
                left %= w
            assert left == 0 and max(widths) <= widest
    assert tile_ladder(56, 7) == (7,) and tile_ladder(Dim.symbol("w"), 7) == (7, 2, 1)


def test_packers_place_every_weight() -> None:
    w = np.arange(5 * 2 * 3 * 3, dtype=np.float32).reshape(5, 2, 3, 3)
    packed = packed_weight(make_pack("conv_grouped", block=4), w)
    assert packed.shape == (2, 9, 2, 4) and packed[1, 7, 1, 0] == w[4, 1, 2, 1] and packed[1, 0, 0, 1] == 0
    packed = packed_weight(make_pack("conv_depthwise", block=4), w[:, :1])
    assert packed.shape == (2, 9, 4) and packed[0, 5, 3] == w[3, 0, 1, 2] and packed[1, 0, 1] == 0


def test_a_missing_zero_border_is_an_error() -> None:
    padding = ((1, 1), (1, 1))
    options = {"stride": (1, 1), "padding": padding, "dilation": (1, 1), "groups": 16}
    graph, parameters, _ = conv_graph((1, 16, 8, 8), 16, 1, (3, 3), **options)
    isa = runnable()[0]
    region = as_region(graph, "dnn", "conv", by_name(isa).lanes)
    with pytest.raises(SolError, match="border"):
        run_region(
            region, {"x": np.zeros((1, 16, 8, 8), np.float32)}, parameters, isa=isa, borders={"x": ((1, 1), (0, 1))}
        )
