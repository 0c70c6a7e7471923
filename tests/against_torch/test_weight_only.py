"""ATen's products with weights of 8 and 4 bits run on sol's kernels, with torch's results; of bfloat16 they round once instead of often."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import sol


class Int8(nn.Module):
    def __init__(self, features: int, depth: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.register_buffer("weight", torch.randint(-128, 128, (features, depth), dtype=torch.int8))
        self.register_buffer("scales", (torch.rand(features) / 100 + 0.01).to(dtype))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten._weight_int8pack_mm(x, self.weight, self.scales)

    def floats(self) -> torch.Tensor:
        return self.weight.double() * self.scales.double()[:, None]


class Int4(nn.Module):
    def __init__(self, features: int, depth: int, group: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.group, self.numbers = group, torch.randint(0, 16, (features, depth), dtype=torch.int32)
        self.register_buffer("weight", torch.ops.aten._convert_weight_to_int4pack_for_cpu(self.numbers, 1))
        self.register_buffer("scales_and_zeros", (torch.rand(depth // group, features, 2) / 10).to(dtype))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten._weight_int4pack_mm_for_cpu(x, self.weight, self.group, self.scales_and_zeros)

    def floats(self) -> torch.Tensor:
        scales, zeros = (self.scales_and_zeros[..., i].T.double().repeat_interleave(self.group, 1) for i in range(2))
        return (self.numbers.double() - 8) * scales + zeros


CASES = {
    "int8": lambda dtype: Int8(96, 128, dtype),
    "int8 odd": lambda dtype: Int8(50, 80, dtype),
    "int4": lambda dtype: Int4(128, 96, 32, dtype),
    "int4 rest": lambda dtype: Int4(96, 128, 64, dtype),
    "int4 narrow": lambda dtype: Int4(48, 64, 32, dtype),
}


@pytest.mark.parametrize("rows", (1, 40))
@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16), ids=str)
@pytest.mark.parametrize("case", CASES)
@torch.no_grad()
def test_products(case: str, dtype: torch.dtype, rows: int) -> None:
    model = CASES[case](dtype).eval()
    x = torch.randn(rows, model.floats().shape[1]).to(dtype)
    fast = sol.optimize(model, [x])
    found = sol.explain(fast, [x])
    assert any("weight_only_linear" in row.ops for row in found.regions) and not found.torch, str(found)
    got, exact, eager = fast(x).double(), x.double() @ model.floats().T, model(x).double()
    limit = 1e-5 if dtype is torch.float32 else 1e-2
    assert fast(x).dtype is dtype and (got - exact).abs().max() <= limit * exact.abs().max()
    assert (got - exact).abs().max() <= 1.01 * (eager - exact).abs().max() + 1e-5 * exact.abs().max()


@torch.no_grad()
def test_a_group_of_scale_zero_is_its_zero_point() -> None:
    model = Int4(64, 64, 32, torch.float32).eval()
    model.scales_and_zeros[0, :, 0] = 0
    x = torch.randn(2, 64)
    torch.testing.assert_close(sol.optimize(model, [x])(x).double(), x.double() @ model.floats().T, rtol=1e-5, atol=1e-5)
