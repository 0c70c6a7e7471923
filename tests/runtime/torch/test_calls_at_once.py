"""Calls without gradients that the last program takes go past nn.Module's way to ``forward``; what that way looks at still counts."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook

import sol

X = torch.randn(2, 10)


@pytest.fixture
def called() -> Iterator[tuple[sol.SolModule, list[Any]]]:
    """A compiled module, and its calls that came through ``forward``."""
    fast = sol.optimize(nn.Sequential(nn.Linear(10, 3), nn.Dropout(0.5)).eval(), [X])
    seen: list[Any] = []
    usual = fast.forward

    def forward(*args: Any, **kwargs: Any) -> Any:
        seen.append(args)
        return usual(*args, **kwargs)

    fast.__dict__["forward"] = forward
    with torch.no_grad():
        yield fast, seen


def test_usual_calls(called: tuple[sol.SolModule, list[Any]]) -> None:
    fast, seen = called
    torch.testing.assert_close(fast(X), fast._model(X))
    first, second = fast(X), fast(X)
    assert first is not second and first.data_ptr() != second.data_ptr()
    with torch.inference_mode():
        assert fast(X).is_inference()
    assert not seen
    torch.testing.assert_close(fast(input=X), fast._model(input=X))
    assert len(seen) == 1, "a call with a keyword is compiled for"
    torch.testing.assert_close(fast(input=X), fast._model(input=X))
    assert len(seen) == 1


def test_hooks(called: tuple[sol.SolModule, list[Any]]) -> None:
    fast, seen = called
    expected = fast._model(X)
    hooks = (
        lambda: fast.register_forward_hook(lambda module, inputs, result: result + 1),
        lambda: fast.register_forward_pre_hook(lambda module, inputs: (inputs[0] * 2,)),
        lambda: register_module_forward_hook(lambda module, inputs, result: result + 1 if module is fast else None),
    )
    for register, wanted in zip(hooks, (expected + 1, fast._model(X * 2), expected + 1)):
        seen.clear()
        handle = register()
        torch.testing.assert_close(fast(X), wanted)
        handle.remove()
        torch.testing.assert_close(fast(X), expected)
        assert len(seen) == 1


def test_modes_and_changes(called: tuple[sol.SolModule, list[Any]]) -> None:
    fast, seen = called
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert fast(X).dtype is torch.bfloat16
    with torch.enable_grad():
        assert fast(X).requires_grad
    fast.train()
    assert (fast(X) == 0).any() or (fast(X) == 0).any() or (fast(X) == 0).any(), "dropout"
    fast.eval()
    assert len(seen) >= 3
    seen.clear()
    with torch.no_grad():
        fast[0].weight.mul_(2)
        torch.testing.assert_close(fast(X), fast._model(X))
        assert not seen, "a weight that was changed in place is packed again at once"
        fast[0].weight = nn.Parameter(torch.ones(3, 10))
        torch.testing.assert_close(fast(X), fast._model(X))
        torch.testing.assert_close(fast(X[:1]), fast._model(X[:1]))
    assert len(seen) == 2


def test_errors_are_those_of_the_usual_way(called: tuple[sol.SolModule, list[Any]]) -> None:
    fast, _ = called
    for wrong in ((), (torch.randn(2, 11),), (X, X), ("words",)):
        with pytest.raises(Exception) as ours:
            fast(*wrong)
        with pytest.raises(type(ours.value)):
            fast.forward(*wrong)


def test_copies_and_transforms(called: tuple[sol.SolModule, list[Any]]) -> None:
    fast, _ = called
    del fast.__dict__["forward"]
    for other in (copy.deepcopy(fast), pickle.loads(pickle.dumps(fast))):
        other[0].weight.data.zero_()
        other.refresh()
        torch.testing.assert_close(other(X), other._model(X))
        torch.testing.assert_close(fast(X), fast._model(X))
    with sol.config.override(fallback="eager"):
        torch.testing.assert_close(torch.func.vmap(fast)(X), fast._model(X))
    torch.testing.assert_close(torch.compile(fast, backend="eager")(X), fast._model(X))
