"""A convolutional network learns handwritten digits: 1,797 real images of 8x8 pixels, which scikit-learn brings along."""

from __future__ import annotations

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn import functional as F
from training import Batch, report, train_both

import sol

EPOCHS, BATCH = 8, 64


def network() -> nn.Sequential:
    """Three convolutions with batch normalisation, and a classifier for ten digits."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(64, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip


def digits() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Images [n, 1, 8, 8] from 0 to 1 and their digits, to train and to test."""
    images, labels = load_digits(return_X_y=True)
    parts = train_test_split(images.astype("float32") / 16, labels, test_size=0.25, random_state=0, stratify=labels)
    x, x_test, y, y_test = map(torch.from_numpy, parts)
    return x.view(-1, 1, 8, 8), y, x_test.view(-1, 1, 8, 8), y_test


def shuffled(x: torch.Tensor, y: torch.Tensor) -> list[Batch]:
    """The images in batches, in a random order; the last batch is smaller, and is compiled for by itself."""
    order = torch.randperm(len(x))
    return [(x[some], y[some]) for some in order.split(BATCH)]


def accuracy(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    """Share of the images whose digit the model finds."""
    model.eval()
    with torch.no_grad():
        return float((model(x).argmax(1) == y).float().mean())


def main() -> None:
    torch.manual_seed(0)
    x, y, x_test, y_test = digits()
    sol.config["training"] = "compiled"  # steps of a few milliseconds would else run in PyTorch
    eager, ours = train_both(
        network(), x[:BATCH], lambda parameters: torch.optim.AdamW(parameters, lr=2e-3, weight_decay=0.01), F.cross_entropy,
        (shuffled(x, y) for _ in range(EPOCHS)),
    )  # fmt: skip
    report(eager, ours)
    print(f"test accuracy: eager {accuracy(eager.model, x_test, y_test):.2%}, sol {accuracy(ours.model, x_test, y_test):.2%}")


if __name__ == "__main__":
    main()
