"""C text → shared library: every unit compiled once, in parallel, and kept by content.

One compiler process per unit: measured, several units per process gain nothing, nor does -pipe. What costs is parsing
<immintrin.h>: over 100 ms a unit, where an empty unit takes 10.
"""

from __future__ import annotations

import functools
import logging
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sol.build import early
from sol.build.cache import Store, key_of, store
from sol.build.progress import Progress
from sol.build.progress import progress as progress_bar
from sol.build.toolchain import Compiler, asked_for, environment, find_compiler, half_flags
from sol.codegen.compiled import Compiled
from sol.codegen.program import SourceFile
from sol.codegen.targets import Target, usable_cpus
from sol.config import config
from sol.errors import CompilerError, CompilerNotFoundError, SolError
from sol.stages import stage

log = logging.getLogger("sol.build")

INCLUDE = Path(__file__).resolve().parent.parent / "codegen" / "include"
FORMAT = "build 1"
"""Part of every key: changed when this file makes other code from the same text."""

FLAGS = (
    "-std=gnu11",
    "-O2",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffp-contract=fast",  # a * b + c is one instruction, which rounds once
    "-fno-math-errno",  # sqrt is one instruction
    "-fno-trapping-math",  # nobody reads the exception flags; values of NaN and Inf are what IEEE 754 says
    "-fno-semantic-interposition",
    "-fno-stack-protector",
    "-fno-ident",
    "-w",
    "-Werror=implicit-function-declaration",
)
LINK_FLAGS = ("-shared", "-Wl,-z,defs", "-Wl,--as-needed", "-Wl,-z,noexecstack", "-Wl,--build-id=none")
FULL = re.compile(r"No space left on device|Read-only file system|Disk quota exceeded", re.IGNORECASE)


@dataclass(frozen=True)
class Unit:
    """One C file. name: a stem that says what is in it. flags: added to those of all units."""

    name: str
    text: str
    flags: tuple[str, ...] = ()


def units_of(sources: Sequence[SourceFile], prefix: str = "") -> list[Unit]:
    """Kernels, and after them the function that calls them. That one only passes arguments; -O1 halves the time to compile it."""
    *kernels, calls = sources
    return [*(Unit(f"{prefix}{s.name}", s.text) for s in kernels), Unit(f"{prefix}{calls.name}", calls.text, ("-O1",))]


class FolderFull(Exception):
    """The compiler could not write its output."""


def build_library(compiled: Compiled) -> Path:
    """A compiled network → shared library in the cache; compiles only what is not there yet."""
    return build(units_of(compiled.sources), compiled.target)


def build(units: Sequence[Unit], target: Target, *, progress: Callable[[int, int], None] | None = None) -> Path:
    """The shared library made of these units for that target; from the cache if it was built before, by any process.

    progress: called with (objects done, objects in all), from any thread. Without it a bar is shown as the knob says.
    Raises CompilerNotFoundError; CompilerError, which names the unit, the compiler's first errors, the command and
    where the source is kept; CacheError if nothing can be written anywhere.
    """
    if len({unit.name for unit in units}) != len(units):
        raise ValueError("two units have the same name")
    alias = _alias_key(units, target)
    try:
        compiler = find_compiler()
    except CompilerNotFoundError as error:
        made = None if asked_for() else _made_before(alias)
        if made is None:
            raise
        log.info("%s: the library that was made before is used", error.message)
        return made
    if target.architecture not in ("", compiler.machine):
        raise CompilerError(
            f"{compiler} compiles for {compiler.machine}, but target {target.name} is {target.architecture}",
            remedy="name a compiler for it with $CC or sol.config['compiler']",
        )
    keys = [_object_key(unit, compiler, target) for unit in units]
    key = key_of("so", FORMAT, *LINK_FLAGS, *keys)
    path = store().obtain(key, lambda: _library(units, keys, compiler, target, progress))
    if store().read(alias) != key.encode():
        store().put(alias, key.encode())
    return path


def compile_early(unit: Unit, target: Target) -> None:
    """Begin to compile a unit of a library that is not known whole, on the cores that the caller leaves.

    What goes wrong is told by ``build``.
    """
    try:
        compiler = find_compiler()
        key = _object_key(unit, compiler, target)
        if store().get(key) is None:
            early.begin(key, functools.partial(_compile_alone, unit, key, compiler, target), max(usable_jobs() - 1, 1))
    except SolError as error:
        log.debug("%s is not compiled early: %s", unit.name, error)


