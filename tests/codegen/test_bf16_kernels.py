"""Convolutions, linear layers and poolings of bfloat16, whose sums are float32: one rounding of the result is all that they may be off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sol.codegen.kernels import conv_tiles
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.text import arrays_of, graph_text, parse_graph
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import ISAS, ROUNDING, conv_graph, held, random
from tests.codegen.conv_cases import check as check_conv
from tests.codegen.test_matmul_kernels import linear_graph
from tests.codegen.test_pool_kernels import CASES as POOLINGS
from tests.codegen.test_pool_kernels import build as pooling_graph
from tests.emulation import MATRIX_TILES, PAIRS, PAIRS_IN_C
from tests.harness import as_region, run_region, texts_of
from tests.toolchains import target_of

Arrays = dict[str, np.ndarray]


def narrowed(graph: Graph, *arrays: Arrays) -> tuple[Graph, list[Arrays]]:
    """The same graph of bfloat16, and arrays of numbers that it can hold."""
    narrow = parse_graph(graph_text(graph).replace("f32", "bf16"), arrays_of(graph))
    return narrow, [{name: held(array, DType.BF16) for name, array in given.items()} for given in arrays]


def residual(b: GraphBuilder, y: str, inputs: Arrays) -> str:
    """What a block of a residual network ends with."""
    inputs["other"] = random(b.type_of(y).shape, 3)
    return b.add("relu", [b.add("add", [y, b.input("other", b.type_of(y))])])


def smooth(b: GraphBuilder, y: str, inputs: Arrays) -> str:
    """An epilogue of many instructions, which makes lanes without a channel nonzero."""
    return b.add("add", [b.add("silu", [y]), b.constant(np.float32(0.5))])


CONVOLUTIONS: tuple[tuple[int, int, int, dict[str, Any]], ...] = (
    (1, 1, 1, {}), (7, 8, 1, {"epilogue": residual}), (15, 17, 1, {"stride": 2, "bias": False}), (16, 33, 1, {"epilogue": smooth}),
    (33, 7, 1, {"epilogue": residual}), (17, 16, 3, {"padding": 1, "epilogue": residual}), (8, 15, 3, {"padding": 1, "stride": 2}),
    (33, 40, 3, {"padding": 2, "dilation": 2, "epilogue": smooth}), (32, 64, 3, {"padding": 1, "groups": 2, "epilogue": residual}),
    (600, 20, 1, {}),
)  # fmt: skip
"""Input and output channels, taps along an axis, options: sizes around the lanes of all instruction sets."""


@pytest.mark.parametrize("isa,c,k,taps,options,threads", thinned(CONVOLUTIONS, (1, 3)))
def test_convolution(isa: str, c: int, k: int, taps: int, options: dict[str, Any], threads: int) -> None:
    check_narrow((2, c, 9, 13), k, taps, options, isa, threads, plain=())


TILED = CONVOLUTIONS + (
    (40, 70, 1, {"stride": 2, "epilogue": residual}), (64, 64, 3, {"padding": 1, "epilogue": smooth}), (16, 16, 5, {"padding": 2}),
)  # fmt: skip
MAPS = ((9, 13), (7, 7), (5, 16), (3, 17), (2, 33), (6, 40), (1, 1))
"""Rows shorter and longer than one matrix tile and than two."""


@pytest.mark.parametrize("size", MAPS)
@pytest.mark.parametrize("c,k,taps,options", TILED)
def test_convolution_by_matrix_tiles(c: int, k: int, taps: int, options: dict[str, Any], size: tuple[int, int]) -> None:
    if min(size) + 2 * options.get("padding", 0) < taps * options.get("dilation", 1):
        return
    for threads in (1, 3):
        check_narrow((2, c, *size), k, taps, options, MATRIX_TILES, threads, plain=())


@pytest.mark.parametrize("c,k,taps,options", [(600, 70, 1, {}), (33, 40, 3, {"padding": 1}), (64, 64, 3, {"padding": 1, "groups": 2})])
def test_patches_laid_out_by_the_whole_team(c: int, k: int, taps: int, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads share out output channels, and even two of them do not lay all patches out by themselves."""
    context = conv_tiles.tile_context
    made = []

    def together(*given: Any) -> dict[str, Any]:
        made.append(context(*given) | {"alone": 0})
        return made[-1]

    monkeypatch.setattr(conv_tiles, "shares_tiles", lambda *_: 0)
    monkeypatch.setattr(conv_tiles, "tile_context", together)
    for threads in (2, 3):
        check_narrow((2, c, 7, 9), k, taps, options, MATRIX_TILES, threads, plain=())
    assert made and all(m["shared"] for m in made)


