"""Deployed libraries are opened, closed, forked and starved of threads, and their results stay what they are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sol
from sol.deploy.api import Deployed, deploy
from tests.deploy.support import WARNINGS, close, expected, small

PROGRAM = Path(__file__).parent / "lifecycle.c"
NAME = "convolutional"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    return deploy(small(NAME)[0], lib_name="Net", path=tmp_path_factory.mktemp("lifecycle"), version=sol.__version__)


@pytest.fixture(scope="module")
def program(network: Deployed) -> Path:
    made = network.path / "lifecycle"
    (wanted,) = expected(NAME)
    options = [f'-DNETWORK="{network.library}"', f"-DRESULTS={wanted.size}"]
    libraries = ["-fopenmp", "-lm", "-ldl", "-pthread"]
    subprocess.run(["gcc", "-std=gnu11", "-O1", *WARNINGS, *options, str(PROGRAM), *libraries, "-o", str(made)], check=True)
    return made


@pytest.mark.parametrize("action,times", [
    ("once", 1), ("rounds", 1000), ("forks", 10), ("closed", 8), ("exec", 1), ("alone", 3), ("teams", 12),
    ("regions", 200),
])  # fmt: skip
def test_lifecycle(program: Path, action: str, times: int) -> None:
    """A thousand times open, call and close leave no thread and no memory; children, grandchildren and the parent go on after a fork."""
    lives(program, action, times)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system keeps no process to one core")
@pytest.mark.parametrize("action,times", [("rounds", 100), ("forks", 3)])
def test_lifecycle_on_one_core(program: Path, action: str, times: int) -> None:
    lives(program, action, times, preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))


def lives(program: Path, action: str, times: int, **options: Any) -> None:
    """The program ends well, with the results of the network."""
    _, inputs = small(NAME)
    operand = program.parent / "operand"
    operand.write_bytes(np.ascontiguousarray(inputs[0]).tobytes())
    with operand.open("rb") as file:
        done = subprocess.run([str(program), action, str(times)], stdin=file, capture_output=True, env={}, timeout=280, **options)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr.decode(errors='replace')[:3000]}"
    (wanted,) = expected(NAME)
    close([np.frombuffer(done.stdout, np.float32).reshape(wanted.shape)], [wanted])
