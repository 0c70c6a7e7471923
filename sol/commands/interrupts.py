"""What ^C does while a command runs: one ends it cleanly, with nothing but a word on the terminal; a second one ends it at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ExtensionFileLoader
from types import FrameType
from typing import Any

CODE = 130
_INTO_C = {ExtensionFileLoader.create_module.__code__, ExtensionFileLoader.exec_module.__code__}
_PAUSE = 0.01  # seconds


class Interrupts:
    """Whether the user pressed ^C. Libraries turn a KeyboardInterrupt into other errors, or swallow it; this tells all the same."""

    def __init__(self) -> None:
        self.seen = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.seen:
            os._exit(CODE)
        self.seen = True
        self.raise_here(number, frame)

    def raise_here(self, number: int, frame: FrameType | None) -> None:
        """Raise, but later while a module written in C starts: those crash on an exception that they do not expect."""
        while frame is not None:
            if frame.f_code in _INTO_C:
                signal.setitimer(signal.ITIMER_REAL, _PAUSE)
                return
            frame = frame.f_back
        raise KeyboardInterrupt


@contextmanager
def clean_interrupts() -> Iterator[Interrupts]:
    """Inside, ^C raises KeyboardInterrupt once and no traceback is written where Python cannot pass it on."""
    interrupts = Interrupts()
    shown, before = sys.unraisablehook, signal.signal(signal.SIGINT, interrupts)
    alarm = signal.signal(signal.SIGALRM, interrupts.raise_here)

    def quiet(unraisable: Any) -> None:
        if not interrupts.seen:
            shown(unraisable)

    sys.unraisablehook = quiet
    try:
        yield interrupts
    finally:
        if interrupts.seen:
            signal.setitimer(signal.ITIMER_REAL, 0)
            exec("")  # Python ends by the signal where one reached a text that is executed, until another text was executed to its end
        signal.signal(signal.SIGALRM, alarm)
        sys.unraisablehook = shown
        signal.signal(signal.SIGINT, before if not interrupts.seen else (lambda *_: os._exit(CODE)))
