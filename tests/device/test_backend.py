"""torch.device("sol") on sol's drivers: the checks of tests/device/checks.py, autoload, isolation of memory, forks, missing parts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.device import checks
from tests.device.support import ROOT, failures_of, names_of_checks, run

RUNS = {
    "sim": (names_of_checks(checks), {}),
    "host": (names_of_checks(checks), {"SOL_DRIVER": "host"}),
    "sim with queues": (
        ["check_streams_and_events", "check_copies_that_are_queued", "check_pinned_memory", "check_storage_and_views", "check_training"],
        {"SOL_SIM_LATENCY": "30"},
    ),
    "example": (["check_module", "check_streams_and_events", "check_storage_and_views", "check_training"], {}),
    "device that the host does not see": (
        ["check_storage_and_views", "check_random_numbers", "check_complex_numbers", "check_recurrent_and_attention", "check_training",
         "check_running_statistics"], {},
    ),
}


@pytest.fixture(scope="module")
def failures(built: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Run → what failed in it."""
    from sol.device.build import build_device
    from sol.device.drivers import DRIVERS

    unseen = tmp_path_factory.mktemp("driver") / "unseen.c"
    unseen.write_text((DRIVERS / "example.c").read_text().replace("SOL_PROGRAM_HOST_LIBRARY", "SOL_PROGRAM_OPENCL_C"))
    paths = {"example": str(build_device("example")[1]), "device that the host does not see": str(build_device(str(unseen))[1])}
    build_device()
    found = {}
    for name, (names, environment) in RUNS.items():
        path = {"SOL_DRIVER": paths[name]} if name in paths else {}
        found[name] = failures_of(checks, *names, **{**environment, **path})
    return found


@pytest.mark.parametrize("name, run_of", [(name, run_of) for run_of, (names, _) in RUNS.items() for name in names])
@pytest.mark.budget(20)
def test_device(name: str, run_of: str, failures: dict[str, dict[str, str]]):
    assert name not in failures[run_of], failures[run_of][name]


def test_the_host_cannot_read_memory_of_the_device(built: None):
    found = run("import ctypes; x = torch.ones(4, device='sol'); print(x.sum().item(), flush=True); ctypes.string_at(x.data_ptr(), 4)")
    assert found.returncode == -signal.SIGSEGV and found.stdout.strip() == "4.0"


def test_torch_alone_finds_the_device(built: None, tmp_path: Path):
    record = tmp_path / "sol_device_test-1.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: sol-device-test\nVersion: 1\n")
    (record / "entry_points.txt").write_text("[torch.backends]\nsol = sol_autoload:start\n")
    code = "import sys, torch; assert 'sol' not in sys.modules; print(torch.ones(3, device='sol').sum().item(), torch.sol.device_count())"
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}", "TORCH_DEVICE_BACKEND_AUTOLOAD": "1"}
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=120)
    assert found.stdout.split() == ["3.0", "2"], found.stderr[-2000:]


@pytest.mark.parametrize("use", [
    "torch.accelerator.device_count()", "torch.Generator('sol').manual_seed(3).initial_seed() - 1", "torch.rand(3).pin_memory().dim() + 1",
    "torch.load(file, map_location='sol:0').device.index + 2", "torch.UntypedStorage(2, device='sol').nbytes()", "torch.sol.device_count()",
])  # fmt: skip
def test_whatever_comes_first_finds_the_device(use: str, built: None):
    file = "import io; file = io.BytesIO(); torch.save(torch.ones(2), file); file.seek(0)"
    code = f"{file}\nprint(int({use}), (torch.ones(3).sol() * 2).sum().item())"
    found = run(code)
    assert found.stdout.split() == ["2", "6.0"], found.stderr[-2000:]


def test_importing_torch_loads_no_operations(built: None):
    loaded = "{line.split('/')[-1].split('-')[0] for line in open('/proc/self/maps')}"
    found = run(f"import sys; print({loaded}); print('sol' in sys.modules, 'torch' in sys.modules)")
    assert "start" in found.stdout and "operations" not in found.stdout and found.stdout.splitlines()[1] == "False True", found.stderr


def test_what_is_not_built_says_what_to_run(tmp_path: Path):
    found = run("assert not torch.sol.is_available()\ntorch.sol.synchronize()", SOL_CACHE_DIR=str(tmp_path), SOL_DEVICE_NOTE="")
    assert found.returncode == 1 and "run `sol devices build`" in found.stderr


@pytest.mark.parametrize("environment", [{"SOL_DEVICE_NOTE": os.devnull}, {"SOL_DRIVER": "none.so"}], ids=["not built", "no driver"])
def test_programs_without_a_device_run_as_before(built: None, environment: dict[str, str]):
    """PyTorch asks for the accelerator where a program names none."""
    code = (
        "with torch.random.fork_rng(): torch.manual_seed(3)\n"
        "with torch.random.fork_rng(device_type='cuda'): torch.manual_seed(3)\n"
        "print(torch.accelerator.is_available(), torch.nn.DataParallel(torch.nn.Linear(2, 3))(torch.ones(1, 2)).shape[1])\n"
        "print(torch.sol.device_count(), torch.rand(3).pin_memory().dim() if torch.accelerator.is_available() else 1)"
    )
    found = run(code, **environment)
    assert found.stdout.split() == ["False", "3", "0", "1"], found.stderr


