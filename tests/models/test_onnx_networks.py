"""Every network of the list exported to ONNX: torch's result, and no more launches and time than the network imported from torch."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import sol
from sol.inspect.verification import relative_error
from tests.models.exported import export
from tests.models.networks import NETWORKS, build

TOLERANCE = 1e-4
SLOWER = 1.05
QUICK = ("logreg", "linreg", "lstm", "gru", "squeezenet1_1")
TRANSFORMERS = ("bert", "bert_torch", "gpt2")


def prepared(name: str, folder: Path) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...], sol.runtime.numpy.session.Session]:
    """A network, inputs, and its export loaded on one thread."""
    model, inputs = build(name)
    torch.manual_seed(1)
    x = inputs(1)
    export(model, x, folder / "network.onnx")
    return model, x, sol.load(folder / "network.onnx", threads=1)


def launches(executables: list) -> int:
    return sum(len(e.plan.launches) for e in executables)


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.conformance) for n in NETWORKS])
def test_equals_torch_and_fuses_as_well(name: str, tmp_path: Path) -> None:
    model, x, session = prepared(name, tmp_path)
    arrays = [t.numpy() for t in x]
    with torch.no_grad():
        expected = model(*x).numpy()
    assert relative_error(session(*arrays), expected) <= TOLERANCE
    fast = sol.optimize(model, x, threads=1)
    theirs = launches(fast.compile_for(x, {}).runner.executables)
    assert launches([session.prepared(arrays).executable]) <= theirs


@pytest.mark.conformance
@pytest.mark.parametrize("name", NETWORKS)
def test_is_as_fast(name: str, tmp_path: Path) -> None:
    model, x, session = prepared(name, tmp_path)
    arrays = [t.numpy() for t in x]
    fast = sol.optimize(model, x, threads=1)
    with torch.no_grad():
        ratio = min(_ratio(lambda: session(*arrays), lambda: fast(*x)) for _ in range(3))
    assert ratio <= SLOWER, f"{name} from ONNX takes {ratio:.3f} of the time"


def _ratio(ours: Callable[[], object], theirs: Callable[[], object]) -> float:
    """Shortest times over rounds in which both take turns."""
    times = np.full((2, 7), np.inf)
    count = max(1, int(0.05 / _seconds(ours, 1)))
    for i in range(7):
        times[0, i], times[1, i] = _seconds(ours, count), _seconds(theirs, count)
    return float(times[0].min() / times[1].min())


def _seconds(call: Callable[[], object], count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - start) / count
