"""Products of few rows with a right operand that no cache holds and whose columns are neighbours: rows of it are read as they lie."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.kernels import families, matmul, matmul_strips
from sol.codegen.kernels.families import preferred
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from tests.codegen.test_matmul_columns import layer, lowering_of
from tests.codegen.test_matmul_kernels import ISAS, check, floats


@pytest.mark.parametrize("m,n,k", [(1, 2200, 533), (4, 16003, 96), (9, 5001, 300), (16, 1105, 530), (23, 1041, 600), (24, 2110, 389)])
@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.budget(4)
def test_rows_of_a_right_operand_that_no_cache_holds(isa: str, m: int, n: int, k: int) -> None:
    """Panels, blocks of rows and steps that are not whole; one stretch of the reduction and more; chunks of columns."""
    graph = product(m, n, k)
    assert preferred(lowering_of(graph, isa, "matmul")).candidate == "strips"
    inputs = {"x": floats(m, k), "w": floats(k, n) / np.float32(k**0.5), "b": floats(n), "other": floats(m, n)}
    for threads in (1, 3):
        check(graph, "matmul", inputs, isa=isa, threads=threads, tolerance=3e-6, strides={"other": (n + 5, 1), "w": (n + 3, 1)})


def test_a_layer_whose_weight_lies_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a bias, by no other kernel."""
    monkeypatch.setitem(matmul.KERNELS, "linear", (matmul_strips.CANDIDATE,))
    families.candidates.cache_clear()
    m, n, k = 7, 5003, 250
    inputs = {"x": floats(m, k), "w": floats(n, k) / np.float32(k**0.5), "b": floats(n), "other": floats(m, n)}
    try:
        check(layer(m, n, k), "linear", inputs, isa="avx512", threads=2, tolerance=3e-6, strides={"w": (1, n + 1)})
    finally:
        families.candidates.cache_clear()


def product(m: int, n: int, k: int) -> Graph:
    g, shapes = GraphBuilder(), {"x": (m, k), "w": (k, n), "b": (n,), "other": (m, n)}
    x, w, b, other = (g.input(v, TensorType(DType.F32, shape)) for v, shape in shapes.items())
    return g.build([g.add("relu", [g.add("add", [g.add("add", [g.add("matmul", [x, w]), b]), other])])])


def test_other_products_take_other_ways() -> None:
    """More rows than few, columns that a cache holds, a short reduction."""
    for m, n, k in ((25, 1105, 533), (16, 100, 1105), (16, 53300, 31)):
        assert matmul_strips.find_strips(lowering_of(product(m, n, k), "avx512", "matmul")) is None


def test_chunks_of_columns_fit_the_cache() -> None:
    """Sums and totals of 24 rows by 100,000 columns are more than it holds."""
    lowering = lowering_of(product(24, 100_000, 64), "avx512", "matmul")
    found = matmul_strips.find_strips(lowering)
    assert found is not None
    held = 2 * 4 * 24 * found.width * found.panels
    assert lowering.target.l2 / 4 < held <= lowering.target.l2 / 2
