"""Tests of the device run in processes of their own, because registering a device changes PyTorch for all of a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Python code in a process in which the device is registered."""
    line = [sys.executable, "-c", f"import torch, sol_autoload; sol_autoload.start()\n{code}"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(line, capture_output=True, text=True, cwd=ROOT, env=variables, timeout=120)


def names_of_checks(module: Any) -> list[str]:
    """Functions of a module of checks."""
    return [name for name in vars(module) if name.startswith("check_")]


def failures_of(module: Any, *names: str, **environment: str) -> dict[str, str]:
    """Run checks of a module in one process: check → traceback, of those that failed. names: default all."""
    line = [sys.executable, "-m", module.__name__, *names]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    found = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, env=variables, timeout=400)
    assert found.returncode == 0, found.stderr[-3000:]
    return json.loads(found.stdout.splitlines()[-1])


def run_checks(functions: Mapping[str, Any]) -> None:
    """What such a process does: prints a line of JSON."""
    import torch

    import sol_autoload

    sol_autoload.start()
    torch.ones(2, requires_grad=True).sum().backward()  # autograd starts its threads before the device is used
    failures = {}
    for name in sys.argv[1:] or [name for name in functions if name.startswith("check_")]:
        try:
            functions[name]()
        except BaseException:
            failures[name] = traceback.format_exc()
    print(json.dumps(failures))
