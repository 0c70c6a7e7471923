"""linear and matmul kernels against the float64 interpreter, on every instruction set and several team sizes."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from sol.codegen import targets
from sol.codegen.decision import Decision
from sol.codegen.kernels import families, matmul, matmul_blocks, matmul_chunks, matmul_pairs
from sol.codegen.kernels.families import candidates
from sol.codegen.kernels.matmul_rows import collapse_rows, panel_vectors, row_ladder
from sol.codegen.machines import NEUTRAL, ZEN3, ZEN4, ZEN5, Machine
from sol.codegen.packing import make_pack
from sol.codegen.targets import by_name, runnable
from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from sol.runtime.packers import packed as packed_weight
from tests.codegen.combinations import thinned
from tests.codegen.conv_cases import forced
from tests.harness import as_region, run_region
from tests.random_numbers import rng
from tests.toolchains import isas

ISAS = runnable()


def floats(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def check(graph: Graph, anchor: str, inputs: dict, parameters: dict | None = None, tolerance: float = 2e-5, **options) -> None:
    got = run_region(as_region(graph, "dnn", anchor), inputs, parameters, **options)
    symbols = options.get("symbols")
    want = evaluate_outputs(graph, [inputs[i] for i in graph.inputs], parameters, symbols=symbols)
    for g, w in zip(got, want):
        assert g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance * max(1.0, np.abs(w).max(initial=0)))


def linear_graph(x_shape: tuple, n: int, *, bias: bool = True, epilogue: str = "", x_dims: tuple | None = None) -> tuple[Graph, dict, dict]:
    """linear with a fused epilogue: "relu", "add_relu" (a full-size operand) or "mul_add" (constants per column, a scalar)."""
    b = GraphBuilder()
    k = x_shape[-1]
    x = b.input("x", TensorType(DType.F32, x_dims or x_shape))
    w = b.parameter("w", TensorType(DType.F32, (n, k)))
    inputs, parameters = {x: floats(*x_shape)}, {"w": floats(n, k) / np.float32(k**0.5)}
    operands = [x, w]
    if bias:
        operands.append(b.parameter("b", TensorType(DType.F32, (n,))))
        parameters["b"] = floats(n)
    y = b.add("linear", operands)
    if epilogue == "relu":
        y = b.add("relu", [y])
    elif epilogue == "add_relu":
        other = b.input("other", b.type_of(y))
        inputs[other] = floats(*x_shape[:-1], n)
        y = b.add("relu", [b.add("add", [y, other])])
    elif epilogue == "mul_add":
        scale = b.parameter("scale", TensorType(DType.F32, (n,)))
        parameters["scale"] = floats(n)
        rows = b.input("rows", TensorType(DType.F32, (*(x_dims or x_shape)[:-1], 1)))
        inputs[rows] = floats(*x_shape[:-1], 1)
        y = b.add("add", [b.add("mul", [b.add("mul", [y, scale]), rows]), b.constant(np.float32(0.5))])
    return b.build([y]), inputs, parameters


SIZES = [
    # m, n, k
    (1, 1, 784), (1, 10, 784), (1, 33, 17), (2, 100, 64), (3, 7, 31), (4, 130, 129), (5, 16, 8), (7, 15, 33), (8, 48, 16), (9, 17, 1),
    (13, 64, 40), (16, 97, 65), (33, 200, 50), (50, 3, 1000), (130, 144, 70),
]  # fmt: skip


@pytest.mark.parametrize("isa,m,n,k", thinned(SIZES))
def test_linear_sizes(isa: str, m: int, n: int, k: int) -> None:
    variants = ((1, "", False), (3, "add_relu", True)), ((2, "relu", True), (2, "mul_add", False))
    for threads, epilogue, bias in variants[(m + n) % 2]:
        check(*_first(linear_graph((m, k), n, epilogue=epilogue, bias=bias)), isa=isa, threads=threads)


def _first(built: tuple) -> tuple:
    graph, inputs, parameters = built
    return graph, "linear", inputs, parameters


@pytest.mark.parametrize("isa", ISAS)
def test_linear_of_every_rank(isa: str) -> None:
    for shape in ((20,), (1, 20), (2, 3, 20), (2, 1, 5, 20)):
        for n in (3, 40):
            check(*_first(linear_graph(shape, n, epilogue="mul_add")), isa=isa, threads=3)


@pytest.mark.parametrize("isa", ISAS)
def test_linear_slices_a_long_reduction(isa: str) -> None:
    """K so large that partial sums wait in scratch; more row blocks than one run keeps."""
    check(*_first(linear_graph((19, 12000), 70, epilogue="add_relu")), isa=isa, threads=2, tolerance=1e-4)
    check(*_first(linear_graph((530, 9000), 20)), isa=isa, threads=1, tolerance=1e-4)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("shape,n", [((33, 1024), 300), ((2, 20, 2048), 257), ((35, 3072), 256)])
def test_rows_that_lie_whole_pages_apart_are_copied(isa: str, shape: tuple[int, ...], n: int) -> None:
    """Rows in one dimension and in two, long reductions, columns that fill no panel."""
    graph, inputs, parameters = linear_graph(shape, n, epilogue="add_relu")
    check(graph, "linear", inputs, parameters, isa=isa, threads=2)
    assert moved(shape[-1], 33, n) and not moved(shape[-1] + 16, 33, n) and not moved(shape[-1], 31, n) and not moved(shape[-1], 33, 128)


def moved(step: int, rows: int, columns: int) -> bool:
    """Whether a product copies so many rows, as far apart."""
    loops = SimpleNamespace(row_strides={"A": step}, rows=rows, batch=())
    product = SimpleNamespace(loops=loops, a_k=1, a=SimpleNamespace(dtype=DType.F32), n=columns)
    return matmul.Panels(product, 2, 6, (6,), True, True, False, 2, 0, False, False).moves_rows  # type: ignore[arg-type]


@pytest.mark.parametrize("isa", ISAS)
def test_linear_strides(isa: str) -> None:
    """Rows that do not collapse, a strided result, and columns of x apart in memory."""
    graph, inputs, parameters = linear_graph((2, 5, 24), 50, epilogue="add_relu")
    out = graph.outputs[0]
    for strides in (
        {"x": (300, 30, 1)}, {"x": (24, 48, 1)}, {"x": (120, 1, 5)}, {out: (400, 60, 1)}, {out: (50, 100, 1), "other": (50, 100, 1)},
        {"x": (150, 30, 1), out: (300, 60, 1), "other": (1000, 70, 1)},
    ):  # fmt: skip
        check(graph, "linear", inputs, parameters, isa=isa, threads=2, strides=strides)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("rows", [2, 5, 8, 23])
def test_linear_with_symbolic_rows(isa: str, rows: int) -> None:
    dims = (Dim.symbol("s"), 3, 33)
    check(*_first(linear_graph((rows, 3, 33), 45, epilogue="add_relu", x_dims=dims)), isa=isa, symbols={"s": rows})


def test_linear_weight_and_bias_at_run_time() -> None:
    b = GraphBuilder()
    x, w, bias = (b.input(n, TensorType(DType.F32, s)) for n, s in (("x", (9, 20)), ("w", (35, 20)), ("bias", (35,))))
    graph = b.build([b.add("relu", [b.add("linear", [x, w, bias])])])
    for isa in isas():
        check(graph, "linear", {x: floats(9, 20), w: floats(35, 20), bias: floats(35)}, isa=isa)


SHAPES = [
    ((7, 20), (20, 33)), ((2, 3, 17, 20), (2, 3, 20, 18)), ((2, 3, 5, 8), (8, 40)), ((3, 5, 8), (2, 1, 8, 9)),
    ((2, 3, 1, 16), (1, 3, 16, 70)), ((4, 1, 7), (4, 7, 1)), ((12, 9, 64), (12, 64, 50)), ((1, 1), (1, 1)), ((2, 1, 1, 9), (2, 3, 9, 5)),
    ((6, 10), (2, 10, 100)),
]  # fmt: skip


@pytest.mark.parametrize("isa,constant,a_shape,b_shape", thinned([False, True], SHAPES))
def test_matmul_broadcasts_batches(isa: str, constant: bool, a_shape: tuple, b_shape: tuple) -> None:
    g = GraphBuilder()
    a = g.input("a", TensorType(DType.F32, a_shape))
    right = TensorType(DType.F32, b_shape)
    b = g.parameter("b", right) if constant else g.input("b", right)
    value = floats(*b_shape)
    y = g.add("matmul", [a, b])
    scale = g.constant(np.float32(0.125))
    graph = g.build([g.add("mul", [y, scale])])
    inputs = {a: floats(*a_shape)} | ({} if constant else {b: value})
    for threads in (1, 3):
        check(graph, "matmul", inputs, {"b": value} if constant else {}, isa=isa, threads=threads)


@pytest.mark.parametrize("isa", ISAS)
def test_matmul_of_transposed_views(isa: str) -> None:
    """Heads of an attention block: q and k are transposed views, k also along its last two dimensions."""
    g = GraphBuilder()
    a = g.input("a", TensorType(DType.F32, (2, 3, 19, 20)))
    b = g.input("b", TensorType(DType.F32, (2, 3, 20, 37)))
    graph = g.build([g.add("matmul", [a, b])])
    inputs = {a: floats(2, 3, 19, 20), b: floats(2, 3, 20, 37)}
    heads = {"a": (19 * 60, 20, 60, 1), "b": (37 * 60, 20, 1, 60)}
    for strides in (
        heads,
        {**heads, "matmul": (3 * 37 * 19, 37, 3 * 37, 1)},
        {"b": (4440, 1480, 2, 40)},
        {"a": (1140, 380, 1, 19)},
    ):
        check(graph, "matmul", inputs, isa=isa, strides=strides)


RIGHT = [
    # m, n, k
    (1, 300, 70), (2, 33, 17), (3, 7, 130), (4, 160, 9), (7, 16, 64), (9, 15, 65), (17, 33, 66), (31, 1, 200), (40, 3, 100), (33, 8, 5),
    (130, 100, 9),
]  # fmt: skip


@pytest.mark.parametrize("isa,m,n,k,order", thinned(RIGHT, ["rows", "columns", "turned"]))
def test_run_time_right_operand(isa: str, m: int, n: int, k: int, order: str) -> None:
    """In place, as dot products or in panels, by the number of rows and by the order in which it lies in memory."""
    g = GraphBuilder()
    a, b = g.input("a", TensorType(DType.F32, (2, m, k))), g.input("b", TensorType(DType.F32, (2, k, n)))
    other = g.input("other", TensorType(DType.F32, (m, 1)))
    graph = g.build([g.add("relu", [g.add("sub", [g.add("matmul", [a, b]), other])])])
    inputs = {a: floats(2, m, k), b: floats(2, k, n), other: floats(m, 1)}
    turned = {"a": (m * k, 1, m), "b": (k * (n + 3), n + 3, 1)}
    strides = {"rows": {}, "columns": {"b": (n * k, 1, k)}, "turned": turned}[order]
    check(graph, "matmul", inputs, isa=isa, threads=2, strides=strides)


@pytest.mark.parametrize("isa", ISAS)
def test_one_row_against_transposed_keys(isa: str) -> None:
    """A run-time right operand whose columns lie along the reduction is not packed for one or two rows."""
    for rows in (1, 2):
        g = GraphBuilder()
        a, b = g.input("a", TensorType(DType.F32, (2, 3, rows, 20))), g.input("b", TensorType(DType.F32, (2, 3, 20, 37)))
        other = g.input("other", TensorType(DType.F32, (2, 1, rows, 37)))
        graph = g.build([g.add("add", [g.add("matmul", [a, b]), other])])
        inputs = {a: floats(2, 3, rows, 20), b: floats(2, 3, 20, 37), other: floats(2, 1, rows, 37)}
        check(graph, "matmul", inputs, isa=isa, threads=3, strides={"b": (37 * 60, 20, 1, 60)})


def test_constant_left_operand() -> None:
    g = GraphBuilder()
    a, b = g.parameter("a", TensorType(DType.F32, (9, 12))), g.input("b", TensorType(DType.F32, (4, 12, 20)))
    graph = g.build([g.add("matmul", [a, b])])
    check(graph, "matmul", {b: floats(4, 12, 20)}, {"a": floats(9, 12)})


@pytest.mark.parametrize("isa", ISAS)
def test_matmul_with_symbolic_sizes(isa: str) -> None:
    s, t = Dim.symbol("s"), Dim.symbol("t")
    g = GraphBuilder()
    a, b = g.input("a", TensorType(DType.F32, (2, s, t))), g.input("b", TensorType(DType.F32, (2, t, s)))
    graph = g.build([g.add("matmul", [a, b])])
    for rows, depth in ((3, 9), (41, 33), (16, 2)):
        check(
            graph,
            "matmul",
            {a: floats(2, rows, depth), b: floats(2, depth, rows)},
            isa=isa,
            symbols={"s": rows, "t": depth},
        )


@pytest.mark.parametrize("dtype", [DType.F64, DType.F16, DType.I64, DType.I32, DType.U8])
def test_other_dtypes(dtype: DType) -> None:
    g = GraphBuilder()
    a, b = g.input("a", TensorType(dtype, (2, 5, 7))), g.input("b", TensorType(dtype, (7, 11)))
    graph = g.build([g.add("matmul", [a, b])])
    inputs = {a: (3 * rng.random((2, 5, 7))).astype(dtype.numpy), b: (3 * rng.random((7, 11))).astype(dtype.numpy)}
    (got,) = run_region(as_region(graph, "dnn", "matmul"), inputs)
    want = np.matmul(inputs[a].astype(np.float64), inputs[b].astype(np.float64))
    np.testing.assert_allclose(got, want, rtol=2e-3 if dtype is DType.F16 else 1e-12)


def test_other_dtypes_linear_and_fusion() -> None:
    g = GraphBuilder()
    x, w, b = (g.input(n, TensorType(DType.F64, s)) for n, s in (("x", (3, 4, 6)), ("w", (5, 6)), ("b", (5,))))
    y = g.add("linear", [x, w, b])
    inputs = {x: rng.random((3, 4, 6)), w: rng.random((5, 6)), b: rng.random(5)}
    check(g.build([y]), "linear", inputs, tolerance=1e-13)
    with pytest.raises((UnsupportedError, Exception), match="f64|fused"):
        run_region(as_region(g.build([g.add("relu", [y])]), "dnn", "linear"), inputs)


def test_special_values_reach_the_result() -> None:
    graph, inputs, parameters = linear_graph((3, 40), 20)
    inputs["x"][0, 3], inputs["x"][1, 5] = np.nan, np.inf
    (got,) = run_region(as_region(graph, "dnn", "linear"), inputs, parameters)
    want = torch.nn.functional.linear(*(torch.from_numpy(v) for v in (inputs["x"], parameters["w"], parameters["b"])))
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want.numpy()))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(want.numpy()))


def test_panels_hold_every_weight_once() -> None:
    w = np.arange(1, 2 * 5 * 37 + 1, dtype=np.float32).reshape(2, 5, 37)
    packed = packed_weight(make_pack("gemm_panels", width=12, lanes=4, transposed=False), w).reshape(2, -1)
    assert packed.shape == (2, 5 * 40)
    assert packed[0].reshape(-1)[: 5 * 36].reshape(3, 5, 12)[1, 2, 3] == w[0, 2, 15]
    assert sorted(packed[packed != 0]) == sorted(w.reshape(-1))


def test_rows_collapse_only_where_all_strides_allow() -> None:
    loops = collapse_rows((2, 3, 4), {"A": (24, 8, 2), "B": (0, 0, 0)}, "B")
    assert (loops.rows, loops.batch) == (24, ())
    loops = collapse_rows((2, 3, 4), {"A": (24, 8, 2), "B": (7, 0, 0)}, "B")
    assert (loops.rows, loops.batch, loops.batch_strides["B"]) == (12, (2,), (7,))
    loops = collapse_rows((2, 3, 1), {"A": (6, 2, 2), "B": (30, 10, 0)}, "B")
    assert (loops.rows, loops.batch) == (1, (6,))


def test_panels_are_as_wide_as_columns_need() -> None:
    """Three vectors or four, whichever leaves fewer lanes without columns; four only where registers hold as many sums, two where these are
    few.
    """
    wide, narrow = by_name("avx512"), by_name("avx2")
    assert [panel_vectors(16 * n, 64, wide) for n in (1, 2, 3, 4, 6, 7, 8, 12, 16, 48, 64)] == [1, 2, 3, 2, 3, 4, 4, 3, 4, 3, 4]
    assert panel_vectors(1003, 64, wide) == 3 and panel_vectors(1017, 64, wide) == 4
    assert panel_vectors(256, 5, wide) == 3  # too few rows for a tile
    assert panel_vectors(Dim.symbol("n"), 64, wide) == panel_vectors(Dim.symbol("n"), Dim.symbol("m"), wide) == 2
    assert [panel_vectors(8 * n, 64, narrow) for n in (1, 4, 8, 16)] == [1, 2, 2, 2]


@pytest.mark.parametrize("isa,m,n,k", thinned([(6, 64, 33), (13, 256, 40), (33, 127, 65), (64, 250, 300)]))
def test_panels_of_four_vectors(isa: str, m: int, n: int, k: int) -> None:
    for threads, epilogue, bias in ((1, "add_relu", True), (2, "", False)):
        check(*_first(linear_graph((m, k), n, epilogue=epilogue, bias=bias)), isa=isa, threads=threads)


def test_row_ladder() -> None:
    assert row_ladder(128, 8) == ((8,), True)
    assert row_ladder(13, 8) == ((7, 6), True)
    assert row_ladder(17, 8) == ((6, 5), True)
    assert row_ladder(0, 8)[0][0] == 1
    assert row_ladder(3, 8) == ((3,), True)
    assert row_ladder(Dim.symbol("s"), 8) == ((8, 4, 2, 1), False)
    assert row_ladder(Dim.symbol("s"), 6) == ((6, 4, 2, 1), False)


BLOCKS = [(16, 16, 16), (20, 128, 70), (17, 33, 15), (7, 100, 8), (65, 130, 333), (33, 50, 700), (130, 1003, 33)]
MACHINES = (NEUTRAL, ZEN3, ZEN4, ZEN5)
FORMS = {"linear": (False, True), "input gradient": (False, False), "weight gradient": (True, False)}


@pytest.mark.parametrize("isa,m,n,k", thinned(BLOCKS))
@pytest.mark.parametrize("form", FORMS)
def test_blocks_of_two_operands_that_change(isa: str, m: int, n: int, k: int, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matmul_blocks, "_is_large", lambda p, *sizes: True)
    monkeypatch.setattr(matmul_blocks, "SHARES", (0.02, 0.02, 0.02))  # blocks small enough for several of them
    monkeypatch.setattr(matmul_blocks, "LONGEST", 64)
    check_forms(isa, m, n, k, form)


@pytest.mark.parametrize("isa,m,n,k", thinned([*BLOCKS, (70, 40, 1700)]))
@pytest.mark.parametrize("slab", [48, 1024])
def test_chunks_of_a_turned_operand(isa: str, m: int, n: int, k: int, slab: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one slab of the reduction and with several, which are short or added up in stretches; results go past the caches or not."""
    monkeypatch.setattr(matmul_chunks, "_is_large", lambda *_: True)
    monkeypatch.setattr(matmul_chunks, "share_of", lambda _: 0.02)
    monkeypatch.setattr(matmul_chunks, "FEWEST", 1)
    monkeypatch.setattr(matmul_chunks, "FEWEST_STEPS", 1)
    monkeypatch.setattr(matmul_chunks, "LONGEST_SLAB", slab)
    find, found = matmul_chunks.find_chunks, []

    def noted(lowering: object) -> object:
        way = find(lowering)
        assert way is not None
        found.append(replace(way, blocks=replace(way.blocks, stream=len(found) % 2 == 1)))
        return found[-1]

    candidate = replace(matmul_chunks.CANDIDATE, match=lambda lowering: [Decision("chunks", noted(lowering))])
    monkeypatch.setitem(matmul.KERNELS, "matmul", (candidate,))
    for threads, epilogue, right_turned in ((1, "relu", True), (3, "add", False), (2, "", False)):
        candidates.cache_clear()
        b = GraphBuilder()
        x, w = b.input("x", TensorType(DType.F32, (m, k))), b.input("w", TensorType(DType.F32, (k, n)))
        y, inputs = b.add("matmul", [x, w]), {x: floats(m, k), w: floats(k, n)}
        if epilogue == "add":
            inputs[other := b.input("other", b.type_of(y))] = floats(m, n)
            y = b.add("add", [y, other])
        elif epilogue:
            y = b.add("relu", [y])
        check(b.build([y]), "matmul", inputs, isa=isa, threads=threads, strides={x: (1, m)} | ({w: (1, k)} if right_turned else {}))
    candidates.cache_clear()
    assert found


