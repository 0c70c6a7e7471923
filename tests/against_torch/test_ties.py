"""Which of equal elements are the best few: those that torch takes, though it promises nothing.

A mixture of experts with untrained gates depends on it.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

import sol
from sol.codegen.targets import runnable

LENGTHS = [1, 2, 4, 5, 16, 17, 33, 65, 130, 1500]
KINDS = ("drawn", "rising", "falling", "rising and falling", "with nan")


def lines(length: int, levels: int, dtype: torch.dtype) -> torch.Tensor:
    """A line of every kind, with so many different values."""
    rng = np.random.default_rng(length)
    x = rng.integers(0, levels, (len(KINDS), length)).astype(np.float32)
    x[1].sort()
    x[2] = np.sort(x[2])[::-1]
    x[3] = np.concatenate([np.sort(x[3][: length // 2]), np.sort(x[3][length // 2 :])[::-1]])
    if dtype.is_floating_point:
        x[4][rng.random(length) < 0.2] = np.nan
    return torch.from_numpy(x).to(dtype)


OTHERS = (torch.int64, torch.float64, torch.bfloat16, torch.uint8)


@pytest.mark.parametrize(
    ("isa", "dtype"), [*((isa, torch.float32) for isa in runnable()), *(("native", dtype) for dtype in OTHERS)], ids=str
)
def test_topk_takes_the_same_of_equal_elements(isa, dtype):
    inputs = [lines(n, levels, dtype) for n in (LENGTHS if dtype is torch.float32 else LENGTHS[3::2]) for levels in (1, 2, 10)]

    def best(*inputs: torch.Tensor) -> list[torch.Tensor]:
        found = []
        for x in inputs:
            n = x.shape[1]
            for k in sorted({min(k, n) for k in (2, n // 64 + 1, n // 2 + 1)}):
                for ordered in (True, False):
                    found += [*torch.topk(x, k, largest=ordered, sorted=ordered), torch.topk(x, k, largest=not ordered, sorted=ordered)[1]]
        return found

    for some in (inputs[i::3] for i in range(3)):
        with sol.config.override(isa=isa):
            got = sol.optimize(best, some)(*some)
        for a, b in zip(got, best(*some)):
            assert torch.equal(a.nan_to_num(7), b.nan_to_num(7)) if a.is_floating_point() else torch.equal(a, b)


def test_long_lines_and_other_dimensions():
    x = torch.randint(0, 50, (3, 40_000, 2)).float()
    for k in (5, 2_000):
        got, expected = sol.optimize(lambda x: torch.topk(x, k, 1), [x])(x), torch.topk(x, k, 1)  # noqa: B023
        assert torch.equal(got[1], expected[1]) and torch.equal(got[0], expected[0])


def killer(half: int) -> list[int]:
    """1 … 2 half so that the median of three is always among the smallest elements left (Musser, 1997)."""
    line = [0] * (2 * half)
    for i in range(1, half + 1):
        line[i - 1] = i if i % 2 else half + i - 1
        line[half + i - 1] = 2 * i
    return line


def test_a_line_that_quick_sort_parts_badly():
    """Selection and sorting turn to a heap. Pairs of equal elements show which are taken."""
    x = torch.tensor(killer(1_000)).float() // 2
    for k in (700, 1_000, 1_999):
        got, expected = sol.optimize(lambda x: torch.topk(x, k, largest=False), [x])(x), torch.topk(x, k, largest=False)  # noqa: B023
        assert torch.equal(got[1], expected[1])
