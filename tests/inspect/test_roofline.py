"""The machine's limits, and the shares of them that profiles show."""

from __future__ import annotations

import pytest
import torch

import sol
from sol.codegen.machines import Core, Figures, Level, Memory
from sol.codegen.targets import resolve
from sol.config import config
from sol.inspect.profile import LEGEND, Profile, ProfileRow
from sol.inspect.roofline import Roofline, roofline
from sol.tuning import calibration, tile_pace
from sol.tuning.calibration import Calibration, calibrated
from tests.runtime.models import convnet

LIMITS = Roofline(100e9, 10e9, 1)


@pytest.fixture(autouse=True)
def calibrations_count(monkeypatch):
    monkeypatch.setattr(tile_pace, "pace", lambda target: None)
    with config.override(calibration=True):
        yield


def test_the_limit_that_binds():
    assert LIMITS.seconds(1e9, 1e7) == pytest.approx(0.01) and LIMITS.binds(1e9, 1e7) == "compute"
    assert LIMITS.seconds(1e6, 1e9) == pytest.approx(0.1) and LIMITS.binds(1e6, 1e9) == "memory"
    assert LIMITS.fraction(1e9, 0, 0.02) == pytest.approx(0.5) and LIMITS.fraction(1, 1, 0) == 0


def test_measured_once_and_plausible_and_no_kernel_is_chosen_by_it(cache_folder, monkeypatch):
    native = resolve("native")
    found = roofline(1)
    assert 1e8 < found.flops < 1e13 and 1e8 < found.bandwidth < 1e13
    assert all(c.bandwidth > found.bandwidth for c in found.caches)
    monkeypatch.setattr(calibration, "measure", lambda *a, **k: pytest.fail("measured again"))
    assert roofline(1) == found
    assert calibrated(native) == native


def test_two_threads_do_more_arithmetic():
    assert roofline(2).flops > 1.2 * roofline(1).flops


def test_a_calibration_is_the_limit_of_one_thread_and_of_those_that_it_measured(cache_folder, monkeypatch):
    calls = []

    def measured(target, threads, seconds, *, best=False):
        calls.append((threads, best))
        levels = [Level(1 << (10 + 4 * i), (8 - i) * 10e9, (8 - i) * 15e9) for i in range(4)]
        figures = Figures(Core(3e9, 2.0, 0.0, 2.0, 2.0), Memory(*levels, threads=threads), 0.0, 0.0)
        return Calibration(figures, (), (), target.name, target.machine.name)

    monkeypatch.setattr(calibration, "measure", measured)
    calibration.calibrate(threads=4)
    lanes = resolve("native").lanes
    assert roofline(1).flops == 12e9 * lanes and roofline(1).bandwidth == 50e9
    assert roofline(4).flops == 48e9 * lanes and roofline(4).bandwidth == 75e9
    assert [(c.level, c.bytes, c.bandwidth) for c in roofline(4).caches] == [(1, 1 << 10, 120e9), (2, 1 << 14, 105e9), (3, 1 << 16, 90e9)]
    assert calls == [(4, False)]
    roofline(2)
    with config.override(calibration=False):
        roofline(4)
    assert calls == [(4, False), (2, True), (4, True)]


def test_profile_sums_and_shows_shares():
    rows = (ProfileRow("r0", "k", "a", 0.02, 10**9, 0, 0.5), ProfileRow("r1", "k", "b", 0.01, 10**9, 0, 1.0))
    found = Profile(rows, LIMITS)
    assert found.by_kernel()[0].roof == pytest.approx(2 / 3) and found.total().gflops == pytest.approx(2 / 0.03)
    text = str(found)
    assert "67%" in text and LEGEND in text and "100 GFLOP/s, 10.0 GB/s with 1 thread" in text
    assert found.as_dict()["launches"][0]["kernel"] == "k"
    assert str(Profile(())) == "no launches"


def test_profile_of_a_module_has_shares():
    found = sol.profile(convnet(), torch.rand(1, 3, 8, 8), runs=2)
    assert found.roofline and all(r.roof is not None and r.roof >= 0 for r in found.rows)
