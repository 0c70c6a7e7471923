"""Attention over keys and values whose number changes from call to call."""

from __future__ import annotations

import pytest
import torch
from torch.export import Dim
from torch.nn import functional as F

import sol


@pytest.mark.parametrize("masked", [False, True])
def test_keys_and_values_are_as_many(masked: bool) -> None:
    def operands(length: int) -> list[torch.Tensor]:
        shapes = [(1, 2, 1, 8), (1, 2, length, 8), (1, 2, length, 8), (1, 1, 1, length)]
        return [torch.randn(s) for s in shapes[: 3 + masked]]

    def function(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        new = q.expand(-1, -1, 1, -1)
        wide = None if mask is None else F.pad(mask, (0, 1))
        return F.scaled_dot_product_attention(q, torch.cat((k, new), 2), torch.cat((v, new), 2), wide)

    open_sizes = ({}, {2: Dim.AUTO}, {2: Dim.AUTO}, {3: Dim.AUTO})[: 3 + masked]
    fast = sol.optimize(function, operands(5), dynamic_shapes=open_sizes)
    for length in (5, 9, 2, 33):
        given = operands(length)
        torch.testing.assert_close(fast(*given), function(*given), rtol=1e-4, atol=1e-5)
    (program,) = fast._programs
    assert not program.runner.torch_nodes and len(program.imported.symbols) == 1


@pytest.mark.filterwarnings("ignore:Raw SymInt")
def test_numbers_that_data_decide() -> None:
    def function(q: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        kept = x[x[:, 0] > 0][None]
        return F.scaled_dot_product_attention(q, kept, kept * 2)

    q, x = torch.randn(1, 3, 8), torch.randn(20, 8)
    fast = sol.optimize(function, [q, x], fallback="eager")
    for _ in range(2):
        torch.testing.assert_close(fast(q, x), function(q, x), rtol=1e-4, atol=1e-5)
        x = torch.randn(20, 8)
