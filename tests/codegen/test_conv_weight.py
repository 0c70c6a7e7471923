"""Gradients of convolutions for their weights against the float64 interpreter and torch."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from sol.codegen.kernels import (
    conv_weight_dense,
    conv_weight_inner_product,
    conv_weight_split,
    conv_weight_winograd,
    families,
    split_product,
)
from sol.codegen.kernels.conv_weight_lines import Axis
from sol.config import config
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.ops.conv import conv_size
from sol.ir.types import DType, TensorType
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import forced, held
from tests.emulation import MATRIX_TILES, PAIRS, PAIRS_IN_C
from tests.harness import as_region, run_region
from tests.toolchains import target_of

Pads = tuple[tuple[int, int], ...]


def build(x: tuple[int, ...], kernels: int, kernel: tuple[int, ...], stride=None, padding: Pads | None = None, dilation=None, groups=1,
          dtype=DType.F32, result: DType | None = None) -> Graph:  # fmt: skip
    """conv_weight_grad(x, grad) of an input's shape and as many kernels."""
    ones = (1,) * len(kernel)
    stride, dilation, padding = stride or ones, dilation or ones, padding or ((0, 0),) * len(kernel)
    sizes = tuple(int(conv_size(*axis)) for axis in zip(x[2:], kernel, stride, padding, dilation))
    b = GraphBuilder()
    operands = [b.input("x", TensorType(dtype, x)), b.input("grad", TensorType(dtype, (x[0], kernels, *sizes)))]
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups, "kernel": kernel, "dtype": result}
    return b.build([b.add("conv_weight_grad", operands, **options)])


def run(graph: Graph, isa: str, threads: int, block: int = 0, plain: tuple[str, ...] = (), **options: Any) -> None:
    """The kernel's result is the interpreter's."""
    rng = np.random.default_rng(1)
    inputs = {v: rng.standard_normal(graph.type_of(v).shape).astype(graph.type_of(v).dtype.numpy) for v in graph.inputs}
    inputs = {v: held(array, graph.type_of(v).dtype) for v, array in inputs.items()}
    want = evaluate(graph, inputs, {})[graph.outputs[0]]
    region = as_region(graph, "dnn", "conv_weight_grad", block, (*plain, *graph.outputs))
    got = run_region(region, inputs, {}, isa=isa, threads=threads, **options)[0]
    tolerance = 1e-12 if got.dtype == np.float64 else 2e-5
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * max(1.0, float(np.abs(want).max(initial=0))))


PLAIN: list[dict[str, Any]] = [
    {"x": (2, 3, 9, 11), "kernels": 5, "kernel": (3, 3), "padding": ((1, 1), (1, 1))},
    {"x": (2, 6, 9, 11), "kernels": 4, "kernel": (3, 2), "padding": ((1, 2), (-1, 3)), "stride": (2, 3), "groups": 2},
    {"x": (3, 4, 40), "kernels": 7, "kernel": (5,), "stride": (3,), "padding": ((2, 0),), "dilation": (2,)},
    {"x": (1, 2, 5, 6, 7), "kernels": 3, "kernel": (2, 3, 1), "padding": ((1, 0), (0, 1), (0, 0))},
    {"x": (2, 5, 8, 9), "kernels": 5, "kernel": (3, 3), "padding": ((1, 1), (1, 1)), "groups": 5, "dtype": DType.F64},
    {"x": (2, 3, 2, 2), "kernels": 2, "kernel": (5, 5), "padding": ((4, 4), (4, 4)), "dilation": (2, 2)},
]


@pytest.mark.parametrize("isa,case", thinned(range(len(PLAIN))))
def test_plain_kernel_equals_reference(isa: str, case: int) -> None:
    run(build(**PLAIN[case]), isa, 1 + case % 3)


def test_strided_operands() -> None:
    graph = build((2, 3, 9, 11), 5, (3, 3))
    run(graph, "native", 2, strides={"x": (297, 1, 33, 3), "grad": (315, 1, 45, 5)})


