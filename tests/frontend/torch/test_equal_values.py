"""Equal values of a graph of both passes are computed once, and what only looks equal is not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx

from sol.frontend.torch.equal_values import merge_equal_values

aten = torch.ops.aten


def merged(f: Callable[..., Any], *examples: torch.Tensor) -> tuple[fx.GraphModule, list[Any]]:
    """The graph of a function after merging, which still computes what it did, and its operations."""
    graph = make_fx(f, tracing_mode="fake")(*examples)
    torch.manual_seed(3)
    want = graph(*(x.clone() for x in examples))
    merge_equal_values(graph)
    graph.graph.lint()
    graph.recompile()
    torch.manual_seed(3)
    torch.testing.assert_close(graph(*(x.clone() for x in examples)), want, rtol=0, atol=0, equal_nan=True)
    return graph, [n.target for n in graph.graph.nodes if n.op == "call_function"]


def test_chains_of_equal_values_are_one() -> None:
    def twice(x: torch.Tensor) -> torch.Tensor:
        return (x.relu() * 2).amax(dim=(0, 1)) + (x.relu() * 2).amax(dim=(0, 1)).sin()

    _, targets = merged(twice, torch.randn(3, 4))
    assert targets == [aten.relu.default, aten.mul.Tensor, aten.amax.default, aten.sin.default, aten.add.Tensor]


def test_parts_of_equal_tuples_are_one() -> None:
    _, targets = merged(lambda x: x.max(0).values + x.max(0).values.cos() * x.max(0).indices, torch.randn(3, 4))
    assert targets.count(aten.max.dim) == 1 and len([t for t in targets if "getitem" in str(t)]) == 2


@pytest.mark.parametrize("one,other", [(0.0, -0.0), (1, 1.0), (1, True), (2, 3)])
def test_other_numbers_are_other_operands(one: float, other: float) -> None:
    _, targets = merged(lambda x: (x * one).reciprocal() + (x * other).reciprocal(), torch.tensor([1.0, -2.0]))
    assert targets.count(aten.mul.Tensor) == 2


def test_draws_and_unwritten_memory_are_not_merged() -> None:
    _, targets = merged(lambda x: torch.rand_like(x) - torch.rand_like(x), torch.zeros(64))
    assert targets.count(aten.rand_like.default) == 2
    _, targets = merged(lambda x: torch.zeros_like(x.new_empty(2)) + torch.zeros_like(x.new_empty(2)), torch.zeros(2))
    assert targets.count(aten.new_empty.default) == 2


def test_each_result_is_a_tensor_of_its_own() -> None:
    graph, targets = merged(lambda x: (x.exp(), x.exp(), x.exp().sum()), torch.randn(5))
    assert targets.count(aten.exp.default) == 3
    first, second, _ = graph(torch.randn(5))
    assert first.data_ptr() != second.data_ptr()


def test_nothing_is_merged_across_a_write() -> None:
    def written(x: torch.Tensor) -> torch.Tensor:
        before = x.sin().sum()
        x.add_(1)
        return before + x.sin().sum()

    _, targets = merged(written, torch.randn(4))
    assert targets.count(aten.sin.default) == 2


def test_training_does_not_import_the_compiler_of_torch() -> None:
    """Which takes memory and set-up time."""
    code = (
        "import sys, torch, sol; m = torch.nn.Linear(3, 2); f = sol.optimize(m, [torch.ones(1, 3)], fallback='error'); f.train()\n"
        "f(torch.ones(1, 3)).sum().backward(); assert m.weight.grad is not None\n"
        "assert 'torch._inductor.lowering' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
