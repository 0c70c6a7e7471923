"""How much time a test function may take in ``make test``: of those that would take more, the rest is left to ``make conformance``.

``durations.txt`` holds what functions took when nothing was compiled (``make durations`` writes it anew). A function gets BUDGET seconds,
or as many as its mark says: ``@pytest.mark.budget(seconds)``. Of its cases so many are run as fit, chosen so that they share few
arguments; one is run in any case, unless it alone takes more than LONGEST. A function whose duration is not known is run whole.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

DURATIONS = Path(__file__).with_name("durations.txt")
BUDGET = 0.4  # seconds of a function
LONGEST = 4.0  # seconds of one case
WRITTEN = 0.4  # seconds of a function from which its duration is written down


def leave_to_conformance(items: Sequence[pytest.Item], each: dict[str, float]) -> None:
    """Mark what does not fit into the budget of its function as conformance tests. each: seconds of one case by function."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("conformance") is None:
            cases.setdefault(function_of(item.nodeid), []).append(item)
    for name, found in cases.items():
        count = affordable(each.get(name, 0.0), found[0])
        for item in rest_of(found, count) if count < len(found) else ():
            item.add_marker(pytest.mark.conformance)


def affordable(seconds: float, item: pytest.Item) -> int:
    """How many cases of so many seconds a function may run."""
    mark = item.get_closest_marker("budget")
    budget = mark.args[0] if mark else BUDGET
    if seconds > max(budget, LONGEST):
        return 0
    return max(1, int(budget / seconds)) if seconds else 1 << 30


def rest_of(items: Sequence[pytest.Item], count: int) -> list[pytest.Item]:
    """What is left when so many cases are taken, the first one and others that have met most arguments of each parameter."""
    rest = list(items)
    met: set[tuple[str, int]] = set()
    for number in range(count):
        best = max(rest, key=lambda item: (len(_arguments(item) - met), zlib.crc32(item.nodeid.encode()))) if number else rest[0]
        rest.remove(best)
        met |= _arguments(best)
    return rest


def _arguments(item: pytest.Item) -> set[tuple[str, int]]:
    """Which arguments a case has, by number."""
    called: Any = getattr(item, "callspec", None)
    return set(called.indices.items()) if called is not None else set()


def function_of(nodeid: str) -> str:
    """The test function that a case is of."""
    return nodeid.partition("[")[0]


def known() -> dict[str, float]:
    """Seconds of one case by function, as they were written down."""
    found = {}
    for line in DURATIONS.read_text().splitlines() if DURATIONS.exists() else ():
        seconds, cases, name = line.split(" ", 2)
        found[name] = float(seconds) / int(cases)
    return found


def written(reports: Iterable[Any]) -> str:
    """Lines of ``durations.txt``: seconds of all cases of a function, their number, the function; the longest ones first."""
    seconds: dict[str, float] = {}
    cases: dict[str, set[str]] = {}
    for report in reports:
        name = function_of(report.nodeid)
        seconds[name] = seconds.get(name, 0.0) + report.duration
        cases.setdefault(name, set()).add(report.nodeid)
    long = sorted((n for n in seconds if seconds[n] > WRITTEN), key=lambda n: (-round(seconds[n], 1), n))
    return "".join(f"{seconds[n]:.1f} {len(cases[n])} {n}\n" for n in long)
