"""Reads a program of torch.export from a ``.pt2`` file; what is wrong with the file is one error, not a log of torch."""

from __future__ import annotations

import logging
import os
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sol.errors import ModelError

if TYPE_CHECKING:
    from torch.export import ExportedProgram

log = logging.getLogger("sol.frontend")
_LOGGERS = ("torch.export", "torch.export.pt2_archive._package", "torch._export.serde.serialize")
_REMEDY = "write it with torch.export.save(torch.export.export(model, inputs), path)"


def is_program_file(path: Path) -> bool:
    """Whether a file is a program of torch.export: by its ending, or because it is an archive."""
    return path.suffix == ".pt2" or (path.suffix != ".onnx" and zipfile.is_zipfile(path))


def load_program(path: str | os.PathLike[str]) -> ExportedProgram:
    """The exported program in a file. Raises ModelError for a file that is missing, damaged or something else."""
    damaged = _damaged_member(path)
    import torch

    try:
        with _silent():
            program = torch.export.load(os.fspath(path))
    except Exception as error:  # whatever unpickling and JSON raise
        text = next((line for line in str(error).splitlines() if line.strip()), "no reason is given")
        if damaged:
            raise ModelError(f"{path} is damaged: the checksum of {damaged} is wrong", remedy="copy or export it again") from error
        raise ModelError(f"{path} is no program of torch.export ({type(error).__name__}: {text[:200]})", remedy=_REMEDY) from error
    if damaged:  # torch can be told to write no checksums
        log.warning("the checksum of %s in %s is wrong: unless it was written without checksums, the file is damaged", damaged, path)
    return program


def _damaged_member(path: str | os.PathLike[str]) -> str:
    """The first file in the archive whose checksum is wrong, or nothing. ModelError if it is no archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
            names = archive.namelist()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}", remedy="check the path and its permissions") from error
    except Exception as error:  # zipfile: BadZipFile, and what decoding of damaged headers raises
        size = os.path.getsize(path)
        what = "is empty" if size == 0 else f"is damaged or no program of torch.export ({error})"
        raise ModelError(f"{path} {what}", remedy=f"copy it again, or {_REMEDY}") from error
    if not any(name.endswith((".json", ".pt")) for name in names):
        raise ModelError(f"{path} is an archive, but no program of torch.export", remedy=_REMEDY)
    return damaged or ""


@contextmanager
def _silent() -> Iterator[None]:
    """torch logs and warns of failures that it raises as well."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    disabled = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, before in zip(loggers, disabled):
            logger.disabled = before
