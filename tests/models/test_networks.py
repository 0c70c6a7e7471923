"""Every network of the list: nothing runs in torch, and the result is torch's."""

from __future__ import annotations

import pytest
import torch

import sol
from sol.inspect.verification import relative_error
from tests.models.networks import FAMILIES, NETWORKS, QUICK, build

TOLERANCE = 1e-4


def check(name: str, batch: int) -> None:
    model, inputs = build(name)
    torch.manual_seed(1)
    x = inputs(batch)
    fast = sol.optimize(model, x)
    assert not sol.explain(fast, x).torch
    with torch.no_grad():
        expected, actual = model(*x), fast(*x)
    assert isinstance(actual, type(expected))
    assert relative_error(actual.numpy(), expected.numpy()) <= TOLERANCE


def _slow(names: object, quick: tuple[str, ...]) -> list:
    return [n if n in quick else pytest.param(n, marks=pytest.mark.conformance) for n in names]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", _slow(NETWORKS, QUICK))
@pytest.mark.budget(8)
def test_equals_torch(name: str) -> None:
    check(name, 1)


@pytest.mark.parametrize("name", _slow(FAMILIES, ("resnet18", "mobilenet_v2", "logreg", "gru")))
def test_equals_torch_at_batch_3(name: str) -> None:
    check(name, 3)


def test_the_list_is_whole() -> None:
    assert len(NETWORKS) == 44 and set(QUICK) <= set(NETWORKS) and set(FAMILIES) <= set(NETWORKS)
