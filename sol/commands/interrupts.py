"""What ^C does while a command runs: one ends it cleanly, with nothing but a word on the terminal; a second one ends it at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

CODE = 130


class Interrupts:
    """Whether the user pressed ^C. Libraries turn a KeyboardInterrupt into other errors, or swallow it; this tells all the same."""

    def __init__(self) -> None:
        self.seen = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.seen:
            os._exit(CODE)
        self.seen = True
        raise KeyboardInterrupt


@contextmanager
def clean_interrupts() -> Iterator[Interrupts]:
    """Inside, ^C raises KeyboardInterrupt once and no traceback is written where Python cannot pass it on."""
    interrupts = Interrupts()
    shown, before = sys.unraisablehook, signal.signal(signal.SIGINT, interrupts)

    def quiet(unraisable: Any) -> None:
        if not interrupts.seen:
            shown(unraisable)

    sys.unraisablehook = quiet
    try:
        yield interrupts
    finally:
        if interrupts.seen:
            exec("")  # Python ends by the signal where one reached a text that is executed, until another text was executed to its end
        sys.unraisablehook = shown
        signal.signal(signal.SIGINT, before if not interrupts.seen else (lambda *_: os._exit(CODE)))
