"""The examples of training run as they are called in the docs, and learn what they say."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOSSES = re.compile(r"^(eager|sol) +loss ([\d.]+) to ([\d.]+)", re.MULTILINE)


def run(*command: str) -> str:
    """What a program of the folder examples prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=ROOT, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def losses(printed: str) -> dict[str, tuple[float, float]]:
    """eager, sol → its first and its last loss."""
    return {name: (float(first), float(last)) for name, first, last in LOSSES.findall(printed)}


def test_digits() -> None:
    pytest.importorskip("sklearn")
    printed = run("examples/train_digits.py")
    found = losses(printed)
    assert found["sol"][0] == pytest.approx(found["eager"][0], rel=1e-3) and found["sol"][1] < 0.2
    accuracies = [float(percent) for percent in re.findall(r"([\d.]+)%", printed)]
    assert len(accuracies) == 2 and min(accuracies) > 97


def test_a_language_model() -> None:
    printed = run("examples/train_transformer.py", "60")
    found = losses(printed)
    assert found["sol"] == pytest.approx(found["eager"], rel=1e-2) and found["sol"][1] < found["sol"][0] / 2


@pytest.mark.conformance
def test_fine_tuning() -> None:
    printed = run("examples/finetune.py")
    found = losses(printed)
    assert found["sol"] == pytest.approx(found["eager"], rel=5e-2)
    assert "changed: fc, layer4; 45 frozen parameters, 0 of them with a gradient" in printed


def test_a_layer_in_c() -> None:
    printed = run("examples/custom_layer.py")
    first, last = (float(loss) for loss in re.findall(r"loss ([\d.]+)", printed))
    assert last < first / 10 and "custom_softsign" in printed and "libProduct.so" in printed


@pytest.mark.conformance
def test_memory_budget(tmp_path: Path) -> None:
    plot = tmp_path / "budget.png"
    printed = run("examples/memory_budget.py", str(plot))
    kept = {name: float(mb) for name, mb in re.findall(r"^(eager|[\d.]+) +([\d.]+) +[\d.]+$", printed, re.MULTILINE)}
    assert list(kept) == ["eager", "1", "0.75", "0.5", "0.25", "0"]
    ours = list(kept.values())[1:]
    assert ours == sorted(ours, reverse=True) and kept["0"] < 0.6 * kept["eager"]
    assert plot.exists() == (importlib.util.find_spec("matplotlib") is not None)


def test_training_in_c() -> None:
    pytest.importorskip("sklearn")
    printed = run("examples/train_in_c.py")
    (accuracy,) = re.findall(r"([\d.]+)%", printed)
    assert float(accuracy) > 97


def test_two_processes() -> None:
    printed = run("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "examples/train_ddp.py")
    assert printed.count("the same parameters as process 0") == 2
    found = [float(loss) for loss in re.findall(r"loss ([\d.]+)", printed)]
    assert found[-1] < found[0]
