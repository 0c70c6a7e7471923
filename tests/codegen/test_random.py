"""Kernels that draw random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from sol.ir.builder import GraphBuilder
from tests.harness import as_region, run_region


def draw(threads: int = 1, **attrs) -> np.ndarray:
    b = GraphBuilder()
    graph = b.build([b.add("random", [], **attrs)])
    return run_region(as_region(graph, "dfp"), {}, isa="generic", threads=threads)[0]


@pytest.mark.parametrize("threads", [1, 3])
def test_seeded_numbers_are_those_of_numpy(threads):
    for seed in (0, 5489, 2**32 - 1):
        want = np.random.RandomState(seed).random_sample(1500)
        assert np.array_equal(draw(threads, size=1500, seed=seed), want)
        assert np.array_equal(draw(threads, size=1500, seed=seed), want)


def test_other_numbers_at_every_call():
    drawn = [draw(threads, size=20000, stream=stream) for threads in (1, 3) for stream in (1, 2)]
    for i, x in enumerate(drawn):
        assert (x >= 0).all() and (x < 1).all()
        assert abs(x.mean() - 0.5) < 0.01 and abs(x.var() - 1 / 12) < 0.005
        counts = np.bincount((x * 16).astype(int), minlength=16)
        assert ((counts - 1250) ** 2 / 1250).sum() < 45, "chi-squared of 15 degrees of freedom, p < 1e-4"
        assert abs(np.corrcoef(x[1:], x[:-1])[0, 1]) < 0.03
        assert all(abs(np.corrcoef(x, y)[0, 1]) < 0.03 for y in drawn[:i])