def _compile_alone(unit: Unit, key: str, compiler: Compiler, target: Target) -> None:
    cache = store()
    with cache.workdir() as work:
        cache.put(key, _compile(unit, key, compiler, target, work, config["compile_timeout"]))


def _alias_key(units: Sequence[Unit], target: Target) -> str:
    """Names the library of these units whichever compiler makes it: the entry holds the key of the one that was made last."""
    flags = shlex.join(target.flags)
    parts = (part for unit in units for part in (unit.name, unit.text, shlex.join(unit.flags)))
    return key_of("alias", FORMAT, target.name, target.host, flags, headers_digest(), *parts)


def _made_before(alias: str) -> Path | None:
    """The library made earlier, by a compiler that is not at hand."""
    known = store().read(alias)
    return None if known is None else store().get(known.decode())


def build_objects(units: Sequence[Unit], target: Target, compiler: Compiler, work: Path) -> list[Path]:
    """The object files of these units in the folder ``work``, in order; only what the cache lacks is compiled.

    Raises as ``build`` does, FolderFull or OSError where ``work`` cannot be written.
    """
    keys = [_object_key(unit, compiler, target) for unit in units]
    return _objects(units, keys, compiler, target, None, work, store())


def _object_key(unit: Unit, compiler: Compiler, target: Target) -> str:
    flags = shlex.join(_flags(unit, compiler, target))
    return key_of("o", FORMAT, compiler.identity, target.name, target.host, flags, headers_digest(), unit.text)


def _flags(unit: Unit, compiler: Compiler, target: Target) -> list[str]:
    return [*FLAGS, *half_flags(compiler), *target.flags, f'-DSOL_SIMD_HEADER="{target.header}"', *unit.flags]


def headers_digest() -> str:
    """What all our headers say: the same wherever sol is installed."""
    with os.scandir(INCLUDE) as found:
        files = sorted((file.name, file.stat()) for file in found if file.name.endswith(".h"))
    return _digest_headers(tuple((name, at.st_mtime_ns, at.st_size) for name, at in files))


@functools.lru_cache(maxsize=4)
def _digest_headers(stamps: tuple[tuple[str, int, int], ...]) -> str:
    return key_of("h", *(part for name, *_ in stamps for part in (name, (INCLUDE / name).read_bytes())))


def _library(
    units: Sequence[Unit],
    keys: Sequence[str],
    compiler: Compiler,
    target: Target,
    report: Callable[[int, int], None] | None,
) -> bytes:
    """Compile what the cache lacks and link; the bytes of the library."""
    cache = store()
    while True:
        with cache.workdir() as work:
            try:
                objects = _objects(units, keys, compiler, target, report, work, cache)
                return _link(objects, compiler, work)
            except (OSError, FolderFull) as error:
                cache.avoid(work.parent, str(error))


def _objects(
    units: Sequence[Unit],
    keys: Sequence[str],
    compiler: Compiler,
    target: Target,
    report: Callable[[int, int], None] | None,
    work: Path,
    cache: Store,
) -> list[Path]:
    """The object files of the units, in order, all in ``work`` (an entry of the cache may be trimmed at any time)."""
    begun = [key for key in dict.fromkeys(keys) if early.under_way(key)]
    objects: list[Path | None] = [None if key in begun else _from_cache(cache, key, work) for key in keys]
    missing = [index for index, path in enumerate(objects) if path is None]
    distinct = list({keys[index]: index for index in missing}.values())
    made: dict[str, Path] = {}
    timeout = config["compile_timeout"]

    def compile_one(index: int) -> None:
        unit, key = units[index], keys[index]
        early.wait(key)
        path = _from_cache(cache, key, work) if key in begun else None
        if path is None:
            path = _compile(unit, key, compiler, target, work, timeout)
            cache.put(key, path)
        made[key] = path
        bar.advance()

    log.info("compiling %d of %d units for %s with %s", len(distinct), len(units), target.name, compiler)
    with _Reporting("compiling", len(distinct), report) if report else progress_bar("compiling", len(distinct)) as bar:
        _in_parallel(compile_one, sorted(distinct, key=lambda index: (keys[index] in begun, -len(units[index].text))))
    return [path or made[key] for path, key in zip(objects, keys, strict=True)]


