"""Plain attributes of a model: a change of one that it reads takes effect at the next call, as in eager mode."""

from __future__ import annotations

import copy
import logging
from collections import OrderedDict, deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

import sol
from sol.runtime.torch import change_words


class Settings:
    def __init__(self) -> None:
        self.gain, self.more = 2.0, {"shift": 1.0}


class Slotted:
    __slots__ = ("gain",)

    def __init__(self) -> None:
        self.gain = 2.0


class Reading(nn.Module):
    """Reads attributes of every sort."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.scale, self.flag, self.unread = 2.0, True, 0
        self.plain, self.table = torch.ones(4), {"a": torch.ones(4), "n": [1, 2]}
        self.numbers, self.kinds, self.last, self.ordered = [1.0, [2.0]], {"sum"}, deque([3.0]), OrderedDict(x=1.0)
        self.settings, self.slotted, self.apart = Settings(), Slotted(), [nn.Linear(4, 4)]
        self.activation: Callable[[torch.Tensor], torch.Tensor] = torch.relu
        self.dropped, self.around = nn.Dropout(0.5), nn.Sequential(nn.Identity())

    @property
    def doubled(self) -> float:
        return self._half * 4 if hasattr(self, "_half") else 1.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.layer(x) * self.scale if self.flag else self.layer(x)
        y = y + self.plain + self.table["a"] * self.table["n"][0] + self.numbers[1][0] * self.last[0] + self.ordered["x"]
        y = self.around(y)
        y = y.sum(1) if "sum" in self.kinds else y.amax(1)
        y = y * self.settings.gain + self.settings.more["shift"] + self.slotted.gain
        return self.dropped(self.activation(y) * self.doubled + self.apart[0](x).sum(1))


def _in_place(model: Any) -> None:
    with torch.no_grad():
        model.apart[0].weight.mul_(2)


def _halved(module: nn.Module, args: Any, result: torch.Tensor) -> torch.Tensor:
    return result / 2


def _one_more(module: nn.Module, args: Any) -> Any:
    return (args[0] + 1,)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "number": lambda m: setattr(m, "scale", 3.0),
    "branch": lambda m: setattr(m, "flag", False),
    "tensor in place": lambda m: m.plain.fill_(5),
    "another tensor": lambda m: setattr(m, "plain", torch.zeros(4)),
    "tensor in a dict": lambda m: m.table.update(a=torch.zeros(4)),
    "tensor in a dict in place": lambda m: m.table["a"].fill_(7),
    "item of a list in a dict": lambda m: m.table["n"].__setitem__(0, 4),
    "item of a list in a list": lambda m: m.numbers[1].__setitem__(0, 5.0),
    "set": lambda m: m.kinds.clear(),
    "deque": lambda m: m.last.appendleft(8.0),
    "ordered dict": lambda m: m.ordered.update(x=9.0),
    "attribute of an object": lambda m: setattr(m.settings, "gain", 0.5),
    "item of a dict of an object": lambda m: m.settings.more.update(shift=0.25),
    "slot": lambda m: setattr(m.slotted, "gain", 0.125),
    "another object": lambda m: setattr(m, "settings", SimpleNamespace(gain=1.5, more={"shift": 2.5})),
    "weight of a module in a list": _in_place,
    "function": lambda m: setattr(m, "activation", torch.tanh),
    "what a property reads": lambda m: setattr(m, "_half", 0.75),
    "attribute that hides one of the class": lambda m: setattr(m, "_half", 0.5),
    "hook of a submodule": lambda m: m.layer.register_forward_hook(_halved),
    "hook before a submodule": lambda m: m.dropped.register_forward_pre_hook(_one_more),
    "hook of a container": lambda m: m.around.register_forward_hook(_halved),
    "hook of a layer without attributes": lambda m: m.around[0].register_forward_hook(_halved),
    "another forward of a layer": lambda m: setattr(m.around[0], "forward", torch.tanh),
    "through what was optimized": lambda m: setattr(m, "scale", -1.0),
}


@pytest.fixture(params=["words of memory", "asking"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "asking":
        monkeypatch.setattr(change_words, "dict_tag", lambda: None)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.usefixtures("_way")
def test_a_change_takes_effect(change: str) -> None:
    model = Reading().eval()
    other, x = copy.deepcopy(model), torch.rand(3, 4)
    with torch.no_grad():
        fast = sol.optimize(model, x)
        torch.testing.assert_close(fast(x), other(x))
        before = fast(x)
        CHANGES[change](fast if change.startswith("through") else model)
        CHANGES[change](other)
        for _ in range(2):
            torch.testing.assert_close(fast(x), other(x))
        assert not torch.equal(before, other(x))
    assert len(fast._programs.entries) == 1


@pytest.mark.usefixtures("_way")
def test_what_is_no_change_compiles_nothing() -> None:
    model = Reading().eval()
    x = torch.rand(3, 4)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        fast(x)
        (program,) = fast._programs.entries
        model.unread, model.scale = 5, 2.0
        model.numbers, model.table = [1.0, [2.0]], dict(model.table)
        model.train()
        model.eval()
        fast(x)
        assert fast._programs.entries == (program,)
        model.numbers[1][0] = 4.0  # a list that was put there meanwhile
        other = copy.deepcopy(model)
        torch.testing.assert_close(fast(x), other(x))
    assert fast._programs.entries != (program,)


@pytest.mark.usefixtures("_way")
def test_a_switch_that_goes_to_and_fro() -> None:
    model = Reading().eval()
    other, x = copy.deepcopy(model), torch.rand(3, 4)
    fast = sol.optimize(model, x)
    made = set()
    with torch.no_grad():
        for i in range(12):
            model.flag = other.flag = bool(i % 2)
            if i == 5:
                for m in (model, other):
                    m.layer.weight.mul_(2)
                    m.layer.bias = nn.Parameter(torch.rand(4) if m is model else model.layer.bias.detach().clone())
            torch.testing.assert_close(fast(x), other(x))
            made |= {*map(id, fast._programs.entries)}
    assert len(made) == 2


def test_a_hook_for_a_while() -> None:
    model, x, seen = Reading().eval(), torch.rand(3, 4), []
    fast = sol.optimize(model, x, fallback="eager")
    with torch.no_grad():
        before = fast(x)
        (program,) = fast._programs.entries
        hook = model.layer.register_forward_hook(lambda m, args, result: seen.append(result))
        torch.testing.assert_close(fast(x), before)
        assert len(seen) == 1
        hook.remove()
        torch.testing.assert_close(fast(x), before)
        assert len(seen) == 1 and fast._programs.entries == (program,)
        y = torch.rand(5, 4)
        torch.testing.assert_close(fast(y), model(y))
        assert len(fast._programs.entries) == 2


def test_a_model_that_counts_its_calls_from_some_time_on(caplog: pytest.LogCaptureFixture) -> None:
    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.counts, self.count = nn.Linear(4, 4), False, 0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if self.counts:
                self.count += 1
            return self.layer(x) + self.count

    model = Counting().eval()
    other, x = copy.deepcopy(model), torch.rand(3, 4)
    fast = sol.optimize(model, x, fallback="eager")
    with torch.no_grad():
        for i in range(14):
            model.counts = other.counts = i > 2
            torch.testing.assert_close(fast(x), other(x))
            assert model.count == other.count


def test_a_copy_sees_changes_of_its_own_attributes() -> None:
    model = Reading().eval()
    x = torch.rand(3, 4)
    fast = sol.optimize(model, x)
    twin = copy.deepcopy(fast)
    with torch.no_grad():
        before = fast(x)
        twin.scale = 5.0
        changed = copy.deepcopy(model)
        changed.scale = 5.0
        torch.testing.assert_close(twin(x), changed(x))
        assert torch.equal(fast(x), before)


def test_attributes_that_change_all_the_time(caplog: pytest.LogCaptureFixture) -> None:
    model = Reading().eval()
    other, x = copy.deepcopy(model), torch.rand(3, 4)
    fast = sol.optimize(model, x, fallback="eager")
    with torch.no_grad(), caplog.at_level(logging.WARNING, "sol"):
        for i in range(12):
            model.scale = other.scale = float(i)
            torch.testing.assert_close(fast(x), other(x))
    assert "scale and other attributes of the model keep changing" in caplog.text
    assert not fast._programs.entries and fast._ways.partition is not None


def test_quantized_weights_are_kept_whatever_changes() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.scale = nn.Linear(128, 128), 1.0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(x) * self.scale

    model, x = Scaled().eval(), torch.rand(2, 128)
    with torch.no_grad():
        fast = sol.optimize(model, x, weights="int8")
        once = fast(x)
        for i in range(10):
            model.scale = 1.0 + i
            torch.testing.assert_close(fast(x), once * (1.0 + i))


def test_reading_leaves_classes_as_they_were() -> None:
    class Own(Reading):
        def __getattribute__(self, name: str) -> Any:
            return super().__getattribute__(name)

    for kind in (Reading, Own):
        before = {k: dict(vars(k)) for k in (kind, nn.Linear, nn.Dropout)}
        model, x = kind().eval(), torch.rand(3, 4)
        fast = sol.optimize(model, x)
        assert {k: dict(vars(k)) for k in before} == before
        with torch.no_grad():
            model.scale = 4.0
            torch.testing.assert_close(fast(x), model(x))


def test_reads_of_a_call_that_fails_end_no_program() -> None:
    class Choosing(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.table, self.unknown = nn.Linear(4, 4), {"a": 1.0}, [2.0]

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if x.dim() == 3:
                raise ValueError(f"of three dimensions: {self.unknown}")
            return self.layer(x) * self.table["a"]

    model, x = Choosing().eval(), torch.rand(3, 4)
    fast = sol.optimize(model, x, fallback="eager")
    (program,) = fast._programs.entries
    with torch.no_grad(), pytest.raises(ValueError, match="of three dimensions"):
        fast(torch.rand(2, 3, 4))
    model.train()
    model.eval()
    with torch.no_grad():
        torch.testing.assert_close(fast(x), model(x))
    assert fast._programs.entries == (program,)
