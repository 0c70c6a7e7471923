"""What a backward pass computes again because it costs next to nothing beside the products that read it, and what it does not."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from sol.runtime.torch import differentiation
from tests.training.steps import check_gradients, check_loss, in_torch, pair, step
from tests.training.test_recomputation import kept_bytes

ROWS, WIDTH, HIDDEN = 96, 80, 144
X = torch.randn(ROWS, WIDTH)
IMAGE = torch.randn(2, 8, 6, WIDTH)


class Gated(nn.Module):
    """SwiGLU (N. Shazeer, GLU variants improve transformer, 2020)."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(WIDTH, HIDDEN), nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Shared(nn.Module):
    """A layer norm whose result three layers read, one of them turned, and a sum."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList([nn.Linear(WIDTH, WIDTH) for _ in range(2)] + [nn.Linear(ROWS, ROWS)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.first(x))
        return y + self.layers[0](y).tanh() * self.layers[1](y).tanh() + self.layers[2](y.t()).t().tanh()


class Windows(nn.Module):
    """Windows of 2 x 3 pixels of an image that is moved on by a pixel, as in a Swin transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.roll(self.norm(self.first(x)), (-1, -1), (1, 2))
        return self.last(y.view(2, 4, 2, 2, 3, WIDTH).permute(0, 1, 3, 2, 4, 5).reshape(16, 6, WIDTH)).tanh()


class Returned(nn.Module):
    """Gives what a layer reads as a result, too, under another shape."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = F.gelu(self.first(x))
        return y.view(2, -1), self.last(y)


def layers(*middle: nn.Module, inner: int = HIDDEN, outer: int = WIDTH) -> nn.Module:
    return nn.Sequential(nn.Linear(WIDTH, inner), *middle, nn.Linear(inner, outer))


class Root(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


MODELS: dict[str, tuple[Callable[[], nn.Module], torch.Tensor, int]] = {
    "gelu": (lambda: layers(nn.GELU()), X, ROWS * HIDDEN),
    "gelu by tanh": (lambda: layers(nn.GELU(approximate="tanh")), X, ROWS * HIDDEN),
    "silu of a row": (lambda: layers(nn.SiLU()), X[0], HIDDEN),
    "gelu and dropout": (lambda: layers(nn.GELU(), nn.Dropout(0.3)), X, ROWS * HIDDEN),
    "relu": (lambda: layers(nn.ReLU()), X, 0),  # of whose operand nothing is kept
    "few columns": (lambda: layers(nn.GELU(), outer=24), X, ROWS * HIDDEN),
    "layer norm": (lambda: layers(nn.LayerNorm(HIDDEN)), X, ROWS * HIDDEN),
    "layer norm alone": (lambda: layers(nn.LayerNorm(HIDDEN, elementwise_affine=False)), X, ROWS * HIDDEN),
    "layer norm of two dimensions": (lambda: layers(nn.Unflatten(0, (8, 12)), nn.LayerNorm((12, HIDDEN), 1e-3)), X, ROWS * HIDDEN),
    "root mean square": (lambda: layers(Root()), X, ROWS * HIDDEN),
    "two norms": (lambda: layers(nn.LayerNorm(HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.LayerNorm(HIDDEN)), X, 2 * ROWS * HIDDEN),
    "gate": (Gated, X, ROWS * HIDDEN),
    "shared": (Shared, X, ROWS * WIDTH),
    "windows": (Windows, IMAGE, IMAGE.numel()),
    "dropout": (lambda: layers(nn.Tanh(), nn.Dropout(0.3)), X, ROWS * HIDDEN),
    "returned": (Returned, X, ROWS * HIDDEN),
}


@pytest.mark.parametrize("name", MODELS)
def test_values_are_computed_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many elements are kept less, and gradients stay what they are."""
    make, x, dropped = MODELS[name]
    torch.manual_seed(1)
    model = make()
    for p in model.parameters():
        p.data.add_(torch.randn_like(p), alpha=0.1)  # norms have weights and biases that tell
    kept = []
    for again in (True, False):
        if not again:
            monkeypatch.setattr(differentiation, "compute_again", lambda *_: None)
            monkeypatch.setattr(differentiation, "KEPT_ONCE", {})
        fast, eager = pair(copy.deepcopy(model), (x,))
        exact = copy.deepcopy(eager).double()
        for _ in range(2):  # gradients are added up
            loss = step(fast, (x,))
            check_loss(loss, step(eager, (x,)))
        step(exact, (x.double(),)), step(exact, (x.double(),))
        check_gradients(fast, eager, exact if "dropout" not in name else None)
        kept.append(kept_bytes(fast))
    assert kept[1] - kept[0] == 4 * dropped
    assert not in_torch(fast) - {"dropout_mask"}


def test_under_autocast() -> None:
    """Products read values in bfloat16, which are made again of float32."""
    torch.manual_seed(1)
    fast, eager = pair(layers(nn.LayerNorm(HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.GELU()), (X,))
    with torch.autocast("cpu", torch.bfloat16):
        check_loss(step(fast, (X,)), step(eager, (X,)))
    for (name, p), q in zip(fast.named_parameters(), eager.parameters()):
        assert (p.grad - q.grad).norm() <= 2e-2 * q.grad.norm(), name