@pytest.mark.parametrize("isa", [PAIRS, PAIRS_IN_C])
@pytest.mark.parametrize("c,k,taps,options", TILED)
def test_convolution_by_pairs(isa: str, c: int, k: int, taps: int, options: dict[str, Any]) -> None:
    for size in ((9, 13), (7, 7), (3, 17)):
        if min(size) + 2 * options.get("padding", 0) >= taps * options.get("dilation", 1):
            check_narrow((2, c, *size), k, taps, options, isa, 1 + size[0] % 3, plain=())


STEMS: tuple[tuple[int, int, int, dict[str, Any]], ...] = ((3, 17, 7, {"stride": 2, "padding": 3}), (1, 8, 3, {}), (5, 33, 1, {}))


@pytest.mark.parametrize("isa,c,k,taps,options,threads", thinned(STEMS, (1, 3)))
def test_convolution_of_a_plain_input(isa: str, c: int, k: int, taps: int, options: dict[str, Any], threads: int) -> None:
    check_narrow((2, c, 19, 35), k, taps, {"epilogue": smooth, **options}, isa, threads, plain=("x",))


WINDOWS: tuple[tuple[int, int, int, dict[str, Any]], ...] = (
    (3, 64, 7, {"stride": 2, "padding": 3}), (3, 40, 3, {"padding": 1}), (1, 8, 3, {"bias": False}),
    (4, 33, 2, {"stride": 2, "epilogue": residual}), (3, 17, 3, {"padding": 2, "dilation": 2}),
    (15, 70, 5, {"padding": 2, "epilogue": smooth}), (5, 33, 1, {}), (2, 16, 1, {"stride": 2}), (3, 17, 3, {"padding": -1}),
)  # fmt: skip
"""Windows that fill a row of a matrix tile to a part, exactly, and several of them; of an image that is cropped, which vectors compute."""


@pytest.mark.parametrize("size", [(19, 35), (8, 16), (5, 40), (12, 9), (7, 66)])
@pytest.mark.parametrize("c,k,taps,options", WINDOWS)
def test_few_channels_by_matrix_tiles(c: int, k: int, taps: int, options: dict[str, Any], size: tuple[int, int]) -> None:
    for threads in (1, 3):
        check_narrow((2, c, *size), k, taps, options, MATRIX_TILES, threads, plain=("x",))


def test_few_channels_are_read_as_windows() -> None:
    """Infinities beside a window do not reach its sum."""
    graph, inputs, arrays, _ = conv_graph((1, 3, 9, 20), 16, (3, 3), padding=1)
    inputs["x"][0, 1, 4, 7] = np.inf
    narrow, (inputs, arrays) = narrowed(graph, inputs, arrays)
    region = as_region(narrow, "dnn", "conv", block=target_of(MATRIX_TILES).lanes, plain=("x",))
    (result,) = run_region(region, inputs, arrays, isa=MATRIX_TILES)
    assert "conv_bf16_im2col_tiles" in texts_of(region, MATRIX_TILES)
    assert not np.isfinite(result[0, :, 3:6, 6:9]).any() and np.isfinite(result).sum() == result.size - 16 * 9


def check_narrow(x: tuple[int, ...], k: int, taps: int, options: dict[str, Any], isa: str, threads: int, plain: tuple[str, ...]) -> None:
    graph, inputs, arrays, _ = conv_graph(x, k, (taps, taps), **options)
    narrow, (inputs, arrays) = narrowed(graph, inputs, arrays)
    border = (options.get("padding", 0),) * 2
    check_conv(narrow, inputs, arrays, isa=isa, threads=threads, plain=plain, borders={} if plain else {"x": (border, border)})


LAYERS = ((1, 1, 70), (1, 33, 17), (3, 7, 31), (5, 16, 8), (9, 17, 1), (33, 200, 50), (7, 15, 33), (2, 50, 3000))
"""Rows, columns, length of the reduction."""


@pytest.mark.parametrize("isa,m,n,k", thinned(LAYERS))
def test_linear(isa: str, m: int, n: int, k: int) -> None:
    for threads, epilogue, bias in (1, "add_relu", True), (3, "mul_add", False):
        check_linear(linear_graph((m, k), n, epilogue=epilogue, bias=bias), isa, threads)


