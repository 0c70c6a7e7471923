"""C of the user as a kernel: operands and results anywhere in memory, several of them, teams of any size."""

from __future__ import annotations

import numpy as np
import pytest

from sol.compiler import compile_graph
from sol.ir.builder import GraphBuilder
from sol.ir.types import DType, TensorType
from sol.runtime.executable import Executable
from tests.instruction_sets import each_isa
from tests.random_numbers import rng

SOURCE = """
void minmax(const float *x, const int64_t *shift, float *least, float *most, const sol_custom *call)
{
    const int64_t rows = call->shapes[0][0], columns = call->shapes[0][1];
    for (int64_t r = rows * call->thread / call->threads; r < rows * (call->thread + 1) / call->threads; r++)
        for (int64_t c = 0; c < columns; c++) {
            const float v = x[r * columns + c] + shift[c];
            if (c == 0 || v < least[r]) least[r] = v;
            if (c == 0 || v > most[r]) most[r] = v;
        }
}
"""


@pytest.mark.parametrize("isa", each_isa())
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("rows", [1, 7, 17])
def test_operands_with_gaps_and_two_results(rows: int, threads: int, isa: str) -> None:
    b = GraphBuilder()
    x, shift = b.input("x", TensorType(DType.F32, (5, rows))), b.input("shift", TensorType(DType.I64, (5,)))
    turned = b.add("permute", [b.add("relu", [x])], order=(1, 0))
    line = TensorType(DType.F32, (rows,))
    least, most = b.add("custom", [turned, shift], title="minmax", source=SOURCE, function="minmax", types=(line, line))
    joined = b.add("concat", [b.add("neg", [least]), most], dim=0)
    compiled = compile_graph(b.build([joined, least]), isa=isa, threads=threads)
    run = Executable(compiled, threads=threads)
    run.pack({})
    values, shifts = rng.standard_normal((5, rows)).astype(np.float32), np.arange(5)
    both, first = run([values, shifts])
    wanted = np.maximum(values, 0).T + shifts
    np.testing.assert_allclose(first, wanted.min(1), rtol=1e-6)
    np.testing.assert_allclose(both, np.concatenate([-wanted.min(1), wanted.max(1)]), rtol=1e-6)