def test_where_nothing_is_built_there_is_no_accelerator():
    found = run("print(torch.accelerator.current_accelerator(), hasattr(torch.Tensor, 'sol'))", SOL_DEVICE_NOTE=os.devnull)
    assert found.stdout.split() == ["None", "False"], found.stderr


def test_a_library_that_others_can_change_is_not_loaded(built: None, tmp_path: Path):
    import torch

    from sol_autoload import note_of

    paths = Path(note_of(torch.__version__)).read_text()
    (tmp_path / "device").mkdir(mode=0o700)
    note = tmp_path / "device" / f"torch-{torch.__version__}"
    note.write_text(paths)
    note.chmod(0o666)
    assert "not built" in run("torch.sol.init()", SOL_CACHE_DIR=str(tmp_path), SOL_DEVICE_NOTE="").stderr


def test_a_driver_that_does_not_load(built: None, tmp_path: Path):
    found = run("assert not torch.sol.is_available()\ntorch.ones(3).to('sol')", SOL_DRIVER=str(tmp_path / "none.so"))
    assert found.returncode == 1 and "the driver of device sol cannot be loaded" in found.stderr and "none.so" in found.stderr


def test_fallback_can_be_an_error(built: None):
    found = run("x = torch.ones(2, 2).sol(); x @ x", SOL_DEVICE_FALLBACK="error")
    assert found.returncode == 1 and "SOL_DEVICE_FALLBACK=error" in found.stderr and "aten::mm" in found.stderr


def test_a_forked_process_says_why_it_cannot_use_the_device(built: None):
    code = (
        "import os; x = torch.ones(3).sol()\npid = os.fork()\n"
        "if pid == 0:\n"
        "    try: torch.ones(3).sol()\n"
        "    except RuntimeError as error: os._exit(0 if 'spawn' in str(error) else 2)\n"
        "    os._exit(3)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), (x + 1).sum().item())"
    )
    assert run(code).stdout.split() == ["0", "6.0"]


def test_a_process_ends_well_right_after_a_backward_pass(built: None):
    code = "w = torch.ones(3, device='sol:1', requires_grad=True); w.sum().backward()"
    assert [run(code).returncode for _ in range(3)] == [0, 0, 0]


def test_an_unknown_driver_is_an_error():
    from sol.device.build import build_device
    from sol.errors import ConfigError

    with pytest.raises(ConfigError, match="no driver 'nothing'"):
        build_device("nothing")


def test_the_cpu_as_a_device(built: None):
    code = (
        "import sol; sol.device.set_mapping('cpu'); x = torch.ones(3).sol()\n"
        "print(torch.sol.device_count(), torch.sol.get_device_name(), x.sum().item())\n"
        "try: sol.device.set_mapping('auto')\n"
        "except sol.SolError as error: print(error)\n"
    )
    lines = run(code).stdout.splitlines()
    assert lines[0] == "1 CPU of the host 3.0" and "in use" in lines[1]


def test_a_mapping_that_is_not_there():
    from sol import device
    from sol.errors import SolError

    with pytest.raises(SolError, match="no mapping 'tpu'"):
        device.set_mapping("tpu")


def test_gpus_need_the_driver_of_opencl(built: None):
    found = run("import sol; sol.device.set_mapping('gpu')")
    assert found.returncode == 1 and "run `sol devices build --driver opencl`" in found.stderr


@pytest.mark.parametrize("variable, value, message", [
    ("SOL_SIM_FAULTS", "melt:1", "SOL_SIM_FAULTS is a list"), ("SOL_SIM_MEMORY", "100", "a multiple of 4096"),
])  # fmt: skip
def test_settings_of_the_simulated_device_that_make_no_sense(variable: str, value: str, message: str, built: None):
    found = run("torch.ones(3).sol()", **{variable: value})
    assert found.returncode == 1 and "does not start" in found.stderr and message in found.stderr


def test_how_many_devices_are_simulated_and_how_large(built: None):
    found = run("print(torch.sol.device_count(), torch.sol.mem_get_info(2))", SOL_SIM_DEVICES="3", SOL_SIM_MEMORY="8192")
    assert found.stdout.strip() == "3 (8192, 8192)", found.stderr[-2000:]


def test_a_network_on_a_device_of_programs_that_nobody_writes(failures: dict[str, dict[str, str]], tmp_path: Path):
    from sol.device.build import build_device
    from sol.device.drivers import DRIVERS

    source = tmp_path / "unseen.c"
    source.write_text((DRIVERS / "example.c").read_text().replace("SOL_PROGRAM_HOST_LIBRARY", "99"))
    library = str(build_device(str(source))[1])
    build_device()
    found = run("import sol; sol.optimize(torch.nn.Linear(2, 2).eval(), torch.rand(1, 2)).sol()", SOL_DRIVER=library)
    assert found.returncode == 1 and "compiled networks need a device that runs programs of the host" in found.stderr


def test_without_opencl_the_driver_says_what_to_install(built: None, tmp_path: Path):
    from sol.device.build import build_device
    from sol.device.drivers import DRIVERS

    source = tmp_path / "absent.c"
    text = (DRIVERS / "opencl.c").read_text()
    source.write_text(text.replace('dlopen("libOpenCL.so.1"', 'dlopen("libOpenCL-absent.so.1"'))
    (tmp_path / "common.h").write_text((DRIVERS / "common.h").read_text())
    found = run("torch.ones(3).sol()", SOL_DRIVER=str(build_device(str(source))[1]))
    build_device("opencl")
    assert found.returncode == 1 and "OpenCL cannot be loaded" in found.stderr and "pocl-opencl-icd" in found.stderr
