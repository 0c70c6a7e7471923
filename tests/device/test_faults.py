"""Faults of the simulated device: the checks of tests/device/fault_checks.py."""

from __future__ import annotations

import pytest

from tests.device import fault_checks
from tests.device.support import failures_of, names_of_checks, run


@pytest.fixture(scope="module")
def failures(built: None) -> dict[str, str]:
    return failures_of(fault_checks)


@pytest.mark.parametrize("name", names_of_checks(fault_checks))
def test_fault(name: str, failures: dict[str, str]):
    assert name not in failures, failures[name]


def test_faults_that_the_environment_asks_for(built: None):
    found = run("x = torch.ones(3).sol()\ntry: x.cpu()\nexcept RuntimeError as e: print(e)\nprint(x.sum().item())", SOL_SIM_FAULTS="copy:2")
    assert "a fault that was asked for" in found.stdout and found.stdout.endswith("3.0\n"), found.stderr[-2000:]
