"""Predicted and measured orders of kernels: how they are judged, and that the benchmark measures, keeps and goes on."""

from __future__ import annotations

import json

import pytest

from benchmarks import decisions
from benchmarks.orders import NOISE, Predicted, orders, report

SMALL = "tests.benchmarks.small:convolutions"


def judged(predicted: dict[str, float | None], *rounds: dict[str, float]):
    region = Predicted("conv_1", "conv", "key", predicted)
    return orders([region], [{"key": {name: [seconds] for name, seconds in r.items()}} for r in rounds])


@pytest.mark.parametrize("predicted,rounds,verdict", [
    ({"a": 1.0, "b": 2.0}, [{"a": 1.0, "b": 1.5}], "agree"),
    ({"a": 2.0, "b": 1.0}, [{"a": 1.0, "b": 1.5}], "disagree"),
    ({"a": 1.0, "b": 1.0}, [{"a": 1.0, "b": 1.5}], "disagree"),
    ({"a": None, "b": 1.0}, [{"a": 1.0, "b": 1.5}], "disagree"),
    ({"a": 1.0, "b": 2.0}, [{"a": 1.0, "b": 1.0 + NOISE / 2}], "tie"),
    ({"a": 1.0, "b": 2.0}, [{"a": 1.0, "b": 2.0}, {"a": 1.2, "b": 1.1}], "tie"),
    ({"a": 1.0, "b": 2.0, "c": 3.0}, [{"a": 1.0, "b": 1.5, "c": 0.9}], "disagree"),
    ({"a": 3.0, "b": 2.0, "c": 9.0}, [{"a": 1.5, "b": 1.0, "c": 2.0}], "agree"),
])  # fmt: skip
def test_the_two_that_were_measured_fastest_are_judged(predicted, rounds, verdict):
    (order,) = judged(predicted, *rounds)
    assert order.verdict == verdict


def test_what_was_not_measured_in_all_rounds_is_not_judged():
    assert not judged({"a": 1.0, "b": 2.0}, {"a": 1.0}, {"a": 1.0, "b": 2.0})
    assert not judged({"a": 1.0, "b": 2.0})


def test_a_report_counts_lists_and_tells_what_the_choice_costs():
    found = {"net": [*judged({"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 1.5}), *judged({"a": 2.0, "b": 1.0}, {"a": 2.0, "b": 1.0}),
                     *judged({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 1.001})]}  # fmt: skip
    text = report(found)
    assert "1 agree, 1 disagree (50 % of those that differ, 67 % with 1 ties)" in text
    assert "takes 33.3 % longer" in text and text.count("disagree conv_1") == 1
    assert "agree    conv_1" in report(found, verbose=True)


def test_measures_all_ways_keeps_them_and_goes_on(tmp_path, monkeypatch, capsys, cache_folder):
    path = tmp_path / "ways.json"
    line = [SMALL, "--json", str(path), "--rounds", "1", "--threads", "1", "--seconds", "1"]
    assert decisions.main([*line, "--build"]) == 0 and not path.exists()
    assert decisions.main(line) == 0
    (rounds,) = json.loads(path.read_text())["rounds"].values()
    measured = [ways for (round_,) in [rounds] for ways in round_.values()]
    assert len(measured) >= 2 and all(len(ways) > 1 and min(t for w in ways.values() for t in w) > 0 for ways in measured)
    monkeypatch.setattr(decisions, "Bench", lambda *a: pytest.fail("measured twice"))
    assert decisions.main(line) == 0 and decisions.main([*line, "--report", "--verbose"]) == 0
    assert f"{len(measured)} heavy regions with several ways" in capsys.readouterr().out
