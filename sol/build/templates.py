"""Keeps compiled templates: compiling them anew costs each process 0.1 to 0.3 s.

They lie in ``__pycache__`` beside the templates, as compiled modules lie beside theirs, and are read where they are as much to be trusted
as the template: of the same owner, and nobody else can write them. Where nothing can be written there, the owner-only, checksummed store
of the libraries has them.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import marshal
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from sol.build.cache import key_of, store
from sol.codegen.render import TEMPLATES, environment
from sol.errors import SolError

log = logging.getLogger("sol.cache")


class StoredTemplates(jinja2.BytecodeCache):
    """Jinja's bytecode cache beside the templates of a folder, or in sol's store.

    An entry is that of the template's text, of the versions of Python and Jinja, and of how Jinja is set up.
    """

    def __init__(self, templates: Path = TEMPLATES) -> None:
        self.templates = templates

    def load_bytecode(self, bucket: Bucket) -> None:
        key = _key(bucket)
        found = _read(self._file(bucket), key, self.templates) or store().read(key)
        if found is None:
            return
        try:
            bucket.code = marshal.loads(found)
        except (EOFError, ValueError, TypeError) as error:
            log.warning("a compiled template cannot be read (%s): it is made anew", error)
            store().remove(key)

    def dump_bytecode(self, bucket: Bucket) -> None:
        key, code = _key(bucket), marshal.dumps(bucket.code)
        try:
            if sys.dont_write_bytecode or not _write(self._file(bucket), key, code, self.templates):
                store().put(key, code)
        except (OSError, SolError) as error:
            log.warning("a compiled template cannot be kept: %s", error)

    def _file(self, bucket: Bucket) -> Path:
        """Where Python keeps what it compiles of that folder."""
        return Path(importlib.util.cache_from_source(str(self.templates / bucket.key)))


def _key(bucket: Bucket) -> str:
    env = bucket.environment
    setup = repr((env.line_statement_prefix, env.line_comment_prefix, env.trim_blocks, env.lstrip_blocks, env.autoescape, env.undefined))
    return key_of("template", bucket.key, bucket.checksum, sys.version, jinja2.__version__, setup)


def _head(key: str, code: bytes) -> bytes:
    return key.encode() + hashlib.sha256(code).digest()


def _read(path: Path, key: str, templates: Path) -> bytes | None:
    """The code in that file, if it is the one of this key, undamaged, and could be changed by nobody but who owns the templates."""
    size = len(_head(key, b""))
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != templates.stat().st_uid or status.st_mode & 0o022:
                return None
            data = file.read()
    except OSError:
        return None
    return data[size:] if data[:size] == _head(key, data[size:]) else None


def _write(path: Path, key: str, code: bytes, templates: Path) -> bool:
    """Put a file there, whole or not at all; whether it could be, and will be read."""
    try:
        if templates.stat().st_uid != os.geteuid():
            return False
        path.parent.mkdir(exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix="part-", dir=path.parent)
    except OSError:
        return False
    try:
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o644)
            file.write(_head(key, code) + code)
        os.replace(name, path)
    except OSError:
        with suppress(OSError):
            os.unlink(name)
        return False
    return True


def keep_templates() -> None:
    """Let the one Jinja environment use what is kept."""
    if environment().bytecode_cache is None:
        environment().bytecode_cache = StoredTemplates()
