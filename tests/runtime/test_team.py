"""The threads that run networks in Python: how many, in forked and ending processes, beside torch's, and what they cost when idle."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import sol
from sol.codegen.targets import usable_cpus
from sol.config import MOST_THREADS, config
from sol.errors import ConfigError
from sol.runtime.team import starter, team
from tests.runtime.test_concurrency import wide

ROOT = str(Path(sol.__file__).parents[1])
TWO = pytest.mark.skipif(usable_cpus() < 2, reason="one CPU makes no team")


def script(text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program that has a compiled network ``fast``, its operand ``x`` and the torch result ``want``."""
    head = (
        "import os, signal, sys, threading, time, torch, sol\n"
        "from tests.runtime.test_concurrency import wide\n"
        "from sol.runtime.team import team\n"
        "torch.set_grad_enabled(False)\n"
        "model, x = wide(), torch.rand(1, 3, 24, 24)\n"
        "fast, want = sol.optimize(model, x), model(x)\n"
        "def right(): return torch.allclose(fast(x), want, rtol=1e-4, atol=1e-5)\n"
    )
    inherited = {k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"}  # torch's threads wait here as they do for users
    env = {**inherited, "PYTHONPATH": ROOT, "SOL_TEAM": "fixed", "OMP_NUM_THREADS": "2", **environment}
    return subprocess.run([sys.executable, "-c", head + text], env=env, capture_output=True, text=True, timeout=120)


@pytest.fixture
def fixed() -> Iterator[Callable[[], torch.Tensor]]:
    """Calls a network on two threads, however many CPUs there are."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with config.override(team="fixed"), torch.no_grad():
            model, x = wide(), torch.rand(1, 3, 24, 24)
            fast, want = sol.optimize(model, x), model(x)

            def call() -> torch.Tensor:
                got = fast(x)
                torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
                return got

            call()
            assert team().functions.sol_team_workers() >= 1
            yield call
    finally:
        torch.set_num_threads(before)


def in_child(action: Callable[[], Any], fork: Callable[[], int] = os.fork) -> bool:
    """Does the action return what is true, or nothing, in a forked child, within half a minute?"""
    child = fork()
    if child == 0:
        try:
            signal.alarm(30)
            os._exit(3 if action() is False else 0)
        except BaseException:
            os._exit(2)
    return os.waitpid(child, 0)[1] == 0


def workers_after(call: Callable[[], Any]) -> int:
    call()
    return team().functions.sol_team_workers()


IN_CHILDREN = {
    "a child and its child": "assert in_child(child) and workers_after(right) >= 1",
    "of a thread that is not the first": """
results = []
def fork_here():
    torch.set_grad_enabled(False)  # each thread has its own
    results.append(right() and in_child(child))
thread = threading.Thread(target=fork_here)
thread.start()
thread.join()
assert results == [True]
""",
    "behind the back of Python": """
import ctypes
sys.setswitchinterval(60)  # if another thread wanted the interpreter at that moment, Python in the child would wait for that thread
assert in_child(right, ctypes.PyDLL(None).fork) and right()
""",
    "while other threads call": """
stop = threading.Event()
def call_on():
    torch.set_grad_enabled(False)
    while not stop.is_set():
        assert right()
callers = [threading.Thread(target=call_on) for _ in range(2)]
for caller in callers:
    caller.start()
try:
    assert all(in_child(right) for _ in range(5))
finally:
    stop.set()
    for caller in callers:
        caller.join()
""",
}


@pytest.mark.parametrize("how", IN_CHILDREN)
@pytest.mark.budget(9)
def test_forked_children_have_workers_of_their_own(how: str) -> None:
    """In a program of their own: a child of the tests' process would have locks and sessions of libraries whose threads it has not."""
    done = script(
        "from tests.runtime.test_team import in_child, workers_after\n"
        "def child():\n"
        "    assert team().functions.sol_team_workers() == 0 and workers_after(right) == 1\n"
        "    assert in_child(right)\n"
        "assert workers_after(right) >= 1\n" + IN_CHILDREN[how]
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_torch_works_in_forked_children() -> None:
    """torch's team would hang here without what sol does before a fork; so would what runs in torch between compiled parts."""
    done = script(
        "torch.exp(torch.ones(1 << 20))\n"
        "if os.fork() == 0:\n"
        "    signal.alarm(20)\n"
        "    os._exit(0 if torch.exp(torch.ones(1 << 20)).sum() > 0 and right() else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.wait()[1]) != 0)\n"
    )
    assert done.returncode == 0, done.stderr[-2000:]


def _work(queue: Any) -> None:
    model, x = wide(), torch.ones(1, 3, 24, 24)
    with torch.no_grad():
        queue.put(sol.optimize(model, x)(x).tolist())


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_multiprocessing(fixed: Callable[[], Any], method: str) -> None:
    context: Any = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=_work, args=(queue,))
    process.start()
    try:
        got = torch.tensor(queue.get(timeout=100))
    finally:
        process.join(30)
        process.kill()
    with torch.no_grad():
        torch.testing.assert_close(got, wide()(torch.ones(1, 3, 24, 24)), rtol=1e-4, atol=1e-5)


ENDS = {
    "beside a thread that calls": """
import numpy as np
from tests.frontend.onnx import models
conv = models.node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3], pads=[1] * 4)
# without torch, whose operations end a program that leaves while a thread is in one of them
run = sol.load(models.model([conv], {"x": [1, 64, 32, 32]}, ["y"], {"w": models.weights(64, 64, 3, 3)}), threads=2)
inputs = [np.zeros((1, 64, 32, 32), np.float32)]
def call():
    while True: run.run(inputs)
threading.Thread(target=call, daemon=True).start()
time.sleep(0.2)
""",
    "in a child": "assert right()\nif os.fork() == 0: assert right(); sys.exit(0)\nsys.exit(os.waitstatus_to_exitcode(os.wait()[1]))",
    "as another program": "assert right(); os.execv(sys.executable, [sys.executable, '-c', 'pass'])",
}


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.budget(11)
def test_a_program_ends(how: str) -> None:
    done = script(ENDS[how])
    assert done.returncode == 0 and not done.stderr.strip(), f"{done.returncode} {done.stderr[-2000:]}"


@TWO
def test_where_openmp_binds_the_first_thread_to_one_cpu() -> None:
    """libgomp does so to the thread that imports torch; teams use all that it has places for."""
    done = script("print(len(os.sched_getaffinity(0)), team().functions.sol_team_cores())", SOL_TEAM="free", OMP_PROC_BIND="true")
    bound, cores = map(int, done.stdout.split())
    assert bound == 1 and cores >= 2, done.stderr[-2000:]


@TWO
def test_a_call_uses_the_cpus_of_its_thread() -> None:
    """On one CPU no worker is made, so that two threads take no more than 2.2 times what one takes; where there are more, they are used."""
    done = script(
        "def best(threads):\n"
        "    torch.set_num_threads(threads)\n"
        "    times = []\n"
        "    for _ in range(200):\n"
        "        start = time.perf_counter(); fast(x); times.append(time.perf_counter() - start)\n"
        "    return sorted(times)[50]\n"
        "cpus, functions = sorted(os.sched_getaffinity(0)), team().functions\n"
        "def use(some): os.sched_setaffinity(0, some); time.sleep(0.02); return functions.sol_team_cores()\n"
        "assert use(cpus[:1]) == 1 and right() and functions.sol_team_workers() == 0\n"
        "ratio = min(best(2) / best(1) for _ in range(5))\n"
        "assert ratio < 2.2, ratio\n"
        "torch.set_num_threads(2)\n"
        "assert use(cpus) == len(cpus) and right() and functions.sol_team_workers() == 1\n"
        "assert use(cpus[:1]) == 1 and right()\n",
        SOL_TEAM="free",
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.budget(10)
def test_idle_workers_use_no_cpu() -> None:
    done = script(
        "for _ in range(50): assert right()\n"
        "time.sleep(0.05)\n"
        "start = time.process_time(); time.sleep(0.5); used = time.process_time() - start\n"
        "assert team().functions.sol_team_workers() == 1 and used < 0.01, used\n",
        OMP_WAIT_POLICY="passive",
    )
    assert done.returncode == 0, done.stderr[-2000:]


@TWO
@pytest.mark.budget(10)
def test_calls_between_operations_of_torch_run_on_its_threads() -> None:
    """While these are awake: not after a pause, not for long where nothing of torch wakes them, not in a child, nor on another number."""
    done = script(
        "large = torch.rand(1 << 20)\n"
        "def calls(count, between):\n"
        "    before = team().functions.sol_team_openmp_calls()\n"
        "    for _ in range(count):\n"
        "        between(); assert right()\n"
        "    return team().functions.sol_team_openmp_calls() - before\n"
        "def use(): torch.exp(large)\n"
        "def pause(): time.sleep(0.05)\n"
        "def used():\n"  # other programs may want the cores at the moment
        "    end, found = time.monotonic() + 40, 0\n"
        "    while found < 10 and time.monotonic() < end: found += calls(10, use)\n"
        "    return found >= 10\n"
        "assert used()\n"
        "assert any(calls(10, pause) <= 2 for _ in range(5))\n"
        "end = time.monotonic() + 1.5\n"
        "while time.monotonic() < end: fast(x)\n"
        "assert any(calls(100, lambda: fast(x)) <= 10 for _ in range(5))\n"
        "if os.fork() == 0:\n"
        "    signal.alarm(20)\n"
        "    os._exit(calls(20, use) != 0)\n"
        "assert os.waitstatus_to_exitcode(os.wait()[1]) == 0\n"
        "assert used()\n"
        "fast = sol.optimize(model, x, threads=2)\n"
        "torch.set_num_threads(3)\n"
        "assert calls(20, use) == 0\n",
        SOL_TEAM="free",
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_all_networks_share_the_workers() -> None:
    """However many networks and callers there are, no more threads compute than there are cores."""
    before = team().functions.sol_team_workers()
    model, x = wide(), torch.rand(1, 3, 24, 24)
    networks = [sol.optimize(nn.Sequential(model, nn.Linear(32, n)).eval(), x, threads=64) for n in (1, 2, 3)]

    def call(network: nn.Module) -> None:
        with torch.no_grad():
            for _ in range(30):
                network(x)

    callers = [threading.Thread(target=call, args=(networks[i % 3],)) for i in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert team().functions.sol_team_workers() <= max(before, usable_cpus() - 1)


@pytest.mark.parametrize("threads", [0, -1, MOST_THREADS + 1, 99999, True, 2.0, "2"])
def test_threads_out_of_range_are_an_error(threads: Any, tmp_path: Path) -> None:
    model, x = wide(), torch.rand(1, 3, 24, 24)
    with pytest.raises(ConfigError, match=f"integer from 1 to {MOST_THREADS}"):
        sol.optimize(model, x, threads=threads)
    with pytest.raises(ConfigError, match=f"integer from 1 to {MOST_THREADS}"):
        sol.load(tmp_path / "none.onnx", threads=threads)
    with pytest.raises(ConfigError, match=f"integer from 1 to {MOST_THREADS}"):
        sol.deploy(model, [x], threads=threads, path=tmp_path)
    with pytest.raises(Exception, match=f"integer from 1 to {MOST_THREADS}"):
        torch.compile(model, backend="sol", options={"threads": threads})(x)
    torch._dynamo.reset()


def test_variables_that_ask_for_too_many_threads() -> None:
    """Ours is an error; that of OpenMP gives as many as there are cores."""
    done = script("import sol.runtime.arrays; sol.runtime.arrays.default_threads()", SOL_THREADS="99999")
    assert done.returncode == 1 and "SOL_THREADS = '99999' is not valid" in done.stderr and "from 0 to 1024" in done.stderr
    with config.override(team="free"):
        assert starter(99999)[0] == os.cpu_count()


def test_results_are_the_same_on_any_team() -> None:
    """Bit by bit, for a whole network."""
    torch.manual_seed(0)
    blocks = [layer for c in (24, 40) for layer in (nn.Conv2d(c, 40, 3, padding=1), nn.BatchNorm2d(40), nn.SiLU())]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(40), nn.Linear(40, 200), nn.Softmax(-1)]
    model = nn.Sequential(nn.Conv2d(3, 24, 3), *blocks, *head)
    x = torch.rand(3, 3, 30, 30)
    before, bits = torch.get_num_threads(), set()
    try:
        with torch.no_grad(), config.override(team="fixed"):
            fast = sol.optimize(model.eval(), x)
            for threads in (1, 2, 3, 5, 8):
                torch.set_num_threads(threads)
                bits.add(fast(x).numpy().tobytes())
    finally:
        torch.set_num_threads(before)
    assert len(bits) == 1


def test_rounding_of_the_caller_holds_for_all_members() -> None:
    """A worker computes in the mode of the call, not of the thread that happened to start it."""
    libm = ctypes.CDLL("libm.so.6")
    modes = {"nearest": 0, "up": 0x800 if os.uname().machine == "x86_64" else 0x400000}
    x = torch.full((1, 3, 24, 24), 0.1)
    results: dict[str, list[bytes]] = {}
    before = torch.get_num_threads()
    try:
        with config.override(team="fixed", flush_denormals=False), torch.no_grad():
            fast = sol.optimize(wide(), x)
            for name, mode in modes.items():
                for threads in (1, 2, 3):
                    torch.set_num_threads(threads)
                    libm.fesetround(mode)
                    try:
                        results.setdefault(name, []).append(fast(x).numpy().tobytes())
                    finally:
                        libm.fesetround(0)
    finally:
        torch.set_num_threads(before)
    assert all(len(set(same)) == 1 for same in results.values()) and results["nearest"] != results["up"]
    assert np.frombuffer(results["up"][0], np.float32).mean() > np.frombuffer(results["nearest"][0], np.float32).mean()
