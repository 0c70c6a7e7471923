"""The source deployment: built by its Makefile with sanitizers and by CMake, and what the program says then."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sol.codegen.targets import runnable
from sol.deploy.api import deploy
from tests.deploy.support import call, close, expected, program, small
from tests.toolchains import GCC, WARNINGS

SANITIZE = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@pytest.mark.parametrize("name", ["convolutional", "recurrent", "attention"])
@pytest.mark.budget(7)
def test_sanitizers_find_nothing(name: str, tmp_path: Path) -> None:
    """Addresses, leaks and undefined behaviour, in kernels and around them, with one and several threads."""
    made = deploy(small(name)[0], target="source", isa=runnable()[0], lib_name="Net", path=tmp_path)
    flags = " ".join(("-O1", *SANITIZE, "-Werror", "-fno-sanitize=alignment"))
    subprocess.run(["make", "-s", "-j2", "-C", str(tmp_path), f"CFLAGS={flags}", "libNet.so"], check=True)
    _, inputs = small(name)
    wanted = expected(name)
    caller = program(made, flags=SANITIZE, link=[str(tmp_path / "libNet.so"), "-Wl,-rpath,$ORIGIN"])
    env = {"ASAN_OPTIONS": "detect_leaks=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
    close(call(caller, inputs, wanted, env=env, threads=3), wanted)


def test_the_library_source_has_no_warnings(tmp_path: Path) -> None:
    made = deploy(small("convolutional")[0], target="source", lib_name="Net", path=tmp_path, weights="file", threads=1)
    assert (tmp_path / "Net.bin").exists()
    line = ["gcc", "-std=gnu11", *WARNINGS, "-Werror", "-DSOL_NO_THREADS", f"-I{tmp_path}", f"-I{tmp_path}/src/include", "-fsyntax-only"]
    subprocess.run([*line, str(made.path / "src/Net.c")], check=True)


@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not on PATH (Debian package cmake)")
def test_cmake_builds_it(tmp_path: Path) -> None:
    """Out of the source folder; the weights are found by the assembler."""
    made = deploy(small("recurrent")[0], target="source", lib_name="Net", path=tmp_path / "source")
    build = tmp_path / "build"
    subprocess.run(["cmake", "-S", str(made.path), "-B", str(build)], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", str(build)], check=True, capture_output=True)
    told = subprocess.run([str(build / "Net_example")], env={}, capture_output=True, text=True, check=True).stdout
    assert "output0, 441 elements" in told
    _, inputs = small("recurrent")
    wanted = expected("recurrent")
    caller = program(made, tools=GCC, link=[str(build / "libNet.so"), f"-Wl,-rpath,{build}"])
    close(call(caller, inputs, wanted), wanted)
