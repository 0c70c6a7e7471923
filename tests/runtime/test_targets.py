"""Targets say what they need, and the machine's best one is found from its CPU's features."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from sol.codegen import targets
from sol.codegen.targets import TARGETS, by_name, resolve, runnable
from sol.config import KNOBS
from sol.errors import ConfigError

SKYLAKE = "fma avx2 f16c avx512f avx512bw avx512dq avx512vl sse2"


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Makes this machine look like another: pretend(machine, cpuinfo lines)."""

    def other(machine: str, *cpuinfo: str) -> None:
        monkeypatch.setattr(platform, "machine", lambda: machine)
        monkeypatch.setattr(targets, "_cpuinfo", lambda: cpuinfo)
        forget()

    def forget() -> None:
        for known in (targets.cpu_features, targets.cpu_identity, targets._native):
            known.cache_clear()

    yield other
    monkeypatch.undo()
    forget()


@pytest.mark.parametrize(
    ("machine", "cpuinfo", "best", "all_of_them"),
    [
        ("x86_64", f"flags\t\t: {SKYLAKE}", "avx512", ("avx512", "avx2", "generic")),
        ("AMD64", f"flags : {SKYLAKE}", "avx512", ("avx512", "avx2", "generic")),
        ("x86_64", "flags : fma avx2 f16c avx512f", "avx2", ("avx2", "generic")),
        ("x86_64", "flags : avx avx2", "generic", ("generic",)),
        ("x86_64", "nothing", "generic", ("generic",)),
        ("aarch64", "Features\t: fp asimd evtstrm", "neon", ("neon", "generic")),
        ("arm64", "", "neon", ("neon", "generic")),
        ("riscv64", "isa : rv64", "generic", ("generic",)),
    ],
)
def test_best_target(pretend, machine: str, cpuinfo: str, best: str, all_of_them: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    pretend(machine, cpuinfo)
    native = resolve("native")
    assert native.name == best and runnable() == all_of_them
    assert set(by_name(best).flags) <= set(native.flags)


@pytest.mark.parametrize(
    ("cpuinfo", "adders"),
    [
        (("vendor_id\t: AuthenticAMD", "cpu family\t: 25", f"flags\t\t: {SKYLAKE}"), True),
        (("vendor_id\t: AuthenticAMD", "cpu family\t: 26", f"flags\t\t: {SKYLAKE}"), False),  # its loads are no faster, its vectors twice
        (("vendor_id\t: GenuineIntel", "cpu family\t: 6", f"flags\t\t: {SKYLAKE}"), False),
        ((f"flags\t\t: {SKYLAKE}",), False),
    ],
)
def test_adders_of_the_native_target(pretend, cpuinfo: tuple[str, ...], adders: bool) -> None:  # type: ignore[no-untyped-def]
    pretend("x86_64", *cpuinfo)
    assert resolve("native").independent_adders == adders
    assert not any(target.independent_adders for target in TARGETS.values())


def test_native_flags_only_for_the_host_itself() -> None:
    for name in runnable():
        assert not any("native" in flag for flag in resolve(name).flags) and not resolve(name).host
    assert resolve("native").host


@pytest.mark.parametrize("name", ["neon", "avx512"])
def test_target_that_cannot_run_says_why_and_what_can(pretend, name: str) -> None:  # type: ignore[no-untyped-def]
    pretend("x86_64", "flags : fma avx2 f16c avx512f")
    with pytest.raises(ConfigError) as caught:
        resolve(name)
    assert ("aarch64" if name == "neon" else "avx512bw") in str(caught.value)
    assert "avx2, generic" in str(caught.value)
    assert by_name(name).name == name


@pytest.mark.parametrize("name", ["sse", "", "NATIVE"])
def test_unknown_target(name: str) -> None:
    with pytest.raises(ConfigError, match="known are avx512, avx2, neon, generic"):
        resolve(name)


@pytest.mark.parametrize(
    ("siblings", "cores"), [(("0", "1", "2"), 3), (("0,2", "1,3", "0,2"), 2), (("0-1", "0-1", "2-3"), 2), (("0", "1"), 3)]
)
def test_hardware_threads_of_a_core_count_once(
    siblings: tuple[str, ...], cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets, "_SIBLINGS", f"{tmp_path}/cpu{{}}")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2}, raising=False)
    for cpu, text in enumerate(siblings):
        (tmp_path / f"cpu{cpu}").write_text(f"{text}\n")
    assert targets.usable_cores() == cores  # where one of them is not told, all CPUs


def test_every_target_is_a_choice_of_the_knob() -> None:
    assert {"native", *TARGETS} == set(KNOBS["isa"].takes.split(" | "))


@pytest.mark.parametrize("name", TARGETS)
def test_fields(name: str) -> None:
    target = by_name(name)
    assert target.name == name and target.header == f"sol_simd_{name}.h"
    assert target.lanes in (4, 8, 16) and target.registers in (16, 32) and target.vector_bytes == 4 * target.lanes
    assert 16 << 10 <= target.l1 < target.l2
    assert hash(target) == hash(by_name(name))


@pytest.mark.parametrize(
    ("size", "expected"), [("48K", 48 << 10), ("1M", 1 << 20), ("512", 512), ("", None), ("huge", None)]
)
def test_cache_size_as_the_system_says_it(
    size: str, expected: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for index, kind in enumerate(("Instruction", "Data")):
        folder = tmp_path / f"index{index}"
        folder.mkdir()
        (folder / "level").write_text("1\n")
        (folder / "type").write_text(f"{kind}\n")
        (folder / "size").write_text("7K\n" if kind == "Instruction" else f"{size}\n")
    monkeypatch.setattr(targets, "Path", lambda _: tmp_path)
    assert targets.cache_bytes(1) == expected
    assert targets.cache_bytes(3) is None


@pytest.mark.parametrize("name", TARGETS)
def test_compilers_know_the_flags(name: str, tmp_path: Path) -> None:
    target = by_name(name)
    compiler = "aarch64-linux-gnu-gcc" if name == "neon" and platform.machine() != "aarch64" else "gcc"
    if shutil.which(compiler) is None or target.architecture not in ("", targets.architecture()) and compiler == "gcc":
        pytest.skip(f"no compiler for {name}")
    source = tmp_path / "a.c"
    source.write_text("int a;")
    assert subprocess.run([compiler, *target.flags, "-c", source, "-o", tmp_path / "a.o"]).returncode == 0
