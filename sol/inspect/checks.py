"""How compiled results are compared: the measure of error and what a verification says. Independent of where the model came from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

FACTOR = 5.0
"""How many times the error of the reference, or of plain float32 rounding, a result may have."""
SOL, IMPORT, UNKNOWN = "sol", "the import", "unknown"
INFINITE = float("inf")
STEP = 1.001
"""Quantization steps that a result may be off: a value that lies between two goes to either."""


@dataclass(frozen=True)
class OutputCheck:
    """Largest absolute difference of one output relative to its largest magnitude; None where no reference could be computed.

    peer: another engine that runs the same model, torch or onnxruntime.
    step: the output's quantization step in the same unit, None if it is not quantized.
    off: the side that is off: "sol" (its kernels), "the import" (what sol takes the model to mean), the name of the peer, "unknown" where
        float64 values are missing, empty if no side is.
    """

    name: str
    sol_against_peer: float | None
    sol_against_float64: float | None
    peer_against_float64: float | None
    step: float | None = None
    off: str = ""

    @property
    def fails(self) -> bool:
        """Whether sol may be wrong."""
        return self.off in (SOL, IMPORT, UNKNOWN)

    @property
    def is_compared(self) -> bool:
        """Whether there was something to compare with."""
        return self.sol_against_peer is not None or self.sol_against_float64 is not None


def judged(check: OutputCheck, limit: float, peer: str, rounding: Callable[[], float | None]) -> OutputCheck:
    """The check with the side that is off.

    limit: relative error that is always allowed. rounding: the error that rounding every value to float32 makes, asked for only if need be:
    a network that quantizes or cancels makes large errors of small ones, in every engine.
    """
    ours, theirs, apart = check.sol_against_float64, check.peer_against_float64, check.sol_against_peer
    limit = max(limit, STEP * (check.step or 0.0))
    if ours is None:
        return replace(check, off=UNKNOWN if apart is not None and apart > limit else "")
    if ours > limit:
        alike = theirs is not None and ours <= FACTOR * theirs and (ours < INFINITE or apart != INFINITE)
        return check if alike or ours <= FACTOR * (rounding() or 0.0) else replace(check, off=SOL)
    if apart is None or theirs is None or apart <= limit or theirs <= max(limit, FACTOR * (rounding() or 0.0)):
        return check
    return replace(check, off=peer)


@dataclass(frozen=True)
class Verification:
    """passed: results of compiled code were compared, and sol is right, whether or not the peer is.

    compared: whether anything was compared: False where all of the model runs in torch, or where there is no reference for any output;
        ``passed`` is False then, too. culprit: where sol is wrong, the first node whose value is off. peer: what the outputs were compared
        with besides float64; empty if nothing was at hand. notes: what else a reader should know.
    """

    passed: bool
    tolerance: float
    outputs: tuple[OutputCheck, ...]
    culprit: str = ""
    peer: str = "torch"
    notes: tuple[str, ...] = ()
    compared: bool = True

    @property
    def verdict(self) -> str:
        """``passed``, ``FAILED`` or ``nothing compared``."""
        return "nothing compared" if not self.compared else "passed" if self.passed else "FAILED"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        outputs = [{k: getattr(o, k) for k in o.__dataclass_fields__} for o in self.outputs]
        return {"passed": self.passed, "compared": self.compared, "tolerance": self.tolerance, "peer": self.peer, "outputs": outputs,
                "culprit": self.culprit, "notes": list(self.notes)}  # fmt: skip

    def __str__(self) -> str:
        lines = [f"{self.verdict} (tolerance {self.tolerance:g})"]
        lines += [self._line(output) for output in self.outputs]
        if self.culprit:
            lines.append(f"  first node that is off: {self.culprit}")
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)

    def _line(self, o: OutputCheck) -> str:
        def show(error: float | None) -> str:
            steps = "" if error is None or not o.step else f" ({error / o.step:.2g} quantization steps)"
            return "n/a" if error is None else f"{error:.1e}{steps}"

        pairs = [f"sol vs float64 {show(o.sol_against_float64)}"]
        if self.peer:
            pairs = [f"sol vs {self.peer} {show(o.sol_against_peer)}", *pairs, f"{self.peer} vs float64 {show(o.peer_against_float64)}"]
        off = {"": "", UNKNOWN: ": they differ, and which side is off is not known"}.get(o.off, f": {o.off} is off")
        return f"  {o.name}: {', '.join(pairs)}{off}"


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    """max |actual - expected| / max |expected|; infinite if NaN or Inf stand in different places."""
    wide = np.complex128 if np.iscomplexobj(actual) or np.iscomplexobj(expected) else np.float64
    actual, expected = np.asarray(actual, wide), np.asarray(expected, wide)
    if actual.shape != expected.shape:
        return float("inf")
    if actual.size == 0:
        return 0.0
    special = ~np.isfinite(expected)
    if special.any() or not np.isfinite(actual).all():
        same = np.array_equal(actual[special], expected[special], equal_nan=True) and np.isfinite(actual[~special]).all()
        if not same:
            return float("inf")
        actual, expected = actual[~special], expected[~special]
        if actual.size == 0:
            return 0.0
    scale = np.abs(expected).max()
    return float(np.abs(actual - expected).max() / (scale if scale > 0 else 1.0))
