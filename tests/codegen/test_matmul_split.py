"""Products of float32 by matrix tiles: against the float64 interpreter, with what is not finite, and the promise about errors."""

from __future__ import annotations

import ctypes
import mmap
from dataclasses import replace

import numpy as np
import pytest
import torch

import sol
from sol.codegen import targets
from sol.codegen.kernels import families, matmul_split, split_product
from sol.codegen.kernels.families import lower_region
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.placement import GraphPlacement
from sol.codegen.program import kernel_source
from sol.codegen.targets import Target
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from tests import emulation
from tests.codegen.conv_cases import forced
from tests.codegen.test_linear_errors import DATA, DRAWS, TIMES, operands, ratios
from tests.codegen.test_matmul_kernels import FORMS, check, floats, linear_graph
from tests.emulation import MATRIX_TILES, matrix_tiles
from tests.harness import as_region, run_region


@pytest.fixture(autouse=True)
def split(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products by matrix tiles, whether or not that pays."""
    monkeypatch.setattr(families, "candidates", lambda _: (forced(matmul_split.CANDIDATE),))


def product_graph(batch: int, m: int, n: int, k: int, epilogue: str) -> tuple[Graph, dict[str, np.ndarray]]:
    """matmul of two operands that change, and what is fused behind it."""
    b = GraphBuilder()
    x, w = (b.input(v, TensorType(DType.F32, (batch, *s))) for v, s in (("x", (m, k)), ("w", (k, n))))
    inputs = {x: floats(batch, m, k), w: floats(batch, k, n)}
    y = b.add("matmul", [x, w])
    if epilogue == "add":
        other = b.input("other", b.type_of(y))
        inputs[other] = floats(batch, m, n)
        y = b.add("add", [y, other])
    elif epilogue:
        y = b.add(epilogue, [y])
    return b.build([y]), inputs


SIZES = [
    # m, n, k
    (1, 1, 1), (1, 10, 784), (2, 17, 31), (15, 16, 32), (16, 15, 33), (17, 33, 64), (31, 48, 127), (33, 49, 129), (64, 32, 128),
    (65, 97, 300), (200, 130, 65), (130, 96, 100), (70, 130, 232), (16, 100, 300), (40, 200, 260),
]  # fmt: skip


@pytest.mark.parametrize("m,n,k", SIZES)
@pytest.mark.parametrize("repacks", [False, True])
def test_linear_layers(m: int, n: int, k: int, repacks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows, columns and steps around tiles, pairs of them and slices; weights that are split when they are packed, and by each call."""
    target = replace(matrix_tiles(), repacks=repacks)
    monkeypatch.setattr(emulation, "matrix_tiles", lambda: target)
    for threads, epilogue, bias in ((1, "", False), (3, "add_relu", True), (2, "mul_add", False)):
        graph, inputs, parameters = linear_graph((m, k), n, epilogue=epilogue, bias=bias)
        check(graph, "linear", inputs, parameters, isa=MATRIX_TILES, threads=threads)


def test_one_kernel_serves_layers_that_ask_for_different_amounts() -> None:
    """Of the weights that come next; beside the tiles that most blocks take, and no others."""
    texts = {m: text_of(linear_graph((m, 256), 64)[0]) for m in (33, 70, 4000, 16)}
    assert len({texts[m] for m in (33, 70, 4000)}) == 1 < len(set(texts.values()))
    for m, asking in (33, "2x2"), (16, "1x2"):
        for tiles in ("1x1", "1x2", "2x1", "2x2"):
            function = texts[m].partition(f"void multiply_{tiles}(")[2].partition("\n}")[0]
            assert ("__builtin_prefetch" in function) is (tiles == asking)


def text_of(graph: Graph, op: str = "linear", target: Target | None = None) -> str:
    """The C text of the graph's one kernel."""
    region = as_region(graph, "dnn", op)
    library = KernelLibrary()
    lowering = Lowering(next(n for n in region.nodes if n.op == "region"), GraphPlacement(region), library, target or matrix_tiles())
    lower_region(lowering)
    (kernel,) = library.kernels.values()
    return kernel_source(kernel).text


@pytest.mark.parametrize("m,n,k", SIZES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("share", [split_product.SHARE, 0.03])
def test_two_operands_that_change(m: int, n: int, k: int, form: str, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Either operand turned or not, in batches; units of work so small that there are several."""
    monkeypatch.setattr(split_product, "SHARE", share)
    left_turned, right_turned = FORMS[form]
    for batch, threads, epilogue in ((1, 2, "relu"), (3, 2, "add"), (2, 1, "")):
        graph, inputs = product_graph(batch, m, n, k, epilogue)
        strides = {"x": (m * k, 1, m)} if left_turned else {}
        strides |= {"w": (k * n, 1, k)} if right_turned else {}
        check(graph, "matmul", inputs, isa=MATRIX_TILES, threads=threads, strides=strides)


@pytest.mark.parametrize("m,n,text", [(555, 1117, "const char *result"), (705, 1597, "vf_stream("), (705, 1600, "vf_stream(")])
@pytest.mark.parametrize("k", [20, 150])
def test_results_that_no_cache_holds(m: int, n: int, k: int, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their lines are asked for beside products, also behind the last row and column; many more go past the caches."""
    target = matrix_tiles()
    target = replace(target, machine=target.machine.with_caches(target.l1, 1 << 19))
    monkeypatch.setattr(emulation, "matrix_tiles", lambda: target)
    graph, inputs = product_graph(1, m, n, k, "")
    assert text in text_of(graph, "matmul", target)
    check(graph, "matmul", inputs, isa=MATRIX_TILES, threads=2)


@pytest.mark.parametrize("m,function", [(9, "multiply_1x2_on_the_way"), (40, "multiply_2x2_on_the_way"), (400, "multiply_2x2_on_the_way")])
@pytest.mark.parametrize("turned", [False, True])
def test_panels_are_split_beside_products(m: int, function: str, turned: bool) -> None:
    """Whichever way the right operand lies: of a panel's 128 rows of tiles as many beside each block of rows as there are few blocks."""
    b = GraphBuilder()
    x, w = (b.input(name, TensorType(DType.F32, shape)) for name, shape in (("x", (m, 512)), ("w", (256, 512) if turned else (512, 256))))
    op = "linear" if turned else "matmul"
    text = text_of(b.build([b.add(op, [x, w])]), op)
    body = text.partition(f"void {function}(")[2].partition("\n}")[0]
    assert body.count("SPLIT_ROW(") == {9: 128, 40: 64, 400: 32}[m]
    assert ("#define COLUMN" in text) is turned


def test_nothing_is_read_beyond_the_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both end where memory ends. Slices of whole and of some steps, panels that are split beside the one before."""
    monkeypatch.setattr(targets, "_native", matrix_tiles)
    for m, n, k in ((300, 96, 100), (300, 128, 232), (40, 64, 31)):
        x, w = at_the_end(floats(m, k)), at_the_end(floats(k, n))
        fast = sol.optimize(Product(), [x, w], isa="native")
        np.testing.assert_allclose(fast(x, w).numpy(), (x.double() @ w.double()).numpy(), rtol=2e-5, atol=2e-4)


class Product(torch.nn.Module):
    def forward(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return x @ w


def at_the_end(array: np.ndarray) -> torch.Tensor:
    """The array right before a page that nobody may read."""
    page = mmap.PAGESIZE
    size = -(-array.nbytes // page) * page
    memory = mmap.mmap(-1, size + page)
    whole = (ctypes.c_char * (size + page)).from_buffer(memory)
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(ctypes.addressof(whole) + size), ctypes.c_size_t(page), 0) == 0
    found = np.frombuffer(memory, np.float32, array.size, size - array.nbytes).reshape(array.shape)
    found[:] = array
    return torch.from_numpy(found)


def test_operands_that_are_apart() -> None:
    """No neighbours along either dimension, rows of the result apart, and one operand for a whole batch."""
    graph, inputs = product_graph(2, 35, 40, 70, "add")
    strides = {"x": (9000, 3, 120), "w": (20000, 2, 150), graph.outputs[0]: (3000, 60, 1)}
    check(graph, "matmul", inputs, isa=MATRIX_TILES, threads=2, strides=strides)
    b = GraphBuilder()
    x, w = b.input("x", TensorType(DType.F32, (3, 20, 50))), b.input("w", TensorType(DType.F32, (50, 36)))
    check(b.build([b.add("matmul", [x, w])]), "matmul", {x: floats(3, 20, 50), w: floats(50, 36)}, isa=MATRIX_TILES, threads=2)


@pytest.mark.parametrize("right", ["along", "turned", "constant"])
def test_what_is_not_finite_is_as_in_torch(right: str) -> None:
    """Infinities, NaN of any bits, and numbers that round to infinity, in both operands: nothing else is touched."""
    m, n, k = 40, 50, 200
    x, w = floats(m, k), floats(k, n)
    quiet = np.array([0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00001], np.uint32).view(np.float32)
    x[3, 7], x[5, 150], x[17, 0], x[39, 199], x[20, 3:6] = np.inf, -np.inf, np.nan, 3.4e38, quiet
    w[9, 4], w[160, 33], w[0, 49], w[11, 30] = np.inf, np.nan, -3.4e38, quiet[0]
    want = (torch.from_numpy(x) @ torch.from_numpy(w)).numpy()
    if right == "constant":
        graph, inputs, parameters = linear_graph((m, k), n, bias=False)
        region = as_region(graph, "dnn", "linear"), {i: x for i in inputs}, parameters | {"w": np.ascontiguousarray(w.T)}
    else:
        graph, _ = product_graph(1, m, n, k, "")
        region = as_region(graph, "dnn", "matmul"), {"x": x[None], "w": w[None]}, None
    (got,) = run_region(*region, isa=MATRIX_TILES, threads=2, strides={"w": (k * n, 1, k)} if right == "turned" else {})
    got = got.reshape(m, n)
    assert np.isnan(want).any() and np.isinf(want).any() and np.isfinite(want).any()
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(want))
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5 * np.abs(want[np.isfinite(want)]).max())


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("m,k,n", [(37, 128, 64), (20, 1024, 32), (9, 64, 64)])
def test_errors_are_those_of_float32(data: str, m: int, k: int, n: int) -> None:
    """Each row's error is at most five times torch's, however rows and columns differ, and half of them are below torch's.

    Where single products make up a row ("heavier"), torch's is at times nearly none: there 99 of 100 rows count.
    """
    found = []
    for seed in range(DRAWS):
        x, w = operands(DATA[data], m, k, n, seed)
        graph, inputs, parameters = linear_graph(x.shape, n, bias=False)
        (got,) = run_region(as_region(graph, "dnn", "linear"), {i: x for i in inputs}, parameters | {"w": w}, isa=MATRIX_TILES, threads=2)
        found.append(ratios(got, x, w))
    errors = np.concatenate(found)
    assert np.percentile(errors, 99 if data == "heavier" else 100) <= TIMES
    assert np.median(errors) < 1


def test_small_numbers_lose_bits_and_nothing_else() -> None:
    """Parts below the least normal number are zero: of operands about 2^-118 the first one is left."""
    x, w = floats(20, 64) * np.float32(2.0**-118), floats(32, 64) * np.float32(2.0**100)
    graph, inputs, parameters = linear_graph(x.shape, 32, bias=False)
    (got,) = run_region(as_region(graph, "dnn", "linear"), {i: x for i in inputs}, parameters | {"w": w}, isa=MATRIX_TILES, threads=2)
    exact = x.astype(np.float64) @ w.astype(np.float64).T
    assert np.abs(got - exact).max() <= 2.0**-7 * np.abs(exact).max()