@pytest.mark.parametrize(
    "m,n,k", [(1, 1, 32), (1, 33, 64), (7, 16, 96), (15, 17, 32), (17, 40, 320), (33, 200, 64), (70, 48, 1056), (5, 31, 33)]
)
def test_linear_by_matrix_tiles(m: int, n: int, k: int) -> None:
    """Rows below, at and above one and two tiles; the last row is no whole step long, and other kernels compute it."""
    for threads, epilogue, bias in (1, "add_relu", True), (3, "mul_add", False):
        check_linear(linear_graph((m, k), n, epilogue=epilogue, bias=bias), MATRIX_TILES, threads)


@pytest.mark.parametrize("isa", [PAIRS, PAIRS_IN_C])
@pytest.mark.parametrize(
    "m,n,k", [(1, 1, 2), (1, 33, 64), (7, 16, 96), (15, 17, 34), (17, 40, 320), (33, 200, 62), (8, 48, 6150), (5, 31, 33), (2, 130, 1000),
              (9, 70, 1), (40, 96, 601)],
)  # fmt: skip
def test_linear_by_pairs(isa: str, m: int, n: int, k: int) -> None:
    """Reductions of whole and of some steps of the unrolled loop, in one slice and in several; odd ones."""
    for threads, epilogue, bias in (1, "add_relu", True), (3, "mul_add", False):
        check_linear(linear_graph((m, k), n, epilogue=epilogue, bias=bias), isa, threads)


@pytest.mark.parametrize("steps", [64, 63])
@pytest.mark.parametrize("isa", [PAIRS, PAIRS_IN_C])
def test_pairs_are_multiplied_where_that_is_faster(isa: str, steps: int) -> None:
    """Small numbers are kept, those below the smallest normal one are zero, and what is not finite stays in its row and column."""
    narrow, (inputs, arrays) = narrowed(*linear_graph((9, steps), 40, bias=False))
    region = as_region(narrow, "dnn", "linear")
    assert "vp_dot" in texts_of(region, isa)
    (x,) = inputs.values()
    x[2, 0], x[4, -1], x[7] = np.inf, np.nan, x[7] * np.float32(2.0**-100)
    (got,) = run_region(region, inputs, arrays, isa=isa, threads=2)
    want = x.astype(np.float64) @ arrays["w"].astype(np.float64).T
    assert not np.isfinite(got[[2, 4]]).any() and np.isfinite(got[[0, 1, 3, 5, 6, 7, 8]]).all()
    np.testing.assert_allclose(got[7], want[7], rtol=0.02, atol=0.01 * np.abs(want[7]).max())


@pytest.mark.parametrize("isa", ISAS)
def test_linear_of_columns_apart(isa: str) -> None:
    """Rows of the left operand are copied first, as float32."""
    graph, inputs, arrays = linear_graph((2, 5, 24), 50, epilogue="add_relu")
    check_linear((graph, inputs, arrays), isa, 2, strides={"x": (120, 1, 5)})


def check_linear(built: tuple[Graph, Arrays, Arrays], isa: str, threads: int, **options: Any) -> None:
    narrow, (inputs, arrays) = narrowed(*built)
    (got,) = run_region(as_region(narrow, "dnn", "linear"), inputs, arrays, isa=isa, threads=threads, **options)
    double = {name: array.astype(np.float64) for name, array in inputs.items()}
    want = evaluate(narrow, double, arrays, precision=np.float64)[narrow.outputs[0]]
    np.testing.assert_allclose(got, want, rtol=ROUNDING, atol=3e-6 * max(1.0, float(np.abs(want).max())))


@pytest.mark.parametrize("isa,op,shape,attrs,epilogue", thinned(POOLINGS))
def test_pooling_of_blocks(isa: str, op: str, shape: tuple[int, ...], attrs: dict[str, Any], epilogue: tuple[str, ...]) -> None:
    """Whose epilogues other kernels compute."""
    narrow, (inputs,) = narrowed(pooling_graph(op, shape, **attrs), {"x": random(shape)})
    region = as_region(narrow, "dnn", op, block=target_of(isa).lanes)
    borders = {name: ((1, 1),) * (len(shape) - 2) for name in ("x", *narrow.outputs)}
    (got,) = run_region(region, inputs, isa=isa, threads=2, borders=borders)
    want = evaluate(narrow, {"x": inputs["x"].astype(np.float64)}, {}, precision=np.float64)[narrow.outputs[0]]
    np.testing.assert_allclose(got, want, rtol=0 if "max" in op else ROUNDING, atol=0 if "max" in op else 3e-6)


