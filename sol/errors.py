"""Every error sol raises on purpose: what went wrong, where in the user's model, and what to do about it."""

from __future__ import annotations


class SolError(Exception):
    """Base of all errors raised by sol.

    message: one sentence that names the culprit.
    origin: module path and source line in the user's model, when known.
    remedy: one sentence that says what the user can do, when there is something.
    """

    def __init__(self, message: str, *, origin: str = "", remedy: str = "") -> None:
        self.message, self.origin, self.remedy = message, origin, remedy
        super().__init__(message)

    def __str__(self) -> str:
        text = self.message
        if self.origin:
            text += f"\n  at: {self.origin}"
        if self.remedy:
            text += f"\n  remedy: {self.remedy}"
        return text


class InputError(SolError, ValueError):
    """An input has a shape, dtype, device or structure that the module does not take."""


class IndexRangeError(SolError, IndexError, RuntimeError):
    """An index is outside of the dimension that it chooses from; torch raises IndexError or RuntimeError, by operation."""


class OutOfMemoryError(SolError, MemoryError, RuntimeError):
    """The system has no memory left for a call; torch raises RuntimeError then, numpy MemoryError."""


class TypeInferenceError(SolError, TypeError):
    """Operand types do not fit an op."""


class UnsupportedError(SolError, NotImplementedError):
    """The model uses something that sol does not compile."""


class VerifyError(SolError):
    """An invariant of the IR does not hold: a defect in sol."""


class ModelError(SolError, ValueError):
    """A model file is damaged, contradicts its format's specification, or reaches for what it may not read."""


class ExportError(SolError):
    """torch.export could not capture the model."""


class CompilerNotFoundError(SolError):
    """No C compiler is on PATH."""


class CompilerError(SolError):
    """The C compiler was found but failed."""


class CacheError(SolError):
    """The cache folder cannot be used."""


class OutputError(SolError):
    """A file that the user asked for cannot be written."""


class ConfigError(SolError, ValueError):
    """A knob was given a value it does not take."""


class MismatchError(SolError):
    """Compiled results differ from the reference by more than the tolerance."""
