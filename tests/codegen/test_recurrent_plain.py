"""The plain recurrent kernel against the interpreter: every cell and option, any weights, rows of different length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sol.codegen.targets import runnable
from sol.ir.builder import GraphBuilder
from sol.ir.interpret import evaluate_outputs
from sol.ir.ops.recurrent import ACTIVATIONS
from sol.ir.types import DType, TensorType
from tests.harness import as_region, run_region
from tests.ops.test_recurrence import BATCH, USUAL, operands


def check(cell: str, results: tuple[int, ...], dtype: type = np.float32, isa: str = runnable()[0], **attrs: Any) -> None:
    arrays = [a.astype(dtype) if a.dtype.kind == "f" else a for a in operands(cell, [2, 5, 0][:BATCH])]
    b = GraphBuilder()
    inputs = [b.input("x", TensorType(DType.from_numpy(a.dtype), a.shape)) for a in arrays]
    values = b.add("recurrence", inputs, cell=cell, **{"activations": USUAL[cell], **attrs})
    graph = b.build([values[i] for i in results])
    want = evaluate_outputs(graph, arrays)
    for threads in (1, 2):
        got = run_region(as_region(graph, "dnn", "recurrence"), dict(zip(graph.inputs, arrays)), isa=isa, threads=threads)
        for mine, other in zip(got, want):
            np.testing.assert_allclose(mine, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("isa", runnable())
def test_cells(isa: str) -> None:
    check("lstm", (0, 1, 2), isa=isa, reverse=True, clip=0.5)
    check("gru", (0, 1), isa=isa, reset_after=True)
    check("rnn", (0,), isa=isa)


def test_options() -> None:
    check("lstm", (2,), np.float64, coupled=True)
    check("gru", (1,), reverse=True)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name: str) -> None:
    check("rnn", (0, 1), activations=((name, 0.3, 0.7),))
