"""One training step of a module and of its copy in eager torch: loss, gradients and buffers compared."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

import sol
from sol.runtime.torch.module import SolModule
from sol.runtime.torch.training import Differentiated

LOSS, GRADIENT = 1e-4, 1e-3
"""Largest difference from eager, relative."""
WORSE = 5.0
"""Where a gradient differs by more: how many times eager's error against float64 ours may be."""


def loss_of(result: Any) -> torch.Tensor:
    """The mean square of all floating-point results."""
    return sum(t.float().pow(2).mean() for t in pytree.tree_leaves(result) if t.is_floating_point())  # type: ignore[return-value]


def step(model: Any, inputs: Sequence[Any], seed: int = 0, loss: Callable[[Any], torch.Tensor] = loss_of) -> torch.Tensor:
    """Forward, loss and backward; the loss."""
    torch.manual_seed(seed)
    found = loss(model(*inputs))
    found.backward()
    return found.detach()


def check_gradients(ours: nn.Module, theirs: nn.Module, exact: nn.Module | None = None) -> None:
    """None is missing, none is too many, and each differs from eager's by little of its own norm, or of 1e-4 of the whole's.

    exact: the model after the same steps in float64, which judges where gradients differ by more, because both are inexact.
    """
    expected = dict(theirs.named_parameters())
    judges = dict(exact.named_parameters()) if exact is not None else {}
    norms = [p.grad.double().norm() for p in expected.values() if p.grad is not None]
    floor = 1e-4 * torch.stack(norms).norm() if norms else 0.0
    for name, p in ours.named_parameters():
        q = expected[name]
        assert (p.grad is None) == (q.grad is None), name
        if p.grad is not None and q.grad is not None:
            error = (p.grad.double() - q.grad.double()).norm() / q.grad.double().norm().clamp_min(float(floor))
            if not error <= GRADIENT and name in judges and judges[name].grad is not None:
                mine, its = ((g.double() - judges[name].grad).norm() for g in (p.grad, q.grad))
                assert mine <= WORSE * its, f"{name}: {mine} from float64, eager {its}"
                continue
            assert error <= GRADIENT, f"{name}: {error}"
    for (name, a), (_, b) in zip(ours.named_buffers(), theirs.named_buffers()):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6, msg=name)


def check_loss(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    assert abs(ours - theirs) <= LOSS * max(abs(theirs), 1e-9), (ours, theirs)


def pair(model: nn.Module, inputs: Sequence[Any], *, training: bool = True) -> tuple[SolModule, nn.Module]:
    """The compiled model and a copy of it for eager torch."""
    eager = copy.deepcopy(model).train(training)
    fast = sol.optimize(model.eval(), list(inputs))
    return fast.train(training), eager


def graphs_of(fast: SolModule) -> list[Any]:
    """Forward and backward graphs that a model came to, in the order in which they first ran."""
    return [g for p in fast._trainer.pieces for _, d in _variants(p) for g in d.graphs]


def _variants(piece: Any) -> list[tuple[Any, Differentiated]]:
    return list(piece.gradients.variants)


def in_torch(fast: SolModule) -> set[str]:
    """Names of the operations that run in torch; each graph was compiled."""
    graphs = graphs_of(fast)
    assert graphs and all(g.program is not None for g in graphs), [g.failure for g in graphs]
    return {g.program.imported.torch_calls[n.attrs["key"]].name.split(".")[1] for g in graphs for n in g.program.runner.torch_nodes}
