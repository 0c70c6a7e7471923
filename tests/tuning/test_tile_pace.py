"""How long matrix tiles take here: from times of threads, kept once, and what is chosen by it."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sol.build.cache import store
from sol.codegen.machines import NEUTRAL
from sol.codegen.targets import Target, by_name, has_matrix_tiles, resolve, with_matrix_tiles
from sol.compiler import compile_graph
from sol.config import config
from sol.errors import CompilerNotFoundError
from sol.ir.builder import GraphBuilder
from sol.ir.types import DType, TensorType
from sol.tuning import calibration, tile_pace
from sol.tuning.rates import accumulators

TARGET = replace(with_matrix_tiles(by_name("avx512")), machine=NEUTRAL, host="this one")


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tile_pace, "NAP", 0.0)
    with config.override(cache_dir=tmp_path / "cache", calibration=True):
        yield


class FakeRates:
    """A processor of 3 GHz with two multiply-adds per cycle. cycles: of a product of tiles, by burst and thread."""

    cycles: Callable[[int, int], float]
    bursts: int

    def __init__(self, target: Target, threads: int, size: int) -> None:
        self.target = target

    def each(self, kind: str, rounds: int, threads: int, size: int = 0) -> tuple[float, ...]:
        if kind == "multiply_adds":
            return (4 * accumulators(self.target) * rounds / 2 / 3e9,) * threads
        FakeRates.bursts += 1
        return tuple(24 * rounds * FakeRates.cycles(FakeRates.bursts, thread) / 3e9 for thread in range(threads))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tile_pace, "Rates", FakeRates)
    monkeypatch.setattr(tile_pace, "usable_cores", lambda: 2)
    monkeypatch.setattr(FakeRates, "cycles", lambda burst, thread: 20.0, raising=False)
    monkeypatch.setattr(FakeRates, "bursts", 0, raising=False)


@pytest.mark.parametrize(
    ("cycles", "found"),
    [
        (lambda burst, thread: 17.0, 17.0),
        (lambda burst, thread: 20.0 if burst % 2 else 60.0, 40.0),
        (lambda burst, thread: 60.0 if thread else 20.0, 30.0),  # both together do as much as two that take 30 each
        (lambda burst, thread: math.nan if burst % 3 else 20.0, 20.0),
        (lambda burst, thread: math.nan if thread else 20.0, 20.0),
    ],
)
def test_threads_share_out_work_and_states_alternate(cycles: Callable[[int, int], float], found: float, fake: None) -> None:
    FakeRates.cycles = cycles
    assert tile_pace.measured(TARGET, 2) == pytest.approx(found)


def test_it_is_measured_once(fake: None) -> None:
    assert tile_pace.kept(TARGET) is None
    assert tile_pace.pace(TARGET) == tile_pace.kept(TARGET) == pytest.approx(20)
    bursts = FakeRates.bursts
    assert calibration.calibrated(TARGET).machine.tiles.dot == pytest.approx(20) and FakeRates.bursts == bursts
    (entry,) = (e for e in store().list() if e.kind == "machine")
    store().put(entry.key, b"fast")
    assert tile_pace.kept(TARGET) is None and tile_pace.pace(TARGET) == pytest.approx(20) and FakeRates.bursts == 2 * bursts
    assert tile_pace.forget(TARGET) and not tile_pace.forget(TARGET) and tile_pace.kept(TARGET) is None


def test_calibrating_measures_it_anew(fake: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "resolve", lambda isa: TARGET)
    monkeypatch.setattr(calibration, "measure", lambda target, threads, seconds: calibration.Calibration(figures, (), (), "", ""))
    machine = TARGET.machine
    figures = calibration.Figures(machine.core, machine.memory, 1e-6, 1e-6)
    tile_pace.pace(TARGET)
    FakeRates.cycles = lambda burst, thread: 50.0
    calibration.calibrate()
    new = calibration.calibrated(TARGET).machine
    assert new == machine.with_figures(figures).with_tile_pace(new.tiles.dot) and new.tiles.dot == pytest.approx(50)
    assert calibration.forget() and tile_pace.kept(TARGET) is None


def test_the_table_counts_where_nothing_can_be_measured(
    fake: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    FakeRates.cycles = lambda burst, thread: math.nan
    assert tile_pace.pace(TARGET) is None and calibration.calibrated(TARGET) == TARGET and not store().list()

    def missing(*args: object) -> None:
        raise CompilerNotFoundError("no compiler", remedy="install one")

    monkeypatch.setattr(tile_pace, "Rates", missing)
    with caplog.at_level(logging.INFO):
        assert calibration.calibrated(TARGET) == TARGET
    assert "cannot be timed" in caplog.text


def test_it_is_asked_for_by_code_for_this_very_cpu_with_tiles_alone(fake: None) -> None:
    FakeRates.cycles = lambda burst, thread: pytest.fail("measured")
    for target in (replace(TARGET, host=""), by_name("avx512"), replace(TARGET, matrix_tiles=False)):
        assert calibration.calibrated(target) == target and tile_pace.kept(replace(target, matrix_tiles=False)) is None
    with config.override(calibration=False):
        assert calibration.calibrated(TARGET) == TARGET


@pytest.mark.parametrize(("cycles", "by_tiles"), [(17.5, True), (50.0, False)])
def test_products_are_by_tiles_where_these_are_faster(cycles: float, by_tiles: bool) -> None:
    b = GraphBuilder()
    x, y = (b.input(name, TensorType(DType.F32, (512, 512))) for name in "xy")
    image = b.input("image", TensorType(DType.F32, (4, 256, 28, 28)))
    weight = b.parameter("w", TensorType(DType.F32, (256, 256, 1, 1)))
    conv = b.add("conv", [image, weight], stride=(1, 1), padding=((0, 0), (0, 0)), dilation=(1, 1), groups=1)
    graph = b.build([b.add("matmul", [x, y]), conv])
    target = replace(TARGET, machine=TARGET.machine.with_tile_pace(cycles))
    kernels = {launch.kernel for launch in compile_graph(graph, isa=target, threads=2).plan.launches}
    assert any(k.startswith("matmul_split") for k in kernels) is by_tiles
    assert any("conv" in k and "split" in k for k in kernels) is by_tiles


@pytest.mark.skipif(not has_matrix_tiles(), reason="this processor has no matrix tiles")
def test_this_machine() -> None:
    found = tile_pace.pace(resolve("native"))
    assert found is not None and 8 < found < 1000
