"""A progress bar while the C compiler runs: on a terminal, never in a pipe or a log."""

from __future__ import annotations

import importlib
import sys
import threading
from types import TracebackType
from typing import Any

from sol.config import config


def progress(title: str, total: int) -> Progress:
    """A bar of ``total`` steps as the knob ``progress`` wants it; to be used in ``with``."""
    wanted = config["progress"]
    if not total or wanted == "off" or (wanted == "auto" and not _terminal()):
        return Progress(title, total)
    if not _terminal():
        return _LineProgress(title, total)  # rich draws nothing there, though the user wants to see it
    try:
        return _RichProgress(title, total)
    except ImportError:
        return _LineProgress(title, total)


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

    def _show(self) -> None:
        sys.stderr.write(f"\r{self.title}: {self.done}/{self.total}")
        sys.stderr.flush()

    def _close(self) -> None:
        sys.stderr.write("\r\x1b[K" if _terminal() else "\n")
        sys.stderr.flush()


class _RichProgress(Progress):
    """rich's bar, which goes away when all is done. ImportError if rich is not installed."""

    def __init__(self, title: str, total: int) -> None:
        super().__init__(title, total)
        console: Any = importlib.import_module("rich.console")
        bars: Any = importlib.import_module("rich.progress")
        self._bar = bars.Progress(
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            bars.TimeElapsedColumn(),
            console=console.Console(stderr=True),
            transient=True,
        )
        self._task: Any = None

    def _show(self) -> None:
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=self.total)
        self._bar.update(self._task, completed=self.done)

    def _close(self) -> None:
        self._bar.stop()


def _terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False
