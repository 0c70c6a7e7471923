"""Builds one memory-bound region from a function and compares its kernels with the float64 interpreter on every ISA and team size."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from sol.codegen.targets import by_name
from sol.ir.builder import GraphBuilder
from sol.ir.dim import evaluate as size_of
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.types import DType, TensorType
from tests.harness import as_region, run_region
from tests.toolchains import isas_by_default

Operand = tuple[tuple, DType]


def build(operands: Sequence[Operand], function: Callable, constants: Sequence[int] = ()) -> Graph:
    """function(builder, *values) → value or values; operands listed in ``constants`` are parameters of the graph."""
    b = GraphBuilder()
    values = [
        b.parameter(f"x{i}", TensorType(d, tuple(s))) if i in constants else b.input(f"x{i}", TensorType(d, tuple(s)))
        for i, (s, d) in enumerate(operands)
    ]
    result = function(b, *values)
    return b.build([result] if isinstance(result, str) else list(result))


def sample(operands: Sequence[Operand], symbols: dict[str, int], high: int = 9) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    arrays = []
    for shape, dtype in operands:
        size = [size_of(d, symbols) for d in shape]
        if dtype.is_float:
            arrays.append((rng.standard_normal(size) * 3 + 1).astype(dtype.numpy))
        else:
            low, top = (0, 2) if dtype is DType.BOOL else (0 if dtype.is_unsigned else -high, high)
            arrays.append(rng.integers(low, top, size).astype(dtype.numpy))
    return arrays


def check(
    operands: Sequence[Operand],
    function: Callable,
    *,
    anchor: str = "",
    arrays: Sequence[np.ndarray] | None = None,
    constants: Sequence[int] = (),
    block: bool = False,
    plain: Sequence[str] = (),
    isas: Sequence[str] | None = None,
    threads: Sequence[int] = (1, 2, 3),
    tolerance: float = 5e-6,
    symbols: dict[str, int] | None = None,
    high: int = 9,
    **layout,
) -> None:
    """All outputs agree with the interpreter. high: bound of random integers. layout: borders and strides as in run_region."""
    graph = build(operands, function, constants)
    arrays = list(arrays or sample(operands, symbols or {}, high))
    inputs = {f"x{i}": a for i, a in enumerate(arrays) if i not in constants}
    parameters = {f"x{i}": a for i, a in enumerate(arrays) if i in constants}
    want = evaluate(graph, inputs, parameters, precision=np.float64)
    for isa in isas or isas_by_default():
        region = as_region(graph, "dfp", anchor, block=by_name(isa).lanes if block else 0, plain=plain)
        for team in threads:
            got = run_region(region, inputs, parameters, isa=isa, threads=team, symbols=symbols, **layout)
            for output, y in zip(graph.outputs, got):
                expected = np.asarray(want[output])
                assert y.shape == expected.shape
                np.testing.assert_allclose(
                    y.astype(np.float64),
                    expected.astype(np.float64),
                    rtol=tolerance,
                    atol=tolerance,
                    err_msg=f"{output} {isa} {team} threads",
                )


def exact(anchor, operands, function, *, arrays=None, count=None, high=9, isas=("generic",)):
    """All results equal the interpreter's with teams of 1 to 3, also where only one of them is read."""
    graph = build(operands, function)
    arrays = list(arrays or sample(operands, {}, high))
    inputs = {f"x{i}": a for i, a in enumerate(arrays)}
    symbols = {} if count is None else {"u0": count}
    want = evaluate(graph, inputs, {}, symbols, precision=None)
    for isa, team in itertools.product(isas, (1, 2, 3)):
        got = run_region(as_region(graph, "dfp", anchor), inputs, isa=isa, threads=team, symbols=symbols)
        for output, y in zip(graph.outputs, got):
            assert np.array_equal(y, want[output], equal_nan=y.dtype.kind == "f"), (output, isa, team)