class _Reporting(Progress):
    """Tells a function instead of drawing."""

    def __init__(self, title: str, total: int, report: Callable[[int, int], None]) -> None:
        super().__init__(title, total)
        self._report = report

    def _show(self) -> None:
        self._report(self.done, self.total)


def _in_parallel(action: Callable[[int], None], items: Sequence[int]) -> None:
    """Run the action on all items; the first error ends it and is raised when what has begun is over."""
    jobs = min(usable_jobs(), len(items))
    if jobs <= 1:
        for item in items:
            action(item)
        return
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="sol-cc")
    try:
        for future in [pool.submit(action, item) for item in items]:
            future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def usable_jobs() -> int:
    """Compiler processes at once: the knob ``jobs``, or the CPUs that this process may use."""
    return config["jobs"] or usable_cpus()


def _from_cache(cache: Store, key: str, work: Path) -> Path | None:
    """A copy in ``work`` (a link where possible) of the cached object."""
    found = cache.get(key)
    if found is None:
        return None
    copy = work / key
    try:
        if not copy.exists():
            os.link(found, copy)
    except OSError:
        try:
            shutil.copyfile(found, copy)
        except OSError:
            return None
    return copy


def _compile(unit: Unit, key: str, compiler: Compiler, target: Target, work: Path, timeout: int) -> Path:
    """The object file of one unit, in ``work``."""
    stem = f"{re.sub(r'[^A-Za-z0-9_]', '_', unit.name)[:60]}.{key[:12]}"
    source, output = work / f"{stem}.c", work / f"{stem}.o"
    try:
        source.write_text(unit.text)
    except OSError as error:
        raise FolderFull(str(error)) from error
    files = ["-I", str(INCLUDE), "-c", source.name, "-o", output.name]
    _run([*compiler.command, *_flags(unit, compiler, target), *files], f"unit {unit.name}", work, timeout, source)
    return output


def _link(objects: Sequence[Path], compiler: Compiler, work: Path) -> bytes:
    stage("linking")
    names = list(dict.fromkeys(path.name for path in objects))
    (work / "objects.txt").write_text("".join(f"{name}\n" for name in names))
    line = [*compiler.command, *LINK_FLAGS, "@objects.txt", "-lm", "-pthread", "-ldl", "-o", "library.so"]
    _run(line, "the library", work, config["compile_timeout"], None)
    return (work / "library.so").read_bytes()


def _run(line: Sequence[str], what: str, work: Path, timeout: int, source: Path | None) -> None:
    """Run the compiler in ``work``; CompilerError if it fails, is killed or takes too long."""
    env = {**environment(), "TMPDIR": str(work)}
    try:
        process = subprocess.Popen(line, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
    except OSError as error:
        raise CompilerError(f"cannot run the C compiler {line[0]}: {error}") from error
    try:
        output = process.communicate(timeout=timeout)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        _end(process)
        raise _failure(f"took longer than {timeout} s for {what}", line, "", source,
                       "raise SOL_COMPILE_TIMEOUT if the machine is slow") from None  # fmt: skip
    except BaseException:
        _end(process)
        raise
    if process.returncode == 0:
        return
    if FULL.search(output):
        raise FolderFull(FULL.findall(output)[0])
    if process.returncode < 0:
        name = signal.Signals(process.returncode * -1).name
        raise _failure(f"was killed ({name}) at {what}", line, output, source,
                       "if memory ran out, lower the number of processes with SOL_JOBS")  # fmt: skip
    raise _failure(f"failed at {what}", line, output, source, "this is a defect in sol or in the compiler: report it "
                   "with the source, or choose another compiler with sol.config['compiler']")  # fmt: skip


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the compiler and the processes that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.communicate()


def _failure(what: str, line: Sequence[str], output: str, source: Path | None, remedy: str) -> CompilerError:
    lines = output.strip().splitlines()
    errors = [text for text in lines if re.search(r"\berror\b|undefined reference", text, re.IGNORECASE)] or lines
    message = f"the C compiler {what}"
    for text in errors[:5]:
        message += f"\n    {text[:300]}"
    message += f"\n  command: {shlex.join(line)}"
    if source is not None:
        message += f"\n  source: {_saved(source)}"
    return CompilerError(message, remedy=remedy)


def _saved(source: Path) -> Path | str:
    """A copy of the source that stays when the work folder is gone."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="sol-failed-"))
        return Path(shutil.copy(source, folder))
    except OSError as error:
        return f"(could not be kept: {error})"
