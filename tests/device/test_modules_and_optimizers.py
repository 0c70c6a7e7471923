"""PyTorch's databases of modules and optimizers on the simulated device (tests/device/db_checks.py): what fails is listed and explained."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.device.support import ROOT

FAILURES = {"optimizer SparseAdam": "the device has strided tensors only"}
"""Entries of which samples fail."""
UNTRIED = {
    "module nn_FractionalMaxPool2d": "random samples in float64, which PyTorch refuses on the CPU as well",
    "module nn_FractionalMaxPool3d": "the same",
}


@pytest.mark.conformance
def test_failures_are_those_that_are_listed(built: None, tmp_path):
    file = tmp_path / "rows.json"
    subprocess.run([sys.executable, "-m", "tests.device.db_checks", str(file)], cwd=ROOT, check=True, timeout=1200)
    rows = json.loads(file.read_text())
    assert len(rows) > 120
    failed = {name for name, (passed, tried, _) in rows.items() if passed < tried}
    assert failed == set(FAILURES), {name: rows[name] for name in failed ^ set(FAILURES)}
    assert {name for name, (_, tried, _) in rows.items() if not tried} == set(UNTRIED)
    passed, tried = (sum(row[i] for row in rows.values()) for i in (0, 1))
    assert passed >= 0.95 * tried > 3000
