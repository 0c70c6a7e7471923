"""How the tests compile C and run it: gcc or clang for this machine, or a cross compiler and an emulator for another one."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from sol.build.build import headers_digest
from sol.build.folders import make_private, owned
from sol.build.toolchain import find_compiler, half_flags
from sol.codegen.render import INCLUDE
from sol.codegen.targets import Target, architecture, by_name, resolve, runnable
from sol.config import config
from tests import emulation, instruction_sets

BUILD = Path(tempfile.gettempdir()) / f"sol_test_kernels.{os.geteuid()}"
WARNINGS = ("-Wall", "-Wextra", "-Wno-psabi")


@dataclass(frozen=True)
class Tools:
    """A C compiler and, where its programs do not run here, the emulator that runs them.

    machine: what it compiles for, as platform.machine() says it. packages: what to install on Debian. linker: named if it is not the
    compiler's own.
    """

    compiler: tuple[str, ...]
    machine: str
    packages: str
    emulator: str = ""
    linker: str = ""

    @property
    def missing(self) -> str:
        """Why these tools cannot be used; empty if they can."""
        absent = [name for name in (self.compiler[0], self.linker, self.emulator) if name and shutil.which(name) is None]
        return f"{' and '.join(absent)} not on PATH (Debian packages {self.packages})" if absent else ""


GCC = Tools(("gcc",), architecture(), "gcc")
CLANG = Tools(("clang",), architecture(), "clang")
AARCH64 = Tools(("aarch64-linux-gnu-gcc",), "aarch64", "gcc-aarch64-linux-gnu and qemu-user", "qemu-aarch64")
CLANG_AARCH64 = Tools(
    ("clang", "--target=aarch64-linux-gnu"), "aarch64", f"clang, {AARCH64.packages}", AARCH64.emulator, AARCH64.compiler[0]
)

_tools: ContextVar[Tools] = ContextVar("tools", default=GCC)
_isas: ContextVar[tuple[str, ...]] = ContextVar("isas", default=())


@contextmanager
def using(tools: Tools, *isas: str) -> Iterator[None]:
    """Regions inside ``with`` are compiled by these tools; tests that go through several ISAs take these instead."""
    first, second = _tools.set(tools), _isas.set(isas)
    try:
        yield
    finally:
        _tools.reset(first)
        _isas.reset(second)


def tools_for(target: Target) -> Tools:
    """The tools of ``using``, else those that make programs for the target."""
    tools = _tools.get()
    return tools if target.architecture in ("", tools.machine) else AARCH64


def target_of(isa: str) -> Target:
    """The target of that name, also one that only an emulator runs here; where nothing can, the running test is skipped."""
    if isa == emulation.MATRIX_TILES:
        return emulation.matrix_tiles()
    if isa in (emulation.PAIRS, emulation.PAIRS_IN_C):
        return emulation.pairs(isa == emulation.PAIRS_IN_C)
    target = resolve(isa) if isa == "native" else by_name(isa)
    if not target.runs_here() and not tools_for(target).emulator:
        instruction_sets.refuse(isa)
    return target


def isas() -> tuple[str, ...]:
    """The ISAs that can be tested: those this machine runs, and NEON if the tools to emulate it are there."""
    return tuple(dict.fromkeys((*runnable(), *(() if AARCH64.missing else ("neon",)))))


def isas_by_default() -> tuple[str, ...]:
    """The ISAs of ``using``, else those that this machine runs; for loops in tests."""
    if not _isas.get():
        instruction_sets.note_left_out()
    return _isas.get() or runnable()


def shared_library(sources: Mapping[str, str], target: Target, tools: Tools | None = None) -> Path:
    """The shared library of C files (stem → text) for this machine."""
    return _build(sources, target, tools or tools_for(target), ("-fPIC", "-shared"), ".so")


def run_program(sources: Mapping[str, str], target: Target, data: bytes, tools: Tools | None = None, flags: Sequence[str] = ()) -> bytes:
    """What the static program of C files writes to its output when it reads ``data``; emulated if need be.

    Each file is compiled by itself, because most programs share some of them.
    """
    tools = tools or tools_for(target)
    objects = [str(_build({stem: text}, target, tools, ("-c", *flags), ".o")) for stem, text in sources.items()]
    program = _build({}, target, tools, (*objects, "-static", "-pthread", *flags), ".exe")
    command = [tools.emulator, str(program)] if tools.emulator else [str(program)]
    done = subprocess.run(command, input=data, capture_output=True, timeout=300)
    assert done.returncode == 0, f"{program.name} ended with {done.returncode}: {done.stderr.decode(errors='replace')[:4000]}"
    return done.stdout


def _build(sources: Mapping[str, str], target: Target, tools: Tools, flags: Sequence[str], suffix: str) -> Path:
    """Compiled once per content; a warning of the compiler (not of the linker) is an error."""
    options = ["-O2", "-std=gnu11", "-ffp-contract=fast", "-fno-math-errno", *WARNINGS]
    options += [*_half_flags(tools), *target.flags, f'-DSOL_SIMD_HEADER="{target.header}"', *flags]
    key = "\0".join([*tools.compiler, *options, headers_digest(), *(part for pair in sources.items() for part in pair)])
    make_private(BUILD)
    assert owned(BUILD.stat()), f"{BUILD} can be written by another user, whose libraries tests would load"
    result = BUILD / (hashlib.sha256(key.encode()).hexdigest()[:20] + suffix)
    if not result.exists():
        with tempfile.TemporaryDirectory(dir=BUILD) as name:
            folder = Path(name)
            for stem, text in sources.items():
                (folder / f"{stem}.c").write_text(text)
            files = [str(folder / f"{stem}.c") for stem in sources]
            made = folder / "made"
            command = [*tools.compiler, *options, f"-I{INCLUDE}", *files, *(() if "-c" in flags else ("-lm",)), "-o", str(made)]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0 and "[-W" not in done.stderr, done.stderr[:4000]
            made.replace(result)
    return result


@functools.lru_cache
def _half_flags(tools: Tools) -> tuple[str, ...]:
    with config.override(compiler=" ".join(tools.compiler)):
        return half_flags(find_compiler())
