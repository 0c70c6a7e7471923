"""How long kernels may be measured for what is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sol.config import config

LONG = 30.0
"""Seconds from which on a budget is worth the thorough way."""


@contextmanager
def budgeted(seconds: float | None) -> Iterator[None]:
    """``config["autotune"]`` and its time for what is compiled inside: 0 is off, None leaves both as they are."""
    if seconds is None:
        yield
        return
    level = "off" if seconds == 0 else "quick" if seconds < LONG else "full"
    with config.override(autotune=level, autotune_seconds=seconds):
        yield
