"""What make test leaves out: as much as does not fit, never a function that is short, and first what was met already."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import budget
from tests.budget import affordable, function_of, known, leave_to_conformance, written


class Case:
    """As much of a test as the budget looks at."""

    def __init__(self, nodeid: str, seconds: float | None = None, **indices: int) -> None:
        self.nodeid, self.marks = nodeid, [] if seconds is None else [pytest.mark.budget(seconds).mark]
        self.callspec = SimpleNamespace(indices=indices)

    def get_closest_marker(self, name: str) -> Any:
        return next((m for m in self.marks if m.name == name), None)

    def add_marker(self, mark: Any) -> None:
        self.marks.append(mark.mark)

    @property
    def runs(self) -> bool:
        return self.get_closest_marker("conformance") is None


def table(seconds: float | None = None) -> list[Case]:
    return [Case(f"f.py::test[{isa}-{size}]", seconds, isa=isa, size=size) for isa in range(3) for size in range(4)]


def test_what_fits_is_run_and_meets_every_argument() -> None:
    cases = table()
    leave_to_conformance(cases, {"f.py::test": budget.BUDGET / 4})  # type: ignore[arg-type]
    taken = [c for c in cases if c.runs]
    assert len(taken) == 4 and taken[0] is cases[0]
    assert {c.callspec.indices["isa"] for c in taken} == set(range(3)) and {c.callspec.indices["size"] for c in taken} == set(range(4))


def test_functions_that_are_short_or_not_known_are_run_whole() -> None:
    cases = table()
    leave_to_conformance(cases, {"f.py::test": 0.01})  # type: ignore[arg-type]
    leave_to_conformance(cases, {"another": 9.0})  # type: ignore[arg-type]
    assert all(c.runs for c in cases)


@pytest.mark.parametrize(
    ("seconds", "budget_of_its_own", "count"), [(0.0, None, 12), (4.0, None, 1), (7.0, None, 0), (7.0, 8, 1), (1.0, 5, 5), (9.0, 8, 0)]
)
def test_numbers_of_cases(seconds: float, budget_of_its_own: float | None, count: int) -> None:
    cases = table(budget_of_its_own)
    assert min(affordable(seconds, cases[0]), 12) == count  # type: ignore[arg-type]
    leave_to_conformance(cases, {"f.py::test": seconds})  # type: ignore[arg-type]
    assert sum(c.runs for c in cases) == count


def test_cases_that_are_left_out_already_do_not_count() -> None:
    cases = table()
    for case in cases[:6]:
        case.add_marker(pytest.mark.conformance)
    leave_to_conformance(cases, {"f.py::test": budget.BUDGET / 2})  # type: ignore[arg-type]
    assert [c.runs for c in cases[:7]] == [False] * 6 + [True] and sum(c.runs for c in cases) == 2


def test_what_was_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports = [SimpleNamespace(nodeid=f"a.py::test_long[{i}-x::y z]", duration=0.5) for i in (1, 2) for _ in ("setup", "call")]
    reports.append(SimpleNamespace(nodeid="a.py::test_short", duration=budget.WRITTEN / 2))
    text = written(reports)
    assert text == "2.0 2 a.py::test_long\n"
    monkeypatch.setattr(budget, "DURATIONS", tmp_path / "durations.txt")
    assert known() == {}
    budget.DURATIONS.write_text(text)
    assert known() == {"a.py::test_long": 1.0}


def test_every_duration_is_of_a_function_that_exists() -> None:
    """A function that is renamed has a budget under its new name, too: its line is renamed with it."""
    root = Path(__file__).parent.parent
    for name in known():
        path, _, function = name.partition("::")
        assert f"def {function_of(function)}(" in (root / path).read_text(), f"tests/durations.txt names {name}, which is not there"
