"""Regions of recorded operations on the device: the checks of tests/device/lazy_checks.py, a process each for sol's drivers."""

from __future__ import annotations

import pytest

from tests.device import lazy_checks
from tests.device.support import failures_of, run

RUNS = {"sim": {}, "host": {"SOL_DRIVER": "host"}, "sim with queues": {"SOL_SIM_LATENCY": "30"}}


@pytest.mark.parametrize("run_of", RUNS)
@pytest.mark.budget(17)
def test_lazy(run_of: str, built: None):
    failures = failures_of(lazy_checks, **RUNS[run_of])
    assert not failures, "\n".join(failures.values())


def test_a_block_needs_the_extension(tmp_path):
    found = run("import sol\nsol.device.lazy()", SOL_CACHE_DIR=str(tmp_path), SOL_DEVICE_NOTE="")
    assert found.returncode == 1 and "run `sol devices build`" in found.stderr
