"""Classes and comparisons: what is chosen or compared behind a normalisation, a product, a convolution or a pooling, in the same kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.against_torch.support import check_all

ROWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "layer_norm": lambda x: F.layer_norm(x, (17,)),
    "rms_norm": lambda x: F.rms_norm(x, (17,)),
    "normalize": lambda x: F.normalize(x, dim=-1),
    "centred": lambda x: x - x.mean(),
    "centred rows": lambda x: x - x.mean(-1, keepdim=True),
}
CHOSEN: dict[str, Callable[[torch.Tensor], Any]] = {
    "argmax": lambda x: x.argmax(-1),
    "max": lambda x: x.max(-1),
    "min of columns": lambda x: x.min(0),
}


@pytest.mark.parametrize("chosen", CHOSEN)
def test_the_class_of_a_normalised_row(chosen):
    cases = {name: lambda x, f=f, choose=CHOSEN[chosen]: choose(f(x)) for name, f in ROWS.items()}
    check_all(cases, torch.randn(5, 17))


class Behind(nn.Module):
    """What ``compare`` says of a layer's results."""

    def __init__(self, layer: nn.Module, compare: Callable[[torch.Tensor], Any]) -> None:
        super().__init__()
        self.layer, self.compare = layer, compare

    def forward(self, x: torch.Tensor) -> Any:
        return self.compare(self.layer(x))


COMPARISONS: dict[str, Callable[[torch.Tensor], Any]] = {
    "positive": lambda y: y > 0,
    "likely": lambda y: torch.sigmoid(y) > 0.5,
}
LAYERS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "linear": (lambda: nn.Linear(8, 4), (3, 8)),
    "convolution over one dimension": (lambda: nn.Conv1d(8, 4, 3), (2, 8, 9)),
    "convolution": (lambda: nn.Conv2d(8, 16, 3), (2, 8, 9, 9)),
    "pointwise convolution": (lambda: nn.Conv2d(8, 16, 1), (2, 8, 9, 9)),
    "depthwise convolution": (lambda: nn.Conv2d(8, 8, 3, groups=8), (2, 8, 9, 9)),
    "transposed convolution": (lambda: nn.ConvTranspose2d(8, 4, 2, 2), (2, 8, 5, 5)),
    "transposed convolution over one dimension": (lambda: nn.ConvTranspose1d(8, 4, 2, 2), (2, 8, 5)),
    "largest of windows": (lambda: nn.MaxPool2d(2), (2, 8, 6, 6)),
    "mean of windows": (lambda: nn.AvgPool2d(2), (2, 8, 6, 6)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_comparisons_behind_a_layer(name):
    make, shape = LAYERS[name]
    check_all({c: Behind(make(), compare) for c, compare in COMPARISONS.items()}, torch.randn(shape))


def test_comparisons_of_products_and_with_what_was_pooled():
    cases: dict[str, Callable[..., Any]] = {
        "a product": lambda x, y, z: (x @ y) > 1,
        "not a number": lambda x, y, z: (x @ y).isnan(),
        "peaks": lambda x, y, z: F.max_pool2d(z, 3, 1, 1) == z,
    }
    check_all(cases, torch.randn(3, 8), torch.randn(8, 5), torch.randn(2, 8, 6, 6))


class Squeezing(nn.Module):
    """A depthwise convolution whose map is scaled by a gate of its mean, and a 1x1 convolution."""

    def __init__(self) -> None:
        super().__init__()
        self.depthwise, self.project = nn.Conv2d(64, 64, 3, padding=1, groups=64), nn.Conv2d(64, 32, 1)
        self.gate = nn.Sequential(nn.Conv2d(64, 16, 1), nn.ReLU(), nn.Conv2d(16, 64, 1), nn.Sigmoid())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.depthwise(x)
        return self.project(y * self.gate(F.adaptive_avg_pool2d(y, 1)))


@pytest.mark.parametrize("size", [(1, 20), (20, 1), (1, 1)])
def test_gates_of_maps_of_one_row_or_column(size):
    check_all({"gate": Squeezing()}, torch.randn(1, 64, *size))
