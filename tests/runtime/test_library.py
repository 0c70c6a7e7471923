"""A library loads once, shares torch's thread pool, and goes on working in forked and spawned processes."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sol.codegen.targets import resolve
from sol.config import config
from sol.errors import CacheError
from sol.runtime import library as library_module
from sol.runtime.build import Unit, build
from sol.runtime.cache import key_of, store
from sol.runtime.library import forked, load, openmp_runtimes

ROOT = str(Path(library_module.__file__).parents[2])
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
CDEF = "int team(int size); int add(int a, int b); void wait_ms(int ms);"
UNIT = Unit("team", """
#include <time.h>
extern void GOMP_parallel(void (*body)(void *), void *data, unsigned size, unsigned flags);
extern int omp_get_num_threads(void);
extern int omp_get_thread_num(void);
#define EXPORT __attribute__((visibility("default")))
static void body(void *data)
{
    __atomic_add_fetch((int *)data, omp_get_num_threads(), __ATOMIC_RELAXED);
}
EXPORT int team(int size) { int sum = 0; GOMP_parallel(body, &sum, size, 0); return sum; }
EXPORT int add(int a, int b) { return a + b; }
EXPORT void wait_ms(int ms) { struct timespec t = {ms / 1000, ms % 1000 * 1000000L}; nanosleep(&t, 0); }
""")  # fmt: skip


def make() -> Path:
    return build([UNIT], resolve("generic"))


def in_child(action: Callable[[], bool]) -> bool:
    """Does the action return True in a forked child within ten seconds?"""
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(10)
            os._exit(0 if action() else 1)
        except BaseException:
            os._exit(2)
    return os.waitpid(child, 0)[1] == 0


def test_loads_once(cache_folder: Path) -> None:
    path = make()
    library = load(path, CDEF)
    assert library.functions.add(2, 3) == 5 and library.path == path
    assert load(path, CDEF) is library
    with pytest.raises(AttributeError):
        load(path, "int no_such_function(void);").functions.no_such_function()


def test_structs_of_the_declaration(cache_folder: Path) -> None:
    text = 'struct pair { int a; float *b; };\n__attribute__((visibility("default"))) float at(const struct pair *p)'
    path = build([Unit("pair", text + " { return p->b[p->a]; }")], resolve("generic"))
    library = load(path, "struct pair { int a; float *b; }; float at(const struct pair *p);")
    values = library.ffi.new("float[3]", [1, 2, 3])
    assert library.functions.at(library.ffi.new("struct pair *", {"a": 2, "b": values})) == 3


@pytest.mark.parametrize("damage", ["truncated", "empty", "gone", "not a library"])
def test_damaged_library_is_made_anew(cache_folder: Path, damage: str) -> None:
    path = make()
    if damage == "gone":
        path.unlink()
    elif damage == "not a library":
        store().put(path.name, b"complete, but no ELF file")
    else:
        path.write_bytes(path.read_bytes()[:1000] if damage == "truncated" else b"")
    cdef = CDEF + f"/* {damage} */"
    with pytest.raises(CacheError, match=r"sol\.cache\.clear"):
        load(path, cdef)
    if damage == "not a library":
        store().put(path.name, b"complete, but no ELF file")
    assert load(path, cdef, make).functions.add(1, 1) == 2


def test_a_library_outside_the_cache_is_not_loaded(cache_folder: Path, tmp_path: Path) -> None:
    path = make()
    elsewhere = tmp_path / path.name
    shutil.copy(path, elsewhere)
    with pytest.raises(CacheError):
        load(elsewhere, CDEF)
    with pytest.raises(CacheError):
        load(tmp_path / key_of("so", "none"), CDEF)


def test_calls_run_without_the_gil(cache_folder: Path) -> None:
    functions = load(make(), CDEF).functions
    threads = [threading.Thread(target=functions.wait_ms, args=(300,)) for _ in range(4)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.perf_counter() - began < 0.9


def test_loading_from_many_threads(cache_folder: Path) -> None:
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(load(make(), CDEF))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and len({id(library) for library in seen}) == 1


ONE_RUNTIME = """
import sys
if sys.argv[1] == "torch first":
    import torch
