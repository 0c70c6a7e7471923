"""The timer: processes that report, fail, die or hang; turns; statistics."""

from __future__ import annotations

import math
import sys

import pytest

from sol.bench import geometric_mean, in_process, measure, over_rounds, time_calls, turns


def run(code: str, **options: float) -> dict:
    return in_process([sys.executable, "-c", code], **options)


def test_a_process_reports():
    assert run("print('noise'); from sol.bench import report; report({'median_ms': 2})") == {"median_ms": 2}


@pytest.mark.parametrize(
    ("code", "reason"),
    [("raise ValueError('no such thing')", "ValueError: no such thing"), ("import os; os.kill(os.getpid(), 11)", "killed by SIGSEGV"),
     ("import sys; sys.exit(3)", "exit code 3")],
)  # fmt: skip
def test_a_process_fails(code, reason):
    assert run(code) == {"failed": reason}


def test_a_process_that_hangs_is_ended():
    assert "longer than 0.5 s" in run("import time; time.sleep(60)", timeout=0.5)["failed"]


def test_turns_rotate():
    assert list(turns("abc", 2)) == [(0, "a"), (0, "b"), (0, "c"), (1, "b"), (1, "c"), (1, "a")]
    assert list(turns("", 2)) == []


def test_time_calls_counts():
    calls = []
    timing = time_calls(lambda: calls.append(1), seconds=0.0, least=7)
    assert timing.calls == 7 and len(calls) == 10 and 0 < timing.min_ms <= timing.median_ms


def test_measure_gives_result_and_figures():
    measurement, result = measure(lambda: lambda: "y", seconds=0.01)
    assert result == "y" and {"median_ms", "min_ms", "calls", "setup_s", "peak_mb", "run_peak_mb"} == set(measurement)


def test_over_rounds():
    rounds = [{"median_ms": m, "min_ms": m - 1, "setup_s": s, "peak_mb": p} for m, s, p in ((3, 9, 1), (2, 1, 5), (8, 2, 2))]
    line = over_rounds(rounds)
    assert (line["median_ms"], line["best_median_ms"], line["min_ms"], line["setup_s"], line["peak_mb"]) == (3, 2, 1, 9, 5)


def test_geometric_mean():
    assert geometric_mean([1, 4]) == 2 and math.isnan(geometric_mean([]))
