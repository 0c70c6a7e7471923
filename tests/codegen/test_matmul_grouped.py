"""Products of groups of rows: kernels against the float64 interpreter, with empty groups and rows beyond the last one."""

from __future__ import annotations

import numpy as np
import pytest

from sol.errors import UnsupportedError
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate_outputs
from sol.ir.types import DType, TensorType
from tests.harness import as_region, run_region
from tests.random_numbers import rng
from tests.toolchains import isas_by_default

GROUPS = {"some empty": (0, 2, 2, 13), "one": (21,), "rows left over": (1, 9, 16)}
ROWS = 21


def grouped(columns: int, inner: int, groups: int, *, packed: bool, transposed: bool, dtype: DType = DType.F32) -> Graph:
    """packed: the matrices are a parameter, and relu follows."""
    b = GraphBuilder()
    shape = (groups, columns, inner) if transposed else (groups, inner, columns)
    x = b.input("x", TensorType(dtype, (ROWS, inner)))
    w = (b.parameter if packed else b.input)("w", TensorType(dtype, shape))
    y = b.add("grouped_matmul", [x, w, b.input("ends", TensorType(DType.I32, (groups,)))], transposed=transposed)
    return b.build([b.add("relu", [y]) if packed else y])


@pytest.mark.parametrize("columns", (1, 7, 8, 15, 16, 17, 33, 70))
@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("transposed", (False, True))
def test_sizes(columns: int, groups: str, transposed: bool) -> None:
    ends = np.array(GROUPS[groups], np.int32)
    for packed, inner in ((True, 19), (False, 33)):
        graph = grouped(columns, inner, len(ends), packed=packed, transposed=transposed)
        w = rng.standard_normal(graph.type_of("p_w" if packed else "w").shape).astype(np.float32)
        inputs = {"x": rng.standard_normal((ROWS, inner)).astype(np.float32), "ends": ends} | ({} if packed else {"w": w})
        parameters = {"w": w} if packed else {}
        (want,) = evaluate_outputs(graph, [inputs[v] for v in graph.inputs], parameters)
        for isa in isas_by_default():
            for threads in (1, 2):
                (got,) = run_region(as_region(graph, "dnn", "grouped_matmul"), inputs, parameters, isa=isa, threads=threads)
                np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-4, err_msg=f"{isa}, {threads} threads")


def test_other_types_are_refused() -> None:
    graph = grouped(3, 2, 1, packed=False, transposed=False, dtype=DType.F64)
    with pytest.raises(UnsupportedError, match="cast the operands to float32"):
        run_region(as_region(graph, "dnn", "grouped_matmul"), {"x": np.zeros((ROWS, 2)), "w": np.zeros((1, 2, 3)), "ends": np.array([3])})


def gradient(columns: int, inner: int, groups: int, dtype: DType = DType.F32) -> Graph:
    b = GraphBuilder()
    x, grad = b.input("x", TensorType(dtype, (ROWS, inner))), b.input("grad", TensorType(dtype, (ROWS, columns)))
    return b.build([b.add("grouped_matmul_grad", [x, grad, b.input("ends", TensorType(DType.I32, (groups,)))])])


@pytest.mark.parametrize("columns", (1, 7, 16, 17, 33, 70))
@pytest.mark.parametrize("groups", GROUPS)
def test_gradients_for_matrices(columns: int, groups: str) -> None:
    """Empty groups have gradients of zeros; rows beyond the last group count nowhere."""
    ends = np.array(GROUPS[groups], np.int32)
    for inner in (1, 6, 19, 32):
        graph = gradient(columns, inner, len(ends))
        inputs = {n: rng.standard_normal((ROWS, size)).astype(np.float32) for n, size in (("x", inner), ("grad", columns))} | {"ends": ends}
        (want,) = evaluate_outputs(graph, [inputs[v] for v in graph.inputs], {})
        for isa in isas_by_default():
            for threads in (1, 2):
                (got,) = run_region(as_region(graph, "dnn", "grouped_matmul_grad"), inputs, isa=isa, threads=threads)
                np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-4, err_msg=f"{inner}, {isa}, {threads} threads")


def test_gradients_of_other_types_are_refused() -> None:
    graph = gradient(3, 2, 1, DType.F64)
    with pytest.raises(UnsupportedError, match="cast the operands to float32"):
        inputs = {"x": np.zeros((ROWS, 2)), "grad": np.zeros((ROWS, 3)), "ends": np.array([3])}
        run_region(as_region(graph, "dnn", "grouped_matmul_grad"), inputs)
