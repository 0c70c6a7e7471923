"""Two processes of DistributedDataParallel over gloo train as one process does on both halves of the batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional as F

import sol

STEPS, HALF = 3, 8
X = torch.linspace(-9, 9, 2 * HALF * 3 * 32 * 32).view(2 * HALF, 3, 32, 32).sin()
Y = torch.arange(2 * HALF) % 5


def network() -> nn.Module:
    torch.manual_seed(0)
    layers = (nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 24, 3, padding=1), nn.ReLU())
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 5))


def process(rank: int, folder: str) -> None:
    """One of two processes; the first writes its parameters down."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
    x, y = X[HALF * rank :][:HALF], Y[HALF * rank :][:HALF]
    with sol.config.override(training="compiled"):
        fast: Any = sol.optimize(network(), [x]).train()
        model = nn.parallel.DistributedDataParallel(fast)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(STEPS):
            optimizer.zero_grad()
            with model.no_sync():  # half of the gradient stays here until the second half comes
                (F.cross_entropy(model(x), y) / 2).backward()
            (F.cross_entropy(model(x), y) / 2).backward()
            optimizer.step()
    assert [len(p.gradients.variants) for p in fast._trainer.pieces] == [1]
    if rank == 0:
        torch.save([p.detach() for p in fast.parameters()], f"{folder}/parameters")
    dist.barrier()
    dist.destroy_process_group()


def test_two_processes_are_one(tmp_path: Path) -> None:
    mp.spawn(process, (str(tmp_path),), nprocs=2)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.cross_entropy(model(X), Y).backward()
        optimizer.step()
    for found, parameter in zip(torch.load(tmp_path / "parameters"), model.parameters(), strict=True):
        torch.testing.assert_close(found, parameter.detach(), rtol=1e-4, atol=1e-6)
