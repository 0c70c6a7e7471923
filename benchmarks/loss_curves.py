"""Loss curves of training: eager with one thread, eager with two, and sol, from the same parameters on the same data.

`python benchmarks/loss_curves.py [resnet18|transformer] [--steps 200]` prints the three curves' distances. Rounding differs
between the three, and training amplifies what differs: the distance of the two eager curves tells what may be expected of a third one.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Callable, Iterator

import torch
from torch import nn
from torch.nn import functional as F

import sol
from examples.networks import torchvision_models

Batch = tuple[torch.Tensor, torch.Tensor]
CLASSES, WORDS, LENGTH = 10, 64, 32


class Transformer(nn.Module):
    """Two layers with causal attention that predict the next word."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, width), nn.Parameter(0.02 * torch.randn(LENGTH, width))
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.layers, self.out = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(width, WORDS)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(LENGTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.words(x) + self.places
        return self.out(self.layers(h, mask=self.mask, is_causal=True))


def images(steps: int, batch: int, size: int) -> Iterator[Batch]:
    """Noise around a picture for each class."""
    random = torch.Generator().manual_seed(1)
    pictures = torch.randn(CLASSES, 3, size, size, generator=random)
    for _ in range(steps):
        y = torch.randint(CLASSES, (batch,), generator=random)
        yield 0.5 * pictures[y] + torch.randn(batch, 3, size, size, generator=random), y


def sentences(steps: int, batch: int) -> Iterator[Batch]:
    """Words that follow each other by a rule, one in ten by chance."""
    random = torch.Generator().manual_seed(1)
    for _ in range(steps):
        x = torch.randint(WORDS, (batch, LENGTH + 1), generator=random)
        for i in range(1, LENGTH + 1):
            follows = torch.rand(batch, generator=random) < 0.9
            x[:, i] = torch.where(follows, (5 * x[:, i - 1] + 3) % WORDS, x[:, i])
        yield x[:, :-1], x[:, 1:]


def curve(model: nn.Module, optimizer: torch.optim.Optimizer, batches: Iterator[Batch], threads: int) -> torch.Tensor:
    """The loss at each step, float32."""
    torch.set_num_threads(threads)
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        found = model(x)
        loss = F.cross_entropy(found.flatten(0, -2), y.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def curves(make: Callable[[], nn.Module], optimizer: Callable[[Iterator[nn.Parameter]], torch.optim.Optimizer],
           batches: Callable[[], Iterator[Batch]]) -> dict[str, torch.Tensor]:  # fmt: skip
    """The curves by name: "eager, 1 thread", "eager, 2 threads", "sol"."""
    torch.manual_seed(0)
    model, found = make().train(), {}
    for name, threads in (("eager, 1 thread", 1), ("eager, 2 threads", 2), ("sol", 2)):
        mine = copy.deepcopy(model)
        run = sol.optimize(mine, [next(batches())[0]]).train() if name == "sol" else mine
        with sol.config.override(training="compiled"):
            found[name] = curve(run, optimizer(mine.parameters()), batches(), threads)
    return found


def distances(found: dict[str, torch.Tensor]) -> tuple[float, float]:
    """Mean distance between the two eager curves, and between sol's and the nearer of them."""
    one, two, ours = found["eager, 1 thread"], found["eager, 2 threads"], found["sol"]
    return float((one - two).abs().mean()), float(torch.minimum((ours - one).abs(), (ours - two).abs()).mean())


def setting(name: str, steps: int, size: int) -> dict[str, torch.Tensor]:
    """The curves of one network."""
    if name == "transformer":
        return curves(Transformer, lambda p: torch.optim.AdamW(p, lr=3e-3), lambda: sentences(steps, 16))
    return curves(
        lambda: torchvision_models().resnet18(num_classes=CLASSES),
        lambda p: torch.optim.SGD(p, lr=0.005, momentum=0.9),
        lambda: images(steps, 16, size),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", nargs="?", default="transformer", choices=("transformer", "resnet18"))
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--size", type=int, default=224, help="height and width of the images")
    given = parser.parse_args()
    found = setting(given.network, given.steps, given.size)
    for at in sorted({0, *range(given.steps // 10 - 1, given.steps, given.steps // 10)}):
        print(f"step {at + 1:4d}  " + "  ".join(f"{name}: {losses[at]:.5f}" for name, losses in found.items()))
    spread, ours = distances(found)
    print(f"mean distance of eager's two curves {spread:.2e}, of sol's from the nearer of them {ours:.2e}")


if __name__ == "__main__":
    main()
