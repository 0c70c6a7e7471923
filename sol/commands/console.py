"""What commands share on the console: tables, sizes, durations, settings for the time of a command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sol.commands.files import write_text
from sol.config import config
from sol.errors import ConfigError

LONG = 30.0
"""Seconds of a time budget from which all alternatives are measured, not only the likely ones."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Aligned columns; the first ``left`` are text, the others numbers."""
    lines = [list(header), *[list(r) for r in rows]]
    wide = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(text.ljust(w) if i < left else text.rjust(w) for i, (text, w) in enumerate(zip(line, wide))).rstrip() for line in lines
    )


def bytes_text(size: float) -> str:
    """``1536`` → ``1.5 KiB``."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file of JSON; NaN and infinities become text. OutputError if it cannot be written."""
    write_text(path, json.dumps(_plain(content), indent=1, default=str) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def parse_seconds(text: str) -> float:
    """``60s``, ``2m``, ``90`` → seconds; ConfigError for anything else."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|sec|m|min|h)?\s*", text)
    if match is None:
        raise ConfigError(f"{text!r} is no duration", remedy="write 60s, 2m or a number of seconds")
    return float(match[1]) * {"m": 60.0, "min": 60.0, "h": 3600.0}.get(match[2] or "s", 1.0)


@contextmanager
def settings(*, time_budget: str | None = None, progress: str | None = None) -> Iterator[None]:
    """Knobs for the time of a command.

    time_budget: how long kernels may be measured to choose between them; "0" leaves the choice to the cost model.
    """
    values: dict[str, Any] = {}
    if time_budget is not None:
        seconds = parse_seconds(time_budget)
        values = {"autotune": "off"} if seconds == 0 else {"autotune": "full" if seconds >= LONG else "quick", "autotune_seconds": seconds}
    if progress is not None:
        values["progress"] = progress
    with config.override(**values):
        yield
