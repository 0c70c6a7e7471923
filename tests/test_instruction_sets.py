"""What a machine without an instruction set leaves out is counted and told."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from sol.codegen import targets
from tests import instruction_sets
from tests.instruction_sets import REASON, completed, each_isa, summary


@pytest.fixture
def lesser(monkeypatch: pytest.MonkeyPatch) -> None:
    """An x86-64 machine with AVX2 and without AVX-512."""
    monkeypatch.setattr(targets, "architecture", lambda: "x86_64")
    monkeypatch.setattr(targets, "cpu_features", lambda: frozenset(targets.by_name("avx2").needs))


def rows(mark: pytest.Mark) -> list[tuple[tuple[Any, ...], bool]]:
    """Values of each row, and whether it is skipped."""
    found = [row if hasattr(row, "marks") else pytest.param(*(row if isinstance(row, tuple) else (row,))) for row in mark.args[1]]
    return [(tuple(row.values), any(m.name == "skip" for m in map(lambda m: getattr(m, "mark", m), row.marks))) for row in found]


def parametrized(names: Any, values: list[Any]) -> pytest.Mark:
    return completed(pytest.mark.parametrize(names, values).mark)


def test_a_list_of_what_runs_is_completed(lesser: None) -> None:
    assert targets.runnable() == ("avx2", "generic") and instruction_sets.lacking() == ("avx512",)
    assert rows(parametrized("isa", ["avx2", "generic"])) == [(("avx2",), False), (("generic",), False), (("avx512",), True)]
    pairs = [("avx2", 1), ("avx2", 2), ("generic", 1)]
    assert rows(parametrized("isa,n", pairs)) == [*((p, False) for p in pairs), (("avx512", 1), True), (("avx512", 2), True)]
    assert [p.values[0] for p in each_isa()] == ["avx2", "generic", "avx512"]


@pytest.mark.parametrize(
    ("names", "values"), [("isa", ["avx2"]), ("n", [1, 2]), ("isa", ["avx512", "avx2", "generic"]), ("isa", ["native"])]
)
def test_other_lists_stay(names: str, values: list[Any], lesser: None) -> None:
    """One instruction set asked for by name, sizes, and lists that name all."""
    assert rows(parametrized(names, values)) == [((v,), False) for v in values]


def report(reason: str = "", without: str = "") -> SimpleNamespace:
    properties = [(instruction_sets.PROPERTY, without)] if without else []
    longrepr = ("file", 1, f"Skipped: {reason}") if reason else None
    return SimpleNamespace(skipped=bool(reason), longrepr=longrepr, when="setup" if reason else "call", user_properties=properties)


def test_the_end_tells_numbers() -> None:
    skipped = [report(REASON + "avx512"), report(REASON + "avx512"), report("no browser"), report(REASON + "neon")]
    reports = [*skipped, report(without="avx512"), report()]
    assert summary(reports) == ["avx512: 2 tests not run, 1 run without it", "neon: 1 tests not run, 0 run without it"]
    assert summary([report(), report("no browser")]) == []


@pytest.mark.skipif(targets.architecture() != "x86_64", reason="AVX2 is of x86-64")
@pytest.mark.parametrize("option", [(), ("-n", "2")], ids=["one process", "two processes"])
def test_a_whole_run(option: tuple[str, ...]) -> None:
    line = [sys.executable, "-m", "pytest", "--without-isa", "avx2", *option, "tests/codegen/test_math.py", "-k", "pow or tanh or erfc"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "instruction sets that this machine does not run" in done.stdout and "avx2: " in done.stdout
