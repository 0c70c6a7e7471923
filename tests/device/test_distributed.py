"""torch.distributed on the device: two processes, one device each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.device import distributed_checks
from tests.device.support import ROOT, names_of_checks


@pytest.mark.parametrize("name", names_of_checks(distributed_checks))
def test_two_processes(name: str, built: None, tmp_path: Path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    lines = [[sys.executable, "-m", distributed_checks.__name__, str(rank), str(tmp_path / "store"), name] for rank in range(2)]
    processes = [subprocess.Popen(line, env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True) for line in lines]
    errors = [process.communicate(timeout=200)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], "\n".join(errors)[-4000:]
