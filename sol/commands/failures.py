"""Exit codes that scripts can use, and which error gives which."""

from __future__ import annotations

import re
import shlex

from sol.errors import (
    CacheError,
    CompilerError,
    CompilerNotFoundError,
    ConfigError,
    ExportError,
    InputError,
    ModelError,
    OutputError,
    SolError,
    UnsupportedError,
)

OK, FAILED, USAGE, BAD_MODEL, UNSUPPORTED, ENVIRONMENT, NOT_COMPARED = range(7)
INTERRUPTED = 130

CODES = {
    OK: "success",
    FAILED: "results differ, or another failure",
    USAGE: "wrong options or inputs",
    BAD_MODEL: "the model file is damaged or no model",
    UNSUPPORTED: "the model uses something that sol does not compile",
    ENVIRONMENT: "the C compiler, the cache folder or a package that is needed is missing or fails, or a file cannot be written",
    NOT_COMPARED: "nothing was compared (`verify` of a model that runs in torch)",
}

_KINDS: tuple[tuple[type[Exception], int], ...] = (
    (ModelError, BAD_MODEL), (ExportError, BAD_MODEL), (UnsupportedError, UNSUPPORTED), (ConfigError, USAGE), (InputError, USAGE),
    (CompilerNotFoundError, ENVIRONMENT), (CompilerError, ENVIRONMENT), (CacheError, ENVIRONMENT), (OutputError, ENVIRONMENT),
    (ImportError, ENVIRONMENT), (MemoryError, ENVIRONMENT), (OSError, ENVIRONMENT), (SolError, FAILED),
)  # fmt: skip


class MissingPackageError(SolError):
    """A package that this command needs is not installed."""


def code_of(error: BaseException) -> int:
    """The exit code for an error."""
    if isinstance(error, MissingPackageError):
        return ENVIRONMENT
    return next((code for kind, code in _KINDS if isinstance(error, kind)), FAILED)


# -- words -------------------------------------------------------------------------------------------------------------

_OPTIONS = "isa|threads|weights|target|lib_name|func_name|time_budget|tolerance"
_WORDS: tuple[tuple[str, str], ...] = (
    (r"sol\.config\[['\"](\w+)['\"]\] = (\S+)", r"SOL_\1=\2"),
    (r"sol\.config\[['\"](\w+)['\"]\]", r"SOL_\1"),
    (r"sol\.cache\.clear\(\)", "sol cache clear"),
    (r"sol\.explain\(model, inputs\)", "sol inspect MODEL"),
    (r"sol\.load\b", "sol run"),
    (r"constants=\{'([^']*)': [^}]*\}", r"--const \1=FILE.npy"),
    (r"shapes=\{'([^']*)': \(([^)]*)\)\}", r"--shape \1=\2"),
    (rf"\b({_OPTIONS})=('[^']*'|\"[^\"]*\"|[\w.-]+)", r"--\1 \2"),
)
"""How the Python interface is spelled on the command line."""
_PYTHON = re.compile(r"fallback=|dynamic_shapes|sol\.\w|torch\.compile\(|\w=['\"{\[(]")
"""What has no counterpart there."""


def as_typed(error: SolError) -> str:
    """The text of an error, with options of the program where it speaks of arguments of Python; advice that fits only there is left out."""
    clauses = [_translated(clause) for clause in error.remedy.split("; ")]
    remedy = "; ".join(clause.removeprefix("or ") if i == 0 else clause for i, clause in enumerate(c for c in clauses if c))
    return str(SolError(_translated(error.message, whole=True), origin=error.origin, remedy=remedy))


def _translated(text: str, *, whole: bool = False) -> str:
    """One piece of advice in the program's words, or nothing if only Python has such; whole: the text stays in any case."""
    for pattern, words in _WORDS:
        text = re.sub(pattern, lambda m: _spelled(m, words), text)  # noqa: B023  (called at once)
    text = re.sub(r"\b(SOL_\w+) or \1\b", r"\1", text)
    return text if whole or not _PYTHON.search(text) else ""


def _spelled(match: re.Match[str], words: str) -> str:
    made = match.expand(words)
    if made.startswith("SOL_"):
        return made.upper() if "=" not in made else made.partition("=")[0].upper() + "=" + made.partition("=")[2]
    option, _, value = made.partition(" ")
    if not option.startswith("--"):
        return made
    return f"{option.replace('_', '-')} {shlex.quote(re.sub(', *', ',', value.replace(chr(39), '').replace(chr(34), '')))}"
