"""Two processes over gloo, with whole or sharded parameters, train as one process does on both halves of the batch; checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
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


@pytest.mark.budget(20)
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


def sharded(rank: int, folder: str) -> None:
    """One of two processes whose parameters fully_shard splits; checkpoints go to an eager model and back."""
    import torch.distributed.checkpoint as checkpoint
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
    x, y = X[HALF * rank :][:HALF], Y[HALF * rank :][:HALF]
    with sol.config.override(training="compiled"):
        model = fully_shard(network(), mesh=init_device_mesh("cpu", (2,)))
        fast: Any = sol.optimize(model.train(), [x])
        optimizer = torch.optim.SGD(fast.parameters(), lr=0.1)
        for _ in range(STEPS):
            optimizer.zero_grad()
            F.cross_entropy(fast(x), y).backward()
            optimizer.step()
    checkpoint.save({"model": fast.state_dict()}, checkpoint_id=f"{folder}/checkpoint")
    eager = network()
    state = {"model": {name: torch.zeros_like(value) for name, value in eager.state_dict().items()}}
    checkpoint.load(state, checkpoint_id=f"{folder}/checkpoint")
    eager.load_state_dict(state["model"])
    if rank == 0:
        torch.save([p.detach() for p in eager.parameters()], f"{folder}/parameters")
    dist.barrier()
    dist.destroy_process_group()


def test_sharded_parameters_and_distributed_checkpoints(tmp_path: Path) -> None:
    mp.spawn(sharded, (str(tmp_path),), nprocs=2)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.cross_entropy(model(X), Y).backward()
        optimizer.step()
    found = torch.load(tmp_path / "parameters")
    for one, parameter in zip(found, model.parameters(), strict=True):
        torch.testing.assert_close(one, parameter.detach(), rtol=1e-4, atol=1e-6)


def test_plain_checkpoints_and_data_parallel(tmp_path: Path) -> None:
    """What sol trained goes into an eager model and back; DataParallel does nothing on a CPU."""
    with sol.config.override(training="compiled"):
        fast: Any = sol.optimize(network().train(), [X])
        model = nn.DataParallel(fast)
        F.cross_entropy(model(X), Y).backward()
        wanted = network()
        F.cross_entropy(wanted(X), Y).backward()
        for ours, theirs in zip(fast.parameters(), wanted.parameters(), strict=True):
            torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-3, atol=1e-6)
        torch.optim.SGD(fast.parameters(), lr=0.1).step()
        torch.save(fast.state_dict(), tmp_path / "state")
        eager = network()
        eager.load_state_dict(torch.load(tmp_path / "state"))
        torch.testing.assert_close(eager(X), fast(X), rtol=1e-4, atol=1e-5)
        fast.load_state_dict(network().state_dict())
        torch.testing.assert_close(fast(X), network()(X), rtol=1e-4, atol=1e-5)
