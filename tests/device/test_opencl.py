"""torch.device("sol") on devices of OpenCL: the driver, isolation of memory, faults. Skipped where no OpenCL is installed."""

from __future__ import annotations

import ctypes
import os
import signal

import pytest

from tests.device import checks, network_checks, opencl_checks, opencl_kernel_checks, opencl_network_checks
from tests.device.support import failures_of, names_of_checks, run

OPENCL = {"SOL_DRIVER": "opencl", "SOL_OPENCL_MEMORY": str(1 << 30), "POCL_DEVICES": "pthread pthread"}
"""Devices that PoCL makes of the CPU, two of them, if the platform is PoCL's."""


def platforms() -> int:
    """How many there are."""
    count = ctypes.c_uint32(0)
    try:
        ctypes.CDLL("libOpenCL.so.1").clGetPlatformIDs(0, None, ctypes.byref(count))
    except OSError:
        return 0
    return count.value


@pytest.fixture(scope="module")
def platform() -> None:
    """Before the extension is built, which takes long."""
    if not platforms():
        pytest.skip("no platform of OpenCL is installed: apt-get install pocl-opencl-icd ocl-icd-libopencl1")


@pytest.fixture(scope="module")
def opencl(platform: None, built: None) -> None:
    """The driver, built for this process and those that it starts."""
    from sol.device.build import build_device

    build_device("opencl")


@pytest.fixture(scope="module")
def failures(opencl: None) -> dict[str, str]:
    return failures_of(checks, **OPENCL) | failures_of(opencl_checks, **OPENCL)


@pytest.mark.parametrize("name", [*names_of_checks(checks), *names_of_checks(opencl_checks)])
def test_device(name: str, failures: dict[str, str]):
    assert name not in failures, failures[name]


LONG = ("check_resnet50", "check_mobilenet_v2", "check_densenet121", "check_gpt2")
"""Networks whose kernels a first run compiles for long; `make test` has one of each kind without them."""
USUAL = [name for name in names_of_checks(opencl_network_checks) if name not in LONG]


@pytest.fixture(scope="module")
def failures_of_networks(opencl: None) -> dict[str, str]:
    return failures_of(network_checks, **OPENCL) | failures_of(opencl_network_checks, *USUAL, **OPENCL)


@pytest.mark.parametrize("name", [*names_of_checks(network_checks), *USUAL])
def test_network(name: str, failures_of_networks: dict[str, str]):
    assert name not in failures_of_networks, failures_of_networks[name]


@pytest.mark.conformance
@pytest.mark.parametrize("name", LONG)
def test_a_large_network(name: str, opencl: None):
    assert failures_of(opencl_network_checks, name, **OPENCL) == {}


@pytest.mark.parametrize("name", ["check_products", "check_reductions", "check_moves", "check_indices_out_of_range"])
def test_kernels(name: str, opencl: None):
    assert failures_of(opencl_kernel_checks, name, **OPENCL) == {}


@pytest.mark.conformance
@pytest.mark.parametrize("name", [n for n in names_of_checks(opencl_kernel_checks) if n not in ("check_products", "check_reductions")])
def test_all_kernels(name: str, opencl: None):
    assert failures_of(opencl_kernel_checks, name, **OPENCL) == {}


def test_the_host_cannot_read_memory_of_the_device(opencl: None):
    code = "import ctypes; x = torch.ones(4, device='sol'); print(x.sum().item(), flush=True); ctypes.string_at(x.data_ptr(), 4)"
    found = run(code, **OPENCL)
    assert found.returncode == -signal.SIGSEGV and found.stdout.strip() == "4.0"


@pytest.mark.parametrize("variable, value, message", [
    ("OCL_ICD_VENDORS", os.devnull, "no platform of OpenCL has a device"),
    ("SOL_OPENCL_TYPE", "tpu", "SOL_OPENCL_TYPE is cpu, gpu or accelerator"),
])  # fmt: skip
def test_a_driver_that_does_not_start(variable: str, value: str, message: str, opencl: None):
    found = run("torch.ones(3).sol()", **{**OPENCL, variable: value})
    assert found.returncode == 1 and "does not start" in found.stderr and message in found.stderr


def test_a_mapping_of_gpus(opencl: None):
    code = "import sol; sol.device.set_mapping('gpu'); print([torch.sol.get_device_properties(0).flags & 4])"
    found = run(code)
    assert found.stdout.strip() == "[4]" or "no platform of OpenCL has a device" in found.stderr, found.stderr


def test_a_forked_process_says_why_it_cannot_use_the_device(opencl: None):
    code = (
        "import os; x = torch.ones(3).sol()\npid = os.fork()\n"
        "if pid == 0:\n"
        "    try: torch.ones(3).sol()\n"
        "    except RuntimeError as error: os._exit(0 if 'spawn' in str(error) else 2)\n"
        "    os._exit(3)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), (x + 1).sum().item())"
    )
    assert run(code, **OPENCL).stdout.split() == ["0", "6.0"]
