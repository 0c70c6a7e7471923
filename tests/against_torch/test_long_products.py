"""Sums of many products: rounding errors must not grow with their number faster than torch's."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.against_torch.support import check_all

TARGETS = pytest.mark.parametrize("isa", ["native", "avx2", "generic"])
SIZES = [(3, 50_001, 5), (3, 50_001, 64), (33, 4_096, 70), (1, 4_097, 33), (40, 20_000, 8), (5, 9_000, 7)]  # rows, length, columns


@TARGETS
def test_products_of_equal_numbers(isa):
    """All rounding errors of an element then have the same sign; with random numbers most of them cancel out."""
    cases, inputs = {}, []
    for m, k, n in SIZES:
        i = len(inputs)
        cases[f"{m}x{k}x{n}"] = lambda *t, i=i: t[i] @ t[i + 1]
        cases[f"{m}x{k}x{n} transposed"] = lambda *t, i=i: F.linear(t[i], t[i + 2])
        inputs += [torch.full((m, k), 0.1), torch.full((k, n), 0.1), torch.full((n, k), 0.1)]
    check_all(cases, *inputs, isa=isa)


@pytest.mark.parametrize("size", SIZES[:-1], ids=str)
def test_linear_layers(size):
    m, k, n = size
    linear = nn.Linear(k, n)
    nn.init.constant_(linear.weight, 0.1)
    check_all({"linear": linear}, torch.rand(m, k))


def of_positive(layer):
    """With weights that are all positive: partial sums grow from the first to the last."""
    nn.init.uniform_(layer.weight)
    return layer


CONVOLUTIONS = {  # also panels of half a vector of output channels (1 to 8, 17 to 24 and so on)
    "K = 8": lambda: nn.Conv2d(512, 8, 5, bias=False),
    "K = 1": lambda: nn.Conv2d(512, 1, 5),
    "K = 40, 1x1": lambda: nn.Conv2d(512, 40, 1),
    "K = 33": lambda: nn.Conv2d(512, 33, 3),
    "stride 2": lambda: nn.Conv2d(512, 24, 3, stride=2),
    "dilated": lambda: nn.Conv2d(512, 24, 3, dilation=2),
    "groups": lambda: nn.Conv2d(512, 20, 5, groups=4),
    "transposed": lambda: nn.ConvTranspose2d(512, 24, 5),
    "transposed, stride 2": lambda: nn.ConvTranspose2d(512, 7, 4, stride=2),
    "pooled": lambda: nn.Sequential(of_positive(nn.Conv2d(512, 24, 1)), nn.AvgPool2d(2)),
    "after a pointwise chain": lambda: nn.Sequential(nn.BatchNorm2d(512), nn.ReLU(), of_positive(nn.Conv2d(512, 24, 1))),
}


@TARGETS
def test_convolutions(isa):
    cases = {name: of_positive(m) if hasattr(m := make(), "weight") else m for name, make in CONVOLUTIONS.items()}
    check_all(cases, torch.rand(1, 512, 8, 8), isa=isa)


OTHERS = {
    "weights at run time": lambda x, q, k: F.conv2d(x, x[:, :, :5, :5].repeat(3, 1, 1, 1)),
    "transposed, weights at run time": lambda x, q, k: F.conv_transpose2d(x, x[0, :, None, :3, :3].repeat(1, 5, 1, 1), stride=2),
    "1-D": lambda x, q, k: F.conv1d(x.flatten(2), x.flatten(2)[:, :, :9]),
    "3-D": lambda x, q, k: F.conv3d(x.view(1, 128, 4, 8, 8), x.view(1, 128, 4, 8, 8)[:, :, :3, :3, :3].repeat(2, 1, 1, 1, 1)),
    "attention": lambda x, q, k: F.scaled_dot_product_attention(q, k, k),
    "attention with few queries": lambda x, q, k: F.scaled_dot_product_attention(q[:, :3], k, k),
    "attention with one query": lambda x, q, k: F.scaled_dot_product_attention(q[:, :1], k, k),
}


@TARGETS
def test_other_sums(isa):
    check_all(OTHERS, torch.rand(1, 512, 8, 8), torch.rand(2, 65, 16), torch.rand(2, 5_001, 16), isa=isa)
