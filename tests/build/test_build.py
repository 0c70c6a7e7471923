"""C becomes a library on every compiler and target of this machine; each way in which that can fail says what to do."""

from __future__ import annotations

import ctypes
import os
import pty
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sol.build import build as build_module
from sol.build import progress as progress_module
from sol.build import toolchain
from sol.build.build import Unit, build, headers_digest
from sol.build.cache import store
from sol.build.toolchain import find_compiler
from sol.codegen.targets import by_name, resolve, runnable
from sol.config import config
from sol.errors import CompilerError, CompilerNotFoundError

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
EXPORT = '__attribute__((visibility("default"))) '
ADD = Unit("add", f"{EXPORT}int add(int a, int b) {{ return a + b; }}\n")
MUL = Unit("mul", f"{EXPORT}int mul(int a, int b) {{ return a * b; }}\n")
TARGET = resolve("generic")


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def fake_gcc(path: Path, when_compiling: str) -> str:
    """A compiler that says what it is as gcc does, and does something else when it compiles."""
    return script(path, f'case "$*" in *-dM*) exec gcc "$@";; esac\n{when_compiling}')


def entries(kind: str) -> set[str]:
    return {entry.key for entry in store().list() if entry.kind == kind}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("isa", ["native", *runnable()])
def test_compiles_links_and_runs(cache_folder: Path, compiler: str, isa: str) -> None:
    target = resolve(isa)
    check = Unit("lanes", f'#include "sol_simd.h"\n{EXPORT}int lanes(void) {{ return LANES; }}\n')
    with config.override(compiler=compiler):
        path = build([ADD, MUL, check], target)
        library = ctypes.CDLL(str(path))
        assert (library.add(2, 3), library.mul(2, 3), library.lanes()) == (5, 6, target.lanes)
        assert cache_folder in path.parents


@pytest.mark.skipif(shutil.which("aarch64-linux-gnu-gcc") is None, reason="no compiler for aarch64")
def test_cross_compiles(cache_folder: Path) -> None:
    with config.override(compiler="aarch64-linux-gnu-gcc"):
        assert build([ADD], by_name("neon")).read_bytes()[18] == 0xB7
        with pytest.raises(CompilerError, match="compiles for aarch64, but target avx2 is x86_64"):
            build([ADD], by_name("avx2"))


