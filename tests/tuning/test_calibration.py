"""Calibration: figures from samples, however disturbed; what is kept, and when it counts."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sol.build import plans
from sol.build.cache import store
from sol.codegen.machines import ZEN4
from sol.codegen.targets import Target, by_name, resolve
from sol.config import config
from sol.ir.builder import GraphBuilder
from sol.ir.types import DType, TensorType
from sol.tuning import calibration, tile_pace
from sol.tuning.calibration import calibrate, calibrated, forget, kept, measure
from sol.tuning.compile import compile_tuned
from sol.tuning.rates import accumulators, beside

TARGET = replace(by_name("avx512"), machine=ZEN4)


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tile_pace, "pace", lambda target: None)
    with config.override(cache_dir=tmp_path / "cache", calibration=True):
        yield


class FakeRates:
    """A machine of 4 GHz with two multiply-adds, two additions, two loads and three broadcasts per cycle, with fast memory.

    wrong: by kind, what is done to the time of its n-th measurement.
    """

    wrong: dict[str, Any] = {}

    def __init__(self, target: Target, threads: int, size: int) -> None:
        self.operations = {"clock": 8 * accumulators(target), "multiply_adds": 2 * accumulators(target)}
        self.operations |= {"additions": 2 * beside(target), "loads": 16, "broadcasts": 32 / 3}
        self.number = count()

    def seconds(self, kind: str, rounds: int = 1, *, threads: int = 1, size: int = 0, of_processor: bool = False) -> float:
        if kind in self.operations:
            true = self.operations[kind] * rounds / 4e9
        else:
            bandwidth = next(
                rate for most, rate in ((32 << 10, 400e9), (1 << 20, 200e9), (16 << 20, 60e9), (1 << 40, 30e9)) if size <= most
            )
            true = {"read": size * rounds / bandwidth, "barriers": rounds * 0.2e-6, "meeting": 50e-6}[kind]
        return self.wrong.get(kind, lambda time, number: time)(true, next(self.number))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "Rates", FakeRates)
    monkeypatch.setattr(calibration, "cache_bytes", lambda level: 32 << 20)
    monkeypatch.setattr(FakeRates, "wrong", {})


def test_figures_of_a_quiet_machine(fake: None) -> None:
    found = measure(TARGET, 2, 0)
    core, memory, barrier, wake = found.figures.core, found.figures.memory, found.figures.barrier, found.figures.wake
    assert (core.multiply_adds, core.additions, core.loads, core.broadcasts) == (2, 2, 2, 3)
    assert (core.clock, barrier, wake) == pytest.approx((4e9, 0.2e-6, 50e-6))
    assert [level.alone for level in (memory.l1, memory.l2, memory.l3, memory.main)] == pytest.approx([400e9, 200e9, 60e9, 30e9])
    assert memory.main.together == pytest.approx(60e9) and (memory.l1.bytes, memory.l2.bytes, memory.threads) == (32 << 10, 1 << 20, 2)
    assert found.notes == () and all(spread < 1e-9 for _, spread in found.spreads) and (found.target, found.table) == ("avx512", "zen4")


def test_one_thread_has_no_team(fake: None) -> None:
    figures = measure(TARGET, 1, 0).figures
    assert figures.barrier == figures.wake == 0 and figures.memory.main.together == figures.memory.main.alone


def test_a_disturbed_machine_gives_medians_and_a_note(fake: None) -> None:
    FakeRates.wrong = {
        "read": lambda time, number: time * (1 + 4 * (number % 3 == 0)),
        "barriers": lambda time, number: time * (number % 7 + 1),
    }
    found = measure(TARGET, 2, 0)
    assert found.figures.core.additions == 2 and any("was not quiet" in note and "barrier" in note for note in found.notes)


def test_what_cannot_be_measured_keeps_the_figure_of_the_table(fake: None) -> None:
    FakeRates.wrong = dict.fromkeys(("loads", "barriers", "read", "meeting"), lambda time, number: math.nan)
    found = measure(TARGET, 2, 0)
    assert found.figures.core.loads == ZEN4.core.loads and found.figures.memory.main == ZEN4.memory.main
    assert found.figures.barrier == 0 and any(note.startswith("loads could not be measured") for note in found.notes)
    assert ZEN4.with_figures(found.figures).team == ZEN4.team


def test_a_single_sample_is_no_measurement(fake: None) -> None:
    seen: list[int] = []

    def mostly_without_a_team(time: float, number: int) -> float:
        seen.append(number)
        return time * 100 if len(seen) == 1 else math.nan

    FakeRates.wrong = {"barriers": mostly_without_a_team}
    found = measure(TARGET, 2, 0)
    assert found.figures.barrier == 0 and "barrier" not in dict(found.spreads)
    assert any(note.startswith("barrier could not be measured") for note in found.notes)


def test_a_clock_that_falls_is_that_of_multiply_adds(fake: None) -> None:
    FakeRates.wrong = {"multiply_adds": lambda time, number: time / 0.8}
    found = measure(TARGET, 1, 0)
    assert found.figures.core.multiply_adds == 2 and found.figures.core.clock == pytest.approx(3.2e9)
    assert any("1.60 per cycle are taken for 2" in note for note in found.notes)


def native() -> Target:
    return resolve("native")


def test_this_machine_is_measured_and_kept() -> None:
    assert kept() is None and not forget() and calibrated(native()) == native()
    found = calibrate(0)
    core = found.figures.core
    assert 0.2e9 < core.clock < 10e9 and 0.5 <= core.multiply_adds <= 4 and 0.5 <= core.loads <= 8 and found.figures.memory.main.alone > 1e8
    assert kept() == found
    new = calibrated(native())
    assert new.machine == native().machine.with_figures(found.figures) and new.name == native().name
    assert forget() and kept() is None and calibrated(native()) == native()


def test_it_counts_for_this_cpu_alone_and_can_be_turned_off(fake: None) -> None:
    calibrate(0, 2)
    assert calibrated(native()) != native()
    assert all(calibrated(by_name(name)) == by_name(name) for name in ("avx512", "avx2", "generic", "neon"))
    with config.override(calibration=False):
        assert calibrated(native()) == native()


def damages(text: str) -> dict[str, str]:
    fields = json.loads(text)
    core = fields["figures"]["core"]
    return {
        "no text of this kind": "[1, 2]",
        "cut": text[: len(text) // 2],
        "another field": text.replace('"clock"', '"clocks"'),
        "no number": text.replace(f'"clock": {core["clock"]}', '"clock": "fast"'),
        "not finite": text.replace(f'"clock": {core["clock"]}', '"clock": Infinity'),
        "zero": text.replace(f'"clock": {core["clock"]}', '"clock": 0.0'),
        "no team": text.replace('"threads": 2', '"threads": 0'),
    }


@pytest.mark.parametrize("damage", list(damages('{"figures": {"core": {"clock": 1}}}')))
def test_a_damaged_entry_is_ignored_and_that_is_said(damage: str, fake: None, caplog: pytest.LogCaptureFixture) -> None:
    calibrate(0, 2)
    (entry,) = (e for e in store().list() if e.kind == "machine")
    good = (store().read(entry.key) or b"").decode()
    bad = damages(good)[damage]
    assert bad != good
    store().put(entry.key, bad.encode())
    with caplog.at_level(logging.WARNING):
        assert kept() is None and calibrated(native()) == native()
    assert "is ignored; sol tune --calibrate makes it anew" in caplog.text


def test_a_file_that_was_changed_is_removed(fake: None) -> None:
    calibrate(0, 2)
    (entry,) = (e for e in store().list() if e.kind == "machine")
    entry.path.write_bytes(entry.path.read_bytes().replace(b"clock", b"clack"))
    assert kept() is None and not entry.path.exists()


def test_plans_are_kept_apart_by_the_figures_that_made_them(fake: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "SMALL", 1)
    monkeypatch.setattr(plans, "SLOW", 0.0)
    b = GraphBuilder()
    x = b.input("x", TensorType(DType.F32, (2, 40)))
    graph = b.build([b.add("linear", [x, b.parameter("w", TensorType(DType.F32, (40, 40)))])])

    def kept_plans() -> int:
        return sum(e.kind == "plan" for e in store().list())

    found = []
    compile_tuned(graph)
    found.append(kept_plans())
    calibrate(0, 2)
    compiled = compile_tuned(graph)
    found.append(kept_plans())
    assert compiled.target.machine.core.clock == pytest.approx(4e9)
    compile_tuned(graph)
    with config.override(calibration=False):
        assert compile_tuned(graph).target.machine == native().machine
    assert found == [1, 2] and kept_plans() == 3  # the third, because knobs are part of a plan's key
