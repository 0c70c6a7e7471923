"""Exit codes that scripts can use, and which error gives which."""

from __future__ import annotations

from sol.errors import (
    CacheError,
    CompilerError,
    CompilerNotFoundError,
    ConfigError,
    ExportError,
    InputError,
    ModelError,
    SolError,
    UnsupportedError,
)

OK, FAILED, USAGE, BAD_MODEL, UNSUPPORTED, ENVIRONMENT = range(6)
INTERRUPTED = 130

CODES = {
    OK: "success",
    FAILED: "results differ, or another failure",
    USAGE: "wrong options or inputs",
    BAD_MODEL: "the model file is damaged or no model",
    UNSUPPORTED: "the model uses something that sol does not compile",
    ENVIRONMENT: "the C compiler, the cache folder or a package that is needed is missing or fails",
}

_KINDS: tuple[tuple[type[Exception], int], ...] = (
    (ModelError, BAD_MODEL), (ExportError, BAD_MODEL), (UnsupportedError, UNSUPPORTED), (ConfigError, USAGE), (InputError, USAGE),
    (CompilerNotFoundError, ENVIRONMENT), (CompilerError, ENVIRONMENT), (CacheError, ENVIRONMENT), (ImportError, ENVIRONMENT),
    (MemoryError, ENVIRONMENT), (OSError, ENVIRONMENT), (SolError, FAILED),
)  # fmt: skip


class MissingPackageError(SolError):
    """A package that this command needs is not installed."""


def code_of(error: BaseException) -> int:
    """The exit code for an error."""
    if isinstance(error, MissingPackageError):
        return ENVIRONMENT
    return next((code for kind, code in _KINDS if isinstance(error, kind)), FAILED)