ONES, TWOS = ((1, 1), (1, 1)), ((2, 2), (2, 2))
DENSE: list[dict[str, Any]] = [
    {"x": (2, 16, 9, 11), "kernels": 32, "kernel": (3, 3), "padding": ONES},
    {"x": (3, 17, 7, 7), "kernels": 33, "kernel": (3, 3), "padding": ONES, "stride": (2, 2)},
    {"x": (2, 33, 8, 15), "kernels": 15, "kernel": (1, 1)},
    {"x": (20, 7, 3, 3), "kernels": 49, "kernel": (1, 1), "stride": (2, 2)},
    {"x": (1, 1, 12, 13), "kernels": 8, "kernel": (5, 2), "padding": ((4, 1), (-1, 3)), "dilation": (2, 3), "stride": (1, 3)},
    {"x": (2, 64, 5, 6), "kernels": 128, "kernel": (3, 1), "padding": ((2, 0), (0, 0))},
    {"x": (2, 32, 9, 9), "kernels": 64, "kernel": (3, 3), "padding": ONES, "groups": 2},
    {"x": (2, 32, 9, 9), "kernels": 32, "kernel": (3, 3), "padding": ONES, "groups": 8, "stride": (2, 1)},
    {"x": (2, 24, 6, 7), "kernels": 24, "kernel": (3, 3), "padding": ONES, "groups": 12},
    {"x": (1, 100, 40, 41), "kernels": 12, "kernel": (3, 3), "padding": TWOS},
]


@pytest.mark.parametrize("isa,case", thinned(range(len(DENSE))))
def test_dense_kernel_equals_reference(isa: str, case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "candidates", lambda anchor: conv_weight_dense.CANDIDATES)
    run(build(**DENSE[case]), isa, 1 + case % 2, target_of(isa).lanes)


