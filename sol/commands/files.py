"""Files that commands write: checked before the work begins, complete or not there at all."""

from __future__ import annotations

import os
import shlex
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import click

from sol.errors import OutputError


class OutputFile(click.Path):
    """An option that names a file to be written; what would fail at the end of a long command is a usage error at its beginning."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path; fails for a folder, and in a folder that is missing or may not be written."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        reason = unwritable(path)
        if reason:
            self.fail(reason, param, ctx)
        return path


def unwritable(path: Path) -> str:
    """Why a file cannot be written there, as far as that can be told before it is; empty if nothing is known against it."""
    if not path.name or path.name == "..":
        return f"{str(path)!r} is no name of a file"
    if path.exists() and not path.is_dir() and not os.access(path, os.W_OK):
        return f"the file {path} may not be written"
    return _unusable(path.parent) if not path.exists() or path.is_file() else ""


def _unusable(folder: Path) -> str:
    """Why no file can be made in a folder."""
    if not folder.exists():
        return f"there is no folder {folder} (make it with: mkdir -p {shlex.quote(str(folder))})"
    if not folder.is_dir():
        return f"{folder} is no folder"
    return "" if os.access(folder, os.W_OK | os.X_OK) else f"the folder {folder} may not be written"


def write_file(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Make or replace a file with what ``write`` writes to a stream; on failure it stays as it was. Devices and pipes are written to.

    Raises OutputError that names the path.
    """
    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            with open(path, "wb") as stream:
                write(stream)
        else:
            _replace(Path(os.path.realpath(path)), write)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise OutputError(f"cannot write {path}: {error.strerror or error}", remedy="name another file, or make room") from error


def _replace(path: Path, write: Callable[[BinaryIO], object]) -> None:
    descriptor, name = tempfile.mkstemp(prefix=".sol-", dir=path.parent)
    try:
        with open(descriptor, "wb") as stream:
            write(stream)
            os.fchmod(stream.fileno(), stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """``write_file`` of UTF-8 text."""
    write_file(path, lambda stream: stream.write(text.encode("utf-8", "replace")))
