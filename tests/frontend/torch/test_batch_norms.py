"""Batch norms that stay whole while a step is traced: what is written in their place is what torch would have traced."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import fx, nn
from torch.fx.experimental.proxy_tensor import make_fx

import sol
from sol.frontend.torch import batch_norms
from sol.frontend.torch.backward import decompositions

aten = torch.ops.aten
TORCHS = {**decompositions(), **batch_norms._TORCHS}
WHOLE = (torch.ops.sol.batch_norm.default, torch.ops.sol.batch_norm_grad.default)


def forward(x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return aten._native_batch_norm_legit_functional(x, weight, bias, mean, variance, True, 0.3, 1e-5)


def backward(x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return aten.native_batch_norm_backward(x.sin(), x, weight, None, None, mean, variance, True, 1e-5, [True, True, True])


def traced(function: Callable[..., Any], inputs: Any, table: Any) -> fx.GraphModule:
    return make_fx(function, decomposition_table=table, tracing_mode="fake")(*inputs)


def operations(module: fx.GraphModule) -> Counter[Any]:
    """Each operation with the shape and dtype of its result."""
    nodes = [n for n in module.graph.nodes if n.op == "call_function"]
    return Counter((str(n.target), str(getattr(n.meta["val"], "shape", "")), str(getattr(n.meta["val"], "dtype", ""))) for n in nodes)


def inputs_of(shape: tuple[int, ...], dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    torch.manual_seed(0)
    return [torch.rand(shape, dtype=dtype), *(torch.rand(shape[1], dtype=dtype) for _ in range(4))]


@pytest.mark.parametrize("function", [forward, backward])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(7, 5), (2, 5, 6), (2, 17, 4, 3), (2, 1, 3, 2, 2)])
def test_the_formula_is_torchs(function: Callable[..., Any], dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    inputs = inputs_of(shape, dtype)
    theirs, ours = traced(function, inputs, TORCHS), traced(function, inputs, decompositions())
    assert [n for n in ours.graph.nodes if n.target in WHOLE]
    whole = ours(*inputs)
    batch_norms.expand(ours)
    assert operations(ours) == operations(theirs)
    for a, b, c in zip(ours(*inputs), theirs(*inputs), whole):
        assert torch.equal(a, b)
        torch.testing.assert_close(a, c)


@pytest.mark.parametrize("wanted", [[True, False, False], [False, True, True], [True, True, False]])
def test_gradients_that_nobody_wants_are_not_computed(wanted: list[bool]) -> None:
    def some(x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> Any:
        return aten.native_batch_norm_backward(x.sin(), x, weight, None, None, mean, variance, True, 1e-5, wanted)

    inputs = inputs_of((2, 5, 4, 3))
    theirs, ours = traced(some, inputs, TORCHS), traced(some, inputs, decompositions())
    batch_norms.expand(ours)
    assert operations(ours) <= operations(theirs)
    for a, b, is_wanted in zip(ours(*inputs), theirs(*inputs), wanted):
        assert torch.equal(a, b) if is_wanted else a is None


def narrow(x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return forward(*(t.bfloat16() for t in (x, weight, bias, mean, variance)))


def without_weights(x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return forward(x, None, None, mean, variance)


def without_statistics(x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return aten._native_batch_norm_legit.no_stats(x, weight, bias, True, 0.3, 1e-5)


def in_eval_mode(x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return aten._native_batch_norm_legit_functional(x, weight, bias, mean, variance, False, 0.3, 1e-5)


def channels_last(x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> Any:
    return forward(x.contiguous(memory_format=torch.channels_last), weight, bias, mean, variance)


@pytest.mark.parametrize("function", [narrow, without_weights, without_statistics, in_eval_mode, channels_last])
def test_others_are_left_to_torch(function: Callable[..., Any]) -> None:
    inputs = inputs_of((2, 5, 4, 3))
    theirs, ours = traced(function, inputs, TORCHS), traced(function, inputs, decompositions())
    assert not [n for n in ours.graph.nodes if n.target in WHOLE] and operations(ours) == operations(theirs)


@pytest.mark.parametrize("tracked", [True, False])
@pytest.mark.parametrize("shape", [(2, 40, 9, 14), (64, 33)])
def test_statistics_of_a_narrower_image_are_float32(shape: tuple[int, ...], tracked: bool) -> None:
    """Under autocast gradients are as near to float64's as eager's: a mean that is rounded to bfloat16 would shift them all."""
    torch.manual_seed(3)
    kind = nn.BatchNorm2d if len(shape) == 4 else nn.BatchNorm1d
    model = nn.Sequential(kind(shape[1], track_running_stats=tracked), nn.SiLU()).train()
    x, weights = (0.5 * torch.randn(shape) + 1).bfloat16(), torch.rand(shape[1])

    def gradient(run: Any, x: torch.Tensor, autocast: bool) -> torch.Tensor:
        x = x.clone().requires_grad_()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
            y = run(x)
        (y * weights.view(-1, *[1] * (len(shape) - 2)).to(y.dtype)).sum().backward()
        assert x.grad is not None
        return x.grad.double()

    exact = gradient(copy.deepcopy(model).double(), x.double(), False)
    theirs = gradient(copy.deepcopy(model), x, True)
    with sol.config.override(training="compiled", fallback="error"):
        ours = gradient(torch.compile(model, backend="sol"), x, True)
    dims = [0, *range(2, len(shape))]
    for error in (lambda g: (g - exact).norm(), lambda g: (g - exact).sum(dims).norm()):
        assert error(ours) <= 1.5 * error(theirs) + 1e-3 * exact.norm()
