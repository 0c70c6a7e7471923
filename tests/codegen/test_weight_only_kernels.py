"""Linear layers with quantized weights, few rows and many, against the float64 interpreter on every instruction set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sol.codegen import targets
from sol.codegen.kernels.matmul_weight_only import SLICE
from sol.compiler import compile_graph
from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.types import DType, TensorType
from sol.runtime.weights import constant_keys
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import ISAS, ROUNDING, held
from tests.emulation import matrix_tiles
from tests.harness import as_region, run_region
from tests.random_numbers import rng

F32, BF16, I8 = DType.F32, DType.BF16, DType.I8
Arrays = dict[str, np.ndarray]


def layer(
    shape: tuple[Any, ...], n: int, bits: int, group: int, *, zeros: DType | None = I8, scales: DType = F32, x: DType = F32,
    epilogue: bool = True, rows: int = 0,
) -> tuple[Graph, Arrays, Arrays]:  # fmt: skip
    """A layer for inputs of a shape, its input and its parameters. rows: how many an open size has."""
    k = shape[-1]
    groups = -(-k // group)
    b = GraphBuilder()
    sizes = tuple(rows if isinstance(s, Dim) else s for s in shape)
    inputs = {"x": held(rng.standard_normal(sizes).astype(np.float32), x)}
    codes = rng.integers(-128, 128, (n, k)).astype(np.int8) if bits == 8 else rng.integers(0, 256, (n, -(-k // 2))).astype(np.uint8)
    parameters = {"codes": codes, "scales": held(rng.uniform(0.01, 0.02, (n, groups)).astype(np.float32), scales)}
    names = [b.input("x", TensorType(x, shape)), b.parameter("codes", TensorType(DType.from_numpy(codes.dtype), codes.shape))]
    names.append(b.parameter("scales", TensorType(scales, (n, groups))))
    if zeros is not None:
        parameters["zeros"] = (rng.integers(-32, 32, (n, groups)) / (1 if zeros is I8 else 4)).astype(zeros.numpy)
        names.append(b.parameter("zeros", TensorType(zeros, (n, groups))))
    y = b.add("weight_only_linear", names, group=group)
    if epilogue:
        inputs["other"] = held(rng.standard_normal((*sizes[:-1], n)).astype(np.float32), x)
        parameters["bias"] = held(rng.standard_normal(n).astype(np.float32), x)
        y = b.add("add", [y, b.parameter("bias", TensorType(x, (n,)))])
        y = b.add("relu", [b.add("add", [y, b.input("other", b.type_of(y))])])
    return b.build([y]), inputs, parameters


def check(built: tuple[Graph, Arrays, Arrays], isa: str, threads: int, **options: Any) -> None:
    graph, inputs, parameters = built
    (got,) = run_region(as_region(graph, "dnn", "weight_only_linear"), inputs, parameters, isa=isa, threads=threads, **options)
    double = {name: array.astype(np.float64) for name, array in inputs.items()}
    want = evaluate(graph, double, parameters, precision=np.float64, symbols=options.get("symbols"))[graph.outputs[0]]
    rtol = ROUNDING if graph.type_of(graph.outputs[0]).dtype is BF16 else 0
    np.testing.assert_allclose(got, want, rtol=rtol, atol=2e-6 * max(1.0, float(np.abs(want).max())))


CASES: tuple[tuple[tuple[int, ...], int, int, int, dict[str, Any]], ...] = (
    ((1, 64), 40, 8, 16, {}), ((1, 64), 40, 4, 16, {}), ((1, 100), 33, 4, 32, {"zeros": None}), ((3, 37), 17, 8, 40, {"zeros": F32}),
    ((3, 37), 17, 4, 40, {"zeros": F32}), ((2, 35), 1, 4, 64, {"epilogue": False}), ((8, 600), 70, 8, 296, {}),
    ((8, 2 * SLICE + 24), 64, 4, 2 * SLICE + 24, {"scales": BF16}), ((5, 8), 15, 8, 8, {}), ((4, 9), 16, 4, 16, {}),
    ((20, 130), 50, 4, 16, {}), ((20, 130), 50, 8, 16, {"zeros": None}), ((33, 700), 33, 4, 64, {"zeros": F32}),
    ((33, 700), 7, 8, 704, {"scales": BF16}), ((2, 70, 41), 32, 4, 8, {}), ((41, 2 * SLICE), 65, 8, 128, {"epilogue": False}),
)  # fmt: skip
"""Shape of the input, columns, bits, group, options: sizes around the lanes of all instruction sets, and around a slice of the sum."""


@pytest.mark.parametrize("isa,shape,n,bits,group,options", thinned(CASES))
def test_float32(isa: str, shape: tuple[int, ...], n: int, bits: int, group: int, options: dict[str, Any]) -> None:
    for threads in (1, 3):
        check(layer(shape, n, bits, group, **options), isa, threads)


NARROW = (((2, 64), 50, 4, 16), ((1, 40), 33, 8, 40), ((50, 70), 20, 8, 16), ((33, 64), 40, 4, 32))


@pytest.mark.parametrize("isa,shape,n,bits,group", thinned(NARROW))
def test_bfloat16(isa: str, shape: tuple[int, ...], n: int, bits: int, group: int) -> None:
    """Rows are widened first; sums are of float32."""
    for epilogue in (False, True):
        check(layer(shape, n, bits, group, x=BF16, scales=BF16, epilogue=epilogue), isa, 2)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("rows", (1, 3, 7, 8, 9, 50))
def test_an_open_number_of_rows(isa: str, rows: int) -> None:
    """One kernel serves few rows and many."""
    for bits in (4, 8):
        check(layer((Dim.symbol("r", 1), 72), 40, bits, 24, rows=rows), isa, 2, symbols={"r": rows})


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("rows", (2, 30))
def test_columns_of_the_input_apart_and_rows_in_batches(isa: str, rows: int) -> None:
    for bits in (4, 8):
        built = layer((3, rows, 40), 20, bits, 8, epilogue=False)
        check(built, isa, 2, strides={"x": (40 * rows + 5, 1, rows)})
        check(layer((rows, 40), 20, bits, 8, epilogue=False), isa, 3, strides={"x": (1, rows)})
        check(built, isa, 2, strides={"x": (40 * rows + 5, 40, 1)})


@pytest.fixture
def by_digits(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """A target like one of a name, which is said to add up products of bytes in fours; the vectors of all targets can."""

    def target(isa: str) -> str:
        monkeypatch.setattr(targets, "_native", lambda: replace(targets.by_name(isa), byte_dots=True))
        return "native"

    return target


DIGIT_CASES: tuple[tuple[tuple[int, ...], int, int, int, dict[str, Any]], ...] = (
    ((1, 64), 40, 8, 16, {}), ((1, 64), 40, 4, 16, {}), ((1, 100), 33, 4, 32, {"zeros": None}), ((1, 37), 17, 8, 40, {"zeros": F32}),
    ((3, 37), 17, 4, 40, {"zeros": F32}), ((3, 37), 17, 8, 40, {"zeros": None}), ((2, 35), 1, 4, 64, {"epilogue": False}),
    ((1, 2 * SLICE + 24), 64, 4, 2 * SLICE + 24, {"scales": BF16}), ((3, 600), 70, 8, 296, {}), ((3, 9), 16, 4, 16, {}),
    ((1, 8), 15, 8, 8, {}), ((2, 1, 41), 32, 8, 48, {}), ((2, 1, 104), 65, 4, 8, {"epilogue": False}),
)  # fmt: skip


@pytest.mark.parametrize("isa,shape,n,bits,group,options", thinned(DIGIT_CASES))
def test_few_rows_by_digits(
    isa: str, shape: tuple[int, ...], n: int, bits: int, group: int, options: dict[str, Any], by_digits: Callable[[str], str]
) -> None:
    for x in (F32, BF16):
        check(layer(shape, n, bits, group, x=x, **options), by_digits(isa), 2)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("rows", (1, 2, 3, 4, 9))
def test_an_open_number_of_rows_by_digits(isa: str, rows: int, by_digits: Callable[[str], str]) -> None:
    """Codes of 8 bits lie in dwords then, for many rows as well."""
    for bits in (4, 8):
        check(layer((Dim.symbol("r", 1), 72), 40, bits, 24, rows=rows), by_digits(isa), 2, symbols={"r": rows})


@pytest.mark.parametrize("dots", (False, True))
@pytest.mark.parametrize("bits", (4, 8))
def test_few_rows_and_many_read_the_same_panels(bits: int, dots: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """So programs for both hold integers once."""
    monkeypatch.setattr(targets, "_native", lambda: replace(targets.by_name("generic"), byte_dots=dots))
    keys = []
    for rows in (1, 7, 40):
        graph, _, _ = layer((rows, 72), 40, bits, 24)
        keys.append(constant_keys(graph, compile_graph(graph, isa="native", threads=1).plan.weights))
    assert None not in keys[0] and len(keys[0]) >= 4 and keys[0] == keys[1] == keys[2]


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("scale", (1e-40, 1e-25, 1e-9, 1e25, "outliers", "slices"))
def test_numbers_of_all_sizes_by_digits(isa: str, scale: float | str, by_digits: Callable[[str], str]) -> None:
    """Results are as exact as those of floats, relative to what is added up: also where one number of a slice is a thousand times as large
    as the others and its weight is zero."""
    for bits in (4, 8):
        graph, inputs, parameters = layer((2, 96), 20, bits, 48, zeros=None, epilogue=False)
        x = inputs["x"]
        if isinstance(scale, float):
            x *= scale
        elif scale == "slices":
            x[:, 48:] = 0
            x[1] = 0
        else:
            x[:, 7] = 1000
            codes = parameters["codes"]
            codes[:, 7 if bits == 8 else 3] = 0 if bits == 8 else 0x88
        (got,) = run_region(as_region(graph, "dnn", "weight_only_linear"), inputs, parameters, isa=by_digits(isa), threads=1)
        want = evaluate(graph, {"x": x.astype(np.float64)}, parameters, precision=np.float64)[graph.outputs[0]]
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-6 * float(np.abs(want).max()) + 2e-45)


@pytest.mark.parametrize("isa", ISAS)
def test_numbers_that_are_not_finite_by_digits(isa: str, by_digits: Callable[[str], str]) -> None:
    """Rows are multiplied as floats then."""
    for bits, bad in ((4, np.nan), (8, np.inf), (4, -np.inf)):
        graph, inputs, parameters = layer((2, 96), 20, bits, 48, zeros=None, epilogue=False)
        inputs["x"][1, 50] = bad
        (got,) = run_region(as_region(graph, "dnn", "weight_only_linear"), inputs, parameters, isa=by_digits(isa), threads=1)
        with np.errstate(invalid="ignore"):
            want = evaluate(graph, {"x": inputs["x"].astype(np.float64)}, parameters, precision=np.float64)[graph.outputs[0]]
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def tiles_with_a_small_cache(dots: bool) -> targets.Target:
    """A target whose long reductions go in slices. dots: whether it is said to add up products of bytes in fours."""
    target = matrix_tiles()
    return replace(target, byte_dots=dots, machine=target.machine.with_caches(target.l1, 1 << 15))


PART_CASES: tuple[tuple[tuple[int, ...], int, int, int, dict[str, Any]], ...] = (
    ((9, 64), 16, 8, 16, {}), ((20, 64), 50, 4, 16, {"zeros": None}), ((33, 96), 17, 8, 96, {"zeros": F32}), ((65, 96), 33, 4, 32, {}),
    ((70, 544), 40, 8, 64, {"scales": F32}), ((70, 544), 40, 4, 544, {"epilogue": False}), ((3, 21, 64), 32, 8, 8, {"zeros": None}),
)  # fmt: skip


@pytest.mark.parametrize("dots", (False, True))
@pytest.mark.parametrize("shape,n,bits,group,options", PART_CASES)
def test_many_rows_of_bfloat16_by_matrix_tiles(
    shape: tuple[int, ...], n: int, bits: int, group: int, options: dict[str, Any], dots: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets, "_native", lambda: tiles_with_a_small_cache(dots))
    for threads in (1, 3):
        check(layer(shape, n, bits, group, x=BF16, **{"scales": BF16, **options}), "native", threads)
    k = shape[-1]
    for rows in (1, 8, 9, 47):
        check(layer((Dim.symbol("r", 1), k), n, bits, group, x=BF16, rows=rows, **options), "native", 2, symbols={"r": rows})


@pytest.mark.parametrize("bits", (4, 8))
def test_infinite_numbers_by_matrix_tiles(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parts of a weight times infinity would be NaN together. Other rows are not touched by it."""
    monkeypatch.setattr(targets, "_native", lambda: tiles_with_a_small_cache(dots=True))
    graph, inputs, parameters = layer((40, 544), 20, bits, 32, x=BF16, epilogue=False)
    region = as_region(graph, "dnn", "weight_only_linear")
    (plain,) = run_region(region, inputs, parameters, isa="native", threads=2)
    x = inputs["x"].copy()
    x[2, 500], x[3, 0], x[35, 543] = np.inf, np.nan, -np.inf
    (got,) = run_region(region, {"x": x}, parameters, isa="native", threads=2)
    with np.errstate(invalid="ignore"):
        want = evaluate(graph, {"x": x.astype(np.float64)}, parameters, precision=np.float64)[graph.outputs[0]]
    np.testing.assert_allclose(got, want, rtol=ROUNDING, atol=1e-4)
    others = [row for row in range(40) if row not in (2, 3, 35)]
    np.testing.assert_array_equal(got[others], plain[others])
    assert np.isinf(got[2]).any() and np.isnan(got[3]).all()


def test_other_floats_are_refused() -> None:
    graph, inputs, parameters = layer((2, 16), 8, 8, 16, x=DType.F64, epilogue=False)
    with pytest.raises(UnsupportedError, match="quantized weight in a product of f64"):
        run_region(as_region(graph, "dnn", "weight_only_linear"), inputs, parameters)