from sol.codegen.targets import resolve
from sol.runtime.build import Unit, build
from sol.runtime.library import load, openmp_runtimes
from tests.runtime.test_library import CDEF, make
assert load(make(), CDEF).functions.team(2) == 4
import torch
torch.set_num_threads(2)
torch.exp(torch.ones(1 << 20))
assert load(make(), CDEF).functions.team(2) == 4
print(*openmp_runtimes(), sep="\\n")
"""


@pytest.mark.parametrize("order", ["torch first", "torch last"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_one_openmp_runtime_with_torch(cache_folder: Path, order: str, compiler: str) -> None:
    pytest.importorskip("torch")
    environment = {**os.environ, "PYTHONPATH": ROOT, "SOL_COMPILER": compiler}
    run = subprocess.run([sys.executable, "-c", ONE_RUNTIME, order], env=environment, capture_output=True, text=True)
    assert run.returncode == 0 and len(run.stdout.splitlines()) == 1 and "libgomp.so.1" in run.stdout, run.stderr
    assert "two thread pools" not in run.stderr


def test_team_works_in_forked_children(cache_folder: Path) -> None:
    """Also in a child's child, in the parent afterwards, and when a thread other than the first one forks."""
    functions = load(make(), CDEF).functions
    assert functions.team(2) == 4

    def child() -> bool:
        return not forked() and functions.team(2) == 4 and in_child(lambda: functions.team(2) == 4)

    assert in_child(child) and functions.team(2) == 4 and not forked()
    results = []

    def fork_here() -> None:
        results.append(functions.team(2))
        results.append(in_child(child))

    thread = threading.Thread(target=fork_here)
    thread.start()
    thread.join()
    assert results == [4, True]


def test_torch_works_in_forked_children() -> None:
    """torch shares the team, and hangs here without what sol does before a fork."""
    torch = pytest.importorskip("torch")
    script = (
        "import os, signal, sys, torch, sol.runtime.library\n"
        "torch.set_num_threads(2)\n"
        "x = torch.ones(1 << 20)\n"
        "torch.exp(x)\n"
        "if os.fork() == 0:\n"
        "    signal.alarm(10)\n"
        "    os._exit(0 if torch.exp(x).sum() > 0 else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.wait()[1]) != 0)\n"
    )
    assert torch
    run = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": ROOT}, timeout=60)
    assert run.returncode == 0


def test_child_whose_team_is_lost_is_told(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(make(), CDEF).functions.team(2)
    monkeypatch.setattr(type(library_module._team), "_dismiss", staticmethod(lambda: False))
    assert in_child(forked) and in_child(lambda: in_child(forked)) and not forked()
    monkeypatch.setattr(type(library_module._team), "_dismiss", staticmethod(lambda: 1 / 0))
    assert in_child(forked)


def test_fork_behind_the_back_of_python_is_noticed(cache_folder: Path) -> None:
    import ctypes

    child = ctypes.CDLL(None).fork()
    if child == 0:
        os._exit(0 if forked() else 1)
    assert os.waitpid(child, 0)[1] == 0 and not forked()


def _work(path: Path, folder: Path, queue: multiprocessing.Queue[int]) -> None:
    with config.override(cache_dir=folder):
        queue.put(load(path, CDEF).functions.team(2))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_multiprocessing(cache_folder: Path, method: str) -> None:
    path = make()
    assert load(path, CDEF).functions.team(2) == 4
    context: Any = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=_work, args=(path, cache_folder, queue))
    process.start()
    try:
        assert queue.get(timeout=60) == 4
    finally:
        process.join(10)
        process.kill()


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("/x/libgomp.so.1", True),
        ("/x/libgomp-a34b3233.so.1.0.0", True),
        ("/x/libiomp5.so", True),
        ("/x/libomp.so.5", True),
        ("/x/libcompiler.so", False),
        ("/x/libseccomp.so.2", False),
        ("[heap]", False),
    ],
)
def test_which_files_are_openmp_runtimes(
    path: str, counts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = tmp_path / "maps"
    maps.write_text(
        f"7f0000000000-7f0000001000 r-xp 00000000 fe:00 123    {path}\n7f0000002000-7f0000003000 rw-p 0 0 0\n"
    )
    monkeypatch.setattr(library_module, "open", lambda _: maps.open(), raising=False)
    assert openmp_runtimes() == ((path,) if counts else ())
