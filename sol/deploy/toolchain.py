"""The compiler and binary tools that make programs for a device, which may be another kind of machine."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sol.build.build import FULL, FolderFull
from sol.build.toolchain import Compiler, environment, find_compiler
from sol.codegen.targets import architecture
from sol.config import config
from sol.deploy.names import Device
from sol.errors import CompilerError, CompilerNotFoundError, SolError

_REMEDY = {
    "aarch64": "install one: apt-get install gcc-aarch64-linux-gnu (Debian, Ubuntu), dnf install gcc-aarch64-linux-gnu (Fedora); "
    "or name one with $CC or sol.config['compiler']; or deploy target=\"source\" and build it there",
    "x86_64": "install one: apt-get install gcc-x86-64-linux-gnu (Debian, Ubuntu); or name one with $CC or sol.config['compiler']; "
    'or deploy target="source" and build it there',
}


@dataclass(frozen=True)
class Tools:
    """A compiler and the binary tools that go with it."""

    compiler: Compiler
    ar: str
    objcopy: str


def tools_for(device: Device) -> Tools:
    """The tools for a device: the configured compiler if it compiles for it, else a cross compiler on PATH.

    Raises CompilerNotFoundError with what to install.
    """
    compiler = _compiler(device)
    triple = f"{device.machine}-linux-gnu"
    return Tools(compiler, _tool("ar", triple, device), _tool("objcopy", triple, device))


def _compiler(device: Device) -> Compiler:
    for command in _commands(device):
        try:
            with config.override(compiler=command):
                compiler = find_compiler()
        except SolError:
            if not command or command == config["compiler"]:
                raise
            continue
        if compiler.machine == device.machine:
            return compiler
    raise CompilerNotFoundError(f"no C compiler for {device.machine} was found", remedy=_REMEDY[device.machine])


def _commands(device: Device) -> Iterator[str]:
    if config["compiler"] or os.environ.get("CC", "").strip() or device.machine == architecture():
        yield config["compiler"]
    if device.machine != architecture():
        triple = f"{device.machine}-linux-gnu"
        if shutil.which(f"{triple}-gcc"):
            yield f"{triple}-gcc"
        elif shutil.which("clang"):
            yield f"clang --target={triple}"


def _tool(name: str, triple: str, device: Device) -> str:
    """The path of a binary tool for that machine; empty if there is none."""
    names = [f"{triple}-{name}", f"llvm-{name}"]
    if device.machine == architecture():
        names.insert(0, name)
    return next((path for n in names if (path := shutil.which(n))), "")


def run(line: list[str], folder: str | os.PathLike[str], what: str) -> None:
    """Run a tool in a folder; CompilerError with the first lines of what it says if it fails, FolderFull if it could not write."""
    if not line[0]:
        raise CompilerError(f"no tool for {what} is on PATH", remedy="install binutils for that machine")
    options: dict[str, Any] = {"capture_output": True, "text": True, "errors": "replace", "timeout": config["compile_timeout"]}
    try:
        done = subprocess.run(line, cwd=folder, env=environment(), **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompilerError(f"{what} failed: {error}") from error
    if done.returncode and FULL.search(done.stdout + done.stderr):
        raise FolderFull(FULL.findall(done.stdout + done.stderr)[0])
    if done.returncode:
        text = "\n    ".join((done.stdout + done.stderr).strip().splitlines()[:8])
        raise CompilerError(f"{what} failed\n    {text}\n  command: {shlex.join(line)}")
