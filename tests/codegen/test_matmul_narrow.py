"""Products of two matrices of bfloat16 that change from call to call, by pairs of products, against the float64 interpreter and torch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import sol
from sol.codegen.kernels import families, matmul_narrow
from sol.codegen.machines import ZEN5
from sol.codegen.targets import by_name
from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.interpret import evaluate
from sol.ir.types import DType, TensorType
from tests.codegen.conv_cases import forced, held
from tests.emulation import PAIRS, PAIRS_IN_C
from tests.harness import as_region, run_region, texts_of

SIZES = [(16, 16, 16), (17, 33, 31), (8, 100, 70), (129, 50, 300), (64, 768, 40), (33, 31, 1100), (200, 210, 257)]
WAYS = [("lines", "lines"), ("turned", "lines"), ("lines", "turned"), ("turned", "turned"), ("apart", "apart")]


def product(rows: int, columns: int, steps: int, widened: bool) -> Graph:
    """a[rows, steps] @ b[steps, columns] of bfloat16; widened: to float32."""
    b = GraphBuilder()
    left, right = b.input("a", TensorType(DType.BF16, (rows, steps))), b.input("b", TensorType(DType.BF16, (steps, columns)))
    found = b.add("matmul", [left, right])
    return b.build([b.add("cast", [found], dtype=DType.F32) if widened else found])


def strides(way: str, across: int, along: int, is_left: bool) -> tuple[int, int]:
    """Of an operand [across, along], or turned where it is the right one, that lies in a way with room between its lines."""
    found = {"lines": (1, across + 3), "turned": (along + 5, 1), "apart": (2, 2 * across + 1)}[way]
    return found if is_left else found[::-1]


def run(graph: Graph, ways: tuple[str, str], isa: str, threads: int) -> None:
    rng = np.random.default_rng(2)
    inputs = {v: held(rng.standard_normal(graph.type_of(v).shape).astype(np.float32), DType.BF16) for v in graph.inputs}
    want = evaluate(graph, inputs, {})[graph.outputs[0]].astype(np.float64)
    (rows, steps), (_, columns) = (graph.type_of(v).shape for v in graph.inputs)
    laid = {"a": strides(ways[0], int(rows), int(steps), True), "b": strides(ways[1], int(columns), int(steps), False)}
    got = run_region(as_region(graph, "dnn", "matmul"), inputs, {}, isa=isa, threads=threads, strides=laid)[0].astype(np.float64)
    np.testing.assert_allclose(got, want, rtol=2**-8, atol=2e-5 * np.abs(want).max())


@pytest.mark.parametrize("isa", [PAIRS, PAIRS_IN_C])
@pytest.mark.parametrize("ways", WAYS)
@pytest.mark.parametrize("size", SIZES)
def test_products_equal_reference(size: tuple[int, int, int], ways: tuple[str, str], isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "candidates", lambda _: (forced(matmul_narrow.CANDIDATE),))
    run(product(*size, widened=sum(size) % 2 == 0), ways, isa, 1 + SIZES.index(size) % 3)


@pytest.mark.parametrize("widened", [False, True])
@pytest.mark.parametrize(("rows", "parts"), [(1100, 1), (64, 1), (64, 2), (30, 4)])
def test_all_ways_to_share_out(rows: int, parts: int, widened: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one chunk or in several, whose sums are kept, or added up in the end; sets that are narrower than others."""

    def best(*sizes: Any) -> Any:
        plans = (plan.dense for plan in matmul_narrow._plans(*sizes) if plan.dense.parts == parts)
        dense = max(plans, key=lambda plan: (plan.unit_sets == 2) + (plan.step_sets == 3))
        return matmul_narrow.Plan(replace(dense, rows=rows))

    monkeypatch.setattr(families, "candidates", lambda _: (forced(matmul_narrow.CANDIDATE),))
    monkeypatch.setattr(matmul_narrow, "_best", best)
    run(product(100, 90, 1100, widened), ("lines", "lines"), PAIRS, 3)


@pytest.mark.parametrize("columns", [96, 90])
def test_results_go_past_the_caches(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rows begin on borders of vectors; others are stored as ever."""
    monkeypatch.setattr(families, "candidates", lambda _: (forced(matmul_narrow.CANDIDATE),))
    monkeypatch.setattr(matmul_narrow, "is_streamed", lambda *_: True)
    graph = product(100, columns, 70, True)
    assert "vf_stream" in texts_of(as_region(graph, "dnn", "matmul"), PAIRS)
    run(graph, ("lines", "lines"), PAIRS, 2)


def test_many_rows_are_cut_into_many_sets() -> None:
    """So that what a set packs stays in the second-level cache."""
    target = replace(by_name("avx512"), machine=ZEN5)
    plan = matmul_narrow._best(50257, 768, 512, target)
    assert plan.dense.step_sets > 16 and 4 * plan.held <= 3 * target.l2


@pytest.mark.parametrize("kind", ["gradient", "added", "apart"])
def test_whole_graphs(kind: str) -> None:
    """Through all passes, for whatever processor this is; something else that joins the product, and numbers that lie apart."""

    class Model(torch.nn.Module):
        def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            if kind == "added":
                return torch.relu(a.t() @ b + 1)
            return (a.t() @ b).float() if kind == "gradient" else a[:, ::2].t() @ b[:, ::3]

    torch.manual_seed(0)
    a, b = (torch.randn(200, n).bfloat16() for n in (96, 130))
    with torch.no_grad():
        found = sol.optimize(Model().eval(), [a, b])(a, b)
        want = Model()(a.double(), b.double())
    assert found.dtype == (torch.float32 if kind == "gradient" else torch.bfloat16)
    torch.testing.assert_close(found.double(), want.double(), rtol=2**-7, atol=0.1)
