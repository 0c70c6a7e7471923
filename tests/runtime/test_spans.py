"""What is recorded of calls: work and waiting of every thread add up to the time that passed, also in loops and beside idle threads."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import sol
from sol.inspect.load import Load, Watch
from sol.runtime.spans import Spread, samples_of
from tests.runtime.models import convnet


def test_spreads():
    found = Spread.of([3.0, 1.0, 2.0, 4.0, 5.0])
    assert (found.least, found.lower, found.median, found.upper, found.most) == (1, 2, 3, 4, 5)
    assert Spread.of([]) == Spread(0, 0, 0, 0, 0) and (found + found).median == 6


def record(*spans: tuple[int, int, int, int, int, int]) -> np.ndarray:
    """[1, threads, launches, 8] of (thread, launch, begin, end, work, wait)."""
    threads, launches = (max(s[i] for s in spans) + 1 for i in (0, 1))
    found = np.zeros((1, threads, launches, 8), np.int64)
    for thread, launch, begin, end, work, wait in spans:
        found[0, thread, launch, :5] = begin, end, work, wait, 1
    return found


def test_work_and_waiting_add_up():
    """Thread 1 wakes 5 late, waits 15 for thread 0 after the first launch, and ends 10 early."""
    base = 10**12
    found = samples_of(
        record((0, 0, base, base + 40, 40, 0), (0, 1, base + 40, base + 70, 30, 0), (1, 0, base + 5, base + 25, 20, 15),
               (1, 1, base + 40, base + 60, 20, 0))
    )  # fmt: skip
    assert found.threads == 2 and found.seconds.sum() == pytest.approx(70e-9)
    assert found.waiting(0) == pytest.approx(10e-9) and found.waiting(1) == pytest.approx(5e-9)
    assert found.balance(0) == pytest.approx(0.75) and found.balance(1) == pytest.approx(25 / 30)
    assert [(b.thread, b.launch) for b in found.bars] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert found.bars[2].begin == pytest.approx(5e-9) and found.bars[1].end == pytest.approx(70e-9)


def test_idle_threads_and_launches_that_never_ran():
    records = np.zeros((2, 3, 2, 8), np.int64)
    records[:, 0, 0, :5] = 100, 110, 10, 0, 1
    found = samples_of(records)
    assert found.threads == 1 and found.count.tolist() == [1, 0] and found.balance(1) is None
    assert samples_of(np.zeros((2, 3, 2, 8), np.int64)).seconds.sum() == 0


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_real_call(threads):
    model, x = convnet(), torch.rand(1, 3, 64, 64)
    fast = sol.optimize(model, x, threads=threads)
    begin = time.perf_counter()
    found = sol.profile(fast, x, runs=5)
    passed = time.perf_counter() - begin
    assert 1 <= found.threads <= threads and found.call is not None and found.load is not None
    assert all(r.spread.least <= r.spread.lower <= r.seconds <= r.spread.upper <= r.spread.most for r in found.rows)
    assert all(0 <= r.waiting <= r.seconds * 1.0001 for r in found.rows if threads == 1)
    assert 0 < found.seconds <= passed and 0 < found.call.most <= passed
    (track,) = found.tracks
    for a, b in zip(track, track[1:]):  # a thread runs one launch after the other
        assert a.thread != b.thread or a.end <= b.begin + 1e-9
    assert {b.launch for b in track} <= set(range(len(found.rows)))


def test_launches_of_a_loop_have_times_of_their_own(tmp_path: Path):
    pytest.importorskip("onnx")
    from tests.cli.models import loop

    session = sol.load(str(loop(tmp_path / "loop.onnx")))
    found = sol.profile(session, [np.array(7), np.random.default_rng(0).random((2, 4), dtype=np.float32)], runs=3)
    inside = [r for r in found.rows if "/" in r.region]
    assert inside and all(r.seconds > 0 for r in inside)
    product = max(inside, key=lambda r: r.flops)
    assert product.flops >= 7 * 2 * 2 * 4 * 4  # seven rounds


def test_profiling_changes_no_result():
    model, x = nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3)).eval(), torch.rand(1, 3, 20, 20)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        before = fast(x)
        sol.profile(fast, x, runs=2)
        assert torch.equal(before, fast(x))


def test_load():
    with Watch() as watch:
        sum(range(10**6))
    found = watch.load(1)
    assert found.waited is None or 0 <= found.waited <= 1.5
    assert Load(0.0, 0.0, 0.0, 1.0).busy is False and "quiet" in str(Load(0.0, 0.0, 0.0, 1.0))
    for load in (Load(0.2, 0.0, 0.0, 1.0), Load(0.0, 0.9, None, 1.0), Load(None, 0.0, 0.5, 1.0)):
        assert load.busy and "busy" in str(load)
    assert "not known" in str(Load(None, None, None, 1.0))
