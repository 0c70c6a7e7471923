"""What is going on and how long it will take: on a terminal, never in a pipe or a log.

``progress`` shows how many units the C compiler has done; ``showing_stages`` adds what happens before and after that.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from sol.config import config
from sol.stages import listening

_display: ContextVar[_Stages | None] = ContextVar("sol_display", default=None)


def progress(title: str, total: int) -> Progress:
    """A bar of ``total`` steps as the knob ``progress`` wants it; to be used in ``with``."""
    display = _display.get()
    if display is not None:
        return _StageProgress(title, total, display)
    if not total or not _wanted():
        return Progress(title, total)
    if not _terminal():
        return _LineProgress(title, total)  # rich draws nothing there, though the user wants to see it
    try:
        return _RichProgress(title, total)
    except ImportError:
        return _LineProgress(title, total)


@contextmanager
def showing_stages() -> Iterator[None]:
    """Inside ``with`` the stages of ``sol.stages`` are shown as they come, as the knob ``progress`` wants it."""
    if not _wanted():
        yield
        return
    display = _Stages()
    token = _display.set(display)
    try:
        with display, listening(display.begin):
            yield
    finally:
        _display.reset(token)


@contextmanager
def silent() -> Iterator[None]:
    """Inside ``with`` nothing is shown, in this context only."""
    token = _display.set(None)
    try:
        with config.override(progress="off"), listening(lambda what: None):
            yield
    finally:
        _display.reset(token)


def _wanted() -> bool:
    wanted = config["progress"]
    return wanted == "on" or (wanted == "auto" and _terminal())


class Progress:
    """Shows nothing; the base of those that do. ``advance`` may be called from any thread."""

    def __init__(self, title: str, total: int) -> None:
        self.title, self.total, self.done = title, total, 0
        self._mutex = threading.Lock()

    def advance(self) -> None:
        """One step is done."""
        with self._mutex:
            self.done += 1
            self._show()

    def __enter__(self) -> Progress:
        self._show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _show(self) -> None:
        pass

    def _close(self) -> None:
        pass


class _LineProgress(Progress):
    """One line that is written over."""

    def __init__(self, title: str, total: int) -> None:
        super().__init__(title, total)
        self._began = time.monotonic()

    def _show(self) -> None:
        eta = ""
        if 0 < self.done < self.total:
            eta = f", {(time.monotonic() - self._began) / self.done * (self.total - self.done):.0f} s left"
        sys.stderr.write(f"\r{self.title}: {self.done}/{self.total}{eta}  ")
        sys.stderr.flush()

    def _close(self) -> None:
        sys.stderr.write("\r\x1b[K" if _terminal() else "\n")
        sys.stderr.flush()


class _RichProgress(Progress):
    """rich's bar, which goes away when all is done. ImportError if rich is not installed."""

    def __init__(self, title: str, total: int) -> None:
        super().__init__(title, total)
        self._bar = _rich_bar()
        self._task: Any = None

    def _show(self) -> None:
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=self.total)
        self._bar.update(self._task, completed=self.done, description=f"{self.title} {self.done}/{self.total}")

    def _close(self) -> None:
        self._bar.stop()


def _rich_bar() -> Any:
    console: Any = importlib.import_module("rich.console")
    bars: Any = importlib.import_module("rich.progress")
    return bars.Progress(*_columns(counted=True), console=console.Console(stderr=True), transient=True)


def _columns(*, counted: bool) -> tuple[Any, ...]:
    """What is shown of a stage; counted: its steps are known."""
    bars: Any = importlib.import_module("rich.progress")
    begin = (bars.SpinnerColumn(), bars.TextColumn("{task.description}"))
    end = (bars.BarColumn(bar_width=30), bars.TextColumn("left"), bars.TimeRemainingColumn(compact=True), bars.TextColumn("after"))
    return (*begin, *(end if counted else ()), bars.TimeElapsedColumn())


class _Stages:
    """The stage at work, with the time it has taken, and a bar with the time left where steps can be counted."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._stage = ""
        try:
            self._bar: Any = _rich_bar() if _terminal() else None
        except ImportError:
            self._bar = None
        self._task: Any = None

    def __enter__(self) -> _Stages:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif _terminal():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def begin(self, what: str, total: int | None = None) -> None:
        """Another stage, of so many steps if that is known."""
        with self._mutex:
            if what == self._stage and total is None:
                return
            self._stage = what
            self._show(what, total)

    def _show(self, what: str, total: int | None) -> None:
        if self._bar is not None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._bar.columns = _columns(counted=total is not None)
            self._task = self._bar.add_task(what, total=total)
        else:
            sys.stderr.write(f"\r\x1b[K{what}" if _terminal() else f"{what}\n")
            sys.stderr.flush()

    def step(self, what: str, done: int, total: int) -> None:
        """So many steps are done."""
        with self._mutex:
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, completed=done, description=f"{what} {done}/{total}")
            elif self._bar is None and _terminal():
                sys.stderr.write(f"\r\x1b[K{what} {done}/{total}")
                sys.stderr.flush()


class _StageProgress(Progress):
    """Steps of a stage, in the display of stages."""

    def __init__(self, title: str, total: int, display: _Stages) -> None:
        super().__init__(title, total)
        self._to = display

    def __enter__(self) -> Progress:
        if self.total:
            self._to.begin(self.title, self.total)
        return super().__enter__()

    def _show(self) -> None:
        if self.total:
            self._to.step(self.title, self.done, self.total)


def _terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False
