"""Operations of the device that sol compiles one by one: the checks of tests/device/operation_checks.py, and how they are asked for."""

from __future__ import annotations

import pytest

from tests.device import operation_checks
from tests.device.support import failures_of, names_of_checks, run

ALL = names_of_checks(operation_checks)
QUEUES = ["check_training", "check_launches_are_queued", "check_an_index_that_is_out_of_range"]
RUNS = {"sim": (ALL, {}), "host": (ALL, {"SOL_DRIVER": "host"}), "sim with queues": (QUEUES, {"SOL_SIM_LATENCY": "30"})}


@pytest.mark.parametrize("run_of", RUNS)
@pytest.mark.budget(13)
def test_operations(run_of: str, built: None):
    names, environment = RUNS[run_of]
    failures = failures_of(operation_checks, *names, **environment)
    assert not failures, "\n".join(failures.values())


def test_nothing_is_compiled_unless_asked_for(built: None):
    found = run("x = torch.ones(3, 3).sol()\nfor _ in range(4): x = x @ x\nprint(torch.sol.compiled_operations())", SOL_DEVICE_COMPILE="")
    assert found.stdout.strip() == "{}", found.stderr


def test_what_the_environment_asks_for(built: None):
    code = "x = torch.ones(3, 3).sol()\nfor _ in range(4): y = x @ x + 1\nprint(y.sum().item(), sorted(torch.sol.compiled_operations()))"
    assert run(code, SOL_DEVICE_COMPILE="heavy").stdout.strip() in ("36.0 ['aten::mm.out']", "36.0 []")  # whichever is faster
    assert "add.out" in run(code, SOL_DEVICE_COMPILE="all").stdout


def test_an_environment_that_asks_for_something_else(built: None):
    found = run("torch.ones(3).sol() + 1", SOL_DEVICE_COMPILE="some")
    assert found.returncode == 1 and "SOL_DEVICE_COMPILE is some: it takes off, heavy or all" in found.stderr


def test_where_fallbacks_are_errors_compiled_operations_run(built: None):
    code = "x = torch.ones(3, 3).sol(); y = x @ x + 1; print(y.cpu().sum().item(), torch.sol.fallbacks()); torch.linalg.inv(x)"
    found = run(code, SOL_DEVICE_COMPILE="all", SOL_DEVICE_FALLBACK="error")
    assert found.stdout.strip() == "36.0 {}" and found.returncode == 1 and "SOL_DEVICE_FALLBACK=error" in found.stderr, found.stderr


def test_a_device_that_runs_no_programs_of_the_host(built: None, tmp_path):
    from sol.device.build import build_device
    from sol.device.drivers import DRIVERS

    source = tmp_path / "unseen.c"
    source.write_text((DRIVERS / "example.c").read_text().replace("SOL_PROGRAM_HOST_LIBRARY", "SOL_PROGRAM_OPENCL_C"))
    library = str(build_device(str(source))[1])
    build_device()
    code = "x = torch.ones(3, 3).sol()\nfor _ in range(4): y = x @ x + 1\nprint(y.sum().item(), torch.sol.compiled_operations())"
    found = run(code, SOL_DRIVER=library, SOL_DEVICE_COMPILE="all")
    assert found.stdout.strip() == "36.0 {}", found.stderr
