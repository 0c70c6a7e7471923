"""DLPack, memory shared with the CPU, and the profiler: the checks of tests/device/exchange_checks.py on sol's drivers."""

from __future__ import annotations

import pytest

from tests.device import exchange_checks
from tests.device.support import failures_of

RUNS = {"sim": {}, "host": {"SOL_DRIVER": "host"}, "sim with queues": {"SOL_SIM_LATENCY": "30"}}


@pytest.mark.parametrize("run_of", RUNS)
@pytest.mark.budget(10)
def test_exchange(run_of: str, built: None):
    failures = failures_of(exchange_checks, **RUNS[run_of])
    assert not failures, "\n".join(failures.values())
