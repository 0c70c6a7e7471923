"""PyTorch's operator database on the simulated device (tests/device/op_db_checks.py): what fails is listed with its reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.device.support import ROOT

FAILURES = {
    "to_sparse": "the device has strided tensors only",
    "tensor_split": "PyTorch wants indices on the CPU for every device, and the samples have them on the device",
}
"""Entries that fail, forward and backward."""


@pytest.fixture(scope="module")
def rows(built: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    folder = tmp_path_factory.mktemp("op_db")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    files = [folder / f"{first}.jsonl" for first in range(2)]
    for _ in range(5):  # a process that ends early is started again
        lines = [[sys.executable, "-m", "tests.device.op_db_checks", str(first), "2", str(file)] for first, file in enumerate(files)]
        processes = [subprocess.Popen(line, env=environment, cwd=ROOT, stderr=subprocess.DEVNULL) for line in lines]
        if not any([process.wait(1200) for process in processes]):
            break
    found = [json.loads(line) for file in files for line in Path(file).read_text().splitlines()]
    output = ROOT / "build" / "device_op_db.jsonl"
    output.parent.mkdir(exist_ok=True)
    output.write_text("".join(json.dumps(row) + "\n" for row in found if "begun" not in row))
    return {row["name"]: row for row in found if "begun" not in row}


@pytest.mark.conformance
def test_failures_are_those_that_are_listed(rows: dict[str, dict]):
    assert len(rows) > 600
    failed = {name for name, row in rows.items() if row["forward"][0] < row["forward"][1] or row["backward"][0] < row["backward"][1]}
    assert failed == set(FAILURES), {name: rows[name] for name in failed ^ set(FAILURES)}


@pytest.mark.conformance
@pytest.mark.parametrize("form, share", [("forward", 0.95), ("backward", 0.9)])
def test_share_of_samples_that_pass(form: str, share: float, rows: dict[str, dict]):
    passed, tried = (sum(row[form][i] for row in rows.values()) for i in (0, 1))
    assert passed >= share * tried > 5000, f"{passed} of {tried}"
