"""Products of few rows with a right operand that changes and that no cache holds: a few columns at a time, read where they lie."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.kernels import matmul_dot
from sol.codegen.kernels.families import preferred
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.placement import GraphPlacement
from sol.codegen.targets import by_name
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from tests.codegen.test_matmul_kernels import ISAS, check, floats
from tests.harness import as_region


@pytest.mark.parametrize("m,n,k", [(5, 533, 1105), (16, 530, 1103), (23, 1041, 600), (24, 130, 8200)])
@pytest.mark.parametrize("isa", ISAS)
def test_few_rows_meet_columns_that_no_cache_holds(isa: str, m: int, n: int, k: int) -> None:
    """Of a right operand that lies along the reduction; groups of columns and blocks of rows that are not whole."""
    graph = layer(m, n, k)
    assert preferred(lowering_of(graph, isa)).candidate == "columns"
    inputs = {"x": floats(m, k), "w": floats(n, k) / np.float32(k**0.5), "b": floats(n), "other": floats(m, n)}
    for threads in (1, 3):
        check(graph, "linear", inputs, isa=isa, threads=threads, tolerance=3e-6, strides={"other": (n + 5, 1)})


def layer(m: int, n: int, k: int) -> Graph:
    g, shapes = GraphBuilder(), {"x": (m, k), "w": (n, k), "b": (n,), "other": (m, n)}
    x, w, b, other = (g.input(v, TensorType(DType.F32, shape)) for v, shape in shapes.items())
    return g.build([g.add("relu", [g.add("add", [g.add("linear", [x, w, b]), other])])])


def lowering_of(graph: Graph, isa: str, anchor: str = "linear") -> Lowering:
    region = as_region(graph, "dnn", anchor)
    return Lowering(next(v for v in region.nodes if v.op == "region"), GraphPlacement(region), KernelLibrary(), by_name(isa))


def test_other_products_take_other_ways() -> None:
    """One block of rows, more rows than few, columns that a cache holds, a short reduction."""
    for m, n, k in ((4, 533, 1105), (25, 533, 1105), (16, 100, 1105), (16, 5330, 110)):
        assert matmul_dot.find_columns(lowering_of(layer(m, n, k), "avx512")) is None
