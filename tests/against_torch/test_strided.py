"""Elements at stated places of memory: of inputs, of views of them, and of computed tensors in any order of dimensions."""

from __future__ import annotations

import pytest
import torch

from tests.against_torch.support import check_all

CASES = {
    "input": lambda x: x.as_strided((2, 4, 2), (1, 8, 4)) * 1,
    "view": lambda x: x.t().as_strided((8, 2), (1, 8)) + 0,
    "view with a start": lambda x: x[1:, 1:].as_strided((3, 3), (8, 2)) + 1,
    "place of its own": lambda x: x[1:, 1:].as_strided((3, 3), (8, 2), 2) + 1,
    "computed": lambda x: (x * 2).as_strided((5, 3), (6, 1), 2),
    "computed, transposed": lambda x: (x * 2).t().as_strided((2, 4, 2), (1, 8, 4)),
    "computed, part": lambda x: (x * 2)[1:, 1:].as_strided((3, 3), (8, 2)),
    "computed in other order": lambda x: (x.t().contiguous().t() * 2).as_strided((4, 3), (1, 4)),
    "overlapping windows": lambda x: (x * 2).reshape(2, 16).as_strided((2, 3, 8), (16, 4, 1)).sum(-1),
    "a scalar": lambda x: (x * 2).as_strided((), (), 7),
    "scattered": lambda x: torch.as_strided_scatter(x * 2, x[0, :6].reshape(2, 3), (2, 3), (12, 2), 5),
    "scattered, transposed": lambda x: torch.as_strided_scatter((x * 2).t(), x[:2, :3] + 1, (2, 3), (1, 9)),
    "scattered over all": lambda x: torch.as_strided_scatter(x * 2, x.t() + 1, (8, 4), (4, 1)),
    "scattered over all, turned": lambda x: torch.as_strided_scatter((x * 2).t(), x + 1, (4, 8), (8, 1)),
    "a scalar scattered": lambda x: torch.as_strided_scatter(x * 2, x.sum(), (), (), 7),
    "nothing scattered": lambda x: torch.as_strided_scatter(x * 2, x[:0], (0, 8), (8, 1)),
    "nothing": lambda x: (x * 2).as_strided((0, 3), (1, 1)),
    "windows of a scalar": lambda x: x.sum().unfold(0, 1, 1),
    "of nothing": lambda x: (x[:0].prod(), (x[:0] > 0).any(), x[:0].prod(0)),
}


@pytest.mark.parametrize("isa", ["native", "generic"])
def test_places_in_memory(isa):
    check_all(CASES, torch.randn(4, 8), isa=isa, threads=(1,), in_torch=4)


def test_scattered_into_a_part():
    cases = {"part": lambda x: torch.as_strided_scatter((x * 2)[1:], x[0] + 1, (8,), (2,), 9)}
    check_all(cases, torch.randn(4, 8), threads=(1,), in_torch=1)


def test_places_in_memory_of_inputs_in_other_orders():
    check_all({k: f for k, f in CASES.items() if "view" not in k and "place" not in k}, torch.randn(8, 4).t(), threads=(1,), in_torch=1)
