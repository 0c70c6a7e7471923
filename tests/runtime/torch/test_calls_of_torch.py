"""Models that train in torch, because their steps are short: calls go to the model at once, until something changes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

import sol
from tests.training.steps import check_gradients, check_loss, step

X = torch.linspace(-1, 1, 50).view(5, 10)


@pytest.fixture(autouse=True)
def auto() -> Iterator[None]:
    """The knob as users have it."""
    before = sol.config["training"]
    sol.config["training"] = "auto"
    yield
    sol.config["training"] = before


def trained() -> tuple[sol.SolModule, list[Any]]:
    """A model after its first steps, and the layers that calls reach it through."""
    fast = sol.optimize(nn.Linear(10, 3), [X]).train()
    for _ in range(2):
        step(fast, (X,))
    seen: list[Any] = []
    ask = type(fast)._in_training
    fast.__dict__["_in_training"] = lambda *call: [seen.append(call), ask(fast, *call)][1]
    return fast, seen


def test_steps_are_torchs() -> None:
    fast, seen = trained()
    fast.zero_grad()
    eager = copy.deepcopy(fast._model)
    check_loss(step(fast, (X,)), step(eager, (X,)))
    check_gradients(fast, eager)
    assert not seen


def test_hooks_of_the_module_run() -> None:
    fast, seen = trained()
    fast.register_forward_hook(lambda module, inputs, result: result + 1)
    assert torch.equal(fast(X), fast._model(X) + 1) and len(seen) == 1


@pytest.mark.parametrize("override", [False, True])
def test_settings_are_looked_at(override: bool) -> None:
    fast, seen = trained()
    if override:
        with sol.config.override(training="compiled"):
            step(fast, (X,))
    else:
        sol.config["training"] = "compiled"
        step(fast, (X,))
    assert len(seen) == 1 and len(fast.trainer.graphs) == 2


def test_other_modes_are_compiled() -> None:
    fast, _ = trained()
    fast.eval()
    with torch.no_grad():
        fast(X)
    assert len(fast._programs) == 1
    step(fast.train(), (X,))
    ways = [vars(module)["_compiled_call_impl"].__qualname__ for module in (fast, copy.deepcopy(fast))]
    assert ["of_torch" in way for way in ways] == [True, False]
    fast.double()
    assert fast(X.double()).dtype is torch.float64
