"""The sweep itself: what it calls wrong, what becomes of models that fail, hang or kill their process, and that it can be stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import sol
from tests.conformance import odd_networks, sweep_models, sweep_transformers
from tests.conformance.sweep import Kind, Sweep, read_rows
from tests.conformance.sweep_step import step_trial
from tests.conformance.sweep_table import summary, table
from tests.conformance.sweep_trial import Inputs, Make, Reference, judge, leaves, trial

ROOT = Path(__file__).parents[2]
ONE, SMALL = torch.ones(4), 1e-6


@dataclass
class Pair:
    """A result as a data class."""

    a: Any
    b: Any = None


# (sol's result, torch's, torch's in float64, torch's with disturbed parameters) → what the verdict begins with
VERDICTS: dict[str, tuple[Any, Any, Any, Any, str]] = {
    "same": (ONE, ONE, ONE.double(), None, ""),
    "rounding": (ONE + SMALL, ONE, ONE.double(), None, ""),
    "off": (ONE * 1.001, ONE, ONE.double(), None, "result: off by 0.001"),
    "torch is off as well": (ONE * 1.001, ONE, ONE.double() * 1.0009, None, ""),
    "rounding carries far": (ONE * 1.001, ONE, None, ONE * 1.0005, ""),
    "not a number": (ONE * float("nan"), ONE, ONE.double(), None, "result: 4 of 4 elements are not finite"),
    "more of them": (torch.full((8,), float("nan")), torch.tensor([1.0, 2, 3, 4, 5, 6, 7, float("inf")]), torch.ones(8).double(), None,
                     "result: 8 of 8 elements are not finite"),
    "no float64": (ONE * 1.001, ONE, ONE.double() * float("nan"), None, "result: off by 0.001"),
    "nothing": ([], [], None, None, "the result holds nothing"),
    "infinite in both": (ONE / 0, ONE / 0, ONE.double() / 0, None, ""),
    "shape": (ONE[None], ONE, None, None, "result: torch.float32[1, 4]"),
    "type": (ONE.double(), ONE, None, None, "result: torch.float64"),
    "integers": (ONE.int() + 1, ONE.int(), ONE.int(), None, "result: 4 of 4 elements differ"),
    "a place that rounding decides": (torch.tensor([1, 2]), torch.tensor([1, 3]), torch.tensor([1, 4]), None, ""),
    "tuple for list": ((ONE,), [ONE], None, None, "result[0] in ('tuple',)"),
    "dict for OrderedDict": ({"a": ONE}, OrderedDict(a=ONE), None, None, "result['a'] in ('dict',)"),
    "key": ({"b": ONE}, {"a": ONE}, None, None, "result['b']"),
    "fewer": ([ONE], [ONE, ONE], None, None, "1 values"),
    "data class": (Pair(ONE, ONE * 2), Pair(ONE, ONE), None, None, "result.b: off by 1"),
    "None": (Pair(ONE, ONE), Pair(ONE), None, None, "result.b: tensor"),
    "number": (3, 3.0, None, None, "result: 3 instead of 3.0"),
    "bfloat16": (ONE.bfloat16() * 1.01, ONE.bfloat16(), ONE.double(), None, ""),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict(name: str) -> None:
    ours, theirs, exact, disturbed, expected = VERDICTS[name]
    others = [] if disturbed is None else [leaves(disturbed)]
    text, _, _ = judge(leaves(ours), leaves(theirs), None if exact is None else leaves(exact), others)
    assert text.startswith(expected) and bool(text) == bool(expected)


# -- processes ---------------------------------------------------------------------------------------------------------


class Acting(nn.Module):
    """Does something to its process when it is called often enough."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what, self.linear = what, nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.what == "raises":
            raise ValueError("never runs")
        if self.what == "hangs":
            time.sleep(60)
        if self.what == "dies in sol" and torch.compiler.is_compiling():
            os.kill(os.getpid(), signal.SIGKILL)
        if self.what == "takes memory":
            return x + torch.zeros(2**33)[0]
        return self.linear(x)


def acting(what: str) -> Make:
    return lambda: (Acting(what), (torch.ones(2, 4),))


EXPECTED = {
    "runs": ("ok", ""),
    "raises": ("eager fails", "ValueError: never runs"),
    "hangs": ("eager fails", "longer than 2 s"),
    "dies in sol": ("exception", "the process died"),
    "takes memory": ("eager fails", "RuntimeError"),
    "also runs": ("ok", ""),
}
"""Models in order, of which two are enough that run in torch beside the one that dies."""


def sweep_twice(path: Path) -> None:
    """In a process without threads: all, then again, which finds nothing to do, then what was an exception."""
    kind = Kind("acting", lambda: [*EXPECTED, "never reached"], acting, 3)
    Sweep(path, seconds=2).run(kind, ["hangs"])
    for again in ("nothing", "nothing", "exception"):
        Sweep(path, jobs=2, gib=8).run(kind, kind.names(), lambda row: row["outcome"] == again)  # noqa: B023  (called at once)
        print(len(path.read_text().splitlines()))


