"""Which C compiler builds the generated code."""

from __future__ import annotations

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import asdict, dataclass

from sol.build.cache import key_of, store
from sol.config import config
from sol.errors import CompilerError, CompilerNotFoundError

_MINIMUM = {"gcc": (10, 0, 0), "clang": (12, 0, 0)}
_CANDIDATES = ("gcc", "cc", "clang")
_REMEDY = (
    "install one: apt-get install gcc (Debian, Ubuntu), dnf install gcc (Fedora, RHEL), apk add gcc musl-dev (Alpine), "
    "brew install gcc (macOS); or name one with $CC or sol.config['compiler']; "
    'or run in torch with sol.optimize(..., fallback="eager")'
)
_MACROS = ("__clang_major__", "__clang_minor__", "__clang_patchlevel__", "__GNUC__", "__GNUC_MINOR__",
           "__GNUC_PATCHLEVEL__", "__VERSION__", "__x86_64__", "__aarch64__", "__ELF__")  # fmt: skip


@dataclass(frozen=True)
class Compiler:
    """A C compiler. command: what is run, wrappers such as ccache included. machine: what it compiles for."""

    command: tuple[str, ...]
    kind: str
    version: tuple[int, int, int]
    machine: str
    banner: str

    @property
    def identity(self) -> str:
        """Part of the key of everything it makes: compilers of the same identity make the same code."""
        return f"{self.kind} {self.banner} {self.machine}"

    def __str__(self) -> str:
        return f"{self.kind} {'.'.join(map(str, self.version))} ({shlex.join(self.command)})"


def find_compiler() -> Compiler:
    """The compiler to use: the knob ``compiler``, else $CC, else the first of gcc, cc, clang on PATH.

    Raises CompilerNotFoundError if there is none, or the one asked for is not there; CompilerError if it is neither gcc
    nor clang, or too old.
    """
    command, source = _command()
    compiler = _identify(command, _stamp(command))
    if compiler.version < _MINIMUM[compiler.kind]:
        least = _MINIMUM[compiler.kind][0]
        raise CompilerError(
            f"{compiler}, chosen by {source}, is too old: sol needs {compiler.kind} {least} or newer", remedy=_REMEDY
        )
    return compiler


def asked_for() -> bool:
    """Whether the user named a compiler, which then must be there."""
    return bool(config["compiler"] or os.environ.get("CC", "").strip())


def _command() -> tuple[tuple[str, ...], str]:
    for text, source in ((config["compiler"], "sol.config['compiler']"), (os.environ.get("CC", "").strip(), "$CC")):
        if text:
            words = tuple(shlex.split(text))
            program = shutil.which(words[0])
            if program is None:
                raise CompilerNotFoundError(f"{source} is {text!r}, which is not on PATH", remedy=_REMEDY)
            return (program, *words[1:]), source
    for name in _CANDIDATES:
        program = shutil.which(name)
        if program is not None:
            return (program,), "PATH"
    raise CompilerNotFoundError("no C compiler on PATH (looked for gcc, cc and clang)", remedy=_REMEDY)


def _stamp(command: tuple[str, ...]) -> str:
    """Changes when any program of the command is replaced."""
    lines = []
    for word in command:
        program = shutil.which(word)
        if program is None:
            lines.append(word)
        else:
            real = os.path.realpath(program)
            at = os.stat(real)
            lines.append(f"{word} {real} {at.st_mtime_ns} {at.st_size}")
    return "\n".join(lines)


@functools.lru_cache(maxsize=32)
def _identify(command: tuple[str, ...], stamp: str) -> Compiler:
    """Kind and version; kept in the cache, since asking costs milliseconds."""
    key = key_of("json", "compiler 1", stamp)
    known = store().read(key)
    if known is not None:
        fields = json.loads(known)
        return Compiler(command, fields["kind"], tuple(fields["version"]), fields["machine"], fields["banner"])
    compiler = _ask(command)
    store().put(key, json.dumps(asdict(compiler), sort_keys=True).encode())
    return compiler


def _ask(command: tuple[str, ...]) -> Compiler:
    line = [*command, "-dM", "-E", "-x", "c", os.devnull]
    try:
        run = subprocess.run(line, capture_output=True, text=True, errors="replace", timeout=60, env=environment())
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompilerError(f"cannot run the C compiler: {error}", remedy=_REMEDY) from error
    if run.returncode:
        raise CompilerError(
            f"the C compiler failed when asked what it is: {shlex.join(line)}\n{run.stderr.strip()[:1000]}",
            remedy=_REMEDY,
        )
    macros = dict(re.findall(rf"^#define ({'|'.join(_MACROS)}) (.*)$", run.stdout, re.MULTILINE))
    if "__GNUC__" not in macros or "__ELF__" not in macros:
        raise CompilerError(
            f"{shlex.join(command)} is neither gcc nor clang for a system with ELF libraries", remedy=_REMEDY
        )
    clang = "__clang_major__" in macros
    names = _MACROS[:3] if clang else _MACROS[3:6]
    major, minor, patch = (int(macros[name]) for name in names)
    machine = next((name for name in ("x86_64", "aarch64") if f"__{name}__" in macros), "other")
    return Compiler(
        command, "clang" if clang else "gcc", (major, minor, patch), machine, macros["__VERSION__"].strip('"')
    )


def environment() -> dict[str, str]:
    """The environment for compiler processes: messages in English, whatever the user's locale."""
    return {**os.environ, "LC_ALL": "C"}


def half_flags(compiler: Compiler) -> tuple[str, ...]:
    """What clang before 15 needs on x86: it has no _Float16, but __fp16, which is stored and converted alike."""
    lacking = compiler.kind == "clang" and compiler.version < (15, 0, 0) and compiler.machine == "x86_64"
    return ("-D_Float16=__fp16",) if lacking else ()
