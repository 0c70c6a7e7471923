"""Max pooling in training keeps bytes in place of its input, and a ReLU before it nothing; results and gradients of pooling are torch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import sol
from sol.ir.types import DType
from tests.training.steps import check_gradients, check_loss, graphs_of, in_torch, pair, step

IMAGES = (torch.randn(2, 3, 22, 19),)


class Pooled(nn.Module):
    """A convolution, and what a function makes of it."""

    def __init__(self, function: Callable[[torch.Tensor], Any], channels: int = 9) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Conv2d(3, channels, 3), nn.BatchNorm2d(channels), nn.Conv2d(channels, 4, 2)
        self.function = function

    def forward(self, x: torch.Tensor) -> Any:
        return self.function(self)(self.norm(self.first(x)))


def after_relu(model: Pooled) -> Any:
    return lambda x: model.last(F.max_pool2d(F.relu(x), 2))


CASES: dict[str, Callable[[Pooled], Any]] = {
    "after a relu": after_relu,
    "of windows that overlap": lambda m: lambda x: m.last(F.max_pool2d(F.relu(x), 3, 2, 1)),
    "of a relu that is read again": lambda m: lambda x: m.last(F.max_pool2d(y := F.relu(x), 3, 1, 1)) + m.last(y),
    "without a relu": lambda m: lambda x: m.last(F.max_pool2d(x, (3, 2), (2, 1), (1, 0), ceil_mode=True)),
    "of another function": lambda m: lambda x: m.last(F.max_pool2d(F.silu(x), 2, dilation=2)),
    "twice": lambda m: lambda x: m.last(F.max_pool2d(F.max_pool2d(F.relu(x), 2), 2, 1)),
    "of a large window": lambda m: lambda x: F.max_pool2d(F.relu(x), (20, 17)),
    "one image at a time": lambda m: lambda x: torch.stack([F.max_pool2d(F.relu(i), 2) for i in x]),
    "with its places": lambda m: lambda x: m.last((found := F.max_pool2d(F.relu(x), 2, return_indices=True))[0]) + found[1].sum() % 2,
}


@pytest.mark.parametrize("name", CASES)
def test_one_step(name: str) -> None:
    fast, eager = pair(Pooled(CASES[name]), IMAGES)
    for _ in range(2):
        check_loss(step(fast, IMAGES), step(eager, IMAGES))
    check_gradients(fast, eager)
    assert in_torch(fast) <= ({"max_pool2d_places"} if name == "with its places" else set())


MEANS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "of windows side by side": lambda x: F.avg_pool3d(x, 2),
    "with padding": lambda x: F.avg_pool3d(x, 3, 2, 1),
    "of what is in the volume": lambda x: F.avg_pool3d(x, (2, 3, 2), (2, 2, 3), (1, 1, 0), ceil_mode=True, count_include_pad=False),
    "with the last window cut": lambda x: F.avg_pool3d(x, (2, 3, 2), (2, 2, 3), (1, 1, 0), ceil_mode=True),
    "by a divisor": lambda x: F.avg_pool3d(x, 3, 2, 1, divisor_override=5),
    "that split the volume": lambda x: F.adaptive_avg_pool3d(x, (3, 2, 4)),
    "of one volume": lambda x: F.avg_pool3d(x[0], 2),
}


@pytest.mark.budget(4)
@pytest.mark.parametrize("name", MEANS)
def test_means_of_volumes(name: str) -> None:
    class Volumes(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Conv3d(3, 5, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return MEANS[name](self.first(x)).sin()

    volumes = (torch.randn(2, 3, 7, 9, 8),)
    fast, eager = pair(Volumes(), volumes)
    check_loss(step(fast, volumes), step(eager, volumes))
    check_gradients(fast, eager)
    assert in_torch(fast) == set()


MEANS_OF_IMAGES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "at each pixel": lambda x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False),
    "with padding": lambda x: F.avg_pool2d(x, 3, 2, 1),
    "of what is in the image": lambda x: F.avg_pool2d(x, (2, 3), (2, 3), (1, 1), ceil_mode=True, count_include_pad=False),
    "with the last window cut": lambda x: F.avg_pool2d(x, (3, 2), (2, 3), (1, 0), ceil_mode=True),
    "by a divisor": lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=5),
    "that split the image": lambda x: F.adaptive_avg_pool2d(x, (3, 4)),
    "of all pixels": lambda x: F.adaptive_avg_pool2d(x, 1),
    "of one image": lambda x: F.avg_pool2d(x[0], 2),
}


@pytest.mark.budget(8)
@pytest.mark.parametrize("blocked", [True, False])
@pytest.mark.parametrize("name", MEANS_OF_IMAGES)
def test_means_of_images(name: str, blocked: bool) -> None:
    class Images(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Conv2d(3, 17, 1) if blocked else nn.PReLU(3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return MEANS_OF_IMAGES[name](self.first(x)).sin()

    fast, eager = pair(Images(), IMAGES)
    check_loss(step(fast, IMAGES), step(eager, IMAGES))
    check_gradients(fast, eager)
    assert in_torch(fast) == set()


@pytest.mark.parametrize("channels", [8, 9, 33])
def test_what_is_not_a_number_gets_the_gradient(channels: int) -> None:
    class Direct(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.max_pool2d(F.relu(x * 2), 3, 2, 1)

    x = torch.randn(2, channels, 12, 12).round()
    x[0, 0, 3, 4], x[1, -1] = torch.nan, -torch.inf
    grads = []
    fast = sol.optimize(Direct(), [x])
    for model in (Direct(), fast):
        model.train()
        given = x.clone().requires_grad_()
        model(given).backward(torch.ones(2, channels, 6, 6))
        grads.append(given.grad)
    torch.testing.assert_close(grads[1], grads[0], equal_nan=True, rtol=0, atol=0)
    assert in_torch(fast) == set()


def test_a_relu_before_a_pooling_is_not_kept() -> None:
    fast, _ = pair(Pooled(after_relu, 32), IMAGES)
    step(fast, IMAGES)
    forward, backward = graphs_of(fast)
    imported = forward.imported
    assert imported is not None and backward.imported is not None
    kept = [imported.graph.producer(imported.graph.outputs[imported.outputs[i].index]) for i in forward.kept]
    assert {"max_pool", "max_pool_taps"} <= {n.op for n in kept} and "relu" not in {n.op for n in kept}
    assert [n.types[0].dtype for n in kept if n.op == "max_pool_taps"] == [DType.U8]
    assert "max_pool_grad" not in {n.op for n in backward.imported.graph.nodes}
    for graph in (forward, backward):
        assert graph.whole is not None  # nothing runs in torch
