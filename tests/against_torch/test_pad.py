"""Padding in every mode, with negative and mixed counts, up to torch's limits; rolling by fixed and open sizes."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch.export import Dim

import sol
from tests.against_torch.support import check_all

COUNTS = ((0, 0), (1, 0), (2, 3), (-1, 1), (1, -1), (-2, -1), (-1, 2), (3, -2))


def padded(counts, mode, **value):
    return lambda x: F.pad(x, counts, mode, **value)


@pytest.mark.parametrize("shape", [(2, 3, 6), (2, 3, 6, 5), (1, 2, 4, 5, 6)])
def test_every_mode(shape):
    spatial, last = len(shape) - 2, shape[-1]
    cases = {}
    for mode in ("constant", "reflect", "replicate", "circular"):
        for counts in COUNTS:
            if mode == "circular" and max(counts) > min(shape[2:]) + min(counts):
                continue  # torch reads memory that it has not written
            cases[f"{mode} {counts}"] = padded(counts * spatial, mode)
            cases[f"{mode} {counts}, last"] = padded(counts + (0, 0) * (spatial - 1), mode)
        most = last - 1 if mode == "reflect" else last
        cases[f"{mode}, most"] = padded((most, most) + (0, 0) * (spatial - 1), mode)
    cases["mixed"] = padded((1, -2, -1, 2), "constant", value=2.5)
    cases["nothing left"] = padded((-last, 2), "constant", value=1.0)
    check_all(cases, torch.randn(shape), threads=(1,))


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool, torch.int8, torch.float64])
def test_element_types(dtype):
    x = torch.randint(0, 2 if dtype == torch.bool else 100, (2, 3, 5)).to(dtype)
    values = (0, 3) if dtype in (torch.uint8, torch.bool) else (0, 3, -1, 1.7)
    cases = {f"{value}": padded((1, -2), "constant", value=value) for value in values}
    cases |= {mode: padded((1, 2), mode) for mode in (("circular",) if dtype == torch.bool else ("reflect", "replicate", "circular"))}
    check_all(cases, x, threads=(1,))


def test_roll():
    shifts = ((5, 1), (0, 1), (4, 2), (-1, 2), (-7, 0), ((-1, 7), (0, 2)))
    cases = {str(s): lambda x, s=s: torch.roll(x, *s) for s in shifts}
    check_all(cases | {"flat": lambda x: torch.roll(x, -7)}, torch.randn(2, 3, 4), threads=(1,))


@pytest.mark.parametrize("shift,dim", [(1, 1), (-2, 2), (7, 1), ((3, -1), (1, 2)), (5, None), (-100, 2)])
def test_roll_along_open_sizes(shift, dim):
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.roll(x, shift) if dim is None else torch.roll(x, shift, dim)

    first = torch.randn(2, 8, 9)
    fast = sol.optimize(Model().eval(), [first], dynamic_shapes=({1: Dim("h"), 2: Dim("w")},))
    for size in ((8, 9), (3, 3), (5, 100), (2, 2)):
        x = torch.randn(2, *size)
        assert torch.equal(fast(x), Model()(x))
    assert "roll" not in str(sol.explain(fast, [first])).replace("dfp_roll", "")
