"""Integers stay integers: beyond 2^53, wrapping around, with every rounding of a quotient, and bools as torch counts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.against_torch.support import check_all

BIG = 2**62 + 1
HALF = 2**53 + 1
Case = Callable[..., Any]

LARGE: dict[str, Case] = {
    **{
        f"{mode} of {b}": lambda x, y, b=b, mode=mode: torch.div(x, y if b == "y" else b, rounding_mode=mode)
        for mode in ("trunc", "floor", None)
        for b in ("y", 7, -3, 2.5)
    },
    **{
        f"clamp {low} {high}": lambda x, y, low=low, high=high: x.clamp(low, high)
        for low, high in ((None, BIG), (-BIG, BIG), (HALF, None), (1.5, 6.5), (None, 2.5))
    },
    "clamp by tensors": lambda x, y: torch.clamp(x, y, y + 5),
    "clamp from below": lambda x, y: torch.clamp(x, min=y),
    "remainder": lambda x, y: x % y,
    "fmod": torch.fmod,
    "floor divide": lambda x, y: x // -2,
    "of a number": lambda x, y: torch.remainder(5, y),
    "minimum": torch.minimum,
    "maximum": torch.maximum,
    "largest": lambda x, y: x.amax(),
    "smallest": lambda x, y: x.amin(0),
    "sum": lambda x, y: x.sum(),
    "product": lambda x, y: y.prod(),
    "running sum": lambda x, y: x.cumsum(0),
    "rows": lambda x, y: (x.view(3, 3).sum(1), x.view(3, 3).prod(0), x.view(3, 3).max(1), x.view(3, 3).cumsum(1)),
    "times": lambda x, y: x * y,
    "plus": lambda x, y: x + y,
    "plus a number": lambda x, y: x + BIG,
    "minus": lambda x, y: x - y,
    "negative": lambda x, y: -x,
    "absolute": lambda x, y: x.abs(),
    "square": lambda x, y: x**2,
    "cube": lambda x, y: x**3,
    "power": lambda x, y: y**5,
    "powers": lambda x, y: y ** torch.tensor([2, 3, 0, 5, 1, 4, 3, 63, 2]),
    "of two": lambda x, y: 2 ** (y % 60),
    "less": lambda x, y: x < y,
    "at least": lambda x, y: x >= BIG,
    "equal": lambda x, y: x == BIG,
    "not equal": lambda x, y: x != HALF,
    "above a float": lambda x, y: x > 2.5,
    "equal to a float": lambda x, y: x == float(HALF),
    "where": lambda x, y: torch.where(x > 0, x, y),
    "where, number": lambda x, y: torch.where(x > 0, x, BIG),
    "where, float": lambda x, y: torch.where(x > 0, x, 2.5),
    "places": lambda x, y: (x.argmax(), x.argmin()),
    "any": lambda x, y: (x.any(), x.all()),
    "filled": lambda x, y: x.masked_fill(x > 0, BIG),
    "scaled sum": lambda x, y: torch.add(x, y, alpha=3),
    "bits": lambda x, y: (x & y, x | 3, x ^ y, ~x),
    "shifts": lambda x, y: (x << 3, x >> 3),
    "other types": lambda x, y: (x.float(), x.double(), x.int(), x.to(torch.uint8), x.bool()),
    "sum as int32": lambda x, y: x.sum(dtype=torch.int32),
    "product of matrices": lambda x, y: x.view(3, 3) @ y.view(3, 3),
    "padded": lambda x, y: F.pad(x, (1, 1), value=BIG),
    "counted": lambda x, y: ((x > 0).sum(), torch.count_nonzero(x)),
    "from large numbers": lambda x, y: torch.arange(BIG, BIG + 3),
    "ramp": lambda x, y: torch.full((3,), BIG) + x[:3],
    "product and sum": lambda x, y: torch.addcmul(x, x, y),
}


def test_int64():
    x = torch.tensor([BIG, -BIG, 2**63 - 1, -(2**63), 7, -7, 0, 1, HALF])
    check_all(LARGE, x, torch.tensor([7, -7, 2, 3, 3, 3, 5, -2, HALF]))


NARROW: dict[str, Case] = {
    "plus": lambda x, y: x + y,
    "minus": lambda x, y: x - y,
    "times": lambda x, y: x * y,
    "negative": lambda x, y: -x,
    "quotients": lambda x, y: (x // y, x % y, torch.div(x, y, rounding_mode="trunc"), torch.fmod(x, y), x / y),
    "by numbers": lambda x, y: (x % 7, x // 7, torch.div(x, 7, rounding_mode="trunc")),
    "plus numbers": lambda x, y: (x + 100, x * 3, 1 - x),
    "against numbers": lambda x, y: (x > -1, x < 300, x > 2.5, x == -1),
    "clamp": lambda x, y: (x.clamp(3, 100), x.clamp(2.5, 99.5)),
    "clamp by negative numbers": lambda x, y: (x.clamp(-2, 3), x.clamp(-2), x.clamp(max=-2), x.clamp_min(-1), x.clamp_max(-100)),
    "negative numbers": lambda x, y: (x + -2, x * -2, -1 - x, x & -2, x // -2, torch.add(x, y, alpha=-2), x <= -2, x != -1),
    "negative numbers written": lambda x, y: (torch.where(x > y, x, -1), x.masked_fill(x > y, -1), x.index_fill(0, x[:2].long() % 33, -1)),
    "sums": lambda x, y: (x.sum(), x.sum(dtype=x.dtype), x.cumsum(0), x.cumsum(0, dtype=x.dtype), x.view(3, 11).sum(0)),
    "product": lambda x, y: (x.prod(), x.prod(dtype=x.dtype)),
    "largest": lambda x, y: (x.max(), x.argmax(), torch.minimum(x, y)),
    "powers": lambda x, y: (x**2, x**3, x**4, x.square()),
    "compared": lambda x, y: (x < y, torch.where(x < y, x, y)),
    "bits": lambda x, y: (~x, x & y, x | y, x ^ y),
    "product of matrices": lambda x, y: x[:16].view(4, 4) @ y[:16].view(4, 4),
    "signs": lambda x, y: (x.sign(), x.relu(), x.abs()),
    "with floats": lambda x, y: (x + 0.5, x.float(), x.bool()),
    "other types": lambda x, y: (x.long() * 2**33, x.to(torch.uint8), x + y.long(), x + y.to(torch.int16)),
    "filled": lambda x, y: (x.masked_fill(x > y, 7), torch.sub(x, y, alpha=2)),
    "rounded": lambda x, y: (x.floor(), torch.trunc(x)),
}


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8], ids=str)
def test_wrapping_around(dtype):
    info = torch.iinfo(dtype)
    x, y = (torch.randint(info.min, info.max, (33,), dtype=dtype) for _ in range(2))
    x[:2] = torch.tensor([info.min, info.max], dtype=dtype)
    y[(y == 0) | (y == info.max)] = 3  # torch raises for a quotient by 0, and its process ends at -2^63 by -1
    check_all(NARROW, x, torch.where(y + 1 == 0, torch.full_like(y, 5), y))


BOOLS: dict[str, Case] = {
    "sums": lambda x, y: (x + y, x.sum(), x.cumsum(0), x.sum(dtype=torch.bool), x.prod(dtype=torch.bool), x.prod()),
    "numbers": lambda x, y: (x + 1, x + 0.5, x < 2, x == 1, x / 2, x // 2),
    "logic": lambda x, y: (x * y, x ^ y, ~x, x < y, x.any(), x.all()),
    "extremes": lambda x, y: (x.max(), x.max(0), x.min(0), torch.minimum(x, y), x.amax(0)),
    "others": lambda x, y: (x.sign(), torch.where(x, y, True), x.float() * 2, x.float().mean()),
}


def test_bools():
    check_all(BOOLS, torch.tensor([True, False, True]), torch.tensor([True, True, False]))
