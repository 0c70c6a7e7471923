"""Types without kernels of their own: what the pass makes of them compiles, and gives what torch gives."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from tests.against_torch.support import check_all


def _conv(dtype, **options):
    return lambda x: F.conv1d((x + 1).to(dtype), torch.ones(1, 3, 3, dtype=dtype) / 8, **options).float()


def _attention(dtype, *mask, **options):
    return lambda x: F.scaled_dot_product_attention(*[(x + i).to(dtype) for i in range(3)], *mask, **options).float()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_small_values_between_those_of_float32(dtype):
    """Small ones are compiled, also where torch would take large ones over."""
    mask = torch.rand(3, 3) > 0.5
    mask[1] = False
    cases = {
        "conv": _conv(dtype),
        "strided conv": _conv(dtype, stride=2, padding=1),
        "relu of a conv": lambda x: F.conv1d((x + 1).to(dtype), torch.ones(1, 3, 3, dtype=dtype) / 8).relu().float() * 2,
        "transposed": lambda x: F.conv_transpose1d((x + 1).to(dtype), torch.ones(3, 2, 3, dtype=dtype) / 8, stride=2).float(),
        "attention": _attention(dtype),
        "causal": _attention(dtype, is_causal=True),
        "masked": _attention(dtype, mask),
        "added mask": _attention(dtype, torch.randn(3, 3).to(dtype)),
    }
    check_all(cases, torch.randn(2, 3, 7), threads=(1,))
