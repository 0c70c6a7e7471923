"""Instruction sets that this machine lacks: their tests are listed at the end as not run, never left out in silence.

Tests take their instruction sets from what runs here. Where pytest makes tests of such a list, those of the architecture's others are added
as skipped; what asks for another one is skipped when it is about to run; and a test that goes through a list itself is noted as run without
the others. ``pytest --without-isa avx512`` shows what a machine without it would do.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from sol.codegen import targets

REASON = "this machine does not run "
PROPERTY = "run without"
SAMPLED = 3  # of so many tests on a lesser instruction set one is run each time
_left_out: set[str] = set()


def lacking() -> tuple[str, ...]:
    """Instruction sets of this architecture that do not run here, best first."""
    mine = ("", targets.architecture())
    return tuple(name for name, target in targets.TARGETS.items() if target.architecture in mine and not target.runs_here())


def each_isa() -> list[Any]:
    """All instruction sets of this architecture for pytest."""
    return [row(name) for name in (*targets.runnable(), *lacking())]


def row(isa: str, *others: Any) -> Any:
    """Arguments of a test, the first of them an instruction set, which is skipped where that does not run."""
    return pytest.param(isa, *others, marks=() if isa in targets.runnable() else _not_run(isa))


def _not_run(isa: str) -> pytest.MarkDecorator:
    return pytest.mark.skip(reason=REASON + isa)


def refuse(isa: str) -> None:
    """Skip the running test, whose kernels nothing here can run."""
    pytest.skip(REASON + isa)


def note_left_out() -> None:
    """The running test goes through the instruction sets of this machine only."""
    _left_out.update(lacking())


def taken_notes() -> list[tuple[str, str]]:
    """Properties for the report of the test that ran since the last call."""
    found = [(PROPERTY, isa) for isa in sorted(_left_out)]
    _left_out.clear()
    return found


def pretend_to_lack(isa: str) -> None:
    """From here on, this machine lacks what this instruction set needs beyond lesser ones, and so runs no better ones either."""
    names = list(targets.TARGETS)
    lesser = (targets.TARGETS[name].needs for name in names[names.index(isa) + 1 :])
    absent = frozenset(targets.by_name(isa).needs).difference(*lesser)
    kept = targets.cpu_features() - absent
    targets.cpu_features = lambda: kept  # type: ignore[assignment]
    targets._native.cache_clear()


def completed(mark: pytest.Mark) -> pytest.Mark:
    """A parametrization over the instruction sets that run here, with skipped rows for the others: those of the best one that runs."""
    names, rows = _names(mark.args[0]), list(mark.args[1])
    if "isa" not in names or mark.kwargs.get("indirect"):
        return mark
    place = names.index("isa")
    given = {_isa(row, place, len(names)) for row in rows}
    if not given.issuperset(targets.runnable()):
        return mark
    best = targets.runnable()[0]
    for isa in lacking():
        if isa not in given:
            rows += [_other(row, place, len(names), isa) for row in rows if _isa(row, place, len(names)) == best]
    return pytest.Mark(mark.name, (mark.args[0], rows, *mark.args[2:]), mark.kwargs, _ispytest=True)


def leave_to_conformance(items: Sequence[pytest.Item]) -> None:
    """Mark about two of three tests of a function on each lesser instruction set as conformance tests: templates are the same for all.

    Which ones is drawn by name: of combinations, none is always among those that are left to it. A function some of whose tests are
    conformance tests (``thinned`` of codegen/combinations.py) has chosen for itself.
    """
    lesser, met = targets.runnable()[1:], Counter[tuple[str, str]]()
    chosen = {_function(item) for item in items if item.get_closest_marker("conformance")}
    for item in items:
        isa = item.callspec.params.get("isa") if isinstance(item, pytest.Function) and hasattr(item, "callspec") else None
        if isa in lesser and _function(item) not in chosen:
            key = (_function(item), isa)
            if met[key] and zlib.crc32(item.nodeid.encode()) % SAMPLED:
                item.add_marker(pytest.mark.conformance)
            met[key] += 1


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _names(given: str | Sequence[str]) -> list[str]:
    return [n.strip() for n in given.split(",")] if isinstance(given, str) else list(given)


def _values(row: Any, count: int) -> tuple[Any, ...]:
    if hasattr(row, "marks"):
        return tuple(row.values)
    return tuple(row) if count > 1 else (row,)


def _isa(row: Any, place: int, count: int) -> Any:
    value = _values(row, count)[place]
    return value if isinstance(value, str) else None


def _other(row: Any, place: int, count: int, isa: str) -> Any:
    values = list(_values(row, count))
    values[place] = isa
    return pytest.param(*values, marks=(*getattr(row, "marks", ()), _not_run(isa)))


def summary(reports: Iterable[Any]) -> list[str]:
    """Lines for the end of a test run: instruction sets with numbers of tests."""
    skipped: Counter[str] = Counter()
    without: Counter[str] = Counter()
    for report in reports:
        if report.skipped and isinstance(report.longrepr, tuple):
            skipped.update(re.findall(re.escape(REASON) + r"(\w+)", report.longrepr[2]))
        if report.when == "call":
            without.update(value for name, value in report.user_properties if name == PROPERTY)
    return [f"{isa}: {skipped[isa]} tests not run, {without[isa]} run without it" for isa in sorted({*skipped, *without})]