@pytest.mark.parametrize("isa,machine", thinned([(m,) for m in MACHINES]))
@pytest.mark.parametrize("form", FORMS)
def test_what_figures_choose_for_long_products(isa: str, machine: Machine, form: str) -> None:
    """Of whole layers, whose reductions are divided by kernels themselves and not by a test."""
    candidates.cache_clear()
    left_turned, right_turned = FORMS[form]
    for m, n, k in ((96, 80, 2600), (200, 136, 1100), (530, 100, 1700)):
        b = GraphBuilder()
        x, w = b.input("x", TensorType(DType.F32, (m, k))), b.input("w", TensorType(DType.F32, (k, n)))
        strides = ({x: (1, m)} if left_turned else {}) | ({w: (1, k)} if right_turned else {})
        graph = b.build([b.add("matmul", [x, w])])
        check(graph, "matmul", {x: floats(m, k), w: floats(k, n)}, isa=isa, strides=strides, machine=machine)


@pytest.fixture(params=[ZEN4, ZEN5], ids=["one vector", "two vectors"])
def vectors(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines that differ in how many output vectors a register tile of paired products has."""
    monkeypatch.setattr(targets, "TARGETS", dict(targets.TARGETS, avx512=replace(targets.TARGETS["avx512"], machine=request.param)))


@pytest.mark.parametrize("m,n,k", [*BLOCKS, (22, 16, 64), (90, 40, 128), (1, 5, 7), (515, 130, 20)])
@pytest.mark.parametrize("form", FORMS)
def test_products_in_pairs(m: int, n: int, k: int, form: str, vectors: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """In slices and blocks, whose results leave the caches, or whole."""
    monkeypatch.setattr(families, "candidates", lambda _: (forced(matmul_pairs.CANDIDATE),))
    check_forms("avx512", m, n, k, form)
    monkeypatch.setattr(matmul_pairs, "SHARES", (0.02, 0.02))
    monkeypatch.setattr(matmul_pairs, "LONGEST", 64)
    lower = matmul_pairs.lower_pairs
    streamed = replace(matmul_pairs.CANDIDATE, lower=lambda lowering, found: lower(lowering, replace(found, stream=True)))
    monkeypatch.setattr(families, "candidates", lambda _: (forced(streamed),))
    check_forms("avx512", m, n, k, form)


def test_numbers_of_any_size_in_pairs(vectors: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Squares that leave the range, rows and columns of zeros, what is not finite: as in torch, row by row and column by column."""
    monkeypatch.setattr(families, "candidates", lambda _: (forced(matmul_pairs.CANDIDATE),))
    for form, size in itertools.product(FORMS, (1e-25, 1.0, 1e25)):
        x, w = floats(37, 100) * np.float32(size), floats(100, 50)
        x[3], w[:, 7], x[11] = 0, 0, x[11] * np.float32(1 / size)
        x[5, 8], x[20, 99], w[2, 30] = np.nan, -np.inf, np.inf
        got = product_of(form, x, w, threads=2)
        with np.errstate(invalid="ignore", over="ignore"):
            want = (x.astype(np.float64) @ w.astype(np.float64)).astype(np.float32)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
        finite = np.isfinite(want)
        np.testing.assert_array_equal(got[np.isinf(want)], want[np.isinf(want)])
        largest = np.broadcast_to(np.abs(np.where(finite, want, 0)).max(1, keepdims=True), want.shape)
        assert (np.abs(got[finite] - want[finite]) <= 1e-5 * largest[finite]).all()


def product_of(form: str, x: np.ndarray, w: np.ndarray, threads: int) -> np.ndarray:
    """x @ w, operands of these values lying as the form wants it."""
    (m, k), (left_turned, right_turned) = x.shape, FORMS[form]
    b = GraphBuilder()
    graph = b.build([b.add("matmul", [b.input(name, TensorType(DType.F32, v.shape)) for name, v in (("x", x), ("w", w))])])
    strides = ({"x": (1, m)} if left_turned else {}) | ({"w": (1, k)} if right_turned else {})
    return run_region(as_region(graph, "dnn", "matmul"), {"x": x, "w": w}, {}, isa="avx512", threads=threads, strides=strides)[0]


def check_forms(isa: str, m: int, n: int, k: int, form: str) -> None:
    """Products whose operands lie as the form wants it, with a batch and an epilogue."""
    left_turned, right_turned = FORMS[form]
    for batch, threads, epilogue in ((1, 2, "relu"), (2, 1, "add")):
        b = GraphBuilder()
        x, w = (b.input(v, TensorType(DType.F32, (batch, *s))) for v, s in (("x", (m, k)), ("w", (k, n))))
        y = b.add("matmul", [x, w])
        inputs = {x: floats(batch, m, k), w: floats(batch, k, n)}
        if epilogue == "add":
            other = b.input("other", b.type_of(y))
            inputs[other] = floats(batch, m, n)
            y = b.add("add", [y, other])
        else:
            y = b.add("relu", [y])
        strides = {x: (m * k, 1, m)} if left_turned else {}
        strides |= {w: (k * n, 1, k)} if right_turned else {}
        check(b.build([y]), "matmul", inputs, isa=isa, threads=threads, strides=strides)


@pytest.mark.parametrize("m,n,k", [(515, 130, 33), (100, 700, 64), (48, 48, 200)])
def test_blocks_are_shared_out_evenly(m: int, n: int, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also among more threads than there are blocks; no thread of two has a tenth more results to compute than the other."""
    found = []
    find = matmul_blocks.find_blocks
    monkeypatch.setattr(matmul_blocks, "_is_large", lambda p, *sizes: True)
    monkeypatch.setattr(matmul_blocks, "SHARES", (0.02, 0.02, 0.02))
    noting = replace(matmul_blocks.CANDIDATE, match=lambda lowering: [Decision("blocks", found.append(find(lowering)) or found[-1])])
    monkeypatch.setitem(matmul.KERNELS, "matmul", (noting,))
    for threads in (2, 3, 8):
        candidates.cache_clear()
        b = GraphBuilder()
        x, w = b.input("x", TensorType(DType.F32, (m, k))), b.input("w", TensorType(DType.F32, (k, n)))
        graph = b.build([b.add("matmul", [x, w])])
        check(graph, "matmul", {x: floats(m, k), w: floats(k, n)}, isa="avx512", threads=threads, strides={x: (1, m)})
    candidates.cache_clear()
    blocks = found[0]
    assert blocks.product.target.team == 2
    count, parts = (-(-m // blocks.mr), blocks.high) if blocks.by_rows else (-(-n // blocks.width), blocks.wide)
    half = count * (parts // 2) // parts  # the last block of the first thread ends there
    assert max(half, count - half) <= 1.1 * count / 2


@pytest.mark.parametrize("isa", ISAS)
def test_large_results_leave_the_caches(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find = matmul_blocks.find_blocks

    def streamed(lowering: object) -> object:
        return replace(find(lowering), stream=True)

    monkeypatch.setattr(matmul_blocks, "_is_large", lambda p, *sizes: True)
    candidate = replace(matmul_blocks.CANDIDATE, match=lambda lowering: [Decision("blocks", streamed(lowering))])
    monkeypatch.setitem(matmul.KERNELS, "matmul", (candidate,))
    candidates.cache_clear()
    for m, n, k in ((40, 96, 20), (19, 50, 33)):
        b = GraphBuilder()
        x, w = b.input("x", TensorType(DType.F32, (m, k))), b.input("w", TensorType(DType.F32, (k, n)))
        check(b.build([b.add("matmul", [x, w])]), "matmul", {x: floats(m, k), w: floats(k, n)}, isa=isa, threads=2)
    candidates.cache_clear()
