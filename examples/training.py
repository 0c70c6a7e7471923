"""What the examples of training share: epochs of a model in eager PyTorch and of its compiled copy in turns, with the time of each."""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import torch
from torch import nn

import sol

Batch = tuple[torch.Tensor, torch.Tensor]
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass
class Contender:
    """A model in training: its optimizer, the losses of its steps, and the seconds that each took."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def epoch(self, batches: Iterable[Batch], loss_of: Loss) -> None:
        """A step for each batch; this is the whole training loop, the same for either model."""
        self.model.train()
        for x, y in batches:
            start = time.perf_counter()
            self.optimizer.zero_grad()
            loss = loss_of(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            self.losses.append(float(loss.detach()))
            self.seconds.append(time.perf_counter() - start)

    @property
    def step_ms(self) -> float:
        """Median time of a step in milliseconds."""
        return 1e3 * statistics.median(self.seconds)


def train_both(
    model: nn.Module, example: torch.Tensor, optimizer_of: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer], loss_of: Loss,
    epochs: Iterable[list[Batch]],
) -> tuple[Contender, Contender]:
    """Train a copy of the model in PyTorch, and the model compiled, on the same batches from the same start.

    example: an input of the model. optimizer_of: makes the optimizer of the parameters that are to be trained. Returns eager's and sol's.
    """
    trained = copy.deepcopy(model)
    eager = Contender(trained, optimizer_of(p for p in trained.parameters() if p.requires_grad))
    fast = sol.optimize(model.train(), [example])  # the one line that changes
    ours = Contender(fast, optimizer_of(p for p in fast.parameters() if p.requires_grad))
    for batches in epochs:  # in turns: the machine's speed changes over time
        eager.epoch(batches, loss_of)
        ours.epoch(batches, loss_of)
    return eager, ours


def report(eager: Contender, ours: Contender) -> None:
    """Print losses and times side by side."""
    for name, found in (("eager", eager), ("sol", ours)):
        last = statistics.fmean(found.losses[-5:])
        print(f"{name:5} loss {found.losses[0]:.4f} to {last:.4f} in {len(found.losses)} steps, {found.step_ms:.2f} ms a step")
    first, threads = ours.seconds[0], torch.get_num_threads()
    print(f"sol's steps are {eager.step_ms / ours.step_ms:.2f} times as fast, {threads} threads; its first one compiled for {first:.1f} s")
