"""Steps whose calls are recorded without Dynamo: which are, what makes a record invalid, and what Dynamo is left with."""

from __future__ import annotations

import copy
import cProfile
import operator
import pstats
import random
import sys
import time
import types
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import sol
from sol.runtime.torch import partition
from sol.runtime.torch.recorded_calls import MOST_CHANGES
from tests.training.steps import check_gradients, check_loss, pair, step

X = torch.linspace(-3, 3, 2 * 8 * 96 * 96).view(2, 8, 96, 96).sin()  # a step on which is no short one
SCALE = 2.0
SETTINGS: dict[str, Any] = {"scale": 2.0, "more": ([1.0], {})}
SEEN: list[int] = []
FLAGS = types.ModuleType("flags")
FLAGS.shift = 0.5  # type: ignore[attr-defined]
Pair = namedtuple("Pair", "first second")


@pytest.fixture
def dynamo(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Has an entry for each call that Dynamo was given."""
    calls: list[int] = []
    real = partition.Partition.__call__

    def counted(self: Any, args: Any, kwargs: Any) -> Any:
        calls.append(1)
        return real(self, args, kwargs)

    monkeypatch.setattr(partition.Partition, "__call__", counted)
    return calls


def check(fast: Any, eager: Any, *inputs: Any) -> None:
    for p in (*fast.parameters(), *eager.parameters()):
        p.grad = None
    check_loss(step(fast, inputs), step(eager, inputs))
    check_gradients(fast, eager)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.conv, self.norm, self.drop = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.Dropout(0.0)
        self.factor = 1.5

    def features(self, x: torch.Tensor) -> torch.Tensor:
        return F.max_pool2d(torch.tanh(self.drop(self.norm(self.conv(x)))), 2)

    def forward(self, x: torch.Tensor) -> Any:
        return self.features(x) * self.factor


def test_modes_go_to_and_fro(dynamo: list[int]) -> None:
    fast, eager = pair(Net(), (X,))
    for training in (True, False, True, False, True):
        fast.train(training), eager.train(training)
        check(fast, eager, X)
    pieces = len(fast.trainer.pieces)
    assert not dynamo and pieces == 2
    fast.conv.weight.requires_grad = eager.conv.weight.requires_grad = False
    check(fast, eager, X)
    fast.conv.weight.requires_grad = eager.conv.weight.requires_grad = True
    check(fast, eager, X)
    check(fast, eager, X[:, :, :64])
    check(fast, eager, X[:1])
    assert not dynamo and len(fast.trainer.pieces) == 5


def test_what_changes_in_the_model_is_seen(dynamo: list[int]) -> None:
    fast, eager = pair(Net(), (X,))
    check(fast, eager, X)
    fast.factor = eager.factor = 0.5
    check(fast, eager, X)
    weight = torch.randn_like(eager.conv.weight) / 8
    fast.conv.weight, eager.conv.weight = nn.Parameter(weight), nn.Parameter(weight.clone())
    check(fast, eager, X)
    fast.norm, eager.norm = nn.GroupNorm(2, 8), nn.GroupNorm(2, 8)
    check(fast, eager, X)
    assert not dynamo and len(fast.trainer.pieces) == 1
    handles = [m.conv.register_forward_hook(lambda module, inputs, result: result * 2) for m in (fast._model, eager)]
    check(fast, eager, X)
    assert len(dynamo) == 1
    for handle in handles:
        handle.remove()
    check(fast, eager, X)
    assert len(dynamo) == 1


def test_what_keeps_changing_is_dynamos(dynamo: list[int]) -> None:
    fast, eager = pair(Net(), (X,))
    for i in range(MOST_CHANGES + 2):
        fast.factor = eager.factor = 1 + i / 8
        check(fast, eager, X)
    assert 0 < len(dynamo) <= 3


class Listed(Net):
    """Parameters that lie in a list as well, from which the call takes them."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = [nn.Parameter(torch.ones(8, 1, 1)), nn.Parameter(torch.zeros(8, 1, 1))]
        self.scale, self.shift = self.weights

    def forward(self, x: torch.Tensor) -> Any:
        return super().forward(x * self.weights[0] + self.weights[1])


class Remembers(nn.Module):
    """A recurrent layer, which keeps its parameters in such a list."""

    def __init__(self) -> None:
        super().__init__()
        self.layers, self.out = nn.LSTM(96, 48, batch_first=True), nn.Linear(48, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.layers(x.flatten(0, 2)[:, None])[0])


@pytest.mark.parametrize("kind", [Listed, Remembers])
def test_parameters_in_lists_may_change_in_place(kind: type[nn.Module], dynamo: list[int]) -> None:
    """As an optimizer changes them: what was recorded holds, and is shown."""
    fast, eager = pair(kind(), (X,))
    with sol.config.override(training="compiled"):
        check(fast, eager, X)
        (piece,) = fast.trainer.pieces
        for _ in range(3):
            for model in (fast, eager):
                torch.optim.SGD(model.parameters(), 0.1).step()
            check(fast, eager, X)
        assert fast.trainer.pieces == [piece] and not dynamo
        assert sol.explain(fast, [X]).forward.regions and fast.trainer.pieces == [piece]


class Gains:
    high = 3.0


class ReadsGlobals(Net):
    gain = 1.0

    def forward(self, x: torch.Tensor) -> Any:
        return self.features(x) * SCALE * self.gain + SETTINGS["scale"] * SETTINGS["more"][0][0] + FLAGS.shift * Gains.high


def test_global_variables_are_compared(dynamo: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    more = [1.0]
    monkeypatch.setitem(SETTINGS, "more", (more, {}))
    fast, eager = pair(ReadsGlobals(), (X,))
    check(fast, eager, X)
    monkeypatch.setitem(SETTINGS, "scale", 5.0)
    check(fast, eager, X)
    more[0] = 0.5
    check(fast, eager, X)
    monkeypatch.setitem(globals(), "SCALE", 0.25)
    check(fast, eager, X)
    monkeypatch.setattr(FLAGS, "shift", 0.75)
    check(fast, eager, X)
    monkeypatch.setattr(Gains, "high", 4.0)
    check(fast, eager, X)
    monkeypatch.setattr(ReadsGlobals, "gain", 2.0)
    check(fast, eager, X)
    monkeypatch.setattr(ReadsGlobals, "features", lambda self, x: self.conv(x))
    check(fast, eager, X)
    assert not dynamo


class Shapes(Net):
    def forward(self, x: torch.Tensor, flag: bool = False, *, scale: float = 1.0, more: Any = ()) -> Any:
        y = self.features(x) * scale
        return {"y": y, "pair": Pair(y.sum(1), [y.mean(), "text"]), "more": len(more)} if flag else (y, None)


def test_arguments_and_results_of_all_kinds(dynamo: list[int]) -> None:
    fast, eager = pair(Shapes(), (X,))
    for args, kwargs in (((X,), {}), ((X, True), {"scale": 2.0}), ((X, True), {"scale": 3.0}), ((X,), {"flag": True, "more": [1, 2]})):
        found, wanted = fast(*args, **kwargs), eager(*args, **kwargs)
        if isinstance(found, dict):
            assert type(found["pair"]) is Pair and found["pair"].second[1] == "text" and found["more"] == wanted["more"]
            found, wanted = ([r["y"], r["pair"].first, r["pair"].second[0]] for r in (found, wanted))
        for a, b in zip(found, wanted):
            assert a is b is None or torch.allclose(a, b, atol=1e-5)
    assert not dynamo


class Two(Net):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
        return self.features(x) + self.features(y)


def test_tensors_that_are_one(dynamo: list[int]) -> None:
    fast, eager = pair(Two(), (X, X.flip(0)))
    check(fast, eager, X, X.flip(0))
    assert not dynamo
    check(fast, eager, X, X)
    check(fast, eager, X[:1], X[1:])
    assert len(dynamo) == 2
    check(fast, eager, X, X.flip(1))
    assert len(dynamo) == 2


class Counts(Net):
    calls = 0

    def forward(self, x: torch.Tensor) -> Any:
        self.calls += 1
        return self.features(x) * self.calls


class Appends(Net):
    def forward(self, x: torch.Tensor) -> Any:
        SEEN.append(1)
        return self.features(x) * len(SEEN)


class Draws(Net):
    def forward(self, x: torch.Tensor) -> Any:
        return self.features(x) if random.random() < 0.5 else x * self.factor * self.norm.bias.sum()


class DrawsOfItsOwn(Net):
    def __init__(self) -> None:
        super().__init__()
        self.random = np.random.default_rng(0)

    def forward(self, x: torch.Tensor) -> Any:
        return self.features(x) * float(self.random.random())


class Clocks(Net):
    def forward(self, x: torch.Tensor) -> Any:
        return self.features(x) * (1.0 if time.time() > 0 else 2.0)


class Branches(Net):
    def forward(self, x: torch.Tensor) -> Any:
        y = self.features(x)
        return y * 2 if y.sum() > 0 else y


class Recomputes(Net):
    def forward(self, x: torch.Tensor) -> Any:
        return checkpoint(lambda x: F.max_pool2d(torch.tanh(self.conv(x)), 2), x, use_reentrant=False)


class Constant(Net):
    def __init__(self) -> None:
        super().__init__()
        self.constant = [torch.ones(1)]

    def forward(self, x: torch.Tensor) -> Any:
        return self.features(x) * self.constant[0]


def enclosed(factor: float) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: x * factor


class Encloses(Net):
    def __init__(self) -> None:
        super().__init__()
        self.function = enclosed(3.0)

    def forward(self, x: torch.Tensor) -> Any:
        return self.function(self.features(x))


LEFT = (Counts, Appends, Draws, DrawsOfItsOwn, Clocks, Branches, Recomputes, Constant, Encloses)


@pytest.mark.parametrize("kind", LEFT, ids=lambda k: k.__name__)
def test_what_no_record_holds_is_dynamos(kind: type[Net], dynamo: list[int]) -> None:
    model = kind()
    with sol.config.override(fallback="eager"):
        eager, fast = copy.deepcopy(model).train(), sol.optimize(model.eval(), [X]).train()
        for seed in range(3):
            losses = []
            for one in (eager, fast):
                SEEN.clear(), random.seed(seed)
                one.random, one.calls = np.random.default_rng(seed), seed
                losses.append(step(one, (X,)))
            check_loss(*losses)
    check_gradients(fast, eager)
    assert len(dynamo) == 3


def test_errors_of_the_model_are_its_own(dynamo: list[int]) -> None:
    fast, eager = pair(Net(), (X,))
    with pytest.raises(RuntimeError) as theirs:
        eager(X[:, :3])
    with pytest.raises(RuntimeError) as ours:
        fast(X[:, :3])
    assert str(theirs.value).splitlines()[0] in str(ours.value)
    check(fast, eager, X)
    assert len(dynamo) == 1


OPERATORS: dict[str, Callable[[torch.Tensor, torch.Tensor], Any]] = {
    "x + y": lambda x, y: 2 + x + y, "x - y": lambda x, y: 2 - x - y, "x * y": lambda x, y: 2 * x * y, "x / y": lambda x, y: 2 / x / y,
    "x ** y": lambda x, y: 1.5 ** (x**2) + x**y, "x @ y": lambda x, y: x @ y.mT, "-x": lambda x, y: abs(-x) + (+y),
    "x // y": lambda x, y: x * (7 // y) + (y // 0.5), "x % y": lambda x, y: x % 0.75 + 2 % y,
    "x < y": lambda x, y: x * ((x < y) & (y >= 0.6) | (x == y) ^ (x != 1.0)) + y * ~(x > 1),
    "x[i]": lambda x, y: x[1:, ::2] * y[:1, None, 3],
}  # fmt: skip
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv, "**=": operator.ipow, "%=": operator.imod,
}  # fmt: skip


class Computed(nn.Module):
    def __init__(self, function: Callable[[torch.Tensor, torch.Tensor], Any]) -> None:
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.linspace(0.5, 1.5, 40).view(5, 8))

    def forward(self, x: torch.Tensor) -> Any:
        return self.function(self.weight * 1.25, x)


@pytest.mark.parametrize("training", ["auto", "compiled"])
@pytest.mark.parametrize("name", [*OPERATORS, *IN_PLACE])
def test_operators_of_python(name: str, training: str) -> None:
    """Also in a step so short that the record of it runs in torch."""
    function = OPERATORS.get(name) or (lambda x, y: IN_PLACE[name](x, 2.0) * y)
    fast, eager = pair(Computed(function), (torch.linspace(0.6, 1.9, 40).view(5, 8).flip(0),))
    with sol.config.override(training=training):
        check(fast, eager, torch.linspace(0.6, 1.9, 40).view(5, 8).flip(0))


def test_calls_without_gradients_in_training_mode() -> None:
    fast, eager = pair(Net(), (X,))
    with torch.no_grad():
        torch.testing.assert_close(fast(X), eager(X))
    check(fast, eager, X)


class Watcher:
    """A profiler that is no function, as those written in C are."""


def test_a_profiler_rests_while_a_call_is_recorded(dynamo: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    fast, eager = pair(Net(), (X,))
    profiler = cProfile.Profile()
    profiler.enable()
    check(fast, eager, X)
    profiler.disable()
    assert not dynamo and fast.trainer.pieces
    assert "check_gradients" in {name for _, _, name in pstats.Stats(profiler).stats}  # type: ignore[attr-defined]  # called behind the record

    called: list[str] = []

    def profile(frame: Any, event: str, arg: Any) -> None:
        called.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        check(fast, eager, X[:1])
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(None)
    assert not dynamo and len(fast.trainer.pieces) == 2 and "check_gradients" in called

    monkeypatch.setattr(sys, "getprofile", Watcher)
    check(fast, eager, X[:, :, :64])
    assert len(dynamo) == 1


def test_a_copy_has_records_of_its_own(dynamo: list[int]) -> None:
    fast, eager = pair(Net(), (X,))
    check(fast, eager, X)
    other, theirs = copy.deepcopy(fast), copy.deepcopy(eager)
    other.factor = theirs.factor = 4.0
    check(other, theirs, X)
    check(fast, eager, X)
    assert not dynamo


class Asserting(Net):
    def forward(self, x: torch.Tensor) -> Any:
        torch._assert(x.dim() == 4, "images have four dimensions")
        return super().forward(x)


def test_what_holds_for_sizes_is_recorded(dynamo: list[int]) -> None:
    fast, eager = pair(Asserting(), (X,))
    check(fast, eager, X)
    assert not dynamo
    with pytest.raises(AssertionError, match="four dimensions"):
        fast(X[0])
