"""Two processes train one network: DistributedDataParallel over gloo.

Run it as `torchrun --standalone --nproc_per_node 2 examples/train_ddp.py`. Each process has half of every batch. Gradients of the last
layers are sent while those of the first ones are computed.
"""

from __future__ import annotations

import os
import time
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F

import sol

BATCH, STEPS, CLASSES = 32, 30, 8


def network() -> nn.Sequential:
    """A small convolutional network, the same in every process."""
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for before, after in ((3, 32), (32, 64), (64, 64)):
        layers += [nn.Conv2d(before, after, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(64 * 4 * 4, CLASSES))


def images(step: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A batch for all processes together: [32, 3, 32, 32], brighter from class to class."""
    generator = torch.Generator().manual_seed(step)
    classes = torch.randint(0, CLASSES, (BATCH,), generator=generator)
    return torch.rand(BATCH, 3, 32, 32, generator=generator) + 0.3 * classes.view(-1, 1, 1, 1), classes


def main() -> None:
    dist.init_process_group("gloo")  # torchrun tells who takes part
    rank, processes = dist.get_rank(), dist.get_world_size()
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // processes))
    sol.config["training"] = "compiled"
    fast: Any = sol.optimize(network().train(), [images(0)[0][: BATCH // processes]])
    model = nn.parallel.DistributedDataParallel(fast)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(STEPS):
        x, y = (part.chunk(processes)[rank] for part in images(step))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        dist.all_reduce(loss.detach().div_(processes))
        if rank == 0 and step % 10 in (0, 9):
            print(f"step {step}: loss {float(loss.detach()):.4f}")
    same = [p.detach().clone() for p in fast.parameters()]
    for parameter in same:
        dist.broadcast(parameter, src=0)
    agree = all(torch.equal(a, b) for a, b in zip(same, fast.parameters()))
    print(f"process {rank} of {processes}: {'the same parameters as process 0' if agree else 'parameters differ'}")
    dist.destroy_process_group()
    time.sleep(0.2)  # PyTorch aborts where Python ends while a thread of gloo still frees what it has sent


if __name__ == "__main__":
    main()