def test_every_end_is_a_row_and_no_model_is_tried_twice(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    line = f"from pathlib import Path; from tests.conformance.test_sweep import sweep_twice; sweep_twice(Path({str(path)!r}))"
    env = {**os.environ, "SOL_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", line], cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line.isdigit()] == ["6", "6", "7"]
    with path.open("a") as file:
        file.write('{"kind": "acting", "name": "cut o')
    rows = read_rows(path)
    assert {name: r["outcome"] for (_, name), r in rows.items()} == {name: outcome for name, (outcome, _) in EXPECTED.items()}
    assert all(rows["acting", name]["text"].startswith(text) for name, (_, text) in EXPECTED.items())
    assert summary(rows).splitlines()[1].split()[:7] == ["acting", "3", "2", "0", "0", "0", "1"]
    assert "| acting: dies in sol | the process died |" in table(rows, 1)


# -- training steps ----------------------------------------------------------------------------------------------------


class Small(nn.Module):
    """A normalisation, which one image alone would not train, and dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.norm, self.drop, self.out = nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Dropout(0.5), nn.Linear(5, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.drop(self.norm(self.layer(x))))


STEPS: dict[str, tuple[Make, str, str]] = {
    "small": (lambda: (Small(), (torch.rand(1, 4),)), "ok", "whole"),
    "no parameters": (odd_networks.NETWORKS["losses"], "ok", "whole"),
    "a result of a class": (odd_networks.NETWORKS["result_of_a_class"], "ok", "whole"),
    "no gradient": (odd_networks.NETWORKS["histogram"], "eager fails", ""),
}
"""Model → its outcome and how much of the step is compiled."""


@pytest.mark.parametrize("name", STEPS)
def test_a_step(name: str) -> None:
    make, outcome, how = STEPS[name]
    row = step_trial(make, lambda row: None)
    assert (row["outcome"], row.get("how", "")) == (outcome, how), row


@pytest.mark.parametrize("what", ["wrong", "missing", "buffer"])
def test_a_wrong_step_is_found(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gradient that is a little off, one that is missing, a buffer that stays."""

    def spoiled(model: Small, *_: Any, **__: Any) -> nn.Module:
        if what == "buffer":
            model.norm.momentum = 0.0
        else:
            model.out.weight.register_post_accumulate_grad_hook(spoil)
        return model

    def spoil(weight: torch.Tensor) -> None:
        weight.grad = None if what == "missing" else weight.grad * 1.001  # type: ignore[operator]

    monkeypatch.setattr(sol, "optimize", spoiled)
    row = step_trial(STEPS["small"][0], lambda row: None)
    beginning = {"wrong": "gradient of result['out.weight']: off by", "missing": "gradient of result['out.weight']: a NoneType",
                 "buffer": "result['buffers']['norm.running_mean']: off by"}  # fmt: skip
    assert row["outcome"] == "wrong" and row["text"].startswith(beginning[what]), row


# -- models ------------------------------------------------------------------------------------------------------------

SAMPLE = ("gates_of_channels", "causal_attention", "nested_results", "sizes_by_data", "best_path")


@pytest.mark.parametrize("name", [n if n in SAMPLE else pytest.param(n, marks=pytest.mark.conformance) for n in odd_networks.NETWORKS])
def test_odd_network(name: str) -> None:
    row = trial(odd_networks.NETWORKS[name], lambda row: None)
    assert row["outcome"] == "ok", row


def test_there_are_enough_odd_networks() -> None:
    assert len(odd_networks.NETWORKS) >= 150


def _of_libraries() -> dict[str, Make]:
    timm, torchvision, transformers = sweep_models.timm_maker, sweep_models.torchvision_maker, sweep_transformers.maker
    return {"ghostnet": timm("ghostnet"), "raft": torchvision("raft_small"), "bert": transformers("bert"), "t5": transformers("t5")}


@pytest.mark.parametrize("name", ["bert", "t5", *(pytest.param(n, marks=pytest.mark.conformance) for n in ("ghostnet", "raft"))])
def test_models_of_libraries_are_built_with_inputs_that_fit(name: str) -> None:
    model, inputs = _of_libraries()[name]()
    assert _count(model) < 20e6 and inputs
    assert Reference(lambda: (model, inputs)).result


def _count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


def test_models_are_the_same_each_time() -> None:
    def tensors(value: tuple[nn.Module, Inputs]) -> list[torch.Tensor]:
        model, inputs = value
        return [*model.parameters(), *inputs]  # type: ignore[list-item]

    make = odd_networks.NETWORKS["causal_attention"]
    reference = Reference(make)
    assert all(torch.equal(a, b) for a, b in zip(tensors(reference.build()), tensors(reference.build())))
