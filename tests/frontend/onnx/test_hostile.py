"""Mutated models end in a result or a SolError, in bounded time and memory, and never in a crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def run_worker(first: int, last: int) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.frontend.onnx.hostile_worker", str(first), str(last)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60 + 10 * (last - first))
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"crashed (exit {done.returncode}) after {lines[-1:]}\n{done.stderr[-2000:]}"
    ended = [line for line in lines if not line.endswith("begins")]
    assert len(ended) == last - first
    wrong = [line for line in ended if line.split()[1] not in ("result", "result:", "error")]
    assert not wrong, "\n".join(wrong)
    assert sum(" error " in line for line in ended) >= (last - first) // 3  # the mutator does damage


def test_60_mutated_models() -> None:
    run_worker(0, 60)


@pytest.mark.conformance
@pytest.mark.parametrize("first", range(60, 260, 50))
def test_200_more(first: int) -> None:
    run_worker(first, first + 50)
