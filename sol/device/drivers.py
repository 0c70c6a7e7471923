"""Drivers of devices as libraries: built once from a C file by the system's compiler, kept in the cache folder."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sol.build.toolchain import environment, find_compiler
from sol.errors import CompilerError, ConfigError

HERE = Path(__file__).parent
DRIVERS = HERE / "drivers"


def library_in(folder: Path, name: str) -> Path:
    """The library of a driver in a folder that only this user can change, built unless it is there.

    name: of one in sol/device/drivers, or the path of a C file.

    Raises ConfigError for an unknown one, CompilerNotFoundError, CompilerError with the compiler's message.
    """
    source = Path(name) if name.endswith(".c") else DRIVERS / f"{name}.c"
    if not source.is_file():
        known = ", ".join(sorted(path.stem for path in DRIVERS.glob("*.c")))
        raise ConfigError(f"there is no driver {name!r}", remedy=f"name one of {known}, or the path of a C file")
    compiler = find_compiler()
    flags = ["-std=c11", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra", f"-I{HERE / 'include'}"]
    headers = [*(HERE / "include").glob("*.h"), *source.parent.glob("*.h")]
    library = folder / f"driver-{source.stem}-{key_of([compiler.identity, *flags], [source, *headers])}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=folder) as work:
            made = Path(work) / "driver.so"
            run([*compiler.command, *flags, str(source), "-o", str(made), "-ldl", "-pthread"], f"the driver {source}")
            publish(made, library)
    return library


def publish(made: Path, library: Path) -> None:
    """Put a finished file where others look for it."""
    made.chmod(0o700)
    made.replace(library)


def key_of(texts: Sequence[str], files: Sequence[Path]) -> str:
    """A name for what is built of these."""
    digest = hashlib.sha256()
    for part in (*(text.encode() for text in texts), *(path.read_bytes() for path in sorted(files))):
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:32]


def run(line: Sequence[str], what: str) -> str:
    """What a compiler prints; CompilerError with its message where it fails."""
    done = subprocess.run(line, capture_output=True, text=True, errors="replace", env=environment())
    if done.returncode:
        raise CompilerError(f"building {what} failed: {' '.join(line[:1])} said\n{done.stderr.strip()[-2000:]}")
    return done.stdout