def test_second_build_runs_no_compiler(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = build([ADD, MUL], TARGET)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert build([ADD, MUL], TARGET) == path


def test_only_what_changed_is_compiled(cache_folder: Path) -> None:
    steps: list[tuple[int, int]] = []
    build([ADD, MUL], TARGET)
    before = entries("o")
    other = Unit("mul", MUL.text.replace("a * b", "a * b * 2"))
    path = build([ADD, other], TARGET, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(0, 1), (1, 1)] and len(entries("o") - before) == 1
    library = ctypes.CDLL(str(path))
    assert (library.add(2, 3), library.mul(2, 3)) == (5, 12)


def test_same_text_under_two_names_is_compiled_once(cache_folder: Path) -> None:
    steps: list[tuple[int, int]] = []
    text = "static int nothing;\n"
    build([Unit("one", text), Unit("two", text), ADD], TARGET, progress=lambda *step: steps.append(step))
    assert steps[-1] == (2, 2)


def test_two_units_of_one_name_are_refused(cache_folder: Path) -> None:
    with pytest.raises(ValueError, match="same name"):
        build([ADD, ADD], TARGET)


def test_what_the_key_depends_on(cache_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Text, flags, target, host, compiler and headers; not the unit's name, nor where sol lies."""
    native = resolve("native")
    paths = [build([unit], target) for unit, target in [
        (ADD, TARGET), (Unit("renamed", ADD.text), TARGET), (Unit("add", ADD.text, ("-O1",)), TARGET),
        (Unit("add", ADD.text + " "), TARGET), (ADD, native)]]  # fmt: skip
    assert paths[0] == paths[1] and len(set(paths)) == 4
    moved = tmp_path / "moved"
    shutil.copytree(build_module.INCLUDE, moved)
    digest = headers_digest()
    monkeypatch.setattr(build_module, "INCLUDE", moved)
    assert headers_digest() == digest and build([ADD], TARGET) == paths[0]
    (moved / "extra.h").write_text("/* new */")
    assert headers_digest() != digest and build([ADD], TARGET) != paths[0]
    if len(COMPILERS) > 1:
        with config.override(compiler="clang"):
            assert build([ADD], TARGET) not in paths


def test_same_input_same_bytes(tmp_path: Path) -> None:
    images = []
    for name in ("one", "two"):
        with config.override(cache_dir=tmp_path / name, progress="off"):
            images.append(build([ADD, MUL], resolve("native")).read_bytes())
    assert images[0] == images[1]


def test_values_are_those_of_ieee(cache_folder: Path) -> None:
    text = (
        f"#include <math.h>\n{EXPORT}int ieee(float n, float i) {{ return (n != n) + 2 * (i - i != i - i)"
        " + 4 * (i > 1e38f) + 8 * isnan(n * 0) + 16 * (1 / (n == n ? i : -i) == 0); }"
    )
    function = ctypes.CDLL(str(build([Unit("ieee", text)], resolve("native")))).ieee
    function.argtypes = [ctypes.c_float, ctypes.c_float]
    assert function(float("nan"), float("inf")) == 31


@pytest.mark.parametrize("damaged", ["o", "so"])
def test_damaged_entries_are_made_anew(cache_folder: Path, damaged: str) -> None:
    path = build([ADD, MUL], TARGET)
    image = path.read_bytes()
    for key in entries(damaged):
        file = cache_folder / "v1" / key
        file.write_bytes(file.read_bytes()[:-100])
    if damaged == "o":
        path.unlink()
    assert build([ADD, MUL], TARGET) == path and path.read_bytes() == image


PROCESS = """
import sys, ctypes
from sol.codegen.targets import resolve
from sol.build.build import Unit, build
export = '__attribute__((visibility("default"))) '
units = [Unit(f"f{i}", f"{export} int f{i}(void) {{ return {i}; }}") for i in range(4)]
library = ctypes.CDLL(str(build(units, resolve("generic"))))
assert [getattr(library, f"f{i}")() for i in range(4)] == [0, 1, 2, 3]
"""


def test_two_processes_at_once_compile_once(cache_folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    compiler = fake_gcc(tmp_path / "slow-gcc", f'echo "$*" >> {log}; sleep 0.2; exec gcc "$@"')
    root = str(Path(build_module.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root, "SOL_COMPILER": compiler}
    processes = [subprocess.Popen([sys.executable, "-c", PROCESS], env=environment) for _ in range(3)]
    assert [process.wait(120) for process in processes] == [0] * 3
    assert len(log.read_text().splitlines()) == 4 + 1


def test_no_compiler(cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(CompilerNotFoundError) as caught:
        build([ADD], TARGET)
    for word in ("apt-get install gcc", "dnf", "brew", 'fallback="eager"'):
        assert word in str(caught.value)


@pytest.mark.parametrize("way", ["config", "CC"])
def test_compiler_asked_for_is_not_there(cache_folder: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    if way == "CC":
        monkeypatch.setenv("CC", "no-such-cc -m64")
    with (
        config.override(compiler="no-such-cc" if way == "config" else ""),
        pytest.raises(CompilerNotFoundError) as caught,
    ):
        find_compiler()
    assert "no-such-cc" in str(caught.value) and (way == "CC") == ("$CC is" in str(caught.value))


def test_order_of_choice(cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gcc", "cc", "clang", "mine"):
        script(tmp_path / name, f'exec {shutil.which("gcc")} "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("CC", f"{tmp_path}/mine -O1")
    with config.override(compiler="clang"):
        assert find_compiler().command == (str(tmp_path / "clang"),)
    assert find_compiler().command == (str(tmp_path / "mine"), "-O1")
    monkeypatch.delenv("CC")
    assert find_compiler().command == (str(tmp_path / "gcc"),)


@pytest.mark.parametrize("name", COMPILERS)
def test_identity_is_kept_until_the_program_changes(cache_folder: Path, tmp_path: Path, name: str) -> None:
    log = tmp_path / "log"
    wrapper = script(tmp_path / "wrapper", f'echo asked >> {log}; exec {name} "$@"')
    with config.override(compiler=wrapper):
        for _ in range(2):
            toolchain._identify.cache_clear()
            compiler = find_compiler()
        assert (compiler.kind, len(log.read_text().splitlines())) == (name, 1)
        assert compiler.version >= (10, 0, 0) and compiler.identity.startswith(name)
        script(tmp_path / "wrapper", f'echo asked >> {log};  exec {name} "$@"')
        assert find_compiler() == compiler
        assert len(log.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("macros", "says"),
    [
        ("#define __GNUC__ 9\n#define __GNUC_MINOR__ 4\n#define __GNUC_PATCHLEVEL__ 0", "gcc 10 or newer"),
        ("#define __GNUC__ 4\n#define __clang_major__ 11\n#define __clang_minor__ 0\n#define __clang_patchlevel__ 0",
         "clang 12 or newer"),
        ("#define _MSC_VER 1900", "neither gcc nor clang"),
    ],
)  # fmt: skip
def test_compiler_that_does_not_do(cache_folder: Path, tmp_path: Path, macros: str, says: str) -> None:
    text = f'{macros}\n#define __VERSION__ "x"\n#define __ELF__ 1\n'
    compiler = script(tmp_path / "cc", f"cat <<'END'\n{text}END")
    with config.override(compiler=compiler), pytest.raises(CompilerError, match=says):
        find_compiler()


def test_compiler_that_cannot_even_say_what_it_is(cache_folder: Path, tmp_path: Path) -> None:
    with (
        config.override(compiler=script(tmp_path / "cc", "echo broken >&2; exit 3")),
        pytest.raises(CompilerError) as caught,
    ):
        find_compiler()
    assert "broken" in str(caught.value) and "apt-get" in str(caught.value)


def saved_source(message: str) -> Path:
    return Path(next(line for line in message.splitlines() if line.startswith("  source: ")).removeprefix("  source: "))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_error_in_the_source(cache_folder: Path, compiler: str) -> None:
    bad = Unit("conv3x3", "int f(void) { return undeclared; }\n")
    with config.override(compiler=compiler), pytest.raises(CompilerError) as caught:
        build([ADD, bad], TARGET)
    message = str(caught.value)
    assert "unit conv3x3" in message and "undeclared" in message and "-O2" in message and "report" in message
    assert saved_source(message).read_text() == bad.text


def test_implicit_declaration_is_an_error(cache_folder: Path) -> None:
    with pytest.raises(CompilerError, match="missing_function"):
        build([Unit("call", "int f(void) { return missing_function(); }\n")], TARGET)


def test_undefined_symbol_when_linking(cache_folder: Path) -> None:
    text = f"extern int nowhere(void);\n{EXPORT}int f(void) {{ return nowhere(); }}\n"
    with pytest.raises(CompilerError, match=r"the library(.|\n)*undefined reference to `nowhere'"):
        build([Unit("call", text)], TARGET)


def test_nothing_of_a_failed_build_is_kept(cache_folder: Path) -> None:
    with pytest.raises(CompilerError):
        build([Unit("bad", "nonsense")], TARGET)
    assert not entries("so") and not entries("o")
    assert {path.suffix for path in (cache_folder / "v1").iterdir()} <= {".json", ""}
    assert not list((cache_folder / "v1").glob("work-*"))


@pytest.mark.parametrize(
    ("does", "says"),
    [
        ("echo 'x.c:1:2: error: out of luck' >&2; exit 1", "out of luck"),
        ("exit 1", "failed at unit add"),
        ("kill -9 $$", r"killed \(SIGKILL\)(.|\n)*SOL_JOBS"),
        ("sleep 60", r"longer than 1 s(.|\n)*SOL_COMPILE_TIMEOUT"),
    ],
)
def test_compiler_that_fails(cache_folder: Path, tmp_path: Path, does: str, says: str) -> None:
    began = time.time()
    compiler = fake_gcc(tmp_path / "cc", does)
    with config.override(compiler=compiler, compile_timeout=1), pytest.raises(CompilerError, match=says) as caught:
        build([ADD], TARGET)
    assert saved_source(str(caught.value)).read_text() == ADD.text
    assert time.time() - began < 20


def test_disk_that_is_full_while_compiling(
    cache_folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    full = f'case "$PWD" in {cache_folder}*) echo "ld: write error: No space left on device" >&2; exit 1;; esac'
    with config.override(compiler=fake_gcc(tmp_path / "cc", f'{full}\nexec gcc "$@"')):
        path = build([ADD, MUL], TARGET)
        assert ctypes.CDLL(str(path)).add(1, 2) == 3 and cache_folder not in path.parents
        assert build([ADD, MUL], TARGET) == path
    assert "No space left on device" in caplog.text and str(cache_folder) in caplog.text


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_jobs_at_once(cache_folder: Path, tmp_path: Path, jobs: int) -> None:
    running = tmp_path / "running"
    running.mkdir()
    does = f'f={running}/$$; touch $f; ls {running} | wc -l >> {tmp_path}/log; sleep 0.3; rm $f; exec gcc "$@"'
    units = [Unit(f"u{i}", f"int u{i};") for i in range(5)]
    with config.override(compiler=fake_gcc(tmp_path / "cc", does), jobs=jobs):
        build(units, TARGET)
    assert min(jobs, 2) <= max(map(int, (tmp_path / "log").read_text().split())) <= jobs


def test_jobs_default_to_the_usable_cpus() -> None:
    with config.override(jobs=0):
        assert build_module.usable_jobs() == len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("knob", "terminal", "shown"),
    [("auto", True, True), ("auto", False, False), ("on", False, True), ("off", True, False)],
)
def test_line_of_progress(
    cache_folder: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    knob: str,
    terminal: bool,
    shown: bool,
) -> None:
    monkeypatch.setattr(progress_module, "_terminal", lambda: terminal)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with config.override(progress=knob):
        build([ADD, MUL], TARGET)
        captured = capfd.readouterr()
        assert captured.out == "" and ("compiling: 2/2" in captured.err) is shown
        build([ADD, MUL], TARGET)
        assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("knob", "shown"), [("auto", True), ("off", False)])
def test_bar_on_a_terminal(cache_folder: Path, knob: str, shown: bool) -> None:
    root = str(Path(build_module.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root, "SOL_PROGRESS": knob, "TERM": "xterm", "COLUMNS": "80"}
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", PROCESS], env=environment, stderr=theirs)
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 4096):
            text += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(ours)
    assert process.wait(60) == 0
    assert (b"compiling" in text) is shown and (b"4/4" in text) is shown


def test_library_is_for_the_owner_alone(cache_folder: Path) -> None:
    assert stat.S_IMODE(build([ADD], TARGET).stat().st_mode) == 0o600
