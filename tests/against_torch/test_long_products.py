"""Matrix products along long rows: rounding errors must not grow with the length faster than torch's."""

import pytest
import torch

from tests.against_torch.support import check_all

SIZES = [(3, 50_001, 5), (3, 50_001, 64), (33, 4_096, 70), (1, 4_097, 33), (40, 20_000, 8)]  # rows, length of the sums, columns


@pytest.mark.parametrize("isa", ["native", "avx2", "generic"])
def test_sums_of_equal_numbers(isa):
    """All rounding errors of an element then have the same sign; with random numbers most of them cancel out."""
    cases, inputs = {}, []
    for m, k, n in SIZES:
        i = len(inputs)
        cases[f"{m}x{k}x{n}"] = lambda *t, i=i: t[i] @ t[i + 1]
        cases[f"{m}x{k}x{n} transposed"] = lambda *t, i=i: torch.nn.functional.linear(t[i], t[i + 2])
        inputs += [torch.full((m, k), 0.1), torch.full((k, n), 0.1), torch.full((n, k), 0.1)]
    check_all(cases, *inputs, isa=isa)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_linear_layers(size):
    m, k, n = size
    linear = torch.nn.Linear(k, n)
    torch.nn.init.constant_(linear.weight, 0.1)
    check_all({"linear": linear}, torch.rand(m, k))