@pytest.mark.parametrize("isa,case", thinned([0, 1, 3, 9]))
def test_sums_are_added_up_in_pieces(isa: str, case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a row, at the end of one, and after several."""
    monkeypatch.setattr(families, "candidates", lambda anchor: conv_weight_dense.CANDIDATES)
    monkeypatch.setattr(conv_weight_dense, "PIECE", 5)
    run(build(**DENSE[case]), isa, 2, target_of(isa).lanes)


STEMS: list[dict[str, Any]] = [
    {"x": (2, 3, 23, 31), "kernels": 64, "kernel": (7, 7), "padding": ((3, 3), (3, 3)), "stride": (2, 2)},
    {"x": (2, 3, 8, 9), "kernels": 17, "kernel": (3, 3), "padding": ((1, 0), (0, 1)), "dilation": (2, 1)},
    {"x": (3, 1, 9, 150), "kernels": 33, "kernel": (3, 5), "padding": ((-1, 4), (-2, 5)), "stride": (1, 3)},
    {"x": (2, 2, 5, 6), "kernels": 8, "kernel": (1, 1)},
]


@pytest.mark.parametrize("isa,case", thinned(range(len(STEMS))))
def test_first_convolution_equals_reference(isa: str, case: int) -> None:
    run(build(**STEMS[case]), isa, 1 + case % 2, target_of(isa).lanes, ("x",))


DEPTHWISE: list[dict[str, Any]] = [
    {"x": (2, 33, 9, 11), "kernel": (3, 3), "padding": ONES},
    {"x": (3, 17, 8, 15), "kernel": (5, 5), "padding": TWOS, "stride": (2, 2)},
    {"x": (2, 7, 12, 13), "kernel": (7, 7), "padding": ((3, 3), (3, 2)), "stride": (1, 3)},
    {"x": (1, 15, 9, 8), "kernel": (2, 3), "padding": ((1, 0), (-1, 4)), "dilation": (3, 2)},
    {"x": (2, 16, 3, 2), "kernel": (3, 5), "padding": (ONES[0], TWOS[0])},
    {"x": (5, 8, 4, 30), "kernel": (4, 9), "padding": (TWOS[0], (4, 4))},
]


@pytest.mark.parametrize("isa,case", thinned(range(len(DEPTHWISE))))
def test_depthwise_kernel_equals_reference(isa: str, case: int) -> None:
    channels = DEPTHWISE[case]["x"][1]
    run(build(**DEPTHWISE[case], kernels=channels, groups=channels), isa, 1 + case % 2, target_of(isa).lanes)


TILES: list[dict[str, Any]] = [
    {"x": (2, 16, 9, 11), "kernels": 32, "kernel": (3, 3), "padding": ONES},
    {"x": (3, 17, 7, 7), "kernels": 33, "kernel": (3, 3), "padding": ONES, "stride": (2, 2)},
    {"x": (2, 33, 8, 15), "kernels": 47, "kernel": (1, 1)},
    {"x": (2, 50, 9, 14), "kernels": 64, "kernel": (1, 1), "stride": (2, 2)},
    {"x": (1, 40, 12, 13), "kernels": 16, "kernel": (5, 2), "padding": ((4, 1), (-1, 3)), "dilation": (2, 3), "stride": (1, 3)},
    {"x": (2, 64, 5, 6), "kernels": 128, "kernel": (3, 1), "padding": ((2, 0), (0, 0))},
    {"x": (2, 32, 40, 41), "kernels": 20, "kernel": (3, 3), "padding": TWOS},
    {"x": (3, 300, 33, 20), "kernels": 170, "kernel": (3, 3), "padding": ((0, 0), (0, 0))},
    {"x": (9, 512, 7, 7), "kernels": 520, "kernel": (3, 3), "padding": ONES},
    {"x": (2, 31, 24, 30), "kernels": 48, "kernel": (7, 7), "padding": ((3, 3), (3, 3)), "stride": (2, 2)},
    {"x": (5, 16, 1, 1), "kernels": 16, "kernel": (3, 3), "padding": ONES},
]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("case", range(len(TILES)))
def test_matrix_tiles_equal_reference(case: int, threads: int) -> None:
    run(build(**TILES[case], dtype=DType.BF16, result=DType.F32), MATRIX_TILES, threads, 16)


@pytest.mark.parametrize("isa", [PAIRS, PAIRS_IN_C])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("case", range(len(TILES)))
def test_pairs_equal_reference(case: int, threads: int, isa: str) -> None:
    run(build(**TILES[case], dtype=DType.BF16, result=DType.F32), isa, threads, 16)


SPLIT: list[dict[str, Any]] = [
    {"x": (2, 16, 9, 11), "kernels": 32},
    {"x": (3, 17, 7, 7), "kernels": 33, "stride": (2, 2)},
    {"x": (2, 33, 8, 15), "kernels": 47},
    {"x": (2, 50, 9, 14), "kernels": 64, "stride": (2, 3)},
    {"x": (1, 1, 1, 1), "kernels": 1},
    {"x": (5, 130, 3, 43), "kernels": 70},
    {"x": (1, 300, 20, 13), "kernels": 170},
    {"x": (7, 64, 16, 8), "kernels": 100},
]


@pytest.mark.parametrize("share", [split_product.SHARE, 0.03])
@pytest.mark.parametrize("case", range(len(SPLIT)))
def test_float32_by_matrix_tiles_equals_reference(case: int, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole or a few sums at a time, pixels in parts or not, rows apart."""
    monkeypatch.setattr(families, "candidates", lambda _: (forced(conv_weight_split.CANDIDATES[0]),))
    monkeypatch.setattr(split_product, "SHARE", share)
    graph = build(**SPLIT[case], kernel=(1, 1))
    for threads in (1, 2, 3):
        run(graph, MATRIX_TILES, threads, 16)
    run(graph, MATRIX_TILES, 2, 16, borders={"x": ((1, 2), (2, 1)), "grad": ((1, 0), (0, 3))})


@pytest.mark.parametrize("kernel,isa", [(conv_weight_split, MATRIX_TILES), (conv_weight_inner_product, "avx512")])
def test_what_is_not_finite_reaches_its_own_weights_alone(kernel: Any, isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "candidates", lambda _: (forced(kernel.CANDIDATES[0]),))
    graph = build((2, 40, 9, 15), 50, (1, 1))
    rng = np.random.default_rng(3)
    x, grad = (rng.standard_normal(graph.type_of(v).shape).astype(np.float32) for v in graph.inputs)
    x[1, 3, 4, 5], grad[0, 7, 2, 2], grad[1, 49, 8, 14], x[0, 39, 0, 0] = np.inf, np.nan, -np.inf, 3.4e38
    region = as_region(graph, "dnn", "conv_weight_grad", 16, graph.outputs)
    got = run_region(region, dict(zip(graph.inputs, (x, grad))), {}, isa=isa, threads=2)[0][:, :, 0, 0]
    with np.errstate(invalid="ignore", over="ignore"):
        want = np.einsum("nkyx,ncyx->kc", grad.astype(np.float64), x.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    finite = np.isfinite(want)
    np.testing.assert_array_equal(np.isfinite(got), finite)
    np.testing.assert_allclose(got[finite], want[finite], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("size", range(1, 9))
def test_lines_of_packed_pixels(size: int) -> None:
    """Two lines of results read what they shall from lines of pixels that follow each other at the pitch; what lies beyond is zero."""
    for taps, stride, dilation, low, high in itertools.product((1, 2, 3, 5), (1, 2, 3), (1, 2), (-1, 0, 1, 2, 4), (0, 1, 3)):
        results = int(conv_size(size, taps, stride, (low, high), dilation))
        if results > 0:
            check_lines(Axis(results, taps, stride, dilation, low, size))


def check_lines(axis: Axis) -> None:
    lines, pitch = np.arange(1.0, 2 * axis.pixels + 1).reshape(2, axis.pixels), axis.pitch()
    for tap, (first, steps) in enumerate(axis.places):
        packed = np.zeros(4 * pitch + steps)
        for n, i in itertools.product(range(2), range(pitch)):
            place = i * axis.stride + first - axis.padding
            packed[n * pitch + i] = lines[n, place] if 0 <= place < axis.pixels else 0
        for n, i in itertools.product(range(2), range(axis.size)):
            place = i * axis.stride + tap * axis.dilation - axis.padding
            assert packed[n * pitch + i + steps] == (lines[n, place] if 0 <= place < axis.pixels else 0)


WINOGRAD: list[dict[str, Any]] = [
    {"x": (2, 16, 9, 11), "kernels": 32, "kernel": (3, 3), "padding": ONES},
    {"x": (3, 17, 7, 7), "kernels": 33, "kernel": (3, 3), "padding": ((2, 0), (0, 1))},
    {"x": (2, 64, 14, 15), "kernels": 49, "kernel": (5, 5), "padding": TWOS},
    {"x": (2, 33, 8, 30), "kernels": 15, "kernel": (1, 3), "padding": ((0, 0), (1, 1))},
    {"x": (9, 80, 20, 20), "kernels": 96, "kernel": (3, 3), "padding": ((-1, 3), (1, 1))},
    {"x": (2, 7, 33, 3), "kernels": 8, "kernel": (7, 1), "padding": ((3, 3), (0, 0))},
]


@pytest.mark.parametrize("isa,case", thinned(range(len(WINOGRAD))))
def test_winograd_equals_reference(isa: str, case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "candidates", lambda anchor: conv_weight_winograd.CANDIDATES)
    run(build(**WINOGRAD[case]), isa, 1 + case % 2, target_of(isa).lanes)


@pytest.mark.parametrize("kernel", [conv_weight_dense, conv_weight_winograd])
@pytest.mark.parametrize("threads", [1, 2])
def test_panels_may_be_more_than_needed(kernel: Any, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With panels of which some are narrower than others and narrower than a tile could be, so that two sets hold as many."""

    def best(p: Any, target: Any, *error: float) -> Any:
        """A plan of more panels, which are of two widths."""
        way = next(conv_weight_dense.orientations(p, target))
        shared = conv_weight_dense.shared_out(way, target, 1)
        uneven = next(q for q in shared if q.unit_sets == 2 and q.panels > way.panels and len(q.widths) == 2)
        return uneven if kernel is conv_weight_dense else replace(next(kernel._plans(p, target, *error)), dense=uneven, held=64)

    monkeypatch.setattr(families, "candidates", lambda anchor: (forced(kernel.CANDIDATES[0]),))
    monkeypatch.setattr(kernel, "_best", best)
    run(build((2, 112, 9, 10), 112, (3, 3), padding=ONES), "avx512", threads, 16)


def test_largest_share_of_a_thread() -> None:
    """Eight vectors in three panels are two, three and three: of two sets one holds six."""
    assert conv_weight_dense._largest_share(1, 8, 3, 16, 2, 1, 1, 2, 5) == 0.75
    assert conv_weight_dense._largest_share(1, 8, 4, 16, 2, 1, 1, 2, 5) == 0.5
    assert conv_weight_dense._largest_share(2, 8, 3, 16, 2, 1, 1, 2, 5) == 0.5
    assert conv_weight_dense._largest_share(1, 8, 3, 16, 1, 3, 1, 2, 5) == pytest.approx(11 / 16)
    assert conv_weight_dense._largest_share(1, 8, 3, 16, 1, 1, 2, 2, 5) == pytest.approx(3 / 5)


PAIRED: list[dict[str, Any]] = [
    {"x": (2, 33, 8, 15), "kernels": 47, "kernel": (1, 1)},
    {"x": (1, 16, 1, 1), "kernels": 16, "kernel": (1, 1)},
    {"x": (3, 100, 20, 21), "kernels": 24, "kernel": (1, 1)},
    {"x": (2, 50, 19, 14), "kernels": 64, "kernel": (1, 1), "stride": (2, 3)},
    {"x": (3, 40, 17, 17), "kernels": 33, "kernel": (3, 3), "padding": ONES, "stride": (2, 2)},
    {"x": (1, 40, 12, 43), "kernels": 16, "kernel": (5, 2), "padding": ((4, 1), (-1, 3)), "dilation": (2, 3), "stride": (1, 3)},
    {"x": (1, 7, 2, 2), "kernels": 9, "kernel": (3, 3), "padding": ((3, 2), (2, 3)), "stride": (1, 4)},
]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("case", range(len(PAIRED)))
def test_inner_product_equals_reference(case: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With lanes of either operand; all pixels at once or in chunks; threads with channels or with pixels of their own."""
    monkeypatch.setattr(families, "candidates", lambda anchor: (forced(conv_weight_inner_product.CANDIDATES[0]),))
    monkeypatch.setattr(conv_weight_inner_product, "CHUNKS", (64, 1024))
    for by_input, whole, apart in itertools.product((True, False), repeat=3):

        def best(p: Any, target: Any, by_input: bool = by_input, whole: bool = whole, apart: bool = apart) -> Any:
            """A plan of that kind, or the nearest one."""
            plans = conv_weight_inner_product._plans(p, target)
            wanted = by_input, whole, apart
            return min(plans, key=lambda q: [a != b for a, b in zip(wanted, (q.dense.by_input, q.chunks == 1, q.dense.parts > 1))])

        monkeypatch.setattr(conv_weight_inner_product, "_best", best)
        run(build(**PAIRED[case]), "avx512", threads, 16)


def apart(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """An input with a zero lower part, and a gradient that is large where no tap reaches the upper one, or infinite at a pixel."""
    rng = np.random.default_rng(11)
    x, grad = rng.standard_normal((3, 70, 21, 18)), rng.standard_normal((3, 37, 21, 18))
    x[:, :, 7:] = 0
    if kind == "large":
        grad[:, :, 8:] *= 1e7
    else:
        grad[1, 33, 3, 5] = np.inf
    return x.astype(np.float32), grad.astype(np.float32)


@pytest.mark.parametrize(("by_input", "alone", "parts"), [(True, True, 1), (True, False, 2), (False, True, 1), (False, False, 1)])
@pytest.mark.parametrize("kind", ["large", "infinite"])
def test_products_that_no_weight_has_leave_no_errors(
    kind: str, by_input: bool, alone: bool, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Winograd's algorithm, where products within a tile are far larger than those that weights add up, or infinite."""

    def best(p: Any, target: Any, *error: float) -> Any:
        fits = (q for q in conv_weight_winograd._plans(p, target, *error) if (q.dense.by_input, q.dense.parts) == (by_input, parts))
        return next(replace(q, held=q.tiles if alone else 16) for q in fits if q.y.r == 3)

    monkeypatch.setattr(families, "candidates", lambda _: (forced(conv_weight_winograd.CANDIDATES[0]),))
    monkeypatch.setattr(conv_weight_winograd, "_best", best)
    graph, (x, grad) = build((3, 70, 21, 18), 37, (3, 3), padding=ONES), apart(kind)
    region = as_region(graph, "dnn", "conv_weight_grad", 16, graph.outputs)
    got = run_region(region, dict(zip(graph.inputs, (x, grad))), {}, isa="avx512", threads=2)[0]
    want = evaluate(graph, dict(zip(graph.inputs, (x, grad))), {})[graph.outputs[0]]
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want[np.isfinite(want)]).max())


def scaled(shape: tuple[int, ...], kind: str, rng: np.random.Generator) -> np.ndarray:
    """Normal numbers: all of them, the positive ones, few, with channels of very different sizes, zero at some pixels, large there."""
    x = rng.standard_normal(shape)
    if kind == "positive":
        x = np.maximum(x, 0)
    if kind in ("sparse", "thin"):
        x *= rng.random(shape) < (0.02 if kind == "sparse" else 0.12)
    if kind == "uneven":
        x *= 10.0 ** rng.integers(-3, 3, (1, shape[1], 1, 1))
    if kind in ("padded", "behind padding"):
        pads = np.random.default_rng(7).random((shape[0], 1, *shape[2:])) < 0.25
        x *= np.where(pads, 0 if kind == "padded" else 1e6, 1)
    return x.astype(np.float32)


DATA = [
    ("normal", "normal"), ("positive", "normal"), ("positive", "sparse"), ("uneven", "sparse"), ("uneven", "thin"),
    ("padded", "behind padding"),
]  # fmt: skip


@pytest.mark.parametrize("kernel,isa", [(3, "native"), (1, "native"), (1, "avx512")])
@pytest.mark.parametrize("size", [(16, 28), (64, 7)])
@pytest.mark.parametrize(("of_x", "of_grad"), DATA)
def test_errors_are_at_most_five_times_those_of_torch(
    of_x: str, of_grad: str, size: tuple[int, int], kernel: int, isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each channel's weights against float64, by whichever algorithm the model takes, and in pairs.

    In units of the largest weight of a pair of channels; of those of an input channel, where pairs of channels have one.
    """
    n, pixels = size
    if isa == "avx512":
        monkeypatch.setattr(families, "candidates", lambda _: (forced(conv_weight_inner_product.CANDIDATES[0]),))
    rng = np.random.default_rng(5)
    around = kernel // 2
    graph = build((n, 64, pixels, pixels), 64, (kernel, kernel), padding=((around, around),) * 2)
    x, grad = (scaled((n, 64, pixels, pixels), kind, rng) for kind in (of_x, of_grad))
    with config.override(conv_max_error=1e-5):
        region = as_region(graph, "dnn", "conv_weight_grad", target_of(isa).lanes, graph.outputs)
        ours = run_region(region, dict(zip(graph.inputs, (x, grad))), {}, isa=isa)[0]

    def torchs(dtype: torch.dtype) -> np.ndarray:
        a, b = (torch.from_numpy(v).to(dtype) for v in (x, grad))
        weight = torch.zeros(64, 64, kernel, kernel, dtype=dtype)
        options = ([1, 1], [around, around], [1, 1], False, [0, 0], 1, (False, True, False))
        return torch.ops.aten.convolution_backward(b, a, weight, None, *options)[1].numpy()

    exact, theirs = torchs(torch.float64), torchs(torch.float32)
    size_of = np.abs(exact).max(axis=(2, 3) if kernel > 1 else (0, 2, 3), keepdims=True).clip(min=1e-30)
    mine, its = (np.sqrt((((found - exact) / size_of) ** 2).mean()) for found in (ours, theirs))
    assert mine <= 5 * its, (mine, its)
