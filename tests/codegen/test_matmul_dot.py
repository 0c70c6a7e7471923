"""Linear layers of few rows whose weights no cache holds: dot products with rows of the parameter as it lies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sol.codegen.kernels import families, matmul, matmul_dot
from sol.codegen.lowering import Lowering
from tests.codegen.combinations import thinned
from tests.codegen.test_matmul_kernels import check, linear_graph
from tests.toolchains import target_of


@pytest.mark.parametrize("isa,k", thinned([(60,), (131,), (5000,)]))
def test_weights_that_no_cache_holds_are_read_row_by_row(isa: str, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many rows as registers hold sums of; columns that are no whole blocks, reductions that are no whole vectors."""
    target = target_of(isa)
    l2 = replace(target.machine.memory.l2, bytes=4 * 60 * 30 - 1)
    products = replace(target.machine.products, weight_rows=4)
    machine = replace(target.machine, memory=replace(target.machine.memory, l2=l2), products=products)
    dot = next(c for c in matmul.KERNELS["linear"] if c.name == "dot")
    found: list[matmul_dot.Dot] = []

    def lower(lowering: Lowering, dot: matmul_dot.Dot) -> None:
        found.append(dot)
        matmul_dot.lower_dot(lowering, dot)

    monkeypatch.setattr(families, "candidates", lambda _: (replace(dot, lower=lower, cost=None),))
    for rows, epilogue in (1, "mul_add"), (2, "add_relu"), (3, ""), (4, "relu"):
        if rows <= (4 if target.registers > 16 else 2):
            graph, inputs, parameters = linear_graph((rows, k), 30, epilogue=epilogue)
            check(graph, "linear", inputs, parameters, isa=isa, threads=2, machine=machine)
            assert found[-1].ahead == ("GROUP * ldb" if k < 5000 else "512") and found[-1].group == 4