NARROWED: tuple[str, dict[str, Any]] = ("cast", {"dtype": DType.BF16})


@pytest.mark.parametrize(
    "steps,rounds",
    [
        ((("relu", {}), NARROWED), False),
        ((("clamp", {"low": 0.0, "high": 6.0}), NARROWED), False),
        ((("clamp", {"low": None, "high": 2.5}), ("relu", {}), NARROWED), False),
        ((("clamp", {"low": 0.1, "high": 6.0}), NARROWED), True),
        ((("relu", {}),), True),
        ((("silu", {}), NARROWED), True),
    ],
)
@pytest.mark.parametrize("isa", ISAS)
def test_what_is_rounded_once_more_is_not_rounded_before(isa: str, steps: Any, rounds: bool) -> None:
    """Limits that bfloat16 can have commute with rounding: results are the same to the bit."""
    x, w = (TensorType(DType.BF16, shape) for shape in ((1, 24, 5, 7), (19, 24, 1, 1)))
    options = {"stride": (1, 1), "padding": ((0, 0), (0, 0)), "dilation": (1, 1), "groups": 1}

    def region_of(steps: Any) -> Graph:
        b = GraphBuilder()
        y = b.add("conv", [b.input("x", x), b.parameter("w", w)], **options)
        for op, attrs in (("cast", {"dtype": DType.F32}), *steps) if steps else ():
            y = b.add(op, [y], **attrs)
        return as_region(b.build([y]), "dnn", "conv", target_of(isa).lanes)

    data, weight = (held(4 * random(t.shape, 5), DType.BF16) for t in (x, w))
    (alone,), (got,) = (run_region(region_of(s), {"x": data}, {"w": weight}, isa=isa) for s in ((), steps))
    for op, attrs in steps:
        if op == "cast":
            alone = held(alone, DType.BF16)
        elif op == "silu":
            alone = (alone / (1 + np.exp(-alone.astype(np.float64)))).astype(np.float32)
        else:
            alone = np.clip(alone, attrs.get("low", 0.0), attrs.get("high"))
    assert ("vf_result_bf16(" in texts_of(region_of(steps), isa)) == rounds
    silu = steps[0][0] == "silu"  # which may be zero where it is nearly
    np.testing.assert_allclose(got, alone, rtol=2.0**-8 if silu else 0, atol=5e-8 if silu else 0)


ROUNDED = ((3, 24, 3, 1), (3, 40, 7, 1), (24, 24, 3, 24), (33, 33, 3, 33))
"""Channels of input and output, taps along an axis, groups: of images, and depthwise."""


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("c,k,taps,groups", ROUNDED)
def test_what_is_stored_narrow_is_rounded_once(isa: str, c: int, k: int, taps: int, groups: int) -> None:
    """Convolutions of float32 that store bfloat16 give the rounding of what they store as float32, to the bit."""
    options = {"stride": (1, 1), "padding": ((taps // 2, taps // 2),) * 2, "dilation": (1, 1), "groups": groups}
    lanes, plain = target_of(isa).lanes, ("x",) if groups == 1 else ()
    data, weight = 3 * random((2, c, 9, 21), 5), random((k, c // groups, taps, taps), 6)

    def region_of(*steps: tuple[str, dict[str, Any]]) -> Graph:
        b = GraphBuilder()
        x, w = (TensorType(DType.F32, array.shape) for array in (data, weight))
        y = b.add("conv", [b.input("x", x), b.parameter("w", w)], **options)
        for op, attrs in steps:
            y = b.add(op, [y], **attrs)
        return as_region(b.build([y]), "dnn", "conv", lanes, plain=plain)

    wide, narrow = (region_of(("silu", {}), *cast) for cast in ((), (NARROWED,)))
    borders = {} if plain else {"x": options["padding"]}
    assert "round_bf16" not in texts_of(narrow, isa, borders=borders)
    (want,), (got,) = (run_region(r, {"x": data}, {"w": weight}, isa=isa, borders=borders) for r in (wide, narrow))
    np.testing.assert_array_equal(got, held(want, DType.BF16))
