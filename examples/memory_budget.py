"""Memory against time: how much a step of training keeps for its backward pass, and how long it takes, at five memory budgets.

`python examples/memory_budget.py [budget.png]` prints a table for a small network, and plots it where matplotlib is installed.
"""

from __future__ import annotations

import copy
import statistics
import sys
import time

import torch
from torch import nn

import sol

BUDGETS = (1.0, 0.75, 0.5, 0.25, 0.0)
DEPTH, CHANNELS, STEPS = 12, 32, 5
Row = tuple[str, float, float]


def network() -> nn.Module:
    """A classifier of images [N, 3, 64, 64]: twelve equal convolutions with normalisation."""
    layers: list[nn.Module] = [nn.Conv2d(3, CHANNELS, 3, padding=1)]
    for _ in range(DEPTH):
        layers += [nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False), nn.BatchNorm2d(CHANNELS), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(CHANNELS, 10))


def kept_mb(model: nn.Module, x: torch.Tensor) -> float:
    """Megabytes that a forward pass keeps for its backward pass, parameters and inputs excepted."""
    own = {t.untyped_storage().data_ptr() for t in (*model.parameters(), *model.buffers(), x)}
    found: dict[int, int] = {}

    def note(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        found[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        model(x).square().mean().backward()
    return sum(size for place, size in found.items() if place not in own) / 1e6


def measured(name: str, model: nn.Module, x: torch.Tensor) -> Row:
    """What a model keeps, and the median time of its step in milliseconds."""
    kept_mb(model, x)  # compiles
    seconds = []
    for _ in range(STEPS):
        model.zero_grad()
        start = time.perf_counter()
        model(x).square().mean().backward()
        seconds.append(time.perf_counter() - start)
    return name, kept_mb(model, x), 1e3 * statistics.median(seconds)


def plot(rows: list[Row], path: str) -> None:
    """Kept memory of each budget against the time of a step, beside eager; nothing where matplotlib is not installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        print("matplotlib is not installed: no plot is written")
        return
    figure, axes = pyplot.subplots(figsize=(6, 4))
    (_, eager_kept, eager_ms), *ours = rows
    axes.plot([kept for _, kept, _ in ours], [ms for _, _, ms in ours], "o-", label="sol, budgets 1 to 0")
    axes.plot([eager_kept], [eager_ms], "s", label="eager")
    for name, kept, ms in ours:
        axes.annotate(name, (kept, ms), textcoords="offset points", xytext=(4, 6))
    axes.set(xlabel="kept for the backward pass (MB)", ylabel="step (ms)", ylim=(0, None), xlim=(0, None))
    axes.legend()
    figure.savefig(path, dpi=80, bbox_inches="tight")
    print(f"plotted in {path}")


def main() -> None:
    torch.manual_seed(0)
    model, x = network().train(), torch.randn(8, 3, 64, 64)
    sol.config["training"] = "compiled"
    rows = [measured("eager", copy.deepcopy(model), x)]
    for budget in BUDGETS:
        sol.config["training_memory_budget"] = budget  # holds for what is compiled from now on
        rows.append(measured(f"{budget:g}", sol.optimize(copy.deepcopy(model), [x]).train(), x))
    print("budget   kept MB   step ms")
    for name, kept, ms in rows:
        print(f"{name:6} {kept:9.1f} {ms:9.1f}")
    if len(sys.argv) > 1:
        plot(rows, sys.argv[1])


if __name__ == "__main__":
    main()
