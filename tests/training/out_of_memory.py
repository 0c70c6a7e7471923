"""Steps of training in a process whose address space ends: prints what came of them as JSON."""

from __future__ import annotations

import copy
import gc
import json
import resource
from pathlib import Path

import torch
from torch import nn

import sol
from sol.errors import OutOfMemoryError

torch.manual_seed(0)
SMALL, LARGE = torch.randn(2, 3, 32, 32), torch.randn(16, 3, 224, 224)
SPARE = 16 << 20


def used() -> int:
    """Bytes of address space."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def step(model: nn.Module, x: torch.Tensor) -> float:
    model.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()
    return loss.item()


def main() -> None:
    torch.manual_seed(0)
    convolutions = nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.Conv2d(16, 16, 3, padding=1, bias=False)
    model = nn.Sequential(convolutions[0], nn.ReLU(), convolutions[1], nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4))
    eager = copy.deepcopy(model)
    found: dict[str, object] = {}
    with sol.config.override(training="compiled"):
        fast = sol.optimize(model, [SMALL]).train()
        step(fast, LARGE)
        for _ in range(5):  # memory of the large step is given back
            step(fast, SMALL)
        gc.collect()
        limits = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used() + SPARE, limits[1]))
        try:
            step(fast, LARGE)
        except OutOfMemoryError as error:
            found["error"] = str(error)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        for name, x in (("small", SMALL), ("large", LARGE)):
            losses = step(fast, x), step(eager, x)
            pairs = list(zip(model.parameters(), eager.parameters()))
            errors = [float((p.grad - q.grad).norm() / q.grad.norm()) for p, q in pairs if p.grad is not None and q.grad is not None]
            found[name] = [abs(losses[0] - losses[1]) / losses[1], max(errors), len(errors)]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
