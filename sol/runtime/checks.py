"""How compiled results are compared: the measure of error and what a verification says. Independent of where the model came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class OutputCheck:
    """Largest absolute difference of one output relative to its largest magnitude; None where no reference could be computed.

    peer: another engine that runs the same model, torch or onnxruntime.
    """

    name: str
    sol_against_peer: float | None
    sol_against_float64: float | None
    peer_against_float64: float | None


@dataclass(frozen=True)
class Verification:
    """passed: every output within the tolerance. culprit: the first node whose compiled value is off.

    peer: what the outputs were compared with besides float64; empty if nothing was at hand. notes: what else a reader should know.
    """

    passed: bool
    tolerance: float
    outputs: tuple[OutputCheck, ...]
    culprit: str = ""
    peer: str = "torch"
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        outputs = [{k: getattr(o, k) for k in o.__dataclass_fields__} for o in self.outputs]
        return {"passed": self.passed, "tolerance": self.tolerance, "peer": self.peer, "outputs": outputs, "culprit": self.culprit,
                "notes": list(self.notes)}  # fmt: skip

    def __str__(self) -> str:
        def show(error: float | None) -> str:
            return "n/a" if error is None else f"{error:.1e}"

        lines = [f"{'passed' if self.passed else 'FAILED'} (tolerance {self.tolerance:g})"]
        for o in self.outputs:
            pairs = [f"sol vs float64 {show(o.sol_against_float64)}"]
            if self.peer:
                pairs = [f"sol vs {self.peer} {show(o.sol_against_peer)}", *pairs, f"{self.peer} vs float64 {show(o.peer_against_float64)}"]
            lines.append(f"  {o.name}: {', '.join(pairs)}")
        if self.culprit:
            lines.append(f"  first node that is off: {self.culprit}")
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    """max |actual - expected| / max |expected|; infinite if NaN or Inf stand in different places."""
    actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
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
