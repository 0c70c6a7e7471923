"""Keeps compiled templates in the cache: compiling them anew costs each process 0.1 to 0.2 s.

The code lies in the same owner-only, checksummed store as the libraries that are loaded from it.
"""

from __future__ import annotations

import logging
import marshal
import sys

import jinja2
from jinja2.bccache import Bucket

from sol.build.cache import key_of, store
from sol.codegen.render import environment
from sol.errors import SolError

log = logging.getLogger("sol.cache")


class StoredTemplates(jinja2.BytecodeCache):
    """Jinja's bytecode cache on sol's store; entries are named by the template's text and the versions of Python and Jinja."""

    def load_bytecode(self, bucket: Bucket) -> None:
        found = store().read(_key(bucket))
        if found is None:
            return
        try:
            bucket.code = marshal.loads(found)
        except (EOFError, ValueError, TypeError) as error:
            log.warning("a compiled template cannot be read (%s): it is made anew", error)
            store().remove(_key(bucket))

    def dump_bytecode(self, bucket: Bucket) -> None:
        try:
            store().put(_key(bucket), marshal.dumps(bucket.code))
        except (OSError, SolError) as error:
            log.warning("a compiled template cannot be kept: %s", error)


def _key(bucket: Bucket) -> str:
    return key_of("template", bucket.key, bucket.checksum, sys.version, jinja2.__version__)


def keep_templates() -> None:
    """Let the one Jinja environment use the store."""
    if environment().bytecode_cache is None:
        environment().bytecode_cache = StoredTemplates()
