"""What a model keeps beside a call for later ones: as in eager mode, and in one graph where it does not depend on the data."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import sol


class Keeping(nn.Module):
    """Adds to its state what its keep says: function of the module and the input, called at the first call."""

    def __init__(self, keep: Callable[[Any, torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.weight, self.memo, self.keep = nn.Parameter(torch.rand(4)), {}, keep  # type: ignore[var-annotated]
        self.kept: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.keep(self, x)


def _by_device(model: Any, x: torch.Tensor) -> torch.Tensor:
    key = str(x.device)
    if key not in model.memo:
        model.memo[key] = model.weight[[3, 1, 0, 2]] * 2
    return model.memo[key]  # type: ignore[no-any-return]


def _attribute(model: Any, x: torch.Tensor) -> torch.Tensor:
    if model.kept is None:
        model.kept = model.weight.cumsum(0)
    return model.kept  # type: ignore[no-any-return]


def _by_size(model: Any, x: torch.Tensor) -> torch.Tensor:
    if len(x) not in model.memo:
        model.memo[len(x)] = torch.arange(len(x))[:, None] * model.weight
    return model.memo[len(x)]  # type: ignore[no-any-return]


def _first_size(model: Any, x: torch.Tensor) -> torch.Tensor:
    if model.kept is None:
        model.kept = torch.arange(len(x)) * model.weight[0]
    return model.kept.mean()  # type: ignore[no-any-return]


def _first_data(model: Any, x: torch.Tensor) -> torch.Tensor:
    if "first" not in model.memo:
        model.memo["first"] = x.mean()
    return model.memo["first"]  # type: ignore[no-any-return]


def _last_data(model: Any, x: torch.Tensor) -> torch.Tensor:
    before = model.memo.get("last", torch.zeros(()))
    model.memo["last"] = x.mean()
    return before  # type: ignore[no-any-return]


def _log(model: Any, x: torch.Tensor) -> torch.Tensor:
    model.memo.setdefault("all", []).append(x.sum())
    return torch.stack(model.memo["all"]).sum()


MEMOS = {"by device": _by_device, "attribute": _attribute, "by size": _by_size, "first size": _first_size}
OTHERS = {"first data": _first_data, "last data": _last_data, "log": _log}


@pytest.mark.parametrize("name", (*MEMOS, *OTHERS))
def test_as_in_eager(name: str) -> None:
    model = Keeping({**MEMOS, **OTHERS}[name]).eval()
    other = copy.deepcopy(model)
    with torch.no_grad():
        fast = sol.optimize(model, torch.rand(3, 4), fallback="eager")
        assert not model.memo and model.kept is None
        assert (fast._ways.partition is None) == (name in MEMOS)
        for size in (3, 3, 5, 3, 5, 7, 3):
            x = torch.rand(size, 4)
            torch.testing.assert_close(fast(x), other(x), msg=lambda text, n=size: f"{n}: {text}")
            assert model.memo.keys() == other.memo.keys() and (model.kept is None) == (other.kept is None)


@pytest.mark.parametrize("name", MEMOS)
def test_parameters_that_change_after_the_first_call(name: str) -> None:
    """What the model keeps was computed from those before, in torch as well."""
    model, x = Keeping(MEMOS[name]).eval(), torch.rand(3, 4)
    other = copy.deepcopy(model)
    with torch.no_grad():
        fast = sol.optimize(model, x)
        for i in range(3):
            for _ in range(2):
                torch.testing.assert_close(fast(x), other(x))
            for one in (model, other):
                if i:
                    one.weight = nn.Parameter(one.weight * 2)
                else:
                    one.weight.mul_(2)


def test_compiled_once() -> None:
    model, x = Keeping(_by_device).eval(), torch.rand(3, 4)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        (program,) = fast._programs.entries
        for _ in range(3):
            fast(x)
        assert fast._programs.entries == (program,)
        twin = copy.deepcopy(fast)
        torch.testing.assert_close(twin(x), fast(x))


def test_a_memo_that_training_clears() -> None:
    class Clearing(Keeping):
        def train(self, mode: bool = True) -> Any:
            if mode:
                self.memo = {}
            return super().train(mode)

    model, x = Clearing(_by_device).eval(), torch.rand(3, 4)
    other = copy.deepcopy(model)
    fast = sol.optimize(model, x)
    (program,) = fast._programs.entries
    with torch.no_grad():
        for _ in range(12):
            for _ in range(2):
                torch.testing.assert_close(fast(x), other(x))
            for one in (model, other):
                one.train()
                one.weight.mul_(1.5)
                one.eval()
    assert fast._programs.entries == (program,) and fast._ways.partition is None


def test_verified() -> None:
    model, x = Keeping(_by_device).eval(), torch.rand(3, 4)
    fast = sol.optimize(model, x)
    report = sol.verify(fast, x)
    assert report.passed and report.compared
    with torch.no_grad():
        torch.testing.assert_close(fast(x), model(x))


def test_gradients() -> None:
    model, x = Keeping(_by_device).eval(), torch.rand(3, 4)
    other = copy.deepcopy(model)
    fast = sol.optimize(model, x)
    for one in (fast, other):
        one(x).sum().backward()
    torch.testing.assert_close(model.weight.grad, other.weight.grad)


def test_parameters_that_are_loaded_after_compiling() -> None:
    model, x = Keeping(_by_device).eval(), torch.rand(3, 4)
    other = copy.deepcopy(model)
    fast = sol.optimize(model, x)
    weights = {"weight": torch.rand(4)}
    fast.load_state_dict(weights)
    other.load_state_dict(weights)
    with torch.no_grad():
        torch.testing.assert_close(fast(x), other(x))


def test_a_memo_that_is_there_holds_and_one_that_is_cleared_does_not() -> None:
    model, x = Keeping(_by_device).eval(), torch.rand(3, 4)
    with torch.no_grad():
        model(x)
        other = copy.deepcopy(model)
        fast = sol.optimize(model, x)
        for one in (model, other):
            one.weight.mul_(2)  # of which eager's memo knows nothing
        torch.testing.assert_close(fast(x), other(x))
        for one in (model, other):
            one.memo.clear()
        torch.testing.assert_close(fast(x), other(x))


def test_trying_it_out_leaves_all_as_it_was() -> None:
    model = nn.Sequential(nn.BatchNorm1d(4), Keeping(_by_device)).eval()
    x = torch.rand(3, 4)
    before, random = copy.deepcopy(model.state_dict()), torch.get_rng_state()
    sol.optimize(model, x)
    assert not model[1].memo
    assert torch.equal(torch.get_rng_state(), random)
    assert all(torch.equal(a, b) for a, b in zip(before.values(), model.state_dict().values()))


def test_constant_integers_show_nothing() -> None:
    """Whether a memo depends on data cannot be told from data that are all equal: such a model runs in pieces."""

    class Table(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table, self.memo = nn.Embedding(9, 4), {}  # type: ignore[var-annotated]

        def forward(self, i: torch.Tensor) -> torch.Tensor:
            if "first" not in self.memo:
                self.memo["first"] = i.sum()
            return self.table(i) + self.memo["first"]

    model = Table().eval()
    other = copy.deepcopy(model)
    with torch.no_grad():
        fast = sol.optimize(model, torch.zeros(5, dtype=torch.int64), fallback="eager")
        for i in (torch.zeros(5, dtype=torch.int64), torch.arange(5)):
            torch.testing.assert_close(fast(i), other(i))


def test_deployed(tmp_path: Any) -> None:
    model, x = Keeping(_by_device).eval(), torch.rand(3, 4)
    sol.deploy(model, [x], target=sol.deployment.shared_lib, lib_name="memo", func_name="predict", path=tmp_path)
    assert not model.memo
