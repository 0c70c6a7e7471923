"""Which of two ways to compute the same is faster on this machine: timed once, and kept in the cache."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from sol.build.cache import key_of, store
from sol.codegen.targets import resolve
from sol.config import config
from sol.tuning.database import machine_of

ROUNDS = 7
"""How often either side is timed at least, in turns; the smallest times count."""
WAITED = 0.05
"""Seconds that timing goes on for at least."""
MARGIN = 0.95
"""Of torch's time, which compiled code must not need more than."""


def kept_choice(text: str, threads: int) -> str:
    """What was chosen for calls that ``text`` describes, on this machine with so many threads: "sol", "torch", or "" if nothing was."""
    found = store().read(_key(text, threads))
    return found.decode() if found in (b"sol", b"torch") else ""


def keep_choice(text: str, threads: int, chosen: str) -> None:
    """Keep it for later processes."""
    store().put(_key(text, threads), chosen.encode())


def _key(text: str, threads: int) -> str:
    return key_of("choice", text, machine_of(resolve(config["isa"]), threads), torch.__version__)


def is_faster(ours: Callable[[], Any], torchs: Callable[[], Any]) -> bool:
    """Whether the first one takes less time by a margin."""
    times, began, rounds = [float("inf"), float("inf")], time.perf_counter(), 0
    while rounds <= ROUNDS or time.perf_counter() - began < WAITED:
        for i, side in enumerate((ours, torchs)):
            begin = time.perf_counter()
            side()
            if rounds:  # the first one fetches code and data
                times[i] = min(times[i], time.perf_counter() - begin)
        rounds += 1
    return times[0] < MARGIN * times[1]
